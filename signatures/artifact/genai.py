"""genai_config.json with the position of every value, read as ONNX Runtime GenAI reads it. Nothing is resolved or
defaulted.
"""

from __future__ import annotations

from typing import NamedTuple

from signatures.artifact.genai_json import MAX_BYTES, ConfigError, Escape, Item, Parser, Stop


class GenAiConfig(NamedTuple):
    """`root` holds what was read, up to `error` where there is one."""

    name: str
    root: Item | None
    error: ConfigError | None
    escapes: tuple[Escape, ...]

    @property
    def model(self) -> Item | None:
        return self.root.get("model") if self.root else None

    def find(self, *path: str) -> Item | None:
        """The value at a path of keys."""
        item = self.root
        for key in path:
            item = item.get(key) if item else None
        return item


class Section(NamedTuple):
    """A part of the package that opens a session of its own: 'decoder', 'vision', 'vision.pipeline[0].name', ..."""

    path: str
    item: Item
    filename: str | None


SECTIONS = ("decoder", "encoder", "embedding", "vision", "speech", "joiner", "vad", "draft")


def sections(config: GenAiConfig) -> list[Section]:
    """Sections under `model`, with pipeline stages behind the section that lists them."""
    found: list[Section] = []
    if config.model is None:
        return found
    for key, item in config.model.members():
        if key not in SECTIONS or item.kind != "object":
            continue
        found.append(Section(key, item, _filename(item)))
        pipeline = item.get("pipeline")
        for position, stage in enumerate(pipeline.items() if pipeline else ()):
            if stage.get("filename"):
                found.append(Section(f"{key}.pipeline[{position}]", stage, _filename(stage)))
                continue
            for name, below in stage.members():
                found.append(Section(f"{key}.pipeline[{position}].{name}", below, _filename(below)))
    return found


def _filename(item: Item) -> str | None:
    value = item.get("filename")
    return value.string() if value else None


class Provider(NamedTuple):
    """One provider of a section's session options. `name` as GenAI folds it ('webgpu', 'cuda', ...)."""

    section: str
    name: str
    written: str
    options: Item


# Execution providers by their folded name, GenAI's own and those of ONNX Runtime.
KNOWN_PROVIDERS = (
    "cpu", "cuda", "webgpu", "dml", "qnn", "openvino", "vitisai", "ryzenai", "nvtensorrtrtx", "amdgpu", "rocm",
    "tensorrt", "migraphx", "coreml", "xnnpack", "webnn", "azure", "snpe", "nnapi", "acl", "armnn", "cann", "dnnl",
    "vsinpu",
)  # fmt: skip
_CANONICAL = {"dml": "dml", "directml": "dml", "js": "webgpu", "webgpu": "webgpu", "nvtensorrtrtx": "nvtensorrtrtx"}


def fold_provider(name: str) -> str:
    """'WebGpuExecutionProvider', 'WebGPU' -> 'webgpu'; 'cuda' -> 'cuda'."""
    folded = name.strip().lower().removesuffix("executionprovider")
    return _CANONICAL.get(folded, folded)


def providers(section: Section) -> list[Provider]:
    """Providers that a section asks for, in order."""
    options = section.item.get("session_options")
    listed = options.get("provider_options") if options else None
    found = []
    for entry in listed.items() if listed else ():
        for name, item in entry.members():
            found.append(Provider(section.path, fold_provider(name), name, item))
    return found


def parse_config(data: bytes, name: str = "genai_config.json") -> GenAiConfig:
    """Never raises: what does not parse is told in `error`, beside what was read until there."""
    if len(data) > MAX_BYTES:
        return GenAiConfig(name, None, ConfigError("size", f"more than {MAX_BYTES} bytes", 1, 1, 0), ())
    bom = data.startswith(b"\xef\xbb\xbf")
    parser = Parser(data.decode("latin-1"), 3 if bom else 0)
    error = None
    try:
        parser.value()
    except Stop as stop:
        error = stop.error
    if bom:
        error = ConfigError("bom", ' Unknown value ""', 1, 1, 1)
    return GenAiConfig(name, parser.root, error, tuple(parser.escapes))
