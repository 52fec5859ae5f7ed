"""Issues as they stand, and the few things that the bot writes: its own comments, reactions, its own labels."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from bot.forge.errors import ForgeError, NotThere, Unclear
from bot.forge.paging import PER_PAGE, Paging
from bot.forge.reading import checked
from bot.forge.shapes import loaded
from signatures.values import NamedTuple

_Model = TypeVar("_Model", bound=BaseModel)
MOST_PAGES = 30  # of 100 comments each
MOST_BYTES = 64 << 20  # of one thread
_WRITERS = ("admin", "maintain", "write", "triage")


class Writer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    login: str = ""
    type: str = "User"


class Label(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str = ""


class IssueItem(BaseModel):
    """https://docs.github.com/rest/issues/issues , as far as it is used."""

    model_config = ConfigDict(extra="ignore")

    number: int
    state: str
    title: str = ""
    body: str | None = None
    user: Writer | None = None
    labels: list[Label | str] = []
    pull_request: dict[str, Any] | None = None
    comments: int = 0
    updated_at: str = ""
    created_at: str = ""
    repository_url: str = ""

    @property
    def stamp(self) -> str:
        """How it stands: its moment, and a digest of what may differ within that, since GitHub's moments are whole
        seconds, in which one may read an issue and another write there."""
        labels = sorted(label if isinstance(label, str) else label.name for label in self.labels)
        content = json.dumps((self.comments, self.state, self.title, self.body, labels))
        return f"{self.updated_at} {sha256(content.encode()).hexdigest()[:16]}"


class Reactions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    total_count: int = 0


class CommentItem(BaseModel):
    """https://docs.github.com/rest/issues/comments , as far as it is used. `performed_via_github_app`: an app wrote it,
    perhaps with a person's token."""

    model_config = ConfigDict(extra="ignore")

    id: int
    body: str | None = ""
    user: Writer | None = None
    author_association: str = "NONE"
    created_at: str = ""
    updated_at: str = ""
    performed_via_github_app: dict[str, Any] | None = None
    reactions: Reactions = Reactions()

    @property
    def written_at(self) -> datetime:
        """When its text was last written; long ago where GitHub does not say."""
        return _moment(self.updated_at or self.created_at, datetime.min)


class _Reaction(BaseModel):
    model_config = ConfigDict(extra="ignore")

    user: Writer | None = None


class _Given(BaseModel):
    model_config = ConfigDict(extra="ignore")

    content: str


class _Labels(RootModel[list[Label]]):
    """All labels that an issue has."""


class _TimelineItem(BaseModel):
    """https://docs.github.com/rest/using-the-rest-api/issue-event-types , as far as it is used."""

    model_config = ConfigDict(extra="ignore")

    event: str = ""
    created_at: str = ""
    actor: Writer | None = None
    label: Label | None = None


class Happened(NamedTuple):
    """One event of an issue's timeline: labeled, unlabeled, comment_deleted, ... `name` is a label's; `at` the end of
    time where GitHub does not say."""

    event: str
    who: str
    name: str
    at: datetime


class RepositoryItem(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: int
    full_name: str = Field(max_length=201)
    archived: bool = False


class Read(NamedTuple):
    """An issue and its comments, oldest first. `raw` is {"issue", "comments"} as `bot.thread_json` reads them. `unread`
    says in sentences which comments were not read."""

    repo: str
    item: IssueItem
    comments: tuple[CommentItem, ...]
    raw: dict[str, Any]
    unread: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.unread

    @property
    def home(self) -> str:
        """The repository that GitHub gives it for: another one than was asked for where it was renamed, or where the
        issue was transferred."""
        return "/".join(self.item.repository_url.split("/")[-2:]) or self.repo

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label if isinstance(label, str) else label.name for label in self.item.labels)


class Threads(Paging):
    """The issues that one account sees, and what it may write there. `installation` is an App's, None for others."""

    installation: int | None = None

    def repository(self, repo: str, id_: int = 0) -> RepositoryItem:
        """Where owner/repo is now, after renames and transfers. `id_` is its own where that is known: another one may
        have its name by now. Raises ForgeError."""
        try:
            found = _shape(RepositoryItem, self.get(f"/repos/{checked(repo)}", None).body, repo)
        except NotThere:
            if not id_:
                raise
            found = None
        if found is None or id_ not in (0, found.id):  # GitHub leads there from an old name; PyGithub asks it, too
            found = _shape(RepositoryItem, self.get(f"/repositories/{id_}", None).body, repo)
        return found

    def server_date(self) -> datetime | None:
        """What time it is by the server, from the Date header of the last answer, or of one that is asked for now.
        Raises ForgeError."""
        if self.date is None:
            self.get("/rate_limit", None)
        try:
            said = parsedate_to_datetime(self.date or "")
        except ValueError:
            return None
        return said if said.tzinfo is not None else said.replace(tzinfo=UTC)

    def own_login(self) -> str:
        """The login of what a token writes, "" where GitHub does not say. Raises ForgeError; an App knows its own.

        REST names people alone; GraphQL's viewer is also an App whose installation the token is for:
        https://docs.github.com/graphql/reference/queries#viewer
        """
        try:
            return _shape(Writer, self.get("/user", None).body, "the token's owner").login
        except ForgeError:
            if self.refused:
                raise
        try:
            data = loaded(self.send("POST", self.requests.graphql_url, {"query": "{ viewer { login } }"}).body)
        except ForgeError:
            return ""
        inside = data.get("data") if isinstance(data, dict) else None
        viewer = inside.get("viewer") if isinstance(inside, dict) else None
        login = viewer.get("login") if isinstance(viewer, dict) else None
        return login if isinstance(login, str) else ""

    def scopes(self) -> tuple[str, ...] | None:
        """The scopes of a classic token; None of another, which has permissions. Raises ForgeError.

        https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
        """
        said = self.get("/rate_limit", None).headers.get("x-oauth-scopes")
        return None if said is None else tuple(s.strip() for s in str(said).split(",") if s.strip())

    def read(self, repo: str, number: int) -> Read:
        """An issue as it stands now, with its comments. Raises ForgeError, NotThere where none is shown, Gone where it
        was deleted."""
        base = f"/repos/{checked(repo)}/issues/{number}"
        issue = loaded(self.get(base, None).body)
        item = _shape(IssueItem, issue, f"{repo}#{number}")
        comments: list[Any] = []
        unread: list[str] = []
        size = 0
        for page in self.pages(f"{base}/comments", None):
            if page.answer is None:
                unread.append(f"comment {page.first + 1} of this thread, which is larger than is read")
                continue
            size += len(page.answer.body)
            found = loaded(page.answer.body)
            if not isinstance(found, list):
                raise ForgeError(f"the comments of {repo}#{number} are no list")
            comments += found
            if not page.last and (page.first + page.size >= MOST_PAGES * PER_PAGE or size > MOST_BYTES):
                unread.append(f"only the first {len(comments):,} comments of this thread")
                break
        items = tuple(_shape(CommentItem, comment, f"a comment of {repo}#{number}") for comment in comments)
        return Read(repo, item, items, {"issue": issue, "comments": comments}, tuple(unread))

    def changed_issues(self, repo: str, since: str, etag: str | None) -> tuple[list[IssueItem], str | None]:
        """Issues that changed since a moment (RFC 3339, UTC), oldest first, and the list's ETag; none where nothing is
        new since `etag`. Pull requests, which GitHub lists among them, are left out."""
        url, asked = f"/repos/{checked(repo)}/issues", {"state": "all", "sort": "updated", "direction": "asc"}
        found: list[IssueItem] = []
        head: str | None = etag
        for page in self.pages(url, etag, {**asked, "since": since}):
            answer, last = page.answer, page.last
            if answer is None:
                continue  # an issue that is larger than is read cannot be answered either
            if answer.status == 304:
                return [], etag
            head = answer.headers.get("etag") if page.first == 0 and last else None  # new rows are on the last page
            rows = loaded(answer.body)
            if not isinstance(rows, list):
                raise ForgeError(f"the issues of {repo} are no list")
            found += [_shape(IssueItem, row, f"an issue of {repo}") for row in rows]
            if not last and page.first + page.size >= MOST_PAGES * PER_PAGE:
                break  # what is left comes with the next poll, from the last moment that was read
        return [item for item in found if item.pull_request is None], head

    def timeline(self, repo: str, number: int) -> tuple[tuple[Happened, ...], bool]:
        """What happened to an issue, oldest first, and whether that is all of it. Raises ForgeError."""
        found: list[Happened] = []
        whole = True
        for page in self.pages(f"/repos/{checked(repo)}/issues/{number}/timeline", None):
            rows = loaded(page.answer.body) if page.answer is not None else []
            if not isinstance(rows, list):
                raise ForgeError(f"the timeline of {repo}#{number} is no list")
            items = [_shape(_TimelineItem, row, f"the timeline of {repo}#{number}") for row in rows]
            found += [
                Happened(
                    i.event,
                    i.actor.login if i.actor else "",
                    i.label.name if i.label else "",
                    _moment(i.created_at, datetime.max),
                )
                for i in items
            ]
            whole = whole and page.answer is not None
            if not page.last and page.first + page.size >= MOST_PAGES * PER_PAGE:
                whole = False
                break
        return tuple(found), whole

    def reactions(self, repo: str, comment: int) -> frozenset[str]:
        """The logins of those who reacted to a comment; of many, the first hundred. Raises ForgeError."""
        answer = self.get(f"/repos/{checked(repo)}/issues/comments/{comment}/reactions", None, {"per_page": PER_PAGE})
        rows = loaded(answer.body)
        items = [_shape(_Reaction, row, f"a reaction in {repo}") for row in (rows if isinstance(rows, list) else ())]
        return frozenset(item.user.login for item in items if item.user is not None)

    def may_write(self, repo: str, login: str) -> bool:
        """Whether somebody has at least the triage role, by the API: what a comment says of its author is not enough.

        https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
        """
        if not login:
            return False
        try:
            answer = self.get(f"/repos/{checked(repo)}/collaborators/{quote(login, safe='')}/permission", None)
        except NotThere:
            return False
        data = loaded(answer.body)
        held = {data.get("permission"), data.get("role_name")} if isinstance(data, dict) else set()
        return bool(held & set(_WRITERS))

    def file(self, repo: str, path: str) -> bytes | None:
        """A file of the default branch; None where there is none, or none below 1 MB."""
        try:
            data = loaded(self.get(f"/repos/{checked(repo)}/contents/{quote(path)}", None).body)
        except NotThere:
            return None
        content = data.get("content") if isinstance(data, dict) and data.get("encoding") == "base64" else None
        try:
            return base64.b64decode(content) if isinstance(content, str) else None
        except binascii.Error:
            return None

    def comment(self, repo: str, number: int, body: str) -> int:
        """Writes a comment and gives its id. Raises Unclear where it may be there all the same."""
        answer = self.send("POST", f"/repos/{checked(repo)}/issues/{number}/comments", {"body": body})
        return _done(CommentItem, answer.body, "the comment that was written").id

    def edit(self, repo: str, comment: int, body: str) -> None:
        """Raises NotThere for a comment that was deleted, Unclear where it may say so all the same."""
        answer = self.send("PATCH", f"/repos/{checked(repo)}/issues/comments/{comment}", {"body": body})
        _done(CommentItem, answer.body, "the comment that was edited")

    def remove(self, repo: str, comment: int) -> None:
        """Deletes a comment of the bot's own; one that is gone already is fine."""
        try:
            self.send("DELETE", f"/repos/{checked(repo)}/issues/comments/{comment}")
        except NotThere:
            return

    def react(self, repo: str, comment: int, content: str) -> None:
        """`content`: +1, -1, eyes, ... https://docs.github.com/rest/reactions/reactions"""
        url = f"/repos/{checked(repo)}/issues/comments/{comment}/reactions"
        _done(_Given, self.send("POST", url, {"content": content}).body, "the reaction that was given")

    def label(self, repo: str, number: int, names: list[str]) -> None:
        """Raises Unclear where they may be on all the same."""
        answer = self.send("POST", f"/repos/{checked(repo)}/issues/{number}/labels", {"labels": names})
        _done(_Labels, answer.body, "the labels that were added")

    def unlabel(self, repo: str, number: int, name: str) -> None:
        """Takes one label off; one that is not on is fine."""
        try:
            self.send("DELETE", f"/repos/{checked(repo)}/issues/{number}/labels/{quote(name, safe='')}")
        except NotThere:
            return


def _done(model: type[_Model], body: str, what: str) -> _Model:
    """What a write was answered. Raises Unclear for another shape: a proxy may speak in the place of GitHub, which has
    carried it out."""
    try:
        return _shape(model, body, what)
    except ForgeError as e:
        raise Unclear(f"a write was answered as if it was done, and {e}") from None


def _moment(text: str, unknown: datetime) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = unknown
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _shape(model: type[_Model], body: Any, what: str) -> _Model:
    data = loaded(body) if isinstance(body, str) else body
    try:
        return model.model_validate(data)
    except ValidationError as e:
        error = e.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, error["loc"]))
        raise ForgeError(f"{what} came in a shape that is not known: {place}: {error['msg']}") from None
