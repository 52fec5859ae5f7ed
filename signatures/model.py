"""The values that flow from a report's text to a recognised failure: immutable, without behaviour.

They are NamedTuples, not dataclasses: `triage lookup` is one short process per call, and importing
`dataclasses` and building two dozen of them costs more than recognising the failure does.
"""

from __future__ import annotations

from enum import StrEnum

from signatures.values import NamedTuple


class Role(StrEnum):
    """Who wrote a post. The author of the issue is its REPORTER, whatever else they are."""

    REPORTER = "reporter"
    MAINTAINER = "maintainer"
    OTHER = "other"
    BOT = "bot"


class BlockKind(StrEnum):
    """Where a block of text stood in its post."""

    FENCE = "fence"  # fenced or indented code, <pre>: program output or a file
    LOG = "log"  # unfenced lines that read like program output
    PROSE = "prose"  # sentences of the writer, form fields, table cells
    QUOTE = "quote"  # a block quote: somebody else's words
    TITLE = "title"


class Source(StrEnum):
    """Where a fact was read; `TRUST` ranks them."""

    GIVEN = "given"  # stated by the caller for this run (`--with`)
    LOG = "log"  # printed by the runtime itself
    MANIFEST = "manifest"  # a package pin or the manifest of the stated product
    DIAGNOSTICS = "diagnostics"  # a product's own report about itself
    FORM = "form"  # a form field or `key: value` line
    PROSE = "prose"


TRUST: dict[Source, int] = {
    Source.GIVEN: 6,
    Source.LOG: 5,
    Source.MANIFEST: 4,
    Source.DIAGNOSTICS: 3,
    Source.FORM: 2,
    Source.PROSE: 1,
}


class Certainty(StrEnum):
    """Does this report show it? `CERTAINTY_ORDER` sorts best first."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


CERTAINTY_ORDER = (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE)


class Post(NamedTuple):
    role: Role
    text: str
    url: str | None = None
    markdown: bool = True  # False: a log file or a pasted error, to be read as it stands
    gaps: tuple[tuple[int, int], ...] = ()  # ranges of `text` that stand for what was left out, and are not read
    # product and version that a question of this post, which it does not show any more, was answered with
    settled: tuple[tuple[str, str], ...] = ()


class IssueText(NamedTuple):
    """A thread as text. `posts[0]` is the issue's own body."""

    title: str
    posts: tuple[Post, ...]
    ref: str | None = None  # owner/repo#N
    created_at: str | None = None  # RFC 3339
    pull_request: bool = False  # a change that is offered, not a failure that is reported
    about: tuple[str, ...] = ()  # names of what reports at this place are about, as its maintainers say


TITLE_POST = -1


class Span(NamedTuple):
    """Characters [start, end) of `posts[post].text`, or of the title where post is TITLE_POST."""

    post: int
    start: int
    end: int


class LogBlock(NamedTuple):
    """A stretch of one post that is searched as a whole. `raw` equals the text at `span`."""

    kind: BlockKind
    span: Span
    raw: str
    role: Role
    dismissed: tuple[tuple[int, int], ...] = ()  # ranges of `raw` that the writer ruled out or negated
    named: tuple[tuple[int, int], ...] = ()  # messages in a sentence that does not say that the writer gets them


class Fact(NamedTuple):
    """One statement about the reporter's environment.

    `key` is a key of vocabulary.toml ("os", "ep", "gpu_vendor", ...) or a product id
    ("foundry-local-cli", whose value is a version). `value` is canonical for closed keys, else as written.
    `block` is the index in `Report.blocks` it was read in; None for what the caller or the place of the issue says.
    """

    key: str
    value: str
    source: Source
    quote: str
    span: Span | None
    block: int | None = None


class ArtifactRole(StrEnum):
    """What the report says of a model it names."""

    FAILING = "failing"
    MENTIONED = "mentioned"
    WORKING = "working"


class ArtifactRef(NamedTuple):
    """A model that a report names. kind: foundry | huggingface | url | file."""

    kind: str
    name: str
    revision: str | None
    sha256: str | None
    role: ArtifactRole
    span: Span
    block: int | None = None


class Report(NamedTuple):
    issue: IssueText
    blocks: tuple[LogBlock, ...]
    facts: tuple[Fact, ...]  # of the reporter only
    artifacts: tuple[ArtifactRef, ...]
    named: bool = True  # whether anything in it, or its place, names a runtime that this catalogue is about
    words: tuple[str, ...] = ()  # what names one, in lower case, where it matters how near: its place names none


class Stage(StrEnum):
    """Whether what a signature recognises is said, or counted only until somebody has looked at it."""

    SHADOW = "shadow"
    PROMOTED = "promoted"


class When(NamedTuple):
    """A three-valued precondition on one fact key: `any` of these values, `none` of those.

    `known`: the words say nothing without this fact, so that a match is no more than possible until it is stated.
    """

    key: str
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    known: bool = False


class Signature(NamedTuple):
    """How to recognise one failure. See the README for the file format."""

    id: str
    title: str
    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()
    regex: tuple[str, ...] = ()
    when: tuple[When, ...] = ()
    withdrawn: str | None = None
    weak: str | None = None  # why the words alone show no more than a possibility
    shared: str | None = None  # who else prints the words, so that they count only beside a runtime's name, or alone
    stage: Stage = Stage.PROMOTED


class Example(NamedTuple):
    """A text that must or must not show a signature, kept in the signature's own file."""

    match: bool
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    expect: tuple[tuple[str, str], ...] = ()
    origin: str | None = None  # key `from`
    why: str | None = None
    whole: bool = False  # all of a report; else an excerpt of one that names its runtime


class Reason(NamedTuple):
    """What became of one clause: held True, False, or None (unknown)."""

    clause: str  # 'all[0]', 'any', 'regex[1]', 'when.ep'
    held: bool | None
    detail: str


class Match(NamedTuple):
    """A signature recognised in one block. Every clause about text held; `when` may be undecided."""

    signature: str
    block: int  # index in Report.blocks
    captures: tuple[tuple[str, str], ...]
    certainty: Certainty  # CERTAIN: every `when` true; LIKELY: some unknown; POSSIBLE: one that must be known
    reasons: tuple[Reason, ...]
    evidence: tuple[Span, ...]


class Outcome(StrEnum):
    FOUND = "found"
    CLEAN = "clean"
    UNKNOWN = "unknown"
    FAILED = "failed"


class Finding(NamedTuple):
    """What a static check of a model artifact said."""

    check: str
    artifact: str
    outcome: Outcome
    detail: str = ""
    predicted_text: str | None = None
    proves: tuple[tuple[str, str], ...] = ()


class ProductNames(NamedTuple):
    """How reporters write one product or component. Passed in by `kb`, so that aliases have one home."""

    id: str
    aliases: tuple[str, ...]  # matched as whole words, case-insensitively
    labels: tuple[str, ...] = ()  # form labels that mean this product's version
    version: str = r"v?\d+(?:\.\d+)+[0-9A-Za-z.+-]*"  # RE2; the shape of its versions
    spoken: tuple[str, ...] = ()  # words beside which a short name of it, which others have too, is its own
