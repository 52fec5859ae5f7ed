"""The lazy ONNX reader: nodes first, tensor headers when asked, payloads never.

`nodes()` costs one to six requests on a remote file with embedded weights; `full()` walks every tensor header. Local
files are walked in full at once, since that is cheaper than asking twice.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # ships no types

from signatures.artifact.building import Builder
from signatures.artifact.ir import Model
from signatures.artifact.source import LimitReached, SourceError, Window
from signatures.artifact.wire import Malformed, Skeleton, Walker


class OnnxFile:
    """One ONNX file, read as far as was asked. Errors are kept and raised again, so that each check sees the same."""

    def __init__(self, window: Window, name: str, refused: Callable[[SourceError], None] | None = None) -> None:
        """`refused` is told of every stage that cannot be read, each time it is asked for."""
        self.window = window
        self.name = name
        self.refused = refused
        self._lazy: tuple[Skeleton, Model] | SourceError | None = None
        self._whole: tuple[Skeleton, Model] | SourceError | None = None

    def nodes(self) -> Model:
        """Nodes, inputs, outputs, value types, opsets and functions; `partial` where initializers were left out.

        Raises Malformed, LimitReached, SourceError."""
        return self._stage(nodes_only=True)[1]

    def full(self) -> Model:
        """All of it but payloads. Raises as `nodes` does."""
        return self._stage(nodes_only=False)[1]

    def skeleton(self) -> onnx.ModelProto:
        """The full skeleton as an ordinary ModelProto; a payload that stayed in the file is named in metadata_props."""
        proto: onnx.ModelProto = onnx.ModelProto.FromString(self._stage(nodes_only=False)[0].data)
        return proto

    def _stage(self, *, nodes_only: bool) -> tuple[Skeleton, Model]:
        if self.window.limits.max_requests is None and self.window.limits.max_bytes is None:
            nodes_only = False
        kept = self._lazy if nodes_only and self._whole is None else self._whole
        if kept is None:
            kept = self._read(nodes_only)
            if nodes_only:
                self._lazy = kept
            # a walk over all of it meets the fault that a walk over a part of it met
            if not nodes_only or isinstance(kept, SourceError) or not kept[0].partial:
                self._whole = kept
        if isinstance(kept, SourceError):
            if self.refused is not None:
                self.refused(kept)
            raise kept
        return kept

    def _read(self, nodes_only: bool) -> tuple[Skeleton, Model] | SourceError:
        try:
            return read_model(self.window, self.name, nodes_only=nodes_only)
        except SourceError as error:
            return error


def read_model(window: Window, name: str, *, nodes_only: bool) -> tuple[Skeleton, Model]:
    """Walks and parses. Where a small message that was copied as it stands does not parse, walks once more and
    strictly: then a fault has its place, and a field that only newer formats know goes unread. Raises Malformed,
    LimitReached, SourceError."""
    skeleton = Walker(window, nodes_only=nodes_only).walk()
    try:
        proto = onnx.ModelProto.FromString(skeleton.data)
    except DecodeError:
        skeleton = Walker(window, nodes_only=nodes_only, strict=True).walk()
        try:
            proto = onnx.ModelProto.FromString(skeleton.data)
        except DecodeError as error:
            raise Malformed("protobuf structure that does not parse", offset=0, name=name) from error
    try:
        model = Builder(name, skeleton.node_offsets, skeleton.tensor_offsets).build(
            proto, partial=skeleton.partial, ports=skeleton.ports
        )
    except MemoryError as error:
        raise LimitReached("structure too large for memory", name=name) from error
    return skeleton, model
