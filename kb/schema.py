"""The shapes of problem, product and observed files, as pydantic sees them: an unknown key is an error.

Only validation, `triage new` and layers of one's own import this; a lookup does not.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, StrictStr, StringConstraints

from kb.model import FixKind, FixState, Scheme, Status
from signatures.loader import LoadError
from signatures.schema import Id, IsoDate, Precondition, Shape, Text, check_shape

Prose = Annotated[StrictStr, StringConstraints(min_length=1, max_length=1200)]
Version = Annotated[StrictStr, StringConstraints(min_length=1, max_length=128)]
Component = Annotated[StrictStr, StringConstraints(pattern=r"^([a-z0-9]+(-[a-z0-9]+)*|model:[A-Za-z0-9._/-]+)$")]
Reference = Annotated[StrictStr, StringConstraints(min_length=1, max_length=400)]
Change = Annotated[StrictStr, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+(#\d+|@[0-9a-f]{7,40})$")]
# https://github.com/package-url/purl-spec , of the registries that OSV has an ecosystem for
PackageUrl = Annotated[StrictStr, StringConstraints(pattern=r"^pkg:(pypi|npm|nuget|pub|cargo)/(%40[\w.-]+/)?[\w.-]+$")]


class SymptomShape(Shape):
    signature: Id
    when: dict[StrictStr, list[Text] | Precondition] = Field(default_factory=dict)
    capture: dict[StrictStr, tuple[Text, ...]] = Field(default_factory=dict)
    decisive: tuple[Text, ...] = ()


class AffectedShape(Shape):
    component: Component
    introduced: Version | None = None
    fixed: Version | None = None
    versions: tuple[Version, ...] = ()
    ref: Reference | None = None


class FixShape(Shape):
    kind: FixKind
    state: FixState
    all: tuple[Change, ...] = ()
    component: Component | None = None
    merged: IsoDate | None = None
    note: Prose | None = None
    ref: Reference | None = None


class DistinctShape(Shape):
    problem: Id
    why: Prose


class RuledOutShape(Shape):
    claim: Prose
    ref: Reference


class WorkaroundShape(Shape):
    text: Prose
    ref: Reference


class ProblemShape(Shape):
    schema_: int = Field(alias="schema")
    id: Id
    title: Text
    cause: Prose
    status: Status
    refs: tuple[Reference, ...] = ()
    workarounds: tuple[Prose, ...] = ()
    review_by: IsoDate | None = None
    owner: Text | None = None
    checks: tuple[Id, ...] = ()
    withdrawn: Text | None = None
    workaround: tuple[WorkaroundShape, ...] = ()
    symptom: tuple[SymptomShape, ...] = ()
    affected: tuple[AffectedShape, ...] = ()
    fix: tuple[FixShape, ...] = ()
    distinct_from: tuple[DistinctShape, ...] = ()
    ruled_out: tuple[RuledOutShape, ...] = ()


class BundleShape(Shape):
    component: Component
    manifest: Text
    pointer: Annotated[StrictStr, StringConstraints(pattern=r"^/")]


class LayoutShape(Shape):
    tag: Annotated[StrictStr, StringConstraints(pattern=r"\{version\}")]
    start: Version | None = Field(default=None, alias="from")
    end: Version | None = Field(default=None, alias="to")
    branch: Annotated[StrictStr, StringConstraints(pattern=r"\{version\}")] | None = None
    version_file: Text | None = None
    version_pointer: Annotated[StrictStr, StringConstraints(pattern=r"^/")] = "/"
    bundles: tuple[BundleShape, ...] = ()


class UnsettledShape(Shape):
    component: Component
    version: Version
    source: Reference


class OwnReleaseShape(Shape):
    """A release in the file of its product."""

    product: Id | None = None
    version: Version
    date: IsoDate | None = None
    by: IsoDate | None = None
    bundles: dict[Component, Version] = Field(default_factory=dict)
    source: Reference
    unsettled: tuple[UnsettledShape, ...] = ()


class ReleaseShape(OwnReleaseShape):
    product: Component


class DeliveryShape(Shape):
    change: Change
    component: Component
    releases: list[Version]
    unknown: list[Version] = Field(default_factory=list)
    absent: list[Version] = Field(default_factory=list)
    how: Prose


class DisputeShape(Shape):
    problem: Id
    product: Component
    version: Version
    why: Prose
    since: IsoDate | None = None


class ProductShape(Shape):
    schema_: int = Field(alias="schema")
    id: Id
    title: Text
    scheme: Scheme
    aliases: tuple[Text, ...] = ()
    labels: tuple[Text, ...] = ()
    version: Text | None = None
    repo: Annotated[StrictStr, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$")] | None = None
    packages: tuple[PackageUrl, ...] = ()
    spoken: tuple[Annotated[StrictStr, StringConstraints(min_length=5, max_length=80)], ...] = ()
    layout: tuple[LayoutShape, ...] = ()
    release: tuple[OwnReleaseShape, ...] = ()


class ObservedShape(Shape):
    schema_: int | None = Field(default=None, alias="schema")
    release: tuple[ReleaseShape, ...] = ()
    delivery: tuple[DeliveryShape, ...] = ()
    dispute: tuple[DisputeShape, ...] = ()


SHAPES: dict[str, type[BaseModel]] = {"problem": ProblemShape, "product": ProductShape, "observed": ObservedShape}


def check_knowledge(kind: str, file: str, data: dict[str, Any]) -> list[LoadError]:
    """Everything wrong with the shape of one file; [] where nothing is. `kind`: problem, product or observed."""
    errors = check_shape(SHAPES[kind], file, data)
    if not errors and kind != "observed" and data["schema"] != 1:
        errors.append(LoadError(file, "schema", None, f"is {data['schema']}; this program reads schema 1"))
    return errors
