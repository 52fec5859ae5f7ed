"""Credentials in a text: values that say what they are, values behind a name that says it, and parts of addresses.

A name alone is no credential: in this field `token`, `key` and `session` mean other things most of the time, so what
stands behind such a word counts only where it looks like a secret, or where the name is one that is kept secret.
"""

from __future__ import annotations

from collections.abc import Callable

from signatures.linear import Found, linear

_JUDGED = 256  # characters of a value that are looked at
_LONGEST_QUOTED = 1_000
_SECRET = "<secret>"  # noqa: S105 - what is shown in place of one

# https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns lists most.
# A word character before a token is no end of it: `api_hf_...`, `key_ghp_...`
_SELF_NAMED = (
    r"(gh[pousr]_[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{16,}|dckr_[po]at_[A-Za-z0-9_-]{12,}"
    r"|do[opr]_v1_[A-Za-z0-9]{16,}"
    r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[A-Za-z0-9_.-]{12,}|nvapi-[A-Za-z0-9_-]{12,}|GOCSPX-[A-Za-z0-9_-]{12,}"
    r"|xox[abceoprs]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{6,}"
    r"|whsec_[A-Za-z0-9+/=]{12,}|AIza[A-Za-z0-9_-]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?)"
    r"|(^|[^A-Za-z0-9])(hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{30,}|ya29\.[A-Za-z0-9_.-]{8,}|1//0[A-Za-z0-9_-]{20,}"
    r"|SG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|hvs\.[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}"
    r"|xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|\d{8,10}:AA[A-Za-z0-9_-]{30,}"
    r"|(?:SK|AC)[0-9a-f]{32}\b|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})"
    r"|(^|[^A-Za-z0-9])((?:sk|pypi)-[A-Za-z0-9_-]{16,})"
    r"|(hooks\.slack\.com/(?:services|workflows|triggers)/|/api/webhooks/\d{1,30}/)[A-Za-z0-9_/-]{8,}"
)
_KEY_BLOCK_START = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_KEY_BLOCK_BODY = r"(?:(?:\\[rn]|\s|>)*[A-Za-z0-9+/=]{24,})*(?:(?:\\[rn]|\s)+[A-Za-z0-9+/]{2,63}={1,2})?"
_SCHEME = (
    r"bearer|basic|token|digest|negotiate|ntlm|kerberos|oauth|apikey|api-key|key|hawk|dpop|sharedkey(?:lite)?"
    r"|sharedaccesssignature|aws4-[a-z0-9-]{1,20}|aws|scram-[a-z0-9-]{1,20}|googlelogin"
)
_AUTHORIZATION = (
    rf"(?i)(authorization[\"'\\`]{{0,3}}\s{{0,3}}[:=]\s{{0,3}}[\"'\\`]{{0,3}}(?:(?:{_SCHEME})[ \t]+)?)"
    r"([A-Za-z][\w-]{0,30}=(?:\\?\"[^\"\n]*\"|[^\s,\"']+)(?:,\s?[A-Za-z][\w-]{0,30}=(?:\\?\"[^\"\n]*\"|[^\s,\"']+))*"
    r"|[^\s\"'`\\,;<>]+)"
)
_BEARER = r"(?i)(\b(?:bearer|basic)[ \t]{1,3})([A-Za-z0-9._~+/-]{6,}={0,2})"
_COOKIE = (
    r"(?i)(\b(?:set-)?cookie2?[\"']?\s{0,3}:\s{0,3}[\"']?)"
    r"([\w.!$%|~-]+=[^\s;\"']*(?:;\s?[\w.!$%|~-]+(?:=[^\s;\"']*)?)*)"
)
_LOGIN = (
    r"(?i)(\blogin\s{1,3}[^\s\"']+\s{1,3}password\s{1,3}|(?:^|\s)(?:-u|--user|--proxy-user)[ =]{1,2}[\"']?)"
    r"([^\s\"'<>]+)"
)
_USERINFO = r"(\b[A-Za-z][A-Za-z0-9+.-]{1,20}://)([^\s/?#\"'<>]*)@"
_NAMED = (
    r"(?i)((?:\b(?:api|access|secret|private|account|auth|subscription|hub|refresh) (?:key|token)"
    r"|[\w.$-]*(?:token|secret|passw(?:or)?d|passwort|passphrase|[_-]pass|pwd|key|credential|auth|cookie|session|sessid"
    r"|密码|密碼|密钥|令牌|口令|パスワード|비밀번호|암호|пароль|contraseña|mot de passe|kennwort|senha)[\w.-]*)"
    r"|\bsig|\bx-(?:amz|goog)-signature)"
    r"(\\?[\"'`]?\]?\s{0,3}(?:=>|:=|[=:]{1,2}|：)\s{0,8}|\s{1,3}(?:is|was|lautet|es|est)[: ]\s{0,3}|[ \t]{1,8}|>)"
)
_ABROAD = (
    "密码", "密碼", "密钥", "令牌", "口令", "パスワード", "비밀번호", "암호", "пароль", "contraseña", "motdepasse",
    "kennwort", "passwort", "senha",
)  # fmt: skip
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", *_ABROAD)
_PASS_OF = ("db", "sql", "user", "admin", "root", "smtp", "ftp", "mail", "proxy", "login", "ssh", "sudo", "redis", "pg")
_KEPT_SECRET = (
    "password", "passwd", "passphrase", "secret", "credential", "apikey", "accesskey", "privatekey", "accountkey",
    "authkey", "subscriptionkey", "signingkey", "encryptionkey", "masterkey", "servicekey", "clientkey",
    "licensekey", "sharedkey", "storagekey", "functionskey", "deploykey", "sessionkey", "authtoken", "accesstoken",
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
_NO_VALUE = frozenset((
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


def without_credentials(text: str, *, tokens: bool = True, named: bool = True) -> str:
    """`text` with credentials replaced. `tokens` and `named`: whether to look for these kinds."""
    if tokens:
        text = _without_key_blocks(text) if "-----BEGIN" in text else text
        text = replaced(_SELF_NAMED, text, _token)
    if "://" in text:
        text = replaced(_USERINFO, text, _userinfo)
    if named:
        lower = text.casefold()
        if "authorization" in lower:
            text = replaced(_AUTHORIZATION, text, _authorization)
        if "bearer" in lower or "basic" in lower:
            text = replaced(_BEARER, text, _bearer)
        if "cookie" in lower:
            text = replaced(_COOKIE, text, lambda found: found.group(1) + _SECRET)
        text = _without_named(text)
    if "login " in text or "-u " in text or "-user" in text:
        text = replaced(_LOGIN, text, _login)
    return text


def replaced(pattern: str, text: str, by: Callable[[Found], str]) -> str:
    """`text` with each match of `pattern` replaced by what `by` makes of it."""
    parts: list[str] = []
    done = 0
    for found in linear(pattern).finditer(text):
        start, end = found.span()
        parts += (text[done:start], by(found))
        done = end
    return "".join(parts) + text[done:] if parts else text


def _without_key_blocks(text: str) -> str:
    parts: list[str] = []
    done = 0
    closed = True  # whether an end may still follow
    for found in linear(_KEY_BLOCK_START).finditer(text):
        start, end = found.span()
        if start < done:
            continue
        stop = text.find("-----END ", end) if closed else -1
        closed = stop >= 0
        body = linear(_KEY_BLOCK_BODY).match(text[end : end + 8_000])
        if closed:
            dashes = text.find("-----", stop + 9, stop + 100)
            last = dashes + 5 if dashes >= 0 else stop + 9
        else:
            last = end + (body.end() if body is not None else 0)
        parts += (text[done:start], "<key>")
        done = last
    return "".join(parts) + text[done:]


def _token(found: Found) -> str:
    if found.group(5):
        # words joined by hyphens are the name of something, such as a package
        whole = found.group()
        pieces = found.group(5).replace("_", "-").split("-")
        return found.group(4) + "<token>" if max(map(len, pieces)) >= 16 else whole
    return (found.group(2) or found.group(6) or "") + "<token>"


def _userinfo(found: Found) -> str:
    user = found.group(2)
    if not user or user in ("git", "hg", "svn", _SECRET, "<token>"):
        return found.group()
    return f"{found.group(1)}{_SECRET}@"


def _authorization(found: Found) -> str:
    value = found.group(2)
    alone = value.casefold() in _NO_VALUE or linear(rf"(?i)^(?:{_SCHEME})$").match(value) is not None
    return found.group() if alone else found.group(1) + _SECRET


def _bearer(found: Found) -> str:
    value = found.group(2)
    mixed = any(c.isdigit() for c in value) or value.endswith("=") or (value[1:] != value[1:].lower())
    if found.group(1)[:2].casefold() == "ba":
        secret = value.endswith("=") or (_opaque(value, 12) and value != value.lower())
    else:
        secret = (mixed or len(value) >= 20 or "." in value.strip(".")) and not value.casefold().startswith("realm=")
    return found.group(1) + _SECRET if secret else found.group()


def _login(found: Found) -> str:
    head, value = found.group(1), found.group(2)
    if "password" in head.casefold():
        return head + _SECRET
    user, colon, word = value.partition(":")
    numbers = user.isdigit() and word.isdigit()  # the user and group of a container
    return f"{head}<user>:{_SECRET}" if colon and word and not numbers else found.group()


def _without_named(text: str) -> str:
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
        if _is_secret(text, found, text[first : min(last, first + _JUDGED)]):
            parts += (text[done:first], _SECRET)
            done = last
    return "".join(parts) + text[done:] if parts else text


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
    if _says_nothing(value) or _is_number(value, squashed) or squashed.endswith(("authorization", "authentication")):
        return False
    if not separator.strip() and not flag:
        return _opaque(value, 20) and (not _is_hash(value) or not squashed.endswith("key"))
    worded = value.isalpha() and value in (value.lower(), value.capitalize(), value.upper())
    if _is_kept_secret(plain, squashed):
        said = separator.strip(" :").isalpha()  # "the password is ..."
        return not said or any(p in squashed for p in _PASSWORDS) or not worded
    if squashed in ("sig", "xamzsignature", "xgoogsignature"):
        return _opaque(value, 12)
    if squashed.endswith("token") and not _is_text_token(text, found, squashed):
        tight = separator in ("=", ":") or flag
        return tight or not worded or len(value) >= 12
    if plain.isupper() and plain.endswith("_KEY") and separator == "=":
        return not _is_hash(value)
    if squashed.endswith("auth") and (":" in value or flag):
        return ":" in value or _opaque(value, 8)
    if squashed == "cookie" and flag:
        return "=" in value
    return _opaque(value, 8 if squashed.endswith("auth") or flag else 16) and not _is_hash(value)


def _is_kept_secret(plain: str, squashed: str) -> bool:
    """Whether the name says that its value is a credential, and not something about one."""
    if squashed.endswith("pwd") and squashed not in ("pwd", "oldpwd"):
        return True
    if plain.casefold() == "pwd":
        return plain != "PWD"  # the working directory
    if squashed.endswith("pass"):
        return squashed[:-4].endswith(_PASS_OF) or plain.casefold() in ("pass", "--pass")
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
    lowered = value.casefold().strip(".,:;!?()[]*")
    if not lowered or lowered in _NO_VALUE or (len(value) > 2 and not value.strip(value[0])):
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


def _opaque(value: str, least: int) -> bool:
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
