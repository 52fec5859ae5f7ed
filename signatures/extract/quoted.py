"""Error words in quotation marks inside a sentence of prose: what the words around them say of them.

A message on its own line, in a code block or in a log is not read here; it was printed. One that stands quoted inside
a sentence counts as the writer's failure where the sentence tells that it comes. Where the sentence denies it, it is
dismissed; where it does neither, the message is only named.
"""

from __future__ import annotations

from signatures.extract.quoted_words import AFFIRMS, ASKS, DENIALS, EXAMPLES, SOLVED, STAYS, SUPPOSES, WISHES, Q
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.values import NamedTuple

Range = tuple[int, int]
MAX_SENTENCE = 4000  # characters; what goes on longer is no sentence
MAX_READ = 400  # sentences of a block; what stands behind them is taken as only named
MAX_JOINED = 600  # characters of sentences that one message joins
_MIN_WORDS = 3  # of a message; fewer are a name

# Marks whose two ends differ, then those that look alike on both sides and so need space around them.
_PAIRED = r"“[^“”\n]+”|„[^„“”\n]+[“”]|«[^«»\n]+»|»[^«»\n]+«|「[^「」]+」|『[^『』]+』|‘[^‘’\n]+’|‹[^‹›\n]+›"
_LEFT = r"(?:^|[^\w\\:=/\"'`])"
_RIGHT = r"(?:$|[^\w\\/\"'`])"
_ALIKE = (
    r"(`[^`\n]+`)",
    _LEFT + r"(\"[^\s\"][^\"\n]*[^\s\"\\]\")" + _RIGHT,
    _LEFT + r"('[^\s'][^\n]{0,400}?[^\s'\\]')" + _RIGHT,
)
_ANY_MARK = r"[\"'`“„«»「『‘‹]"
_PATH = r"^(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/|https?:)\S*(?: \S+){0,3}$"
_WORDS = r"\p{L}{2,}"


class Quoted(NamedTuple):
    """Ranges of a block: messages that the writer denies, and those that he only names."""

    denied: tuple[Range, ...] = ()
    named: tuple[Range, ...] = ()


def read_quoted(raw: str) -> Quoted:
    """What a block of prose says of the messages that it quotes inside sentences."""
    if linear(_ANY_MARK).search(raw) is None:
        return Quoted()
    denied: list[Range] = []
    named: list[Range] = []
    read = 0
    for start, end in whole_sentences(raw):
        if end - start > MAX_SENTENCE:
            continue
        found = messages(raw[start:end])
        if not found:
            continue
        words = _around(raw[start:end], found)
        read += 1
        if read > MAX_READ:
            named.append((start, len(raw)))
            break
        examples = linear(EXAMPLES).search(words) is not None
        if linear(_WORDS).search(words.replace(Q, " ")) is None and not examples:
            continue
        if _is_denied(words):
            denied.append((start, end))
        elif examples or linear(AFFIRMS).search(words) is None:
            named += ((start + a, start + b) for a, b in found)
    return Quoted(tuple(denied), tuple(named))


def is_only_named(before: str, after: str) -> bool:
    """Whether a sentence that a block of output stands in the middle of denies it, or does not tell that it comes."""
    words = f"{before} {Q} {after}"
    if linear(EXAMPLES).search(words) or linear(WISHES).search(words) or _is_denied(words):
        return True
    return linear(AFFIRMS).search(words) is None


def is_said_to_be_over(sentence: str) -> bool:
    """Whether a sentence would deny a message that it quoted, by a word for what is solved or gone."""
    return linear(Q).search(sentence) is None and any(
        linear(SOLVED).search(words) is not None and _is_denied(words) for words in (f"{Q} {sentence}",)
    )


def messages(sentence: str) -> list[Range]:
    """Where a sentence holds a quoted message, with its marks: some words, and no path."""
    found: list[Range] = [m.span() for m in linear(_PAIRED).finditer(sentence)]
    for pattern in _ALIKE:
        found += (m.span(1) for m in linear(pattern).finditer(sentence))
    kept: list[Range] = []
    for start, end in sorted(found, key=lambda r: (r[0], -r[1])):
        inside = sentence[start + 1 : end - 1].strip()
        if (kept and start < kept[-1][1]) or linear(_PATH).match(inside):
            continue
        if sum(1 for _ in linear(_WORDS).finditer(inside)) >= _MIN_WORDS and not _stands_alone(sentence, start, end):
            kept.append((start, end))
    return kept


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a message is all that its line holds."""
    first, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    beside = text[first:start] + text[end : len(text) if after < 0 else after]
    return "\n" in text and linear(_WORDS).search(beside) is None


def whole_sentences(text: str) -> list[Range]:
    """The sentences, those joined that hold the parts of one quoted message: `There is no "A failed. B is used."`"""
    kept: list[Range] = []
    for start, end in sentence_spans(text):
        if kept and _is_open(text[kept[-1][0] : kept[-1][1]]) and end - kept[-1][0] < MAX_JOINED:
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return kept


def _is_open(sentence: str) -> bool:
    """Whether a quoted message begins in a sentence and does not end in it."""
    # “ ends a message that „ opened
    pairs = (("「", "」"), ("『", "』")) if "„" in sentence else (("「", "」"), ("『", "』"), ("“", "”"))
    if any(sentence.rfind(a) > sentence.rfind(b) for a, b in pairs):
        return True
    for mark in ('"', "'", "`"):
        opened = [m.start(1) for m in linear(r"(?:^|[\s(:])([" + mark + r"])\S").finditer(sentence)]
        closed = [m.start(1) for m in linear(r"\S([" + mark + r"])(?:[\s.,;:!?)]|$)").finditer(sentence)]
        if opened and (not closed or closed[-1] < opened[-1]):
            return True
    return False


def _around(sentence: str, found: list[Range]) -> str:
    """The sentence with one sign in place of each message."""
    parts: list[str] = []
    done = 0
    for start, end in found:
        parts += (sentence[done:start], Q)
        done = end
    return "".join((*parts, sentence[done:]))


def _is_denied(words: str) -> bool:
    if linear(ASKS).search(words):
        return linear(SUPPOSES).search(words) is not None
    return linear(STAYS).search(words) is None and any(linear(p).search(words) is not None for p in DENIALS)
