"""Lengths in genai_config.json that do not fit together.

What it detects
    context_length that is missing or not positive, and search.max_length above context_length.

Why it breaks
    Without a context length GenAI refuses the model; with a larger max_length it loads and fails, or allocates a cache
    for positions that the model was not made for.

What it cannot tell
    Whether the cache for max_length fits the device's memory.

Remedy
    Set context_length to what the model was trained for, and max_length to at most that.

References
    measured with onnxruntime-genai 0.18.0
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.package import Package
from signatures.checks import genai
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Set context_length to the model's own, and search.max_length to at most that."
TEXT = "model context_length is 0 or was not set. It must be greater than 0"


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None or genai.first(config, target).kind in ("syntax", "no-value"):
        return
    context = config.find("model", "context_length")
    length = genai.length(config)
    if genai.no_length(config, target):
        read = genai.first(config, target)
        text = TEXT if read == genai.NOTHING else None
        where = Where(config.name, "model.context_length", context.at if context else None)
        what = f"context_length is {context.value:g}" if context else "context_length is not set"
        detail = "there is no model section" if config.model is None else what
        yield Hit(where, detail, Severity.FATAL, text, REMEDY)
        return
    if length is None or context is None:
        return
    if length < 0:
        # Older versions read it and fail later.
        refused = genai.first(config, target)
        severity = Severity.FATAL if "context_length must be" in refused.text else Severity.PROBABLE
        where = Where(config.name, "model.context_length", context.at)
        yield Hit(where, f"context_length is {length}", severity, None, REMEDY)
        return
    longest = config.find("search", "max_length")
    most = longest.number() if longest else None
    if longest is not None and most is not None and most > length:
        detail = f"search.max_length is {most:g}, above context_length {length}"
        yield Hit(Where(config.name, "search.max_length", longest.at), detail, Severity.PROBABLE, None, REMEDY)


_CONFIG = '{"model": {"type": "llama", %s "decoder": {"filename": "m.onnx"}}, "search": {"max_length": 512}}'

CHECK = Check(
    id="genai-ctx",
    title="Lengths in genai_config.json do not fit together",
    reads="genai",
    predicts="model context_length is 0 or was not set. It must be greater than 0",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % ""),), expect="was not set"),
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % '"context_length": 256,'),), expect="above"),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % '"context_length": 512,'),)),
    ),
)
