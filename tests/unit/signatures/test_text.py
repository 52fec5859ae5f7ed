"""Folding and squeezing, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signatures.text import DROP, NotText, Way, clean, decode, fold, squeeze

ESCAPES = ["\\", "\\n", '\\"', "\\u0027", "\\ud83d", '{"a":"', "C:\\new", "&#40;", "&#x1b;", "&#0;", "<br>", "</code>"]
AROUND = ["+--+", "| x |", "Line |", "1: ", "2 | ", "`a`", "**b**", "##[error]", "Jun 11 09:00:00 h u[1]: ", "\n", " "]
PIECES = st.sampled_from([*ESCAPES, *AROUND, "（", "word"])
MESSY = (
    st.lists(PIECES, max_size=30).map("".join)
    | st.text(alphabet=st.sampled_from(" \t\r\n>&;lgt#[]0m\x1b:-_/aZ9.é“​│"), max_size=80)
    | st.text(max_size=80)
)


def test_a_sentence_that_the_console_wrapped_is_one_line() -> None:
    raw = "[Buffer (unlabeled)] usage\n(Storage(read-write)|Storage(read-only)) includes writable usage"

    assert fold(raw) == "[Buffer (unlabeled)] usage (Storage(read-write)|Storage(read-only)) includes writable usage"


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("\x1b[0;93m2024-10-04 20:35:10.505753791 [W:onnxruntime:, x]\x1b[m", "[W:onnxruntime:, x]"),
        ("[0;93m2024-10-04 20:35:10.505 [W:onnxruntime:, x]", "[W:onnxruntime:, x]"),
        ("2026-06-04 17:05:33.898 16500-17012 native   com.example.app  I  model_type: x", "model_type: x"),
        ("06-04 17:05:33.898 16500 17012 E litert  : Failed to create engine", "Failed to create engine"),
        ("I/flutter: GPU load failed", "GPU load failed"),
        ("E0000 00:00:1765525977.620998   13828 delegate_webgpu.cc:117] Failed", "delegate_webgpu.cc:117] Failed"),
        ("[17:27:29 ERR] Failed loading model", "Failed loading model"),
        ("ort-web.min.js:7 Uncaught Error", "Uncaught Error"),
        ("> ERROR: Node number 44", "ERROR: Node number 44"),
        ("&gt; it&#39;s &lt;pad&gt;", "it's <pad>"),
        ("“Bad” ‘image’ – x", "\"Bad\" 'image' - x"),
        ("exception:\u200b WebGPU\u00a0validation", "exception: WebGPU validation"),
        ("│ Error │ x │", "Error x"),
        ("Jun 11 09:00:00 host unit[123]: Error: x", "Error: x"),
        ("2026-06-11T09:00:00+0200 host unit[123]: Error: x", "Error: x"),
        ("2026-06-11T09:00:00.1234567Z ##[error]Error: x", "Error: x"),
        ("#12 1.234 Error: x", "Error: x"),
        ("   7 | wrapped\n   8 | line", "wrapped line"),
        ("+------+\n| Err: |\n| x    |\n+------+", "Err: x"),
        ("Line |\n   2 |  run\n     |  ~~~\n     | Error: x", "run ~~~ Error: x"),
        ("`wrapped`\n`line`", "wrapped line"),
        ("wrapped \\\nline", "wrapped line"),
        ("wrapped<br/>line", "wrapped line"),
        ("name &#40;x&#x29;", "name (x)"),
        ("name （x）", "name (x)"),
        ('{"msg": "usage\\nof \\"x\\" in C:\\\\new\\\\table"}', '{"msg": "usage of "x" in C:\\new\\table"}'),
        ('{"msg": "it\\u0027s \\u001b[31mred\\ttext"}', '{"msg": "it\'s red text"}'),
        (
            "# of threads to upload weights = 2\r\nSegmentation fault\r\n",
            "# of threads to upload weights = 2 Segmentation fault",
        ),
    ],
)
def test_what_programs_and_consoles_add_is_gone(raw: str, folded: str) -> None:
    assert fold(raw) == folded


@pytest.mark.parametrize(
    "text",
    [
        r"C:\new\table\x is missing",
        r'"path": "models\new\table"',
        r"Cannot open 'C:\Users\me\new models\tiny'",
        r"providers\nccl\test.cc:12 failed",
        r"\\server\share\new failed",
        "| a | b |\n|---|---|\n| c | d |",
        "#0 0x0001 in f\n#1 0x0002 in g",
        "1.5 is the factor\n2.5 is another",
    ],
)
def test_what_only_looks_like_a_layout_is_text(text: str) -> None:
    assert fold(text) == " ".join(text.split())


def test_angle_brackets_are_text() -> None:
    assert fold("<pad><pad> <uses-native-library android:name='libOpenCL.so'/>").startswith("<pad><pad> <uses-native")


def test_a_word_that_the_console_broke_is_whole_when_squeezed() -> None:
    assert "wgpu::RequestAdapterStatus::Success" in squeeze("status == wgpu:\n:RequestAdapterStatus::Success was false")


@given(MESSY)
def test_cleaning_keeps_the_length(raw: str) -> None:
    assert len(clean(raw)) == len(raw)


@given(MESSY, st.booleans(), st.data())
def test_a_stretch_of_the_view_leads_back_to_the_same_words(raw: str, squeezed: bool, data: st.DataObject) -> None:
    view = squeeze(raw) if squeezed else fold(raw)
    if not view:
        return
    start = data.draw(st.integers(0, len(view) - 1))
    end = data.draw(st.integers(start + 1, len(view)))

    a, b = Way(raw, squeezed=squeezed).back(start, end)

    assert 0 <= a < b <= len(raw)
    assert "".join(clean(raw)[a:b].replace(DROP, "").split()) == "".join(view[start:end].split())


def test_nothing_leads_back_to_nothing() -> None:
    assert Way("").back(0, 3) == (0, 0)
    assert Way("abc").back(2, 2) == (0, 0)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_log_is_read_in_the_encodings_that_shells_write(encoding: str) -> None:
    text = "Error: DynamicLib.Open: dxil.dll Windows Error: 87\r\n  at x"

    assert decode(text.encode(encoding)) == text.replace("\r\n", "\n")


def test_a_windows_code_page_is_read() -> None:
    text = "Impossible d’ouvrir “model.onnx” : accès refusé"

    assert decode(text.encode("cp1252")) == text


def test_a_torn_utf8_log_loses_only_the_torn_letter() -> None:
    data = ("größer ● Fehler\n" * 20).encode() + b"\xe2\x97"

    assert decode(data).startswith("größer ● Fehler")


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02\x03PE\x00\x00" * 10, bytes(range(1, 9)) * 50, b"\xff\x80\x9a\xb0" * 100]
)
def test_binary_data_is_no_text(data: bytes) -> None:
    with pytest.raises(NotText, match="not text in UTF-8"):
        decode(data)


def test_the_empty_file_is_the_empty_text() -> None:
    assert decode(b"") == ""
