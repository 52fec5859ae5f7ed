"""What of a folder is looked at, and that the rest is said."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from signatures.artifact.listing import MAX_LISTED, kept, not_a_file, walked
from signatures.artifact.package import Entry, Package
from signatures.artifact.source import BytesSource, SourceError
from signatures.checks import run_checks
from signatures.checks.model import Outcome, Target


def entry(name: str) -> Entry:
    return Entry(name, 0, None, lambda: BytesSource(b"", name))


def outcomes(package: Package) -> dict[str, Outcome]:
    return {result.check: result.outcome for result in run_checks(package, Target())}


def test_models_come_first_where_not_all_files_are_listed() -> None:
    names = [f"{n:05}.txt" for n in range(MAX_LISTED)]
    listing = kept([*names, "w.data", "z/genai_config.json", "z/model.onnx"])
    assert listing.names[:3] == ("z/genai_config.json", "z/model.onnx", "w.data")
    assert len(listing.names) == MAX_LISTED
    assert listing.cut is not None
    assert "more than 20000 files, the listing was cut" in listing.cut
    assert not listing.overlooked


def test_a_listing_that_fits_keeps_its_order() -> None:
    names = ("a.txt", *(f"{n}.txt" for n in range(MAX_LISTED - 2)), "b.onnx")
    assert kept(names) == (names, None, False, ())


def test_a_cut_listing_is_no_clean_one() -> None:
    package = Package("p", [entry(f"{n}.txt") for n in range(MAX_LISTED + 1)])
    assert not package.complete
    (result,) = run_checks(package, Target(), ("not-a-model",))
    assert result.outcome is Outcome.UNKNOWN
    assert any("the listing was cut" in unknown.why for unknown in result.unknown)


def test_nothing_is_clean_where_models_were_left_out() -> None:
    package = Package("p", [entry(f"{n}.gguf") for n in range(MAX_LISTED + 1)])
    package.entries = {"a.zip": package.entries["0.gguf"]}  # a check with nothing to find
    assert outcomes(package)["release-archive-dxc-pair"] is Outcome.UNKNOWN
    assert package.overlooked


def test_the_neighbours_of_a_file_do_not_make_it_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    assert Package.from_path(str(tmp_path / "a.zip")).cut is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_named_for_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.onnx")
    os.mkfifo(tmp_path / "notes.txt")
    (tmp_path / "b.onnx").symlink_to("nowhere")
    (tmp_path / "c.onnx").symlink_to("c.onnx")
    (tmp_path / "d.onnx").symlink_to("/dev/zero")
    (tmp_path / "genai_config.json").mkdir()
    (tmp_path / "elsewhere").symlink_to("/")
    (tmp_path / "here").symlink_to(".")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "e.onnx"))
        found = walked(str(tmp_path))
    assert found.names == ()
    assert found.skipped == (
        ("elsewhere", "a link to a folder elsewhere"),
        ("genai_config.json", "a folder"),
        ("a.onnx", "a named pipe"),
        ("b.onnx", "a link to something that is not there"),
        ("c.onnx", "a link that leads to itself"),
        ("d.onnx", "a device"),
        ("e.onnx", "a socket"),
    )


def test_what_is_skipped_leaves_the_folder_unknown(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").symlink_to("nowhere")
    (tmp_path / "a.gguf").write_bytes(b"GGUF\x03" + bytes(19))
    found = {result.check: result for result in run_checks(Package.from_path(str(tmp_path)), Target())}
    assert found["not-a-model"].outcome is Outcome.UNKNOWN
    assert "m.onnx is a link to something that is not there" in found["not-a-model"].unknown[0].why
    assert found["gguf-head"].outcome is Outcome.CLEAN


def test_a_file_is_a_file_and_a_lone_pipe_is_said(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"")
    assert not_a_file(str(path)) is None
    with pytest.raises(SourceError, match="is a device, and not read"):
        Package.from_path(os.devnull)


@pytest.mark.skipif(not os.path.exists("/proc/cpuinfo"), reason="no such file system here")
def test_a_file_whose_size_is_said_to_be_0_is_read_before_it_is_called_empty() -> None:
    package = Package.from_path("/proc/cpuinfo")
    assert package.head("cpuinfo").kind != "empty"
