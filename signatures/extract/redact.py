"""What must not be repeated in public: credentials, and names of people and of their machines.

It works on text of any origin, keeps what a diagnosis needs (paths below the home folder, versions), and does not
promise to find every secret.
"""

from __future__ import annotations

from collections.abc import Callable

from signatures.linear import Found, linear

_CREDENTIAL = (
    r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|hf_[A-Za-z0-9]{16,100}"
    r"|sk-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{16,100}|npm_[A-Za-z0-9]{30,60}"
    r"|pypi-[A-Za-z0-9_-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,50}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?)"
)
_NAMED_CREDENTIAL = (
    r"(?i)(\b(?:authorization|proxy-authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)?\s{0,3}"
    r"|\bbearer\s{1,3}"
    r"|\b(?:api[_-]?key|access[_-]?key|secret[_-]?access[_-]?key|account[_-]?key|secret|client[_-]?secret"
    r"|passw(?:or)?d|passwd|pwd"
    r"|access[_-]?token|refresh[_-]?token|auth[_-]?token|hf[_-]?token|github[_-]?token|private[_-]?token"
    r"|sig)[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    r"([^\s\"',;&<>]{6,})"
)
_URL_CREDENTIAL = r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:\"'<>]*:[^\s/@\"'<>]+@"
_KEY_BLOCK = r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]*-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
# A home folder's name may hold spaces only where a path separator closes it.
_HOME = (
    r"(?i)(\b[a-z]:[\\/]{1,4}(?:users|documents and settings)[\\/]{1,4}|\\\\\?\\[a-z]:\\users\\)"
    r"([^\\/:*?\"<>|\r\n\t ]{1,64}(?: [^\\/:*?\"<>|\r\n\t ]{1,40}){0,3}[\\/]|[^\\/:*?\"<>|\r\n\t ,;)'`]{1,64})"
)
_UNIX_HOME = r"((?:^|[^A-Za-z0-9_.])/(?:home|Users)/)([^\s/\\:\"'<>|,;)`]{1,64})"
_EMAIL = r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.[A-Za-z]{2,24}\b"
_PROMPT = r"(?m)(^|[\s(])[A-Za-z_][\w.-]{0,31}@[A-Za-z0-9][\w.-]{0,62}(:[~/][^\s$#%]*[$#%]|[ :]\S{0,80} ?[%$#] )"
_MACHINE = (
    r"(?i)(\b(?:machine name|machine id|computer ?name|host ?name|user ?name|logged[ -]?in user|serial number"
    r"|device id guid)"
    r"[\"']?\s{0,8}[:=]\s{0,8}[\"']?)(\{[0-9A-Fa-f-]{8,64}\}|[^\s\"',;<>]{1,120})"
)
# Looked for first, since compiling a pattern costs more than most texts need.
_CREDENTIAL_MARKS = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "hf_",
    "sk-",
    "xox",
    "glpat-",
    "npm_",
    "pypi-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
)
_CREDENTIAL_NAMES = ("authoriz", "bearer", "key", "secret", "passw", "pwd", "token", "sig=", "sig:", 'sig"')
_MACHINE_NAMES = ("machine", "computer", "host", "user", "serial", "guid")
_PUBLIC_HOMES = (
    "public",
    "default",
    "runner",
    "all users",
    "shared",
    "<user>",
    "user",
    "name",
    "username",
    "$user",
    "%username%",
)


def redact(text: str) -> str:
    """`text` without tokens, passwords, e-mail addresses, home folder names and machine names.

    Each is replaced by a word in angle brackets (`<token>`, `<user>`, `<host>`); the length changes.
    """
    lower = text.casefold()
    if "-----BEGIN" in text:
        text = _replaced(_KEY_BLOCK, text, lambda found: "<key>")
    if any(mark in text for mark in _CREDENTIAL_MARKS):
        text = _replaced(_CREDENTIAL, text, lambda found: "<token>")
    if any(word in lower for word in _CREDENTIAL_NAMES):
        text = _replaced(_NAMED_CREDENTIAL, text, lambda found: found.group(1) + "<secret>")
    if any(word in lower for word in _MACHINE_NAMES):
        text = _replaced(_MACHINE, text, lambda found: found.group(1) + "<host>")
    if "://" in text:
        text = _replaced(_URL_CREDENTIAL, text, lambda found: found.group(1) + "<secret>@")
    if "@" in text:
        text = _replaced(_PROMPT, text, lambda found: f"{found.group(1)}<user>@<host>{found.group(2)}")
        text = _replaced(_EMAIL, text, lambda found: "<e-mail>")
    if "users" in lower or "documents and settings" in lower or "/home/" in lower:
        text = _replaced(_HOME, text, _without_name)
        text = _replaced(_UNIX_HOME, text, _without_name)
    return text


def _without_name(home: Found) -> str:
    name = home.group(2).rstrip("\\/")
    if name.casefold() in _PUBLIC_HOMES:
        return home.group()
    return home.group(1) + "<user>" + home.group(2)[len(name) :]


def _replaced(pattern: str, text: str, by: Callable[[Found], str]) -> str:
    parts: list[str] = []
    done = 0
    for found in linear(pattern).finditer(text):
        start, end = found.span()
        parts += (text[done:start], by(found))
        done = end
    return "".join(parts) + text[done:] if parts else text
