"""An execution provider that the installed package is not built with.

What it detects
    A provider in genai_config.json that the named package does not bring: WebGPU, CUDA or DirectML under the CPU wheel;
    and provider names that GenAI does not know.

Why it breaks
    GenAI refuses the provider when the session is made.

What it cannot tell
    Providers that are registered as plugins at run time, and builds from source.

Remedy
    Install the package with that provider, or use the model's CPU variant.

References
    measured with onnxruntime-genai 0.18.0
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from signatures.artifact import genai_schema
from signatures.artifact.genai import KNOWN_PROVIDERS, Provider, providers, sections
from signatures.artifact.genai_schema import Schema
from signatures.artifact.package import Package
from signatures.checks import genai, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Install the onnxruntime-genai package with this execution provider, or use the CPU variant of the model."
BRINGS = {"onnxruntime-genai-cuda": "cuda", "onnxruntime-genai-directml": "dml", "onnxruntime-genai-webgpu": "webgpu"}
UNKNOWN, OF_TYPE = "Unknown provider", "Unknown provider type: {}"
NOT_BUILT = "{} execution provider is not supported in this build."
# Names that ONNX Runtime knows beside GenAI's own, in this case alone; its Unknown provider name text lists them.
ONNXRUNTIME_NAMES = frozenset((
    "SNPE", "SNPEExecutionProvider", "XNNPACK", "XnnpackExecutionProvider", "WEBNN", "WebNNExecutionProvider", "JS",
    "JsExecutionProvider", "CoreML", "CoreMLExecutionProvider", "MIGraphX", "MIGraphXExecutionProvider",
))  # fmt: skip
ALWAYS = frozenset(("AZURE", "AzureExecutionProvider"))


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None:
        return
    installed = next((name for name, _ in target.runtimes if name in runtime.GENAI), None)
    stopped = genai.refused_before(genai.Stage.OPTIONS, config, target)
    opened = {section.path for section in genai.opened(config, target) or ()}
    told = set()
    for section in sections(config):
        for given in providers(section):
            if given.written in told or given.options.kind != "object":
                continue
            told.add(given.written)
            text = said(given, target)
            if text is None:
                continue
            where = Where(config.name, f"model.{section.path}.session_options.provider_options", given.options.at)
            severity = Severity.PROBABLE
            if text.startswith(UNKNOWN):
                if installed is not None and section.path in opened and _is_nobodys(given.written):
                    severity = Severity.FATAL
                near = get_close_matches(given.written.lower(), KNOWN_PROVIDERS, n=1)
                detail = f"provider {given.written!r}" + (
                    f"; is {near[0]} meant?" if near and near[0] != given.written.lower() else ""
                )
            elif installed is None:
                yield Unknown(f"whether the installed package brings {given.written} is not known", where)
                continue
            else:
                detail = f"{installed} from PyPI does not bring {given.written}"
            yield Hit(where, detail, severity, None if stopped else text, REMEDY)
            stopped = True


def said(given: Provider, target: Target) -> str | None:
    """What the installed package says to a provider, None where it takes it."""
    written = given.written
    installed = next((name for name, _ in target.runtimes if name in runtime.GENAI), None)
    if written in ALWAYS or (installed is not None and BRINGS.get(installed) == fold_genai(written)):
        return None
    schema = genai.accepted(target) or genai_schema.schema(genai_schema.versions()[-1])
    measured = schema.providers.get(_measured(written)) if schema else None
    if measured is not None and not measured.startswith(UNKNOWN):
        return measured or None
    return NOT_BUILT.format(written) if written in ONNXRUNTIME_NAMES else _unknown(written, schema)


def _unknown(written: str, schema: Schema | None) -> str:
    old = schema is not None and any(text.startswith(OF_TYPE[:-2]) for text in schema.providers.values())
    return OF_TYPE.format(written) if old else f"{UNKNOWN} name '{written}'"


def _is_nobodys(written: str) -> bool:
    """Whether no measured version knows a provider of this name."""
    if written in ONNXRUNTIME_NAMES or written in ALWAYS:
        return False
    known = (found for version in genai_schema.versions() if (found := genai_schema.schema(version)) is not None)
    return all(schema.providers.get(_measured(written), UNKNOWN).startswith(UNKNOWN) for schema in known)


def fold_genai(name: str) -> str:
    """As GenAI folds it (NormalizeProviderName): lower case, without the suffix of full names."""
    return name.lower().removesuffix("executionprovider")


def _measured(name: str) -> str:
    """The name under which the table has it."""
    folded = fold_genai(name)
    return folded if folded == name.lower() else f"{folded}ExecutionProvider"


_CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx",
 "session_options": {"provider_options": [{"%s": {}}]}}}}"""
_CPU = Target((("onnxruntime-genai", "0.18.0"),))

CHECK = Check(
    id="genai-ep-build",
    title="The installed package does not bring the configured execution provider",
    reads="genai",
    predicts="WebGPU execution provider is not supported in this build.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "webgpu"),), target=_CPU, expect="not supported"),
        Fixture(Outcome.FOUND, files=(("genai_config.json", _CONFIG % "webgpuu"),), target=_CPU, expect="webgpuu"),
        Fixture(Outcome.CLEAN, files=(("genai_config.json", _CONFIG % "cpu"),), target=_CPU),
        Fixture(Outcome.UNKNOWN, files=(("genai_config.json", _CONFIG % "webgpu"),)),
    ),
)
