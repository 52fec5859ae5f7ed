"""Integers of shape arithmetic: what small constants hold, and what operators on them give, element by element.

An element that is not known is None.
"""

from __future__ import annotations

from collections.abc import Callable

from signatures.artifact.ir import Node, Tensor
from signatures.artifact.types import BOOL, I32, I64

Ints = tuple[int | None, ...]
MAX_INTS = 64  # of one shape
_LIMIT = 1 << 62


def constant_ints(node: Node) -> Ints | None:
    """The value of a Constant node."""
    tensor = node.tensor()
    if tensor is not None:
        return tensor_ints(tensor)
    value = node.attributes.get("value_ints", node.attributes.get("value_int"))
    return value if type(value) is tuple else (value,) if isinstance(value, int) else None


def tensor_ints(tensor: Tensor) -> Ints | None:
    """Integers or truth values of a small tensor of rank 0 or 1."""
    if len(tensor.dims) > 1 or (tensor.elements or 0) > MAX_INTS:
        return None
    if tensor.dtype == BOOL and tensor.data and tensor.external is None and tensor.payload is None:
        return tuple(tensor.data)
    numbers = tensor.ints() if tensor.dtype in (I64, I32, BOOL) else None
    return numbers if numbers is not None and len(numbers) == tensor.elements else None


def part(dims: Ints, start: int | None, end: int | None) -> Ints:
    return dims[slice(start if start is not None else 0, end if end is not None else len(dims))]


def truths(numbers: Ints | None) -> Ints | None:
    return None if numbers is None else tuple(None if v is None else int(bool(v)) for v in numbers)


def paired(rule: Callable[[int, int], int | None], first: Ints | None, second: Ints | None) -> Ints | None:
    if not first or not second or (len(first) != len(second) and 1 not in (len(first), len(second))):
        return None
    size = max(len(first), len(second))
    pairs = zip(first * (size // len(first)), second * (size // len(second)), strict=True)
    return tuple(None if a is None or b is None else rule(a, b) for a, b in pairs)


def _divided(a: int, b: int) -> int | None:
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC: dict[str, Callable[[int, int], int | None]] = {
    "Add": lambda a, b: a + b if abs(a) + abs(b) < _LIMIT else None,
    "Sub": lambda a, b: a - b if abs(a) + abs(b) < _LIMIT else None,
    "Mul": lambda a, b: a * b if abs(a * b) < _LIMIT else None,
    "Div": _divided, "Max": max, "Min": min,
    "Equal": lambda a, b: int(a == b), "Greater": lambda a, b: int(a > b), "Less": lambda a, b: int(a < b),
    "GreaterOrEqual": lambda a, b: int(a >= b), "LessOrEqual": lambda a, b: int(a <= b),
    "And": lambda a, b: int(bool(a and b)), "Or": lambda a, b: int(bool(a or b)),
}  # fmt: skip
