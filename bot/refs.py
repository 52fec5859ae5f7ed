"""References such as owner/repo, owner/repo#12 and owner/repo@tag:path, and the addresses that a reader can open."""

from __future__ import annotations

from bot.errors import InputError
from signatures.linear import linear

_REPO = r"^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$"
_ISSUE = r"^([\w.-]+/[\w.-]+)#(\d+)$"
_FILE = r"^([\w.-]+/[\w.-]+)@([\w./+-]+):([^\s:]+)$"
_AT = r"^([\w.-]+/[\w.-]+)@([\w./+-]+)$"


def repository(text: str) -> str:
    """What a person wrote, where it is owner/repo. Raises InputError."""
    if not linear(_REPO).match(text) or {".", ".."} & set(text.split("/")):
        raise InputError(f"{text!r} is no repository; write owner/repo.")
    return text


def address(ref: str) -> str | None:
    """The https address of a reference, or None where it is none."""
    if ref.startswith("https://"):
        return ref
    found = linear(_ISSUE).match(ref)
    if found:
        # GitHub sends an issue's address on to the pull request of that number
        return f"https://github.com/{found.group(1)}/issues/{found.group(2)}"
    found = linear(_FILE).match(ref)
    if found:
        return f"https://github.com/{found.group(1)}/blob/{found.group(2)}/{found.group(3)}"
    found = linear(_AT).match(ref)
    if found:
        return f"https://github.com/{found.group(1)}/tree/{found.group(2)}"
    return None
