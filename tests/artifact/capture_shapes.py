"""Random shape arithmetic, masks and caches, for `tests.artifact.capture_graphs`."""

from __future__ import annotations

import numpy as np
from onnx import helper, numpy_helper

from tests.artifact.capture_data import BOOL, F16, F32, FLOATS, I32, I64, DataMaker


class ShapeMaker(DataMaker):
    """Shape chains as exporters write them."""

    def shape(self) -> None:
        """A Shape and what exporters do with one of its dimensions."""
        name, _ = self.pick() or ("", 0)
        attributes = {"start": 0, "end": 1} if self.opset >= 15 and self.rng.random() < 0.2 else {}
        vector = self.one("Shape", [name], **attributes)
        if attributes:
            self.sizes.append(vector)
            return
        if self.rng.random() < 0.35:
            self.vectors.append(vector)
            return
        if self.rng.random() < 0.5:
            scalar = self.one("Gather", [vector, self.const(0, I64)], axis=0)
            if self.rng.random() < 0.3:
                self.cast_size(scalar)
            size = self.axes("Unsqueeze", scalar, [0])
        elif self.rng.random() < 0.5:
            size = self.one("Gather", [vector, self.const([0], I64)], axis=0)
        else:
            size = self.one("Slice", [vector, self.const([0], I64), self.const([1], I64), self.const([0], I64)])
        for _ in range(self.rng.randint(0, 2)):
            op, by = self.rng.choice([("Mul", 1), ("Add", 0), ("Div", 1), ("Sub", 0), ("Max", 0), ("Min", 4)])
            size = self.one(op, [size, self.const([by], I64)])
        self.sizes.append(size)

    def cast_size(self, scalar: str) -> None:
        """A dimension as a number beside the data."""
        to = self.rng.choice([F32, F16, I32])
        number = self.one("Cast", [scalar], to=to)
        if to == F32 and self.rng.random() < 0.4:
            number = self.one(self.rng.choice(["Sqrt", "Neg", "Reciprocal"]), [number])
        other = self.pick(to)
        if other and self.rng.random() < 0.8:
            self.put(self.one(self.rng.choice(["Add", "Mul", "Div"]), [other[0], number]), to)
        else:
            self.extra_outputs.append((number, to))

    def vector(self) -> str | None:
        if self.vectors and self.rng.random() < 0.5:
            return self.rng.choice(self.vectors)
        if self.sizes:
            parts = [self.rng.choice(self.sizes), self.const([4], I64)]
            made = self.one("Concat", parts, axis=0)
            if self.rng.random() < 0.4:
                self.vectors.append(made)
            return made
        return None

    def uses_shape(self) -> None:
        vector = self.vector()
        name, dtype = self.pick() or ("", 0)
        if vector is None:
            return
        kind = self.rng.randrange(8)
        if kind < 2:
            self.put(self.one("Reshape", [name, vector]), dtype)
        elif kind == 2:
            self.put(self.one("Expand", [name, vector]), dtype)
        elif kind == 3:
            to = self.rng.choice([F32, F16, I64, BOOL])
            value = numpy_helper.from_array(np.asarray([1]).astype(helper.tensor_dtype_to_np_dtype(to)))
            self.put(self.one("ConstantOfShape", [vector], value=value), to)
        elif kind == 4:  # Expand with -1 for dimensions to keep, as torch exports it
            filled = self.one("ConstantOfShape", [self.const([2], I64)], value=numpy_helper.from_array(np.array([1])))
            minus = self.one("Mul", [filled, self.const(-1, I64)])
            wanted = self.one("Where", [self.one("Equal", [vector, minus]), filled, vector])
            self.put(self.one("Expand", [name, wanted]), dtype)
        elif kind == 5:
            self.extra_outputs.append((vector, I64))
        elif kind == 6 and self.sizes:
            self.positions()
        else:
            args = [name, self.const([0], I64), self.rng.choice(self.sizes) if self.sizes else self.const([4], I64)]
            self.put(self.one("Slice", [*args, self.const([0], I64)]), dtype)

    def positions(self) -> None:
        """Range of a computed length, as positions or a causal mask."""
        scalar = self.axes("Squeeze", self.rng.choice(self.sizes), [0])
        to = self.rng.choice([I64, I64, F32, I32])
        if to != I64:
            scalar = self.one("Cast", [scalar], to=to)
        row = self.one("Range", [self.const(0, to), scalar, self.const(1, to)])
        column = self.axes("Unsqueeze", row, [1])
        other = self.pick(to)
        kind = self.rng.randrange(3)
        if kind == 0 and other:
            self.put(self.one("Add", [other[0], column]), to)
        elif kind == 1 and other:
            self.put(self.one("Less", [column, other[0]]), BOOL)
        else:
            self.extra_outputs.append((column, to))

    def mask(self) -> None:
        """An attention mask, its lengths, and a grouped query attention."""
        kind = self.rng.choice([I32, I64])
        mask = self.name()
        total = "total" if isinstance(self.rows, str) else 8
        self.inputs.append(helper.make_tensor_value_info(mask, kind, [1, total]))
        summed = self.axes("ReduceSum", mask, [1], keepdims=self.rng.randint(0, 1))
        if self.rng.random() < 0.5:
            less = self.one("Sub", [summed, self.const([1], kind)])
            lengths = self.one("Cast", [less], to=I32)
        else:
            lengths = self.one("Sub", [self.one("Cast", [summed], to=I32), self.const([1], I32)])
        if self.rng.random() < 0.5:
            gathered = self.one("Gather", [self.one("Shape", [mask]), self.const(1, I64)], axis=0)
            all_of = self.one("Cast", [gathered], to=I32)
        else:
            whole = self.one("Cast", [mask], to=I32)
            summed2 = self.axes("ReduceSum", whole, [0, 1], keepdims=0)
            all_of = summed2
        if self.rng.random() < 0.7:
            self.attention(lengths, all_of)
        else:
            self.extra_outputs += [(lengths, I32), (all_of, I32)]

    def attention(self, lengths: str, total: str) -> None:
        dtype = self.rng.choice(FLOATS)
        ports = [self.name() for _ in range(5)]
        for port, dims in zip(ports, [[1, "s", 16]] * 3 + [[1, 2, "p", 8]] * 2, strict=True):
            self.inputs.append(helper.make_tensor_value_info(port, dtype, dims))
        out, key, value = self.add(
            "com.microsoft.GroupQueryAttention", [*ports, lengths, total], 3, num_heads=2, kv_num_heads=2
        )
        self.extra_outputs += [(self.one("Sqrt", [out]), dtype), (key, dtype), (value, dtype)]

    def empty_cache(self) -> None:
        name, _ = self.pick() or ("", 0)
        batch = self.one("Gather", [self.one("Shape", [name]), self.const([0], I64)], axis=0)
        dims = self.one("Concat", [batch, self.const([0], I64), self.const([8], I64)], axis=0)
        empty = self.one("ConstantOfShape", [dims])
        to = self.rng.choice([F16, F32, I32])
        self.extra_outputs.append((self.one("Cast", [empty], to=to), to))

    def quantized(self) -> None:
        dtype = self.rng.choice(FLOATS)
        name = self.pick(dtype)
        if name is None:
            return
        wide = self.one("Concat", [name[0]] * 8, axis=1)
        weight = self.const(np.ones((8, 1, 16)), 2)
        scales = self.const(np.ones((8,)), dtype)
        out = self.one("com.microsoft.MatMulNBits", [wide, weight, scales], K=32, N=8, bits=4, block_size=32)
        out = self.one("Slice", [out, self.const([0], I64), self.const([4], I64), self.const([1], I64)])
        self.put(out, dtype)
