"""What stands around a block and makes it no report of a failure: the title, the heading, the sentence above or below.

A whole block of output is dismissed only where such words say whose it is, or that it is old or expected. What a
sentence says of its own words is told by `dismissed`.
"""

from __future__ import annotations

from signatures.extract.afterwards import ended
from signatures.extract.asides import leads_away, says_same, speaks_of_self, takes_back
from signatures.extract.dismissed import all_but_true_errors, dismissed_ranges, joined
from signatures.extract.hidden import code_ranges
from signatures.extract.lines import reads_like_prose
from signatures.extract.over import is_attributed, is_denied
from signatures.extract.passages import folded_away, part_within, unprinted, without_answered
from signatures.extract.sentences import sentence_spans
from signatures.extract.shown import is_only_shown
from signatures.extract.vocabulary import MAX_LABEL, plain_label
from signatures.linear import linear
from signatures.model import BlockKind, IssueText, LogBlock, Role
from signatures.text import fold

_ASIDE = (
    r"(?:expected|desired|correct) (?:behaviou?r|results?|outcome|output|errors?|logs?)|what (?:did|do) you expect\b.*"
    r"|what should happen.*|(?:related|similar|linked|other|duplicate)(?: (?:issues?|bugs?|reports?|links"
    r"|discussions?|prs?))"
    r"|related|see also|references?|(?:feature|enhancement) requests?|proposals?|describe the expected behaviou?r.*"
)
_REMEDY = (
    r".*\b(?:work-?arounds?|suggested (?:fix|change|solution)|possible (?:fix|solution)|proposed (?:fix|solution"
    r"|change)|solution"
    r"|fix)\b.*"
)
_WISH = (
    r"(?i)^\W*(?:feature(?: ?request)?|enhancement|proposal|rfc|feat|docs?|documentation|suggestion|idea"
    r"|chore)\s*(?:\([\w-]+\))?\s*[\]):–—-]"
)
_ERROR = r"(?i)(?:error|exception|\b(?:traceback|fatal|fail(?:ed|ure)?|abort(?:ed)?|assertion|panicked))\b"
_FIELD = r"[ \t>]*[-*•]?[ \t]*[\w /-]{1,40}: \S[^.!?]{0,200}$"  # a form, which leads to nothing
_FAILS = (
    r"(?i)\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|errors?|exception|cannot|can't|unable to|stop(?:s|ped)"
    r"|(?:not|n't|no longer) (?:work|load|run|start)\w*|is printed)\b"
)
_WISHES = (
    r"(?i)\b(?:would|could|should|might|may|nice|better|clearer|improve\w*|instead of|please|add|adding|avoid\w*"
    r"|prevent\w*|e\.?g|for example|example|such as|like|sometimes|users?|people|wish\w*|want)\b"
)
_OVER = r"(?i)^\W*(?:\[?(?:fixed|fixes|fix|resolved|solved|closed|not|no|no more|never mind)\]?)(?:\s*[:)–—-]|\s)"
_NOT_REALLY = (
    r"(?i)^\W*(?:not (?:able|working|sure|possible|enough|found|loading|only|just|supported|implemented"
    r"|registered)\b|no (?:gpu|model|device|adapter"
    r"|output|response|workaround|such)\b|fixed (?:size|length|shape|seed)\b|fix (?:me|needed|wanted|request)|not_)"
)
_OUTPUT = (BlockKind.FENCE, BlockKind.LOG, BlockKind.QUOTE)
_MAX_UNDER = 2  # sentences below a block that may speak of it
_MAX_POST = 16 * 1024  # characters of another's post in which a quote is looked for, ...
_MAX_POSTS = 8  # ... and the posts before it
_MAX_LEAD = 600  # characters of the sentence above a block


def in_context(issue: IssueText, blocks: tuple[LogBlock, ...]) -> tuple[LogBlock, ...]:
    """The blocks, with what their surroundings dismiss added to their own dismissed ranges."""
    wish = linear(_WISH).match(issue.title) is not None or _opens_with_wish(issue)
    if issue.pull_request:
        return tuple(_whole(b) if b.role is Role.REPORTER else b for b in blocks)
    read: list[LogBlock] = []
    section = others = ""
    away: tuple[tuple[int, int], ...] = ()
    for i, block in enumerate(blocks):
        if i == 0 or blocks[i - 1].span.post != block.span.post:
            section = ""
            others = _others(issue, block)
            away = folded_away(issue.posts[block.span.post].text) if block.kind is not BlockKind.TITLE else ()
        if block.role is not Role.REPORTER:
            read.append(block)
            continue
        if block.kind is BlockKind.TITLE:
            over = linear(_OVER).match(block.raw) is not None and linear(_NOT_REALLY).match(block.raw) is None
            read.append(_whole(block) if wish or over else block)
            continue
        if block.kind is BlockKind.PROSE:
            section = heading_of(block.raw) or section
        above = blocks[i - 1] if i and blocks[i - 1].span.post == block.span.post else None
        below = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].span.post == block.span.post else None
        aside = linear(_ASIDE).fullmatch(section) is not None or (wish and not _fails_here(block, above))
        block = _adding(block, [*part_within(block, away), *unprinted(issue, block)])
        if block.kind is BlockKind.QUOTE:
            block = _adding(block, without_answered(issue, block, _lead(above), _under(below), others))
        read.append(_in_section(block, above, below, aside=aside))
    return ended(tuple(read))


def _opens_with_wish(issue: IssueText) -> bool:
    return bool(issue.posts) and linear(_WISH).match(issue.posts[0].text[:_MAX_LEAD]) is not None


def _fails_here(block: LogBlock, above: LogBlock | None) -> bool:
    """Whether output in what calls itself a request is the writer's failure: nothing is wished for in front of it.

    ONNX Runtime's issue forms write "[Feature Request]" into the title, whatever the report is.
    """
    error = linear(_ERROR).search(block.raw) if block.kind in (BlockKind.FENCE, BlockKind.LOG) else None
    if error is None:
        return False
    lead = last_sentence(above.raw) if above is not None and above.kind is BlockKind.PROSE else ""
    silent = not lead or linear(_FIELD).match(lead) is not None
    if silent or (above is not None and plain_label(lead) == heading_of(above.raw)):
        return linear(_WISHES).search(block.raw[: error.start()]) is None
    return linear(_FAILS).search(lead) is not None and linear(_WISHES).search(lead) is None


def heading_of(raw: str) -> str:
    """The heading that opens a block of prose, as `plain_label` writes it; empty where none does."""
    stripped = raw.lstrip()
    first, _, rest = stripped.partition("\n")
    if len(first) > MAX_LABEL:
        return ""
    marked = first.startswith("#") or linear(r"[ \t]*(?:\*\*|__)[^*\n]+(?:\*\*|__)[ \t]*:?[ \t]*").fullmatch(first)
    label = plain_label(first)
    # a form pasted as text has lost its marks
    bare = not marked and (linear(_ASIDE).fullmatch(label) or linear(_REMEDY).fullmatch(label)) and len(first) < 60
    alone = not rest or rest.startswith(("\n", " \n", "\r\n")) or marked
    return label if (marked or bare) and alone else ""


def is_remedy(section: str) -> bool:
    """Whether a heading says that what stands under it is a way out, not the failing environment."""
    return linear(_REMEDY).fullmatch(section) is not None


def last_sentence(raw: str) -> str:
    """The sentence that leads to what stands below a block of prose."""
    text = raw.rstrip("`~ \r\n\t>")[-_MAX_LEAD:].rsplit("\n\n", 1)[-1]
    spans = sentence_spans(text)
    return text[slice(*spans[-1])] if spans else ""


def _lead(above: LogBlock | None) -> str:
    return last_sentence(above.raw) if above is not None and above.kind is BlockKind.PROSE else ""


def _under(below: LogBlock | None) -> list[str]:
    return _first_sentences(below.raw) if below is not None and below.kind is BlockKind.PROSE else []


def _others(issue: IssueText, block: LogBlock) -> str:
    """What others wrote last before the post of a block, folded."""
    if block.role is not Role.REPORTER or block.span.post <= 0:
        return ""
    before = issue.posts[max(block.span.post - _MAX_POSTS, 0) : block.span.post]
    return "\n".join(fold(p.text[:_MAX_POST]) for p in before if p.role is not Role.REPORTER)


def _in_section(block: LogBlock, above: LogBlock | None, below: LogBlock | None, *, aside: bool) -> LogBlock:
    if block.kind is BlockKind.PROSE:
        return _adding(block, all_but_true_errors(block.raw, 0)) if aside else block
    lead = _lead(above)
    if aside and not speaks_of_self(lead):
        return _whole(block)
    under = _under(below)
    if lead and block.kind in _OUTPUT and (leads_away(lead) or (is_attributed(lead) and not _shared(under))):
        return _whole(block)
    if any(takes_back(s) or is_denied(s) for s in under):
        return _whole(block)
    if is_only_shown(*(b.raw if b is not None and b.kind is BlockKind.PROSE else "" for b in (above, below))):
        block = block._replace(named=((0, len(block.raw)),))
    if block.kind is BlockKind.QUOTE:
        return block
    said = dismissed_ranges(block.raw) if block.kind is BlockKind.LOG and _is_sentence(block.raw) else ()
    return _adding(block, [*said, *code_ranges(block.raw)])


def _is_sentence(raw: str) -> bool:
    """Whether what begins with output is still a sentence of a person."""
    text = raw.strip()
    return text[:1] == "`" or ("\n" not in text and text.endswith(".") and reads_like_prose(text))


def _shared(under: list[str]) -> bool:
    """Whether the words below a quote say that the writer gets this as well."""
    return any(not is_denied(s) and (speaks_of_self(s) or says_same(s)) for s in under)


def _first_sentences(raw: str) -> list[str]:
    text = raw.lstrip("`~ \n\t>")[:_MAX_LEAD].split("\n\n", 1)[0]
    return [text[a:b] for a, b in sentence_spans(text)[:_MAX_UNDER]]


def _whole(block: LogBlock) -> LogBlock:
    return block._replace(dismissed=((0, len(block.raw)),))


def _adding(block: LogBlock, ranges: list[tuple[int, int]]) -> LogBlock:
    return block._replace(dismissed=joined([*block.dismissed, *ranges])) if ranges else block
