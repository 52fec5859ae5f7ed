"""Products of a story, and the delivery graph over its repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.upstream.reading import read_graph
from kb.graph.model import Carriage, Trace
from kb.graph.trace import Graph
from kb.model import Bundle, Knowledge, Layout, Observed, Product, Scheme
from tests.upstream.story import Story

ENGINE = Product(
    "engine",
    "Engine",
    Scheme.PEP440,
    repo="acme/engine",
    layouts=(Layout("v{version}", branch="rel-{version}", version_file="VERSION_INFO"),),
)


def carrier(id_: str, tag: str, manifest: str = "deps.json", pointer: str = "/engine/version") -> Product:
    """A product of acme/tool that pins the engine."""
    layout = Layout(tag, bundles=(Bundle("engine", manifest, pointer),))
    return Product(id_, id_.title(), Scheme.SEMVER, repo="acme/tool", layouts=(layout,))


def known(*products: Product, observed: Observed | None = None) -> Knowledge:
    return Knowledge((), products or (ENGINE,), observed or Observed())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for repositories, with a cache of its own."""
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def graph_of(folder: Path, knowledge: Knowledge | None = None, **stories: Story) -> Graph:
    """The graph over acme/<name> for each story."""
    mirrors = {f"acme/{name}": str(story.write(folder / f"{name}.git")) for name, story in stories.items()}
    read = read_graph(knowledge or known(), mirrors)
    assert read.failed == ()
    return read.graph


def traced(folder: Path, story: Story, number: int, knowledge: Knowledge | None = None) -> Trace:
    return graph_of(folder, knowledge, engine=story).trace(f"acme/engine#{number}")


def at(trace: Trace, version: str) -> Carriage:
    """Where one release of the engine stands."""
    return next(c for c in trace.components[0].carriages if c.point.version == version)
