"""A session option that GenAI or ONNX Runtime refuses.

What it detects
    Options of the CPU provider, a log severity that does not exist, configuration entries with an empty or overlong
    key, and a custom operator library that leaves the package or is not in it.

Why it breaks
    The options are set before any file of the model is opened.

What it cannot tell
    Values of free configuration entries, which ONNX Runtime mostly takes unread; libraries that stand elsewhere on the
    machine.

Remedy
    Take the option away, or give it a value that it takes.

References
    measured with onnxruntime-genai 0.8.3 to 0.18.0; microsoft/onnxruntime-genai, src/models/model.cpp
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from signatures.artifact.genai import GenAiConfig, Section, providers, sections
from signatures.artifact.genai_json import Item
from signatures.artifact.package import Package
from signatures.checks import genai, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

REMEDY = "Take the option away, or give it a value that it takes."
MAX_KEY = 1024
SEVERITIES = range(5)
CPU_REFUSED_SINCE = (0, 15)  # options of the CPU provider
CLIMBING_REFUSED_SINCE = (0, 16)  # two dots anywhere in custom_ops_library; earlier versions try to load it
NAMED = frozenset((
    "log_id", "enable_profiling", "intra_op_num_threads", "inter_op_num_threads", "log_severity_level",
    "log_verbosity_level", "enable_cpu_mem_arena", "enable_mem_pattern", "graph_optimization_level",
    "custom_ops_library", "provider_options",
))  # fmt: skip
KEY_TEXT = "Config key is empty or longer than maximum length 1024"
CPU_TEXT = "CPU execution provider does not support provider options."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    if config is None or config.root is None or config.model is None:
        return
    stopped = genai.refused_before(genai.Stage.OPTIONS, config, target)
    for hit in refused(package, config, target):
        yield hit._replace(predicted_text=None) if stopped else hit
        stopped = stopped or hit.severity is Severity.FATAL


def refused(package: Package, config: GenAiConfig, target: Target) -> list[Hit]:
    """Options that are refused in the sections that the type opens, the decoder's first."""
    known = genai.opened(config, target)
    listed = [each for each in sections(config) if known is None or each.path in {section.path for section in known}]
    decoder = [each for each in sections(config) if each.path == "decoder"]
    others = [each for each in listed if each.path != "decoder"]
    found = []
    for section in (*decoder, *others):
        options = section.item.get("session_options")
        if options is not None and options.kind == "object":
            found += list(_section(package, config, section, options, target))
    return found


def _section(package: Package, config: GenAiConfig, section: Section, options: Item, target: Target) -> Iterator[Hit]:
    base = f"model.{section.path}.session_options"
    level = options.get("log_severity_level")
    number = level.number() if level else None
    if level is not None and number is not None and number.is_integer() and int(number) not in SEVERITIES:
        text = f"Not a valid onnxruntime::logging::Severity value: {number:.0f}"
        where = Where(config.name, f"{base}.log_severity_level", level.at)
        yield Hit(where, f"log_severity_level is {number:g}, not 0 to 4", Severity.FATAL, text, REMEDY)
    for key, item in options.members():
        if item.kind == "string" and key not in NAMED and not 0 < len(key.encode()) <= MAX_KEY:
            where = Where(config.name, base, item.at)
            yield Hit(where, f"a key of {len(key.encode())} bytes", Severity.FATAL, KEY_TEXT, REMEDY)
    version = runtime.genai(target)
    library = options.get("custom_ops_library")
    name = library.string() if library else None
    if library is not None and name is not None:
        where = Where(config.name, f"{base}.custom_ops_library", library.at)
        if ".." in name and (version is None or version >= CLIMBING_REFUSED_SINCE):
            text = f"custom_ops_library must not contain path traversal (..): {name}"
            severity = Severity.FATAL if version is not None else Severity.PROBABLE
            yield Hit(where, f"custom_ops_library is {name!r}", severity, text, REMEDY)
        elif not name or (package.complete and not package.has(package.folder(config.name) + normpath(name))):
            said = f"Failed to load library {name}" if not name.startswith("/") else None
            yield Hit(where, f"custom_ops_library {name!r} is not in the package", Severity.PROBABLE, said, REMEDY)
    for given in providers(section):
        if given.written.lower() in ("cpu", "cpuexecutionprovider") and any(
            item.kind == "string" for _, item in given.options.members()
        ):
            where = Where(config.name, f"{base}.provider_options", given.options.at)
            severity = Severity.FATAL if version is not None and version >= CPU_REFUSED_SINCE else Severity.PROBABLE
            yield Hit(where, "options of the CPU provider", severity, CPU_TEXT, REMEDY)


_CONFIG = """{"model": {"type": "llama", "context_length": 512, "decoder": {"filename": "m.onnx",
 "session_options": {%s}}}}"""
_NEW = Target((("onnxruntime-genai", "0.18.0"),))
_BEFORE = Target((("onnxruntime-genai", "0.15.2"),))


def _with(options: str) -> tuple[tuple[str, str], ...]:
    return (("genai_config.json", _CONFIG % options),)


CHECK = Check(
    id="genai-option",
    title="A session option in genai_config.json is refused",
    reads="genai",
    predicts="CPU execution provider does not support provider options.",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=_with('"provider_options": [{"cpu": {"a": "1"}}]'), target=_NEW, expect="CPU"),
        Fixture(Outcome.FOUND, files=_with('"log_severity_level": 9'), target=_NEW, expect="Severity value: 9"),
        Fixture(Outcome.FOUND, files=_with('"": "1"'), target=_NEW, expect="Config key is empty"),
        Fixture(Outcome.FOUND, files=_with('"custom_ops_library": "../x.so"'), target=_NEW, expect="traversal"),
        Fixture(Outcome.FOUND, files=_with('"custom_ops_library": "../x.so"'), target=_BEFORE, expect="Failed to load"),
        Fixture(
            Outcome.CLEAN,
            files=(*_with('"custom_ops_library": "./a/../x.so"'), ("x.so", b"")),
            target=_BEFORE,
        ),
        Fixture(Outcome.FOUND, files=_with('"custom_ops_library": "x.so"'), target=_NEW, expect="Failed to load"),
        Fixture(Outcome.CLEAN, files=_with('"session.any_entry": "1", "log_severity_level": 4'), target=_NEW),
    ),
)
