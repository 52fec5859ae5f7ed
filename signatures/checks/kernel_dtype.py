"""An operator that the CPU of this runtime has no kernel for, on the element type that the model gives it.

What it detects
    Nodes that fit their operator's schema and for which no CPU kernel takes their types at that version of the
    operator: bfloat16, float8 and int4 arithmetic, small integers, and operators that the build
    does not implement at all.

Why it breaks
    Schemas allow more types than any execution provider implements. A node that no provider takes ends the session
    before it begins.

What it cannot tell
    Kernels of providers other than the CPU, except where a placement table says that the operator runs on the CPU.
    Values whose type neither the file nor the schemas settle. Nodes that the optimizer may take away before kernels are
    looked up are probable at most.

Remedy
    Export in float32 or float16, or run on a provider that implements the type.

References
    kernels listed by deploy/probe_operators.py from real builds; microsoft/onnxruntime#11348
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signatures.artifact import operators
from signatures.artifact.flow import Scope
from signatures.artifact.ir import Model, Node
from signatures.artifact.node_faults import Types, schema_fault
from signatures.artifact.operators import Schema, Table
from signatures.artifact.package import Package
from signatures.artifact.replaced import BY_CONTEXT, BY_OTHERS, FLOAT, for_shapes, may_go, passed_through
from signatures.artifact.types import key
from signatures.checks import builds, graphs, runtime
from signatures.checks.builds import Builds
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown

REMEDY = "Export the model in float32 or float16, or run it on an execution provider that implements this type."
CAST_TAKES_INT = 6  # the opset from which Cast names its target by number
MAX_HITS = 20  # of one file
QUANTIZED = "com.microsoft.MatMulNBits"
BITS = {(1, 17): (4,), (1, 22): (4, 8), (1, 24): (2, 4, 8)}  # that the CPU kernel takes, by the release it began with
SHAPE_COMPARED = (1, 28)  # from here on the shape of its weights is compared with its attributes
# Told by `memcpy-baked` and `ep-context`; a Constant needs no kernel.
ELSEWHERE = frozenset(("MemcpyFromHost", "MemcpyToHost", "EPContext", "Constant"))


class Missing(NamedTuple):
    """A node without a kernel. `refused`: the operator that the message names, '' for the node itself. `half`: the
    message where it is float16. `open`: the runtime may make others of it."""

    node: Node
    since: int
    dtypes: str
    refused: str
    half: str
    certain: bool
    open: bool


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    speak = builds.of(target)
    ep = runtime.provider(target) or ("cpu" if runtime.names(target, ("onnxruntime",)) else None)
    for item in graphs.fullest(package):
        if isinstance(item, Unknown):
            yield item
            continue
        name, model = item
        if model.opsets:
            yield from _file(name, model, speak, target, ep)


def _file(name: str, model: Model, speak: Builds, target: Target, ep: str | None) -> Iterator[Hit | Unknown]:
    known, count = operators.table(), 0
    imported = {build: builds.opsets(known, build, model) for build in speak.indices}
    served: set[object] = set()
    chosen: set[int] = set()  # bodies that may go before placement: of an If on a constant, or read for its shape alone
    for scope, types in builds.typed(model, known, speak.indices[-1], imported[speak.indices[-1]]):
        shapes_only = for_shapes(scope)
        for node in scope.nodes:
            constant = node.op == "If" and bool(node.inputs) and node.inputs[0] in scope.constant
            if constant or id(scope.graph) in chosen or id(node) in shapes_only:
                chosen.update(map(id, node.graphs.values()))
            told = key(node).rpartition(".")[2] in ELSEWHERE
            if told or node.removed or id(node) in scope.dead or passed_through(scope, node):
                continue
            refused = _weights(name, scope, node, target) if ep == "cpu" and key(node) == QUANTIZED else None
            if refused is not None:
                count += 1
                yield refused
                continue
            alike = builds.likeness(node, types)
            if alike in served:
                continue
            answers = [missing(known, build, node, imported[build], types) for build in speak.indices]
            found = [answer for answer in answers if isinstance(answer, Missing)]
            if model.partial or id(scope.graph) in chosen or id(node) in shapes_only:
                found = [answer._replace(certain=False) for answer in found]
            if not found:
                served.add(alike)
                continue
            said = _said(name, scope, found, len(found) == len(answers), speak, target, ep)
            if said is not None:
                count += 1
                yield said
            if count >= MAX_HITS:
                return


def _weights(name: str, scope: Scope, node: Node, target: Target) -> Hit | None:
    """A MatMulNBits whose bits its CPU kernel does not take, or whose weights are of another shape than it derives."""
    version = runtime.onnxruntime(target)
    since = max((since for since in BITS if version is not None and version[:2] >= since), default=None)
    bits, where = node.int("bits") or 4, graphs.at(name, scope.graph, node)
    if since is None or version is None:
        return None
    if bits not in BITS[since]:
        taken = [f"{each}b" for each in BITS[since]]
        listed = " and ".join(filter(None, (", ".join(taken[:-1]), taken[-1])))
        detail = f"{node} has weights of {bits} bits, and this CPU kernel takes {listed}"
        text = f"Only {listed} quantization is supported for MatMulNBits op" if scope.dtype(node) == FLOAT else None
        return Hit(where, detail, Severity.FATAL, text, REMEDY, (("op", node.op),))
    columns, depth, block = node.int("N"), node.int("K"), node.int("block_size")
    tensor = scope.graph.initializers.get(node.inputs[1]) if len(node.inputs) > 1 else None
    given = {value.name for value in scope.graph.inputs}
    if version[:2] < SHAPE_COMPARED or tensor is None or tensor.name in given or not (columns and depth and block):
        return None
    derived = (columns, -(-depth // block), -(-block * bits // 8))
    if tensor.dims == derived or min(columns, depth, block) < 1:
        return None
    have, need = ",".join(map(str, tensor.dims)), ",".join(map(str, derived))
    text = f"B initializer shape {{{have}}} does not match attribute-derived shape [{need}]"
    detail = f"the weights {tensor.name} of {node} are [{have}], and its attributes ask for [{need}]"
    plain = bits == 4 and not any(node.inputs[3:]) and scope.dtype(node) == FLOAT
    severity = Severity.FATAL if plain else Severity.PROBABLE
    return Hit(where, detail, severity, text, "Write weights, N, K, bits and block_size so that they agree.")


def missing(known: Table, build: int, node: Node, imported: dict[str, int], types: Types) -> Missing | None:
    """What a build lacks to run a node on the CPU; None where it lacks nothing, or that cannot be told, or where the
    node breaks its schema."""
    opset = imported.get(node.domain)
    schema = known.schema(build, key(node), opset) if opset is not None else None
    if schema is None or opset is None or schema.deprecated:
        return None
    ins = [types.get(name) if name else None for name in node.inputs]
    outs = [types.get(name) if name else None for name in node.outputs]
    bound = operators.bound_types(schema, ins, outs, (len(ins), len(outs)))
    casts = imported.get("", 0) >= CAST_TAKES_INT
    if operators.has_kernel(known, build, key(node), schema, bound, casts=casts) is not False:
        return None
    if schema_fault(known, build, node, opset, types) is not None:
        return None
    first = ins[0] if ins else None
    plain = f"{node.op}({schema.since})"
    body = known.body(build, key(node), schema.since)
    verdict = body.get(first or "", None if first is None else plain) if body is not None else plain
    if verdict == "" and not (first == "f16" and not casts):
        return None
    other = bool(verdict) and verdict != plain
    certain = bool(verdict) and None not in ins[: schema.inputs[0]]
    if other:
        certain = certain and len(node.inputs) == max(1, schema.inputs[0])
    by_context = not node.domain and schema.since >= BY_CONTEXT.get(node.op, operators.MANY)
    if not other and (by_context or (not node.domain and node.op in BY_OTHERS)):
        certain = False
    dtypes = ", ".join(sorted({dtype for dtype in (*ins, *outs) if dtype}))
    half = _half(schema, node, ins, imported.get("", 0)) if "f16" in (*ins, *outs) else ""
    return Missing(
        node, schema.since, dtypes, (verdict or "") if other else "", half, certain, by_context and not other
    )


def _half(schema: Schema, node: Node, ins: list[str | None], opset: int) -> str:
    """What is printed for a float16 node: casts to float32 are put around it, and then it fails."""
    if opset < CAST_TAKES_INT:
        return "Mismatched attribute type in 'Inserted"
    formal = schema.formal(ins.index("f16")) if "f16" in ins else None
    if formal is not None and "f32" not in schema.types.get(formal.type, ("f32",)):
        return "Type 'tensor(float)' of input parameter (Inserted"
    return f"Failed to find kernel for {key(node)}({schema.since})"


def _said(
    name: str, scope: Scope, found: list[Missing], every: bool, speak: Builds, target: Target, ep: str | None
) -> Hit | Unknown | None:
    lacks = found[-1]
    node = lacks.node
    where = graphs.at(name, scope.graph, node)
    detail = f"{speak.label} has no CPU kernel for {node.op}({lacks.since}) on {lacks.dtypes or 'any type'}"
    if lacks.open:
        return Unknown(f"{detail}, and whether it is replaced by others depends on the model", where)
    if ep == "webgpu":
        return _webgpu(target, lacks, detail, where) if every else None
    if ep != "cpu":
        return Unknown(f"{detail}, and whether {ep or 'the execution provider'} has one is not known", where)
    if not every or not speak.sure:
        if every and runtime.onnxruntime(target) is None:
            return Hit(where, detail, Severity.PROBABLE, _text(lacks), REMEDY, (("op", node.op),))
        return Unknown(f"{detail}, as far as was measured", where)
    severity = Severity.FATAL if lacks.certain and not may_go(scope, node) else Severity.PROBABLE
    return Hit(where, detail, severity, _text(lacks), REMEDY, (("op", node.op),))


def _webgpu(target: Target, lacks: Missing, detail: str, where: object) -> Hit | Unknown | None:
    table = runtime.table(target, "webgpu")
    node = lacks.node
    row = None
    if table is not None and table.knows(key(node)):
        kind = lacks.dtypes.split(", ")[0]
        rows = table.rows(key(node))
        row = rows.get(kind) or rows.get("any")
        if (row is None and kind == "bf16") or (row is not None and row.place == "cpu"):
            text = f"Provider type for {node.op} node with name '{node.name}' is not set."
            return Hit(where, f"{detail}, nor one on WebGPU", Severity.PROBABLE, text, REMEDY, (("op", node.op),))  # type: ignore[arg-type]
    if row is not None:
        return None
    return Unknown(f"{detail}, and whether WebGPU has one was not measured", where)  # type: ignore[arg-type]


def _text(lacks: Missing) -> str | None:
    node = lacks.node
    if lacks.refused:
        start = "Failed to find kernel" if lacks.half else "Could not find an implementation"
        return f"{start} for {lacks.refused.split('(')[0]}("
    if lacks.half:
        return lacks.half
    if "c64" in lacks.dtypes or "c128" in lacks.dtypes:
        return None  # `element-type`
    name = f"{node.name}'" if lacks.certain else ""  # a node that the runtime makes of this one is named anew
    return f"Could not find an implementation for {node.op}({lacks.since}) node with name '{name}"


_HEAD = '<ir_version: 8, opset_import: ["" : 17]> '
_ADD = _HEAD + "g (%s[2] x) => (%s[2] y) { [k] y = Add (x, x) }"
_CPU, _PAST = (Target((("onnxruntime", version),)) for version in ("1.32.0", "1.20.1"))
_SAME = '<ir_version: 10, opset_import: ["" : 21]> g (int4[2] x) => (int4[2] y) { [k] y = Identity (x) }'
_NBITS = """<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> g (float[1, 32] x) => (float[1, 8] y)
<uint8[{1}, 1, {2}] b = ["location": "w.bin", "offset": "0", "length": "64"], float[8] s = {{1, 1, 1, 1, 1, 1, 1, 1}}>
{{ y = com.microsoft.MatMulNBits <K = 32, N = 8, bits = {0}, block_size = 32> (x, b, s) }}"""

CHECK = Check(
    id="kernel-dtype",
    title="An operator has no kernel for the type it is given",
    reads="onnx",
    predicts="Could not find an implementation for <op>(<version>) node with name '<name>'",
    run=run,
    fixtures=(
        Fixture(
            Outcome.FOUND,
            _ADD % ("bfloat16", "bfloat16"),
            target=_CPU,
            expect="Could not find an implementation for Add(14) node with name 'k'",
        ),
        Fixture(Outcome.FOUND, _SAME, target=_CPU, expect="for Identity(21) node with name 'k'"),
        Fixture(Outcome.FOUND, _NBITS.format(2, 8, 8), target=_PAST, expect="Only 4b quantization is supported"),
        Fixture(Outcome.FOUND, _NBITS.format(8, 8, 32), target=_PAST, expect="Only 4b quantization is supported"),
        Fixture(Outcome.FOUND, _NBITS.format(4, 7, 16), target=_CPU, expect="{7,1,16} does not match"),
        Fixture(Outcome.CLEAN, _NBITS.format(2, 8, 8), target=_CPU),
        Fixture(Outcome.CLEAN, _NBITS.format(4, 7, 16), target=_PAST),
        Fixture(Outcome.CLEAN, _ADD % ("float16", "float16"), target=_CPU),
        Fixture(Outcome.UNKNOWN, _ADD % ("bfloat16", "bfloat16"), target=Target((("onnxruntime-gpu", "1.20.1"),))),
        Fixture(Outcome.CLEAN, _ADD % ("float", "float"), target=Target(ep="cuda")),
    ),
)
