"""Versions of products in running text and in form fields: a product's alias with a version a few words behind it.

Which product a shared word means is told by the shape of the version. A version that names no installed release
(`0.0.0`, `latest`, a range of a package manifest) states nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.negation import moved_to, negated
from signatures.extract.said import Said
from signatures.linear import escape, linear
from signatures.model import BlockKind, ProductNames, Source

_PLAIN_VERSIONS = ("1.2.3", "0.10.0", "1.20")
_BETWEEN = (
    r"[\s\"'\x60*_:=@(|\[\])]{0,12}(?:(?:version|versions|ver\.?|v\.|release|build|preview|tag|is|was|at|runtime"
    r"|native|package|core|crate|installed|currently|current"
    r"|nightly|library|python|js|cli|sdk|include|web|of|npm|nuget|pypi|wheel|commit id)[\s\"'\x60*_:=@(|\[]{1,6}){0,3}"
    r"(?:(?:from v?\d[\w.+-]* )?(?:back )?to )?"
)
_VERSION = r"v?\d+(?:\.\d+)+[0-9A-Za-z.+-]*"
_AFTER_ALIAS = r"(" + _BETWEEN + r")([~^<>!]{0,2}=?[ \t]?)(-?" + _VERSION + r")"
_LOOSE = r"(?:^|[\s(\[/:=\"'\x60,*])(" + _VERSION + r")"
_QUANTITY = r"(?i)^[ \t]?(?:%|x\b|[kmg]i?b\b|ms\b|s\b|sec|min|fps|tok)"
_ZERO = r"v?0+(?:\.0+)*(?:[+-].*)?"


class Releases:
    """Finds versions of the products it was given."""

    def __init__(self, products: tuple[ProductNames, ...]) -> None:
        self._products = products
        aliases = sorted({a for p in products for a in p.aliases}, key=len, reverse=True)
        self._owners: dict[str, list[ProductNames]] = {}
        for p in products:
            for a in p.aliases:
                self._owners.setdefault(a.casefold(), []).append(p)
        self._pattern = "(?i)(" + "|".join(map(escape, aliases)) + ")" + _AFTER_ALIAS if aliases else ""
        self._distinctive = [p for p in products if not any(linear(p.version).fullmatch(v) for v in _PLAIN_VERSIONS)]

    def labelled(self, label: str, value: str) -> list[tuple[str, str]]:
        """(product, version) pairs of a form field whose label names one or several products."""
        candidates = [p for p in self._products if label in p.labels]
        said = [(s.key, s.value) for s in self.named(value, BlockKind.LOG)]
        taken = {v for _, v in said}
        for found in linear(_LOOSE).finditer(value):
            version = _cleaned(found.group(1))
            fits = [p for p in candidates if linear(p.version).fullmatch(version)]
            if version not in taken and not said and len(fits) == 1 and not _says_nothing(version):
                said.append((fits[0].id, _plain(version)))
        return list(dict.fromkeys(said))

    def named(self, text: str, kind: BlockKind) -> Iterator[Said]:
        """Aliases with a version behind them; in prose only where the sentence does not say otherwise."""
        if not self._pattern or "." not in text:
            return
        for found in linear(self._pattern).finditer(text):
            (start, end), (at, after) = found.span(1), found.span(4)
            between, operator = found.group(2), found.group(3)
            wheel = text[at] == "-"
            apart = "\n\n" in between or any(c in operator for c in "<>~^!") or (wheel and between)
            if apart or not _is_name(text, start, end):
                continue
            version = _cleaned(text[at:after].lstrip("-"), wheel=wheel)
            owner = self._owner(found.group(1), version)
            if owner is None or _says_nothing(version) or linear(_QUANTITY).match(text[after : after + 8]):
                continue
            after = at + wheel + len(version)
            if _prose(kind) and not _is_reporters(text, start, after, between):
                continue
            source = _source(kind, text, start, text[end:after], wheel=wheel)
            yield Said(owner.id, _plain(version), source, start, after)

    def loose(self, text: str, kind: BlockKind, about: str) -> Iterator[Said]:
        """Versions whose shape belongs to one product alone, where `about` (the post, lower case) speaks of it."""
        for p in self._distinctive:
            if not any(a.casefold() in about for a in p.aliases):
                continue
            for found in linear(_LOOSE).finditer(text):
                version = _cleaned(found.group(1))
                if linear(p.version).fullmatch(version) is None or _says_nothing(version):
                    continue
                start = found.start(1)
                if _prose(kind) and negated(text, start, start + len(version), version=True):
                    continue
                source = Source.PROSE if _prose(kind) else Source.LOG
                yield Said(p.id, _plain(version), source, start, start + len(version))

    def _owner(self, alias: str, version: str) -> ProductNames | None:
        """The product that an alias with this version means.

        A version of a distinctive shape means the product of that shape where it is kin to what the sentence calls
        it: "LiteRT-LM 0.17.0-5" is a version of the native package.
        """
        owners = self._owners[alias.casefold()]
        fits = [p for p in owners if linear(p.version).fullmatch(version)]
        distinctive = [p for p in self._distinctive if linear(p.version).fullmatch(version)]
        kin = [p for p in distinctive if p in fits or any(_are_kin(p, o) for o in owners)]
        chosen = kin or fits
        return chosen[0] if len(chosen) == 1 else None


def version_value(text: str) -> str | None:
    """A version stated alone, as facts carry it; None where it states none."""
    version = _cleaned(text.strip())
    if linear(r"v?\d+[0-9A-Za-z.+-]*").fullmatch(version) is None or _says_nothing(version):
        return None
    return _plain(version)


def _are_kin(one: ProductNames, other: ProductNames) -> bool:
    return one.id.split("-")[0] == other.id.split("-")[0]


def _is_name(text: str, start: int, end: int) -> bool:
    """Whole words only: `onnxruntime` is not a word of `onnxruntime-genai` or of `microsoft/onnxruntime#1`."""
    before, after = text[start - 1 : start], text[end : end + 2]
    if before and (before.isalnum() or before in "_-/.#" or (before == "@" and text[start] != "@")):
        return before == "/" and text[max(start - 60, 0) : start].rstrip("/").endswith(
            ("site-packages", "node_modules")
        )
    if end - start <= 3 and _other_product(text, start):
        return False
    if after[:1].isalnum() or after[:1] in "_/#":
        return False
    return not (after[:1] in "-." and after[1:2].isalpha())


def _other_product(text: str, start: int) -> bool:
    """ "Android SDK", "Azure CLI": a short alias behind another proper name is not ours."""
    before = text[max(start - 30, 0) : start]
    words = before.split()
    if not words or not before.endswith(" ") or "\n" in before[-2:]:
        return False
    word = words[-1].strip("*_`(")
    return word[:1].isupper() and word.casefold() not in (
        "foundry",
        "local",
        "the",
        "current",
        "latest",
        "using",
        "my",
        "version",
        "windows",
    )


def _is_reporters(text: str, start: int, after: int, between: str) -> bool:
    if between.endswith("to "):
        return moved_to(text, start, after)
    return not negated(text, start, after, version=True)


def _source(kind: BlockKind, text: str, start: int, tail: str, *, wheel: bool) -> Source:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if wheel or "==" in tail or "@" in tail or "include" in tail.casefold() or '": "' in tail or "Include=" in line:
        return Source.MANIFEST
    if "--version" in text[start : start + 40]:
        return Source.DIAGNOSTICS
    if _prose(kind):
        return Source.FORM if ":" in tail and not line.strip(" \t-*•·_`>0123456789.") else Source.PROSE
    columns = not line.strip() and tail.startswith("  ") and not tail.strip(" v.0123456789abcdefrost+-")
    return Source.MANIFEST if columns else Source.LOG


def _prose(kind: BlockKind) -> bool:
    return kind in (BlockKind.PROSE, BlockKind.TITLE, BlockKind.QUOTE)


def _cleaned(token: str, *, wheel: bool = False) -> str:
    if wheel:
        found = linear(r"v?\d+(?:\.\d+)+").match(token)
        return found.group() if found else token
    return token.rstrip(".-+_")


def _plain(version: str) -> str:
    return version[1:] if version[:1] in "vV" else version


def _says_nothing(version: str) -> bool:
    return linear(_ZERO).fullmatch(version) is not None
