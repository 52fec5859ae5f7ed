"""A .litertlm package without a part that the engine needs.

What it detects
    No LlmMetadata section, no tokenizer section, and TFLite sections that do not hold a TFLite model.

Why it breaks
    The engine cannot be created; without LlmMetadata, 0.18.1 aborts the process.

What it cannot tell
    Packages for other purposes than text generation (embedding, speech), which carry other metadata and are skipped.

Remedy
    Download the file again, or build the package with all its parts.

References
    measured with litert-lm-api 0.18.1
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.containers import HeadError, litertlm
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.checks.litertlm_head import minimal
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Build the package with its metadata, tokenizer and models, or download it again."
NO_METADATA = "Section not found: LlmMetadataProto"  # a warning; then the process aborts
TOKENIZERS = ("SP_Tokenizer", "HF_Tokenizer_Zlib")
OTHER_USES = ("EmbeddingMetadataProto", "TtsMetadataProto", "AsrMetadataProto")
MAX_MODELS = 32


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    for name in package.names:
        if not name.lower().endswith(".litertlm"):
            continue
        try:
            head = litertlm(package.window(name))
        except HeadError as error:
            yield Unknown(f"{name}: {error}", Where(name, "", error.offset))
            continue
        kinds = [section.kind for section in head.sections]
        if head.version[0] != 1 or any(kind in OTHER_USES for kind in kinds):
            yield Unknown(f"{name} is not a text generation package of format version 1")
            continue
        if "LlmMetadataProto" not in kinds:
            yield Hit(Where(name), "no LlmMetadata section", Severity.PROBABLE, NO_METADATA, REMEDY)
        if not any(kind in TOKENIZERS for kind in kinds):
            text = "No tokenizer found in the model for model type:"
            yield Hit(Where(name), "no tokenizer section", Severity.PROBABLE, text, REMEDY)
        if "TFLiteModel" not in kinds:
            yield Hit(Where(name), "no TFLite model", Severity.PROBABLE, None, REMEDY)
        for number, section in enumerate(head.sections[:MAX_MODELS]):
            if section.kind != "TFLiteModel" or section.end - section.begin < 8:
                continue
            try:
                start = package.window(name).read(section.begin, 8)
            except SourceError as error:
                yield Unknown(f"{name}: {error}")
                break
            if start[4:8] != b"TFL3":
                where = Where(name, f"section {number}", section.begin)
                yield Hit(where, "a TFLite section without TFL3 at its start", Severity.PROBABLE, None, REMEDY)


_WHOLE = minimal(sections=((512, 520, 3), (520, 528, 5), (528, 536, 4)))
_MODEL = _WHOLE + bytes(512 - len(_WHOLE)) + b"\x1c\x00\x00\x00TFL3" + bytes(16)

CHECK = Check(
    id="litertlm-sections",
    title="The .litertlm package lacks a part that the engine needs",
    reads=".litertlm",
    predicts="engine creation fails or aborts",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("m.litertlm", minimal(sections=((0, 8, 5),))),), expect="tokenizer"),
        Fixture(Outcome.FOUND, files=(("m.litertlm", _MODEL.replace(b"TFL3", b"XXXX")),), expect="TFL3"),
        Fixture(Outcome.CLEAN, files=(("m.litertlm", _MODEL),)),
    ),
)
