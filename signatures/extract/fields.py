"""Labelled values: issue-form headings, `key: value` lines, bold labels, two-column tables.

A label says which keys its value may state; the value itself is read by what it spells. Template text
("[e.g. iOS 8.1]") and values that say nothing ("_No response_", "included with Foundry") give nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.negation import negated
from signatures.extract.own_versions import in_row_of_another
from signatures.extract.tables import cells
from signatures.extract.vocabulary import Vocabulary, plain_label, spelled
from signatures.linear import Found, escape, linear
from signatures.values import NamedTuple

MAX_VALUE = 600  # characters of a form field that are read
MAX_FORM = 16 * 1024  # characters; a longer block is output, where known labels are looked for one by one
MAX_OUTPUT_FIELDS = 64  # of one block of output

_PAIR = (
    r"(?m)^[ \t>]*(?:(?:[-*•·◦▪●+■]|\d{1,2}[.)])[ \t]+)?(?:\[[xX]\][ \t]+)?[*_`]{0,3}"
    r"(\w[^:：=\n|\t]{0,70}?)[ \t]*[*_`]{0,3}[ \t]*[:：=][*_`]{0,3}[ \t]*(\S[^\n]*)$"
)
_ROW = r"(?m)^[ \t]*(?:\|[ \t]*)?[*_`]{0,2}([A-Za-z][^|\t\n:]{1,60}?):?[*_`]{0,2}[ \t]*[|\t][ \t]*([^|\t\n]+)"
_INNER = r"[,;|•·][ \t]*[*_]{0,2}([A-Za-z][\w /]{1,40})[*_]{0,2}:[*_]{0,2}[ \t]+"
_TEMPLATE = r"(?i)[\[(](?:e\.?g\.?|ex\.|i\.e\.|please|for example|insert)[^\])\n]*[\])]|<!--[^>]*-->"
_UNCHECKED = r"(?m)^[ \t]*[-*][ \t]+\[ \][^\n]*$"
_OS_VERSION = (
    r"(?i)\b(?:windows|win|mac ?os(?: x)?|os x|ubuntu|debian|fedora|android|ios|ipados|chromeos|linux|darwin|rhel"
    r"|centos"
    r"|opensuse(?: leap)?|wsl2?|mint|manjaro|nixos)[ \t-]{0,3}(?:version |sdk |nt |desktop )?"
    r"((?:server )?\d[\w.]*(?:[ \t](?:Pro|Enterprise|Home|LTS|Education|IoT|LTSC|SP\d|R2|build|beta|insider|\d\d?H\d"
    r"|\d[\d.]{2,}))*)"
)
_FIRST_RELEASES = (
    ("android", 4),
    ("ios", 5),
    ("ipados", 13),
    ("macos", 10),
    ("mac os", 10),
    ("os x", 10),
    ("ubuntu", 10),
)
_UNSPELLED = (
    ("amd", r"^RX[ \t]?\d{3}"),
    ("apple", r"^M[1-5](?:[ \t](?:Pro|Max|Ultra))?$"),
    ("intel", r"^Arc[ \t][AB]\d"),
)
_LIBRARY = (
    r"(?i)\b(?:tensorflow lite|tflite|litert(?:[-_ ]lm)?|mediapipe|onnx ?runtime|ort|genai|llama\.cpp|ncnn|mnn"
    r"|executorch|sdk|library|runtime|native|package|aar|binding)[ \t]+(?:for[ \t]+)?$"
)
_WINDOWS = r"(?i)(?:server |xp\b|vista\b|(?:7|8|8\.1|10|11|20\d\d)(?:\b|\.0\.\d))"
_BARE_VERSION = r"(?i)^[^\d\n]{0,24}?(\d+(?:\.\d+)+|\d{2}H\d|\d{5}|\d{1,2}\b)"
_DRIVER = r"\d{2,}(?:\.\d+)+|\d+(?:\.\d+){2,}"
_ARCHES = r"(?i)\b(?:x64|x86|x86_64|arm64|aarch64|64-bit)\b"


class Field(NamedTuple):
    """A label as `plain_label` writes it and its value, [start, end) of the block."""

    label: str
    value: str
    start: int
    end: int


def fields(raw: str, known: frozenset[str], names: frozenset[str] = frozenset()) -> Iterator[Field]:
    """The labelled values of a block whose label is one of `known`; `names` are labels only where they open a line."""
    if len(raw) > MAX_FORM:
        yield from _output_fields(raw, known)
        return
    for found in linear(_PAIR).finditer(raw):
        label = plain_label(found.group(1))
        value, start = found.group(2), found.start(2)
        if found.group(1)[-1] in "<>~!^" or value[0] == "=":
            continue  # a package with the range of its versions
        if label in known or label in names:
            yield from _split(label, value, start, known)
        else:
            # "Hardware list. OS: Windows 11, GPU: ..." has its first known label further inside
            line = raw[found.start() : found.end()]
            yield from list(_split("", line, found.start(), known))[1:]
    for found in linear(_ROW).finditer(raw):
        label = plain_label(found.group(1))
        if (label in known or label in names) and not linear(r"-+").fullmatch(found.group(2).strip()):
            yield Field(label, found.group(2).strip(), *found.span(2))
    if "|" in raw and "--" in raw:
        for cell in cells(raw):
            label = plain_label(cell.header)
            value = raw[cell.start : cell.end].strip()
            if linear(r"\d\.\d").search(value) and in_row_of_another(raw, cell.start, cell.end):
                continue
            if (label in known or label in names) and value:
                yield Field(label, value, cell.start, cell.end)


def _output_fields(raw: str, known: frozenset[str]) -> Iterator[Field]:
    """The same for long output, which is full of `word: value` lines that are no fields."""
    labels = "|".join(escape(x) for x in sorted(known, key=lambda x: (-len(x), x)))
    pattern = rf"(?im)^[ \t>]*(?:[-*•·●][ \t]+)?[*_]{{0,3}}({labels})[*_]{{0,3}}[ \t]*[:=][*_]{{0,3}}[ \t]*(\S[^\n]*)$"
    seen: set[str] = set()
    for found in linear(pattern).finditer(raw):
        if found.group() not in seen and len(seen) < MAX_OUTPUT_FIELDS:
            seen.add(found.group())
            yield Field(plain_label(found.group(1)), found.group(2), *found.span(2))


def heading_field(raw: str, known: frozenset[str]) -> Field | None:
    """The value under a form heading that opens the block, or None. An empty value is a field with empty text."""
    stripped = raw.lstrip()
    first = stripped.split("\n", 1)[0]
    label = plain_label(first)
    if label not in known or len(first) > 200 or _answers_itself(first):
        return None
    start = len(raw) - len(stripped) + len(first)
    value = raw[start : start + MAX_VALUE]
    left = start + len(value) - len(value.lstrip())
    return Field(label, value.strip(), left, start + len(value.rstrip()))


def heading_end(raw: str, known: frozenset[str]) -> int:
    """Where the heading that opens a block ends; 0 where none does."""
    first = raw.lstrip().split("\n", 1)[0]
    bold = first.startswith("**") and first.rstrip(" :").endswith("**") and first.count("**") == 2
    if _answers_itself(first):
        return 0
    marked = (first.startswith("##") or bold) and len(first) < 200
    return raw.find(first) + len(first) if first and (marked or plain_label(first) in known) else 0


def _answers_itself(line: str) -> bool:
    """ "Foundry Local (CLI 0.10.0)" is no heading: its parenthesis tells the version."""
    return linear(r"\([^)]*\d\.\d").search(line) is not None and not line.startswith("#")


def template_ranges(raw: str) -> Iterator[tuple[int, int]]:
    """Text of an issue template that the reporter left: "[e.g. iOS 8.1]", HTML comments, unchecked boxes."""
    if "[" in raw or "<!--" in raw:
        for pattern in (_TEMPLATE, _UNCHECKED):
            yield from (m.span() for m in linear(pattern).finditer(raw))


def read_value(vocabulary: Vocabulary, label: str, value: str) -> list[tuple[str, str]]:
    """(key, value) pairs that a labelled value states; `value` as `meaningful` gives it."""
    said: list[tuple[str, str]] = []
    for known, key in vocabulary.labels:
        if known == label:
            said += ((key, v) for v in _values(vocabulary, key, label, value) if v)
    return said


def meaningful(vocabulary: Vocabulary, value: str) -> str:
    """A form value without template text; empty where it says nothing."""
    for pattern in (_TEMPLATE, _UNCHECKED):
        for found in reversed(list(linear(pattern).finditer(value))):
            value = value[: found.start()] + " " + value[found.end() :]
    value = value.strip(" \t\r\n*_`[]|").strip()
    lower = value.casefold().strip(" .*_[]()")
    if not lower or lower in vocabulary.unknown or f"_{lower}_" in vocabulary.unknown:
        return ""
    return "" if lower.startswith(("included with", "bundled with", "comes with", "see ", "e.g")) else value


def os_versions(value: str) -> list[str]:
    """Versions that stand behind the name of an operating system: '11 Enterprise 26200'."""
    found: list[str] = []
    for m in linear(_OS_VERSION).finditer(value):
        version = _without_arch(m.group(1))
        windows = m.group().casefold().startswith("win") and linear(_WINDOWS).match(version) is None
        # "Windows 0.17.0-5" names a build of something else for Windows, "TensorFlow Lite Android 2.14" one for Android
        if version and not windows and value[m.end() : m.end() + 1] != "-" and not _is_library(value, m):
            found.append(version)
    return found


def _is_library(value: str, m: Found) -> bool:
    """Whether a version behind a system's name is that of a library for it: no such system was ever released, or the
    library's name stands in front."""
    name = m.group().casefold()
    least = next((least for system, least in _FIRST_RELEASES if name.startswith(system)), 0)
    if int(linear(r"\d+").search(m.group(1)).group()) < least:  # type: ignore[union-attr]  # it begins with a number
        return True
    return ends_with_library(value[max(m.start() - 40, 0) : m.start()])


def ends_with_library(before: str) -> bool:
    """Whether the last words of `before` name a library, of which a system's name behind them is a part."""
    return linear(_LIBRARY).search(before) is not None


def unspelled_vendor(gpu: str) -> list[str]:
    """The vendor of a GPU by a well-known name that does not spell it, if it begins with one."""
    return [v for v, pattern in _UNSPELLED if linear(pattern).search(gpu)]


def _values(vocabulary: Vocabulary, key: str, label: str, value: str) -> list[str]:
    line = value.split("\n", 1)[0].strip(" \t\r*_`")
    if key == "os_version":
        return _os_version(label, value)
    if key == "driver":
        found = linear(_DRIVER).search(value)
        return [found.group()] if found else []
    if key == "gpu":
        return (
            [line[:120]]
            if spelled(vocabulary, "gpu_vendor", line) or label.startswith(("gpu", "graphics", "card"))
            else []
        )
    if key in vocabulary.open_keys and key != "api":
        return [line[:80]] if any(c.isalpha() for c in line) else []
    hits = [v for v, a, b in spelled(vocabulary, key, value) if not negated(value, a, b)]
    if not hits and key == "gpu_vendor":
        hits = unspelled_vendor(line)
    if not hits and key == "api":
        pieces = line.replace("/", ",").replace("&", ",").split(",")
        hits = [v for p in pieces for v, _, _ in spelled(vocabulary, key, p.strip())]
    return list(dict.fromkeys(hits))


def _os_version(label: str, value: str) -> list[str]:
    found = os_versions(value)
    if not found and "version" in label:
        bare = linear(_BARE_VERSION).search(value)
        if bare and not linear(_ARCHES).search(bare.group()):
            found = [bare.group(1)]
    return list(dict.fromkeys(found))


def _without_arch(text: str) -> str:
    for found in linear(_ARCHES).finditer(text):
        return text[: found.start()].strip()
    return text.strip(" .")


def _split(label: str, value: str, start: int, known: frozenset[str]) -> Iterator[Field]:
    """A line may hold several pairs: 'OS: Windows 11, GPU: Arc 140V'."""
    at = 0
    for inner in linear(_INNER).finditer(value):
        name = plain_label(inner.group(1))
        if name in known:
            yield Field(label, value[at : inner.start()].strip(), start + at, start + inner.start())
            label, at = name, inner.end()
    yield Field(label, value[at:].strip(), start + at, start + len(value))
