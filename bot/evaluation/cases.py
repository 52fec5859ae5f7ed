"""Case files: reports with the answer that is expected of each, and the issue that a case stands for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bot.errors import InputError
from bot.evaluation.plain_yaml import Document, read_yaml
from signatures.model import IssueText, Post, Role

NONE = "none"  # the expected answer of a report that no problem explains
_MANY = 10_000


class Case(NamedTuple):
    """`accepted` holds every answer that is right, `expected` among them: ids of problems, and NONE for silence."""

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


def read_cases(path: str, problems: Iterable[str]) -> tuple[Case, ...]:
    """The cases of a file. `problems`: ids that an expected answer may name.

    Raises InputError that names the file, the line, the case and the key of whatever is wrong.
    """
    document = read_yaml(path)
    rows = document.data.get("cases") if isinstance(document.data, dict) else None
    for key in document.data if isinstance(document.data, dict) else ():
        if key != "cases":
            how = "a case file has one key, `cases`"
            raise InputError(f"{path}:{document.line(key)}: {str(key)[:80]}: is no key here; {how}.")
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path} holds no cases; it is a mapping whose key `cases` is a list of them.")
    if len(rows) > _MANY:
        raise InputError(f"{path} holds {len(rows)} cases; the limit is {_MANY}.")
    cases = tuple(_case(row, at, document, path) for at, row in enumerate(rows))
    _each_once(cases, document, path)
    known = {*problems, NONE}
    for at, case in enumerate(cases):
        for strange in sorted(case.accepted - known)[:1]:
            where = f"{path}:{document.line('cases', at)}: case {at + 1}"
            how = "`triage list problems` names them"
            raise InputError(f"{where}: {case.source} expects {strange!r}, which is no problem; {how}.")
    return cases


def _each_once(cases: tuple[Case, ...], document: Document, path: str) -> None:
    """An issue may be of several failures; the same words of it twice would count twice. Raises InputError."""
    seen: dict[tuple[str, IssueText], int] = {}
    for at, case in enumerate(cases, 1):
        first = seen.setdefault((case.source, case.issue), at)
        if first != at:
            where = f"{path}:{document.line('cases', at - 1)}: case {at}"
            raise InputError(f"{where}: {case.source} is case {first} again, word for word; take one out.")


def _case(row: Any, at: int, document: Document, path: str) -> Case:
    try:
        read = _CaseFile.model_validate(row)
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        where = f"{path}:{document.line('cases', at, *first['loc'])}: case {at + 1}"
        key = ".".join(map(str, first["loc"])) or "the whole"
        why = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        if first["type"] == "extra_forbidden":
            why = f"is no key of a case; there are {', '.join(_CaseFile.model_fields)}"
        raise InputError(f"{where}: {key}: {why}.") from None
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
