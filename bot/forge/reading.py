"""Publications of releases, and where pull requests stand."""

from __future__ import annotations

from bot.forge.errors import ForgeError
from bot.forge.paging import PER_PAGE, Paging
from bot.forge.shapes import pull_state, release_rows
from kb.graph.published import Kept, Publication, PullState
from signatures.linear import linear
from signatures.values import NamedTuple

MOST_PAGES = 30
_REPO = r"^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$"


class Listed(NamedTuple):
    kept: Kept  # to be given to the next call
    changed: tuple[Publication, ...]  # new or edited ones, and those that were taken down
    skipped: tuple[str, ...] = ()  # what could not be read, one sentence each


class Forge(Paging):
    """What one server says of its repositories."""

    def publications(self, repo: str, kept: Kept | None = None, *, whole: bool = False) -> Listed:
        """The published releases of owner/repo; of a list that was read before, only what is new or changed.

        Reading stops at the first page on which nothing is new; `whole` reads all pages, which also finds what was
        edited or taken down long ago. Raises ForgeError.
        """
        before = dict(kept.rows) if kept is not None else {}
        etag = kept.etag if kept is not None and not whole else None
        found: dict[int, Publication | None] = {}
        skipped: list[str] = []
        head: str | None = None
        complete = True
        for page_ in self.pages(f"/repos/{checked(repo)}/releases", etag):
            answer, last = page_.answer, page_.last
            if answer is None:
                skipped.append(f"a release of {repo} is larger than is read")
                continue
            if answer.status == 304 and kept is not None:
                return Listed(kept, ())
            head = answer.headers.get("etag") if page_.first == 0 else head
            page = dict(release_rows(repo, answer.body, skipped))
            known = bool(before) and all(before.get(id_) == row for id_, row in page.items() if row is not None)
            found |= page
            if last:
                break
            if known and not whole:
                complete = False
                break
            if page_.first + page_.size >= MOST_PAGES * PER_PAGE:
                skipped.append(f"{repo} has more than {MOST_PAGES} pages of releases; the rest is not read")
                complete = False
                break
        return _compared(before, found, complete, head, tuple(skipped))

    def pull(self, repo: str, number: int, etag: str | None = None) -> tuple[PullState | None, str | None]:
        """(where pull request N stands, its ETag); None for the first where nothing has changed since `etag`.

        Raises NotThere where N is none (an issue, say), else ForgeError.
        """
        answer = self.get(f"/repos/{checked(repo)}/pulls/{number}", etag)
        if answer.status == 304:
            return None, etag
        return pull_state(repo, number, answer.body), answer.headers.get("etag")


def _compared(
    before: dict[int, Publication],
    found: dict[int, Publication | None],
    complete: bool,
    etag: str | None,
    skipped: tuple[str, ...],
) -> Listed:
    """What differs from before. Only a list that was read to its end shows that a release is gone, except for one that
    is a draft again."""
    rows = {id_: row for id_, row in found.items() if row is not None}
    gone = {
        id_: row._replace(gone=True)
        for id_, row in before.items()
        if id_ not in rows and (id_ in found or (complete and not skipped))
    }
    changed = tuple(row for id_, row in (rows | gone).items() if before.get(id_) != row)
    return Listed(Kept(etag, tuple(sorted((before | rows | gone).items()))), changed, skipped)


def checked(repo: str) -> str:
    """owner/repo, where it is one. Raises ForgeError."""
    if not linear(_REPO).match(repo) or ".." in repo:
        raise ForgeError(f"{repo!r} is no repository")
    return repo
