"""Every positive example of the catalogue, in the layouts that consoles, CI logs, mail and Markdown give a message."""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from bot.knowledge import load_known
from signatures.extract import read_issue
from signatures.loader import SHIPPED, SignatureFile, catalogue_of, load_file, signature_files
from signatures.matcher import match_report
from signatures.model import Example, IssueText, Post, Role
from signatures.validate import Reading

FILES = [f for path in signature_files(SHIPPED) if isinstance(f := load_file(path), SignatureFile)]
# a pattern for the whole of a text needs it to stand alone
EXAMPLES = [(f, e) for f in FILES for e in f.examples if e.match and not any("$" in r for r in f.signature.regex)]
WIDTH = 60


def soft(text: str, width: int = WIDTH) -> list[str]:
    return [
        w
        for line in text.splitlines()
        for w in textwrap.wrap(line, width, break_on_hyphens=False, break_long_words=False) or [""]
    ]


def hard(text: str, width: int) -> str:
    return "\n".join(line[i : i + width] for line in text.splitlines() for i in range(0, max(len(line), 1), width))


def each(text: str, before: str, after: str = "") -> str:
    return "\n".join(before + line + after for line in soft(text))


def prefixed(text: str, before: str) -> str:
    return fenced(each(text, before))


def numbered(text: str, form: str) -> str:
    return "\n".join(form.format(i) + line for i, line in enumerate(soft(text), 7))


def fenced(text: str) -> str:
    return f"It fails like this:\n\n```\n{text}\n```\n\nThanks"


def box(text: str) -> str:
    ruler = "+" + "-" * (WIDTH + 2) + "+"
    return "\n".join([ruler, *(f"| {line.ljust(WIDTH)} |" for line in soft(text)), ruler])


def frame(text: str) -> str:
    rows = "\n".join(f"│ {line.ljust(WIDTH)} │" for line in soft(text))
    return f"╭{'─' * (WIDTH + 2)}╮\n{rows}\n╰{'─' * (WIDTH + 2)}╯"


def escaped(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_{}[]()#+-.!|<>" else c for c in text)


def wide(text: str) -> str:
    return text.translate({ord(c): chr(ord(c) + 0xFEE0) for c in "():[]"})


def in_tags(text: str) -> str:
    return "<pre><code>" + "<br>\n".join(html.escape(line) for line in soft(text)) + "</code></pre>"


ON_EVERY_LINE = {
    "journald": "Jun 11 09:00:00 host unit[123]: ",
    "syslog with a narrow day": "Jun  1 09:00:00 host.local kernel: ",
    "journald in ISO form": "2026-06-11T09:00:00+0200 host unit[123]: ",
    "GitHub Actions": "2026-06-11T09:00:00.1234567Z ",
    "GitHub Actions error": "##[error]",
    "GitHub Actions log with error": "2026-06-11T09:00:00.1234567Z ##[error]",
    "Azure Pipelines": "2026-06-11T09:00:00.1234567Z ##[warning]",
    "docker build": "#12 1.234 ",
    "docker compose": "app-1  | ",
    "adb logcat": "06-11 09:00:00.123  1234  5678 E native  : ",
    "mail": ">> ",
    "block quote": "> ",
}
LAYOUTS: dict[str, Callable[[str], str]] = {
    **{name: partial(prefixed, before=before) for name, before in ON_EVERY_LINE.items()},
    "ASCII box": lambda t: fenced(box(t)),
    "ASCII box outside a fence": box,
    "drawn box": lambda t: fenced(frame(t)),
    "PowerShell 7 error view": lambda t: fenced(
        "Line |\n   2 |  foundry run model\n     |  ~~~~~~~~~~~~~~~~~\n" + each(t, "     | ")
    ),
    "numbers with a colon": lambda t: fenced(numbered(t, "{}: ")),
    "numbers with a bar": lambda t: fenced(numbered(t, "{:4d} | ")),
    "numbers of cat": lambda t: fenced(numbered(t, "{:6d}\t")),
    "<br>": lambda t: "<br>".join(html.escape(line) for line in soft(t)),
    "<br/> at line ends": lambda t: "<br/>\n".join(html.escape(line) for line in soft(t)),
    "<pre><code> with <br>": in_tags,
    "each line in backticks": lambda t: each(t, "`", "`"),
    "bold over several lines": lambda t: "**" + "\n".join(soft(t)) + "**",
    "numeric entities": lambda t: t.translate({ord(c): f"&#{ord(c)};" for c in "()[]'"}),
    "hexadecimal entities": lambda t: t.translate({ord(c): f"&#x{ord(c):x};" for c in "()[]'"}),
    "full-width punctuation": wide,
    "JSON": lambda t: fenced(json.dumps({"level": "error", "msg": "\n".join(soft(t))})),
    "JSON line in prose": lambda t: json.dumps({"level": "error", "msg": "\n".join(soft(t))}),
    "JSON in JSON": lambda t: fenced(json.dumps({"log": json.dumps({"msg": "\n".join(soft(t)), "at": "Foo()\n"})})),
    "Python repr": lambda t: fenced(repr(RuntimeError("\n".join(soft(t))))),
    "Windows line ends": lambda t: fenced("\n".join(soft(t))).replace("\n", "\r\n"),
    "Markdown escapes": escaped,
}


@pytest.fixture(scope="module")
def reading() -> Reading:
    known = load_known()
    return Reading(known.vocabulary, known.names)


def missed(name: str, reading: Reading) -> Iterator[str]:
    """The examples that show their signature as they are, and not, or with another capture, in a layout. Each layout
    has every sixth of them, so that six have all."""
    layout = LAYOUTS[name]
    for file, example in EXAMPLES[list(LAYOUTS).index(name) % 6 :: 6]:
        plain = example.text.strip("\n")
        if not (_shown(plain, file, example, reading) and _shown(fenced(plain), file, example, reading)):
            continue
        if not _shown(layout(plain), file, example, reading):
            yield f"{file.signature.id}: {layout(plain)!r}"


def _shown(text: str, file: SignatureFile, example: Example, reading: Reading) -> bool:
    report = read_issue(IssueText("", (Post(Role.REPORTER, text),)), reading.vocabulary, reading.products)
    # what a layout does to the facts is another question
    matches = match_report(report, catalogue_of((file.signature._replace(when=(), shared=None),)))
    return any(dict(example.expect).items() <= dict(m.captures).items() for m in matches)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_hides_no_failure(name: str, reading: Reading) -> None:
    assert list(missed(name, reading)) == []


DUPLICATE = (
    "failed to load model qwen3.5-0.8b-cuda-gpu:3: This is an invalid model. "
    "Error: Duplicate definition of name (pad_CUDAExecutionProvider)."
)
CONFLICT = (
    "Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage "
    "(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization "
    "scope."
)
NOT_REGISTERED = "[01:49:43 ERR] The specified EP cuda is not registered."
LOADER = "Couldn't load Vulkan: DynamicLib.Open: vulkan-1.dll Windows Error: 87"


def matched(text: str, reading: Reading, signature: str) -> dict[str, str] | None:
    """What one shipped signature captures in a report; None where it does not show."""
    catalogue = catalogue_of(tuple(f.signature for f in FILES))
    report = read_issue(IssueText("It fails", (Post(Role.REPORTER, text),)), reading.vocabulary, reading.products)
    return next((dict(m.captures) for m in match_report(report, catalogue) if m.signature == signature), None)


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("duplicate-ep-tensor-name", DUPLICATE),
        ("webgpu-buffer-usage-conflict", CONFLICT),
        ("foundry-ep-not-registered", NOT_REGISTERED),
    ],
)
@pytest.mark.parametrize("width", [37, 40, 53, 60, 80, 120])
def test_a_console_that_cuts_inside_words_hides_nothing(
    signature: str, text: str, width: int, reading: Reading
) -> None:
    whole = matched(text, reading, signature)

    assert whole is not None
    assert matched(fenced(hard(text, width)), reading, signature) == whole
    assert matched(hard(text, width), reading, signature) == whole


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("quoted", [False, True])
def test_what_was_printed_proves_the_provider_also_where_it_is_cut(width: int, quoted: bool, reading: Reading) -> None:
    text = hard(CONFLICT, width)
    text = "\n".join(f"> {line}" for line in text.splitlines()) if quoted else fenced(text)
    report = read_issue(IssueText("It fails", (Post(Role.REPORTER, text),)), reading.vocabulary, reading.products)

    assert ("ep", "WebGpuExecutionProvider") in {(f.key, f.value) for f in report.facts}


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("duplicate-ep-tensor-name", DUPLICATE),
        ("webgpu-buffer-usage-conflict", CONFLICT),
        ("dawn-system-library-not-loaded", LOADER),
    ],
)
@pytest.mark.parametrize("width", [40, 60, 80])
def test_empty_lines_behind_every_line_hide_nothing(signature: str, text: str, width: int, reading: Reading) -> None:
    assert matched("\n\n".join(soft(text, width)), reading, signature) is not None


@pytest.mark.parametrize("name", ["backslash", "bold", "logger", "list"])
def test_other_marks_around_lines_hide_nothing(name: str, reading: Reading) -> None:
    layouts = {
        "backslash": fenced("\\\n".join(hard(CONFLICT, 70).split("\n"))),
        "bold": each(CONFLICT, "**", "**"),
        "logger": fenced(each(CONFLICT, "[worker 12] native: ")),
        "list": "- Steps\n  - run it\n    - " + "\n      ".join(soft(CONFLICT)),
    }

    assert matched(layouts[name], reading, "webgpu-buffer-usage-conflict") is not None


def test_markdown_escapes_are_no_part_of_a_name(reading: Reading) -> None:
    text = "It says Duplicate definition of name (pad\\_CUDAExecutionProvider) at load."

    assert matched(text, reading, "duplicate-ep-tensor-name") == {"tensor": "pad", "ep": "CUDAExecutionProvider"}


def test_what_rules_a_signature_out_counts_over_an_empty_line(reading: Reading) -> None:
    text = "Couldn't load: DynamicLib.Open: dxcompiler.dll Windows\n\nError: 87, error status 0xc0e90002"

    assert matched(text, reading, "dawn-dxc-library-not-loaded") is None
