"""Secrets behind a name that says so, in the languages that people's forms and programs speak.

A name alone is no credential: in this field `token`, `key` and `session` mean other things most of the time, so what
stands behind such a word counts only where it looks like a secret, or where the name is one that is kept secret.
"""

from __future__ import annotations

from signatures.linear import Found, linear

SECRET = "<secret>"  # noqa: S105 - what is shown in place of one
_JUDGED = 256  # characters of a value that are looked at
_LONGEST_QUOTED = 1_000
_LONGEST_PHRASE = 300
_NAMED = (
    r"(?i)((?:\b(?:api|access|secret|private|account|auth|subscription|hub|refresh|encryption|signing|master|product"
    r"|licen[cs]e|recovery|wi-?fi|client|app|consumer|webhook) (?:key|token|secret)"
    r"|\b(?:one[- ]time|verification|access|recovery|activation|unlock|backup|2fa|mfa|otp|pairing|pin) (?:code|number)"
    r"|\b(?:seed|recovery|mnemonic) phrase"
    r"|[\w.$-]*(?:token|secret|passw(?:or)?d|passwort|pass[ _-]?(?:phrase|code)|[_-]pass|pwd|key|credential|auth"
    r"|cookie|session|sessid|connect\.sid|密码|密碼|密钥|令牌|口令|パスワード|비밀번호|암호|пароль|contraseña"
    r"|mot de passe|kennwort|senha|contrasena|clave|wachtwoord|has[łl]o|l[öo]senord|salasana|adgangskode|[şs]ifre"
    r"|parola|mật khẩu|heslo|jelsz[óo]|kata sandi|κωδικ[όο]ς|كلمة المرور|كلمة السر|סיסמה|סיסמא|पासवर्ड|รหัสผ่าน"
    r"|geheimnis|секрет|токен|ключ|schlüssel|clé)[\w.-]*)"
    r"|\b(?:pin|otp|pw|pass|creds)|\bsig|\bx-(?:amz|goog)-signature)"
    r"(\\?[\"'`]?\]?\*{0,2}\s{0,3}(?:=>|->|→|:=|[=:]{1,2}|：)\*{0,2}\s{0,8}|\s{1,3}(?:is|was|lautet|es|est)[: ]\s{0,3}"
    r"|[ \t]{1,3}\|[ \t]{1,3}|[ \t]{0,3}\r?\n\r?\n?|[ \t]{1,8}|>)"
)
_ABROAD = (
    "密码", "密碼", "密钥", "令牌", "口令", "パスワード", "비밀번호", "암호", "пароль", "contraseña", "motdepasse",
    "kennwort", "passwort", "senha",
)  # fmt: skip
# what other words hold as well
_ABROAD_ALONE = frozenset("".join(c for c in word.casefold() if c.isalnum()) for word in (
    "contrasena", "clave", "wachtwoord", "hasło", "haslo", "lösenord", "losenord", "salasana", "adgangskode", "şifre",
    "sifre", "parola", "mật khẩu", "heslo", "jelszó", "jelszo", "kata sandi", "κωδικός", "κωδικος", "كلمة المرور",
    "كلمة السر", "סיסמה", "סיסמא", "पासवर्ड", "รหัสผ่าน", "geheimnis", "секрет",
))  # fmt: skip
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "pwd", *_ABROAD)
_PINS = frozenset(("pin", "otp", "pincode", "pinnumber", "otpcode", "onetimecode"))
_CODES = frozenset((
    "verificationcode", "accesscode", "recoverycode", "activationcode", "unlockcode", "backupcode", "2facode",
    "mfacode", "pairingcode",
))  # fmt: skip
_COOKIES = ("sessid", "jsessionid", "aspnetsessionid", "connectsid")
_PASS_OF = ("db", "sql", "user", "admin", "root", "smtp", "ftp", "mail", "proxy", "login", "ssh", "sudo", "redis", "pg")
_KEPT_SECRET = (
    "password", "passwd", "passphrase", "passcode", "secret", "credential", "apikey", "accesskey", "privatekey",
    "accountkey", "authkey", "subscriptionkey", "signingkey", "encryptionkey", "masterkey", "servicekey", "clientkey",
    "licensekey", "licencekey", "productkey", "recoverykey", "wifikey", "sharedkey", "storagekey", "functionskey",
    "deploykey", "sessionkey", "authtoken", "accesstoken",
    "refreshtoken", "apitoken", "idtoken", "hubtoken", "sessiontoken", "securitytoken",
    *_ABROAD,
)  # fmt: skip
# What stands before `token` where it is a piece of text and no credential: in one name with it, or as a word
_TEXT_TOKEN = (
    "bos", "eos", "pad", "unk", "sep", "cls", "mask", "special", "image", "audio", "video", "vision", "next",
    "first", "last", "prompt", "stop", "start", "end", "new", "per", "unexpected", "invalid", "illegal", "added",
    "input", "output", "generated", "each", "unknown", "text", "current",
)  # fmt: skip
_TEXT_TOKEN_WORDS = (*_TEXT_TOKEN, "a", "the", "this", "that", "every", "one", "single", "time")
# Last words of names that are about a credential
_ABOUT = frozenset((
    "file", "path", "name", "type", "length", "len", "size", "policy", "count", "url", "uri", "error", "required",
    "hint", "field", "manager", "provider", "mode", "limit", "expiry", "expires", "expired", "status", "version",
    "exception", "vault", "store", "stdin", "prompt", "format", "class", "id", "ids",
))  # fmt: skip
NO_VALUE = frozenset((
    "none", "null", "nil", "true", "false", "undefined", "yes", "no", "empty", "missing", "required", "invalid",
    "unset", "set", "not", "is", "was", "are", "be", "been", "must", "should", "expired", "incorrect", "wrong",
    "unknown", "optional", "n/a", "redacted", "hidden", "string", "str", "int", "bool", "boolean", "number",
    "needed", "correct", "rejected", "accepted", "valid", "the", "a", "an", "in", "of", "for", "and", "or", "to",
    "with", "from", "by", "on", "at", "too", "being", "stored", "used", "also", "still", "never", "always", "only",
    "here", "there", "default", "disabled", "enabled", "off", "auto", "token", "key", "password", "secret",
))  # fmt: skip
_REFERENCES = (
    "os.environ", "os.getenv", "process.env", "getenv(", "env.", "${", "{{", "$(", "secrets.", "<", "%(", "{%",
)  # fmt: skip


def without_named(text: str) -> str:
    """`text` with SECRET in place of what stands behind a name of something secret."""
    parts: list[str] = []
    done = 0
    ends = _Ends(text)
    for found in linear(_NAMED).finditer(text):
        start, end = found.span()
        if start < done:
            continue
        first, last = _value(text, end, ends)
        element = found.group(2) != ">" or (text[start - 1 : start] == "<" and text.startswith("</", last))
        spaced = not found.group(2).strip()
        if first == last or not element or (spaced and text.startswith("-", first)):
            continue
        if ("\n" in found.group(2) and spaced and not _is_heading(text, start)) or (
            found.group(2).strip() == "|" and not _is_cell(text, start)
        ):
            continue
        if not spaced and _is_phrase(found.group(1)) and text[first - 1] not in "\"'`":
            last = first + len(text[first : first + _LONGEST_PHRASE].split("\n", 1)[0].rstrip())
        if _is_secret(text, found, text[first : min(last, first + _JUDGED)]):
            parts += (text[done:first], SECRET)
            done = last
    return "".join(parts) + text[done:] if parts else text


def _is_heading(text: str, at: int) -> bool:
    """Whether what stands there is a heading, as of a form that was filled in."""
    return text[max(at - 40, 0) : at].rpartition("\n")[2].lstrip().startswith("#")


def _is_cell(text: str, at: int) -> bool:
    """Whether a cell of a table begins there, or a line."""
    before = text[max(at - 8, 0) : at].rstrip(" \t*`")
    return not before or before[-1] in "|\n"


def _is_phrase(name: str) -> bool:
    return name.casefold().endswith(("phrase", "phrases"))


class _Ends:
    """Where the words of a text end, asked for from the left to the right."""

    def __init__(self, text: str) -> None:
        self._found = linear(r"[\s\"<>]").finditer(text)
        self._last = len(text)
        self._next = -1

    def after(self, at: int) -> int:
        while self._next < at:
            found = next(self._found, None)
            self._next = found.start() if found is not None else self._last
        return self._next


def _value(text: str, at: int, ends: _Ends) -> tuple[int, int]:
    """Where the value that begins at `at` stands, without its quotes."""
    quote = text[at : at + 1]
    if quote == "\\" and text[at + 1 : at + 2] in ('"', "'"):
        at += 1
        quote += text[at]
    if quote[-1:] in ('"', "'", "`"):
        at += 1
        closing = text[at : at + _LONGEST_QUOTED].split("\n", 1)[0].find(quote)
        if closing >= 0:
            return at, at + closing
    end = ends.after(at)
    for comma in linear(r"[,;&]").finditer(text[at : min(end, at + _JUDGED)]):
        # it may belong to a password; before the next pair, or at the end, it does not
        after = at + comma.end()
        following = text[after : min(end, after + 80)]
        if not following or any(c in _upto_comma(following) for c in "=:"):
            end = after - 1
            break
    return at, at + len(text[at:end].rstrip(".,;:)]}'`\\")) if end - at < _LONGEST_QUOTED else end


def _upto_comma(text: str) -> str:
    return next((text[:i] for i, c in enumerate(text) if c in ",;&"), text)


def _is_secret(text: str, found: Found, value: str) -> bool:
    name, separator = found.group(1), found.group(2)
    plain = name.strip("-._$")
    squashed = "".join(c for c in plain.casefold() if c.isalnum())
    flag = name.startswith("-") or text[max(found.start() - 6, 0) : found.start()].casefold().endswith("setx ")
    heads = "\n" in separator and not separator.strip()
    strong = bool(separator.strip()) or heads
    special = _is_special(plain, squashed, separator if strong else "", value)
    if special is not None:
        return special
    if _says_nothing(value) or _is_number(value, squashed) or squashed.endswith(("authorization", "authentication")):
        return False
    if not strong and not flag:
        return opaque(value, 20) and (not _is_hash(value) or not squashed.endswith("key"))
    worded = value.isalpha() and value in (value.lower(), value.capitalize(), value.upper())
    if _is_kept_secret(name, plain, squashed, text[max(found.start() - 60, 0) : found.start()].casefold()):
        said = separator.strip(" :").isalpha()  # "the password is ..."
        return not said or any(p in squashed for p in _PASSWORDS) or not worded
    if squashed in ("sig", "xamzsignature", "xgoogsignature"):
        return opaque(value, 12)
    if squashed.endswith(("token", "токен")) and not _is_text_token(text, found, squashed):
        tight = separator in ("=", ":") or flag or heads
        return tight or not worded or len(value) >= 12
    if plain.isupper() and plain.endswith("_KEY") and separator == "=":
        return not _is_hash(value)
    if squashed.endswith("auth") and (":" in value or flag):
        return ":" in value or opaque(value, 8)
    if squashed == "cookie" and flag:
        return "=" in value
    return opaque(value, 8 if squashed.endswith("auth") or flag else 16) and not _is_hash(value)


def _is_special(plain: str, squashed: str, separator: str, value: str) -> bool | None:
    """Whether it is a secret of a kind that has a shape of its own; None for other kinds."""
    said = separator.strip(" :").isalpha()  # "the passphrase is ..."
    if _is_phrase(plain):
        first, *rest = value.split() or [""]
        several = len(rest) > 2 and not said
        return bool(separator) and (not _says_nothing(first) or several or (first == "correct" and bool(rest)))
    if squashed in _PINS:
        return bool(separator) and value.isdigit() and 4 <= len(value) <= 12
    if squashed in _CODES:
        return bool(separator) and len(value) >= 4 and any(c.isdigit() for c in value) and not value.startswith("0x")
    if squashed.endswith(_COOKIES):
        return separator.strip() == "=" and not _says_nothing(value)
    if squashed == "creds":
        return bool(separator) and ":" in value
    if plain == "PWD":  # the working directory, or a part of a connection string
        return separator == "=" and value[0] not in "/\\~$.%" and value[1:2] != ":" and not _says_nothing(value)
    return None


def _is_kept_secret(name: str, plain: str, squashed: str, before: str) -> bool:
    """Whether the name says that its value is a credential, and not something about one. `before`: the words there."""
    if squashed.endswith("pwd") and squashed not in ("pwd", "oldpwd"):
        return True
    if plain.casefold() == "pwd":
        return plain != "PWD"  # the working directory
    if squashed == "pass" and plain == name:
        return any(word in before for word in ("user", "login"))
    if squashed.endswith("pass"):
        return squashed[:-4].endswith(_PASS_OF) or plain.casefold() in ("pass", "--pass")
    if squashed == "pw" or squashed in _ABROAD_ALONE:
        return True
    if not any(word in squashed for word in _KEPT_SECRET):
        return False
    last = plain.replace("-", "_").replace(".", "_").rpartition("_")[2]
    tail = (
        "".join(c if c.islower() else " " + c.lower() for c in last).split() if not last.isupper() else [last.lower()]
    )
    return not tail or tail[-1] not in _ABOUT


def _is_text_token(text: str, found: Found, squashed: str) -> bool:
    before = squashed[: -len("token")]
    if before:
        return before.endswith(_TEXT_TOKEN)
    words = text[max(found.start() - 24, 0) : found.start()].casefold().split()
    return bool(words) and words[-1].strip("'\"(") in _TEXT_TOKEN_WORDS


def _says_nothing(value: str) -> bool:
    lowered = value.casefold().strip(" .,:;!?()[]*_")
    if not lowered or lowered in NO_VALUE or (len(value) > 2 and not value.strip(value[0])):
        return True
    if value.startswith("$") and value[1:].replace("_", "A").isalnum() and value[1:].isupper():
        return True
    return value.startswith(_REFERENCES) or (value.startswith("%") and value.endswith("%"))


def _is_number(value: str, squashed: str) -> bool:
    """A count or a duration, which a password may look like and a token does not."""
    if any(p in squashed for p in _PASSWORDS):
        return False
    digits = value.rstrip("smun%,").replace(".", "").replace(",", "").lstrip("+-~")
    return digits.isdigit() and len(digits) < 12


def opaque(value: str, least: int) -> bool:
    """Whether `value` looks made by a machine: a long run of letters and digits, in no order of words."""
    if len(value) < least or value.casefold().startswith(("0x", "sha256:", "sha1:", "http")) or "/" in value[:1]:
        return False
    bare = value.rstrip("=")
    if not all(c.isascii() and (c.isalnum() or c in "+/_-.~%") for c in bare):
        return False
    run = max(len(piece) for piece in bare.replace("-", "_").replace(".", "_").replace("/", "_").split("_"))
    if run < min(least, 16) or not any(c.isalpha() for c in bare):
        return False
    mixed = bare not in (bare.lower(), bare.upper())
    return any(c.isdigit() for c in bare) or value.endswith("=") or (mixed and run >= 32)


def _is_hash(value: str) -> bool:
    """A digest that names a file, a commit or a model."""
    return len(value) in (32, 40, 64) and all(c in "0123456789abcdefABCDEF" for c in value)
