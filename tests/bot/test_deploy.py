"""What is deployed: the action's own script on a fake event, and files that say what the program needs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from github.Repository import Repository

from bot import config
from bot.forge.access import EVENTS, PERMISSIONS
from bot.watched.policy import FILE, Policy, read_policy
from tests.bot.conftest import GitHub
from tests.bot.harness import ALIASING, VERSION
from tests.bot.processes import environment, with_token
from tests.bot.test_commands import answers, payload
from tests.commands import parse

DEPLOY = Path(__file__).parents[2] / "deploy"
HOSTILE = '\n`touch owned` $(touch owned) "; touch owned #\n${{ github.token }}\n'


def _action() -> dict[str, Any]:
    found = yaml.safe_load((DEPLOY / "action" / "action.yml").read_text())
    assert isinstance(found, dict)
    return found


def test_the_actions_script_answers_the_event_and_polls(
    github: GitHub, repository: Repository, report: Callable[..., int], tmp_path: Path
) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("the action's steps are scripts of bash")
    repository.create_file(".github/triage.toml", "policy", 'mode = "comment"\nproducts = ["foundry-local-cli"]\n')
    program = tmp_path / "triage" / "bin" / "triage"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!{bash}\nexec "{sys.executable}" -m bot "$@"\n')
    program.chmod(0o755)
    action = _action()
    (step,) = (s for s in action["runs"]["steps"] if s.get("id") == "answer")
    given = {"token": "token-of-other", "login": "other", "paused": ""}
    assert given.keys() == action["inputs"].keys()
    env = {k: given[v.removeprefix("${{ inputs.").removesuffix(" }}")] for k, v in step["env"].items()}
    event = tmp_path / "event.json"
    env |= {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_REPOSITORY": repository.full_name,
        "GITHUB_EVENT_NAME": "issues",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_RUN_ATTEMPT": "1",
    }
    outside = with_token(environment(github, tmp_path / "home"))
    del outside["TRIAGE_DATABASE_URL"]

    def run(number: int, run_id: str) -> None:
        said = payload(repository, number)
        said["issue"] |= {"title": HOSTILE, "body": HOSTILE}  # type: ignore[operator]
        event.write_text(json.dumps(said))
        done = subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env=outside | env | {"GITHUB_RUN_ID": run_id},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout

    number = report("qwen3.5 stops on WebGPU", ALIASING + VERSION + HOSTILE)
    run(number, "1")
    run(number, "2")
    assert len(answers(repository, number, "other")) == 1
    assert list(tmp_path.glob("owned")) == []


def test_no_word_of_an_event_is_put_into_a_script() -> None:
    assert all("${{" not in step.get("run", "") for step in _action()["runs"]["steps"])


def _started() -> dict[str, list[str]]:
    """The commands of `triage` that what is deployed starts, by where they stand."""
    image = (DEPLOY / "Containerfile").read_text()
    (given,) = (line for line in image.splitlines() if line.startswith("CMD "))
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    started = {"Containerfile": json.loads(given.removeprefix("CMD "))}
    started |= {name: service["command"] for name, service in compose["services"].items() if "command" in service}
    for unit in DEPLOY.glob("*.service"):
        lines = [line.partition("=")[2] for line in unit.read_text().splitlines() if line.startswith("ExecStart")]
        started |= {f"{unit.name} {i}": shlex.split(line)[1:] for i, line in enumerate(lines)}
    return started


@pytest.mark.parametrize(("where", "command"), _started().items())
def test_what_is_started_is_a_command(where: str, command: list[str]) -> None:
    parse(where, command)


def test_settings_of_what_is_deployed_are_read_by_the_program() -> None:
    known = Path(config.__file__).read_text(encoding="utf-8")
    files = [f for f in DEPLOY.rglob("*") if f.suffix in (".service", ".yaml", ".yml") or f.name == "Containerfile"]
    named = {name for f in files for name in re.findall(r"TRIAGE_[A-Z_]+", f.read_text(encoding="utf-8"))}
    unread = {name for name in named if f'"{name.removesuffix("_FILE")}"' not in known}
    assert unread == {"TRIAGE_REPOSITORIES", "TRIAGE_WATCH_TOKEN"}  # names of the files' own, put into what is read


def test_the_image_is_made_of_what_is_there() -> None:
    image = (DEPLOY / "Containerfile").read_text()
    copied = re.findall(r"(?m)^COPY (?!--)(.+) \S+$", image)
    assert [name for line in copied for name in line.split() if not (DEPLOY.parent / name).exists()] == []
    kept = {line[1:] for line in (DEPLOY / "Containerfile.dockerignore").read_text().splitlines() if line[0] == "!"}
    assert {name for line in copied for name in line.split()} == kept
    (extras,) = re.findall(r"'\.\[(.+)\]'", image)
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_the_units_are_ones_that_systemd_understands(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze comes with systemd")
    units = [tmp_path / unit.name for unit in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer"))]
    for unit in units:  # the program is not installed where the unit looks for it
        unit.write_text((DEPLOY / unit.name).read_text().replace("/opt/triage/bin/triage", sys.executable))
    said = subprocess.run([analyze, "verify", *units], capture_output=True, text=True, timeout=60, check=False)
    assert [line for line in said.stderr.splitlines() if "triage" in line] == []
    assert {t.stem for t in DEPLOY.glob("*.timer")} <= {s.stem for s in DEPLOY.glob("*.service")}
    for unit in DEPLOY.glob("*.service"):  # 10 is a service that nothing holds back
        limit = [analyze, "security", "--offline=true", "--no-pager", "--threshold=20", unit]
        held = subprocess.run(limit, capture_output=True, text=True, timeout=60, check=False)
        assert held.returncode == 0, held.stdout[-200:]


def test_the_apps_manifest_asks_for_what_is_used() -> None:
    manifest = json.loads((DEPLOY / "app-manifest.json").read_text())
    assert manifest["default_permissions"] == PERMISSIONS
    assert set(manifest["default_events"]) == set(EVENTS)


def test_the_policy_that_newcomers_are_shown_is_one() -> None:
    text = (DEPLOY.parent / "README.md").read_text(encoding="utf-8")
    shown = next(block for block in text.split("```toml\n")[1:] if block.startswith(f"# {FILE}")).split("```")[0]
    read = read_policy(shown)
    assert read.faults == ()
    assert read.policy.model_dump(exclude={"mode", "products", "labels"}) == Policy().model_dump(
        exclude={"mode", "products", "labels"}
    )
