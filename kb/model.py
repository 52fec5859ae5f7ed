"""The values of what is known: problems, fixes, products, deliveries, and the diagnosis they lead to.

Four things stay four: a signature (how to recognise), a problem (one cause), a fix (a change), a delivery (which
release of which product carries it). Three scales stay three: certainty, status, fix state.
"""

from __future__ import annotations

from enum import StrEnum

from signatures.model import Certainty, Finding, Report, Span, When
from signatures.values import NamedTuple


class Status(StrEnum):
    """How well a cause is known. Inconclusive and refuted causes are never shown in public."""

    REPORTED = "reported"
    REPRODUCED = "reproduced"
    CONFIRMED = "confirmed"
    INCONCLUSIVE = "inconclusive"
    REFUTED = "refuted"


PUBLIC = (Status.REPORTED, Status.REPRODUCED, Status.CONFIRMED)


class FixKind(StrEnum):
    COMMIT = "commit"
    RELEASE = "release"
    ARTIFACT = "artifact"
    DRIVER = "driver"
    CONFIG = "config"
    PACKAGING = "packaging"


class FixState(StrEnum):
    """Where the remedy is, as far as the authored file says; deliveries are computed."""

    CANDIDATE = "candidate"
    MERGED = "merged"
    RELEASED = "released"


class Symptom(NamedTuple):
    """A signature that shows the problem, when these facts and captures hold."""

    signature: str
    when: tuple[When, ...] = ()
    capture: tuple[tuple[str, tuple[str, ...]], ...] = ()  # capture name -> accepted values, case-insensitive
    decisive: tuple[str, ...] = ()  # captures that make the problem what it is and must be present


class Affected(NamedTuple):
    """A half-open range [introduced, fixed) of one component, or a closed list of versions."""

    component: str  # a product id, or "model:<name>"
    introduced: str | None = None  # None: since ever, as far as known
    fixed: str | None = None
    versions: tuple[str, ...] = ()
    ref: str | None = None


class Fix(NamedTuple):
    """One way to remedy: every change of `all` is needed. Several fixes of a problem are alternatives."""

    kind: FixKind
    state: FixState
    all: tuple[str, ...] = ()  # owner/repo#N
    component: str | None = None  # None: every affected component of the problem
    merged: str | None = None  # ISO date
    note: str | None = None  # what to install or set, for kinds settled on the reporter's side
    ref: str | None = None


class RuledOut(NamedTuple):
    claim: str
    ref: str


class Distinct(NamedTuple):
    problem: str
    why: str


class Problem(NamedTuple):
    id: str
    title: str
    cause: str
    status: Status
    refs: tuple[str, ...]  # the first is where the cause is told
    symptoms: tuple[Symptom, ...]
    affected: tuple[Affected, ...] = ()
    fixes: tuple[Fix, ...] = ()
    workarounds: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    distinct_from: tuple[Distinct, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    review_by: str | None = None
    owner: str | None = None
    withdrawn: str | None = None
    workaround_refs: tuple[str | None, ...] = ()  # where each of `workarounds` is told, in their order; () for none


class Scheme(StrEnum):
    SEMVER = "semver"
    PEP440 = "pep440"
    DOTTED = "dotted"
    REVISION = "revision"
    REBUILD = "rebuild"


class Bundle(NamedTuple):
    """Where a product's manifest at a tag states a component's version."""

    component: str
    manifest: str
    pointer: str


class Layout(NamedTuple):
    """Which tags of `repo` are releases of a product, and what its manifests say, for a range of versions."""

    tag: str  # "cli-preview-{version}"
    start: str | None = None  # key `from`
    end: str | None = None  # key `to`, exclusive
    bundles: tuple[Bundle, ...] = ()
    branch: str | None = None  # "rel-{version}": the branch a release is made on
    version_file: str | None = None  # the file that says which version a commit is
    version_pointer: str = "/"  # the place in it


class Product(NamedTuple):
    """A product or a component: what reporters call it, and how its versions compare."""

    id: str
    title: str
    scheme: Scheme
    aliases: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    version: str | None = None  # RE2 shape of its versions, where that tells products apart
    repo: str | None = None
    layouts: tuple[Layout, ...] = ()
    packages: tuple[str, ...] = ()  # what registries call it, as package URLs without a version: pkg:pypi/onnx
    spoken: tuple[str, ...] = ()  # words beside which a short name of it, which others have too, is its own


class Release(NamedTuple):
    """An observed release and what it carries."""

    product: str
    version: str
    date: str | None  # ISO date of publication
    bundles: tuple[tuple[str, str], ...]
    source: str
    by: str | None = None  # not later than this ISO date, where the exact one is unknown
    # components of which sources state different versions: (component, version, source) of each statement
    unsettled: tuple[tuple[str, str, str], ...] = ()


class Delivery(NamedTuple):
    """The releases of one component that carry one change: a set, not 'X and later'."""

    change: str
    component: str
    releases: tuple[str, ...]
    how: str
    unknown: tuple[str, ...] = ()  # releases for which the evidence decides nothing
    absent: tuple[str, ...] = ()  # releases that were looked into and do not carry it


class Dispute(NamedTuple):
    """A version that should have the fix of a problem and shows it all the same, by the word of several people."""

    problem: str
    product: str  # what was stated: a product, or the component itself
    version: str
    why: str
    since: str | None = None  # the day on which enough had been said; None: nobody knows


class Observed(NamedTuple):
    releases: tuple[Release, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    disputes: tuple[Dispute, ...] = ()


class Knowledge(NamedTuple):
    problems: tuple[Problem, ...]
    products: tuple[Product, ...]
    observed: Observed


class Verdict(StrEnum):
    UPGRADE = "upgrade"
    WAIT_FOR_PRODUCT = "wait-for-product"
    MERGED = "merged"
    CANDIDATE = "candidate"
    CONFIGURE = "configure"
    NONE = "none"
    NOT_EXPLAINED = "not-explained"
    VERSION_UNKNOWN = "version-unknown"


class FixedIn(NamedTuple):
    kind: str  # component | product | artifact
    id: str
    version: str
    date: str | None


class ReporterVersion(NamedTuple):
    """What this reporter runs, and how that is known."""

    product: str | None = None
    product_version: str | None = None
    component: str | None = None
    component_version: str | None = None
    how: str = ""


class FixVerdict(NamedTuple):
    verdict: Verdict
    fixed_in: tuple[FixedIn, ...] = ()
    reporter: ReporterVersion = ReporterVersion()
    note: str = ""  # one sentence for people: why this verdict, or what to install or set
    contradictions: tuple[str, ...] = ()
    disputed: bool = False  # the version should have the fix, and others saw it fail all the same

    @property
    def excludes(self) -> bool:
        """Whether the reporter's version rules the cause out."""
        return self.verdict is Verdict.NOT_EXPLAINED and not self.disputed


class Quote(NamedTuple):
    """Words of the report, folded to one line, and where they stand."""

    text: str
    span: Span


class KnownProblem(NamedTuple):
    problem: Problem
    signature: str
    certainty: Certainty
    captures: tuple[tuple[str, str], ...]
    evidence: tuple[Quote, ...]
    fix: FixVerdict
    findings: tuple[Finding, ...] = ()
    why: tuple[str, ...] = ()  # reasons for the certainty, one sentence each


class RecognisedSignature(NamedTuple):
    """A failure that is recognised and explained by no public problem."""

    signature: str
    title: str
    certainty: Certainty
    captures: tuple[tuple[str, str], ...]
    evidence: tuple[Quote, ...]


class CountedSignature(NamedTuple):
    """A failure that a signature in shadow recognises: kept and counted, and no part of the answer."""

    signature: str
    title: str
    problems: tuple[str, ...]  # that it would show
    certainty: Certainty
    captures: tuple[tuple[str, str], ...]
    evidence: tuple[Quote, ...]


class RuledOutProblem(NamedTuple):
    problem: str
    why: str


class LoneLine(NamedTuple):
    """A line that is all of a report and names no failure. `problems` print it among others."""

    quote: Quote
    envelope: bool  # it wraps any failure; else a piece of a message or a trace
    why: str  # what it is
    problems: tuple[str, ...]


class Diagnosis(NamedTuple):
    report: Report
    known: tuple[KnownProblem, ...]  # best first
    ruled_out: tuple[RuledOutProblem, ...]
    signatures: tuple[RecognisedSignature, ...]
    questions: tuple[str, ...]
    unexplained: tuple[Quote, ...]
    shadow: tuple[CountedSignature, ...] = ()
    lone: LoneLine | None = None
