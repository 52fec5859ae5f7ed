"""A file that genai_config.json names and the package does not hold.

What it detects
    Model, processor and adapter files named in any section, the tokenizer's configuration, and genai_config.json itself
    beside a tokenizer and ONNX models.

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

from signatures.artifact.genai import GenAiConfig, Section
from signatures.artifact.package import GENAI_CONFIG, Package
from signatures.checks import genai, genai_option, runtime
from signatures.checks.external import leaves
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Download the whole model folder, under the names that genai_config.json uses."
UNCONFIGURED = "Download the whole model folder, or make genai_config.json with the GenAI model builder."
TOKENIZERS = frozenset(("tokenizer.json", "tokenizer_config.json", "tokenizer.model"))
MISSING = "File doesn't exist"
FOLDER = "The model path is a directory."
DEFAULTS = {"nemotron_speech": {"encoder": "encoder.onnx", "decoder": "decoder.onnx", "joiner": "joiner.onnx"}}
MAX_NAME = 255  # longer names are no file's on the usual file systems


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None and unconfigured(package, target):
        place = f" {package.ref.rstrip('/')}/{GENAI_CONFIG}" if package.root is not None else ""
        detail = "there are a tokenizer and ONNX models, and no genai_config.json"
        yield Hit(Where(GENAI_CONFIG), detail, Severity.FATAL, f"Error opening{place}", UNCONFIGURED)
    if config is None or config.root is None or config.model is None:
        return
    told = set()
    lacking = genai.incomplete(config, target)
    if lacking is not None:
        key, said, stage = lacking
        told.add(key)
        text = genai.text(said, stage, config, target)
        yield Hit(Where(config.name, key), f"{key} is not as this type of model needs it", Severity.FATAL, text, REMEDY)
    stopped = genai.refused_before(genai.Stage.FILES, config, target) or bool(
        genai_option.refused(package, config, target)
    )
    for section in genai.opened(config, target) or ():
        found = _opened(package, config, section)
        if isinstance(found, Hit):
            if found.where.what in told:
                continue
            told.add(found.where.what)
            yield found._replace(predicted_text=None if stopped else found.predicted_text)
            stopped = True
        elif found is not None:
            told.add(f"model.{section.path}.filename")
            yield found
    yield from _named(package, config, told, target)
    if (
        package.complete
        and not package.has(f"{package.folder(config.name)}tokenizer_config.json")
        and not config.find("model", "tokenizer_dir")
    ):
        where = Where(config.name, "tokenizer")
        text = "Failed to open a json file:"
        yield Hit(where, "tokenizer_config.json is not there", Severity.PROBABLE, text, REMEDY)


def unconfigured(package: Package, target: Target) -> bool:
    """Whether this is a folder that GenAI is to open and that lacks its configuration."""
    if not runtime.names(target, runtime.GENAI) or package.subject is not None or not package.complete:
        return False
    tokenizer = any(name.rpartition("/")[2] in TOKENIZERS for name in package.names)
    return tokenizer and bool(package.onnx_names()) and package.genai_config_name() is None


def _opened(package: Package, config: GenAiConfig, section: Section) -> Hit | Unknown | None:
    """What is wrong with the file of a section that this type opens."""
    key = f"model.{section.path}.filename"
    at = section.item.get("filename")
    where = Where(config.name, key, at.at if at else section.item.at or None)
    name = section.filename or DEFAULTS.get(genai.model_type(config), {}).get(section.path, "")
    place = package.folder(config.name) + normpath(name) if name else ""
    if at is not None and at.kind != "string":
        return None
    if not name or normpath(name) == "." or any(entry.startswith(place + "/") for entry in package.entries):
        what = "names no file" if not name else f"names {name}, a folder"
        return Hit(where, f"{key} {what}", Severity.FATAL, FOLDER, REMEDY, (("file", name),))
    if genai.escape(name):
        return None
    if package.has(place):
        return _not_a_model(package, where, key, place, name)
    return _absent(package, where, key, name)


def _not_a_model(package: Package, where: Where, key: str, place: str, name: str) -> Hit | None:
    """A file that is there under another ending than .onnx, which the checks on ONNX files do not look at."""
    if name.endswith("/"):
        return Hit(where, f"{key} ends in a slash", Severity.PROBABLE, "system error number 20", REMEDY)
    if name.lower().endswith(".onnx") or package.head(place).kind in ("protobuf", "ort"):
        return None
    what = package.head(place).what
    return Hit(where, f"{key} names {name}, {what}", Severity.PROBABLE, "Protobuf parsing failed.", REMEDY)


def _absent(package: Package, where: Where, key: str, name: str) -> Hit | Unknown:
    if not package.complete:
        return Unknown(f"{name} is not among the files that were looked at", where)
    folded = {entry.lower(): entry for entry in package.entries}
    near = folded.get((package.folder(where.file) + name).lower())
    detail = f"{key} names {name}, which is not there" + (f" (there is {near})" if near else "")
    # A name that differs in case opens on some file systems.
    severity = Severity.PROBABLE if near else Severity.FATAL
    text = "system error number 36" if any(len(part.encode()) > MAX_NAME for part in name.split("/")) else MISSING
    return Hit(where, detail, severity, text, REMEDY, (("file", name),))


def _named(package: Package, config: GenAiConfig, told: set[str], target: Target) -> Iterator[Hit | Unknown]:
    """Files that are named, where it is not known that they are opened while the model loads."""
    known = genai.opened(config, target)
    opened = {f"model.{section.path}.filename" for section in known or ()}
    for named in genai.named(config):
        if named.path in told | opened or not named.name or leaves(named.name):
            continue
        if package.has(package.folder(config.name) + normpath(named.name)):
            continue
        found = _absent(package, Where(config.name, named.path, named.item.at), named.path, named.name)
        if isinstance(found, Hit):
            certain = known is None and named.path == "model.decoder.filename" and _plain(config)
            severity = found.severity if certain else Severity.PROBABLE
            text = genai.text(MISSING, genai.Stage.FILES, config, target) if certain else None
            found = found._replace(severity=severity, predicted_text=text)
        yield found
    decoder = config.find("model", "decoder")
    if known is None and decoder is not None and decoder.get("filename") is None and _plain(config):
        where = Where(config.name, "model.decoder.filename", decoder.at)
        yield Hit(where, "the decoder section names no file", Severity.PROBABLE, FOLDER, REMEDY)


def _plain(config: GenAiConfig) -> bool:
    return config.find("model", "decoder", "pipeline") is None


_CONFIG = '{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "model.onnx"}}}'

CHECK = Check(
    id="genai-file-missing",
    title="genai_config.json names a file that is not in the package",
    reads="genai-folder",
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
        Fixture(
            Outcome.FOUND,
            files=(("tokenizer.json", "{}"), ("model.onnx", b"")),
            target=Target((("onnxruntime-genai", "0.18.0"),)),
            expect="Error opening",
        ),
        Fixture(Outcome.CLEAN, files=(("tokenizer.json", "{}"), ("model.onnx", b""))),
        Fixture(
            Outcome.FOUND,
            files=(("genai_config.json", _CONFIG.replace("llama", "whisper")), ("model.onnx", b"")),
            target=Target((("onnxruntime-genai", "0.18.0"),)),
            expect="model.encoder.filename names no file",
        ),
    ),
)
