"""A stateful GitHub that nobody here wrote (npm `emulate`), and one that misbehaves."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from github import Auth, Github
from github.Repository import Repository

from bot.forge import Forge
from tests.forge import openapi

HERE = Path(__file__).parent
TOKEN = "test-token"  # noqa: S105 - of the emulator
_SEED = {
    "tokens": {TOKEN: {"login": "acme", "scopes": ["repo"]}},
    "github": {"users": [{"login": "acme"}], "repos": [{"owner": "acme", "name": "engine", "auto_init": True}]},
}
_NUMBERS = count(1)


@pytest.fixture(scope="session")
def github_url() -> Iterator[str]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("the GitHub emulator needs node 20 and npm")
    if not (HERE / "node_modules" / "emulate").is_dir():
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=HERE, check=True, timeout=120)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [node, str(HERE / "emulator.mjs"), str(port), json.dumps(_SEED)]
    with subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://localhost:"), url
        yield url  # leaving closes its standard input, which ends it


@pytest.fixture
def forge(github_url: str) -> Iterator[Forge]:
    """Every request of it is held against GitHub's description of its API."""
    assert openapi.fetch()
    with openapi.honest() as found:
        yield Forge(TOKEN, github_url, spacing=0)
    assert found == []


@pytest.fixture
def upstream(github_url: str) -> Repository:
    """A repository of its own, seen by its maintainer."""
    auth = Auth.Token(TOKEN)
    github = Github(auth=auth, base_url=github_url, retry=None, seconds_between_requests=0, seconds_between_writes=0)
    return github.get_user().create_repo(f"engine{next(_NUMBERS)}", auto_init=True)  # type: ignore[union-attr]


def release(upstream: Repository, version: str, *, draft: bool = False, prerelease: bool = False) -> int:
    """Publish a release on the head of the main branch, with its tag."""
    head = upstream.get_branch(upstream.default_branch).commit.sha
    if not draft:
        upstream.create_git_ref(f"refs/tags/v{version}", head)
    made = upstream.create_git_release(f"v{version}", f"Engine {version}", "", draft=draft, prerelease=prerelease)
    return made.id


def pull(upstream: Repository, title: str, branch: str, base: str | None = None, *, draft: bool = False) -> int:
    """Propose one more file."""
    base = base or upstream.default_branch
    upstream.create_git_ref(f"refs/heads/{branch}", upstream.get_branch(base).commit.sha)
    upstream.create_file(f"{branch}.txt", title, "text\n", branch=branch)
    return upstream.create_pull(base, branch, title=title, body="", draft=draft).number
