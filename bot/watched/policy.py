"""`.github/triage.toml` of a watched repository: what the bot may do there.

A key that is not known or a value of the wrong kind is named in `faults` and falls back to its default. Whatever the
mistake is, it may be the word that was to make the bot quieter: a file with one posts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from signatures.foreign_toml import load_toml

FILE = ".github/triage.toml"
LARGEST = 16 * 1024  # bytes
MOST_FAULTS = 20  # that are named
_LONGEST_KEY = 40  # characters of a key that is compared with those that there are
LANGUAGES = ("en",)


class Mode(StrEnum):
    """off: nothing is recorded. shadow: recorded, visible on the board, nothing posted. suggest: the finished comment
    waits for a maintainer. comment: posted."""

    OFF = "off"
    SHADOW = "shadow"
    SUGGEST = "suggest"
    COMMENT = "comment"


_Word = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True)]


_Label = Annotated[str, StringConstraints(min_length=1, max_length=50, strip_whitespace=True)]  # GitHub's limit


class Labels(BaseModel):
    """Labels that the bot may add, by occasion; it adds no others and removes only those it has set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    known: _Label | None = Field(default=None, description="a known problem is recognised")
    needs_info: _Label | None = Field(
        default=None, description="one question is open whose answer would change the verdict"
    )
    fix_released: _Label | None = Field(default=None, description="a release of the reporter's product has the fix")


class Budget(BaseModel):
    """Upper limits of what is written, over all occasions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    edits_per_issue_and_day: int = Field(default=10, ge=0, le=100)
    comments_per_hour: int = Field(default=20, ge=0, le=200)
    comments_per_day: int = Field(default=100, ge=0, le=2000)


class Policy(BaseModel):
    """The settings of one repository."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode = Field(default=Mode.SHADOW, description="what the bot does with an answer")
    products: tuple[_Word, ...] = Field(
        default=(), max_length=20, description="ids of products that reports here are about"
    )
    language: str = Field(default="en", description="language of comments", json_schema_extra={"enum": list(LANGUAGES)})
    answer_within_days: Annotated[int, Field(strict=True)] = Field(
        default=14,
        ge=1,
        le=3650,
        description="a first comment is for issues opened, or posted in by their reporter, within so many days",
    )
    opt_out: tuple[_Word, ...] = Field(
        default=("no-triage",), max_length=20, description="labels under which an issue is left alone"
    )
    labels: Labels = Labels()
    budget: Budget = Budget()

    def opts_out(self, labels: Iterable[str]) -> bool:
        """Whether an issue with these labels is left alone. The case of a label's name does not count on GitHub."""
        return not {name.casefold() for name in self.opt_out}.isdisjoint(name.casefold() for name in labels)


class ReadPolicy(NamedTuple):
    """`faults`: a sentence for each key that could not be taken, MOST_FAULTS at most; shown on the board, never in a
    comment. Where there is one, the mode is shadow or off."""

    policy: Policy
    faults: tuple[str, ...] = ()


def read_policy(text: str | bytes | None, products: frozenset[str] = frozenset()) -> ReadPolicy:
    """The policy that a repository's file states; the default where there is none or it cannot be read. `products`:
    ids that exist, none to leave them unchecked."""
    if text is None:
        return ReadPolicy(Policy())
    raw = text.encode() if isinstance(text, str) else text
    if len(raw) > LARGEST:
        return _unread(f"is larger than {LARGEST // 1024} KiB")
    try:
        data = load_toml(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as e:  # a number may be too long for Python's own limit
        return _unread(f"is no TOML: {' '.join(str(e).split())[:200]}")
    return _checked(data, products)


def _unread(why: str) -> ReadPolicy:
    return ReadPolicy(Policy(), (f"{FILE} {why}; nothing of it is read, and nothing is posted.",))


def schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors; published as `bot/schemas/policy-1.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Policy.model_json_schema(),
        "title": f"{FILE}, schema 1",
    }


def _checked(data: dict[str, Any], products: frozenset[str]) -> ReadPolicy:
    """Takes every key that is right; drops a faulty one with all below it and says so."""
    faulty: dict[tuple[str, ...], str] = {}
    policy: Policy | None = None
    while policy is None:
        try:
            policy = Policy.model_validate(data)
        except ValidationError as e:
            for error in e.errors(include_url=False, include_context=False, include_input=False):
                key = _settable(data, tuple(map(str, error["loc"])))
                if key not in faulty:
                    unknown = error["type"] == "extra_forbidden"
                    faulty[key] = _fault(key, error["msg"], unknown=unknown) if len(faulty) < MOST_FAULTS else ""
                _drop(data, key)
    faults = list(faulty.values())
    if policy.language not in LANGUAGES:
        faults.append(f"{FILE}: language: {policy.language[:20]!r} is not spoken; English is, as 'en'.")
        policy = policy.model_copy(update={"language": "en"})
    strange = [p for p in policy.products if products and p not in products]
    if strange:
        faults += [f"{FILE}: products: {p!r} is no product; `triage list products` names them." for p in strange]
        policy = policy.model_copy(update={"products": tuple(p for p in policy.products if p not in strange)})
    own = (key for key, name in policy.labels if name is not None and policy.opts_out((name,)))
    faults += [f"{FILE}: labels.{key}: opt_out names it too, so the bot would silence itself." for key in own]
    if not faults:
        return ReadPolicy(policy)
    # what is not understood may be what was to make the bot quieter
    policy = policy.model_copy(update={"mode": min(policy.mode, Mode.SHADOW, key=list(Mode).index)})
    more = len(faults) - MOST_FAULTS
    rest = (f"{FILE}: {more} more mistakes.",) if more > 0 else ()
    return ReadPolicy(policy, (*faults[:MOST_FAULTS], *rest))


def _settable(data: dict[str, Any], place: tuple[str, ...]) -> tuple[str, ...]:
    """The longest part of a place that is a key of the file, so that it can be dropped."""
    key: list[str] = []
    inside: Any = data
    for part in place:
        if not isinstance(inside, dict) or part not in inside:
            break
        key.append(part)
        inside = inside[part]
    return tuple(key) or place[:1]


def _fault(key: tuple[str, ...], message: str, *, unknown: bool) -> str:
    name = ".".join(key)[:80]
    if not unknown:
        # the validator's words for what TOML calls otherwise
        message = message.replace("a valid tuple", "a list").replace("a valid dictionary", "a table")
        message = message.partition(" or instance of ")[0]
        return f"{FILE}: {name}: {message[:1].lower()}{message[1:]}; the default is used."
    sections: dict[str, type[BaseModel]] = {"labels": Labels, "budget": Budget}
    section = sections[key[0]] if len(key) > 1 else Policy
    near = get_close_matches(key[-1][:_LONGEST_KEY].casefold().replace("-", "_"), list(section.model_fields), n=1)
    return f"{FILE}: {name}: there is no such key{f'; did you mean {near[0]}?' if near else '.'}"


def _drop(data: dict[str, Any], key: tuple[str, ...]) -> None:
    inside: Any = data
    for part in key[:-1]:
        inside = inside.get(part, {})
    inside.pop(key[-1], None)
