"""Commands that people write to the bot in comments: `/triage wrong` at the start of a line.

A command stands in running text alone: not in code, a quote, a list, a table, a hidden comment or inside an element of
HTML such as `<details>`, since a report may hold anything and logs are folded away; and not below the line with which a
mail program begins what is answered. Other bots take `/triage` as well
(https://prow.k8s.io/command-help), so a word that is none of ours is somebody else's. What a command is allowed to do
is decided by whoever carries it out.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from signatures.linear import linear

MAX_COMMANDS = 5  # in one comment
MAX_ARGUMENT = 300  # characters
_LARGEST = 65_536  # characters: GitHub's own limit of a comment
_CALL = "/triage"
_LONGEST = 4096  # characters of a paragraph in which a command is heard,
_READ = 16_384  # and of all paragraphs of a comment: emphasis and links take more than linear time
# what is inside one of these is shown folded, quoted or set off; GitHub takes no element that hides more
_SETS_OFF = (
    r"(?is)<!--.*?-->|<(/?)(details|summary|blockquote|pre|code|samp|kbd|tt|table|[uo]l|dl|div|del|ins|strike|s|q|h[1-6]"
    r"|picture|figure|figcaption|ruby|su[bp]|center|section|article|aside|svg|math|textarea|script|style|iframe)\b"
    r"(?:\"[^\"]*\"|'[^']*'|[^\"'>])*(>?)"
)
# with which mail programs begin what is answered, whose lines then bear no mark
_QUOTES_ALL = (
    r"(?im)^[ \t*_]*(?:"
    r"-{2,}[^-\n]{0,40}\b(?:message|nachricht|mensaje|mensagem|messaggio|bericht|meddelande)\b[^\n]{0,40}-{2,}"
    r"|(?:from|von|de|da|van|från|fra|od|от|发件人|寄件者|差出人)[ \t\x{a0}]?[:：][*_]{0,3}[ \t\x{a0}]*\S"
    r"|(?:on|am|le|el|em|il|op|den)\b[^\n]*\d[^\n]*(?:\n[^\n]*){0,2}?"
    r"\b(?:wrote|schrieb|a[ \x{a0}]écrit|escribió|escreveu|ha[ \x{a0}]scritto|schreef|skrev)\b"
    r"[^\n]{0,200}(?:\n[^\n]{0,200})?:[ \t*_]*$"
    r"|[^\n]*<[^<>\s]+@[^<>\s]+>[^\n]{0,40}[:：][ \t*_]*$"
    r")"
)
_ENDLESS = "<"  # the element of a tag without an end
_FOOTNOTE = r"(?m)^[ \t]*&#91;\^[^\]\s]+\]:"  # as `_lines` writes it
_ID = r"[\w.]+(?:[-_][\w.]+)+"  # as ids of problems are written, and words of a sentence hardly ever


class Verb(StrEnum):
    """`rerun`, `why` and `check` change nothing that a maintainer decides, so a reporter may use them as well."""

    RERUN = "rerun"
    WHY = "why"
    CHECK = "check"
    WRONG = "wrong"
    KNOWN = "known"
    NOT = "not"
    POST = "post"
    OFF = "off"
    ON = "on"


HARMLESS = frozenset({Verb.RERUN, Verb.WHY, Verb.CHECK})
_NEEDS = {
    Verb.CHECK: "a model, such as hf:owner/name@revision",
    Verb.KNOWN: "the id of a problem",
    Verb.NOT: "the id of a problem",
}
_OF_PROBLEMS = (Verb.KNOWN, Verb.NOT)
_TAKES = frozenset({*_NEEDS, Verb.WRONG})  # a reason, for `wrong`


class Command(NamedTuple):
    """One command as it was written. `fault` says in a sentence why it cannot be carried out, "" where it can.
    `reason`: what stands behind the id of a problem; that of `wrong` is its argument."""

    verb: Verb
    argument: str
    fault: str = ""
    reason: str = ""


def commands(text: str) -> tuple[Command, ...]:
    """The commands of a comment in order; at most MAX_COMMANDS, and none of a text longer than a comment can be."""
    if len(text) > _LARGEST or _CALL not in text.lower():
        return ()
    return _heard(text)


@lru_cache(256)  # a thread is read again at each of its events
def _heard(text: str) -> tuple[Command, ...]:
    found = (_command(line) for line in _lines(text) if _calls(line) and line[len(_CALL) :][:1].isspace())
    return tuple(command for command in found if command is not None)[:MAX_COMMANDS]


def is_for_bots(text: str) -> bool:
    """Whether a comment is nothing but lines such as `/assign` and `/triage accepted`, and what they quote: words for
    some bot, not for the reporter."""
    words = [line.split()[0] for line in text.splitlines() if line.strip() and not line.lstrip().startswith(">")]
    return bool(words) and all(word[0] == "/" and word[1:].replace("-", "").isalpha() for word in words)


def _calls(line: str) -> bool:
    return line[: len(_CALL)].lower() == _CALL


def _command(line: str) -> Command | None:
    word, *rest = line[len(_CALL) :].split() or [""]
    word = word.rstrip(".,:;").lower()
    argument = " ".join(rest)[:MAX_ARGUMENT]
    if word not in list(Verb):
        return None
    verb = Verb(word)
    if verb in _NEEDS and not argument:
        return Command(verb, "", f"`{_CALL} {verb}` needs {_NEEDS[verb]}")
    if verb in _OF_PROBLEMS:
        problem, _, reason = argument.partition(" ")
        problem = problem.rstrip(".,:;")
        # another word is said to another bot, such as `/triage not reproducible`
        return Command(verb, problem, reason=reason) if linear(_ID).fullmatch(problem) is not None else None
    if argument and verb not in _TAKES:
        return Command(verb, "", f"`{_CALL} {verb}` takes nothing behind it")
    return Command(verb, argument)


def _lines(text: str) -> list[str]:
    """The lines of a comment's own paragraphs: nothing of quotes, lists, tables, headings or HTML, and nothing below
    where a mail program quotes all that follows."""
    # a line of dashes below makes no heading here: so ends what is answered by mail
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.disable(["lheading", "text_join", "inline", "image"])  # a picture is read as the link that it holds
    lines: list[str] = []
    inside = _Inside(text)
    block = ""
    links: dict[str, Any] = {}
    left = _READ
    # a footnote is not the definition of a link, as which it would vanish
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").replace("[^", "&#91;^")
    mailed = linear(_QUOTES_ALL).search(plain) is not None
    for token in parser.parse(plain, links):
        if token.type == "html_block" and token.level == 0:
            inside.follow(token.content)
        elif token.type == "inline" and token.level == 1:
            mail = linear(_QUOTES_ALL).search(token.content) if mailed else None
            content = token.content[: mail.start()] if mail is not None else token.content
            note = linear(_FOOTNOTE).search(content)
            spoken = content[: note.start()] if note is not None else content
            left -= len(spoken)
            unread = len(spoken) > _LONGEST or left < 0
            found = [] if unread else _spoken(parser.inline.parse(spoken, parser, links, []) or [], inside)
            inside.follow(content if unread else content[len(spoken) :])
            lines += found if block == "paragraph_open" else []
            if mail is not None:
                break
        block = token.type
    return lines


class _Inside:
    """The elements of HTML that are open at a place of a comment."""

    def __init__(self, text: str) -> None:
        self._open: Counter[str] = Counter()
        self._closed: Counter[str] = Counter()
        self._text = text.lower()
        self._closing: dict[str, int] = {}

    def anything(self) -> bool:
        return bool(self._open.total())

    def follow(self, html: str, *, named: bool = False) -> None:
        """Count the elements that a piece of HTML opens and closes; a comment does neither. A tag that does not end
        there takes in what follows. `named`: it stands behind words in a line, where `List<table>` is no HTML to its
        writer; then it opens nothing that is not closed further on."""
        for found in linear(_SETS_OFF).finditer(html):
            closes, name, ended = found.group(1), (found.group(2) or "").lower(), found.group(3)
            if name and not ended:
                self._open[_ENDLESS] += 1
                return
            if closes:
                self._closed[name] += 1
                self._open[name] = max(0, self._open[name] - 1)
            elif name and not (named and self._is_left_open(name)):
                self._open[name] += 1

    def _is_left_open(self, name: str) -> bool:
        if name not in self._closing:
            self._closing[name] = self._text.count(f"</{name}")
        return self._closing[name] <= self._closed[name]


def _spoken(children: list[Token], inside: _Inside) -> list[str]:
    """The lines of one paragraph that are plain text from their first character on: not escaped, not inside code, HTML,
    a link, emphasis or a formula that began earlier. `inside` is kept up to date."""
    lines: list[str] = []
    line: str | None = None if inside.anything() else ""
    depth = marks = 0
    begun = False
    for child in children:
        depth += child.nesting
        named, begun = begun, True
        if child.type in ("softbreak", "hardbreak"):
            lines += [line] if line else []
            line = "" if depth == 0 and marks % 2 == 0 and not inside.anything() else None
            begun = False
        elif child.type == "html_inline":
            inside.follow(child.content, named=named)
            line = line or None
        elif child.type == "text":
            marks += child.content.count("$$")
            line = line + child.content if line is not None else None
        else:
            # an escape, or code: part of a line that has begun, and no beginning of one
            line = line + child.content if line else None
    return [*lines, line] if line else lines
