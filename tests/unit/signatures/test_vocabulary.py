"""The closed list of fact keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signatures.extract.vocabulary import (
    Vocabulary,
    VocabularyError,
    canonical,
    from_plain,
    load_vocabulary,
    plain_label,
    spelled,
    to_plain,
    values_of,
)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return load_vocabulary()


@pytest.mark.parametrize(
    ("key", "written", "meant"),
    [
        ("ep", "webgpu", "WebGpuExecutionProvider"),
        ("ep", "CUDAExecutionProvider", "CUDAExecutionProvider"),
        ("ep", "SomeNewExecutionProvider", "SomeNewExecutionProvider"),
        ("ep", "a toaster", None),
        ("os", "Windows 11", "windows"),
        ("os", "macOS 15.7.9", "macos"),
        ("os", "Ubuntu 24.04 LTS", "linux"),
        ("os", "Plan 9", None),
        ("arch", "X64", "x64"),
        ("backend", "Direct3D 12", "d3d12"),
        ("api", "C", "c"),
        ("api", "C++", "cpp"),
        ("api", "COBOL", "COBOL"),
        ("gpu", "  Radeon RX 6800 ", "Radeon RX 6800"),
        ("runtime", "ORT GenAI", "onnxruntime-genai"),
        ("driver", "  ", None),
        ("colour", "red", None),
    ],
)
def test_a_value_is_written_in_one_way(vocabulary: Vocabulary, key: str, written: str, meant: str | None) -> None:
    assert canonical(vocabulary, key, written) == meant


def test_a_spelling_counts_only_as_a_whole_word(vocabulary: Vocabulary) -> None:
    assert spelled(vocabulary, "os", "Darwin 25.4.0, not a window") == [("macos", 0, 6)]


def test_the_longer_of_two_spellings_counts(vocabulary: Vocabulary) -> None:
    assert [v for v, _, _ in spelled(vocabulary, "backend", "DirectX 12 and OpenGL ES")] == ["d3d12", "opengl"]


def test_offsets_survive_letters_that_change_length_in_lower_case(vocabulary: Vocabulary) -> None:
    text = "İİİ Windows"

    ((value, start, end),) = spelled(vocabulary, "os", text)

    assert (value, text[start:end]) == ("windows", "Windows")


def test_the_vocabulary_survives_json(vocabulary: Vocabulary) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(vocabulary)))) == vocabulary


def test_every_label_and_printed_text_belongs_to_a_key(vocabulary: Vocabulary) -> None:
    assert {key for _, key in vocabulary.labels} <= set(vocabulary.keys)
    assert {key for key, _, _ in vocabulary.printed} <= set(vocabulary.keys)
    assert values_of(vocabulary, "phase") == ("load", "run")


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("### OS Version", "os version"),
        ("**Desktop (please complete the following information):**", "desktop"),
        ("  ONNX Runtime Version or Commit ID: ", "onnx runtime version or commit id"),
        ("### What happened?", "what happened"),
    ],
)
def test_labels_are_compared_without_their_marks(heading: str, label: str) -> None:
    assert plain_label(heading) == label


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("schema = 2", "schema: must be 1"),
        ("schema = 1\ncolour = 3", "colour: unknown key"),
        ("schema = 1\n[key.os]\nlables = ['OS']", "key.os: lables: unknown key"),
        ("schema = 1\n[key.os.values]\nwindows = 'win'", "key.os.values.windows: must be a list of texts"),
        ("schema = 1\n[key.os.values]\na = ['x']\nb = ['x']", "'x' means both a and b"),
        ("schema = 1\n[key.os.values]\na = []\n[printed.oss]\na = ['x']", "printed.oss: is no key"),
        ("schema = 1\n[key.os.values]\na = []\n[printed.os]\nb = ['x']", "printed.os.b: is no value of os"),
        ("schema = 1\nkey = 3", "key: must be a table"),
        ("schema = ", "not TOML"),
    ],
)
def test_a_broken_vocabulary_names_the_file_and_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "words.toml"
    path.write_text(text)

    with pytest.raises(VocabularyError) as caught:
        load_vocabulary(str(path))

    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_missing_vocabulary_is_named(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"nowhere\.toml: No such file"):
        load_vocabulary(str(tmp_path / "nowhere.toml"))
