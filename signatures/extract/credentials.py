"""Credentials in a text: values that say what they are, parts of addresses, headers and commands, and those that
`named_secrets` finds behind a name."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from signatures.extract.named_secrets import NO_VALUE, SECRET, opaque, without_named
from signatures.linear import Found, linear

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
_KEY_BLOCK_START = r"(?i)-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_KEY_BLOCK_END = r"(?i)-{4,5} ?END (?:[A-Z0-9 ]{0,50}-{4,5})?"
_KEY_BLOCK_BODY = r"(?:(?:\\[rn]|\s|>)*[A-Za-z0-9+/=]{24,})*(?:(?:\\[rn]|\s)+[A-Za-z0-9+/]{2,63}={1,2})?"
_PUTTY = r"(?i)(\bprivate-lines:\s?\d{1,4}\s{1,3})(?:[A-Za-z0-9+/=]{12,}\s?)+"
_SCHEME = (
    r"bearer|basic|token|digest|negotiate|ntlm|kerberos|oauth|apikey|api-key|key|hawk|dpop|sharedkey(?:lite)?"
    r"|sharedaccesssignature|aws4-[a-z0-9-]{1,20}|aws|scram-[a-z0-9-]{1,20}|googlelogin"
)
_AUTHORIZATION = (
    rf"(?i)(authorization[\"'\\`]{{0,3}}\s{{0,3}}[:=]\s{{0,3}}[\"'\\`]{{0,3}}(?:(?:{_SCHEME})[ \t]+)?)"
    r"([A-Za-z][\w-]{0,30}=(?:\\?\"[^\"\n]*\"|[^\s,\"']+)(?:,\s?[A-Za-z][\w-]{0,30}=(?:\\?\"[^\"\n]*\"|[^\s,\"']+))*"
    r"|[^\s\"'`\\,;<>]+)"
)
_BEARER = r"(?i)(\b(?:bearer|basic)(?:[ \t]{1,3}|[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?))([A-Za-z0-9._~+/-]{6,}={0,2})"
_COOKIE = (
    r"(?i)(\b(?:set-)?cookies?2?[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    r"([\w.!$%|~-]+=[^\s;\"']*(?:;\s?[\w.!$%|~-]+(?:=[^\s;\"']*)?)*)"
)
_LOGIN = (
    r"(?i)(\blogin\s{1,3}[^\s\"']+\s{1,3}password\s{1,3}|\bsshpass[ \t]{1,3}-p[ \t]{0,3}"
    r"|\bmysql[a-z]{0,8}[ \t][^\n]{0,80}?[ \t]-p|\boracle:thin:[\w.$#-]{1,64}/"
    r"|\b(?:login|creds|credentials|user[a-z]{0,4}/pass[a-z]{0,4})[ \t]{0,2}[:=][ \t]{0,2}[\w.@+-]{1,64} ?/ "
    r"|(?:^|\s)(?:-u|--user|--proxy-user)[ =]{1,2}[\"']?)"
    r"([^\s\"'<>]+)"
)
_USERINFO = r"(\b[A-Za-z][A-Za-z0-9+.-]{1,20}://)([^\s/?#\"'<>]*)@"


def without_credentials(text: str, *, tokens: bool = True, named: bool = True) -> str:
    """`text` with credentials replaced. `tokens` and `named`: whether to look for these kinds."""
    if tokens:
        text = _without_key_blocks(text)
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
            text = replaced(_COOKIE, text, lambda found: found.group(1) + SECRET)
        if "private-lines" in lower:
            text = replaced(_PUTTY, text, lambda found: found.group(1) + "<key>\n")
    if named or "login " in text or "-u " in text or "-user" in text:
        text = replaced(_LOGIN, text, _login)
    if named:
        text = without_named(text)
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
    ends = [found.span() for found in linear(_KEY_BLOCK_END).finditer(text)]
    for found in linear(_KEY_BLOCK_START).finditer(text):
        start, end = found.span()
        if start < done:
            continue
        after = bisect_left(ends, (end, end))
        if after < len(ends):
            last = ends[after][1]
        else:
            body = linear(_KEY_BLOCK_BODY).match(text[end : end + 8_000])
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
    if not user or user in ("git", "hg", "svn", SECRET, "<token>"):
        return found.group()
    return f"{found.group(1)}{SECRET}@"


def _authorization(found: Found) -> str:
    value = found.group(2)
    alone = value.casefold() in NO_VALUE or linear(rf"(?i)^(?:{_SCHEME})$").match(value) is not None
    return found.group() if alone else found.group(1) + SECRET


def _bearer(found: Found) -> str:
    value = found.group(2)
    mixed = any(c.isdigit() for c in value) or value.endswith("=") or (value[1:] != value[1:].lower())
    if found.group(1)[:2].casefold() == "ba":
        secret = value.endswith("=") or (opaque(value, 12) and value != value.lower())
    else:
        secret = (mixed or len(value) >= 20 or "." in value.strip(".")) and not value.casefold().startswith("realm=")
    return found.group(1) + SECRET if secret else found.group()


def _login(found: Found) -> str:
    head, value = found.group(1), found.group(2)
    if head.rstrip().casefold().endswith(("password", "-p", "/")):
        return head + (f"{SECRET}@{value.rpartition('@')[2]}" if "thin:" in head and "@" in value else SECRET)
    user, colon, word = value.partition(":")
    numbers = user.isdigit() and word.isdigit()  # the user and group of a container
    return f"{head}<user>:{SECRET}" if colon and word and not numbers else found.group()
