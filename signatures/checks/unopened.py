"""Files of a GenAI package that GenAI does not open: what is wrong with one of them refuses nothing by itself."""

from __future__ import annotations

from posixpath import normpath

from signatures.artifact import genai_schema
from signatures.artifact.genai import GenAiConfig
from signatures.artifact.ir import Model
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.checks import genai, graphs, runtime
from signatures.checks.model import Hit, Severity, Target


def lowered(hit: Hit, package: Package, target: Target) -> Hit:
    """The hit, probable at most where it is about a file that the target's GenAI is not known to open."""
    if hit.severity is not Severity.FATAL or not runtime.names(target, runtime.GENAI):
        return hit
    name = package.genai_config_name()
    if name is None or hit.where.file == name or hit.where.file not in package.entries:
        return hit
    try:
        config = package.genai_config()
    except SourceError:
        config = None
    if config is not None and _is_opened(package, config, target, hit.where.file):
        return hit
    return hit._replace(severity=Severity.PROBABLE)


def _is_opened(package: Package, config: GenAiConfig, target: Target, name: str) -> bool:
    models = _models(package, config, target)
    return name in models or any(name in _data(package, model) for model in models if not name.endswith(".onnx"))


def _models(package: Package, config: GenAiConfig, target: Target) -> frozenset[str]:
    """Models that GenAI opens: where its version is not known, those that every version with the type opens."""
    versions = [target]
    if genai.accepted(target) is None:
        known = (".".join(map(str, version)) for version in genai_schema.versions())
        versions = [Target(((runtime.GENAI[0], version),)) for version in known]
    listed = [found for each in versions if (found := genai.opened(config, each)) is not None]
    folder = package.folder(config.name)
    sets = [frozenset(folder + normpath(section.filename) for section in found if section.filename) for found in listed]
    return frozenset.intersection(*sets) if sets else frozenset()


def _data(package: Package, name: str) -> set[str | None]:
    """Files that hold data of a model."""
    model = graphs.model(package, name, full=True)
    if not isinstance(model, Model):
        return set()
    tensors = (tensor for graph in model.graphs for tensor in graph.tensors)
    locations = {(tensor.external or {}).get("location", "") for tensor in tensors}
    return {package.place(name, location).name for location in locations if location}
