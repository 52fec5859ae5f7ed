"""What the checks on a GenAI package share: in which order GenAI comes upon what it refuses.

GenAI stops at the first thing that it refuses, so a text is predicted for that one alone; what stands behind it shows
once it is mended (src/config.cpp, src/models/model.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from signatures.artifact import genai_faults, genai_schema
from signatures.artifact.genai import GenAiConfig, Section, providers, sections
from signatures.artifact.genai_faults import Fault
from signatures.artifact.genai_json import Item
from signatures.artifact.genai_schema import Schema
from signatures.checks import runtime
from signatures.checks.model import Target

PATHS_CHECKED_SINCE = (0, 15)
WITHOUT_LENGTH = {"nemotron_speech": (0, 14), "streaming_enc_dec_asr": (0, 17)}  # types that need no context_length
OTHER_PROVIDER = "Target and draft must use the same execution provider."
NOTHING = Fault("none", "", "", "", "", 0, 0, 0, 0)
_NOT_REFUSED = ("doubtful", "size")
_FILE_KEYS = ("filename", "config_filename", "adapter_filename")
_MOONSHINE = ("frontend", "encoder", "adapter", "cross_kv", "decoder_kv")
_UNCHECKED = ("draft",)
SPEECH_IN_PAIRS = ("gemma4", "phi4mm", "gemma4_unified")
PAIRS_SINCE = (0, 14)


class Stage(IntEnum):
    """What GenAI does with a package, in its order."""

    READING = 0
    LENGTH = 1
    PATHS = 2
    TYPE = 3
    OPTIONS = 4
    FILES = 5


class Named(NamedTuple):
    """A file that the configuration names: `path` is the key, `where` its place as GenAI prints it."""

    path: str
    where: str
    name: str
    item: Item


def accepted(target: Target) -> Schema | None:
    """What the target's GenAI version accepts, None where that is not known."""
    version = runtime.genai(target)
    return genai_schema.schema(version) if version else None


def faults(config: GenAiConfig, target: Target) -> list[Fault]:
    """What reading refuses, in order; without a version only what every version refuses."""
    schema = accepted(target)
    if schema is not None:
        return genai_faults.faults(config, schema)
    return sorted(genai_faults.syntax(config), key=lambda fault: fault.end)


def first(config: GenAiConfig, target: Target) -> Fault:
    """The fault that GenAI prints, NOTHING where it reads the file."""
    return next((fault for fault in faults(config, target) if fault.kind not in _NOT_REFUSED), NOTHING)


def named(config: GenAiConfig) -> Iterator[Named]:
    """Every file that the model section names, in file order."""
    for section in sections(config):
        for key in _FILE_KEYS:
            item = section.item.get(key)
            name = item.string() if item else None
            if item is not None and name is not None:
                stage = section.path.partition("[")[0]
                yield Named(f"model.{section.path}.{key}", f"model.{stage}.{key}", name, item)
    moonshine = config.find("model", "moonshine")
    for key in _MOONSHINE:
        item = moonshine.get(f"{key}_filename") if moonshine else None
        name = item.string() if item else None
        if item is not None and name is not None:
            path = f"model.moonshine.{key}_filename"
            yield Named(path, path, name, item)


def escape(name: str) -> str | None:
    """What GenAI says to a path that leaves the package (ValidateConfigPath), None where it takes it."""
    if name.startswith(("/", "\\")):
        return f"Config path must be a relative path under the model directory, got: {name}"
    if ".." in name.replace("\\", "/").split("/"):
        return f"Config path must not contain path traversal (..): {name}"
    return None


def escaping(config: GenAiConfig, target: Target) -> list[tuple[Named, str]]:
    """Named files that leave the package, with what GenAI says."""
    del target
    told = ((each, escape(each.name)) for each in named(config))
    return [
        (each, text)
        for each, text in told
        if text and not each.path.startswith(tuple(f"model.{x}." for x in _UNCHECKED))
    ]


def length(config: GenAiConfig) -> int | None:
    """context_length as GenAI holds it: cut to an integer, 0 where it is not set. None: of another kind."""
    item = config.find("model", "context_length")
    value = item.number() if item else 0.0
    return None if value is None else int(value)


def no_length(config: GenAiConfig, target: Target) -> bool:
    """Whether GenAI refuses the file for want of a context_length."""
    since = WITHOUT_LENGTH.get(model_type(config))
    if since is not None and (runtime.genai(target) or since) >= since:
        return False
    return length(config) == 0


def model_type(config: GenAiConfig) -> str:
    """model.type, empty where it is not set."""
    item = config.find("model", "type")
    return (item.string() if item else None) or ""


def has_draft(config: GenAiConfig) -> bool:
    """Whether the model is opened as a target with a draft, whatever its type."""
    draft = config.find("model", "draft")
    return draft is not None and draft.kind == "object"


def unsupported(config: GenAiConfig, target: Target) -> bool:
    """Whether the version has no implementation of the type."""
    schema = accepted(target)
    kind = model_type(config)
    if kind == "decoder-pipeline":
        return False  # the oldest versions take it by its pipeline, and were not asked for it by name alone
    return schema is not None and not has_draft(config) and kind not in schema.types


def refused_before(stage: Stage, config: GenAiConfig, target: Target) -> bool:
    """Whether GenAI stops at something that it comes upon earlier than this stage."""
    if stage > Stage.READING and first(config, target) != NOTHING:
        return True
    if stage > Stage.LENGTH and no_length(config, target):
        return True
    checked = (runtime.genai(target) or PATHS_CHECKED_SINCE) >= PATHS_CHECKED_SINCE
    if stage > Stage.PATHS and checked and escaping(config, target):
        return True
    if stage > Stage.TYPE and unsupported(config, target):
        return True
    lacking = incomplete(config, target)
    return lacking is not None and stage > lacking[2]


def text(said: str, stage: Stage, config: GenAiConfig, target: Target) -> str | None:
    """The text to predict at this stage, None where GenAI stops earlier."""
    return None if refused_before(stage, config, target) else said


def _provider_names(config: GenAiConfig, name: str) -> list[str]:
    section = next((each for each in sections(config) if each.path == name), None)
    return [given.name for given in providers(section)] if section else []


def incomplete(config: GenAiConfig, target: Target) -> tuple[str, str, Stage] | None:
    """(key, what GenAI says, stage) where the type demands a key that is not set, or set otherwise."""
    kind = model_type(config)

    def given(*path: str) -> bool:
        item = config.find("model", *path)
        return bool(item and item.string())

    if has_draft(config):
        if not given("draft", "filename"):
            return "model.draft.filename", "model.draft.filename is not set in genai_config.json.", Stage.OPTIONS
        target_names = _provider_names(config, "decoder")  # others than the CPU's are refused before
        if set(target_names) <= {"cpu"} and target_names != _provider_names(config, "draft"):
            return "model.draft.session_options.provider_options", OTHER_PROVIDER, Stage.OPTIONS
        return None
    schema = accepted(target)
    if schema is None or kind not in schema.types:
        return None
    if kind in SPEECH_IN_PAIRS and "model/speech/config_filename" in schema.keys and schema.version >= PAIRS_SINCE:
        file = given("speech", "filename")
        # The processor's file has a name by default.
        processor = given("speech", "config_filename") or config.find("model", "speech", "config_filename") is None
        if processor and not file:
            said = "speech.config_filename is set but speech.filename is missing. Both are required for audio support."
            return "model.speech.filename", said, Stage.TYPE
        if file and not processor:
            said = "speech.filename is set but speech.config_filename is missing. Both are required for audio support."
            return "model.speech.config_filename", said, Stage.TYPE
    if kind == "streaming_enc_dec_asr":
        for key in _MOONSHINE:
            if not given("moonshine", f"{key}_filename"):
                name = f"model.moonshine.{key}_filename"
                return name, f"moonshine streaming model: genai_config.json must set {name}", Stage.OPTIONS
    return None


def opened(config: GenAiConfig, target: Target) -> list[Section] | None:
    """The sections whose files GenAI opens, in its order; None where that is not known for the type or version."""
    schema = accepted(target)
    if schema is None:
        return None
    by_path = {section.path: section for section in sections(config)}
    kind = model_type(config)
    stages = [by_path[path] for path in by_path if path.startswith("decoder.pipeline")]
    if has_draft(config):
        return [by_path[path] for path in ("decoder", "draft") if path in by_path]
    if kind == "decoder-pipeline" or (stages and kind in ("qwen2_5_vl", "fara", "qwen3_vl")):
        return stages
    order = schema.sessions.get(kind)
    if not order:
        return None
    speech = config.find("model", "speech", "filename")
    without_speech = kind in SPEECH_IN_PAIRS and schema.version >= PAIRS_SINCE and not (speech and speech.string())
    return [
        by_path.get(name) or Section(name, NO_ITEM, None)
        for name in order.split()
        if not (name == "speech" and without_speech)
    ]


NO_ITEM = Item("object", {}, 0, 1, 1, 0, [])
