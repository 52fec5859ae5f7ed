"""Facts of the reporter's environment, each with its place and its trust.

Only the reporter's own words count: not what a maintainer writes, not quotes of others, not what is negated or ruled
out. Contradictions are kept; deciding between them is not done here.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.builds import build_value
from signatures.extract.context import heading_of, is_remedy
from signatures.extract.dismissed import within
from signatures.extract.fields import (
    MAX_VALUE,
    Field,
    fields,
    heading_end,
    heading_field,
    meaningful,
    read_value,
    template_ranges,
)
from signatures.extract.implied import implied
from signatures.extract.later import with_later_versions
from signatures.extract.leads import is_anothers, is_remarked, whose
from signatures.extract.lines import printed_lines
from signatures.extract.mentions import mentions
from signatures.extract.own_versions import is_another, is_led_away
from signatures.extract.printed import literals, printed
from signatures.extract.redact import redact, redacted_part
from signatures.extract.releases import Releases, is_catalogue, version_value
from signatures.extract.replies import Replies
from signatures.extract.said import Said
from signatures.extract.vocabulary import Vocabulary, canonical, plain_label, values_of
from signatures.extract.wraps import goes_on
from signatures.linear import linear
from signatures.model import BlockKind, Fact, IssueText, LogBlock, ProductNames, Role, Source, Span
from signatures.text import fold

MAX_QUOTE = 160
MAX_LINE = 4_000  # characters of a line that are quoted whole
CLOSE_AT_START = 3 << 20  # characters of a post
CLOSE_AT_END = 1 << 20
MAX_HEAD = 2_000  # characters of unfenced output in which it is looked for words of a person
MAX_SPEECH = 200_000  # characters of a post in which it is looked for what it speaks of
MAX_PER_VALUE = 8  # places of one value in one post that are kept
_MOBILE = (
    r"(?i)android|logcat|/data/(?:app|user)/|libvndk|/vendor/lib|dlopen failed: (?:library|cannot locate)"
    r"|signal \d+ \(SIG[A-Z]+\), code"
    r"|\b(?:ios|iphone|ipad|pixel \d|galaxy|adreno|xclipse)\b|\bmali-?g?\d"
)
_OUTPUT = (BlockKind.FENCE, BlockKind.LOG)
_SPEECH = (Source.PROSE, Source.FORM, Source.MANIFEST)


def read_facts(
    issue: IssueText, blocks: tuple[LogBlock, ...], vocabulary: Vocabulary, products: tuple[ProductNames, ...]
) -> tuple[Fact, ...]:
    """Every fact of the reporter's environment, in the order of the text.

    The place of the issue is a fact of its own. One value is kept once per post and source, but in prose once per
    line, so that a report of several failures tells which system and version belong to which.
    """
    reader = _Reader(issue, blocks, vocabulary, products)
    section, asked, post = "", "", None
    for number, block in enumerate(blocks):
        section, asked = ("", "") if block.span.post != post else (section, asked)
        post = block.span.post
        if block.kind is BlockKind.PROSE:
            # the mark that closes a fence opens the block below it
            text = block.raw.lstrip("`~ \r\n")
            if heading_of(text):
                section, asked = heading_of(text), text.partition("\n")[0]
        if block.role is Role.REPORTER and not (block.kind is BlockKind.QUOTE and reader.is_of_others(block)):
            another = is_another(section) or whose(asked) is True or reader.asks_for_another(asked)
            another = another or is_anothers(issue, blocks, number)
            reader.read(number, block, remedy=is_remedy(section), another=another)
    others = frozenset(n for n, b in enumerate(blocks) if reader.answers_another(b))
    facts = with_later_versions(blocks, tuple(reader.facts), products, others)
    facts = (*facts, *_filed(issue, facts, vocabulary))
    return (*facts, *implied(facts, frozenset(p.id for p in products)))


def _filed(issue: IssueText, facts: tuple[Fact, ...], vocabulary: Vocabulary) -> Iterator[Fact]:
    """What the place of an issue says where its text says nothing: a report to llama.cpp is of llama.cpp."""
    repository = (issue.ref or "").partition("#")[0].casefold()
    stated = {f.key for f in facts}
    for key, value, name in vocabulary.filed:
        if name == repository and key not in stated:
            yield Fact(key, value, Source.PROSE, f"filed in {repository}"[:MAX_QUOTE], None)


def spoken(issue: IssueText) -> str:
    """All that the report and its address say, in lower case, as far as it is looked for a product's family there."""
    texts = (issue.ref or "", *issue.about, issue.title, *(p.text[:MAX_SPEECH] for p in issue.posts))
    return "\n".join(texts).casefold()


def given_fact(key: str, value: str, vocabulary: Vocabulary, products: tuple[ProductNames, ...]) -> Fact:
    """A fact that the caller states: a vocabulary key, a product (its id or a name of it) with a version, or
    `model:<name>` with a revision (`model` with `<name>:<revision>` is the same).

    Raises ValueError that lists the nearest keys or the values a closed key knows.
    """
    value = value.strip()
    quote = f"{key}={value}"[:MAX_QUOTE]
    if key in vocabulary.keys:
        known = canonical(vocabulary, key, value)
        if known is None:
            raise ValueError(f"{key} knows no value '{value}'; known are {', '.join(values_of(vocabulary, key))}")
        return Fact(key, known, Source.GIVEN, quote, None)
    if key == "model" and ":" in value:
        name, _, value = value.rpartition(":")
        key = f"model:{name}"
    if key.startswith("model:") and len(key) > 6 and value:
        return Fact(key, value, Source.GIVEN, quote, None)
    owners = _owners(key, products)
    if owners:
        version = next((b for p in owners if (b := build_value(p, value))), None) or version_value(value)
        fits = [p for p in owners if version is not None and linear(p.version).fullmatch(version)] or owners
        if version is None:
            raise ValueError(f"'{value}' is no version of {' or '.join(p.id for p in owners)}")
        if len(fits) > 1:
            raise ValueError(f"'{key}' names {' and '.join(p.id for p in fits)}; give one of these ids as the key")
        return Fact(fits[0].id, version, Source.GIVEN, quote, None)
    raise ValueError(f"unknown key '{key}'; nearest are {', '.join(_nearest(key, vocabulary, products))}")


def _owners(key: str, products: tuple[ProductNames, ...]) -> list[ProductNames]:
    """The product with this id, else those that are called so."""
    name = " ".join(key.casefold().replace("_", " ").split())
    exact = [p for p in products if p.id == key]
    return exact or [
        p
        for p in products
        if name in {" ".join(n.casefold().replace("_", " ").split()) for n in (p.id, *p.aliases, *p.labels)}
    ]


def _nearest(key: str, vocabulary: Vocabulary, products: tuple[ProductNames, ...]) -> list[str]:
    from difflib import get_close_matches

    valid = [*vocabulary.keys, *(p.id for p in products), "model:<name>"]
    called = {n.casefold(): p.id for p in products for n in (*p.aliases, *p.labels)}
    near = get_close_matches(key.casefold(), [*valid, *called], n=5, cutoff=0.4)
    return list(dict.fromkeys(called.get(n, n) if n not in valid else n for n in near)) or valid


class _Reader:
    def __init__(
        self, issue: IssueText, blocks: tuple[LogBlock, ...], vocabulary: Vocabulary, products: tuple[ProductNames, ...]
    ) -> None:
        self.facts: list[Fact] = []
        self._issue = issue
        self._blocks = blocks
        self._vocabulary = vocabulary
        self._labels = frozenset(
            (*(x for x, _ in vocabulary.labels), *(x for p in products for x in map(plain_label, p.labels)))
        )
        self._names = frozenset(plain_label(a) for p in products for a in p.aliases)
        self._releases = Releases(
            tuple(p._replace(labels=tuple(map(plain_label, p.labels))) for p in products), spoken(issue)
        )
        self._mobile = any(
            linear(_MOBILE).search(t[:MAX_SPEECH])
            for t in (issue.title, *(p.text for p in issue.posts if p.role is Role.REPORTER))
        )
        self._replies = Replies(issue, self._releases)
        self._products = frozenset(p.id for p in products)
        self._remedy = self._another = False
        self._headings = self._labels.union(vocabulary.sections)
        self._about: dict[int, str] = {}
        self._folded: dict[int, str] = {}
        self._literals: dict[int, set[tuple[str, str]]] = {}
        self._seen: dict[tuple[str, str, Source, int], int] = {}
        self._places: set[tuple[str, str, int, int]] = set()

    def is_of_others(self, block: LogBlock) -> bool:
        """Whether a quote is somebody else's text: it repeats an earlier post, or it is no program's output."""
        if not printed_lines(block.raw[:4000]):
            return True
        words = fold(block.raw[:2000])[:400]
        return any(words in self._folded_post(n) for n in range(block.span.post))

    def answers_another(self, block: LogBlock) -> bool:
        """Whether a block of the reporter answers a question for another version than his own."""
        return block.role is Role.REPORTER and self._replies.answers_another(block)

    def asks_for_another(self, heading: str) -> bool:
        """Whether a heading asks for a version that need not be the one in use."""
        return self._replies.asks_for_another(heading)

    def _folded_post(self, post: int) -> str:
        if post not in self._folded:
            self._folded[post] = fold(self._issue.posts[post].text[:MAX_SPEECH])
        return self._folded[post]

    def read(self, number: int, block: LogBlock, *, remedy: bool = False, another: bool = False) -> None:
        """Keep what a block states. `remedy`: it tells a way out, whose versions are not the failing ones. `another`:
        its heading, or a line at it, says that it is of another run ("Last working version"); then none of a product
        counts."""
        above = self._blocks[number - 1] if number else None
        if block.kind in _OUTPUT and above is not None and above.kind is BlockKind.PROSE:
            another = another or is_catalogue(above.raw.rstrip("`~ \n\t").rpartition("\n")[2])
        self._remedy, self._another = remedy, another
        post = block.span.post
        if not self._is_read_closely(block):
            for said in literals(block.raw, self._vocabulary, Source.LOG, self._literals.setdefault(post, set())):
                self._keep(said, number, block)
            return
        silent = list(template_ranges(block.raw))
        devices: list[tuple[int, int]] = []
        for said in self._labelled(number, block):
            line = (block.raw.rfind("\n", 0, said.start) + 1, said.end)
            (silent if said.key in self._products else devices).append(line)
            self._keep(said, number, block)
        answer = self._replies.answered(block)
        if answer is not None:
            self._keep(answer, number, block)
        if block.kind is BlockKind.PROSE:
            silent.append((0, heading_end(block.raw, self._headings)))
        for said in self._free(block, post):
            # "OS: Windows 11, CLI 0.10.0" names a product behind its answer
            answered = silent if said.key in self._products else (*silent, *devices)
            covered = said.source in _SPEECH and any(a <= said.start < b for a, b in answered)
            if not covered and not within(block.dismissed, said.start, said.end):
                self._keep(said, number, block)

    def _is_read_closely(self, block: LogBlock) -> bool:
        """A long log tells where it runs at its start, and what went wrong at its end."""
        post, start, end = block.span
        return start < CLOSE_AT_START or post < 0 or end > len(self._issue.posts[post].text) - CLOSE_AT_END

    def _labelled(self, number: int, block: LogBlock) -> Iterator[Said]:
        if block.kind is BlockKind.TITLE:
            return
        source = Source.DIAGNOSTICS if block.kind in _OUTPUT or self._is_diagnostics(block.raw) else Source.FORM
        # in a log "onnxruntime: ..." opens a message; in a form it is a label
        names = self._names if block.kind not in _OUTPUT else frozenset[str]()
        found = list(fields(block.raw, self._labels, names)) if any(c in block.raw for c in ":：=|\t") else []
        if not found:
            found, source = self._heading(number, block), Source.FORM
        for field in found:
            if within(block.dismissed, field.start, field.end):
                continue
            first = block.raw.rfind("\n", 0, field.start) + 1
            led_away = block.kind is BlockKind.PROSE and is_led_away(block.raw, first)
            for key, value in self._read(field.label, field.value):
                if led_away and key in self._products:
                    continue
                yield Said(key, value, source, field.start, field.end)

    def _heading(self, number: int, block: LogBlock) -> list[Field]:
        """The answer under a form heading, which may stand in code of its own."""
        if block.kind in _OUTPUT:
            above = self._blocks[number - 1] if number else None
            heading = heading_field(above.raw, self._labels) if above and above.span.post == block.span.post else None
            if heading is None or heading.value.strip("`~ \n"):
                return []
            return [Field(heading.label, block.raw[:MAX_VALUE].strip(), 0, min(len(block.raw), MAX_VALUE))]
        heading = heading_field(block.raw, self._labels) if block.kind is BlockKind.PROSE else None
        return [heading] if heading is not None and heading.value.strip("`~ \n") else []

    def _read(self, label: str, value: str) -> Iterator[tuple[str, str]]:
        value = meaningful(self._vocabulary, value)
        if value:
            yield from read_value(self._vocabulary, label, value)
            yield from self._releases.labelled(label, value)

    def _free(self, block: LogBlock, post: int) -> Iterator[Said]:
        output = block.kind in _OUTPUT
        source = Source.LOG if output else Source.PROSE
        skip = self._literals.setdefault(post, set())
        yield from printed(block.raw, self._vocabulary, source, skip, mobile=self._mobile)
        yield from self._releases.named(block.raw, block.kind)
        yield from self._releases.loose(block.raw, block.kind, self._post_text(post))
        if block.kind in (BlockKind.PROSE, BlockKind.TITLE):
            yield from mentions(block.raw, self._vocabulary)
        elif block.kind is BlockKind.LOG:
            yield from mentions(_head(block.raw), self._vocabulary)

    def _keep(self, said: Said, number: int, block: LogBlock) -> None:
        if said.key in self._products and (self._another or (self._remedy and said.source is not Source.LOG)):
            return
        post, origin, _ = block.span
        line = block.raw.rfind("\n", 0, said.start) + 1
        same = (said.key, said.value, said.source, post)
        kept = self._seen.get(same, 0)
        place = (said.key, said.value, number, line)
        limit = MAX_PER_VALUE if said.source in (Source.PROSE, Source.FORM) else 1
        if kept >= limit or place in self._places:
            return
        if said.key in self._products and block.kind in _OUTPUT and is_remarked(block.raw, said.start):
            return
        self._seen[same] = kept + 1
        self._places.add(place)
        if said.key == "gpu_line":  # its name begins with the vendor's
            self._keep(said._replace(key="gpu_vendor", value=said.value.partition("-")[0]), number, block)
        span = Span(post, origin + said.start, origin + said.end)
        value = redact(said.value)
        self.facts.append(Fact(said.key, value, said.source, _quote(block.raw, said, line), span, number))

    def _is_diagnostics(self, raw: str) -> bool:
        first = raw.lstrip().split("\n", 1)[0]
        return first.startswith("#") and plain_label(first) in self._vocabulary.diagnostics

    def _post_text(self, post: int) -> str:
        if post not in self._about:
            text = self._issue.title if post < 0 else self._issue.posts[post].text
            self._about[post] = text[:MAX_SPEECH].casefold()
        return self._about[post]


def _head(raw: str) -> str:
    """What somebody wrote directly above the first line that a program printed, without an empty line between."""
    first = next(iter(printed_lines(raw[:MAX_HEAD])), 0)
    return raw[:first]


def _quote(raw: str, said: Said, line: int) -> str:
    stop = raw.find("\n", said.end)
    stop = min(stop if stop >= 0 else len(raw), line + MAX_LINE)
    text = fold(raw[line:stop])
    if len(text) > MAX_QUOTE:
        text = redacted_part(raw, max(said.start - 40, line), said.start + 400)
    elif line and goes_on(raw, line):
        text = redacted_part(raw, line, stop)
    else:
        text = redact(text)
    return " ".join(text.split())[:MAX_QUOTE]
