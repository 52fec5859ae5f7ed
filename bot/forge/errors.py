"""Why GitHub gave no answer that can be used."""

from __future__ import annotations

from datetime import datetime


class ForgeError(Exception):
    """GitHub gave no answer that can be used; its text says why."""


class Limited(ForgeError):
    """A limit that lasts longer than one may wait. `until` is when to ask again."""

    def __init__(self, until: datetime, message: str) -> None:
        super().__init__(message)
        self.until = until


class TooLarge(ForgeError):
    """An answer of more bytes than are taken in."""


class BadKey(ForgeError):
    """A private key of an App that GitHub gave none of."""


class NoAccess(ForgeError):
    """An installation of an App that is no more, or that GitHub gives no token for."""


class Unclear(ForgeError):
    """A write that got no answer: it may have been carried out."""


class Moved(ForgeError):
    """A repository that was renamed or transferred; writes are not redirected."""


class NotThere(ForgeError):
    """404: no such repository, release or pull request, or a private one."""


class Gone(NotThere):
    """An issue that was deleted, or transferred to another repository: it does not come back."""
