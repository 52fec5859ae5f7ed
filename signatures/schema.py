"""The shape of a signature file, as pydantic sees it, with errors that name the key and the nearest valid one."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    StringConstraints,
    ValidationError,
)

from signatures.linear import PatternError, linear
from signatures.loader import LoadError

Id = Annotated[StrictStr, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Text = Annotated[StrictStr, StringConstraints(min_length=1, max_length=400)]
Regex = Annotated[StrictStr, StringConstraints(min_length=1, max_length=800)]

# TOML has dates of its own; both spellings are read as text
IsoDate = Annotated[
    StrictStr,
    StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$"),
    BeforeValidator(lambda v: str(v) if isinstance(v, date) else v),
    AfterValidator(lambda v: date.fromisoformat(v).isoformat()),
]
Days = Annotated[StrictInt, Field(ge=1, le=3650)]


class Shape(BaseModel):
    """Unknown keys are errors: a typo must not silently drop a clause."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)


class AnyNone(Shape):
    any: list[Text] = []
    none: list[Text] = []


class Precondition(AnyNone):
    known: StrictBool = False


class MatchShape(Shape):
    all: list[Text] = []
    any: list[Text] = []
    none: list[Text] = []
    regex: list[Regex] = []


class ExampleShape(Shape):
    match: StrictBool
    text: Annotated[StrictStr, StringConstraints(min_length=1, max_length=20_000)]
    facts: dict[StrictStr, Text] = {}
    expect: dict[StrictStr, StrictStr] = {}
    origin: Text | None = Field(default=None, alias="from")
    why: Text | None = None
    whole: StrictBool = False


class ReviewedShape(Shape):
    on: IsoDate
    by: Text
    why: Text | None = None


class SignatureShape(Shape):
    schema_: int = Field(alias="schema")
    id: Id
    title: Text
    match: MatchShape
    when: dict[StrictStr, list[Text] | Precondition] = {}
    example: list[ExampleShape] = []
    overlaps: list[Id] = []
    withdrawn: Text | None = None
    weak: Text | None = None
    shared: Text | None = None
    stage: Literal["shadow"] | None = None
    reviewed: ReviewedShape | None = None
    review_by: IsoDate | None = None


class UpkeepShape(Shape):
    reviewed: IsoDate | None = None
    review_days: Days | None = None
    unseen_days: Days | None = None
    promote_at: Annotated[StrictInt, Field(ge=1, le=100)] | None = None
    owners: dict[StrictStr, list[Text]] = {}


def check_signature(file: str, data: dict[str, Any]) -> list[LoadError]:
    """Everything wrong with the shape of one signature file; [] where nothing is."""
    errors = check_shape(SignatureShape, file, data)
    if errors:
        return errors
    if data["schema"] != 1:
        errors.append(LoadError(file, "schema", None, f"is {data['schema']}; this program reads schema 1"))
    match = data["match"]
    if not match.get("all") and not match.get("regex"):
        errors.append(LoadError(file, "match", None, "has neither `all` nor `regex`: say what must be present"))
    for i, pattern in enumerate(match.get("regex", ())):
        try:
            linear(pattern)
        except PatternError as e:
            why = f"is refused by the linear-time engine: {e}; it has no lookaround and no backreferences"
            errors.append(LoadError(file, f"match.regex[{i}]", None, why))
    return errors


def check_shape(shape: type[BaseModel], file: str, data: dict[str, Any]) -> list[LoadError]:
    """pydantic's complaints as LoadErrors: key path, reason, and the nearest valid key for an unknown one."""
    try:
        shape.model_validate(data)
    except ValidationError as e:
        return [
            LoadError(
                file,
                _path(err["loc"]),
                _line(file, err["loc"]),
                _words(shape, err["loc"], err["type"], err["msg"]),
            )
            for err in e.errors()
        ]
    return []


def _path(loc: tuple[int | str, ...]) -> str:
    # pydantic adds the names of union members to the path; they are no keys of the file
    keys = [k for k in loc if isinstance(k, int) or not (k.startswith("list[") or k in ("AnyNone", "Precondition"))]
    return "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in keys).lstrip(".")


def _line(file: str, loc: tuple[int | str, ...]) -> int | None:
    """The first line that begins with the last key of the path; TOML readers keep no positions."""
    key = next((k for k in reversed(loc) if isinstance(k, str)), None)
    if key is None:
        return None
    try:
        with open(file, encoding="utf-8") as f:
            return next((n for n, text in enumerate(f, 1) if text.lstrip(" [").startswith(key)), None)
    except (OSError, UnicodeDecodeError):
        return None


def _words(shape: type[BaseModel], loc: tuple[int | str, ...], kind: str, message: str) -> str:
    if kind != "extra_forbidden":
        return message[0].lower() + message[1:]
    from difflib import get_close_matches

    valid = valid_keys(shape, loc[:-1])
    near = get_close_matches(str(loc[-1]), valid, 1, 0.5)
    return f"unknown key; did you mean `{near[0]}`?" if near else f"unknown key; valid here: {', '.join(sorted(valid))}"


def valid_keys(shape: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that a table at this path may hold."""
    from typing import get_args

    current: Any = shape
    for key in loc:
        if isinstance(key, int) or not hasattr(current, "model_fields"):
            continue
        field = next((f for n, f in current.model_fields.items() if (f.alias or n) == key), None)
        if field is None:
            continue
        inside = [field.annotation, *get_args(field.annotation)]
        inside += [b for a in inside for b in get_args(a)]
        current = next((a for a in inside if isinstance(a, type) and issubclass(a, BaseModel)), current)
    return [f.alias or n for n, f in current.model_fields.items()]
