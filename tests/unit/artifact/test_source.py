"""Ranged reads: counters, caps, read-ahead, and sources that break their word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.artifact.source import BytesSource, FileSource, LimitReached, Limits, SourceError, Window


@given(st.binary(max_size=3000), st.lists(st.tuples(st.integers(0, 3200), st.integers(0, 700)), max_size=20))
def test_a_window_gives_the_bytes_that_the_source_has(data: bytes, reads: list[tuple[int, int]]) -> None:
    window = Window(BytesSource(data))
    for offset, length in reads:
        assert window.read(offset, length) == data[offset : offset + length]


def test_reading_in_sequence_doubles_what_is_read_ahead_and_a_jump_starts_small() -> None:
    source = BytesSource(bytes(8 << 20))
    window = Window(source)
    for offset in range(0, 2 << 20, 1000):
        window.read(offset, 1000)
    assert source.requests <= 7
    before = source.bytes_read
    window.read(7 << 20, 10)
    assert source.bytes_read - before == 4096


def test_caps_stop_before_anything_is_transferred() -> None:
    source = BytesSource(bytes(1 << 20))
    window = Window(source, Limits(max_bytes=100_000, max_requests=10))
    window.read(0, 10)
    with pytest.raises(LimitReached) as stopped:
        window.read(500_000, 90_000)
    assert stopped.value.offset == 500_000
    assert source.requests == 1
    requests = Window(BytesSource(bytes(1 << 20)), Limits(max_requests=1))
    requests.read(0, 10)
    with pytest.raises(LimitReached):
        requests.read(900_000, 10)


def test_a_source_that_ends_before_its_stated_size_is_named_with_the_byte() -> None:
    source = BytesSource(bytes(100))
    source.size = 5000
    with pytest.raises(SourceError) as short:
        Window(source).read(0, 200)
    assert short.value.offset == 100


def test_a_source_without_a_size_learns_it_at_the_end() -> None:
    source = BytesSource(bytes(10))
    source.size = None
    window = Window(source)
    assert window.size is None
    assert window.read(0, 20) == bytes(10)
    assert window.size == 10


def test_a_file_is_read_by_ranges_and_counted(tmp_path: object) -> None:
    path = f"{tmp_path}/a.bin"
    with open(path, "wb") as file:
        file.write(bytes(range(200)))
    source = FileSource(path, "a.bin")
    assert source.read(10, 5) == bytes(range(10, 15))
    assert (source.size, source.requests, source.bytes_read) == (200, 1, 5)
    with pytest.raises(SourceError):
        source.read(-1, 5)
    with pytest.raises(SourceError):
        FileSource(path + ".missing")
