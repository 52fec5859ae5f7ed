"""What the checks say of operators, their arity, attributes and types, against what two real CPU builds say."""

from __future__ import annotations

import os

import onnx
import pytest

from signatures.artifact.package import Package
from signatures.checks import run_checks
from signatures.checks.model import Hit, Severity, Target
from tests.artifact import runtimes
from tests.artifact.random_nodes import Maker

VERSIONS = ("1.20.1", "1.32.0")
CHECKS = (
    "unknown-op", "contrib-op-since", "element-type", "kernel-dtype", "ep-context", "node-schema", "memcpy-baked",
    "ext-hf-shard-cache", "ext-escape",
)  # fmt: skip
# What the runtime prints where one of these checks must have found the reason.
PRINTED = (
    "No Op registered", "is deprecated in domain", "not in range", "Unrecognized attribute", "Required attribute",
    "Mismatched attribute type", "marked single", "of input parameter", "bound to different types",
    "Could not find an implementation", "Failed to find kernel", "not a registered function",
    "Invalid tensor data type", "EPContext node",
)  # fmt: skip
MADE = 160  # models per version, half of them broken


def _hits(package: Package, version: str) -> list[Hit]:
    target = Target((("onnxruntime", version),), ep="cpu")
    found = [hit for result in run_checks(package, target) for hit in result.hits if result.check in CHECKS]
    return [hit for hit in found if hit.severity is not Severity.INFO]


def _told(hits: list[Hit], said: str) -> bool:
    return any(hit.predicted_text and " ".join(hit.predicted_text.split()) in said for hit in hits)


@pytest.mark.parametrize("version", VERSIONS)
def test_random_nodes_are_refused_where_that_is_predicted_and_open_elsewhere(version: str, tmp_path: object) -> None:
    if why := runtimes.missing(f"onnxruntime-{version}"):
        pytest.skip(why)
    maker = Maker(f"nodes {version}", version)
    models: list[bytes | str] = [maker.model(broken=number % 2 == 1) for number in range(MADE)]
    said = runtimes.open_models(f"onnxruntime-{version}", str(tmp_path), models)
    false_alarms, missed, due, agreed = [], [], 0, 0
    for number, answer in enumerate(said):
        model = models[number]
        assert isinstance(model, bytes)
        hits = _hits(Package.from_bytes({"model.onnx": model}), version)
        if answer["said"] == "opens":
            false_alarms += [f"{number}: {hit.detail}" for hit in hits if hit.severity is Severity.FATAL]
        elif any(printed in answer["said"] for printed in PRINTED):
            due += 1
            agreed += _told(hits, answer["said"])
            missed += [] if hits else [f"{number}: {answer['said'][-200:]}"]
    assert false_alarms == []
    assert due > MADE / 4
    assert len(missed) <= 0.05 * due, missed
    assert agreed >= 0.9 * due


HEAD = '<ir_version: 8, opset_import: ["" : %d, "com.microsoft" : 1]> '
RELU = "g (float[4] x) => (float[4] y) { y = Relu (x) }"
FUNCTION = (
    '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[4] x) => (float[4] y) { y = l.F (x) } '
    '<domain: "l", opset_import: ["" : 20]> F (a) => (b) { b = Gelu (a) }'
)
GQA = (
    "g (float[1, 1, 8] q, float[1, 1, 8] k, float[1, 1, 8] v, int32[1] n, int32 t, float[1] s) => (float[1, 1, 8] y) "
    "{ y, a, b = com.microsoft.GroupQueryAttention <num_heads = 1, kv_num_heads = 1%s> (q, k, v, , , n, t%s) }"
)

# name -> (model as text, versions that refuse it)
CASES = {
    "sound": (HEAD % 17 + RELU, ()),
    "an operator that never was": (HEAD % 17 + RELU.replace("Relu", "NoSuchThing"), VERSIONS),
    "an operator of a later opset": (HEAD % 17 + RELU.replace("Relu", "Gelu"), VERSIONS),
    "a later opset's operator in a function": (FUNCTION, VERSIONS),
    "a com.microsoft operator that never was": (HEAD % 17 + RELU.replace("Relu", "com.microsoft.Nothing"), VERSIONS),
    "an attribute of a later release": (HEAD % 17 + GQA % (", q_norm_epsilon = 0.5", ""), ("1.20.1",)),
    "more inputs than any release takes": (HEAD % 17 + GQA % ("", ", , , " + ", ".join("s" * 12)), VERSIONS),
    "an operator that was taken out": (
        HEAD % 17 + "g (float[4] x, float[1] s) => (float[N] y) { y = Upsample (x, s) }",
        VERSIONS,
    ),
    "bfloat16": (HEAD % 17 + RELU.replace("float", "bfloat16"), VERSIONS),
    "float16, which is cast": (HEAD % 17 + RELU.replace("float", "float16"), ()),
    "small integers": (HEAD % 17 + "g (int8[4] x) => (int8[4] y) { y = Add (x, x) }", ("1.20.1",)),
    "bfloat16 in a function of the runtime": (
        HEAD % 17 + "g (bfloat16[4] x) => (bfloat16[4] y) { y = Softmax (x) }",
        VERSIONS,
    ),
    "an input of a type that came later": (
        HEAD % 17 + "g (float[4] x, float4e2m1[4] z) => (float[4] y) { y = Relu (x) }",
        ("1.20.1",),
    ),
    "a compiled context": (
        HEAD % 17
        + RELU.replace("Relu", 'com.microsoft.EPContext <embed_mode = 1, ep_cache_context = "x", source = "QNN">'),
        VERSIONS,
    ),
    "two types where one is wanted": (
        HEAD % 17 + "g (float[4] x, int64[4] i) => (float[4] y) { y = Add (x, i) }",
        VERSIONS,
    ),
    "a branch that is not taken": (
        HEAD % 17 + "g (bool c, float[4] x) => (float[4] y) { y = If (c) <"
        "then_branch = t () => (float[4] p) { p = Missing (x) }, else_branch = e () => (float[4] q) { q = Abs (x) }> }",
        VERSIONS,
    ),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_named_faults_are_found_with_the_words_that_the_runtime_prints(version: str, tmp_path: object) -> None:
    if why := runtimes.missing(f"onnxruntime-{version}"):
        pytest.skip(why)
    models: list[bytes | str] = [bytes(onnx.parser.parse_model(text).SerializeToString()) for text, _ in CASES.values()]
    said = runtimes.open_models(f"onnxruntime-{version}", str(tmp_path), models)
    wrong = []
    for (name, (_, refusing)), model, answer in zip(CASES.items(), models, said, strict=True):
        assert isinstance(model, bytes)
        hits = _hits(Package.from_bytes({"model.onnx": model}), version)
        assert (answer["said"] != "opens") == (version in refusing), f"{name}: {answer['said']}"
        fatal = any(hit.severity is Severity.FATAL for hit in hits)
        if fatal != (version in refusing) or (fatal and not _told(hits, answer["said"])):
            wrong.append(f"{name}: {answer['said'][-200:]}, told {[hit.predicted_text for hit in hits]}")
    assert wrong == []


DATA = (
    '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) '
    '<float[4] w = ["location": "w.bin", "offset": "0", "length": "16"]> { y = Add (x, w) }'
)
# name -> (folder of the model, whether blobs are sorted into folders, whether the model is a link, who refuses)
CACHES = {
    "flat hub": ("models--o--n/snapshots/abc", False, True, ()),
    "sharded hub": ("models--o--n/snapshots/abc", True, True, ()),
    "sharded, not a hub": ("cache/snapshots/abc", True, True, ("1.32.0",)),
    "flat, the model no link": ("models--o--n/snapshots/abc", False, False, ("1.32.0",)),
    "sharded hub, in a folder": ("models--o--n/snapshots/abc/onnx", True, True, ()),
    "sharded hub of a dataset": ("datasets--o--n/snapshots/abc", True, True, ()),
    "sharded hub of a dataset, the model no link": ("datasets--o--n/snapshots/abc", True, False, ("1.32.0",)),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_links_out_of_the_folder_are_told_where_the_runtime_minds_them(version: str, tmp_path: object) -> None:
    if why := runtimes.missing(f"onnxruntime-{version}"):
        pytest.skip(why)
    model = bytes(onnx.parser.parse_model(DATA).SerializeToString())
    paths: list[bytes | str] = []
    for name, (folder, sharded, linked, _) in CACHES.items():
        inside = os.path.join(str(tmp_path), name, folder)
        blobs = os.path.join(str(tmp_path), name, folder.split("/")[0], "blobs")
        os.makedirs(inside)
        for file, blob, data in (("model.onnx", "aa11", model), ("w.bin", "bb22", bytes(16))):
            link = linked or file == "w.bin"
            at = os.path.join(blobs, blob[:2], blob) if sharded else os.path.join(blobs, blob)
            at = at if link else os.path.join(inside, file)
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "wb") as out:
                out.write(data)
            if link:
                os.symlink(os.path.relpath(at, inside), os.path.join(inside, file))
        paths.append(os.path.join(inside, "model.onnx"))
    said = runtimes.open_models(f"onnxruntime-{version}", str(tmp_path), paths)
    for (name, row), path, answer in zip(CACHES.items(), paths, said, strict=True):
        refused = version in row[3]
        assert (answer["said"] != "opens") == refused, f"{name}: {answer['said']}"
        for given in (str(path), os.path.dirname(str(path))):
            hits = _hits(Package.from_path(given), version)
            assert [hit.severity for hit in hits] == ([Severity.FATAL] if refused else []), name
            assert not refused or _told(hits, answer["said"]), f"{name}: {answer['said']}"


def test_a_sharded_hub_is_refused_by_releases_before_the_one_that_allows_it(tmp_path: object) -> None:
    inside = os.path.join(str(tmp_path), "models--o--n", "snapshots", "abc")
    os.makedirs(inside)
    model = bytes(onnx.parser.parse_model(DATA).SerializeToString())
    for file, shard, data in (("model.onnx", "aa", model), ("w.bin", "bb", bytes(16))):
        folder = os.path.join(str(tmp_path), "models--o--n", "blobs", shard)
        os.makedirs(folder)
        with open(os.path.join(folder, file), "wb") as out:
            out.write(data)
        os.symlink(os.path.join(folder, file), os.path.join(inside, file))
    texts = {version: [hit.predicted_text for hit in _hits(Package.from_path(inside), version)] for version in (
        "1.23.2", "1.24.4", "1.31.1", "1.32.0",
    )}  # fmt: skip
    assert texts == {
        "1.23.2": [],
        "1.24.4": ["escapes both model directory:"],
        "1.31.1": ["External data path escapes model directory."],
        "1.32.0": [],
    }
