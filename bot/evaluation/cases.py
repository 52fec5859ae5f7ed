"""Case files: reports with the answer that is expected of each, and the issue that a case stands for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.errors import InputError
from signatures.model import IssueText, Post, Role

NONE = "none"  # the expected answer of a report that no problem explains
LARGEST = 20 * 1024 * 1024  # bytes of a case file
_MANY = 10_000


class Case(NamedTuple):
    """`accepted` holds every problem that is right to name; `expected` is the first of them, or NONE."""

    source: str  # owner/repo#N
    expected: str
    accepted: frozenset[str]
    issue: IssueText


def _scalar(value: Any) -> Any:
    """Numbers, days and truth values as they are written in YAML."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float | date | datetime) else value


_Words = Annotated[str, BeforeValidator(_scalar)]


class _CaseFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str = Field(min_length=1)
    title: _Words
    log: _Words
    env: dict[str, _Words] = {}
    artifacts: list[_Words] = []
    expected_signature: str = Field(min_length=1)
    also_acceptable: list[str] = []
    expected_fix: _Words | None = None
    log_fidelity: str | None = None
    notes: _Words | None = None


class _NoAlias(yaml.SafeLoader):
    """Plain values alone: an alias could make a small file enormous."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it holds an alias, which is not read")
        return super().compose_node(parent, index)


def read_cases(path: str, problems: Iterable[str]) -> tuple[Case, ...]:
    """The cases of a file. `problems`: ids that an expected answer may name.

    Raises InputError that names the file, the case and the key of whatever is wrong.
    """
    name = os.path.basename(path)
    data = _load(path, name)
    rows = data.get("cases") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{name} holds no cases; it is a mapping whose key `cases` is a list of them.")
    if len(rows) > _MANY:
        raise InputError(f"{name} holds {len(rows)} cases; the limit is {_MANY}.")
    known = {*problems, NONE}
    cases = tuple(_case(row, f"{name}: case {at}") for at, row in enumerate(rows, 1))
    _each_once(cases, name)
    strange = sorted({id_ for case in cases for id_ in case.accepted} - known)
    if strange:
        where = next(case.source for case in cases if strange[0] in case.accepted)
        raise InputError(f"{name}: {where} expects {strange[0]!r}, which is no problem; `triage list problems`.")
    return cases


def _each_once(cases: tuple[Case, ...], name: str) -> None:
    """An issue may be of several failures; the same words of it twice would count twice. Raises InputError."""
    seen: dict[tuple[str, IssueText], int] = {}
    for at, case in enumerate(cases, 1):
        first = seen.setdefault((case.source, case.issue), at)
        if first != at:
            raise InputError(f"{name}: case {at}: {case.source} is case {first} again, word for word; take one out.")


def _load(path: str, name: str) -> Any:
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as e:
        raise InputError(f"{name} cannot be read: {e.strerror or e}.") from None
    if len(raw) > LARGEST:
        raise InputError(f"{name} is larger than 20 MiB.")
    try:
        return yaml.load(raw, _NoAlias)  # noqa: S506 (a SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as e:
        raise InputError(f"{name} is no YAML: {' '.join(str(e).split())[:300]}.") from None
    except RecursionError:
        raise InputError(f"{name} is nested too deep to be a case file.") from None


def _case(row: Any, where: str) -> Case:
    try:
        read = _CaseFile.model_validate(row)
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or "the whole"
        raise InputError(f"{where}: {key}: {first['msg'][:1].lower()}{first['msg'][1:]}.") from None
    accepted = frozenset((read.expected_signature, *read.also_acceptable))
    return Case(read.source, read.expected_signature, accepted, _issue(read))


def _issue(case: _CaseFile) -> IssueText:
    """The report as people write one: environment as a list, models, then the log in a fence longer than any inside."""
    environment = [f"- {key}: {value}" for key, value in case.env.items()]
    models = [f"- Model: {model}" for model in case.artifacts]
    fence = "```"
    while fence in case.log:
        fence += "`"
    body = "\n".join((*environment, *models, "", fence, case.log, fence, ""))
    return IssueText(case.title, (Post(Role.REPORTER, body),), ref=case.source)
