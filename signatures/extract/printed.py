"""What programs print about where they run: adapter lines, provider lists, libraries, and the literals of
vocabulary.toml that prove a value.

Sentences are not read here. A software adapter counts only where an adapter line says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from signatures.extract.said import Said
from signatures.extract.vocabulary import Vocabulary, canonical, spelled
from signatures.index import MIN_SQUEEZED
from signatures.linear import any_of, linear
from signatures.model import Source
from signatures.text import Way, clean, fold_clean, squeeze_clean

MAX_FOLDED = 32 * 1024  # characters
MAX_LIBRARIES = 500  # names looked at in one block
MAX_LINES = 64  # different lines of one kind in one block
_ADAPTER = (
    r"(?i)(?:(?:selected|using|chosen|picked) adapter ?[:=] ?|\bdeviceName[ \t]*=[ \t]*|\bGL_RENDERER ?[:=] ?"
    r"|\badapter_?name ?[:=] ?"
    r"|\bVulkan\d{1,2}: |ggml_vulkan: \d{1,2} = |AdapterInfo \{ name: \""
    r"|\bCard name: )([^,|\n\"(]{2,}(?:\([^()\n]*\))?)([^\n]*)"
)
_ADAPTER_TYPE = r"(?i)\b(?:adapterType|deviceType|device_type)\s{0,30}[=:]\s{0,3}([A-Za-z_]+(?: GPU| / Software)?)"
_PART = r"(?i)\b(vendor|backend) ?= ?([\w ]{2,30})"
_PROVIDERS = (
    r"(?:when using|providers? ?[=:]|provider_names ?[=:]"
    r"|Available providers:|execution_providers ?[=:]) *[\[(]([^\])\n]{3,})[\])]"
)
_PROVIDER = r"\b([A-Za-z]+ExecutionProvider)\b"
_OPTION = (
    r"(?i)(--(?:backend|ep|execution[_-]provider|device|provider)[= ][\"']?|\bdevice ?: ?[\"']"
    r"|executionProviders ?: ?\[ ?[\"'])([A-Za-z0-9-]{2,30})"
)
_LIBRARY = r"\b[\w+-]{2,60}\.(dll|so|dylib)\b"
_DRIVER = r"(?i)\bdriver(?:Info| version)?[ \t]{0,12}[:=][ \t]{0,3}(?:NVIDIA |Mesa )?(\d+(?:\.\d+)+)"


def printed(
    raw: str, vocabulary: Vocabulary, source: Source, skip: set[tuple[str, str]], *, mobile: bool
) -> Iterator[Said]:
    """Facts that program output in `raw` proves.

    `skip` holds literals already found in this post, and grows. `mobile`: the report speaks of a phone, where a
    shared library says nothing about the desktop.
    """
    yield from literals(raw, vocabulary, source, skip)
    lower = raw.casefold() if len(raw) <= 1 << 16 else raw
    if "adapter" in lower or "devicename" in lower or "renderer" in lower or "vulkan" in lower or "card name" in lower:
        yield from _adapters(raw, vocabulary, source)
    if "type" in lower:
        yield from _adapter_types(raw, vocabulary, source)
    if "ExecutionProvider" in raw:
        yield from _providers(raw, source)
    if "--" in raw or "device" in raw or "executionProviders" in raw:
        yield from _options(raw, vocabulary)
    if ".dll" in raw or ".so" in raw or ".dylib" in raw:
        yield from _libraries(raw, source, mobile=mobile)
    if "river" in raw:
        yield from (
            Said("driver", m.group(1), source, *m.span()) for m in islice(linear(_DRIVER).finditer(raw), MAX_LINES)
        )


def literals(raw: str, vocabulary: Vocabulary, source: Source, skip: set[tuple[str, str]]) -> Iterator[Said]:
    """Values that the literals of vocabulary.toml prove. `skip` holds those already found in this post, and grows."""
    # a long log is no console's paste: nothing wrapped its lines, and folding it would cost more than reading it
    whole = len(raw) > MAX_FOLDED
    cleaned = raw if whole else clean(raw)
    text = raw if whole else fold_clean(cleaned)
    # what a console broke inside a word is whole without its whitespace
    tight = "" if whole or "\n" not in cleaned else squeeze_clean(cleaned)
    ways: dict[bool, Way] = {}
    if whole:
        left = tuple(literal for key, _, literal in vocabulary.printed if (key, literal) not in skip)
        if not left or any_of(left).search(text) is None:
            return
    for key, value, literal in vocabulary.printed:
        if (key, literal) in skip or (source is Source.PROSE and key == "adapter_type"):
            continue
        at, wanted, broken = text.find(literal), literal, False
        if at < 0:
            if not tight:
                continue
            wanted, broken = literal.replace(" ", ""), True
            at = tight.find(wanted) if len(wanted) >= MIN_SQUEEZED else -1
        if at < 0 or (key == "ep" and at and (tight if broken else text)[at - 1] == "_"):
            continue
        if source is not Source.PROSE:
            skip.add((key, literal))
        if whole:
            yield Said(key, value, source, at, at + len(literal))
        else:
            if broken not in ways:
                ways[broken] = Way(cleaned, squeezed=broken, cleaned=True)
            yield Said(key, value, source, *ways[broken].back(at, at + len(wanted)))


def _adapters(raw: str, vocabulary: Vocabulary, source: Source) -> Iterator[Said]:
    seen: set[str] = set()
    for found in linear(_ADAPTER).finditer(raw):
        if found.group() in seen or len(seen) > MAX_LINES:
            continue
        seen.add(found.group())
        name, rest = found.group(1).strip(), found.group(2)
        start, end = found.start(), found.start() + len(found.group().rstrip())
        yield Said("adapter", name, source, start, end)
        soft = [v for v, _, _ in spelled(vocabulary, "adapter_type", name) if v == "software"]
        kind = linear(_ADAPTER_TYPE).search(rest)
        if soft:
            yield Said("adapter_type", "software", source, start, end)
        elif kind is None or canonical(vocabulary, "adapter_type", kind.group(1)) != "software":
            yield Said("gpu", name, source, start, end)
        for part in linear(_PART).finditer(rest):
            key = "gpu_vendor" if part.group(1).casefold() == "vendor" else "backend"
            value = canonical(vocabulary, key, part.group(2))
            if value and not (soft and key == "gpu_vendor"):
                yield Said(key, value, source, start, end)
        if not soft:
            # "Intel(R) Arc(TM) B580": the line stands behind the first mark
            for key, text in (("gpu_vendor", name), ("gpu_line", f"{name} {rest[:80].partition('|')[0]}")):
                yield from (Said(key, v, source, start, end) for v, _, _ in spelled(vocabulary, key, text)[:1])


def _adapter_types(raw: str, vocabulary: Vocabulary, source: Source) -> Iterator[Said]:
    for found in islice(linear(_ADAPTER_TYPE).finditer(raw), MAX_LINES):
        value = canonical(vocabulary, "adapter_type", found.group(1))
        if value:
            yield Said("adapter_type", value, source, *found.span())


def _providers(raw: str, source: Source) -> Iterator[Said]:
    for found in islice(linear(_PROVIDERS).finditer(raw), MAX_LINES):
        names = [m.group(1) for m in linear(_PROVIDER).finditer(found.group(1))]
        # the CPU stands at the end of every list, as the fallback
        chosen = [n for n in names if n != "CPUExecutionProvider"] or names
        if not found.group().startswith("Available"):
            yield from (Said("ep", name, source, *found.span()) for name in chosen)


def _options(raw: str, vocabulary: Vocabulary) -> Iterator[Said]:
    for found in islice(linear(_OPTION).finditer(raw), MAX_LINES):
        for key in ("ep", "backend"):
            if key == "ep" and "backend" in found.group(1):
                continue
            value = canonical(vocabulary, key, found.group(2))
            if (value and value.casefold() != found.group(2).casefold()) or (value and key == "backend"):
                yield Said(key, value, Source.FORM, *found.span())


def _libraries(raw: str, source: Source, *, mobile: bool) -> Iterator[Said]:
    seen: set[str] = set()
    for found in islice(linear(_LIBRARY).finditer(raw), MAX_LIBRARIES):
        kind = found.group(1)
        line_start = raw.rfind("\n", 0, found.start()) + 1
        line_end = raw.find("\n", found.end())
        line = raw[line_start : line_end if line_end >= 0 else len(raw)][:2000]
        mixed = (".dll" in line) + (".so" in line) + (".dylib" in line) > 1
        key = f"{kind}{line_start if source is Source.PROSE else ''}"
        if mixed or key in seen or len(seen) > MAX_LINES:
            continue
        seen.add(key)
        if kind == "dll":
            yield Said("os", "windows", source, *found.span())
        elif not mobile:
            yield Said("os", "linux" if kind == "so" else "macos", source, *found.span())
