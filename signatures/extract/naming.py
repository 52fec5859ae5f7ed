"""Names of products in a text, with the version right behind them where one stands there.

A name counts as a whole word. A short name that others use too ("CLI", "SDK", "GenAI") counts only in a report that
speaks of the product's family, and where no other product's word stands in front of it.
"""

from __future__ import annotations

from signatures.extract.neighbours import stands_free
from signatures.linear import escape, linear
from signatures.model import ProductNames
from signatures.values import NamedTuple

_PLAIN_VERSIONS = ("1.2.3", "0.10.0", "1.20")
_SHARED = 8  # letters; a name of one plain word up to this length, or of common words alone, is shared with others
_COMMON = frozenset(
    ("native", "runtime", "cli", "sdk", "preview", "genai", "ort", "foundry", "version", "local", "gallery")
)
_BETWEEN = (
    r"[\s\"'\x60*_:=@(|\[\]),]{0,12}(?:(?:version|versions|ver\.?|v\.|release|build|preview|tag|is|was|at|runtime"
    r"|native|package|core|crate|installed|currently|current|prints|says|shows|gives|reports|outputs|returns|number"
    r"|value"
    r"|nightly|library|python|js|cli|sdk|include|web|of|npm|nuget|pypi|wheel|commit id)[\s\"'\x60*_:=@(|\[]{1,6}){0,3}"
    r"(?:(?:from v?\d[\w.+-]* )?(?:back )?to )?"
)
_VERSION = r"v?\d+(?:\.\d+)+[0-9A-Za-z.+-]*"
_BEHIND = r"(?i)^(" + _BETWEEN + r")([~^<>!]{0,2}=?[ \t]?)(-?" + _VERSION + r")"
_STORED = r"(?i)^[\\/](" + _VERSION + r")(?:[\\/]|$)"  # a package cache keeps versions as folders
_CACHES = (
    ".nuget\\packages\\",
    ".nuget/packages/",
    "site-packages/",
    "site-packages\\",
    "node_modules/",
    "node_modules\\",
)
_RELEASED = ("releases/tag/", "releases/download/")
_OF = r"(?i)^[\x60*\"')]{0,3} (?:(?:version|release|build|preview) )?(?:of|for) (?:the |my |our )?[\x60*\"']{0,3}"
_ZERO = r"v?0+(?:\.0+)*(?:[+-].*)?"
_REACH = 200  # characters behind a name in which its version stands


class Mention(NamedTuple):
    """A product's name at `start`, up to the end of its version, if any. `product`: whose version it is."""

    product: ProductNames | None
    version: str | None
    start: int
    end: int
    between: str
    owners: tuple[ProductNames, ...] = ()
    wheel: bool = False

    def candidates(self) -> tuple[ProductNames, ...]:
        """The products that a further version can belong to."""
        return (self.product,) if self.product is not None else self.owners


class Names:
    """The names of the given products. `about`: all that the report says, in lower case."""

    def __init__(self, products: tuple[ProductNames, ...], about: str) -> None:
        self._about = about
        self._owners: dict[str, list[ProductNames]] = {}
        self._tokens: dict[tuple[str, str], tuple[ProductNames | None, str]] = {}
        for p in products:
            labels = (n for n in p.labels if not n.casefold().endswith((" version", " id")))
            for name in dict.fromkeys(n.casefold() for n in (*p.aliases, *labels)):
                self._owners.setdefault(name, []).append(p)
        names = sorted(self._owners, key=lambda n: (-len(n), n))
        self._pattern = "(?i)(?:" + "|".join(map(escape, names)) + ")" if names else ""
        self.shaped = [p for p in products if p.version != ProductNames("", ()).version]
        self.distinctive = [p for p in products if not any(linear(p.version).fullmatch(v) for v in _PLAIN_VERSIONS)]
        self._words = {
            p.id: frozenset(
                w for n in (*p.aliases, p.id.replace("-", " ")) for w in n.casefold().replace("-", " ").split()
            )
            | frozenset(n.casefold() for n in (*p.aliases, *p.labels))
            | frozenset(p.id[:at] for at, c in enumerate(p.id) if c == "-" and "-" in p.id[:at])
            for p in products
        }

    def words(self, product: ProductNames) -> frozenset[str]:
        """The words of a product's own names, in lower case."""
        return self._words[product.id]

    def calls(self, label: str, product: ProductNames) -> bool:
        """Whether a label in lower case is a name of the product, and in this report means it."""
        named = product in self._owners.get(label, ())
        return named and (not self._is_shared(label) or self.is_spoken_of(product))

    def mentions(self, text: str) -> list[Mention]:
        """The names in a text, in order, each with the version that stands right behind it."""
        found: list[Mention] = []
        if not self._pattern:
            return found
        done = 0
        for hit in linear(self._pattern).finditer(text):
            start, end = hit.span()
            if start < done or not self._is_name(text, start, end):
                continue
            mention = self._mention(text, start, end)
            found.append(mention)
            done = mention.end
        return found

    def behind(self, text: str, at: int, end: int) -> Mention | None:
        """The product of "version 0.10.0 [at] of the CLI", where a name stands there."""
        tail = text[at : min(end, at + 80)]
        of = linear(_OF).match(tail)
        if of is None or not self._pattern:
            return None
        hit = linear(self._pattern).match(tail[of.end() :])
        if hit is None:
            return None
        start = at + of.end()
        if not self._is_name(text, start, start + hit.end()):
            return None
        return Mention(None, None, start, start + hit.end(), "", tuple(self._owners[hit.group().casefold()]))

    def _mention(self, text: str, start: int, end: int) -> Mention:
        name = text[start:end].casefold()
        owners = tuple(self._owners[name])
        bare = Mention(None, None, start, end, "", owners)
        tail = text[end : end + _REACH]
        stored = linear(_STORED).match(tail) if text[max(start - 60, 0) : start].casefold().endswith(_CACHES) else None
        found = stored or linear(_BEHIND).match(tail)
        if found is None:
            return bare
        group = 1 if stored else 3
        between, operator = ("", "") if stored else (found.group(1), found.group(2))
        token = found.group(group)
        wheel = token[0] == "-"
        # "AI Toolkit (ORT GenAI) 0.14.0" is a version of what stands in front of the parenthesis
        outer = (
            ")" in between
            and "(" not in between
            and "(" in text[max(start - 2, 0) : start]
            and self._has_outer(text, start, owners)
        )
        if "\n\n" in between or any(c in operator for c in "<>~^!") or (wheel and between.strip()) or outer:
            return bare
        owner, version = self._meant(name, token)
        if owner is None:
            return bare
        at = end + found.start(group) + wheel
        return Mention(
            owner, version, start, at + len(version), between + operator, owners, wheel and name != "cli-preview"
        )

    def _has_outer(self, text: str, start: int, owners: tuple[ProductNames, ...]) -> bool:
        opening = text.rfind("(", max(start - 4, 0), start)
        return not any(stands_free(text, opening, self.words(p), joined=False) for p in owners)

    def _meant(self, name: str, token: str) -> tuple[ProductNames | None, str]:
        """The product that a name with a token behind it means, and the version that the token is. A log
        prints the same one on every line."""
        known = self._tokens.get((name, token))
        if known is None:
            version = cleaned(token.lstrip("-"), wheel=token[0] == "-")
            owner = None if says_nothing(version) else self._owner(tuple(self._owners[name]), version)
            known = self._tokens[name, token] = owner, version
        return known

    def _owner(self, owners: tuple[ProductNames, ...], version: str) -> ProductNames | None:
        """The product that a name with this version means.

        A version of a distinctive shape means the product of that shape where it is kin to what the sentence calls
        it: "LiteRT-LM 0.17.0-5" is a version of the native package.
        """
        fits = [p for p in owners if linear(p.version).fullmatch(version)]
        distinctive = [p for p in self.distinctive if linear(p.version).fullmatch(version)]
        kin = [p for p in distinctive if p in fits or any(_are_kin(p, o) for o in owners)]
        chosen = kin or fits
        return chosen[0] if len(chosen) == 1 else None

    def _is_name(self, text: str, start: int, end: int) -> bool:
        """Whole words only: `onnxruntime` is not a word of `onnxruntime-genai` or of `microsoft/onnxruntime#1`."""
        before, after = text[start - 1 : start], text[end : end + 2]
        lead = text[max(start - 60, 0) : start].casefold()
        if before and (before.isalnum() or before in "_-/\\.#" or (before == "@" and text[start] != "@")):
            return lead.endswith((*_CACHES, *_RELEASED))
        if after[:1].isalnum() or after[:1] in "_#":
            return False
        if after[:1] in ("/", "\\") and not lead.endswith(_CACHES):
            return False
        if after[:1] in ("-", ".") and after[1:2].isalpha():
            return False
        return not self._is_shared(text[start:end].casefold()) or self._is_ours(text, start, end)

    def _is_shared(self, name: str) -> bool:
        words = name.split()
        return (all(w in _COMMON for w in words) and len(words) < 3) or (len(words) == 1 and len(name) <= 3)

    def _is_ours(self, text: str, start: int, end: int) -> bool:
        owners = self._owners[text[start:end].casefold()]
        spoken = [p for p in owners if self.is_spoken_of(p)]
        return any(stands_free(text, start, self.words(p), joined=False) for p in spoken)

    def is_spoken_of(self, product: ProductNames) -> bool:
        """Whether the report speaks of the product's family at all, or prints what only that family prints."""
        if any(word.casefold() in self._about for word in product.spoken):
            return True
        family = product.id.split("-")[0]
        if family.startswith("onnx"):
            return "onnx" in self._about or linear(r"\bort 1\.\d\d\b").search(self._about) is not None
        return len(family) > 2 and family in self._about


def cleaned(token: str, *, wheel: bool = False) -> str:
    """A version as it stands in a text, without what follows it in a file name or a sentence."""
    if wheel:
        found = linear(r"v?\d+(?:\.\d+)+").match(token)
        return found.group() if found else token
    token = token.rstrip(".-+_")
    # an assembly's version has a fourth number, which packages do not
    return token[:-2] if linear(r"v?\d+\.\d+\.\d+\.0").fullmatch(token) else token


def plain(version: str) -> str:
    """A version without the `v` of a tag."""
    return version[1:] if version[:1] in ("v", "V") else version


def says_nothing(version: str) -> bool:
    """0.0.0, which builds print, and 1.2.x, which is a range."""
    return (
        linear(_ZERO).fullmatch(version) is not None or linear(r"(?i).*\.[x*](?:\..*)?").fullmatch(version) is not None
    )


def _are_kin(one: ProductNames, other: ProductNames) -> bool:
    return one.id.split("-")[0] == other.id.split("-")[0]
