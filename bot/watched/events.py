"""Webhook payloads and poll results as events: which object of which repository has changed, who did it.

A payload is a hint: whoever handles an event reads the object again before anything is written. So few fields are
read, and none is trusted. Shapes: https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

_T = TypeVar("_T")
LARGEST = 25 * 1024 * 1024  # bytes: GitHub's own limit of a payload


class Kind(StrEnum):
    ISSUE = "issue"
    COMMENT = "comment"
    RELEASE = "release"
    REPOSITORY = "repository"  # renamed, transferred, or installed for the bot
    IGNORED = "ignored"  # nothing that the bot acts on


class Event(NamedTuple):
    """`repo_id` stays when a repository is renamed or transferred; `repo` is its name at that time. `number` is of the
    issue, `object_id` of the comment or release. `updated_at` orders the events of one object; of an issue in a list it
    is its stamp. `why` says of an ignored event what makes it so, of a yes
    on the board the digest of its words. `own`: the comment is by the bot's account."""

    kind: Kind
    action: str
    repo: str = ""
    repo_id: int = 0
    number: int = 0
    object_id: int = 0
    actor: str = ""
    installation: int | None = None
    updated_at: str = ""
    why: str = ""
    own: bool = False

    @property
    def key(self) -> str:
        """The same for every event about the same object, so that several are one piece of work."""
        if self.kind in (Kind.ISSUE, Kind.COMMENT):
            return f"issue:{self.repo_id}#{self.number}"
        return f"{self.kind}:{self.repo_id}"


class BadPayload(ValueError):
    """A payload that is no such event, with the place that is wrong."""


_Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}$")]
_Number = Annotated[int, Field(ge=1, lt=2**63)]
# goes into the store and the activity log: nothing unseen, and an end
_Word = Annotated[str, AfterValidator(lambda text: "".join(c for c in text[:100] if c.isprintable()))]


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Actor(_Loose):
    login: _Word = ""
    type: str = "User"


class _Repository(_Loose):
    id: _Number
    full_name: _Name


class _Issue(_Loose):
    number: _Number
    updated_at: _Word = ""
    pull_request: dict[str, Any] | None = None


class _Comment(_Loose):
    id: _Number
    updated_at: _Word = ""
    user: _Actor | None = None
    performed_via_github_app: dict[str, Any] | None = None


class _Release(_Loose):
    id: _Number
    draft: bool = False


class _Installation(_Loose):
    id: _Number


class _Payload(_Loose):
    action: _Word = ""
    sender: _Actor = _Actor()
    repository: _Repository | None = None
    installation: _Installation | None = None
    issue: _Issue | None = None
    comment: _Comment | None = None
    release: _Release | None = None


_ISSUE_ACTIONS = frozenset(
    {"opened", "edited", "reopened", "closed", "labeled", "unlabeled", "unlocked", "transferred", "deleted"}
)
_COMMENT_ACTIONS = frozenset({"created", "edited", "deleted"})
_RELEASE_ACTIONS = frozenset({"published", "released", "edited", "deleted", "prereleased", "unpublished"})
_REPOSITORY_EVENTS = frozenset({"repository", "installation", "installation_repositories"})


def read_event(name: str, body: bytes, own: str = "") -> Event:
    """The event of a webhook: `name` from its header, `body` as it came, `own` the bot's login.

    Raises BadPayload for a body that is no JSON object or lacks what such an event has.
    """
    payload = _payload(body)
    base = Event(
        Kind.IGNORED,
        payload.action,
        payload.repository.full_name if payload.repository else "",
        payload.repository.id if payload.repository else 0,
        actor=payload.sender.login,
        installation=payload.installation.id if payload.installation else None,
    )
    if name in _REPOSITORY_EVENTS:
        return base._replace(kind=Kind.REPOSITORY)
    if name == "release":  # most are made by workflows
        return _release(base, payload)
    if payload.sender.type == "Bot" or (own and payload.sender.login == own):
        return base._replace(why="a bot did it")
    if name == "issues":
        return _issue(base, payload)
    if name == "issue_comment":
        return _comment(base, payload, own)
    return base._replace(why="no event that is acted on")


def _payload(body: bytes) -> _Payload:
    if len(body) > LARGEST:
        raise BadPayload("the payload is larger than 25 MiB")
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as e:
        raise BadPayload(f"the payload is no JSON: {str(e)[:100]}") from None
    if not isinstance(data, dict):
        raise BadPayload("the payload is no JSON object")
    try:
        return _Payload.model_validate(data)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False)[0]
        raise BadPayload(f"{'.'.join(map(str, first['loc']))[:100]}: {first['msg']}") from None


def _issue(base: Event, payload: _Payload) -> Event:
    issue = _need(payload.issue, "issue")
    _need(payload.repository, "repository")
    event = base._replace(number=issue.number, updated_at=issue.updated_at)
    if issue.pull_request is not None:
        return event._replace(why="a pull request")
    if payload.action not in _ISSUE_ACTIONS:
        return event._replace(why="changes nothing that is read")
    return event._replace(kind=Kind.ISSUE)


def _comment(base: Event, payload: _Payload, own: str) -> Event:
    issue, comment = _need(payload.issue, "issue"), _need(payload.comment, "comment")
    _need(payload.repository, "repository")
    event = base._replace(number=issue.number, object_id=comment.id, updated_at=comment.updated_at)
    author = comment.user or _Actor()
    if issue.pull_request is not None:
        return event._replace(why="a pull request")
    # somebody may edit or delete the bot's own comment: that is for the bot to know
    is_own = bool(own) and author.login == own
    if not is_own and (author.type == "Bot" or comment.performed_via_github_app is not None):
        return event._replace(why="a bot wrote it")
    if payload.action not in _COMMENT_ACTIONS:
        return event._replace(why="changes nothing that is read")
    return event._replace(kind=Kind.COMMENT, own=is_own)


def _release(base: Event, payload: _Payload) -> Event:
    release = _need(payload.release, "release")
    _need(payload.repository, "repository")
    event = base._replace(object_id=release.id)
    if release.draft or payload.action not in _RELEASE_ACTIONS:
        return event._replace(why="not published")
    return event._replace(kind=Kind.RELEASE)


def _need(value: _T | None, key: str) -> _T:
    if value is None:
        raise BadPayload(f"{key}: it is missing")
    return value
