"""What a lookup imports on its way to an answer: the price of every start."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.arguments import Parser
from bot.commands import lookup

ERROR = "Duplicate definition of name (image_grid_thw_CUDAExecutionProvider)"
PROBE = """
import sys
before = set(sys.modules)
from bot.cli import main
code = main(sys.argv[1:])
sys.stdout.flush()
sys.stderr.write(repr((code, sorted(set(sys.modules) - before))))
"""
NEVER = {"pydantic", "sqlmodel", "sqlalchemy", "github", "onnx", "numpy", "requests"}
NOT_WHEN_WARM = NEVER | {
    "argparse",
    "contextlib",
    "dataclasses",
    "datetime",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "jinja2",
    "json",
    "logging",
    "markdown_it",
    "pathlib",
    "re",
    "rich",
    "shutil",
    "subprocess",
    "tempfile",
    "threading",
    "tomllib",
    "typing",
}


def imported(cache: Path, *arguments: str) -> tuple[int, set[str]]:
    root = Path(__file__).parents[2]
    environment = {"PATH": os.environ.get("PATH", ""), "TRIAGE_CACHE_DIR": str(cache), "PYTHONPATH": str(root)}
    # isolated from what an environment's .pth files import
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, env=environment, cwd=root, check=True
    )
    code, modules = ast.literal_eval(done.stderr.decode().splitlines()[-1])
    return code, set(modules)


def test_a_lookup_never_imports_what_it_does_not_need(tmp_path: Path) -> None:
    code, cold = imported(tmp_path, "lookup", ERROR)
    assert code == 0
    assert not cold & NEVER
    code, warm = imported(tmp_path, "lookup", ERROR)
    assert code == 0
    assert not warm & NOT_WHEN_WARM
    assert "re2" in warm


@pytest.mark.parametrize("options", [("--json",), ("--with", "os=windows"), ("--comment",)])
def test_options_do_not_change_that(tmp_path: Path, options: tuple[str, ...]) -> None:
    _, modules = imported(tmp_path, "lookup", ERROR, *options)
    assert not modules & NEVER


@pytest.mark.parametrize(
    "arguments", [[ERROR], ["-"], ["--json", ERROR], [ERROR, "--comment"], ["--text", "-", "--json"], [""]]
)
def test_the_short_way_reads_arguments_as_the_parser_does(arguments: list[str]) -> None:
    parser = Parser("lookup", "purpose", lookup.EXAMPLES)
    lookup.add_arguments(parser)
    simple = lookup.read_simple(arguments)
    assert simple is not None
    assert vars(simple) == vars(parser.parse_args(arguments))


@pytest.mark.parametrize(
    "arguments", [[], ["-h"], ["a", "b"], ["--", "--json"], [ERROR, "--as-of", "2026-06-11"], ["--json"], ["-x y"]]
)
def test_anything_else_is_left_to_the_parser(arguments: list[str]) -> None:
    assert lookup.read_simple(arguments) is None
