"""A bare version as the whole answer to "Which version do you run?": it belongs to the product that was asked about.

Only a question for the version in use counts, whose every word is one of such a question: "Which version worked?" asks
for another one, and "Which Python version?" for that of another program.
"""

from __future__ import annotations

from signatures.extract.naming import Mention, cleaned, plain, says_nothing
from signatures.extract.releases import VERSION, Releases
from signatures.extract.said import Said
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import BlockKind, IssueText, LogBlock, Post, Role, Source
from signatures.values import NamedTuple

MAX_ANSWER = 120  # characters
MAX_QUESTION = 4000  # characters of a post in which it is looked for a question
_MAX_BETWEEN = 4  # posts between a question and its answer
_MODEL = "model:"  # in front of a model's name, the key of its revision
_ASKS = r"(?i)\?[\s\"')*_\x60]*$|^\W*(?:\w+\W+){0,3}?(?:please|kindly)\b"
_OF_VERSIONS = r"(?i)\b(?:versions?|releases?|builds?|revisions?|one|ones|since|when|last|first|worked|fixed)\b"
# what is left of such a question without the product's name and without code
_QUESTION = """
    which what what's whats is are do does can could you your please kindly tell share provide post give state name
    mention add let me us know the a an exact exactly precise current currently version versions number release build of
    for in on with using use run running have got installed this that it it's here and or also so hi hello hey thanks
    thank sorry quick question output print prints show shows see machine system computer pc i.e ie
"""
_PLAIN = frozenset(_QUESTION.split())
# beside these, what a form's heading says of the version that it asks for
_HEADING = """
    os platform architecture hardware gpu environment details detail info information affected failing broken bug issue
    problem runtime full package packages product component cli sdk app python c# javascript js rust java nuget npm api
    commit id hash --version command required optional must copy paste whole
"""
_OF_FORMS = _PLAIN.union(_HEADING.split())
_CODE = r"\(?\x60[^\x60\n]*\x60\)?"
_WORD = r"[^\s,;:!?()\[\]\"*_]+"
_ANSWER = (
    r"(?i)^\W{0,4}(?:hi|hello|thanks?|sure|sorry|yes|of course|it'?s|it is|i(?:'m| am)? (?:on|use|using|have|run"
    r"|running)|mine is|version"
    r"|that'?s|the version is|@[\w-]{1,39})?[\s,:.!-]{0,4}(?:it'?s |it is |i (?:have|use|run) |version |on )?"
    r"[\x60*\"']{0,3}(" + VERSION + r")[\x60*\"'.!]{0,4}(?:[,.]? (?:thanks|thank you|sorry)[.!]?)?\s*$"
)
# the bot's own question for a model's revision (`kb.questions`), and its answer
_REVISION_OF = r"Which revision of (\S{1,200}) is it \(the number after the colon in its id\)\?"
_REVISION = (
    r"(?i)^\W{0,4}(?:(?:it'?s|it is|the|revision|number)[ \t]){0,3}[\x60*\"':#]{0,3}(?:v|rev\.? ?)?(\d{1,4})"
    r"[\x60*\"'.!]{0,4}\s*$"
)


class _Answer(NamedTuple):
    version: str
    start: int  # offset in the block
    asking: Post | None  # what it answers


class Replies:
    """Answers of the reporter in one thread."""

    def __init__(self, issue: IssueText, releases: Releases) -> None:
        self._issue = issue
        self._releases = releases

    def answered(self, block: LogBlock) -> Said | None:
        """The version that a block gives as its post's only words, in answer to what was asked before, or to the
        question that the post quotes."""
        found = self._answer(block)
        if found is None:
            return self._revision(block)
        product = self._meant(found)
        if product is None:
            return None
        return Said(product, plain(found.version), Source.PROSE, found.start, found.start + len(found.version))

    def answers_another(self, block: LogBlock) -> bool:
        """Whether a block answers a question for another version than the one in use: "Which one worked?"."""
        found = self._answer(block)
        if found is None or found.asking is None or self._meant(found) is not None:
            return False
        text = _visible(found.asking.text)
        asking = (text[a:b] for a, b in sentence_spans(text))
        return any(linear(_ASKS).search(x) is not None and linear(_OF_VERSIONS).search(x) is not None for x in asking)

    def asks_for_another(self, heading: str) -> bool:
        """Whether a form's heading asks for a version of a product that need not be the one in use."""
        here = self._releases.mentions(heading)
        asks = bool(here) and "version" in heading.casefold() and all(m.version is None for m in here)
        return asks and not _is_plain(heading, here, _OF_FORMS)

    def _revision(self, block: LogBlock) -> Said | None:
        """The revision of a model, a bare number in answer to the bot's question for it."""
        words, asking = self._reply(block)
        found = linear(_REVISION).match(words)
        if found is None or asking is None:
            return None
        asked = linear(_REVISION_OF).search(_visible(asking.text).replace("\\", ""))
        names = [asked.group(1)] if asked is not None else []
        names += [k[len(_MODEL) :] for k, known in asking.settled if k.startswith(_MODEL) and known == found.group(1)]
        start = block.raw.find(found.group(1))
        if not names or start < 0:
            return None
        return Said(f"{_MODEL}{names[0]}", found.group(1), Source.PROSE, start, start + len(found.group(1)))

    def _answer(self, block: LogBlock) -> _Answer | None:
        words, asking = self._reply(block)
        found = linear(_ANSWER).match(words)
        start = block.raw.find(found.group(1)) if found is not None else -1
        if found is None or start < 0:
            return None
        version = cleaned(found.group(1))
        return None if says_nothing(version) else _Answer(version, start, asking)

    def _reply(self, block: LogBlock) -> tuple[str, Post | None]:
        """The few words of a block's post, without what it quotes, and what they answer; "" where they are more."""
        number = block.span.post
        post = self._issue.posts[number] if number > 0 else None
        if post is None or not post.markdown or block.kind in (BlockKind.QUOTE, BlockKind.TITLE):
            return "", None
        lines = post.text[:MAX_QUESTION].split("\n")
        words = "\n".join(x for x in lines if not x.lstrip().startswith(">")).strip("\x60~ \t\r\n")
        if not words or len(words) > MAX_ANSWER:
            return "", None
        quoted = "\n".join(x.lstrip(" \t>") for x in lines if x.lstrip().startswith(">"))
        return words, Post(Role.OTHER, quoted) if quoted else self._asking(number)

    def _meant(self, answer: _Answer) -> str | None:
        """The product whose version it is: the one asked for whose versions look so."""
        version, _, asking = answer
        if asking is None:
            return None
        owners = {p.id: p for m in self._asked(asking.text) for p in (m.owners or m.candidates())}
        fits = [p.id for p in owners.values() if linear(p.version).fullmatch(version)]
        # a question that was answered is not shown any more
        fits = fits or list({k for k, known in asking.settled if _is_same(known, version)})
        return fits[0] if len(fits) == 1 else None

    def _asking(self, number: int) -> Post | None:
        """The post that this one answers: the nearest one of others that asks, or asked."""
        for post in reversed(self._issue.posts[max(number - _MAX_BETWEEN, 0) : number]):
            text = _visible(post.text)
            if post.role is not Role.REPORTER and (post.settled or self._is_question(text)):
                return post
            if linear(VERSION).search(text) is not None:
                return None
        return None

    def _is_question(self, text: str) -> bool:
        return any(linear(_ASKS).search(text[a:b]) is not None for a, b in sentence_spans(text))

    def _asked(self, text: str) -> list[Mention]:
        """The names in the questions of a text for a version in use; none where it asks for another version too."""
        named: list[Mention] = []
        text = _visible(text)
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if linear(_ASKS).search(sentence) is None or linear(_OF_VERSIONS).search(sentence) is None:
                continue
            here = self._releases.mentions(sentence)
            if not here or any(m.version is not None for m in here) or not _is_plain(sentence, here):
                return []
            named += here
        return named


def _visible(text: str) -> str:
    """What a post says openly: a question stands in no folded part."""
    return text[:MAX_QUESTION].partition("<details")[0]


def _is_plain(sentence: str, named: list[Mention], plain_words: frozenset[str] = _PLAIN) -> bool:
    for m in reversed(named):
        sentence = f"{sentence[: m.start]} {sentence[m.end :]}"
    for code in reversed(list(linear(_CODE).finditer(sentence))):
        sentence = f"{sentence[: code.start()]} {sentence[code.end() :]}"
    words = (m.group().casefold().strip("#./'\x60-–—") for m in linear(_WORD).finditer(sentence))
    return all(not w or w in plain_words or w.startswith("@") for w in words)


def _is_same(known: str, version: str) -> bool:
    return plain(known).partition("+")[0] == plain(version).partition("+")[0]
