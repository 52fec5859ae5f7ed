"""The `git` program over a repository of others: bounded in time and output, blind to that repository's settings.

A repository is never opened in place. A folder of our own borrows its objects and a copy of its refs, so that no
configuration, hook, attribute, replacement or promise of it is read; missing objects stay missing and nothing is
fetched in silence.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from types import TracebackType

from bot import config
from bot.errors import InputError
from bot.upstream.refs import Refs, find_git_folder, read_refs

PATIENCE = 120.0  # seconds for one run of git
LARGEST_OUTPUT = 1 << 30  # bytes
_CONFIG = """\
[core]
	repositoryformatversion = 0
	bare = true
	hooksPath = /dev/null
	bigFileThreshold = 4m
[gc]
	auto = 0
[protocol]
	allow = never
[diff]
	renames = false
"""
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.pager=cat", "--no-pager", "--literal-pathspecs")


class GitFailed(Exception):
    """git ended with an error; its text is git's own first line."""


class Git:
    """An isolated view of one repository. Use it in a `with`, which removes the view again."""

    def __init__(self, path: str) -> None:
        """Raises InputError where there is no repository that can be read."""
        self.program = find_git()
        self.path = path
        folder = find_git_folder(path)
        self.refs: Refs = read_refs(folder)
        self._home = tempfile.mkdtemp(prefix="triage-git-")
        try:
            self._lay_out(folder)
        except OSError:
            self.close()
            raise

    def _lay_out(self, folder: str) -> None:
        objects = os.path.join(folder, "objects")
        os.makedirs(os.path.join(self._home, "objects", "info"))
        os.makedirs(os.path.join(self._home, "refs"))
        for name, text in (
            ("config", _CONFIG),
            ("HEAD", f"ref: refs/heads/{self.refs.main}\n"),
            ("objects/info/alternates", _quoted(os.path.abspath(objects)) + "\n"),
            ("packed-refs", "".join(f"{sha} {name}\n" for name, sha in sorted(self.refs.named.items()))),
        ):
            with open(os.path.join(self._home, name), "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write(text)

    def __enter__(self) -> Git:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        shutil.rmtree(self._home, ignore_errors=True)

    def run(self, *arguments: str, given: bytes = b"", patience: float = PATIENCE) -> bytes:
        """What git prints. Raises GitFailed, also where it takes longer than `patience` seconds."""
        command = [self.program, *_QUIET, f"--git-dir={self._home}", *arguments]
        return run_bounded(command, environment(self._home), given, patience)

    def lines(self, *arguments: str, given: bytes = b"") -> list[str]:
        return self.run(*arguments, given=given).decode("utf-8", "replace").splitlines()

    def existing(self, objects: Iterable[str]) -> frozenset[str]:
        """Those of these objects that the repository holds; a blobless clone lacks some."""
        asked = list(dict.fromkeys(objects))
        if not asked:
            return frozenset()
        given = "\n".join(asked).encode() + b"\n"
        rows = self.lines("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer", given=given)
        return frozenset(sha for sha, row in zip(asked, rows, strict=False) if not row.endswith(" missing"))


def find_git() -> str:
    """The path of git. Raises InputError where there is none."""
    found = shutil.which("git")
    if found is None:
        raise InputError("reading repositories needs the program `git`; it is not on the PATH.")
    return found


def environment(home: str) -> dict[str, str]:
    """The variables git is run with: none that would let it read configuration, ask a question or run a program."""
    return config.program_environment() | {
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CEILING_DIRECTORIES": os.path.dirname(home),
        "LC_ALL": "C",
    }


def run_bounded(command: list[str], variables: dict[str, str], given: bytes, patience: float) -> bytes:
    """Run a program with all its children; raises GitFailed where it fails, hangs or floods."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as inp:
        inp.write(given)
        inp.seek(0)
        process = subprocess.Popen(  # noqa: S603 - git, with arguments made here
            command, stdin=inp, stdout=out, stderr=err, env=variables, start_new_session=True
        )
        try:
            code = _waited(process, out.fileno(), patience)
        except BaseException:
            end_all(process)
            raise
        out.seek(0)
        if code != 0:
            err.seek(0)
            raise GitFailed(_first_line(err.read(4000)) or f"git ended with {code}")
        return out.read()


def _waited(process: subprocess.Popen[bytes], out: int, patience: float) -> int:
    """The exit code of a process; raises GitFailed where it outstays its time or prints too much."""
    end = time.monotonic() + patience
    step = 0.005
    while True:
        try:
            return process.wait(step)
        except subprocess.TimeoutExpired:
            step = min(step * 2, 0.25)
        if os.fstat(out).st_size > LARGEST_OUTPUT:
            raise GitFailed(f"git printed more than {LARGEST_OUTPUT >> 20} MiB and was ended")
        if time.monotonic() > end:
            raise GitFailed(f"git took longer than {patience:.0f} seconds and was ended")


def end_all(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started, which hold on to the network after it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (OSError, AttributeError):  # already gone, or a system without process groups
        process.kill()
    process.wait()


def _first_line(text: bytes) -> str:
    lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (telling or lines or [""])[0].removeprefix("fatal: ")


def _quoted(path: str) -> str:
    """A path as `alternates` wants it: quoted where it would be misread."""
    if '"' in path or path.startswith("#") or "\n" in path:
        return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return path
