"""Input that nobody should send: each gets an answer or a sentence, soon, and never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import threads
from tests.cli.conftest import Run

ERROR = "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.log", b"", 2),
        ("blank.log", b" \n\t\n", 2),
        ("binary.bin", bytes(range(256)) * 64, 2),
        ("nul.log", b"text\x00text\n" * 10, 2),
        ("broken.json", b'{"issue": {"title": ', 2),
        ("list.json", b"[1, 2]", 2),
        ("deep.json", b'{"issue":' * 200_000, 2),
        ("deeper.log", b"[" * 2_000_000, 1),
        ("wrong-type.json", b'{"issue": {"title": 1, "body": []}}', 2),
        ("utf16.log", ("\ufeff" + ERROR).encode("utf-16-le"), 0),
        ("latin.log", f"Caf\xe9: {ERROR}\n".encode("latin-1"), 0),
        ("torn.log", b"\xe2\x82 " + ERROR.encode() + b" \xf0\x9f", 0),
        ("escapes.log", b"\x1b[31m\x1b]0;title\x07" + ERROR.encode() + b"\x1b[0m\n", 0),
        ("one-line.log", b"a" * 1_000_000 + b" " + ERROR.encode(), 0),
        ("brackets.log", b"(((((" * 200_000, 1),
        ("bidi.log", "\u202e\u2066".encode() + ERROR.encode(), 0),
    ],
)
def test_a_hostile_file(run: Run, tmp_path: Path, name: str, content: bytes, code: int) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    started = time.monotonic()
    done = run("lookup", str(path))
    assert done.returncode == code, done.stderr
    assert time.monotonic() - started < 30
    assert b"\x1b" not in done.stdout
    if code == 2:
        assert done.stderr.startswith(b"triage: ")
        assert done.stderr.count(b"\n") == 1


def test_a_60_mb_file_is_refused_at_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "large.log"
    with path.open("wb") as f:
        f.truncate(60_000_000)
    done = run("lookup", str(path))
    assert done.returncode == 2
    assert b"the limit is 20 MiB" in done.stderr


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless device")
def test_an_endless_device_is_refused(run: Run) -> None:
    assert b"larger than 20 MiB" in run("lookup", "/dev/zero").stderr


@pytest.mark.parametrize("argument", ["", " ", "missing.log", "./missing", "https://example.org/issue/1"])
def test_arguments_that_lead_nowhere_are_a_sentence(run: Run, argument: str) -> None:
    done = run("lookup", argument)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="arguments are bytes only there")
def test_arguments_in_another_encoding_are_read(run: Run) -> None:
    done = run("lookup", b"Caf\xe9 \xff " + ERROR.encode())
    assert done.returncode == 0


@pytest.mark.parametrize("options", [(), ("--json",), ("--comment",)])
def test_a_locale_without_unicode_is_no_obstacle(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "issue.json"
    thread = threads.buffer_conflict()
    thread["issue"]["body"] = thread["issue"]["body"].replace("Intel Arc Graphics", "Intel® Arc™ 显卡 \\ud83d")
    path.write_text(json.dumps(thread).replace("\\\\ud83d", "\\ud83d"))
    done = run("lookup", str(path), *options, PYTHONUTF8="0", LC_ALL="C", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0
    if options:
        done.stdout.decode("utf-8")


def test_an_issue_that_attacks_the_terminal_and_the_comment(run: Run, tmp_path: Path) -> None:
    attack = "\x1b]0;owned\x07\x1b[2J</details>@someone #1 ```` ![x](https://evil.example/x.png) "
    thread = threads.buffer_conflict()
    thread["issue"]["title"] = attack
    thread["issue"]["body"] = attack + thread["issue"]["body"].replace(
        "WebGPU validation", attack + "WebGPU validation"
    )
    path = tmp_path / "issue.json"
    path.write_text(json.dumps(thread))
    for options in ((), ("--comment",), ("--json",)):
        done = run("lookup", str(path), *options)
        assert b"\x1b" not in done.stdout
        assert b"\x07" not in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals differ there")
def test_a_reader_that_leaves_early_is_no_error(environment: dict[str, str]) -> None:
    command = f"{sys.executable} -m bot list --json | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, cwd=_root(), check=False)
    assert done.returncode in (0, 141)
    assert done.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="signals differ there")
def test_an_interrupt_ends_quietly(environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "lookup", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=_root(),
        # what runs in the background of a shell is started deaf to interrupts
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(4.0)  # until it waits for its input, also on a busy machine
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.skipif(os.name != "posix", reason="shells differ there")
def test_closed_streams_are_no_error(environment: dict[str, str]) -> None:
    for closed, code in ((">&-", 0), ("2>&-", 0), ("<&-", 0)):
        command = f'{sys.executable} -m bot lookup "{ERROR}" {closed}'
        done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, cwd=_root(), check=False)
        assert done.returncode == code
        assert b"Traceback" not in done.stderr


def _root() -> Path:
    return Path(__file__).parents[2]
