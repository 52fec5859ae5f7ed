"""Archives listed without unpacking: zip by its central directory, tar.gz by its headers, broken ones refused."""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.artifact.archives import ArchiveError, members
from signatures.artifact.source import BytesSource, SourceError, Window


def zipped(names: list[str], size: int = 10) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), bytes(size))
    return out.getvalue()


Mode = Literal["w", "w:gz", "w:xz", "w:bz2"]


def tarred(names: list[str], mode: Mode = "w:gz", form: int = tarfile.DEFAULT_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 700
            archive.addfile(info, io.BytesIO(bytes(700)))
    return out.getvalue()


def test_a_large_zip_is_listed_from_its_end() -> None:
    source = BytesSource(zipped([f"d/{n}.bin" for n in range(50)], 100_000))
    assert [member.name for member in members(Window(source))][:2] == ["d/0.bin", "d/1.bin"]
    assert source.bytes_read < 200_000


def test_a_tar_is_listed_with_long_names() -> None:
    names = ["a.dll", "d/" + "x" * 180 + ".dll"]
    assert [(m.name, m.size) for m in members(Window(BytesSource(tarred(names))))] == [(name, 700) for name in names]


@pytest.mark.parametrize(
    "data",
    [zipped(["a"])[:-10], tarred(["a"])[:-20], b"PK", b"\x1f\x8b" + bytes(40), b"text"],
    ids=["cut zip", "cut tar", "two bytes of a zip", "empty gzip", "text"],  # the bytes hold the time of day
)
def test_broken_archives_are_refused(data: bytes) -> None:
    with pytest.raises(ArchiveError):
        members(Window(BytesSource(data)))


@given(
    st.sampled_from([zipped(["a", "b/c"]), tarred(["a", "b/c"])]),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255))),
)
def test_damaged_archives_never_crash(data: bytes, faults: list[tuple[int, int]]) -> None:
    damaged = bytearray(data)
    for at, value in faults:
        damaged[at % len(damaged)] = value
    with contextlib.suppress(SourceError):
        members(Window(BytesSource(bytes(damaged))))


def names(data: bytes) -> list[str]:
    return [member.name for member in members(Window(BytesSource(data, "a")))]


def test_a_zip_with_something_before_it_is_listed() -> None:
    before = b"PK\x03\x04" + bytes(5000)
    assert names(before + zipped(["a.dll", "b/c.dll"])) == ["a.dll", "b/c.dll"]


def test_gzip_streams_that_follow_each_other_are_one_archive() -> None:
    plain = gzip.decompress(tarred(["a.dll", "b.dll", "c.dll"]))
    assert names(gzip.compress(plain[:1500]) + gzip.compress(plain[1500:])) == ["a.dll", "b.dll", "c.dll"]


def test_a_tar_that_ends_inside_a_member_is_cut() -> None:
    plain = gzip.decompress(tarred(["a.dll", "b.dll"]))
    with pytest.raises(ArchiveError, match="cut"):
        names(gzip.compress(plain[:2000]))


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_is_listed_however_it_is_packed(mode: Mode, form: int) -> None:
    held = ["lib/webgpu_dawn.dll", "d/" + "x" * 90 + ".dll", "last"]
    assert names(tarred(held, mode, form)) == held


@pytest.mark.parametrize("mode", ["w", "w:xz", "w:bz2"])
def test_a_tar_that_is_cut_is_refused_however_it_is_packed(mode: Mode) -> None:
    data = tarred(["a.dll", "b.dll"], mode)
    with pytest.raises(ArchiveError, match="cut"):
        names(data[: 512 + 600] if mode == "w" else data[: len(data) // 2])


def test_a_large_plain_tar_is_read_at_its_headers_alone() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("a", "b"):
            info = tarfile.TarInfo(name)
            info.size = 3_000_000
            archive.addfile(info, io.BytesIO(bytes(info.size)))
    source = BytesSource(out.getvalue())
    assert [member.name for member in members(Window(source))] == ["a", "b"]
    assert source.bytes_read < 200_000


def test_an_archive_of_zeros_holds_nothing() -> None:
    assert names(gzip.compress(bytes(5_000_000))) == []


def test_an_xz_stream_that_asks_for_much_memory_is_refused() -> None:
    data = bytearray(lzma.compress(tarred(["a"], "w"), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0}]))
    data[data.index(b"\x21\x01", 12) + 2] = 34  # the filter's properties: a dictionary of 512 MiB
    header = data[12 : 12 + (data[12] + 1) * 4]
    data[12 + len(header) - 4 : 12 + len(header)] = zlib.crc32(bytes(header[:-4])).to_bytes(4, "little")
    with pytest.raises(ArchiveError, match="broken xz data: Memory usage limit"):
        names(bytes(data))
