"""The values that go into the store and come out of it. Plain: nothing here knows a database.

Days are ISO dates of UTC (2026-06-02), moments within an observation are written 2026-06-02T05:55:12Z, and moments of
this program are aware datetimes.
"""

from __future__ import annotations

from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class ReleaseRecord(NamedTuple):
    """A release, by one source. Several sources may state the same release, each with a row of its own."""

    product: str
    version: str
    date: str | None  # day of publication
    by: str | None  # else public on this day at the latest
    source: str  # "microsoft/foundry-local@v1.2.1", "https://github.com/.../releases/tag/v1.2.1"
    note: str = ""


class BundleRecord(NamedTuple):
    """What one source says of a component in a product release. A version of None: it states no exact one."""

    product: str
    version: str
    component: str
    component_version: str | None
    source: str


class EdgeRecord(NamedTuple):
    """What one source says of a change in a component release."""

    change: str  # owner/repo#N or owner/repo@sha
    component: str
    version: str
    carried: bool | None  # None: it was looked at and is not decided
    how: str
    source: str
    date: str | None  # of the evidence: when the change came in, or was taken out
    confidence: str  # certain, likely, unknown
    read_to: str | None = None  # how far the source had been read; an earlier reading never replaces a later one


class JobRecord(NamedTuple):
    """One run of a watching job."""

    name: str
    started_at: datetime
    ended_at: datetime
    outcome: str  # ok, failed, skipped
    detail: str = ""
    found: int = 0  # rows that were new or changed


class Remembered(NamedTuple):
    """What a server said of a list, so that it is asked only for what is new."""

    etag: str | None
    modified: str | None = None  # Last-Modified
    cursor: str | None = None  # where the next reading goes on


class ProposalRecord(NamedTuple):
    """An edit of an authored file that a watcher suggests. Nobody but a person applies it."""

    key: str  # what it is about, such as "fixed webgpu-buffer onnxruntime-genai"; one open proposal has it
    file: str  # below the root of the catalogue, with forward slashes
    title: str
    why: str
    diff: str  # unified
    state: str = "open"  # open, taken, refused, superseded


class Proposed(NamedTuple):
    """A proposal, with when it was made and settled."""

    proposal: ProposalRecord
    made_at: datetime
    settled_at: datetime | None


class IssueRecord(NamedTuple):
    """One issue as it was read."""

    ref: str  # owner/repo#N
    title: str
    reporter: str | None  # login
    maintainer: bool  # whether the reporter is a maintainer of that repository
    opened_at: datetime | None
    last_post_at: datetime | None
    open: bool | None  # None: not known
    engine: str  # version of this program


class SightingRecord(NamedTuple):
    """One failure that an issue shows."""

    signature: str
    problem: str | None  # None: recognised, its cause is not known
    certainty: str
    digest: str  # of the signature and its captures
    product: str | None = None
    product_version: str | None = None
    component: str | None = None
    component_version: str | None = None
    verdict: str | None = None
    evidence: str = ""  # redacted


class FindingRecord(NamedTuple):
    """What a check said of a model that an issue names."""

    check: str
    artifact: str
    outcome: str
    detail: str = ""


class Seen(NamedTuple):
    """A sighting with what counts of its issue."""

    issue: str
    reporter: str | None
    maintainer: bool
    last_post_at: datetime | None
    open: bool | None
    sighting: SightingRecord
    confirmed: bool = False  # a maintainer said that it is right
    refused: bool = False  # a maintainer said that it is wrong


class Unexplained(NamedTuple):
    """The lines of one issue that nothing explains."""

    issue: str
    reporter: str | None
    day: str | None  # ISO date of the reporter's last post
    lines: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]  # (product, version) of what else the issue shows


class RuleSeen(NamedTuple):
    """In how many issues a signature was recognised, and when the last of them was written."""

    signature: str
    issues: int
    last: datetime


class Shows(NamedTuple):
    """What one issue shows of a signature. `by`: the maintainers who said something of just that, and whether it was
    that it is right."""

    issue: str
    title: str
    open: bool | None
    written: datetime  # when the reporter wrote last, as far as that is known
    certainty: str
    evidence: str  # redacted lines
    talk: str | None = None  # the issue as conversations name it, where there is one
    by: tuple[tuple[str, bool], ...] = ()


class Word(NamedTuple):
    """What a maintainer said of an issue. `about`: the id of a problem or signature, "" for all that the issue shows,
    ANSWER for what the bot had answered."""

    about: str
    is_right: bool


ANSWER = "the answer"  # no id has a space in it


class Judged(NamedTuple):
    """A sighting in an issue of which a maintainer said something."""

    issue: str
    signature: str
    problem: str | None
    written: datetime  # when the reporter wrote last, as far as that is known
    words: tuple[Word, ...]


class KeptReport(NamedTuple):
    """What is kept of an issue's words: enough to try other signatures on, not the issue. All of it is redacted."""

    issue: str
    title: str
    sightings: tuple[SightingRecord, ...]
    unexplained: str  # lines


class Similar(NamedTuple):
    """Something whose words are near to a text: similar, not the same."""

    kind: str  # problem, sighting, unexplained
    ref: str
    title: str
    excerpt: str
