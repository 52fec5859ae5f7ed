"""Versions of products in running text and in form fields: a product's name with a version near it.

Which product a shared word means is told by the shape of the version. Every version that the writer names as his own
is given, also further ones without a name ("0.10.0, and 0.10.1 too"). A version that names no installed release
(`0.0.0`, `latest`, a range of a package manifest) states nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.builds import builds, field_build, is_numbered
from signatures.extract.foreign import elsewhere
from signatures.extract.naming import Mention, Names, cleaned, plain, says_nothing
from signatures.extract.negation import came_with, moved_to, negated
from signatures.extract.neighbours import stands_free
from signatures.extract.own_versions import is_listed_as_another, states_own
from signatures.extract.said import Said
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import BlockKind, ProductNames, Source

MAX_ABOVE = 1000  # characters above a line of output in which its command is looked for
MAX_NAMED = 48  # names and versions of one sentence that are weighed
VERSION = r"v?\d+(?:\.\d+)+[0-9A-Za-z.+-]*"
_LOOSE = r"(?:^|[\s(\[/:=\"'\x60,*~>→])(" + VERSION + r")"
_OF = (
    r"(?i)(?:^|[\s(\x60*\"'])("
    + VERSION
    + r")[\x60*\"')]{0,3} (?:(?:version|release|build|preview) )?(?:of|for) (?:the |my |our |your )?"
    r"[\x60*\"']{0,3}$"
)
_ASIDE = (
    r"(?i)^(" + VERSION + r")[ \t]*\((?:but |while |and )?(?:with |in |on )?" + VERSION + r" (?:still |also )?"
    r"(?:works?|worked|is (?:fine|ok(?:ay)?)|was (?:fine|ok(?:ay)?)|runs fine)\b[^()\d]*\)\W*$"
)
_QUANTITY = r"(?i)^[ \t]?(?:%|x\b|[kmg]i?b\b|ms\b|s\b|sec|min|fps|tok)"
_OTHER_LINE = (
    r"(?i)found existing installation|uninstall|\bavailable\b.*(?:\d\.\d|->|→)|update available"
    r"|\bnew(?:er)? (?:version|release)|\brequire[sd]?\b"
    r"|\brequirement\b.*[<>]|\bdepends on\b|replaced by|incompatible|^\s*(?:#|//|/\*|<!--"
    r"|;)\s*[A-Za-z][^\n]*\b(?:requires?|needs?|tested|works|see|since|from"
    r"|e\.?g|example|note|todo|fixed)\b|\bexpected\b"
)


# commands, and those of them that list what can be had, not what is there
_COMMAND = (
    r"^[^\n]{0,60}?(?:^|[>$#%\s\x60])(?:pip3?|npm|yarn|pnpm|winget|conda|nuget|apt|apt-cache|brew|cargo|gh"
    r"|choco|dotnet)"
    r"[ \t]+[a-z][^\n]*$"
)
_LISTS_OFFERS = (
    r"\b(?:pip3? (?:index|search|download)|(?:npm|pnpm) (?:view|info|search)|yarn info|(?:winget|choco|conda|nuget"
    r"|cargo)"
    r" search|winget show|dotnet package search|apt(?:-cache)? (?:policy|search|madison)|gh release)\b"
)


def is_catalogue(above: str) -> bool:
    """Whether the last command in the text above some output lists what can be had: `pip index versions`."""
    for line in reversed(above[-MAX_ABOVE:].rstrip("\n").split("\n")):
        if linear(_COMMAND).search(line[:200]):
            return linear(_LISTS_OFFERS).search(line[:200]) is not None
    return False


class Releases:
    """Finds versions of the products it was given. `about` is what the report speaks of, in lower case."""

    def __init__(self, products: tuple[ProductNames, ...], about: str = "") -> None:
        self._products = products
        self._names = Names(products, about)
        self._numbered = [
            (p, any(a.casefold() in about for a in p.aliases) or self._names.is_spoken_of(p))
            for p in products
            if is_numbered(p)
        ]

    def labelled(self, label: str, value: str) -> list[tuple[str, str]]:
        """(product, version) pairs of a form field whose label names one or several products."""
        candidates = tuple(p for p in self._products if label in p.labels or self._names.calls(label, p))
        if not candidates:
            return []
        # "1.26.0 (1.24.4 works)": what stands in parentheses is another version, and the answer the one in front
        aside = linear(_ASIDE).match(value)
        found = self._prose(aside.group(1) if aside else value, field=candidates)
        numbers = ((p.id, build) for p in candidates if is_numbered(p) and (build := field_build(value, p)))
        return list(dict.fromkeys((*((s.key, s.value) for s in found), *numbers)))

    def named(self, text: str, kind: BlockKind) -> Iterator[Said]:
        """Names with a version behind them; in prose only where the sentence does not say otherwise."""
        yield from self._builds(text, kind)
        if "." not in text:
            return
        if is_prose(kind):
            yield from self._prose(text)
            return
        for m in self._names.mentions(text):
            if m.version is None or m.product is None or linear(_OTHER_LINE).search(_line(text, m.start, m.end)):
                continue
            at = text.rfind("\n", 0, m.start) + 1
            line = text[at : m.start]
            other = is_listed_as_another(_line(text, m.start, m.end), m.start - at, m.end - at)
            other = other or is_catalogue(text[max(at - MAX_ABOVE, 0) : at])
            if not linear(_QUANTITY).match(text[m.end : m.end + 8]) and not elsewhere(line[-200:]) and not other:
                yield Said(m.product.id, plain(m.version), _source(kind, text, m), m.start, m.end)

    def _builds(self, text: str, kind: BlockKind) -> Iterator[Said]:
        for p, spoken in self._numbered:
            for b in builds(text, p, spoken=spoken):
                if is_prose(kind):
                    if not negated(text, b.start, b.end, version=True) and states_own(
                        text, b.start, b.end, strict=False
                    ):
                        yield Said(b.product, b.version, Source.PROSE, b.start, b.end)
                elif not linear(_OTHER_LINE).search(_line(text, b.start, b.end)):
                    yield Said(b.product, b.version, Source.LOG, b.start, b.end)

    def loose(self, text: str, kind: BlockKind, about: str) -> Iterator[Said]:
        """Versions whose shape belongs to one product alone, where `about` (the post, lower case) speaks of it."""
        for p in self._names.distinctive:
            if not any(a.casefold() in about for a in p.aliases):
                continue
            for found in linear(_LOOSE).finditer(text):
                version = cleaned(found.group(1))
                if linear(p.version).fullmatch(version) is None or says_nothing(version):
                    continue
                start = found.start(1)
                if is_prose(kind) and not _is_own(text, start, start + len(version)):
                    continue
                source = Source.PROSE if is_prose(kind) else Source.LOG
                yield Said(p.id, plain(version), source, start, start + len(version))

    def mentions(self, text: str) -> list[Mention]:
        """The names of products in a text, in order."""
        return self._names.mentions(text)

    def _prose(self, text: str, field: tuple[ProductNames, ...] = ()) -> list[Said]:
        """The versions that sentences state. `field`: the products that a form's label names."""
        found: list[Said] = []
        mentions = self._names.mentions(text)
        scope: list[Mention] = [Mention(p, None, -1, -1, "") for p in field]
        fresh = bool(field)
        for start, end in sentence_spans(text):
            here = [m for m in mentions if start <= m.start < end]
            known = scope if fresh or not here else []
            read = False
            for m in here:
                if m.version is not None and m.product is not None:
                    read = True
                    if not linear(_QUANTITY).match(text[m.end : m.end + 8]) and self._is_reporters(
                        text, m, field=bool(field)
                    ):
                        found.append(
                            Said(m.product.id, plain(m.version), _source(BlockKind.PROSE, text, m), m.start, m.end)
                        )
            for said, m in self._further(text, (start, end), here, known, field=bool(field)):
                read = True
                if said is not None:
                    found.append(said)
                here.append(m)
            # a name counts for the next sentence, and on while versions follow one another
            fresh = read or bool(here)
            scope = [*known, *here][-MAX_NAMED:] if fresh else []
        return found

    def _further(
        self, text: str, sentence: tuple[int, int], here: list[Mention], scope: list[Mention], *, field: bool
    ) -> Iterator[tuple[Said | None, Mention]]:
        """Versions without a name of their own, for the products named before them."""
        start, end = sentence
        source = Source.PROSE
        if len(here) > MAX_NAMED:
            return  # a changelog, not what somebody runs
        for found in linear(_LOOSE).finditer(text[max(start - 1, 0) : end]):
            at = max(start - 1, 0) + found.start(1)
            version = cleaned(found.group(1))
            stop = at + len(version)
            if at < start or any(m.start <= at < m.end for m in here) or not self._is_bare(text, at, version):
                continue
            behind = self._names.behind(text, stop, end)
            if len(here) > MAX_NAMED:
                return
            before = [*scope, *(m for m in here if m.start < at)]
            for product in self._owners(version, [behind] if behind else before, field=field):
                own = self._names.words(product)
                if behind is None and not stands_free(text, at, own):
                    continue
                said = Said(product.id, plain(version), source, at, stop)
                mine = _is_own(text, at, stop, field=field)
                yield (said if mine else None), Mention(product, version, at, stop, "")

    def _is_bare(self, text: str, at: int, version: str) -> bool:
        before, after = text[max(at - 3, 0) : at], text[at + len(version) : at + len(version) + 8]
        path = before.endswith("/") and not before[:-1][-1:].isspace() and not before[:-1][-1:].isdigit()
        ranged = before.rstrip()[-1:] in ("<", "^", "~") or before.rstrip().endswith((">=", "<=", "~="))
        return not (path or ranged or says_nothing(version) or linear(_QUANTITY).match(after))

    def _owners(self, version: str, mentions: list[Mention], *, field: bool) -> list[ProductNames]:
        """The products among those named that a version without a name can belong to."""
        fits: dict[str, ProductNames] = {}
        near: dict[str, ProductNames] = {}
        for m in reversed(mentions):
            for p in m.candidates():
                if linear(p.version).fullmatch(version) is None:
                    continue
                distinct = p in self._names.shaped
                if m.version is None and (distinct or (field and m.start < 0)):
                    fits.setdefault(p.id, p)
                elif m.version is not None and m.product is p and _alike(version, m.version):
                    fits.setdefault(p.id, p)
                    if _alike(version, m.version, 2):
                        near.setdefault(p.id, p)
        return list(near.values()) or list(fits.values())

    def _is_reporters(self, text: str, m: Mention, *, field: bool) -> bool:
        if m.between.rstrip().casefold().endswith("to"):
            return field or moved_to(text, m.start, m.end)
        return _is_own(text, m.start, m.end, field=field)


def _is_own(text: str, start: int, end: int, *, field: bool = False) -> bool:
    if not field and came_with(text, start, end):
        return True
    return not negated(text, start, end, version=True, field=field) and states_own(text, start, end, field=field)


def version_value(text: str) -> str | None:
    """A version stated alone, as facts carry it; None where it states none."""
    version = cleaned(text.strip())
    if linear(r"v?\d+(?:\.\d+)*(?:[+-]?[0-9A-Za-z][0-9A-Za-z.+-]*)?").fullmatch(version) is None or says_nothing(
        version
    ):
        return None
    return plain(version)


def is_prose(kind: BlockKind) -> bool:
    return kind in (BlockKind.PROSE, BlockKind.TITLE, BlockKind.QUOTE)


def _alike(version: str, known: str, parts: int = 1) -> bool:
    """Versions of one product look alike: as many numbers, and the first ones the same."""
    a, b = (plain(v).partition("+")[0].partition("-")[0].split(".") for v in (version, known))
    return len(a) == len(b) and a[:parts] == b[:parts]


def _line(text: str, start: int, end: int) -> str:
    stop = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : stop if stop >= 0 else len(text)][:1000]


def _source(kind: BlockKind, text: str, m: Mention) -> Source:
    tail = m.between
    line = text[text.rfind("\n", 0, m.start) + 1 : m.start]
    if m.wheel or "==" in tail or "@" in tail or "include" in tail.casefold() or '": "' in tail or "Include=" in line:
        return Source.MANIFEST
    if text[m.start : m.start + 40].casefold().startswith(("foundry --version", "foundry -v")):
        return Source.DIAGNOSTICS
    if is_prose(kind):
        return Source.FORM if ":" in tail and not line.strip(" \t-*•·_`>0123456789.") else Source.PROSE
    columns = not line.strip() and tail.startswith("  ") and not tail.strip(" v.0123456789abcdefrost+-")
    return Source.MANIFEST if columns else Source.LOG
