"""`triage doctor`: looks at each setting that the bot needs, and says in words what is wrong."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from bot import config
from bot.arguments import add_json
from bot.errors import InputError
from bot.terminal import GREEN, RED, YELLOW, paper, say, say_machine

WRONG = 2
_SKEW = 60  # seconds that a clock may be off: an App's tokens are refused beyond that

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
    if repo is not None and repo.count("/") != 1:
        raise InputError(f"{repo!r} is no repository; write owner/repo.")
    if config.paused():
        yield Finding("paused", "note", "TRIAGE_PAUSED is set, so nothing is written to GitHub")
    yield _one("webhook", _webhook)
    yield _one("database", _database)
    yield _one("work", _work)
    yield _one("clock", _clock)
    account = _one("account", _account)
    yield account
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
        return "note", f"{len(short)} of {len(secrets)} secrets are shorter than 20 characters and can be guessed"
    return "good", f"{len(secrets)} secret{'s' if len(secrets) > 1 else ''}"


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
    finally:
        store.close()
    return ("wrong", "; ".join(wrong)) if wrong else ("good", shown)


def _work() -> tuple[str, str]:
    from bot.storage import database_address
    from kb.store import Store
    from kb.store.work import Failed

    url = database_address()
    file = config.database_file(url)
    failed: tuple[Failed, ...] = ()
    if file is None or os.path.exists(file):
        store = Store.at(url)
        try:
            if store.refusal() is not None:
                return "note", "it cannot be told whether anything was given up"
            failed = store.failed()
        finally:
            store.close()
    if not failed:
        return "good", "nothing was given up"
    last = failed[-1]
    words = f"{len(failed)} events or comments were given up, the last one of {last.issue}: {last.error}"
    return "note", f"{words}; `triage db retry` has them tried again"


def _clock() -> tuple[str, str]:
    from bot.forge import Threads

    date = Threads(None, config.github_api()).server_date()
    if date is None:
        return "note", "GitHub did not say what time it is"
    off = abs((datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds())
    if off > _SKEW:
        return (
            "wrong",
            f"this computer's clock is {off:.0f} seconds away from GitHub's; an App's tokens will be refused",
        )
    return "good", f"{off:.0f} seconds from GitHub's"


def _account() -> tuple[str, str]:
    from bot.service.opening import account

    who = account()
    if who.app is not None:
        return "good", f"the App {who.login}"
    if who.login:
        return "good", f"the token of {who.login}"
    return "note", "nobody: issues can be read, and nothing can be written"


def _repository(repo: str) -> tuple[str, str]:
    from bot.service.opening import account

    who = account()
    threads = who.threads(repo, None)
    found = threads.repository(repo)
    if found.archived:
        return "note", f"{found.full_name} is archived: nothing can be written there"
    lacking = who.app.lacks(found.full_name) if who.app is not None else ()
    if lacking:
        return "wrong", f"the App lacks there: {', '.join(lacking)}; its settings grant it, and an owner accepts that"
    if who.app is None and who.login and not threads.may_write(found.full_name, who.login):
        return "note", f"{who.login} has no role in {found.full_name}: comments can be written, labels cannot"
    return "good", f"{found.full_name}{'' if found.full_name == repo else f', which was called {repo}'}"


def _policy(repo: str) -> tuple[str, str]:
    from bot.knowledge import load_known
    from bot.service.opening import account
    from bot.watched.policy import FILE, read_policy

    text = account().threads(repo, None).file(repo, FILE)
    if text is None:
        return "note", f"there is no {FILE}: the mode is shadow, so that nothing is posted"
    read = read_policy(text, frozenset(p.id for p in load_known().knowledge.products))
    if read.faults:
        return "wrong", " ".join(read.faults)
    return "good", f"mode {read.policy.mode}"
