"""What a file is, by its first bytes: the right container, or the wrong thing under the right name.

Heads of .litertlm, .tflite, .gguf, .ort and .safetensors are read within fixed bounds; nothing behind them is.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from signatures.artifact.source import LimitReached, SourceError, Window

HEAD = 4096
LITERTLM_HEAD = 32
LITERTLM_MAX_HEADER = 1024 * 1024
LITERTLM_MAX_SECTIONS = 4096
LITERTLM_TYPES = (
    "NONE", "GenericBinaryData", "Deprecated", "TFLiteModel", "SP_Tokenizer", "LlmMetadataProto",
    "HF_Tokenizer_Zlib", "TFLiteWeights", "EmbeddingMetadataProto", "ExecutorMetadataProto", "TtsMetadataProto",
    "AsrMetadataProto",
)  # fmt: skip

# How the first bytes name a file; the kind, the words for people, the offset of the telling bytes.
_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"version https://git-lfs", "lfs-pointer", "a Git LFS pointer: the real file was never downloaded"),
    (0, b"GGUF", "gguf", "a GGUF model"),
    (0, b"LITERTLM", "litertlm", "a .litertlm package"),
    (0, b"PK\x03\x04", "zip", "a zip archive"),
    (0, b"PK\x05\x06", "zip", "an empty zip archive"),
    (0, b"\x1f\x8b", "gzip", "gzip-compressed data"),
    (0, b"BZh", "bzip2", "bzip2-compressed data"),
    (0, b"\xfd7zXZ\x00", "xz", "xz-compressed data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd", "zstd-compressed data"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "rar", "a RAR archive"),
    (0, b"MSCF\0\0\0\0", "cab", "a cabinet archive"),
    (257, b"ustar", "tar", "a tar archive"),
    (0, b"\x93NUMPY", "npy", "a NumPy array"),
    (0, b"\x89HDF", "hdf5", "an HDF5 file"),
    (0, b"\x80\x02", "pickle", "a Python pickle"),
    (0, b"%PDF", "pdf", "a PDF document"),
    (4, b"TFL3", "tflite", "a TFLite model"),
    (4, b"ORTM", "ort", "an ORT-format model"),
)


class Head(NamedTuple):
    """`kind` is a word for checks, `what` a phrase for people, `offset` the position of the telling bytes."""

    kind: str
    what: str
    offset: int
    data: bytes


def sniff(window: Window) -> Head:
    """Names a file by its first 4 KiB. 'protobuf' means only that nothing else was recognised and the first byte could
    start an ONNX model. Raises SourceError."""
    data = window.read(0, HEAD)
    if not data:
        return Head("empty", "an empty file", 0, data)
    for offset, magic, kind, what in _MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return Head(kind, what, offset, data)
    return Head(*_by_text(data, window.size), 0, data)


def _by_text(data: bytes, size: int | None) -> tuple[str, str]:
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:256].lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<error", b"<body")):
        return "html", "an HTML or XML page, such as an error page saved under this name"
    if start.startswith((b"{", b"[")) and _printable(start):
        return "json", "JSON text, such as an error answer saved under this name"
    if len(data) > 9:
        (length,) = struct.unpack_from("<Q", data)
        if data[8:9] == b"{" and 2 <= length <= (size if size is not None else 1 << 40):
            return "safetensors", "a safetensors file"
    if not any(data):
        return "zeros", "nothing but zero bytes in its first part, as an unfinished download leaves"
    if _printable(data[:512]):
        return "text", "plain text"
    return "protobuf", "binary data"


def _printable(data: bytes) -> bool:
    return all(byte in b"\t\r\n" or 32 <= byte < 127 for byte in data)


class HeadError(SourceError):
    """A container head that its reader refuses. `offset` is the position of the bad bytes."""


class Section(NamedTuple):
    begin: int
    end: int
    kind: str  # a name of LITERTLM_TYPES, or "type N"


class LitertLm(NamedTuple):
    version: tuple[int, int, int]
    header_end: int
    sections: tuple[Section, ...]


def litertlm(window: Window) -> LitertLm:
    """The head of a .litertlm file. Raises HeadError with the position of what is wrong, SourceError."""
    name = window.name
    head = window.read(0, LITERTLM_HEAD)
    if head[:8] != b"LITERTLM":
        raise HeadError("no LITERTLM magic", offset=0, name=name)
    if len(head) < LITERTLM_HEAD:
        raise HeadError("ends inside its fixed header", offset=len(head), name=name)
    version: tuple[int, int, int] = struct.unpack_from("<3I", head, 8)
    (header_end,) = struct.unpack_from("<Q", head, 24)
    if version[0] != 1:
        return LitertLm(version, header_end, ())
    if header_end <= LITERTLM_HEAD:
        raise HeadError(f"header end {header_end} stands before its own position", offset=24, name=name)
    if window.size is not None and header_end > window.size:
        raise HeadError(f"header end {header_end} is past the end of the file ({window.size})", offset=24, name=name)
    if header_end > LITERTLM_MAX_HEADER:
        raise LimitReached(f"header of {header_end} bytes", offset=24, name=name)
    flat = _Flat(window.read(LITERTLM_HEAD, header_end - LITERTLM_HEAD), name)
    sections = []
    metadata = flat.table(flat.table(0, None), 6)
    for item in flat.vector(metadata, 4):
        kind = flat.number(item, 10, 1)
        label = LITERTLM_TYPES[kind] if kind < len(LITERTLM_TYPES) else f"type {kind}"
        sections.append(Section(flat.number(item, 6, 8), flat.number(item, 8, 8), label))
    return LitertLm(version, header_end, tuple(sections))


class _Flat:
    """Just enough FlatBuffers to read two tables and a vector; every position is checked."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name

    def _read(self, at: int, width: int, *, signed: bool = False) -> int:
        if at < 0 or at + width > len(self.data):
            raise HeadError(
                "FlatBuffer metadata points outside itself", offset=LITERTLM_HEAD + max(at, 0), name=self.name
            )
        return int.from_bytes(self.data[at : at + width], "little", signed=signed)

    def _slot(self, table: int, slot: int) -> int:
        vtable = table - self._read(table, 4, signed=True)
        return self._read(vtable + slot, 2) if slot < self._read(vtable, 2) else 0

    def table(self, at: int, slot: int | None) -> int:
        """The table that a field points to; with no slot, the one that the offset at `at` points to. -1: absent."""
        if at < 0:
            return -1
        if slot is not None:
            inside = self._slot(at, slot)
            if not inside:
                return -1
            at += inside
        return at + self._read(at, 4)

    def vector(self, table: int, slot: int) -> list[int]:
        """Tables of a vector field."""
        at = self.table(table, slot)
        if at < 0:
            return []
        count = self._read(at, 4)
        if count > LITERTLM_MAX_SECTIONS or count * 4 > len(self.data):
            raise HeadError(f"{count} sections", offset=LITERTLM_HEAD + at, name=self.name)
        return [self.table(at + 4 + 4 * index, None) for index in range(count)]

    def number(self, table: int, slot: int, width: int) -> int:
        inside = self._slot(table, slot)
        return self._read(table + inside, width) if inside else 0


class Gguf(NamedTuple):
    version: int
    tensors: int
    keys: int
    big_endian: bool


def gguf(window: Window) -> Gguf:
    """The fixed head of a .gguf file. Raises HeadError."""
    head = window.read(0, 24)
    if head[:4] != b"GGUF":
        raise HeadError("no GGUF magic", offset=0, name=window.name)
    (little,) = struct.unpack_from("<I", head, 4) if len(head) >= 8 else (0,)
    if little == 1 and len(head) >= 16:  # the first version counted in 32 bits
        tensors, keys = struct.unpack_from("<II", head, 8)
        return Gguf(1, tensors, keys, big_endian=False)
    if len(head) < 24:
        raise HeadError("ends inside its fixed header", offset=len(head), name=window.name)
    big = little != 0 and not little & 0xFFFF
    order = ">" if big else "<"
    version, tensors, keys = struct.unpack_from(order + "IQQ", head, 4)
    return Gguf(version, tensors, keys, big)


class SafeTensors(NamedTuple):
    header_end: int
    size: int | None


def safetensors(window: Window) -> SafeTensors:
    """Where the JSON header of a .safetensors file ends. Raises HeadError."""
    head = window.read(0, 8)
    if len(head) < 8:
        raise HeadError("ends inside its header length", offset=len(head), name=window.name)
    (length,) = struct.unpack("<Q", head)
    if window.size is not None and 8 + length > window.size:
        raise HeadError(f"header of {length} bytes passes the end of the file", offset=0, name=window.name)
    return SafeTensors(8 + length, window.size)
