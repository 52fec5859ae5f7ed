"""Value names that end in an execution provider's name.

What it detects
    Outputs named `<value>_<Provider>ExecutionProvider`, with or without `_token_<n>`.

Why it breaks
    It does not break anything: ONNX Runtime never reuses such a name by itself. It shows that the graph went through a
    placement pass before it was saved, and for which provider.

What it cannot tell
    Whether copies are still in the graph: an export may have stripped them and kept the names.

Remedy
    None needed for the names alone.

References
    microsoft/foundry-local#1075, microsoft/foundry-local#1039
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.ir import Graph, Node
from signatures.artifact.package import Package
from signatures.checks import graphs
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

PROVIDERS = (
    "CUDA", "WebGpu", "Dml", "Rocm", "ROCM", "TensorRT", "Tensorrt", "NvTensorRTRTX", "MIGraphX", "Js", "JS", "CoreML",
    "OpenVINO", "QNN", "VitisAI", "Nnapi", "Xnnpack", "ACL", "CANN", "DNNL", "WebNN",
)  # fmt: skip


def split_suffix(name: str) -> tuple[str, str]:
    """('pad', 'CUDAExecutionProvider') of 'pad_CUDAExecutionProvider_token_3'; (name, '') where there is no suffix."""
    stem = name
    head, token, number = name.rpartition("_token_")
    if token and number.isdecimal():
        stem = head
    if not stem.endswith("ExecutionProvider"):
        return name, ""
    cut = stem.rfind("_")
    provider = stem[cut + 1 :].removesuffix("ExecutionProvider")
    return (stem[:cut], stem[cut + 1 :]) if cut > 0 and provider in PROVIDERS else (name, "")


def suffixed(package: Package) -> Iterator[tuple[str, Graph, Node, str, str] | Unknown]:
    """(file, graph, node, output, provider) of every suffixed output."""
    for item in graphs.opened(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        for graph, node in model.nodes():
            for output in node.outputs:
                provider = split_suffix(output)[1]
                if provider:
                    yield name, graph, node, output, provider


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    seen: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], tuple[Where, str]] = {}
    for item in suffixed(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, graph, node, output, provider = item
        seen[name, provider] = seen.get((name, provider), 0) + 1
        first.setdefault((name, provider), (graphs.at(name, graph, node), output))
    for pair, count in seen.items():
        where, output = first[pair]
        detail = f"{count} names end in {pair[1]}, the first is {output}: the graph was saved after placement"
        yield Hit(where, detail, Severity.INFO)


_GRAPH = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) {{ {0} = Relu (x)  y = Abs ({0}) }}'

CHECK = Check(
    id="ep-suffixed-names",
    title="Names of an earlier placement are left in the graph",
    reads="onnx",
    predicts="nothing by itself; corroborates baked copies",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH.format("a_CUDAExecutionProvider_token_12"), expect="CUDAExecutionProvider"),
        Fixture(Outcome.CLEAN, _GRAPH.format("a_MyExecutionProvider")),
        Fixture(Outcome.CLEAN, _GRAPH.format("a_token_12")),
    ),
)
