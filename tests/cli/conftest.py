"""The installed program, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment of a fresh account: no colours, no cache yet, UTF-8."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "SYSTEMROOT") or k.startswith("COV_")}
    return kept | {"HOME": str(tmp_path / "home"), "TRIAGE_CACHE_DIR": str(tmp_path / "cache"), "PYTHONUTF8": "1"}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """Run `triage` with arguments; a traceback on either stream fails the test at once."""

    def _run(
        *arguments: str | bytes, given: bytes | None = None, folder: Path | None = None, **changes: str
    ) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            input=given if given is not None else b"",
            capture_output=True,
            env=environment | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)} | changes,
            cwd=folder or tmp_path,
            timeout=60,
            check=False,
        )
        assert b"Traceback" not in done.stderr + done.stdout, done.stderr.decode()
        return done

    return _run
