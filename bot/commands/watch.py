"""`triage watch`: looks at repositories again and again, records what is new, and proposes edits of authored files."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from datetime import timedelta
from threading import Event

from bot import config
from bot.arguments import add_layers
from bot.errors import InputError
from bot.storage import moment, refused, writable
from bot.terminal import say, warn
from bot.upstream.asking import known_knowledge, repositories
from kb.records import ProposalRecord

EXAMPLES = """\
  triage watch --once
  triage watch --every 30
  triage watch --once microsoft/onnxruntime-genai microsoft/foundry-local

It needs the program `git`; TRIAGE_GITHUB_TOKEN raises GitHub's limit, and needs no permission.
exit code: 0 done, 2 bad input, or with --once something went wrong, which stderr names
"""
_LEAST = 5.0  # minutes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repos", nargs="*", metavar="OWNER/REPO", help="only these of the repositories that are known")
    parser.add_argument("--once", action="store_true", help="look at each once, and end")
    parser.add_argument(
        "--every", type=float, default=60.0, metavar="MINUTES", help="how often a repository is looked at (60)"
    )
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    from bot.forge import Forge
    from bot.upstream.git import find_git
    from bot.watching.look import Looker
    from bot.watching.proposing import recompute
    from bot.watching.schedule import Schedule

    if not _LEAST <= arguments.every <= 10_080:
        raise InputError(f"--every {arguments.every:g} is not polite or of no use; give 5 minutes to a week (10080).")
    find_git()
    layers = arguments.layers
    repos = _chosen(repositories(known_knowledge(layers)), arguments.repos)
    stop = Event()
    forge = Forge(config.github_token(), config.github_api(), sleep=stop.wait)
    with writable() as store, refused():
        looker = Looker(store, forge, layers, moment)

        def computed(tick: Callable[[str], None]) -> tuple[str, ...]:
            made = recompute(store, layers, moment, tick)
            for proposal in made.new:
                _tell(proposal)
            return made.trouble

        schedule = Schedule(
            store,
            lambda repo, tick: looker.look(repo, known_knowledge(layers), tick),
            computed,
            every=timedelta(minutes=arguments.every),
            moment=moment,
            say=_warn,
            stop=stop,
        )
        if arguments.once:
            return 2 if schedule.once(repos) else 0
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        say(f"watching {len(repos)} repositories, each every {arguments.every:g} minutes; Ctrl-C ends it.")
        schedule.run(repos)
    return 0


def _chosen(known: tuple[str, ...], asked: list[str]) -> tuple[str, ...]:
    spelled = {r.casefold(): r for r in known}
    for repo in asked:
        if repo.casefold() not in spelled:
            raise InputError(f"{repo!r} is no repository of a product or a fix; `triage list products` names them.")
    return tuple(spelled[r.casefold()] for r in asked) or known


def _tell(proposal: ProposalRecord) -> None:
    say(f"proposed: {proposal.title}")


def _warn(words: str) -> None:
    warn(f"triage: {words}")
