"""Webhook payloads as events: what is acted on, what is left alone, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.watched.events import BadPayload, Kind, read_event

REPO = {"id": 7, "full_name": "owner/repo"}
PERSON = {"login": "reporter", "type": "User"}


def body(**changes: Any) -> bytes:
    issue = {"number": 3, "updated_at": "2026-06-11T00:00:00Z"}
    payload = {"action": "opened", "sender": PERSON, "repository": REPO, "issue": issue, "installation": {"id": 9}}
    return json.dumps({k: v for k, v in (payload | changes).items() if v is not ...}).encode()


def comment(**changes: Any) -> dict[str, Any]:
    return {"id": 11, "updated_at": "2026-06-11T00:00:00Z", "user": PERSON, "body": "text"} | changes


def test_an_opened_issue() -> None:
    event = read_event("issues", body())

    assert (event.kind, event.action, event.repo, event.repo_id, event.number) == (
        Kind.ISSUE,
        "opened",
        "owner/repo",
        7,
        3,
    )
    assert (event.actor, event.installation) == ("reporter", 9)


def test_events_about_one_issue_have_one_key_even_after_a_rename() -> None:
    first = read_event("issues", body())
    renamed = read_event(
        "issue_comment", body(repository=REPO | {"full_name": "other/name"}, comment=comment(), action="created")
    )

    assert first.key == renamed.key == "issue:7#3"


@pytest.mark.parametrize(
    ("name", "changes", "why"),
    [
        ("issues", {"sender": {"login": "some[bot]", "type": "Bot"}}, "a bot did it"),
        ("issues", {"sender": {"login": "triage[bot]", "type": "User"}}, "a bot did it"),
        ("issues", {"issue": {"number": 3, "pull_request": {"url": "u"}}}, "a pull request"),
        ("issues", {"action": "assigned"}, "changes nothing"),
        ("issue_comment", {"action": "created", "comment": comment(user={"login": "x", "type": "Bot"})}, "a bot wrote"),
        ("issue_comment", {"action": "created", "comment": comment(performed_via_github_app={"id": 1})}, "a bot wrote"),
        ("release", {"action": "published", "release": {"id": 5, "draft": True}}, "not published"),
        ("ping", {}, "no event"),
        ("star", {"issue": ...}, "no event"),
    ],
)
def test_what_is_left_alone_says_why(name: str, changes: dict[str, Any], why: str) -> None:
    event = read_event(name, body(**changes), own="triage[bot]")

    assert event.kind is Kind.IGNORED
    assert event.why.startswith(why)


def test_a_release_counts_also_where_a_workflow_made_it() -> None:
    workflow = {"login": "github-actions[bot]", "type": "Bot"}
    event = read_event("release", body(action="published", release={"id": 5}, sender=workflow, issue=...))

    assert (event.kind, event.action, event.repo) == (Kind.RELEASE, "published", "owner/repo")


def test_a_person_who_deletes_the_bots_own_comment_is_heard() -> None:
    own = comment(user={"login": "triage[bot]", "type": "Bot"}, performed_via_github_app={"id": 1})
    event = read_event("issue_comment", body(action="deleted", comment=own), own="triage[bot]")

    assert (event.kind, event.action, event.object_id, event.own) == (Kind.COMMENT, "deleted", 11, True)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no JSON"),
        (b"[]", "no JSON object"),
        (b"[" * 100_000, "no JSON"),
        (body(issue=...), "issue: it is missing"),
        (body(repository=...), "repository: it is missing"),
        (body(issue={"number": 0}), "issue.number"),
        (body(issue={"number": 2**70}), "issue.number"),
        (body(repository={"id": 7, "full_name": "../../etc/passwd"}), "repository.full_name"),
        (body(repository={"id": 7, "full_name": "owner/repo\n"}), "repository.full_name"),
        (body(sender="somebody"), "sender"),
    ],
)
def test_a_payload_that_is_none_is_refused_with_its_place(data: bytes, words: str) -> None:
    with pytest.raises(BadPayload, match=words.replace(".", r"\.")):
        read_event("issues", data)
