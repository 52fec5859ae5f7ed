"""A file that genai_config.json names and the package does not hold.

What it detects
    Model, processor and adapter files named in any section, and the tokenizer's configuration.

Why it breaks
    GenAI opens them while it creates the model or the tokenizer.

What it cannot tell
    A listing that is known to be incomplete proves nothing: then it is UNKNOWN. Names that differ in case only work on
    some file systems.

Remedy
    Download the whole folder.

References
    measured with onnxruntime-genai 0.18.0
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from signatures.artifact.genai import GenAiConfig, sections
from signatures.artifact.package import Package
from signatures.checks.external import leaves
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the whole model folder, under the names that genai_config.json uses."
KEYS = ("filename", "config_filename", "adapter_filename")


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    config = package.genai_config()
    if config is None or config.root is None:
        return
    folder = package.folder(config.name)
    folded = {name.lower(): name for name in package.entries}
    for label, name, at in _named(config):
        if not name or leaves(name) or package.has(folder + normpath(name)):
            continue
        where = Where(config.name, label, at)
        if not package.complete:
            yield Unknown(f"{name} is not among the files that were looked at", where)
            continue
        near = folded.get((folder + name).lower())
        detail = f"{label} names {name}, which is not there" + (f" (there is {near})" if near else "")
        # Sections besides the decoder are opened by some model types alone.
        certain = label == "model.decoder.filename" and not near and config.find("model", "decoder", "pipeline") is None
        severity = Severity.FATAL if certain else Severity.PROBABLE
        text = "File doesn't exist" if label.endswith(".filename") else None
        yield Hit(where, detail, severity, text, REMEDY, (("file", name),))
    if (
        package.complete
        and f"{folder}tokenizer_config.json" not in package.entries
        and not config.find("model", "tokenizer_dir")
    ):
        where = Where(config.name, "tokenizer")
        text = "Failed to open a json file:"
        yield Hit(where, "tokenizer_config.json is not there", Severity.PROBABLE, text, REMEDY)
    decoder = config.find("model", "decoder")
    if decoder is not None and decoder.get("filename") is None and decoder.get("pipeline") is None:
        where = Where(config.name, "model.decoder.filename", decoder.at)
        text = "The model path is a directory."
        yield Hit(where, "the decoder section names no file", Severity.PROBABLE, text, REMEDY)


def _named(config: GenAiConfig) -> Iterator[tuple[str, str, int]]:
    for section in sections(config):
        for key in KEYS:
            item = section.item.get(key)
            name = item.string() if item else None
            if item is not None and name is not None:
                yield f"model.{section.path}.{key}", name, item.at


_CONFIG = '{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "model.onnx"}}}'

CHECK = Check(
    id="genai-file-missing",
    title="genai_config.json names a file that is not in the package",
    reads="genai",
    predicts="Load model from <path> failed:Load model <path> failed. File doesn't exist",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND, files=(("genai_config.json", _CONFIG), ("tokenizer_config.json", "{}")), expect="model.onnx"
        ),
        Fixture(
            Outcome.CLEAN,
            files=(("genai_config.json", _CONFIG), ("tokenizer_config.json", "{}"), ("model.onnx", b"")),
        ),
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG), ("model.onnx", b"")), expect="tokenizer_config"),
    ),
)
