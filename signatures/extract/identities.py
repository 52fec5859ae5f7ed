"""Names of people and of their machines in a text: home folders, prompts, labels, addresses.

Names that many machines share (`runner`, `root`, `localhost`) are no names of people and stay.
"""

from __future__ import annotations

from signatures.extract.rewriting import Rewriting
from signatures.linear import Found, linear

_USER, _HOST = "<user>", "<host>"

_NAME = r"[^\\/:*?\"<>|\s,;)'`\]]+"
# Further words of a name begin with a capital, or with one of the small words between
_MORE = (
    r"(?: (?:(?:van|von|de|der|den|da|di|del|la|le|el|al|bin|dos) )?[A-ZÀ-Þ][^\\/:*?\"<>|\s,;)'`\]]*){1,2}"
    r"(?:[\\/]|$|[\"'>)\]\r\n])"
)
_WINDOWS_HOME = (
    r"((?i:\b[a-z]:[\\/]{1,4}(?:users|home|documents and settings)[\\/]{1,4}"
    r"|\\{1,4}(?:users|documents and settings)\\{1,4}"
    r"|wsl(?:\$|\.localhost)(?:\\{1,4}[\w.-]{1,40}){1,3}\\{1,4}home\\{1,4}))"
    rf"({_NAME}{_MORE}|[^\\/:*?\"<>|\r\n\t ]+(?: [^\\/:*?\"<>|\r\n\t ]+){{0,3}}[\\/]|{_NAME})"
)
# In addresses and in JSON of browsers; "\" and "/" may be encoded twice
_ENCODED_HOME = (
    r"(?i)((?:\b[a-z](?::|%(?:25)?3A)(?:[\\/]{1,4}|%(?:25)?(?:5C|2F))|%(?:25)?(?:5C|2F))"
    r"(?:users|home|documents(?: |%(?:25)?20|\+)and(?: |%(?:25)?20|\+)settings)(?:[\\/]{1,4}|%(?:25)?(?:5C|2F)))"
    r"((?:[^%\\/:*?\"<>|\s,;)'`\]&]|%(?:25)?20|%(?:25)?[c-f][0-9a-f])+)"
)
# the home folder of somebody else, as a shell writes it; what stands before a unit is a number or a word
_TILDE = r"((?:^|[\s\"'=:(,;`])~)([A-Za-z_][\w.-]{0,31})(/\w*)"
_UNITS = frozenset(("s", "sec", "second", "min", "minute", "h", "hour", "day", "token", "step", "it", "iter", "ms"))
# a sentence may end right before a path; a relative one begins with a dot
_UNIX_HOME = (
    r"((?:^|[^A-Za-z0-9_.]|[A-Za-z0-9)\]\"']\.)(?:-[A-Za-z]{1,2})?(?:/[\w.-]{1,40}){0,4}/(?:home|Users|run/media)/)"
    rf"({_NAME}{_MORE}|{_NAME})"
)
_UNC = (
    r"((?:^|[\s\"'=(,;`])\\{2,4})([A-Za-z0-9][\w.-]{0,62})(\\{1,2})([^\s\\/:\"'<>|]+)"
    r"((?:\\{1,2}[^\s\\/:\"'<>|,;)]+)?)"
)
_EMAIL = r"\b([A-Za-z0-9][A-Za-z0-9._%+-]*)(?:@|%(?:25)?40)((?:[A-Za-z0-9-]+(?:\.|%2[eE]))+([A-Za-z]{2,24}))\b(:\d)?"
_PROMPT = (
    r"(?m)(^|[\s(\[])([A-Za-z_][\w.-]*)[@㉿]([A-Za-z0-9][\w.-]*)"
    r"(:[~/][^\s$#%>]*[$#%>]|:[~/]\S*|[ :]\S{1,80} ?[%$] | [~/]\S{0,80} ?[%$#]|[ ][^\]\n]{0,80}\] ?[$#%]|\)-\["
    r"| (?:MINGW|MSYS|UCRT|CLANG)\w{0,8})"
)
_REMOTE = (
    r"(?i)(\b(?:ssh|scp|sftp|rsync)\s{1,3}(?:-\S{1,20}\s{1,3}(?:\d{1,5}\s{1,3})?){0,2})"
    r"([A-Za-z_][\w.-]*)@([A-Za-z0-9][\w.-]*)"
)
_LABEL = (
    r"(?i)(\b(?:machine ?name|machine ?id|computer ?name|net ?bios ?name|host ?name|user ?name"
    r"|logged[ -]?(?:in|on)[ -]?user|registered owner|serial ?number|device id guid|logon server|current user)"
    r"[\"']?[ \t.]*[:=]\s*[\"']?)(\{[0-9A-Fa-f-]{8,64}\}|[^\s\"',;<>]+(?: [A-Z][\w.'-]{1,40}(?m:$))?)"
)
_LABEL_WORDS = (
    "machine", "computer", "host", "bios", "device", "user", "logged", "owner", "serial", "logon", "logname",
)  # fmt: skip
_VARIABLE = (
    r"((?:^|[^A-Za-z0-9_-])(?:(?:SUDO_)?USER(?:NAME|DOMAIN)?|LOGNAME|COMPUTERNAME|HOSTNAME|HOST)=[\"']?)"
    r"([^\s\"',;<>&]+)"
)
_SYSLOG = (
    r"((?:^|[\s\"])(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s{1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,6})? "
    r"|(?:^|[\s\"])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? )"
    r"([A-Za-z0-9][\w.-]{0,62})( [\w./@()-]{1,60}(?:\[\d{1,10}\])?:)"
)
_UNAME = r"(\b(?:Linux|Darwin) )([A-Za-z0-9][\w.-]*)( \d{1,3}\.\d{1,3}\.\d{1,3}\S* (?:#\d|Darwin))"
# What Windows and macOS call a computer that nobody named
_MAKERS_NAME = (
    r"\b(?:DESKTOP|LAPTOP)-[A-Z0-9]{5,10}\b|DESKTOP-[A-Z0-9]{7}|LAPTOP-[A-Z0-9]{8}"  # the last two glued to a word
    r"|\b[A-Za-z0-9]+(?:-[A-Za-z0-9]+){0,3}-MacBook(?:-(?:Pro|Air|\d{1,2})){0,3}(?:\.local|\.fritz\.box|\.lan)?\b"
)

_SHARED = frozenset((
    "public", "default", "runner", "runneradmin", "user", "users", "name", "username", "$user", "%username%", "all",
    "shared", "root", "node", "app", "vsts", "ubuntu", "vscode", "codespace", "ec2-user", "azureuser", "pi", "site",
    "linuxbrew", "your_name", "yourname", "you", "me", "xxx", "...", "*", "~", "all users", "default user", "your name",
))  # fmt: skip
_SHARED_HOSTS = frozenset(
    ("localhost", "localhost.localdomain", "127.0.0.1", "::1", "0.0.0.0", "wsl$", "wsl.localhost")  # noqa: S104 - a name
)
_SHARES = frozenset((
    "models", "model", "data", "public", "shared", "share", "cache", "temp", "tmp", "software", "tools", "install",
    "downloads", "onnx", "builds", "build", "bin",
))  # fmt: skip
_NO_NAME = frozenset((
    "is", "not", "unknown", "none", "was", "are", "must", "cannot", "can", "could", "null", "undefined", "missing",
    "required", "invalid", "empty", "and", "or", "of", "for", "in", "the", "a", "an", "to", "has", "n/a", "error",
    "failed", "mismatch", "resolution", "lookup",
))  # fmt: skip
_LEVELS = frozenset(("ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "CRITICAL", "NOTICE", "VERBOSE"))
# Endings of names of files and of versions, which are no addresses
_FILES = frozenset((
    "js", "mjs", "cjs", "ts", "tsx", "jsx", "json", "jsonl", "wasm", "onnx", "ort", "so", "dll", "dylib", "exe", "tgz",
    "gz", "tar", "whl", "html", "css", "scss", "log", "txt", "bin", "cpp", "cxx", "hpp", "mm", "java", "kt", "swift",
    "cs", "go", "toml", "yaml", "yml", "lock", "map", "node", "data", "xml", "png", "jpg", "tflite", "litertlm", "gguf",
    "safetensors", "task", "alpha", "beta", "rc", "pre", "preview", "next", "nightly", "canary", "latest",
))  # fmt: skip
_DIGIT_DOMAINS = frozenset(("com", "net", "org", "cn", "de", "ru"))


def without_identities(rewriting: Rewriting) -> None:
    """Replace names of people and machines."""
    text = rewriting.text
    lower = text.casefold()
    if any(word in lower for word in _LABEL_WORDS):
        rewriting.replace(_LABEL, _labelled)
        rewriting.replace(_VARIABLE, _variable)
    if ":" in text and linear(r"\d\d:\d\d:\d\d").search(text) is not None:
        rewriting.replace(_SYSLOG, _syslog)
    if "Linux " in text or "Darwin " in text:
        rewriting.replace(_UNAME, lambda found: f"{found.group(1)}{_HOST}{found.group(3)}")
    if "DESKTOP-" in text or "LAPTOP-" in text or "MacBook" in text:
        rewriting.replace(_MAKERS_NAME, lambda found: _HOST)
    if "@" in text or "㉿" in text:
        if "s" in lower:
            rewriting.replace(_REMOTE, _remote)
        rewriting.replace(_PROMPT, _prompt)
    if "@" in text or "%40" in text or "%2540" in text:
        rewriting.replace(_EMAIL, _email)
    if "\\\\" in text:
        rewriting.replace(_UNC, _unc)
    _homes(rewriting, lower)


def _homes(rewriting: Rewriting, lower: str) -> None:
    """Replace the names of home folders, in a text that is `lower` without its capitals."""
    text = rewriting.text
    if "users" in lower or "documents and settings" in lower or "home" in lower:
        if "%" in text:
            rewriting.replace(_ENCODED_HOME, _home)
        rewriting.replace(_WINDOWS_HOME, _home)
    if "/home/" in text or "/Users/" in text or "/media/" in text:
        _unix_homes(rewriting)
    if "~" in text:
        rewriting.replace(_TILDE, _tilde)


def _home(found: Found) -> str:
    name = found.group(2).rstrip("\\/\"'>)]\r\n")
    if name.casefold() in _SHARED:
        return found.group()
    return found.group(1) + _USER + found.group(2)[len(name) :]


def _tilde(found: Found) -> str:
    unit = found.group(3)[1:].rstrip("s") or found.group(3)[1:]
    if unit in _UNITS or found.group(2).casefold() in _SHARED:
        return found.group()
    return f"{found.group(1)}{_USER}{found.group(3)}"


def _unix_homes(rewriting: Rewriting) -> None:
    text = rewriting.text

    def home(found: Found) -> str:
        # the path of an address is no folder of this computer
        before = text[max(found.start() - 200, 0) : found.end(1)].split()
        address = before[-1] if before else ""
        in_address = "http://" in address or "https://" in address
        return found.group() if in_address else _home(found)

    rewriting.replace(_UNIX_HOME, home)


def _unc(found: Found) -> str:
    head, host, slash, share, rest = (found.group(i) for i in range(1, 6))
    if host.casefold() in _SHARED_HOSTS or host in (".", "?"):
        return found.group()
    if share.endswith("$") and len(share) > 2:
        share = _USER + "$"
    folder = rest.lstrip("\\")
    if folder and "." not in folder and folder.casefold() not in _SHARES:
        rest = rest[: len(rest) - len(folder)] + _USER
    return f"{head}{_HOST}{slash}{share}{rest}"


def _labelled(found: Found) -> str:
    value = found.group(2).strip("`*_{}[]()")
    if value.casefold().strip(".:()") in _NO_NAME or value.casefold() in _SHARED_HOSTS or not value:
        return found.group()
    return found.group(1) + _HOST


def _variable(found: Found) -> str:
    value = found.group(2)
    kept = value.casefold() in _SHARED or value.casefold().partition(":")[0] in _SHARED_HOSTS or value[0] in "$%{"
    if kept or value.replace(".", "").replace(":", "").isdigit():
        return found.group()
    return found.group(1) + (_HOST if "HOST" in found.group(1) or "COMPUTER" in found.group(1) else _USER)


def _syslog(found: Found) -> str:
    if found.group(2).upper() in _LEVELS:
        return found.group()
    return f"{found.group(1)}{_HOST}{found.group(3)}"


def _remote(found: Found) -> str:
    if found.group(2) == "git":
        return found.group()
    return f"{found.group(1)}{_USER}@{_HOST}"


def _prompt(found: Found) -> str:
    if _is_version(found.group(3)) or found.group(2) == "git":
        return found.group()
    at = "㉿" if "㉿" in found.group() else "@"
    return f"{found.group(1)}{_USER}{at}{_HOST}{found.group(4)}"


def _email(found: Found) -> str:
    name, domain, ending = found.group(1), found.group(2), found.group(3).casefold()
    first, _, rest = domain.partition(".")
    numbered = _is_version(first + ".") and not (ending in _DIGIT_DOMAINS and rest.isalpha())
    in_file = bool(found.group(4)) and ending in ("rs", "py", "cc", "md", "sh", "pl", "so")
    if numbered or ending in _FILES or in_file or name == "git":
        return found.group()
    return "<e-mail>" + (found.group(4) or "")


def _is_version(text: str) -> bool:
    """Whether what stands behind an @ begins as versions of packages do: `1.27.0`, `v4`."""
    bare = text[1:] if text[:1] in ("v", "V") else text
    return bare[:1].isdigit() and bare.partition(".")[0].partition("-")[0].isdigit()
