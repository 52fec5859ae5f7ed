"""What the hub said of commits, which never change: kept for whoever asks about the same models again and again."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

_COMMIT = 40  # hexadecimal digits
_MOST = 100_000  # files of all listings that are kept


class HubFile(NamedTuple):
    name: str
    size: int | None
    sha256: str | None
    identity: str | None  # a hash of the content, of whichever kind


class Listings:
    """The files of commits, as many as there is room for."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[HubFile]] = {}
        self._at_work = Lock()

    def get(self, repo: str, revision: str | None) -> list[HubFile] | None:
        with self._at_work:
            return self._kept.get((repo.casefold(), revision or ""))

    def keep(self, repo: str, revision: str | None, commit: str, files: list[HubFile]) -> None:
        """Keep the files of a commit that was asked for by its full name, and that came with their sizes."""
        if revision != commit or len(commit) != _COMMIT or any(file.size is None for file in files):
            return
        with self._at_work:
            self._kept[repo.casefold(), commit] = files
            while sum(map(len, self._kept.values())) > _MOST:
                del self._kept[next(iter(self._kept))]
