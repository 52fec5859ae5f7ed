"""What GitHub tells of issues, comments and their timelines, and what it answers to writes, as far as it is used."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from bot.forge.errors import ForgeError, Unclear
from bot.forge.shapes import loaded
from signatures.values import NamedTuple

_Model = TypeVar("_Model", bound=BaseModel)


class Writer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    login: str = ""
    type: str = "User"


class Label(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str = ""


class DeliveryItem(BaseModel):
    """https://docs.github.com/rest/apps/webhooks#list-deliveries-for-an-app-webhook , as far as it is used."""

    model_config = ConfigDict(extra="ignore")

    delivered_at: datetime
    status_code: int = 0
    status: str = ""


class Deliveries(RootModel[list[DeliveryItem]]):
    """What was sent to a webhook, newest first."""


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
        return moment(self.updated_at or self.created_at, datetime.min)


class Reaction(BaseModel):
    model_config = ConfigDict(extra="ignore")

    user: Writer | None = None


class Given(BaseModel):
    model_config = ConfigDict(extra="ignore")

    content: str


class Labels(RootModel[list[Label]]):
    """All labels that an issue has."""


class TimelineItem(BaseModel):
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
    """An issue and its comments, oldest first. `raw` is {"issue", "comments"} as `bot.input.thread_json` reads them.
    `unread` says in sentences which comments were not read."""

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
    def labels(self) -> dict[str, str]:
        """Its labels as they are spelled, by `label_key`."""
        names = (label if isinstance(label, str) else label.name for label in self.item.labels)
        return {label_key(name): name for name in names}


def label_key(name: str) -> str:
    """The same for names that GitHub takes for one label: their case does not count."""
    return name.casefold()


def done(model: type[_Model], body: str, what: str) -> _Model:
    """What a write was answered. Raises Unclear for another shape: a proxy may speak in the place of GitHub, which has
    carried it out."""
    try:
        return shaped(model, body, what)
    except ForgeError as e:
        raise Unclear(f"a write was answered as if it was done, and {e}") from None


def moment(text: str, unknown: datetime) -> datetime:
    """A time that GitHub states, in UTC where it names no zone; `unknown` where it is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = unknown
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def shaped(model: type[_Model], body: Any, what: str) -> _Model:
    """An answer, `body` as text or as data, in its shape; `what` names it. Raises ForgeError for another shape."""
    data = loaded(body) if isinstance(body, str) else body
    try:
        return model.model_validate(data)
    except ValidationError as e:
        error = e.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, error["loc"]))
        raise ForgeError(f"{what} came in a shape that is not known: {place}: {error['msg']}") from None
