"""What holds for the life of every signature of a folder: who owns it, and when somebody is to look at it again.

Read from upkeep.toml beside the folder of signatures. It knows no clock and no sightings.
"""

from __future__ import annotations

import os
from datetime import date, timedelta

from signatures.loader import SHIPPED, LoadError, SignatureFile, read_toml
from signatures.model import Stage
from signatures.values import NamedTuple

NAME = "upkeep.toml"
_REST = "*"


class Upkeep(NamedTuple):
    """Dates are ISO days."""

    reviewed: str | None = None  # when the folder as a whole was last looked through
    review_days: int = 365
    unseen_days: int = 365
    promote_at: int = 3  # sightings that maintainers called right, none wrong
    owners: tuple[tuple[str, tuple[str, ...]], ...] = ()


def upkeep_file(folder: str = SHIPPED) -> str:
    """Where the upkeep of a folder of signatures is stated."""
    return os.path.join(os.path.dirname(os.path.abspath(folder)), NAME)


def load_upkeep(folder: str = SHIPPED) -> tuple[Upkeep, tuple[LoadError, ...]]:
    """That of a folder of signatures; the defaults where nothing is stated, or what is stated is broken."""
    file = upkeep_file(folder)
    if not os.path.exists(file):
        return Upkeep(), ()
    data = read_toml(file)
    if isinstance(data, LoadError):
        return Upkeep(), (data,)
    from signatures.schema import UpkeepShape, check_shape

    errors = check_shape(UpkeepShape, file, data)
    if errors:
        return Upkeep(), tuple(errors)
    stated = {k: v for k, v in data.items() if k not in ("owners", "reviewed")}
    reviewed = str(data["reviewed"]) if "reviewed" in data else None
    owners = tuple((name, tuple(who)) for name, who in data.get("owners", {}).items())
    return Upkeep(reviewed=reviewed, owners=owners, **stated), ()


def check_owners(folder: str, files: list[SignatureFile], upkeep: Upkeep) -> list[LoadError]:
    """Owners of what is not there: a family or signature that was renamed has lost its owner unnoticed."""
    known = {_REST, *(f.family for f in files), *(f.signature.id for f in files)}
    why = 'is neither a family nor a signature of this folder, nor "*"'
    return [
        LoadError(upkeep_file(folder), f"owners.{name}", None, why) for name, _ in upkeep.owners if name not in known
    ]


def owners_of(file: SignatureFile, upkeep: Upkeep) -> tuple[str, ...]:
    """Who answers for a signature: stated for itself, else for its family, else for all."""
    stated = dict(upkeep.owners)
    names = (file.signature.id, file.family, _REST)
    return next((stated[name] for name in names if name in stated), ())


def reviewed_on(file: SignatureFile, upkeep: Upkeep) -> str | None:
    """The day on which a person last stood up for it, alone or with its whole folder. None where nobody did, as in
    shadow."""
    whole = upkeep.reviewed if file.signature.stage is Stage.PROMOTED else None
    return max((d for d in (file.review.on, whole) if d is not None), default=None)


def review_due(file: SignatureFile, upkeep: Upkeep) -> str | None:
    """The day by which somebody is to look at it again; None where no day can be told."""
    if file.review.again is not None:
        return file.review.again
    last = reviewed_on(file, upkeep)
    try:
        return (date.fromisoformat(last) + timedelta(days=upkeep.review_days)).isoformat() if last else None
    except ValueError:  # `triage validate` names it
        return None
