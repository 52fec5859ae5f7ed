"""The policy file of a watched repository: what is taken, and what a mistake in it costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.watched.policy import Mode, Policy, read_policy, schema

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
        ("#" * 70_000, "larger than 64 KiB"),
    ],
)
def test_a_mistake_is_named_and_makes_the_bot_no_louder(text: str | bytes, words: str) -> None:
    policy, faults = read_policy(text, frozenset({"onnxruntime"}))

    assert len(faults) == 1
    assert faults[0].startswith(".github/triage.toml")
    assert words in faults[0]
    assert policy == Policy()


def test_a_mistake_leaves_the_other_keys_standing() -> None:
    policy, faults = read_policy('mode = "comment"\nnope = 1\n[labels]\nknown = ""\nneeds_info = "ask"')

    assert len(faults) == 2
    assert policy.mode is Mode.COMMENT
    assert (policy.labels.known, policy.labels.needs_info) == (None, "ask")


def test_the_published_schema_is_that_of_the_code() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == schema()


def test_a_label_that_github_cannot_hold_is_a_fault() -> None:
    read = read_policy(f'[labels]\nknown = "{"x" * 51}"\nneeds_info = "{"x" * 50}"')
    assert read.policy.labels.known is None
    assert read.policy.labels.needs_info == "x" * 50
    assert "at most 50 characters" in read.faults[0]
