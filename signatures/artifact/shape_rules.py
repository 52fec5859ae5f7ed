"""The dimensions that an operator gives, from those of its inputs: rules that `signatures.artifact.shapes` applies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from signatures.artifact.integers import part
from signatures.artifact.ir import Node

if TYPE_CHECKING:
    from signatures.artifact.shapes import Inference

Dims: TypeAlias = tuple[int | None, ...]
MAX_RANK = 32


def broadcast(shapes: list[Dims | None]) -> Dims | None:
    """The shape that numpy-style broadcasting gives, None where one is unknown or they do not fit."""
    known = [shape for shape in shapes if shape is not None]
    if not known or len(known) < len(shapes):
        return None
    rank = max(map(len, known))
    out: list[int | None] = []
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in known if -axis <= len(shape)} - {1}
        fixed = sizes - {None}
        if len(fixed) > 1:
            return None
        # a dimension that is not known can only be 1 or the one that is
        out.append(fixed.pop() if fixed else None if sizes else 1)
    return tuple(out)


Found: TypeAlias = "Dims | tuple[Dims | None, ...] | None"


def _axis(node: Node, rank: int, name: str = "axis", default: int = 0) -> int | None:
    axis = node.int(name)
    axis = default if axis is None else axis
    axis += rank if axis < 0 else 0
    return axis if 0 <= axis < max(rank, 1) else None


def _transpose(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    if first is None:
        return None
    perm = node.attributes.get("perm")
    order: Iterable[int] = (
        perm if type(perm) is tuple else range(len(first) - 1, -1, -1)
    )  # a Tensor is one too, by isinstance
    return tuple(first[i] for i in order) if all(-1 < i < len(first) for i in order) else None


def _shape(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    return None if first is None else (len(part(first, node.int("start"), node.int("end"))),)


def _gather(known: Inference, node: Node) -> Found:
    first, at = known.of(node, 0), known.of(node, 1)
    if first is None or at is None:
        return None
    axis = _axis(node, len(first))
    return None if axis is None else (*first[:axis], *at, *first[axis + 1 :])


def _matmul(known: Inference, node: Node) -> Found:
    first, second = known.of(node, 0), known.of(node, 1)
    if first is None or second is None or len(first) < 2 or len(second) < 2:
        return None
    batch = broadcast([first[:-2], second[:-2]])
    return None if batch is None else (*batch, first[-2], second[-1])


def _gemm(known: Inference, node: Node) -> Found:
    first, second = known.of(node, 0), known.of(node, 1)
    if first is None or second is None or len(first) != 2 or len(second) != 2:
        return None
    return (first[1] if node.int("transA") else first[0], second[0] if node.int("transB") else second[1])


def _concat(known: Inference, node: Node) -> Found:
    parts = [known.of(node, slot) for slot in range(len(node.inputs))]
    if not parts or any(part is None or len(part) != len(parts[0] or ()) for part in parts):
        return None
    axis = _axis(node, len(parts[0] or ()))
    if axis is None or not parts[0]:
        return None
    out: list[int | None] = []
    for at in range(len(parts[0])):
        sizes = [part[at] for part in parts if part is not None]
        if at == axis:
            out.append(None if None in sizes else sum(size or 0 for size in sizes))
        else:
            out.append(next((size for size in sizes if size is not None), None))
    return tuple(out)


def _split(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    axis = _axis(node, len(first)) if first is not None else None
    if first is None or axis is None or not first or not node.outputs:
        return None
    given = len(node.inputs) > 1 and node.inputs[1]
    sizes = known.numbers(node, 1, "split") if given or "split" in node.attributes else None
    if sizes is None and not given:
        whole, parts = first[axis], len(node.outputs)
        step = -(-whole // parts) if whole is not None else None
        sizes = (
            (step,) * parts if step is None or whole is None else (*[step] * (parts - 1), whole - step * (parts - 1))
        )
    if sizes is None or len(sizes) != len(node.outputs):
        sizes = (None,) * len(node.outputs)
    return tuple((*first[:axis], size, *first[axis + 1 :]) for size in sizes)


def _slice(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    starts, ends = known.numbers(node, 1, "starts"), known.numbers(node, 2, "ends")
    if first is None:
        return None
    given = (len(node.inputs) > 3 and node.inputs[3]) or "axes" in node.attributes
    axes = known.numbers(node, 3, "axes") if given else tuple(range(len(starts or ())))
    steps = known.numbers(node, 4) if len(node.inputs) > 4 and node.inputs[4] else (1,) * len(axes or ())
    if axes is None or None in axes:
        return (None,) * len(first)
    out = list(first)
    for number, axis in enumerate(axes):
        at = (axis or 0) + (len(first) if (axis or 0) < 0 else 0)
        if not 0 <= at < len(first):
            return None
        bounds = [(each[number] if each is not None and number < len(each) else None) for each in (starts, ends, steps)]
        size = out[at]
        start, end, step = bounds
        if size is None or start is None or end is None or not step:
            out[at] = None
        else:
            out[at] = len(range(*slice(start, end if end > -size - 1 or step > 0 else None, step).indices(size)))
    return tuple(out)


def _reshape(known: Inference, node: Node) -> Found:
    first, wanted = known.of(node, 0), known.numbers(node, 1, "shape")
    if wanted is None:
        count = known.of(node, 1)
        return (
            (None,) * count[0] if count and len(count) == 1 and count[0] is not None and count[0] <= MAX_RANK else None
        )
    out: list[int | None] = []
    for at, size in enumerate(wanted):
        keep = size == 0 and not node.int("allowzero")
        out.append((first[at] if first is not None and at < len(first) else None) if keep else size)
    if -1 in out:
        out[out.index(-1)] = _rest(first, out)
    return tuple(out)


def _rest(first: Dims | None, out: list[int | None]) -> int | None:
    """What -1 stands for."""
    others = [size for size in out if size != -1]
    if first is None or None in first or None in others:
        return None
    have, want = 1, 1
    for size in first:
        have *= size or 0
    for size in others:
        want *= size or 0
    return have // want if want else None


def _flatten(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    if first is None:
        return None
    axis = node.int("axis")
    axis = 1 if axis is None else axis + len(first) if axis < 0 else axis
    sides = []
    for side in (first[:axis], first[axis:]):
        size: int | None = 1
        for dim in side:
            size = None if size is None or dim is None else size * dim
        sides.append(size)
    return tuple(sides)


def _squeeze(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    axes = known.numbers(node, 1, "axes")
    if first is None or axes is None or None in axes:
        return None
    gone = {(axis or 0) + (len(first) if (axis or 0) < 0 else 0) for axis in axes}
    return tuple(dim for at, dim in enumerate(first) if at not in gone)


def _unsqueeze(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    axes = known.numbers(node, 1, "axes")
    if first is None or axes is None or None in axes:
        return None
    rank = len(first) + len(axes)
    new = {(axis or 0) + (rank if (axis or 0) < 0 else 0) for axis in axes}
    old = iter(first)
    return tuple(1 if at in new else next(old, None) for at in range(rank))


def _expand(known: Inference, node: Node) -> Found:
    wanted = known.numbers(node, 1)
    return broadcast([known.of(node, 0), wanted]) if wanted is not None else None


def _tile(known: Inference, node: Node) -> Found:
    first, times = known.of(node, 0), known.numbers(node, 1)
    if first is None:
        return None
    if times is None or len(times) != len(first):
        return (None,) * len(first)
    return tuple(None if a is None or b is None else a * b for a, b in zip(first, times, strict=True))


def _pad(known: Inference, node: Node) -> Found:
    first, pads = known.of(node, 0), known.numbers(node, 1, "pads")
    if first is None:
        return None
    if pads is None or None in pads or len(pads) != 2 * len(first):
        return (None,) * len(first)
    both = zip(first, pads, pads[len(first) :], strict=False)
    return tuple(None if dim is None else dim + (a or 0) + (b or 0) for dim, a, b in both)


def _topk(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    axis = _axis(node, len(first), default=-1) if first else None
    if first is None or axis is None:
        return None
    count = known.numbers(node, 1, "k")
    out = (*first[:axis], count[0] if count else None, *first[axis + 1 :])
    return (out, out)


def _range(known: Inference, node: Node) -> Found:
    given = [known.numbers(node, slot) for slot in range(3)]
    values = [each[0] if each else None for each in given]
    start, stop, step = values
    if start is None or stop is None or not step:
        return (None,)
    return (max(0, -(-(stop - start) // step)),)


def _filled(known: Inference, node: Node) -> Found:
    wanted = known.numbers(node, 0)
    if wanted is not None:
        return wanted
    count = known.of(node, 0)
    return (None,) * count[0] if count and count[0] is not None and count[0] <= MAX_RANK else None


def _constant(known: Inference, node: Node) -> Found:
    del known
    tensor = node.tensor()
    if tensor is not None:
        return tensor.dims
    value = node.attributes.get("value_ints", node.attributes.get("value_floats"))
    return (len(value),) if type(value) is tuple else ()


def _branches(known: Inference, node: Node) -> Found:
    """The static shape on which all branches of an If agree."""
    del known
    found = {body.outputs[0].dims if body.outputs else None for body in node.graphs.values()}
    dims = found.pop() if len(found) == 1 else None
    return dims if dims is not None and None not in dims else None


def _pooled(known: Inference, node: Node) -> Found:
    """One spatial position per channel."""
    first = known.of(node, 0)
    return None if first is None or len(first) < 2 else (*first[:2], *(1,) * (len(first) - 2))


def _window(known: Inference, node: Node) -> Found:
    """A convolution or pool without automatic padding."""
    first = known.of(node, 0)
    weight = known.of(node, 1) if node.op == "Conv" else None
    kernel = node.attributes.get("kernel_shape") or (weight[2:] if weight else None)
    padded = node.attributes.get("auto_pad") not in (None, "NOTSET")
    if first is None or type(kernel) is not tuple or padded or node.int("ceil_mode"):
        return None
    space = len(first) - 2
    strides, dilations, pads = (
        _numbers(node, name, count, default)
        for name, count, default in (("strides", space, 1), ("dilations", space, 1), ("pads", 2 * space, 0))
    )
    if space < 1 or not len(kernel) == len(strides) == len(dilations) == len(pads) // 2 == space or 0 in strides:
        return None
    out: list[int | None] = [first[0], weight[0] if weight else first[1]]
    for at in range(space):
        size, width = first[at + 2], kernel[at]
        if size is None or width is None:
            out.append(None)
        else:
            out.append((size + pads[at] + pads[at + space] - dilations[at] * (width - 1) - 1) // strides[at] + 1)
    return tuple(out)


def _numbers(node: Node, name: str, count: int, default: int) -> tuple[int, ...]:
    value = node.attributes.get(name)
    return value if type(value) is tuple else (default,) * count


def _nbits(known: Inference, node: Node) -> Found:
    first = known.of(node, 0)
    return None if first is None else (*first[:-1], node.int("N"))


def _query(known: Inference, node: Node) -> Found:
    packed = len(node.inputs) < 2 or not node.inputs[1]
    return None if packed else known.of(node, 0)


RULES: dict[str, Callable[[Inference, Node], Found]] = {
    "Transpose": _transpose, "Shape": _shape, "Size": lambda known, node: (), "Gather": _gather, "MatMul": _matmul,
    "Gemm": _gemm, "Concat": _concat, "Split": _split, "Slice": _slice, "Reshape": _reshape, "Flatten": _flatten,
    "Squeeze": _squeeze, "Unsqueeze": _unsqueeze, "Expand": _expand, "Tile": _tile, "Pad": _pad, "TopK": _topk,
    "Range": _range, "ConstantOfShape": _filled, "Constant": _constant, "If": _branches, "Conv": _window,
    "MaxPool": _window, "AveragePool": _window, "GlobalAveragePool": _pooled, "GlobalMaxPool": _pooled,
    "GatherElements": lambda known, node: known.of(node, 1), "com.microsoft.MatMulNBits": _nbits,
    "com.microsoft.GroupQueryAttention": _query, "com.microsoft.MultiHeadAttention": _query,
}  # fmt: skip
