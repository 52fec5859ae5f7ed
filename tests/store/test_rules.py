"""Signatures as the store shows them: how often and when each was seen, what was said of it, which words are kept."""

from __future__ import annotations

from kb.records import ANSWER, IssueRecord, Shows, SightingRecord, Word
from kb.store import Store
from kb.store.conversations import Talk
from tests.store.conftest import NOW, later

SIGHTING = SightingRecord("torn-belt", "worn-belt", "certain", "d", "tool", "3.1.0", evidence="the belt is torn")
BARE = SightingRecord("odd-noise", None, "likely", "e", evidence="a noise")


def issue(number: int, **more: object) -> IssueRecord:
    plain = IssueRecord(f"acme/tool#{number}", "It fails", "ann", False, NOW, NOW, True, "0.1.0")
    return plain._replace(**more)  # type: ignore[arg-type]


def test_each_signature_is_counted_by_issue_with_the_day_of_the_last(store: Store) -> None:
    assert store.rules_seen() == ()
    assert store.seeing_since() is None
    store.record_issue(issue(1), [SIGHTING, SIGHTING._replace(problem="cut-belt"), BARE], later(days=9))
    store.record_issue(issue(2, last_post_at=later(days=3)), [SIGHTING], later(days=10))
    store.record_issue(issue(3, last_post_at=None, opened_at=None), [BARE], later(days=11))

    noise, belt = store.rules_seen()
    assert (belt.signature, belt.issues, belt.last) == ("torn-belt", 2, later(days=3))
    assert (noise.signature, noise.issues, noise.last) == ("odd-noise", 2, later(days=11))
    assert store.seeing_since() == later(days=9)
    assert store.signatures_of("acme/tool#1") == {"torn-belt", "odd-noise"}
    assert store.signatures_of("acme/tool#4") == frozenset()


def test_who_shows_a_signature_comes_with_its_words_and_who_judged_just_that(store: Store) -> None:
    store.record_issue(issue(1), [SIGHTING, SIGHTING._replace(problem="cut-belt"), BARE], NOW)
    store.record_issue(issue(2, last_post_at=later(days=3), title="B", open=False), [SIGHTING], later(days=4))
    store.keep_talk(Talk("7#2", "acme/tool#2"), NOW)
    for who, said, about in (("Jo", "right", "torn-belt"), ("ann", "wrong", "odd-noise"), ("bob", "wrong", "")):
        store.record_verdict("acme/tool#1", who, said, maintainer=True, at=NOW, problem=about)
    store.record_verdict("acme/tool#1", "eve", "wrong", maintainer=False, at=NOW, problem="torn-belt")

    words = ("certain", "the belt is torn")
    second = Shows("acme/tool#2", "B", False, later(days=3), *words, "7#2", ())
    first = Shows("acme/tool#1", "It fails", True, NOW, *words, None, (("jo", True),))
    assert store.shown_by("torn-belt") == (second, first)
    assert store.shown_by("another") == ()

    assert store.withdraw_verdict("acme/tool#1", "jo", problem="torn-belt")
    assert not store.withdraw_verdict("acme/tool#1", "jo", problem="torn-belt")
    assert not store.withdraw_verdict("acme/tool#1", "ann")
    assert store.shown_by("torn-belt") == (second, first._replace(by=()))


def test_words_of_maintainers_come_from_verdicts_and_from_what_stands_of_a_conversation(store: Store) -> None:
    for number in (1, 2, 3):
        store.record_issue(issue(number), [SIGHTING, BARE], NOW)
    store.record_verdict("acme/tool#1", "jo", "right", maintainer=True, at=NOW, problem="torn-belt")
    store.record_verdict("acme/tool#1", "ann", "wrong", maintainer=False, at=NOW)
    talk = Talk("7#2", "acme/tool#2", known=("worn-belt",), refused=("cut-belt",), standing="retracted")
    talk = store.keep_talk(talk, NOW)
    store.keep_talk(Talk("7#3", "acme/tool#3"), NOW)

    found = store.judged()
    assert [(j.issue, j.signature, j.problem) for j in found] == [
        ("acme/tool#1", "torn-belt", "worn-belt"),
        ("acme/tool#1", "odd-noise", None),
        ("acme/tool#2", "torn-belt", "worn-belt"),
        ("acme/tool#2", "odd-noise", None),
    ]
    assert found[0].words == (Word("torn-belt", True),)
    assert set(found[2].words) == {Word("worn-belt", True), Word("cut-belt", False), Word(ANSWER, False)}
    assert found[0].written == NOW

    store.keep_talk(talk._replace(known=(), refused=(), standing="stands"), NOW)  # `rerun` took it back
    assert {j.issue for j in store.judged()} == {"acme/tool#1"}


def test_the_words_that_are_kept_of_the_newest_reports_come_back(store: Store) -> None:
    store.record_issue(issue(1), [SIGHTING, BARE], NOW, unexplained=["an odd line", "another"])
    store.record_issue(issue(2), [], later(days=1))
    store.record_issue(issue(3), [BARE], later(days=2))

    first, *_ = store.kept_reports(10)
    assert (first.issue, first.title, first.unexplained) == ("acme/tool#1", "It fails", "an odd line\nanother")
    assert first.sightings == (SIGHTING, BARE)
    assert [r.issue for r in store.kept_reports(2)] == ["acme/tool#2", "acme/tool#3"]
