"""`triage`: finds the command, runs it, and turns every outcome into an exit code.

It knows the commands by name only: a command's module is imported when it is called for, so that one command's
needs never slow down another.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from bot.errors import InputError
from bot.terminal import say, warn

COMMANDS = (
    ("lookup", "say which known failure a text shows, and what fixes it for the versions in it"),
    ("artifact", "check a model's files for what makes a runtime refuse them or fail"),
    ("explain", "say clause by clause why a text shows a signature, or does not"),
    ("show", "print all that is known of one signature, problem or product"),
    ("list", "list signatures, problems and products"),
    ("new", "write a new signature or problem from a failure you have at hand"),
    ("promote", "take a signature out of shadow, or say that it was looked at again"),
    ("diff", "say which answers differ between a revision of the catalogue and the files here"),
    ("trace", "show which releases carry a change, with the whole chain of evidence"),
    ("status", "show for each problem which releases have the fix, and who waits"),
    ("has", "say whether one version of a product has the fix of a problem"),
    ("export", "write problems as OSV records, or products as OpenVEX documents"),
    ("observe", "read repositories anew and write down which releases carry what"),
    ("eval", "say how often answers are right, over reports with known answers"),
    ("watch", "look at repositories again and again, and propose edits of what is written here"),
    ("proposals", "list edits that watching proposes, show one as a diff, or refuse it"),
    ("sync", "rebuild the store's tables from the files of signatures, problems and products"),
    ("record", "keep what an issue shows, so that recurring failures are noticed"),
    ("worklist", "gather failures that nothing explains, with what most people meet first"),
    ("similar", "find what is nearest to a text by its words"),
    ("db", "bring the store up to date, check it, or copy it"),
    ("issue", "read one issue of GitHub's and answer it as its repository's policy says"),
    ("event", "handle the event that started a workflow of GitHub Actions"),
    ("poll", "ask repositories for issues that changed, and answer them"),
    ("backfill", "read old issues, record what they show, and print a digest; nothing is posted"),
    ("serve", "take GitHub's webhooks and do the work"),
    ("activity", "show what the bot did, would have done or was told, and why"),
    ("doctor", "look at each setting that the bot needs"),
    ("validate", "check signatures, problems and products, with their examples"),
)

# what only some commands need, by the extra that installs it
_EXTRAS = dict.fromkeys(("onnx", "google"), "models")
_EXTRAS |= dict.fromkeys(("httpx2", "httpcore2", "huggingface_hub"), "fetch")
_EXTRAS |= dict.fromkeys(("sqlmodel", "sqlalchemy", "alembic", "psycopg"), "store")
_EXTRAS |= dict.fromkeys(("github", "requests", "apscheduler", "tomlkit", "starlette", "uvicorn"), "server")
_EXTRAS |= {"yaml": "eval", "rapidfuzz": "worklist"}

BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141  # what a shell reports for a program that SIGPIPE ended


def main(argv: Sequence[str] | None = None) -> int:
    """Run `triage`.

    0: done, or found. 1: `lookup` knows nothing, or what `--fail-on` names was found. 2: bad input or a failure, with
    one sentence on stderr. 130: interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # nearly everything made on the way to an answer lives until the end; looking for garbage among it every 700
    # objects is a tenth of a short run
    gc.set_threshold(50_000, 20, 20)
    try:
        code = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        gc.freeze()  # the interpreter looks for garbage once more on its way out
    except InputError as e:
        warn(f"triage: {e}")
        return BAD_INPUT
    except ModuleNotFoundError as e:
        extra = _EXTRAS.get((e.name or "").partition(".")[0])
        if extra is None:
            raise
        # by name, pip would look for it on an index that may know another program of that name
        warn(f"triage: this needs the extra `{extra}`; in this program's sources, `pip install '.[{extra}]'` adds it.")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return BROKEN_PIPE
    except OSError as e:
        _forget_stdout()
        warn(f"triage: {e.strerror or e}{f': {e.filename}' if e.filename else ''}")
        return BAD_INPUT
    return code


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        say(_help())
        return 0 if arguments else BAD_INPUT
    name, rest = arguments[0], arguments[1:]
    if name == "--version":
        return _version()
    purpose = dict(COMMANDS).get(name)
    if purpose is None:
        raise InputError(_unknown(name))
    command = import_module(f"bot.commands.{name}")
    simple = command.read_simple(rest) if name == "lookup" else None
    if simple is not None:
        return int(command.run(simple))
    return _parsed(name, purpose, command, rest)


def _parsed(name: str, purpose: str, command: ModuleType, rest: list[str]) -> int:
    from bot.arguments import Parser

    parser = Parser(name, purpose, command.EXAMPLES)
    command.add_arguments(parser)
    try:
        arguments = parser.parse_args(rest)
    except SystemExit as e:  # argparse leaves this way after --help
        return e.code if isinstance(e.code, int) else BAD_INPUT
    return int(command.run(arguments))


def _help() -> str:
    width = max(len(name) for name, _ in COMMANDS)
    lines = [
        "usage: triage COMMAND ...",
        "",
        "Recognises failures of on-device AI runtimes and says which release has the fix for the version you run.",
        "",
        *(f"  {name:<{width}}  {purpose}" for name, purpose in COMMANDS),
        "",
        "example:",
        '  triage lookup "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"',
        "",
        "`triage COMMAND --help` shows the options and examples of a command; `triage --version` the version.",
    ]
    return "\n".join(lines)


def _version() -> int:
    from importlib.metadata import version

    say(f"triage {version('ondevice-triage')}")
    return 0


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [n for n, _ in COMMANDS], n=1)
    hint = f"did you mean `triage {near[0]}`?" if near else "`triage --help` lists them."
    if any(c.isspace() for c in name):
        hint = 'to look an error text up, write `triage lookup "..."`.'
    shown = name if len(name) <= 60 else name[:57] + "..."
    return f"there is no command {shown!r}; {hint}"


def _forget_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush cannot fail once more."""
    try:
        target = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, target)
    os.close(nothing)
