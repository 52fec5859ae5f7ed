"""What GitHub's answers look like, as far as they are used; whatever else is in them is passed over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from bot.forge.errors import ForgeError
from kb.graph.published import Publication, PullState

# both go into files and terminals: nothing unseen, no quotes
Name = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x20\x7f\"'\\]+$")]
Address = Annotated[str, StringConstraints(max_length=1000, pattern=r"^https?://[^\x00-\x20\x7f-\x{10ffff}\"'<>\\]+$")]


class ReleaseItem(BaseModel):
    """https://docs.github.com/rest/releases/releases , as far as it is used."""

    id: int
    tag_name: Name
    draft: bool = False
    prerelease: bool = False
    published_at: datetime | None = None
    html_url: Address


class _Base(BaseModel):
    ref: Name


class PullItem(BaseModel):
    """https://docs.github.com/rest/pulls/pulls , as far as it is used."""

    number: int
    state: str
    title: str = Field(max_length=1000)
    draft: bool = False
    merged_at: datetime | None = None
    merge_commit_sha: str | None = Field(default=None, pattern="^[0-9a-f]{40}$")
    base: _Base
    html_url: Address


def release_rows(repo: str, body: str, skipped: list[str]) -> Iterator[tuple[int, Publication | None]]:
    """Each release of a page; None for one that nobody but its makers can see."""
    data = loaded(body)
    if not isinstance(data, list):
        raise ForgeError(f"the releases of {repo} are no list")
    for raw in data:
        try:
            item = ReleaseItem.model_validate(raw)
        except ValidationError as e:
            skipped.append(f"a release of {repo} is passed over: {_first(e)}")
            continue
        at = _moment(item.published_at)
        visible = at is not None and not item.draft
        yield (
            item.id,
            Publication(repo, item.tag_name, at[:10], item.html_url, item.prerelease) if visible and at else None,
        )


def pull_state(repo: str, number: int, body: str) -> PullState:
    """Where a pull request stands. Raises ForgeError for another shape, or another number."""
    try:
        item = PullItem.model_validate(loaded(body))
    except ValidationError as e:
        raise ForgeError(f"{repo}#{number} came in a shape that is not known: {_first(e)}") from None
    if item.number != number:
        raise ForgeError(f"asked for {repo}#{number}, GitHub answered with #{item.number}")
    merged = _moment(item.merged_at)
    state = "merged" if merged else "closed" if item.state == "closed" else "draft" if item.draft else "open"
    commit = item.merge_commit_sha if merged else None  # else a trial merge that nobody made
    return PullState(f"{repo}#{number}", state, merged, item.base.ref, commit, item.title, item.html_url)


def loaded(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ForgeError("GitHub's answer is no JSON") from None


def message(body: str) -> str:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    return message_of(data)


def message_of(data: Any) -> str:
    said = data.get("message") if isinstance(data, dict) else None
    return " ".join(str(said or "no reason given").split())[:200]


def _moment(at: datetime | None) -> str | None:
    if at is None:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _first(e: ValidationError) -> str:
    error = e.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"
