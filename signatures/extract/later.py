"""Versions that the reporter gives after the report: a correction, or a further one that fails as before.

A version without a name belongs to the product whose version was stated before and looks alike. What replaces an
earlier statement takes its place; what only adds to it stays beside it, and `kb` tells whether they agree.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.afterwards import later_words
from signatures.extract.dismissed import within
from signatures.extract.naming import cleaned, plain, says_nothing
from signatures.extract.negation import negated
from signatures.extract.neighbours import stands_free
from signatures.extract.over import stays
from signatures.extract.own_versions import states_own
from signatures.extract.releases import VERSION
from signatures.extract.sentences import sentence_spans
from signatures.linear import linear
from signatures.model import Fact, LogBlock, ProductNames, Role, Source, Span
from signatures.text import fold

_VERSION = r"(?:^|[^\w.@/<>=^~+-])(" + VERSION + r")"
_CORRECTS = (
    r"(?i)\b(?:correction|i was wrong|my (?:mistake|bad|fault|error)|typo|oops|whoops|i (?:meant|mistyped"
    r"|misread|mixed up)"
    r"|wrong version|actually|sorry|korrektur|ich meinte|vertippt|falsche version|erreur de ma part|je voulais dire"
    r"|correcci(?:ó|o)n|quise decir)\b|更正|纠正|写错|说错|訂正|間違え|間違い"
)
# words in front of a version that name nothing, beside those that `neighbours` knows
_FREE = (
    r"(?i)(?:^|[\s(:：,，])(?:ist|mit|auf|bei|unter|nach|es|avec|la|le|sur|est|en|con|versi(?:ó|o)n|c'est|meant|meinte"
    r"|dire|decir|says|said|and|tried)\s+[\x60*\"'(]{0,3}$|[^\x00-\x7f]\s?[\x60*\"'(]{0,3}$"
)
_PLANS = (
    r"(?i)\b(?:will|would|should|could|can|going to|plan\w*|hope\w*|wait\w*|tomorrow|please|release[ds]?"
    r"|available|if|'ll)\b"
)
_MAX_FOUND = 32
_MAX_QUOTE = 160
_STATED = (Source.PROSE, Source.FORM, Source.DIAGNOSTICS, Source.MANIFEST)


def with_later_versions(
    blocks: tuple[LogBlock, ...],
    facts: tuple[Fact, ...],
    products: tuple[ProductNames, ...],
    others: frozenset[int] = frozenset(),
) -> tuple[Fact, ...]:
    """The facts with what the reporter's later words say of the versions stated before them. `others`: indices of
    blocks whose words are known to be of another version."""
    known = {p.id: p for p in products}
    for number, block in enumerate(blocks):
        words = later_words(block) if block.role is Role.REPORTER else None
        if words is None or number in others:
            continue
        first, said = words
        for start, end in sentence_spans(said)[:_MAX_FOUND]:
            place = (first + start, first + end)
            sentence = block.raw[slice(*place)]
            replaces = block.span.post == 0 or stays(sentence) or linear(_CORRECTS).search(sentence) is not None
            own = [f for f in facts if f.key in known and _is_in(f, block, place)]
            if not own:
                own = list(_nameless(number, block, place, facts, known))
                facts = (*facts, *own)
            if replaces and own:
                facts = _replaced(facts, own)
    return facts


def _is_in(fact: Fact, block: LogBlock, place: tuple[int, int]) -> bool:
    origin = block.span.start
    span = fact.span
    return span is not None and span.post == block.span.post and origin + place[0] <= span.start < origin + place[1]


def _nameless(
    number: int, block: LogBlock, place: tuple[int, int], facts: tuple[Fact, ...], known: dict[str, ProductNames]
) -> Iterator[Fact]:
    start, end = place
    for found in linear(_VERSION).finditer(block.raw[start:end]):
        version = cleaned(found.group(1))
        at = start + found.start(1)
        stop = at + len(version)
        if says_nothing(version) or not _is_own(block, at, stop, (start, end)):
            continue
        for key in _owners(plain(version), facts, known):
            origin = block.span.start
            quote = fold(block.raw[start:end])[:_MAX_QUOTE]
            span = Span(block.span.post, origin + at, origin + stop)
            yield Fact(key, plain(version), Source.PROSE, quote, span, number)


def _is_own(block: LogBlock, at: int, stop: int, place: tuple[int, int]) -> bool:
    """Whether the sentence says that the reporter runs this version, or that it fails as before there."""
    raw = block.raw
    before, sentence = raw[place[0] : at], raw[slice(*place)]
    if not stands_free(raw, at, frozenset()) and linear(_FREE).search(before) is None:
        return False
    if stays(sentence):
        return linear(_PLANS).search(sentence) is None
    if within(block.dismissed, at, stop) or negated(raw, at, stop, version=True):
        return False
    return states_own(raw, at, stop)


def _owners(version: str, facts: tuple[Fact, ...], known: dict[str, ProductNames]) -> list[str]:
    """The products stated before whose versions look like this one, the most alike alone."""
    fits: dict[str, int] = {}
    numbers = _numbers(version)
    for f in facts:
        product = known.get(f.key)
        if product is None or linear(product.version).fullmatch(version) is None:
            continue
        stated = _numbers(f.value)
        if len(stated) == len(numbers):
            alike = next((i for i, (a, b) in enumerate(zip(stated, numbers, strict=True)) if a != b), len(numbers))
            fits[f.key] = max(fits.get(f.key, 0), alike)
    best = max(fits.values(), default=0)
    return [key for key, alike in fits.items() if alike == best and version]


def _numbers(version: str) -> list[str]:
    return plain(version).partition("+")[0].partition("-")[0].split(".")


def _replaced(facts: tuple[Fact, ...], own: list[Fact]) -> tuple[Fact, ...]:
    """The facts without what people stated earlier of these products. What a program printed stays."""
    first = {f.key: (f.span.post, f.span.start) for f in reversed(own) if f.span is not None}
    return tuple(
        f
        for f in facts
        if f.key not in first
        or f.source not in _STATED
        or f in own
        or (f.span is not None and (f.span.post, f.span.start) >= first[f.key])
    )
