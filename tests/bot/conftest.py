"""A stateful GitHub with the bot's App installed, a reporter and a maintainer; its webhooks go to a port of ours."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import urlopen

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from github import Auth, Github
from github.Repository import Repository

from bot.forge import Threads
from bot.forge.access import App
from kb.store import Store, upgrade
from tests.forge import openapi

if TYPE_CHECKING:
    from tests.bot.harness import Bot

EMULATOR = Path(__file__).parents[1] / "forge"
APP, INSTALLATION, SLUG = 4711, 100, "on-device-triage"
LOGIN = f"{SLUG}[bot]"
SECRET = "a secret of the tests"  # noqa: S105
_NUMBERS = count(1)


class GitHub(NamedTuple):
    """`hook` is the port that its webhooks are sent to, `quiet` answers once none of them is under way."""

    url: str
    key: str
    hook: int
    quiet: str

    def delivered(self) -> None:
        """Wait until the webhooks of all that happened have arrived."""
        with urlopen(self.quiet, timeout=30):  # noqa: S310 - on the loopback
            pass

    def app(self) -> App:
        return App(str(APP), self.key, self.url)

    def bot(self) -> Threads:
        return Threads(self.app().access(INSTALLATION), self.url, spacing=0, write_spacing=0)

    def user(self, login: str) -> Github:
        auth = Auth.Token(f"token-of-{login}")
        return Github(auth=auth, base_url=self.url, retry=None, seconds_between_requests=0, seconds_between_writes=0)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _seed(key: str, hook: int) -> str:
    people = ("maintainer", "reporter", "other")
    app = {
        "app_id": APP,
        "slug": SLUG,
        "name": "On-device triage",
        "private_key": key,
        "permissions": {"contents": "read", "issues": "write", "metadata": "read", "pull_requests": "read"},
        "events": ["issues", "issue_comment", "release"],
        "webhook_url": f"http://127.0.0.1:{hook}/webhook",
        "webhook_secret": SECRET,
        "installations": [{"installation_id": INSTALLATION, "account": "maintainer", "repository_selection": "all"}],
    }
    tokens = {f"token-of-{login}": {"login": login, "scopes": ["repo"]} for login in people}
    return json.dumps({"tokens": tokens, "github": {"users": [{"login": p} for p in people], "apps": [app]}})


@pytest.fixture(scope="session")
def github() -> Iterator[GitHub]:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("the GitHub emulator needs node 20 and npm")
    with emulated() as found:
        yield found


@contextmanager
def emulated() -> Iterator[GitHub]:
    """A GitHub of one's own, until it is left."""
    node, npm = shutil.which("node") or "node", shutil.which("npm") or "npm"
    if not (EMULATOR / "node_modules" / "emulate").is_dir():
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=EMULATOR, check=True, timeout=120)
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    key = private.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    hook = _free_port()
    command = [node, "emulator.mjs", str(_free_port()), _seed(key, hook)]
    with subprocess.Popen(command, cwd=EMULATOR, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url, quiet = (process.stdout.readline().strip() for _ in range(2))
        assert url.startswith("http://localhost:"), url
        yield GitHub(url, key, hook, quiet)  # leaving closes its standard input, which ends it


@pytest.fixture
def repository(github: GitHub) -> Repository:
    """A repository of its own, seen by its maintainer."""
    return github.user("maintainer").get_user().create_repo(f"engine{next(_NUMBERS)}", auto_init=True)  # type: ignore[union-attr]


@pytest.fixture
def report(github: GitHub, repository: Repository) -> Callable[..., int]:
    """Opens an issue as its reporter."""

    def _report(title: str, body: str, *, login: str = "reporter") -> int:
        return github.user(login).get_repo(repository.full_name).create_issue(title, body).number

    return _report


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path / 'triage.db'}"
    upgrade(url)
    store = Store.at(url)
    with store.kept_open():
        yield store
    store.close()


@pytest.fixture
def bot(github: GitHub, store: Store, repository: Repository) -> Iterator[Bot]:
    from tests.bot.harness import Bot, hooked

    repository.create_file(".github/triage.toml", "policy", 'mode = "comment"\nproducts = ["foundry-local-cli"]\n')
    with hooked(Bot(github, store, repository)) as made:
        yield made


@pytest.fixture(scope="package", autouse=True)
def requests_keep_to_the_description() -> Iterator[None]:
    """No request of these tests is one that GitHub's description does not have."""
    if not openapi.fetch():
        yield  # without npm there is no emulator either
        return
    with openapi.honest() as found:
        yield
    assert sorted(set(found)) == []
