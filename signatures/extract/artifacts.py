"""Models that a report names: Foundry catalogue ids, Hugging Face repositories, model files, URLs of model files.

A role says what the report claims of each: it fails, it works, or it is only mentioned. References to issues and
source repositories, paths and programs are no artifacts. No file is opened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from signatures.extract.dismissed import within
from signatures.extract.outcomes import outcome
from signatures.extract.retries import tried_again
from signatures.extract.sentences import sentence_at, sentence_spans
from signatures.linear import linear
from signatures.model import ArtifactRef, ArtifactRole, BlockKind, LogBlock, Role, Span
from signatures.values import NamedTuple

_DEVICE = (
    r"(?:generic|cuda|qnn|openvino|trtrtx|tensorrt|tensorrt-rtx|nvtensorrtrtx|vitis|vitisai|webgpu|directml|dml"
    r"|migraphx)-(?:cpu|gpu|npu)"
)
_FOUNDRY = (
    r"(?i)\b([a-z0-9][a-z0-9._]*(?:-[a-z0-9._]+)*?-(?:" + _DEVICE + r"|cpu|gpu|npu))"
    r"(?::(\d{1,4})\b|-(\d{1,4})[\\/]|\b)"
)
_VERSION_BEHIND = (
    r"(?i)^[\"'\x60*]{0,3}(?:[ \t]?\([ \t]?|,?[ \t]{1,3}|[ \t]?[@|\-–][ \t]?)(?:model )?(?:(?:version|revision|rev"
    r"|ver)\.?[ :=]{0,2}v?|v)(\d{1,3})"
    r"(?:[)\s,;:!?\"'\x60*]|\.(?:\s|$)|$)"
)
_HF_URL = (
    r"\bhttps?://(?:www\.)?(?:huggingface\.co|hf\.co)/(?:api/models/)?([A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96})"
    r"(?:/(?:blob|resolve|tree|raw)/([\w.-]{1,80})(?:/([^\s\"'<>)?#\]]+))?)?"
)
_REPO = r"[A-Za-z0-9][\w-]{0,40}/[A-Za-z0-9][\w.-]{1,96}"
_REVISION = r"(?i)^(?:@|[,;]?\s{0,3}\(?(?:revision|rev|commit|at)[ :=`]{0,3})([0-9a-f]{40}|[0-9a-f]{7,12}\b)"
_MODEL_FILE = r"[\w][\w.+()\[\]-]*\.(?:onnx|litertlm|tflite|gguf|task|safetensors)\b"
_MODEL_URL = r"https?://[^\s\"'<>)\]]+\.(?:onnx|litertlm|tflite|gguf|task)\b"
_SHA = r"(?i)\b[0-9a-f]{64}\b"
_OTHER_FILE = r"(?i)\b[\w-]+\.(?:zip|tar|gz|dll|so|exe|whl|msi|apk|json|txt|log)\b"
_FAMILY = (
    r"(?i)(?:^|[-_./\d])(?:qwen|qwq|llama|gemma|phi|mistral|mixtral|ministral|deepseek|whisper|bert|roberta|t5|gpt"
    r"|smollm|smolvlm|falcon|granite|olmo"
    r"|bge|clip|sam|yolo\w?|resnet|mobilenet|stable-diffusion|sdxl|flux|kokoro|minilm|e5|tinyllama|nomic|jina"
    r"|moonshine|florence|fastvlm|vit"
    r"|embeddinggemma|functiongemma|paligemma|codellama|starcoder|lama|segformer|wav2vec2|lfm2|bonsai"
    r"|distilbert)(?:[-_.\d]|$)"
)
_MODEL_SIGN = (
    r"(?i)(?:^|[-_])(?:e?\d{1,3}(?:\.\d)?[bm]|onnx|gguf|litert-lm|litertlm|tflite|mlc|int4|int8|q4f16(?:_1)?|fp16"
    r"|awq|gptq|instruct|it)(?:[-_.]|$)"
)
_NOT_MODEL = (
    r"(?i)\.(?:cpp|js|py|rs|net|dart|cc|h|md|dll|so|com|org|io)$|(?:^|[-_])(?:cpp|dart|js|py|runtime|genai"
    r"|sdk)(?:[-_.]|$)|^(?:llamadart|llamafile|llama\.cpp|whisper\.cpp)$"
)
_ITEM = r"\n[ \t]*(?:[-*•]|\d+[.)])[ \t]"
_NEAR_SHA = 240  # characters
MAX_PLACES = 6  # of one model in one block that are looked at
MAX_MENTIONS = 500  # of one kind in one block


class Mention(NamedTuple):
    """A model named at [start, end) of a block."""

    kind: str
    name: str
    revision: str | None
    start: int
    end: int


def read_artifacts(blocks: tuple[LogBlock, ...]) -> tuple[ArtifactRef, ...]:
    """Each model once, with the strongest role that any place gives it; failing ones first."""
    best: dict[tuple[str, str, str | None], ArtifactRef] = {}
    for number, block in enumerate(blocks):
        if block.role is Role.BOT:
            continue
        previous = blocks[number - 1] if number and blocks[number - 1].span.post == block.span.post else None
        for ref in _in_block(number, block, previous):
            key = (ref.kind, ref.name.casefold(), ref.revision)
            known = best.get(key)
            if known is None:
                best[key] = ref
            elif _RANK[ref.role] > _RANK[known.role]:
                best[key] = ref._replace(sha256=ref.sha256 or known.sha256)
            elif known.sha256 is None and ref.sha256:
                best[key] = known._replace(sha256=ref.sha256)
    _inherit_revision(best)
    for ref in tried_again(blocks, tuple(best.values())):
        best.setdefault((ref.kind, ref.name.casefold(), ref.revision), ref)
    return tuple(sorted(best.values(), key=lambda r: -_RANK[r.role]))


_RANK = {ArtifactRole.MENTIONED: 0, ArtifactRole.WORKING: 1, ArtifactRole.FAILING: 2}


def _inherit_revision(best: dict[tuple[str, str, str | None], ArtifactRef]) -> None:
    """An id named also without its revision means the revision named elsewhere, where there is one only."""
    for key in [k for k in best if k[2] is None]:
        kin = [k for k in best if k[:2] == key[:2] and k[2] is not None]
        if len(kin) != 1:
            continue
        bare = best.pop(key)
        full = best[kin[0]]
        role = bare.role if _RANK[bare.role] > _RANK[full.role] else full.role
        best[kin[0]] = full._replace(role=role, sha256=full.sha256 or bare.sha256)


def _in_block(number: int, block: LogBlock, previous: LogBlock | None) -> Iterator[ArtifactRef]:
    raw = block.raw
    mentions = _mentions(raw)
    if not mentions:
        return
    spans = sentence_spans(raw) if block.kind not in (BlockKind.FENCE, BlockKind.LOG) else []
    digests = _digests(raw, mentions)
    alone = len({m.name for m in mentions if m.kind != "file"}) == 1
    places: dict[tuple[str, str | None], int] = {}
    for i, m in enumerate(mentions):
        places[m.name, m.revision] = places.get((m.name, m.revision), 0) + 1
        if places[m.name, m.revision] > MAX_PLACES:
            continue
        role = ArtifactRole.MENTIONED
        if block.role is Role.REPORTER:
            sentence = sentence_at(spans, m.start)
            part = m.kind == "file" and any(sentence[0] <= o.start < sentence[1] for o in mentions if o.kind != "file")
            role = outcome(block, m.start, m.end, sentence, spans, previous, alone=alone, part=part)
        if role is ArtifactRole.FAILING and within(block.dismissed, m.start, m.end):
            role = ArtifactRole.MENTIONED
        span = Span(block.span.post, block.span.start + m.start, block.span.start + m.end)
        yield ArtifactRef(m.kind, m.name, m.revision, digests.get(i), role, span, number)


def _mentions(raw: str) -> list[Mention]:
    """Every model named in a text, in order, none inside another."""
    found: list[Mention] = []
    if "huggingface.co" in raw or "hf.co" in raw:
        found += _from_urls(raw)
    if "://" in raw:
        found += (
            Mention("url", m.group(), None, *m.span()) for m in islice(linear(_MODEL_URL).finditer(raw), MAX_MENTIONS)
        )
    if "pu" in raw or "PU" in raw:
        found += _foundry(raw)
    if "/" in raw:
        found += _repositories(raw)
    if "." in raw:
        found += _files(raw)
    kept: list[Mention] = []
    for m in sorted(found, key=lambda m: (m.start, -m.end)):
        if not kept or m.start >= kept[-1].end:
            kept.append(m)
    return kept


def _from_urls(raw: str) -> Iterator[Mention]:
    for found in islice(linear(_HF_URL).finditer(raw), MAX_MENTIONS):
        name = found.group(1).rstrip(".")
        if name.startswith(("datasets/", "spaces/", "docs/", "blog/", "papers/", "settings/")):
            continue
        revision = found.group(2)
        yield Mention("huggingface", name, None if revision in (None, "main") else revision, *found.span())


def _foundry(raw: str) -> Iterator[Mention]:
    for found in islice(linear(_FOUNDRY).finditer(raw), MAX_MENTIONS):
        name, start = found.group(1), found.start()
        revision = found.group(2) or found.group(3)
        named = linear(r"(?i)-" + _DEVICE + r"$").search(name)
        stem = name[: named.start()] if named else name.rsplit("-", 1)[0]
        if raw[start - 1 : start] in ("-", ".", "_", "@") or not (named or revision):
            continue
        # "my-gpu:0" is a device; a model's name has a number or two words in front of its device
        if not stem or not (any(c.isdigit() for c in stem) or "-" in stem) or (not named and found.group(2) is None):
            continue
        end = found.end() - (1 if found.group(3) else 0)
        if revision is None and (behind := linear(_VERSION_BEHIND).match(raw[found.end() : found.end() + 40])):
            revision = behind.group(1)
        yield Mention("foundry", name, revision, start, end)


def _repositories(raw: str) -> Iterator[Mention]:
    for found in islice(linear(_REPO).finditer(raw), MAX_MENTIONS):
        start, end = found.span()
        name = found.group().rstrip(".-_")
        end = start + len(name)
        if raw[start - 1 : start] in ("/", "\\", ".", ":", "@", "-", "_", "~", "=") or raw[end : end + 1] in (
            "/",
            "\\",
            "#",
            "(",
        ):
            continue
        owner, _, repo = name.partition("/")
        revision = linear(_REVISION).match(raw[end : end + 64])
        if linear(_NOT_MODEL).search(repo) or owner.casefold() in ("http:", "https:"):
            continue
        if linear(_MODEL_FILE).fullmatch(repo) or not (revision or _model_like(repo)):
            continue
        yield Mention("huggingface", name, revision.group(1) if revision else None, start, end)


def _model_like(repo: str) -> bool:
    return linear(_FAMILY).search(repo) is not None or linear(_MODEL_SIGN).search(repo) is not None


def _files(raw: str) -> Iterator[Mention]:
    for found in islice(linear(_MODEL_FILE).finditer(raw), MAX_MENTIONS):
        name, start, end = found.group(), found.start(), found.end()
        stem, _, kind = name.rpartition(".")
        if raw[end : end + 1] == "(" or (
            kind in ("onnx", "task") and raw[end : end + 1] == "." and raw[end + 1 : end + 2].isalpha()
        ):
            continue
        code = stem in ("torch", "ai", "import", "com.microsoft", "org", "tf2", "self", "this", "optimum", "ml")
        if (
            code
            or (kind == "task" and not any(c.isdigit() or c in "-_" for c in stem))
            or raw[start - 1 : start] in ("*", "<")
        ):
            continue
        yield Mention("file", name.rsplit("(", 1)[-1].lstrip(")."), None, start, end)


def _digests(raw: str, mentions: list[Mention]) -> dict[int, str]:
    """The SHA-256 that stands behind a model, on its line and with no other file in between."""
    starts = [m.start for m in mentions]
    said: dict[int, str] = {}
    for found in islice(linear(_SHA).finditer(raw), MAX_MENTIONS):
        i = bisect_right(starts, found.start()) - 1
        if i < 0 or i in said:
            continue
        between = raw[mentions[i].end : found.start()]
        apart = "\n\n" in between or linear(_ITEM).search(between) or linear(_OTHER_FILE).search(between)
        if len(between) <= _NEAR_SHA and not apart:
            said[i] = found.group().lower()
    return said
