"""The commands as a person runs them: real processes, a real database, the emulated GitHub."""

from __future__ import annotations

import http.client
import json
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from github.Repository import Repository

from bot.cli import main
from tests.bot.conftest import LOGIN, GitHub
from tests.bot.harness import ALIASING, VERSION
from tests.bot.processes import environment as environment_of
from tests.bot.processes import rows, serving, triage, until, with_token

Report = Callable[..., int]
Environment = dict[str, str]
BODY = ALIASING + VERSION
TITLE = "qwen3.5 stops on WebGPU"


@pytest.fixture
def environment(github: GitHub, tmp_path: Path) -> Environment:
    return environment_of(github, tmp_path)


@pytest.fixture
def commenting(repository: Repository) -> Repository:
    """A repository whose policy says comment."""
    repository.create_file(".github/triage.toml", "policy", 'mode = "comment"\nproducts = ["foundry-local-cli"]\n')
    return repository


def answers(repository: Repository, number: int, login: str = LOGIN) -> list[str]:
    return [c.body for c in repository.get_issue(number).get_comments() if c.user.login == login]


def say(github: GitHub, repository: Repository, number: int, words: str) -> None:
    github.user("reporter").get_repo(repository.full_name).get_issue(number).create_comment(words)


class TestServe:
    def test_an_issue_gets_its_comment_and_an_end_is_clean(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        with serving(environment, "--port", str(github.hook)) as service:
            assert f"as {LOGIN}" in service.listening
            assert health(github.hook) == (200, "alive")
            number = report(TITLE, BODY)
            assert until(lambda: answers(commenting, number))
            signed = {"X-GitHub-Delivery": "1", "X-Hub-Signature-256": "sha256=" + "0" * 64}
            status, _ = asked(github.hook, "POST", "/webhook", signed | {"Content-Type": "application/json"})
            assert status == 401
            assert until(lambda: rows(environment, "select 1 from activity where what = 'unsigned'"))
            assert service.end() == 0
        assert "not signed with a secret that is set here" in " ".join(triage(environment, "doctor").stdout.split())

        (body,) = answers(commenting, number)
        assert "0.10.1" in body
        said = triage(environment, "activity", commenting.full_name).stdout
        assert f"posted {commenting.full_name}#{number}" in said

    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
    def test_an_end_before_the_comment_is_written_loses_nothing(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report, how: signal.Signals
    ) -> None:
        with serving(environment, "--port", str(github.hook)) as service:
            number = report(TITLE, BODY)
            # answered; its comment waits for what comes next
            assert until(lambda: rows(environment, "select 1 from inbox where state = 'done'"))
            assert service.end(how) == (0 if how is signal.SIGTERM else -how)
        assert answers(commenting, number) == []

        with serving(environment, "--port", str(github.hook)):
            assert until(lambda: answers(commenting, number))
        assert len(answers(commenting, number)) == 1

    def test_what_a_lost_webhook_would_have_said_is_asked_for(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        triage(environment, "poll", commenting.full_name)
        time.sleep(1.1)
        number = report(TITLE, BODY)  # nobody listens
        assert triage(environment, "poll", commenting.full_name).returncode == 0
        assert len(answers(commenting, number)) == 1

    def test_a_change_that_came_by_webhook_is_not_read_again(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        triage(environment, "poll", commenting.full_name)
        time.sleep(1.1)
        with serving(environment, "--port", str(github.hook)):
            number = report("a question", "How do I install it?")
            assert until(lambda: rows(environment, "select 1 from inbox where state = 'done'"))
        before = rows(environment, "select seen_at from issue_seen")
        assert f"{commenting.full_name}: 1 new" in triage(environment, "poll", commenting.full_name).stdout
        assert rows(environment, "select seen_at from issue_seen") == before
        say(github, commenting, number, "Nobody?")
        time.sleep(1.1)
        triage(environment, "poll", commenting.full_name)
        assert rows(environment, "select seen_at from issue_seen") != before

    @pytest.mark.parametrize(
        ("change", "arguments", "words"),
        [
            ({"TRIAGE_WEBHOOK_SECRET_FILE": ""}, (), "no webhook secret is set"),
            ({"TRIAGE_WEBHOOK_SECRET_FILE": "/nowhere/hook"}, (), "/nowhere/hook"),
            ({}, ("--host", "192.0.2.1"), "192.0.2.1:8080 cannot be listened on"),
            ({}, ("--poll", "engine"), "'engine' is no repository"),
            ({"TRIAGE_GITHUB_APP_KEY_FILE": ""}, (), "its key is not"),
            ({"TRIAGE_DATABASE_URL": ""}, (), "TRIAGE_DATABASE_URL"),
        ],
        ids=lambda v: str(v),
    )
    def test_a_setting_that_is_wrong_is_one_sentence(
        self, environment: Environment, change: Environment, arguments: tuple[str, ...], words: str
    ) -> None:
        done = triage(environment | change, "serve", *arguments)
        assert done.returncode == 2
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


def health(port: int) -> tuple[int, str]:
    return asked(port, "GET", "/health")


def asked(port: int, method: str, path: str, headers: dict[str, str] | None = None) -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class TestPoll:
    def test_the_first_poll_touches_nothing_old_and_later_ones_nothing_before_it(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        old = report(TITLE, BODY)
        time.sleep(1.1)
        for _ in range(2):
            done = triage(environment, "poll", commenting.full_name)
            assert (done.returncode, done.stdout) == (0, f"{commenting.full_name}: 0 new\n")
        time.sleep(1.1)
        number = report(TITLE, BODY)

        assert f"{commenting.full_name}: 1 new" in triage(environment, "poll", commenting.full_name).stdout
        assert len(answers(commenting, number)) == 1
        assert answers(commenting, old) == []

    def test_the_overlap_repeats_nothing_and_an_edit_is_found(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        triage(environment, "poll", commenting.full_name)
        time.sleep(1.1)
        number = report(TITLE, ALIASING)
        triage(environment, "poll", commenting.full_name)
        (asked,) = answers(commenting, number)
        triage(environment, "poll", commenting.full_name)
        assert f"{commenting.full_name}: 0 new" in triage(environment, "poll", commenting.full_name).stdout
        time.sleep(1.1)
        say(github, commenting, number, "It is Foundry Local CLI 0.10.0.")

        triage(environment, "poll", commenting.full_name)
        (body,) = answers(commenting, number)
        assert "0.10.1" in body
        assert body != asked

    def test_a_renamed_repository_goes_on_where_it_was(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        triage(environment, "poll", commenting.full_name)
        time.sleep(1.1)
        number = report(TITLE, BODY)
        commenting.edit(name=f"{commenting.name}-renamed")
        renamed = github.user("maintainer").get_repo(f"maintainer/{commenting.name.removesuffix('-renamed')}-renamed")

        assert f"{renamed.full_name}: 1 new" in triage(environment, "poll", renamed.full_name).stdout
        assert len(answers(renamed, number)) == 1

    def test_one_repository_that_is_not_there_holds_up_no_other(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        done = triage(environment, "poll", "nobody/nothing", commenting.full_name)
        assert done.returncode == 2
        assert "the App is not installed on nobody/nothing" in done.stderr
        assert f"{commenting.full_name}: 0 new" in done.stdout


class TestIssue:
    def test_it_is_answered_as_its_policy_says(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        for _ in range(2):
            done = triage(environment, "issue", f"{commenting.full_name}#{number}")
            assert done.returncode == 0
            assert "stands: " in done.stdout
        assert len(answers(commenting, number)) == 1

    def test_shadow_says_so_and_posts_nothing(
        self, environment: Environment, repository: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        done = triage(environment, "issue", f"{repository.full_name}#{number}")
        assert done.returncode == 0
        assert "shadow: recorded, not posted" in done.stdout
        assert answers(repository, number) == []

    def test_a_preview_needs_no_account_and_writes_nothing(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        nobody = with_token(environment)
        done = triage(nobody, "issue", f"{commenting.full_name}#{number}", "--preview")
        assert done.returncode == 0
        assert done.stdout.startswith("<!-- ondevice-triage ")
        assert "0.10.1" in done.stdout
        address = f"https://github.com/{commenting.full_name}/issues/{number}/"
        without = triage(nobody | {"TRIAGE_DATABASE_URL": ""}, "issue", address, "--preview")
        assert (without.returncode, without.stdout, without.stderr) == (0, done.stdout, "")
        assert answers(commenting, number) == []

    def test_nobody_cannot_write_and_is_told_so(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        done = triage(with_token(environment), "issue", f"{commenting.full_name}#{number}")
        assert done.returncode == 2
        assert "failed" in done.stdout
        assert answers(commenting, number) == []

    def test_a_token_comments_as_its_owner(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        token = with_token(environment, "token-of-other")
        for _ in range(2):
            assert triage(token, "issue", f"{commenting.full_name}#{number}").returncode == 0
        assert len(answers(commenting, number, "other")) == 1

    def test_the_kill_switch_stops_every_write(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        done = triage(environment | {"TRIAGE_PAUSED": "1"}, "issue", f"{commenting.full_name}#{number}")
        assert "TRIAGE_PAUSED stops all writing" in done.stdout
        assert answers(commenting, number) == []

    @pytest.mark.parametrize("ref", ["engine#1", "a/b", "a/b#x", "a/b#1 ", "a/b#0"])
    def test_what_is_no_issue_is_refused(self, environment: Environment, ref: str) -> None:
        done = triage(environment, "issue", ref)
        assert done.returncode == 2
        assert "write owner/repo#123" in done.stderr

    def test_an_issue_that_is_not_there_is_said(self, environment: Environment, commenting: Repository) -> None:
        assert "the issue is gone" in triage(environment, "issue", f"{commenting.full_name}#77").stdout
        done = triage(environment, "issue", f"{commenting.full_name}#77", "--preview")
        assert done.returncode == 2
        assert "GitHub knows no such thing" in done.stderr


class TestActivity:
    def test_it_is_filtered_and_told_to_programs(
        self, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        assert triage(environment, "activity").returncode == 2
        numbers = [report(TITLE, BODY) for _ in range(2)]
        for number in numbers:
            triage(environment, "issue", f"{commenting.full_name}#{number}")

        ref = f"{commenting.full_name}#{numbers[0]}"
        found = json.loads(triage(environment, "activity", ref, "--what", "posted", "--json").stdout)
        assert [(d["what"], d["issue"]) for d in found["deeds"]] == [("posted", ref)]
        assert triage(environment, "activity", "--most", "1").stdout.count("posted") == 1
        assert triage(environment, "activity", "nobody/nothing").stdout == "Nothing yet.\n"
        other = triage(environment, "activity", ref, "--what", "psoted").stdout
        assert other.startswith("Nothing of that kind; there is: ")
        assert "posted" in other

    @pytest.mark.parametrize("wrong", [["nobody"], ["a/b#1x"], ["a/b#"], ["/b"], ["--most", "0"]])
    def test_what_cannot_be_asked_for_is_said(self, wrong: list[str]) -> None:
        assert main(["activity", *wrong]) == 2


class TestDoctor:
    def test_all_is_well(self, environment: Environment, commenting: Repository) -> None:
        triage(environment, "poll", commenting.full_name)
        done = triage(environment, "doctor", commenting.full_name, "--json")
        found = {f["what"]: f for f in json.loads(done.stdout)["findings"]}
        assert done.returncode == 0
        hook = found.pop("webhook at GitHub")  # the emulator does not tell of deliveries
        assert (hook["state"], hook["words"]) == ("note", "GitHub shows nothing that it has sent to the App's webhook")
        assert {f["state"] for f in found.values()} == {"good"}
        assert found["account"]["words"] == f"the App {LOGIN}"
        assert found["policy"]["words"] == "mode comment"

    def test_a_fresh_setting_is_worth_a_note(self, environment: Environment, repository: Repository) -> None:
        fresh = with_token(environment) | {"TRIAGE_WEBHOOK_SECRET_FILE": "", "TRIAGE_PAUSED": "yes"}
        done = triage(fresh, "doctor", repository.full_name)
        assert done.returncode == 0
        for words in ("nobody", "no secret is set", "there is no store at", "shadow", "TRIAGE_PAUSED"):
            assert words in done.stdout

    @pytest.mark.parametrize(
        ("change", "what", "words"),
        [
            ({"TRIAGE_GITHUB_APP_ID": "4712"}, "account", "not accepted"),
            ({"TRIAGE_GITHUB_APP_KEY_FILE": "/nowhere/key"}, "account", "/nowhere/key"),
            ({"TRIAGE_GITHUB_APP_KEY_FILE": "", "TRIAGE_GITHUB_APP_KEY": "abc"}, "account", "private key"),
            ({"TRIAGE_GITHUB_APP_KEY_FILE": ""}, "account", "its key is not"),
            ({"TRIAGE_WEBHOOK_SECRET_FILE": "/nowhere/hook"}, "webhook", "/nowhere/hook"),
            ({"TRIAGE_BOARD_TOKEN": "short"}, "board", "can be guessed"),
            ({"TRIAGE_DATABASE_URL": "sqlite:////dev/null/triage.db"}, "database", "cannot be made"),
            ({"TRIAGE_DATABASE_URL": "nonsense"}, "database", "is no URL"),
            ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "clock", "cannot be reached"),
        ],
        ids=lambda v: v if isinstance(v, str) else str(list(v)),
    )
    def test_each_wrong_setting_is_said(
        self, environment: Environment, change: Environment, what: str, words: str
    ) -> None:
        done = triage(environment | change, "doctor", "--json")
        found = {f["what"]: f for f in json.loads(done.stdout)["findings"]}
        assert done.returncode == 2
        assert found[what]["state"] == "wrong"
        assert words in found[what]["words"]

    def test_another_key_a_missing_installation_and_a_faulty_policy(
        self, github: GitHub, environment: Environment, commenting: Repository, tmp_path: Path
    ) -> None:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        (tmp_path / "other.pem").write_bytes(
            private.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        )
        other = environment | {"TRIAGE_GITHUB_APP_KEY_FILE": str(tmp_path / "other.pem")}
        assert "not accepted" in triage(other, "doctor").stdout

        theirs = github.user("other").get_user().create_repo("not-installed", auto_init=True)  # type: ignore[union-attr]
        done = triage(environment, "doctor", theirs.full_name)
        assert done.returncode == 2
        assert f"the App is not installed on {theirs.full_name}" in done.stdout

        held = commenting.get_contents(".github/triage.toml")
        commenting.update_file(".github/triage.toml", "policy", 'mod = "comment"', held.sha)  # type: ignore[union-attr]
        done = triage(environment, "doctor", commenting.full_name)
        assert done.returncode == 2
        assert "mod: there is no such key; did you mean mode?" in " ".join(done.stdout.split())

    def test_a_broken_database_is_said(self, environment: Environment, tmp_path: Path) -> None:
        (tmp_path / "triage.db").write_bytes(b"no database at all" * 100)
        done = triage(environment, "doctor")
        assert done.returncode == 2
        assert "not a database" in done.stdout
        done = triage(environment, "activity")
        assert done.returncode == 2
        assert "not a database" in done.stderr
        assert "no store yet" not in done.stderr

    def test_a_database_that_another_program_holds_is_said(self, environment: Environment, tmp_path: Path) -> None:
        assert triage(environment, "db", "upgrade").returncode == 0
        with closing(sqlite3.connect(tmp_path / "triage.db", isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            done = triage(environment, "doctor")
        assert done.returncode == 2
        assert "database is locked" in " ".join(done.stdout.split())


class TestEvent:
    def test_a_workflow_answers_its_issue(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report, tmp_path: Path
    ) -> None:
        number = report(TITLE, BODY)
        file = tmp_path / "event.json"
        file.write_text(json.dumps(payload(commenting, number)))
        workflow = with_token(environment, "token-of-other") | {
            "TRIAGE_GITHUB_LOGIN": "other",
            "GITHUB_EVENT_NAME": "issues",
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_RUN_ID": "1",
            "GITHUB_RUN_ATTEMPT": "1",
        }
        for attempt in ("1", "1", "2"):
            done = triage(workflow | {"GITHUB_RUN_ATTEMPT": attempt}, "event")
            assert done.returncode == 0
            assert "stands: " in done.stdout
        assert len(answers(commenting, number, "other")) == 1

        file.write_text(json.dumps(payload(commenting, number) | {"repository": another_id(commenting)}))
        done = triage(workflow | {"GITHUB_RUN_ATTEMPT": "3"}, "event")
        assert (
            f"GitHub shows no repository of the id {commenting.id + 1000}, told of as {commenting.full_name}"
            in done.stdout
        )
        assert len(answers(commenting, number, "other")) == 1

    def test_what_is_no_event_for_it_is_said(self, environment: Environment, tmp_path: Path) -> None:
        file = tmp_path / "event.json"
        file.write_text('{"action": "started", "sender": {"login": "somebody"}}')
        done = triage(environment, "event", "--name", "watch", str(file))
        assert (done.returncode, done.stdout) == (0, "watch: nothing to do: no event that is acted on.\n")
        file.write_text("[]")
        for arguments in (("--name", "issues", str(file)), ("--name", "issues", "missing.json"), ()):
            done = triage(environment, "event", *arguments)
            assert done.returncode == 2
            assert done.stderr.count("\n") == 1


def another_id(repository: Repository) -> dict[str, object]:
    return {"id": repository.id + 1000, "full_name": repository.full_name}


def payload(repository: Repository, number: int) -> dict[str, object]:
    return {
        "action": "opened",
        "issue": {"number": number, "updated_at": datetime.now(UTC).isoformat()},
        "repository": {"id": repository.id, "full_name": repository.full_name},
        "sender": {"login": "reporter", "type": "User"},
    }


class TestBackfill:
    def test_it_goes_on_where_it_ended_posts_nothing_and_prints_what_it_would_say(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        numbers = [report(TITLE, BODY), report("a question", "How do I install it?"), report(TITLE, ALIASING)]
        command = ("backfill", commenting.full_name, "--since", "2026-01-01")
        done = triage(environment, *command, "--most", "2")
        assert done.returncode == 0
        assert "2 issues read; more were not asked for. The same command" in done.stderr
        done = triage(environment, *command)
        assert done.returncode == 0
        assert triage(environment, *command).stdout == done.stdout
        assert "3 issues that changed since 2026-01-01 were read; 2 show a known failure" in done.stdout
        assert f"- upgrade: #{numbers[0]}\n- version-unknown: #{numbers[2]}" in done.stdout
        assert TITLE not in done.stdout
        assert [answers(commenting, n) for n in numbers] == [[], [], []]

    def test_only_a_maintainer_can_have_an_old_issue_answered(
        self, github: GitHub, environment: Environment, commenting: Repository, report: Report
    ) -> None:
        number = report(TITLE, BODY)
        triage(environment, "backfill", commenting.full_name, "--since", "2026-01-01")
        say(github, commenting, number, "Any news?\n\n/triage post")
        done = triage(environment, "issue", f"{commenting.full_name}#{number}")
        assert "the issue is old, and nobody asked" in done.stdout
        assert answers(commenting, number) == []

        commenting.get_issue(number).create_comment("/triage post")
        triage(environment, "issue", f"{commenting.full_name}#{number}")
        assert len(answers(commenting, number)) == 1

    @pytest.mark.parametrize("most", ["0", "-3", "100001"])
    def test_how_many_are_read_is_a_number_of_issues(self, most: str) -> None:
        assert main(["backfill", "a/b", "--since", "2026-01-01", "--most", most]) == 2

    @pytest.mark.parametrize("since", ["yesterday", "2026-13-01", "2026-W01-1"])
    def test_a_day_is_a_date(self, environment: Environment, since: str) -> None:
        done = triage(environment, "backfill", "a/b", "--since", since)
        assert (done.returncode, done.stdout) == (2, "")
        assert since in done.stderr
