"""`triage doctor`: looks at each setting that the bot needs, and says in words what is wrong."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bot import config
from bot.arguments import add_json
from bot.errors import InputError
from bot.refs import repository
from bot.terminal import GREEN, RED, YELLOW, paper, say, say_machine

WRONG = 2

EXAMPLES = """\
  triage doctor
  triage doctor owner/repo        # also its policy, and what the account may do there
  triage doctor owner/repo --json

exit code: 0 all is well or merely worth knowing, 2 something is wrong
"""


class Finding(NamedTuple):
    """`state`: good, note (works, but worth knowing) or wrong."""

    what: str
    state: str
    words: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repo", nargs="?", metavar="OWNER/REPO")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    found = tuple(_found(arguments.repo))
    if arguments.json:
        say_machine(json.dumps({"schema": 1, "findings": [f._asdict() for f in found]}, indent=2, ensure_ascii=False))
    else:
        page = paper()
        for f in found:
            page.field(f.what, f"{f.state}: {f.words}", codes=({"good": GREEN, "note": YELLOW}.get(f.state, RED),))
        say(str(page))
    return WRONG if any(f.state == "wrong" for f in found) else 0


def _found(repo: str | None) -> Iterator[Finding]:
    if repo is not None:
        repository(repo)
    if config.paused():
        yield Finding("paused", "note", "TRIAGE_PAUSED is set, so nothing is written to GitHub")
    yield _one("webhook", _webhook)
    yield _one("board", _board)
    yield _one("database", _database)
    yield from _work(repo)
    yield _one("clock", _clock)
    account = _one("account", _account)
    yield account
    if account.state != "wrong" and config.github_app() is not None:
        yield _one("webhook at GitHub", _hook)
    if repo is not None and account.state != "wrong":
        yield _one("repository", lambda: _repository(repo))
        yield _one("policy", lambda: _policy(repo))


def _one(what: str, look: Callable[[], tuple[str, str]]) -> Finding:
    """One look; what stops it is what is wrong."""
    from bot.forge import ForgeError
    from kb.store import StoreError

    try:
        return Finding(what, *look())
    except (InputError, ForgeError, StoreError, OSError, ValueError) as e:
        return Finding(what, "wrong", f"{e}".removesuffix("; `triage doctor` looks at each setting."))


def _webhook() -> tuple[str, str]:
    try:
        secrets = config.webhook_secrets()
    except OSError as e:
        return "wrong", f"the file of TRIAGE_WEBHOOK_SECRET_FILE cannot be read: {e.strerror or e}: {e.filename}"
    except UnicodeDecodeError:
        return "wrong", "the file of TRIAGE_WEBHOOK_SECRET_FILE is no text"
    if not secrets:
        return "note", "no secret is set, so `triage serve` will not start; TRIAGE_WEBHOOK_SECRET holds it"
    short = [s for s in secrets if len(s) < 20]
    if short:
        some = "the secret is" if len(secrets) == 1 else f"{len(short)} of {len(secrets)} secrets are"
        return "note", f"{some} shorter than 20 characters and can be guessed; `openssl rand -hex 32` makes one"
    return "good", f"{len(secrets)} secret{'s' if len(secrets) > 1 else ''}"


def _board() -> tuple[str, str]:
    from bot.commands.serve import board_token

    token = board_token()
    return "good", "its token is set" if token else "there is none; TRIAGE_BOARD_TOKEN opens it"


def _database() -> tuple[str, str]:
    from bot.storage import database_address
    from kb.store import Store

    url = database_address()
    file = config.database_file(url)
    shown = file or url.rpartition("@")[2]
    if file is not None and not os.path.exists(file):
        folder = os.path.dirname(os.path.abspath(file))
        while not os.path.exists(folder):
            folder = os.path.dirname(folder)
        if not (os.path.isdir(folder) and os.access(folder, os.W_OK)):
            return "wrong", f"the store {file} cannot be made: {folder} is no folder that can be written to"
        return "note", f"there is no store at {file} yet; whatever writes to it first makes it"
    store = Store.at(url)
    try:
        refusal = store.refusal()
        wrong = (refusal,) if refusal is not None else store.check()
        if not wrong:
            store.write_nothing()
    finally:
        store.close()
    return ("wrong", "; ".join(wrong)) if wrong else ("good", shown)


def _work(repo: str | None) -> Iterator[Finding]:
    """What became of the work, where there is a store that can be read."""
    from bot.knowledge import load_known
    from bot.service import health
    from bot.storage import database_address
    from kb.store import Store, StoreError

    try:
        url = database_address()
        file = config.database_file(url)
        if file is not None and not os.path.exists(file):
            return
        store = Store.at(url)
    except (InputError, StoreError, OSError):
        return  # which the look at the database says
    try:
        if store.refusal() is not None:
            return
        yield _one("deliveries", lambda: health.deliveries(store, health.now()))
        yield _one("events", lambda: health.events(store, health.now()))
        yield _one("comments", lambda: health.comments(store, health.now()))
        yield _one("objections", lambda: health.deeds(store, repo, health.now()))
        yield _one("releases", lambda: health.releases(store, load_known().knowledge, health.now()))
        if repo is None:
            yield _one("policies", lambda: health.policies(store, health.now()))
    except StoreError:
        return
    finally:
        store.close()


def _clock() -> tuple[str, str]:
    from bot.forge import Threads
    from bot.service import health

    return health.clock(Threads(None, config.github_api()), health.now())


def _account() -> tuple[str, str]:
    from bot.service import health
    from bot.service.opening import account

    return health.account(account(), config.github_token())


def _hook() -> tuple[str, str]:
    from bot.service import health
    from bot.service.opening import account

    app = account().app
    return health.hook(app) if app is not None else ("note", "there is no App")


def _repository(repo: str) -> tuple[str, str]:
    from bot.service import health
    from bot.service.opening import account

    return health.repository(account(), repo)


def _policy(repo: str) -> tuple[str, str]:
    from bot.knowledge import load_known
    from bot.service import health
    from bot.service.opening import account

    return health.policy(account(), repo, frozenset(p.id for p in load_known().knowledge.products))
