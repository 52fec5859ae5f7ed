"""What sentences say of the reporter's environment: system, graphics processor, driver, browser, device, provider.

The least trusted source. A mention counts only where nothing near it says otherwise, and a bare name of a system
only where the sentence places the failure on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.extract.fields import ends_with_library, os_versions, unspelled_vendor
from signatures.extract.negation import negated
from signatures.extract.own_versions import states_own
from signatures.extract.said import Said
from signatures.extract.sentences import sentence_spans
from signatures.extract.vocabulary import Vocabulary, spelled
from signatures.linear import linear
from signatures.model import Source

_OS = (
    r"\b(?:Windows(?: Server)?|macOS|Mac OS X|OS X|Ubuntu|Debian|Fedora|Android|iOS|iPadOS|Linux|RHEL|Arch Linux"
    r"|ChromeOS|WSL2?)"
)
_OS_TAIL = r"[ \t]?(?:v|version )?(?:Server ?)?\d[\w.]*|[ \t](?:x64|x86|arm64|aarch64|x86_64|ARM64|X64|Server)\b"
_OS_BEFORE = (
    r"(?i)(?:\b(?:on|under|running|using|my|our|a|an|in|via|for|from|host(?:ed)?|is|both)\s+(?:\w+\s+)?|^\s*"
    r"|[-*•·(:/]\s*|\(\d\)\s*)$"
)
_GPU = (
    r"(?:\b(?:NVIDIA|GeForce|AMD|Intel(?:\(R\))?|Apple|Qualcomm|ARM|Arm|Samsung|NVidia|Nvidia)[ \t]+){0,3}"
    r"\b(?:(?:RTX|GTX)[ \t]?(?:PRO[ \t])?[A-Z]?\d{3,5}(?:[ \t]?(?:Ti|SUPER|Super|Laptop|Mobile|Ada|D)\b){0,2}"
    r"|Radeon[ \t](?:\(TM\)[ \t])?(?:RX|Pro|HD|VII|Graphics|\d{3,4}[A-Z]{0,2})"
    r"(?:[ \t]?\w{0,6}\d{2,4}\w{0,4})?(?:[ \t]XTX?)?"
    r"|RX[ \t]?\d{3,4}(?:[ \t]?XTX?)?"
    r"|Arc(?:\(TM\)|™)?(?:[ \t]Pro)?[ \t](?:Graphics|[AB]\d{2,3}[A-Z]?|\d{3}[A-Z]|[A-Z]\d{3}M?)(?:[ \t]?Graphics"
    r"|[ \t]GPU)?"
    r"|Iris(?:\(R\))?[ \t](?:Xe|Plus|Pro)(?:[ \t]Graphics)?|U?HD[ \t]Graphics(?:[ \t]\d{3,4})?|UHD[ \t]?\d{3}"
    r"|Adreno(?:[ \t]?\(TM\))?[ \t]?X?\d{1,3}(?:-\d\d)?|Mali[- ]?[GT]\d{2,3}(?:[ \t]?M[CP]\d{1,2})?"
    r"|Immortalis[- ]?G\d{3}|Xclipse[ \t]\d{3}"
    r"|PowerVR[ \t]\w+(?:-\d+)?)\b"
    r"|\bNVIDIA[ \t](?:Tesla[ \t])?(?:L4|L40S?|T4G?|A10G?|A2|A30|A40|A100|H100|H200|B200|V100|P100|GB10|A\d000)\b"
    r"|\bApple[ \t](?:M[1-5](?:[ \t](?:Pro|Max|Ultra))?|A\d\d(?:[ \t]?(?:Pro|Bionic))?)\b|\bM[1-5][ \t](?:Pro|Max"
    r"|Ultra)\b"
    r"|\bIntel[ \t]Arc\b|\bQualcomm(?:'s)?[ \t]Adreno\b"
    r"|\b(?:NVIDIA|Nvidia|AMD|Intel|Qualcomm|Apple)[ \t](?:\w+[ \t])?(?:GPUs?|graphics|Graphics)\b"
    r"|\b(?:Radeon|GeForce|Adreno|Mali|Immortalis|PowerVR)[ \t](?:i?GPU|[Gg]raphics|card)\b"
)

_DRIVER = (
    r"(?i)\bdrivers?(?: version)?(?: is|:| =)?[ \t]{0,2}v?(\d+(?:\.\d+)+)"
    r"|\bNVIDIA[ \t]?(?:driver[ \t])?(\d{3}\.\d{2,3}(?:\.\d{2})?)\b"
)
_BROWSER = (
    r"\b(?:Google |Microsoft |Mozilla )?(?:Chrome|Chromium|Edge|Firefox|Safari|Opera|Brave|Vivaldi)(?:[ \t](?:Canary"
    r"|Beta|Dev|Nightly|stable))?[ \t/]v?(?:version )?\d[\d.]*"
)
_DEVICE = (
    r"\b(?:Google )?Pixel[ \t](?:Tablet|Fold|\d{1,2}a?(?:[ \t](?:Pro|XL|Fold)){0,2})\b"
    r"|\b(?:Samsung )?Galaxy[ \t](?:[SAZMN]|Tab |Note |Z )\w{0,6}\d{1,2}\w?(?:[ \t](?:Ultra|Plus|FE|5G|\+)){0,2}"
    r"|\biP(?:hone|ad)[ \t](?:\d{1,2}|Air|Pro|mini)(?:[ \t](?:Pro|Max|Plus|mini)){0,2}|\bOnePlus[ \t]\w+"
    r"|\bXiaomi[ \t]\w+(?:[ \t]Pro)?|\bNothing Phone[ \t]?\(?\w+\)?"
    r"|\bJetson[ \t](?:Orin|Thor|Nano|Xavier|AGX)(?:[ \t]\w+)?|\bDGX Spark\b|\bRaspberry Pi[ \t]?\d?\b"
    r"|\bSnapdragon[ \t](?:X|8|7|6)\w*(?:[ \t](?:Elite|Plus|Gen \d)){0,2}"
)
_PROVIDER = (
    r"(?:\b(?:[Uu]sing|[Ww]ith|[Oo]n|[Vv]ia|[Tt]hrough"
    r"|[Uu]se[ds]?)[ \t]+(?:the[ \t]+)?(?:ORT[ \t]+)?([A-Za-z-]{3,30})\b"
    r"|\b([A-Za-z-]{3,30})[ \t]+(?:EP|[Ee]xecution[ \t][Pp]rovider|[Bb]ackend|[Dd]elegate)\b)"
)
_RUNTIME = (
    r"(?i)\b(?:litert-lm|litert_lm|litertlm|litert|mediapipe|llama\.cpp|web-llm|webllm|transformers\.js"
    r"|onnx ?runtime[- ]genai|ort genai|onnx runtime|onnxruntime(?:-web|-node|-gpu|-directml|-webgpu)?|tflite|wgpu"
    r"|executorch|ncnn|mnn|flutter[_-]gemma(?:_litertlm|_mediapipe)?|llamadart|torch[-_]directml|three\.js|babylon\.js|pdf\.js"
    r"|godot|bevy|blender|lm studio|koboldcpp)"
    r"(?:-(?:native|api|android|core))?\b"
)
# An engine that the writer does not use, has left, or only compares with.
_NOT_USED = (
    r"(?i)(?:\b(?:not|never|no longer|don't|doesn't|didn't|won't|isn't)\s+(?:\w+\s+){0,3}?(?:us(?:e|es|ing)|run"
    r"|running|need|have|involve\w*"
    r"|depend\w* on|based on|ship\w*|link\w*)\s[^.,;!?]{0,30}|(?:other people|others|someone|somebody|another user"
    r"|colleagues?|friends?)\s[^.;!?]{0,40}|\b(?:compar(?:e|ed|ing|ison)|differ\w*|unlike|similar(?:ly)? to"
    r"|analog\w* to|like|as|vs\.?"
    r"|versus|than|instead of|rather than|ported? from|inspired by|forked? (?:of|from)|derived from|known from"
    r"|seen (?:in|with)|reported (?:in|for|to|against)"
    r"|same as(?: in| with| for)?|also (?:in|for|to)|equivalent (?:of|to|in)|counterpart (?:of|in)|replac\w+"
    r"|dropp\w+|remov\w+|abandon\w+|left"
    r"|(?:migrat|switch|mov|chang|com)\w+ (?:\w+ ){0,2}(?:away )?from|plan(?:s|ning)? to|want to|will|would|could"
    r"|might|going to|consider\w*)"
    r"\s(?:[^\s,;:]+\s){0,3})$"
)
_MOVED_TO = r"(?i)\bfrom\s+(?:\S+\s+){1,4}to\s+(?:\S+\s+)?$"
_NOT_THIS = (
    r"(?i)^(?:#\d|'s\b|[ \t](?:\w+\s){0,2}?(?:has|had|have|shows?|hits?|sees|also|works?|is (?:fine|not|unaffected"
    r"|ok)|does(?:n't| not)|did(?:n't| not)"
    r"|was (?:fine|not)|users?|maintainers?|team|issues?|docs?|instead)\b|[^.;!?\n]{0,30}\b(?:later|tomorrow"
    r"|eventually|some day)\b)"
)
_ITS_FAILURE = (
    r"(?i)^[ \t](?:\w+\s){0,2}?(?:has|had|have|also|does(?:n't| not)|shows?)\s(?:\w+\s){0,3}?(?:fail\w*|crash\w*"
    r"|error\w*|not|load|work|start)"
)
_ARCH = r"(?i)\b(?:x64|x86_64|amd64|arm64|aarch64|apple silicon)\b"


def mentions(raw: str, vocabulary: Vocabulary) -> Iterator[Said]:
    """Facts that the sentences of a prose block state."""
    yield from _systems(raw)
    for found in linear(_GPU).finditer(raw):
        if not negated(raw, *found.span()):
            name = " ".join(found.group().split())
            if any(c.isdigit() for c in name) or name.endswith("Graphics"):
                yield Said("gpu", name, Source.PROSE, *found.span())
            vendors = [v for v, _, _ in spelled(vocabulary, "gpu_vendor", name)] or unspelled_vendor(name)
            yield from (Said("gpu_vendor", v, Source.PROSE, *found.span()) for v in vendors[:1])
            lines = spelled(vocabulary, "gpu_line", name)
            yield from (Said("gpu_line", v, Source.PROSE, *found.span()) for v, _, _ in lines[:1])
    if "river" in raw or "NVIDIA" in raw:
        for found in linear(_DRIVER).finditer(raw):
            if not negated(raw, *found.span(), version=True) and states_own(raw, *found.span(), strict=False):
                yield Said("driver", found.group(1) or found.group(2), Source.PROSE, *found.span())
    for key, pattern in (("browser", _BROWSER), ("device", _DEVICE)):
        for found in linear(pattern).finditer(raw):
            if not negated(raw, *found.span()):
                yield Said(key, " ".join(found.group().split()), Source.PROSE, *found.span())
    yield from _runtimes(raw, vocabulary)
    yield from _spelled(raw, vocabulary, "arch", _ARCH)
    yield from _engines(raw, vocabulary)


def _systems(raw: str) -> Iterator[Said]:
    names = {
        "windows": "windows",
        "mac": "macos",
        "os x": "macos",
        "android": "android",
        "ios": "ios",
        "ipad": "ios",
        "chromeos": "chromeos",
    }
    for found in linear(_OS).finditer(raw):
        start, end = found.span()
        if raw[end : end + 1].isalpha() or raw[end : end + 7] == " Error:":
            continue
        tail = linear(_OS_TAIL).match(raw[end : end + 40])
        before = raw[max(start - 40, 0) : start].rsplit("\n", 1)[-1]
        placed = linear(_OS_BEFORE).search(before) is not None
        if not (tail or placed) or negated(raw, start, end + (tail.end() if tail else 0)):
            continue
        name = found.group().casefold()
        value = next((v for k, v in names.items() if name.startswith(k)), "linux")
        yield Said("os", value, Source.PROSE, start, end)
        for version in (
            os_versions(raw[start : end + 60].split("\n", 1)[0])[:1] if tail and not ends_with_library(before) else ()
        ):
            yield Said("os_version", version, Source.PROSE, start, end)


def _spelled(raw: str, vocabulary: Vocabulary, key: str, pattern: str) -> Iterator[Said]:
    for found in linear(pattern).finditer(raw):
        start, end = found.span()
        if raw[start - 1 : start] in ("/", "_", "-", "@", ".") or raw[end : end + 1] in ("/", "_", "-"):
            continue
        values = spelled(vocabulary, key, " ".join(found.group().split()))
        if values and not negated(raw, start, end):
            yield Said(key, values[0][0], Source.PROSE, start, end)


def _runtimes(raw: str, vocabulary: Vocabulary) -> Iterator[Said]:
    """The engine that the writer uses. One that is left, compared with or has the same failure elsewhere is none."""
    for found in linear(_RUNTIME).finditer(raw):
        start, end = found.span()
        if raw[start - 1 : start] in ("/", "_", "-", "@", ".") or raw[end : end + 1] in ("/", "_", "-", "#"):
            continue
        if raw[end : end + 2] == "::":
            continue  # a name in a program: Dawn's C++ interface is wgpu
        values = spelled(vocabulary, "runtime", " ".join(found.group().split()))
        before = raw[max(start - 90, 0) : start]
        spans = sentence_spans(before)
        before = "" if not spans or before.rstrip().endswith((".", "!", "?", ";", "\n\n")) else before[spans[-1][0] :]
        after = raw[end : end + 90]
        elsewhere = linear(_NOT_THIS).match(after) is not None and linear(_ITS_FAILURE).match(after) is None
        same = linear(
            r"(?i)^[ \t](?:has|had|have|shows?|hits?|sees)\s(?:the |this |that )?(?:very )?(?:same|similar|exact)"
        ).match(after)
        if not values or elsewhere or same or negated(raw, start, end):
            continue
        if linear(_NOT_USED).search(before) and linear(_MOVED_TO).search(before) is None:
            continue
        yield Said("runtime", values[0][0], Source.PROSE, start, end)


def _engines(raw: str, vocabulary: Vocabulary) -> Iterator[Said]:
    for found in linear(_PROVIDER).finditer(raw):
        group = 1 if found.group(1) else 2
        name = found.group(group)
        if name.casefold() in ("cpu", "gpu", "npu", "wasm") and group == 1:
            continue
        if negated(raw, *found.span()) or negated(raw, *found.span(group)):
            continue
        for key in ("ep", "backend"):
            values = spelled(vocabulary, key, name)
            if values and values[0][1:] == (0, len(name)):
                yield Said(key, values[0][0], Source.PROSE, *found.span())
