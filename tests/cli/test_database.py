"""Where the store is, and what becomes of commands where there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

PROBLEM = "webgpu-recurrent-state-buffer-aliasing"


def test_it_is_a_file_in_the_data_folder_that_reading_never_makes(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".local" / "share" / "ondevice-triage"
    for command in (("has", "foundry-local-cli", "0.10.1", PROBLEM), ("status", PROBLEM), ("show", PROBLEM)):
        assert run(*command).returncode == 0
    assert run("similar", "x capacitor").returncode == 2
    assert run("db", "check").returncode == 2
    assert not folder.exists()
    assert run("sync").returncode == 0
    assert sorted(p.name for p in folder.iterdir()) == ["triage.db", "triage.observed.toml"]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert run("db", "check").returncode == 0
    assert run("db", "backup", "copy.db").returncode == 0
    assert (tmp_path / "copy.db").exists()
    assert b"is there already" in run("db", "backup", "copy.db").stderr


@pytest.mark.parametrize("command", [("sync",), ("db", "upgrade"), ("record", "x.json")])
def test_an_empty_address_switches_it_off(run: Run, command: tuple[str, ...]) -> None:
    done = run(*command, TRIAGE_DATABASE_URL="")
    assert done.returncode == 2
    assert b"set TRIAGE_DATABASE_URL" in done.stderr


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", b"no URL"),
        ("mysql://x/y", b"it knows sqlite and postgresql"),
        ("sqlite:////proc/none/x.db", b"/proc/none"),
        ("postgresql://u:secret@127.0.0.1:1/x?connect_timeout=2", b"cannot be used"),
    ],
)
def test_an_address_that_leads_nowhere_is_one_sentence(run: Run, url: str, words: bytes) -> None:
    done = run("sync", TRIAGE_DATABASE_URL=url)
    assert done.returncode == 2
    assert words in done.stderr
    assert b"secret" not in done.stderr


def test_a_server_that_is_away_stops_no_command_that_only_reads(run: Run) -> None:
    url = "postgresql://u@127.0.0.1:1/x?connect_timeout=2"
    done = run("has", "foundry-local-cli", "0.10.1", PROBLEM, "--json", TRIAGE_DATABASE_URL=url)
    assert json.loads(done.stdout)["answer"] == "fixed"
    assert done.stderr.count(b"the store is left out") == 1


def test_an_older_revision_is_left_out_and_named(run: Run, tmp_path: Path) -> None:
    from kb.store import upgrade

    upgrade(f"sqlite:///{tmp_path / 'old.db'}", "0001")
    url = f"sqlite:///{tmp_path / 'old.db'}"
    done = run("has", "foundry-local-cli", "0.10.1", PROBLEM, TRIAGE_DATABASE_URL=url)
    assert done.returncode == 0
    assert b"run `triage db upgrade`" in done.stderr
    assert run("sync", TRIAGE_DATABASE_URL=url).returncode == 2
    assert run("db", "upgrade", TRIAGE_DATABASE_URL=url).returncode == 0
    assert run("sync", TRIAGE_DATABASE_URL=url).returncode == 0


FULL = """
import resource, signal, sys
from bot.storage import write_if_new
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
try:
    write_if_new(sys.argv[1], "capacitor " * 5000)
except OSError as e:
    sys.exit(e.filename)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits are set with setrlimit")
def test_a_disk_that_is_full_names_the_file_and_leaves_the_old_one(environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "triage.observed.toml"
    file.write_text("old")
    paths = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", FULL, str(file)]
    done = subprocess.run(command, capture_output=True, env=environment | paths, check=False)
    assert done.stderr.decode().strip() == str(file)
    assert file.read_text() == "old"
    assert list(tmp_path.glob("triage.observed.toml.*")) == []


@pytest.mark.parametrize("text", ["[[release]\n", "[[dispute]]\nproblem = 7\n", "\x00\x01"])
def test_a_broken_snapshot_is_named_and_everything_else_goes_on(run: Run, tmp_path: Path, text: str) -> None:
    assert run("sync").returncode == 0
    snapshot = tmp_path / "home" / ".local" / "share" / "ondevice-triage" / "triage.observed.toml"
    snapshot.write_text(text)
    done = run("lookup", "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)")
    assert done.returncode == 0
    assert b"triage.observed.toml" in done.stderr
    assert run("sync").returncode == 0
    again = run("lookup", "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)")
    assert again.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("db", "backup"), b"takes the file to write"),
        (("db", "check", "x"), b"the other actions take none"),
        (("db", "polish"), b"invalid choice"),
        (("similar", "x", "--most", "0"), b"from 1 to 50"),
        (("record", "nowhere.json"), b"there is no file"),
        (("record", "-"), b"comes from a file"),
        (("record", "x.log", "--says", "right"), b"belong together"),
        (("record", "error.log"), b"add --issue"),
        (("record", "error.log", "--issue", "seven"), b"is no issue"),
        (("sync", "--catalogue", "nowhere"), b"is no folder"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, tmp_path: Path, arguments: tuple[str, ...], words: bytes) -> None:
    (tmp_path / "error.log").write_text("FluxError: the capacitor refused")
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize("command", ["db", "sync", "record", "similar"])
def test_help_has_examples(run: Run, command: str) -> None:
    assert f"triage {command}".encode() in run(command, "--help").stdout.partition(b"examples:")[2]


WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(("sqlmodel", "sqlalchemy", "alembic", "psycopg")))
from bot.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("lookup", "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"), 0),
        (("has", "foundry-local-cli", "0.10.1", PROBLEM), 0),
        (("status", PROBLEM), 0),
        (("sync",), 2),
        (("db", "upgrade"), 2),
        (("record", "error.log", "--issue", "acme/tool#7"), 2),
    ],
)
def test_without_the_extra_reading_works_and_writing_says_what_it_needs(
    environment: dict[str, str], tmp_path: Path, command: tuple[str, ...], code: int
) -> None:
    (tmp_path / "error.log").write_text("FluxError: the capacitor refused")
    paths = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *command],
        capture_output=True,
        env=environment | paths,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == code, done.stderr.decode()
    assert (b"pip install '.[store]'" in done.stderr) == (code == 2)
