"""Lists that come in pages, also where a page of them is more than one answer may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from requests.utils import parse_header_links

from bot.forge.asking import Answer, Asking
from bot.forge.errors import ForgeError, TooLarge
from signatures.values import NamedTuple

PER_PAGE = 100
_MOST_MISSED = 5  # rows in a row
_SMALLER = (20, 4, 1)  # each a part of the one before, so that pages begin where one ended


class Page(NamedTuple):
    """`first` and `size` are the rows of the list that the page is for. `answer` None: one row alone is larger than an
    answer may be, and is passed over."""

    first: int
    size: int
    answer: Answer | None
    last: bool


class Paging(Asking):
    def pages(self, url: str, etag: str | None, parameters: dict[str, Any] | None = None) -> Iterator[Page]:
        """The pages of a list. One that is too large is asked for in parts, down to single rows. Raises ForgeError,
        also where the pages lead in a circle."""
        asked = {"per_page": PER_PAGE, **(parameters or {})}
        after: str | None = None
        seen: set[str] = set()
        for number in range(1, 10_000):
            try:
                answer = self.get(after, None) if after is not None else self.get(url, etag, asked)
            except TooLarge:
                yield from self._parts(url, parameters or {}, (number - 1) * PER_PAGE)
                return
            after = self._next(answer)
            yield Page((number - 1) * PER_PAGE, PER_PAGE, answer, after is None)
            if after is None:
                return
            if after in seen:
                break
            seen.add(after)
        raise ForgeError(f"GitHub's pages lead in a circle: {str(after)[:100]}")

    def _parts(self, url: str, parameters: dict[str, Any], first: int) -> Iterator[Page]:
        """The rows of a list from `first` on, in pages as small as they have to be there. The page behind one that is
        passed over is asked for blindly; an empty one ends the list."""
        size = _SMALLER[0]
        missed = 0
        while True:
            page = first // size + 1
            try:
                answer: Answer | None = self.get(url, None, {**parameters, "per_page": size, "page": page})
            except TooLarge:
                if size > 1:
                    size = _SMALLER[_SMALLER.index(size) + 1]
                    continue
                missed += 1
                if missed >= _MOST_MISSED:
                    raise
                answer = None
            else:
                missed = 0
            last = answer is not None and self._next(answer) is None
            yield Page(first, size, answer, last)
            if last:
                return
            first += size
            size = max(s for s in _SMALLER if first % s == 0)

    def _next(self, answer: Answer) -> str | None:
        """The address of the next page; one of another server is not followed."""
        links = parse_header_links(str(answer.headers.get("link", "")))
        url = next((str(link["url"]) for link in links if link.get("rel") == "next" and "url" in link), None)
        if url is not None and urlsplit(url)[:2] != self.origin:
            raise ForgeError(f"GitHub names a next page on another server: {url[:100]}")
        return url
