"""Where paths beside a model lead, asked of the file system and of a listing."""

from __future__ import annotations

from pathlib import Path

import pytest

from signatures.artifact.package import Package
from signatures.artifact.places import FILE, FOLDER, MISSING, OUTSIDE, UNKNOWN

PATHS = {
    "w.bin": FILE,
    "data/w.bin": FILE,
    "data/../w.bin": FILE,
    "gone/../w.bin": MISSING,
    "w.bin/": MISSING,
    "a\\b.bin": FILE,
    "data\\w.bin": MISSING,
    "data": FOLDER,
    "gone.bin": MISSING,
    "../w.bin": OUTSIDE,
    "/etc/passwd": OUTSIDE,
}


def laid_out(root: Path) -> Path:
    model = root / "model"
    (model / "data").mkdir(parents=True)
    for name in ("model.onnx", "w.bin", "data/w.bin", "a\\b.bin"):
        (model / name).write_bytes(b"1234")
    (root / "outside.bin").write_bytes(b"1")
    (model / "out.bin").symlink_to("../outside.bin")
    (model / "in.bin").symlink_to("data/w.bin")
    (model / "loop.bin").symlink_to("loop.bin")
    return model


@pytest.mark.parametrize("path", PATHS)
def test_a_path_leads_to_the_same_on_disk_and_in_a_listing(path: str, tmp_path: Path) -> None:
    model = laid_out(tmp_path)
    listed = Package.from_bytes(dict.fromkeys(("model.onnx", "w.bin", "data/w.bin", "a\\b.bin"), b"1234"))
    assert Package.from_path(str(model / "model.onnx")).place("model.onnx", path).kind == PATHS[path]
    assert Package.from_path(str(model)).place("model.onnx", path).kind == PATHS[path]
    assert listed.place("model.onnx", path).kind == PATHS[path]


def test_a_path_that_comes_back_by_the_folders_own_name_stays_inside(tmp_path: Path) -> None:
    model = laid_out(tmp_path)
    assert Package.from_path(str(model)).place("model.onnx", "../model/w.bin").size == 4
    assert Package.from_path(str(model)).place("model.onnx", "../other/w.bin").kind == OUTSIDE
    listed = Package.from_bytes({"model.onnx": b"", "w.bin": b"", "sub/model.onnx": b"", "sub/w.bin": b""})
    assert listed.place("model.onnx", "../model/w.bin").kind == UNKNOWN
    assert listed.place("sub/model.onnx", "../sub/w.bin").name == "sub/w.bin"
    assert listed.place("sub/model.onnx", "../w.bin").kind == OUTSIDE


def test_links_are_followed_and_those_that_lead_out_are_told(tmp_path: Path) -> None:
    package = Package.from_path(str(laid_out(tmp_path)))
    assert package.place("model.onnx", "in.bin").size == 4
    out = package.place("model.onnx", "out.bin")
    assert (out.kind, out.linked) == (OUTSIDE, True)
    assert package.place("model.onnx", "loop.bin").kind == MISSING


def test_a_model_and_its_data_may_be_links_into_one_folder(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "models--a--b" / "blobs", tmp_path / "models--a--b" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    for name in ("model.onnx", "w.bin"):
        blob = blobs / ("cc" if name == "w.bin" else "aa") / name
        blob.parent.mkdir(parents=True)
        blob.write_bytes(b"1234")
        (snapshot / name).symlink_to(blob)
    (blobs / "aa" / "beside.bin").write_bytes(b"12")
    (snapshot / "beside.bin").symlink_to(blobs / "aa" / "beside.bin")
    package = Package.from_path(str(snapshot))
    assert package.place("model.onnx", "beside.bin").kind == FILE
    sharded = package.place("model.onnx", "w.bin")
    assert (sharded.kind, sharded.in_hub) == (OUTSIDE, True)


def test_a_listing_that_is_not_all_of_it_proves_nothing_missing() -> None:
    package = Package.from_bytes({"model.onnx": b""}, complete=False)
    assert package.place("model.onnx", "w.bin").kind == UNKNOWN
    assert package.place("model.onnx", "../w.bin").kind == OUTSIDE
