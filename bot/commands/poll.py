"""`triage poll`: asks repositories for issues that changed, and answers them as their policies say."""

from __future__ import annotations

import argparse

from bot.arguments import add_layers
from bot.commands.issue import paused
from bot.forge import ForgeError
from bot.refs import repository
from bot.service.opening import desk
from bot.service.polling import poll
from bot.service.running import notice, work
from bot.terminal import say, warn

EXAMPLES = """\
  triage poll owner/repo                 # once, as from a timer; the first time marks where to begin
  triage poll owner/repo other/repo

What changed since the last poll is read and answered: nothing before the first one is touched, and an issue that is
older than its repository's policy says (answer_within_days) is recorded alone.
exit code: 0 done, 2 bad input, or a repository could not be asked, which stderr names
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repos", metavar="OWNER/REPO", nargs="+")
    add_layers(parser)


def run(arguments: argparse.Namespace) -> int:
    failed = False
    repos = [repository(repo) for repo in arguments.repos]
    with desk(tuple(arguments.layers), at_once=True) as at:
        for repo in repos:
            try:
                say(f"{repo}: {poll(at, repo)} new")
            except ForgeError as e:
                failed = True
                warn(f"triage: {repo}: {e}.")
        if at.braked():
            say(f"paused: {paused(at)}.")
        again = notice(at)
        if again:
            say(f"{again} read again, since what is known has changed")
        while work(at):
            pass
    return 2 if failed else 0
