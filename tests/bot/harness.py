"""The bot under test: on a clock of its own, with a server that GitHub's webhooks reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from github.Repository import Repository
from starlette.applications import Starlette
from starlette.routing import Route

from bot.fetch import Fetcher
from bot.fetch.guard import policy_of
from bot.forge import Threads
from bot.knowledge import load_known
from bot.service.desk import Desk
from bot.service.running import ingest, work
from bot.watched.attachments import Attachment
from bot.web.webhook import Delivery, webhook
from kb.store import Store
from kb.tables import Stored
from tests.bot.conftest import INSTALLATION, LOGIN, SECRET, GitHub
from tests.web.conftest import serve_on

ALIASING = """I ask the 0.8b model anything and it stops.

```
● error: IPC error 'op_handler_failed': Error from chat_completions command: Error:
Microsoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed. [Buffer (unlabeled)] usage
(Storage(read-write)|Storage(read-only)) includes writable usage and another usage in the same synchronization scope.
```
"""


DUPLICATE = """Loading fails.

```
This is an invalid model. Error: Duplicate definition of name (pad_CUDAExecutionProvider).
failed to load model qwen3.5-0.8b-cuda-gpu:3
```
"""

VERSION = "\nFoundry Local CLI 0.10.0"


class Bot:
    """The bot on a clock of its own, with a server that GitHub's webhooks reach."""

    def __init__(self, github: GitHub, store: Store, repository: Repository) -> None:
        self.github, self.store, self.repository = github, store, repository
        self.clock = datetime.now(UTC)
        self.deliveries: list[Delivery] = []
        self.threads = github.bot()
        self.desk = Desk(
            store,
            self._threads,
            LOGIN,
            load_known,
            lambda: self.clock,
            lambda url: Attachment(url, "", why="attachments are not fetched here"),
            lambda: Fetcher(policy_of("http://127.0.0.1:9", ()), "http://127.0.0.1:9"),
        )

    def _threads(self, repo: str, installation: int | None) -> Threads:
        assert installation == INSTALLATION
        return self.threads

    def receive(self, delivery: Delivery) -> bool:
        kept = ingest(self.desk, delivery.id, delivery.event)
        self.deliveries.append(delivery)
        return kept

    def settle(self, **later: float) -> None:
        """Let the webhooks arrive, and time pass until nothing is left to do."""
        self.clock += timedelta(**later)
        for _ in range(3):
            self.github.delivered()
            work(self.desk)
            self.clock += timedelta(seconds=70)

    def say(self, login: str, number: int, words: str) -> None:
        self.github.user(login).get_repo(self.repository.full_name).get_issue(number).create_comment(words)

    def policy(self, text: str) -> None:
        held = self.repository.get_contents(".github/triage.toml")
        self.repository.update_file(".github/triage.toml", "policy", text, held.sha)  # type: ignore[union-attr]
        self.clock += timedelta(minutes=6)

    def lose_database(self) -> None:
        """What a new machine starts with."""
        for table in reversed(Stored.metadata.sorted_tables):
            with self.store.engine.begin() as connection:
                connection.execute(table.delete())

    def done(self, *what: str) -> int:
        return self.store.done_since(datetime(2020, 1, 1, tzinfo=UTC), *what)

    def comments(self, number: int) -> list[str]:
        found = self.repository.get_issue(number).get_comments()
        return [c.body for c in found if c.user.login == LOGIN]


@contextmanager
def hooked(bot: Bot) -> Iterator[Bot]:
    """With GitHub's webhooks reaching it."""
    app = Starlette(routes=[Route("/webhook", webhook((SECRET,), bot.receive, own=LOGIN), methods=["POST"])])
    with serve_on(app, bot.github.hook):
        yield bot
