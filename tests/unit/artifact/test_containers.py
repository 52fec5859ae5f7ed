"""Files named by their first bytes, and heads of other containers within bounds."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.artifact.containers import HeadError, gguf, litertlm, safetensors, sniff
from signatures.artifact.source import BytesSource, SourceError, Window
from signatures.checks.litertlm_head import minimal


def window(data: bytes) -> Window:
    return Window(BytesSource(data, "f"))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "lfs-pointer"),
        (b"\n <!DOCTYPE html>", "html"),
        (b'{"error": "not found"}', "json"),
        (b"PK\x03\x04" + bytes(20), "zip"),
        (b"a.dll" + bytes(252) + b"ustar\x0000" + bytes(247), "tar"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(20), "7z"),
        (b"GGUF\x03\0\0\0", "gguf"),
        (b"\x1c\0\0\0TFL3" + bytes(20), "tflite"),
        (b"\x1c\0\0\0ORTM" + bytes(20), "ort"),
        (b"LITERTLM" + bytes(30), "litertlm"),
        (b'\x08\0\0\0\0\0\0\0{"a":{}}' + bytes(8), "safetensors"),
        (bytes(5000), "zeros"),
        (b"Access denied\n", "text"),
        (b"\x08\x08\x12\x07pytorch", "protobuf"),
    ],
)
def test_a_file_is_named_for_what_it_is(data: bytes, kind: str) -> None:
    assert sniff(window(data)).kind == kind


def test_a_litertlm_head_gives_its_sections() -> None:
    head = litertlm(window(minimal(sections=((16384, 20000, 3), (20000, 20001, 99)))))
    assert head.version == (1, 7, 0)
    assert [(s.begin, s.end, s.kind) for s in head.sections] == [
        (16384, 20000, "TFLiteModel"),
        (20000, 20001, "type 99"),
    ]


@given(st.binary(min_size=0, max_size=200), st.integers(0, 1 << 64))
def test_any_metadata_is_read_or_refused(tail: bytes, end: int) -> None:
    data = b"LITERTLM" + bytes([1, 0, 0, 0]) + bytes(12) + (end % (1 << 64)).to_bytes(8, "little") + tail
    for reader in (litertlm, gguf, safetensors, sniff):
        for bytes_ in (data, b"GGUF" + tail, tail):
            with contextlib.suppress(SourceError):
                reader(window(bytes_))


def test_the_place_of_a_fault_is_told() -> None:
    with pytest.raises(HeadError) as refused:
        litertlm(window(minimal(header_end=4)))
    assert refused.value.offset == 24


def test_the_first_version_of_gguf_counts_in_32_bits() -> None:
    assert gguf(window(b"GGUF\x01\0\0\0\x02\0\0\0\x03\0\0\0"))[:3] == (1, 2, 3)


def test_a_gguf_of_big_endian_machines_is_known_as_one() -> None:
    head = gguf(window(b"GGUF" + (3).to_bytes(4, "big") + (2).to_bytes(8, "big") + (4).to_bytes(8, "big")))
    assert head == (3, 2, 4, True)
