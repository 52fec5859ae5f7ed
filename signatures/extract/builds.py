"""Build numbers, which some products have for versions: llama.cpp's tags are b4886, its logs `build: 4886 (c23b16e4)`.

A bare number is too like a port or a year: it counts with the hash that programs print behind it, or in a field.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from signatures.linear import escape, linear
from signatures.model import ProductNames
from signatures.values import NamedTuple

_BETWEEN = (
    r"[\s\"'\x60*_:=@(|,]{1,6}(?:(?:version|ver\.?|build|release|tag|number|is|was|at|on|currently)"
    r"[\s\"'\x60*_:=@(|]{1,4}){0,3}"
)
_NAMED = r"(?i)(?:^|[^\w./-])(?:{names})" + _BETWEEN + r"(b\d{4,5})\b"
_CALLED = r"(?i)\b(?:build(?:_info| number)?|version|release|tag)(?: is)?[ \t\"'\x60*:=(]{1,4}(b\d{4,5})\b"
_PRINTED = r"(?i)\b(?:build|version)[ \t]{0,3}[:=][ \t]{0,3}(\d{4,5}) \([0-9a-f]{3,40}\)"
_ALONE = r"(?i)^[\s\"'\x60*]*(b?\d{4,5})(?:[\s\"'\x60*.]*$|[ \t]*[(,;\n])"


class Build(NamedTuple):
    product: str
    version: str  # b4886
    start: int
    end: int


def is_numbered(product: ProductNames) -> bool:
    """Whether a product's versions are build numbers."""
    return linear(product.version).fullmatch("b9999") is not None


def build_value(product: ProductNames, text: str) -> str | None:
    """A build number stated alone, with or without its letter; None where the product has none or it is none."""
    version = "b" + text.strip().casefold().removeprefix("b")
    return version if is_numbered(product) and linear(product.version).fullmatch(version) else None


def builds(text: str, product: ProductNames, *, spoken: bool) -> Iterator[Build]:
    """The build numbers that a text states of a product. `spoken`: whether the report speaks of it at all, so that a
    number that is called a build can be its own."""
    patterns = (_named(product.aliases), *((_CALLED, _PRINTED) if spoken else ()))
    seen: set[int] = set()
    for pattern in patterns:
        for found in linear(pattern).finditer(text):
            start, end = found.span(1)
            version = build_value(product, found.group(1))
            if version is not None and start not in seen:
                seen.add(start)
                yield Build(product.id, version, start, end)


def field_build(value: str, product: ProductNames) -> str | None:
    """The build number that a field of the product states."""
    alone = linear(_ALONE).match(value)
    if alone is not None:
        return build_value(product, alone.group(1))
    return next((b.version for b in builds(value, product, spoken=True)), None)


@lru_cache(maxsize=64)
def _named(aliases: tuple[str, ...]) -> str:
    return _NAMED.replace("{names}", "|".join(map(escape, sorted(aliases, key=len, reverse=True))))
