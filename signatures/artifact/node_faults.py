"""Why a build of ONNX Runtime refuses a node as it stands: its operator, its arity, its attributes, its types.

Follows the order in which onnx's OpSchema::Verify and ONNX Runtime's type check look, and gives the first fault.
"""

from __future__ import annotations

from typing import NamedTuple

from signatures.artifact.flow import Scope
from signatures.artifact.ir import Node, dtype_name
from signatures.artifact.operators import LONG, MANY, Formal, Schema, Table
from signatures.artifact.types import key, output_types

UNKNOWN_OP, DEPRECATED, INPUTS, OUTPUTS, EMPTY = "unknown", "deprecated", "inputs", "outputs", "empty"
ATTRIBUTE, KIND, REQUIRED, TYPE, BOUND, DECLARED = "attribute", "kind", "required", "type", "bound", "declared"

Types = dict[str, str]

# onnx AttributeProto.AttributeType
KINDS = (
    "UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS", "TENSORS", "GRAPHS",
    "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS",
)  # fmt: skip
ONNX_DOMAINS = ("", "ai.onnx.ml", "ai.onnx.training")
# Old experiments that onnx's checker lets pass and that ONNX Runtime registers on its own.
_EXPERIMENTS = frozenset(
    (
        "ATen", "Affine", "ConstantFill", "Crop", "DynamicSlice", "GRUUnit", "GivenTensorFill", "ImageScaler",
        "ParametricSoftplus", "Scale", "ScaledTanh", "SimplifiedLayerNormalization",
    )
)  # fmt: skip
# Outputs whose type an attribute or a constant gives, by rules that hold for every opset.
_BY_RULE = frozenset(["Cast", "Constant", "ConstantOfShape"])


class Fault(NamedTuple):
    kind: str
    text: str
    detail: str


def schema_fault(known: Table, build: int, node: Node, opset: int, types: Types) -> Fault | None:
    """The first thing that a build finds wrong with a node in a model that imports `opset` of the node's domain."""
    schema = known.schema(build, key(node), opset)
    if schema is None:
        return _unknown(node, opset)
    if schema.deprecated:
        text = f"Op registered for {node.op} is deprecated in domain_version of {opset}"
        if node.op in _EXPERIMENTS:
            text = f"Fatal error: ai.onnx:{node.op}({schema.since}) is not a registered function/op"
        return Fault(DEPRECATED, text, f"{node.op} was taken out of opset {schema.since}")
    if not node.domain and node.op in _EXPERIMENTS:
        return type_fault(schema, node, types)
    return _arity(schema, node) or _attributes(schema, node) or _branches(node) or type_fault(schema, node, types)


def _unknown(node: Node, opset: int) -> Fault:
    if node.domain in ONNX_DOMAINS and node.op not in _EXPERIMENTS:
        text = f"No Op registered for {node.op} with domain_version of {opset}"
        return Fault(UNKNOWN_OP, text, f"{node.domain or 'ai.onnx'} has no {node.op} at opset {opset}")
    text = f"Fatal error: {node.domain or 'ai.onnx'}:{node.op}(-1) is not a registered function/op"
    return Fault(UNKNOWN_OP, text, f"{node.domain or 'ai.onnx'} has no {node.op}")


def _arity(schema: Schema, node: Node) -> Fault | None:
    rows = ((INPUTS, node.inputs, schema.inputs, schema.ins), (OUTPUTS, node.outputs, schema.outputs, schema.outs))
    for kind, names, (low, high), _ in rows:
        if not low <= len(names) <= high:
            text = f"has {kind[:-1]} size {len(names)} not in range [min={low}, max={high}]"
            told = f"{low}" if low == high else f"{low} or more" if high == MANY else f"{low} to {high}"
            return Fault(kind, text, f"{node.op} has {len(names)} {kind}, and takes {told}")
    for kind, names, _, formals in rows:
        for slot, (name, formal) in enumerate(zip(names, formals, strict=False)):
            if not name and formal.option == "":
                text = f"'s {kind[:-1]} {slot} is marked single but has an empty string in the graph"
                return Fault(EMPTY, text, f"{kind[:-1]} {slot} ({formal.name}) of {node.op} is empty")
    return None


def _attributes(schema: Schema, node: Node) -> Fault | None:
    for name, kind in node.kinds.items():
        expected = schema.attributes.get(name)
        if expected is None:
            if not name.startswith("__"):
                text = f"Unrecognized attribute: {name} for operator {node.op}"
                return Fault(ATTRIBUTE, text, f"{node.op} of version {schema.since} has no attribute {name}")
        elif 0 < kind < len(KINDS) and expected in KINDS and KINDS[kind] != expected:
            text = f"Mismatched attribute type in '{node.name} : {name}'"
            return Fault(KIND, text, f"{name} of {node.op} is {KINDS[kind]}, not {expected}")
    missing = sorted(name for name in schema.required if name not in node.kinds)
    if not missing:
        return None
    text = f"Required attribute '{missing[0]}' is missing." if len(missing) == 1 else "Required attribute '"
    return Fault(REQUIRED, text, f"{node.op} needs the attribute {' and the attribute '.join(missing)}")


def branch_inputs(node: Node) -> tuple[tuple[int, int], ...]:
    """(inputs, those without a value of their own) of each branch of an If, which is given none."""
    if node.op != "If" or node.domain:
        return ()
    counts = (
        (body, sum(value.name not in body.initializers for value in body.inputs)) for body in node.graphs.values()
    )
    return tuple((len(body.inputs), needed) for body, needed in counts)


def _branches(node: Node) -> Fault | None:
    for count, needed in branch_inputs(node):
        if needed:
            text = f"Got 0 inputs but subgraph has {count} inputs and requires {needed} inputs."
            detail = f"a branch of {node} has inputs, and branches are given none"
            return Fault(INPUTS, f"Size mismatch validating subgraph inputs. {text}", detail)
    return None


def type_fault(schema: Schema, node: Node, types: Types) -> Fault | None:
    """A type that the schema does not allow, or two where it wants one. Values of unknown type are passed over."""
    bound: Types = {}
    for slot, name in enumerate(node.inputs):
        formal, dtype = schema.formal(slot), types.get(name) if name else None
        if formal is None or dtype is None:
            continue
        if dtype not in schema.types.get(formal.type, (formal.type,)):
            text = f"Type '{_long(dtype)}' of input parameter ({name}) of operator ({node.op}) in node ({node.name})"
            return Fault(TYPE, f"{text} is invalid.", f"input {slot} of {node.op} is {dtype}, which it does not take")
        if formal.option == "+" or formal.type not in schema.types:
            continue
        first = bound.setdefault(formal.type, dtype)
        if first != dtype:
            text = f"Type parameter ({formal.type}) of Optype ({node.op}) bound to different types ({_long(first)} and "
            detail = f"inputs of {node.op} are {first} and {dtype}, and must be of one type"
            return Fault(BOUND, f"{text}{_long(dtype)} in node ({node.name}).", detail)
    for slot, name in enumerate(node.outputs):
        made = _made(schema, schema.formal(slot, output=True), bound) or (ruled(node) if not slot else None)
        declared = types.get(name) if name else None
        if made is not None and declared is not None and made != declared:
            text = f"Type ({_long(declared)}) of output arg ({name}) of node ({node.name}) does not match expected type"
            return Fault(
                DECLARED, f"{text} ({_long(made)}).", f"{name} is declared {declared}, and {node.op} makes {made}"
            )
    return None


def _long(dtype: str) -> str:
    return f"tensor({LONG[dtype]})" if dtype in LONG else dtype


def _made(schema: Schema, formal: Formal | None, bound: Types) -> str | None:
    """The type of an output that the schema alone settles."""
    if formal is None or formal.option == "+":
        return None
    if formal.type in bound:
        return bound[formal.type]
    allowed = schema.types.get(formal.type, (formal.type,))
    return next(iter(allowed)) if len(allowed) == 1 else None


def ruled(node: Node) -> str | None:
    """The type of the first output that an attribute settles, or on which the branches of an If agree."""
    if node.op == "If" and not node.domain:
        branches = {body.outputs[0].dtype if body.outputs else None for body in node.graphs.values()}
        return dtype_name(branches.pop()) if len(branches) == 1 else None
    if node.domain or node.op not in _BY_RULE or (node.op == "Constant" and len(node.kinds) != 1):
        return None
    found = output_types(node, {})
    return dtype_name(found[0]) if found else None


def certain_types(scope: Scope, known: Table, build: int, opsets: dict[str, int], outer: Types) -> Types:
    """Type by value name, where the file states it or the operators' schemas leave no choice."""
    types: Types = dict(outer)
    graph = scope.graph
    # Of several declarations the last value_info and the first output count, and an input before both.
    for value in (*graph.values.values(), *reversed(graph.outputs), *graph.inputs):
        _set(types, value.name, dtype_name(value.dtype))
    for tensor in graph.tensors:
        _set(types, tensor.name, dtype_name(tensor.dtype))
    for node in scope.nodes:
        if node.op == "Constant" and len(node.outputs) == 1:  # a tensor too, whatever its name is declared as
            types.pop(node.outputs[0], None)
            _set(types, node.outputs[0], ruled(node))
    pending = scope.nodes
    for _ in range(3):  # files may be unsorted; three passes settle all but the contrived
        pending = [node for node in pending if not _carry(node, types, known, build, opsets)]
        if not pending:
            break
    return types


def _set(types: Types, name: str, dtype: str | None) -> None:
    if name and dtype:
        types[name] = dtype


def _carry(node: Node, types: Types, known: Table, build: int, opsets: dict[str, int]) -> bool:
    """Adds the types of a node's outputs; False where another pass may know more."""
    schema = known.schema(build, key(node), opsets.get(node.domain, MANY))
    if schema is None:
        return True
    bound: Types = {}
    for slot, name in enumerate(node.inputs):
        formal, dtype = schema.formal(slot), types.get(name)
        if formal is not None and dtype is not None and formal.option != "+":
            bound.setdefault(formal.type, dtype)
    done = True
    for slot, name in enumerate(node.outputs):
        made = _made(schema, schema.formal(slot, output=True), bound) or (ruled(node) if not slot else None)
        if name and name not in types:
            if made is None:
                done = False
            else:
                types[name] = made
    return done
