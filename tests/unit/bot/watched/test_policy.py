"""The policy file of a watched repository: what is taken, and what a mistake in it costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.watched.policy import MOST_FAULTS, Mode, Policy, read_policy, schema

PUBLISHED = Path(__file__).parents[4] / "bot" / "schemas" / "policy-1.json"


def test_without_a_file_nothing_is_posted() -> None:
    assert read_policy(None).policy == Policy()
    assert Policy().mode is Mode.SHADOW


def test_a_whole_file() -> None:
    policy, faults = read_policy(
        """
        mode = "suggest"
        products = ["foundry-local-cli"]
        opt_out = ["no-bot", "wontfix"]
        [labels]
        known = "triage: known-issue"
        [budget]
        comments_per_hour = 3
        """,
        frozenset({"foundry-local-cli"}),
    )

    assert faults == ()
    assert (policy.mode, policy.products, policy.opt_out) == (
        Mode.SUGGEST,
        ("foundry-local-cli",),
        ("no-bot", "wontfix"),
    )
    assert policy.labels.known == "triage: known-issue"
    assert (policy.budget.comments_per_hour, policy.budget.edits_per_issue_and_day) == (3, 10)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('mod = "comment"', "mod: there is no such key; did you mean mode?"),
        ('[labels]\nknwon = "x"', "labels.knwon: there is no such key; did you mean known?"),
        ('mode = "loud"', "mode: input should be 'off', 'shadow', 'suggest' or 'comment'; the default is used"),
        ("mode = true", "mode: input should be"),
        ("[budget]\ncomments_per_hour = 1000000", "budget.comments_per_hour: input should be less than or equal to"),
        ('[budget]\ncomments_per_hour = "3"', "budget.comments_per_hour: input should be a valid integer"),
        ("labels = 3", "labels: input should be a table; the default is used"),
        ('products = "foundry-local-cli"', "products: input should be a list; the default is used"),
        ('products = ["no-such"]', "'no-such' is no product"),
        ('products = [["nested"]]', "products: input should be a valid string"),
        ('language = "tlh"', "language: 'tlh' is not spoken"),
        ("mode = ", "is no TOML"),
        (b"\xff\xfe", "is no TOML"),
        ("a = " + "[" * 3000, "is no TOML"),
        ("#" * 17_000, "larger than 16 KiB"),
        (".".join(["a"] * 5000) + " = 1", "a key has more than 16 parts"),
        (" . ".join(['"a b"'] * 2000) + " = 1", "a key has more than 16 parts"),
        ("[" + ".".join(["a"] * 5000) + "]", "a key has more than 16 parts"),
    ],
)
def test_a_mistake_is_named_and_makes_the_bot_no_louder(text: str | bytes, words: str) -> None:
    policy, faults = read_policy(text, frozenset({"onnxruntime"}))

    assert len(faults) == 1
    assert faults[0].startswith(".github/triage.toml")
    assert words in faults[0]
    assert policy == Policy()


@pytest.mark.parametrize(
    "mistake",
    [
        'opt-out = ["wontfix"]',
        'optout = ["wontfix"]',
        'OPT_OUT = ["wontfix"]',
        "answer_within = 3",
        "max_age_days = 3",
        "nope = 1",
        'language = "de"',
        'products = ["no-such"]',
        '[labels]\nopt_out = ["wontfix"]',
        "[labels]\nanswer_within_days = 3",
        '[labels]\nmode = "off"',
        "[budgets]\ncomments_per_day = 1",
        "[budget]\ncomments_per_dya = 1",
        "[budget]\ncomments_per_day = -5",
        '"" = 1',
    ],
)
def test_whatever_the_mistake_is_nothing_is_posted(mistake: str) -> None:
    policy, faults = read_policy(f'mode = "comment"\n{mistake}', frozenset({"onnxruntime"}))

    assert len(faults) == 1
    assert policy.mode is Mode.SHADOW


def test_a_mistake_leaves_the_other_keys_standing() -> None:
    policy, faults = read_policy('mode = "off"\nnope = 1\n[labels]\nknown = ""\nneeds_info = "ask"')

    assert len(faults) == 2
    assert policy.mode is Mode.OFF
    assert (policy.labels.known, policy.labels.needs_info) == (None, "ask")


def test_the_mark_that_some_editors_put_in_front_is_none() -> None:
    assert read_policy(b'\xef\xbb\xbfmode = "comment"\n') == (Policy(mode=Mode.COMMENT), ())


def test_of_many_mistakes_some_are_named_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def near(word: str, *_: object, **__: object) -> list[str]:
        compared.append(word)
        return []

    monkeypatch.setattr("bot.watched.policy.get_close_matches", near)
    policy, faults = read_policy("\n".join(f"k{i} = 1" for i in range(1500)))

    assert len(compared) == MOST_FAULTS
    assert len(faults) == MOST_FAULTS + 1
    assert faults[-1] == ".github/triage.toml: 1480 more mistakes."
    assert policy == Policy()


def test_the_published_schema_is_that_of_the_code() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == schema()


def test_a_label_that_github_cannot_hold_is_a_fault() -> None:
    read = read_policy(f'[labels]\nknown = "{"x" * 51}"\nneeds_info = "{"x" * 50}"')
    assert read.policy.labels.known is None
    assert read.policy.labels.needs_info == "x" * 50
    assert "at most 50 characters" in read.faults[0]


def test_a_label_of_the_bots_own_that_opts_out_is_a_mistake() -> None:
    policy, faults = read_policy('mode = "comment"\nopt_out = ["Quiet"]\n[labels]\nknown = "quiet"')

    assert policy.mode is Mode.SHADOW
    assert "labels.known: opt_out names it too" in faults[0]
    assert policy.opts_out(["QUIET"])
    assert not policy.opts_out(["quiet please"])
