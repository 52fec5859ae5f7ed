"""Where a Markdown post holds code, quotes and lists, as offsets of the post's own text.

Only block structure is read: what GitHub would render as a heading inside an unfenced log is told by `blocks`, not
here. Rules that take more than linear time or give no structure (link definitions, underlined headings, inline
text) are switched off.
"""

from __future__ import annotations

from signatures.linear import linear
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_MARKDOWN = 1 << 20  # characters; a longer post is a log, whatever it looks like

_STRUCTURE = r"(?m)^[ \t]*(?:[-*+>][ \t]*){0,3}(?:`{3,}|~{3,})|^ {0,3}>|^(?: {4}|\t)[ \t]*\S|<(?:pre|details|summary)\b"
_PRE = r"(?i)<pre\b[^<>\n]*>(?:[ \t]*<code\b[^<>\n]*>)?"
_PRE_END = r"(?i)(?:</code>[ \t]*)?</pre[ \t]*>"
_INFO = r"[\w+#.:{}=-]{0,30}"


class Stretch(NamedTuple):
    """[start, end) of a post that is code (fenced, <pre>), indented code or a quote."""

    kind: str  # fence | indented | quote
    start: int
    end: int


def has_structure(text: str) -> bool:
    """Whether a parser could find code, quotes or HTML blocks in a post: cheap, and never wrong with a no."""
    return linear(_STRUCTURE).search(text) is not None


def stretches(text: str) -> list[Stretch]:
    """Code and quotes of a Markdown post, in order, none overlapping another."""
    # same length, so that lines of the parser are lines of the text
    lines_text = text.replace("\r\n", " \n").replace("\r", "\n")
    starts = _line_starts(lines_text)
    found = [s for t in _tokens(lines_text) for s in _stretch(t, lines_text, starts)]
    return _without_overlap(_pre(text, found) + found)


def _tokens(text: str) -> list[Token]:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["reference", "lheading"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.parse(text)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    starts.append(len(text))
    return starts


def _stretch(token: Token, text: str, starts: list[int]) -> list[Stretch]:
    if token.map is None or token.type not in ("fence", "code_block", "blockquote_open"):
        return []
    first, after = token.map
    after = min(after, len(starts) - 1)
    if token.type == "fence":
        return [_fence(token, text, starts, first, after)]
    kind = "quote" if token.type == "blockquote_open" else "indented"
    end = starts[first] + len(text[starts[first] : starts[after]].rstrip())
    return [Stretch(kind, starts[first], end)]


def _fence(token: Token, text: str, starts: list[int], first: int, after: int) -> Stretch:
    """What is between the marks; what a reporter pasted on the opening line itself belongs to it."""
    begin = starts[first + 1] if first + 1 < len(starts) else starts[-1]
    opening = text[starts[first] : begin]
    if linear(_INFO).fullmatch(token.info.strip()) is None:
        begin = starts[first] + opening.find(token.markup) + len(token.markup)
    end = starts[after]
    last = text[starts[after - 1] : end].strip(" \t\n>")
    if after - 1 > first and last and not last.strip(token.markup[0]):
        end = starts[after - 1]
    return Stretch("fence", min(begin, end), end)


def _pre(text: str, known: list[Stretch]) -> list[Stretch]:
    """<pre>...</pre>, which the Markdown parser ends at the first empty line when it stands behind <details>."""
    found: list[Stretch] = []
    fences = [s for s in known if s.kind == "fence"]
    ends = [m.span() for m in linear(_PRE_END).finditer(text)]
    done = i = j = 0
    for opening in linear(_PRE).finditer(text):
        start = opening.end()
        while i < len(fences) and fences[i].end <= start:
            i += 1
        inside_fence = i < len(fences) and fences[i].start <= start
        if opening.start() < done or inside_fence:
            continue
        while j < len(ends) and ends[j][0] < start:
            j += 1
        if j == len(ends):
            break
        found.append(Stretch("fence", start, ends[j][0]))
        done = ends[j][1]
    return found


def _without_overlap(found: list[Stretch]) -> list[Stretch]:
    """The outermost of nested stretches; of two that cross, the earlier."""
    kept: list[Stretch] = []
    for s in sorted(found, key=lambda s: (s.start, -s.end)):
        if s.end > s.start and (not kept or s.start >= kept[-1].end):
            kept.append(s)
    return kept
