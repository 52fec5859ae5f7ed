"""Archives listed without unpacking: zip by its central directory, tar.gz by its headers, broken ones refused."""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile
import zipfile

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


def tarred(names: list[str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
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
