"""Issues and what they show; what people say of it; and finding what is similar."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kb.loader import load_knowledge
from kb.records import FindingRecord, IssueRecord, SightingRecord
from kb.store import Store
from signatures.loader import load_catalogue
from tests.store.conftest import NOW

ISSUE = IssueRecord("acme/tool#7", "It fails on my GPU", "ann", False, NOW, NOW, True, "0.1.0")
SIGHTING = SightingRecord(
    "buffer-conflict", "torn-buffer", "certain", "d1", "tool", "3.1.0", "engine", "1.0.1", "not-explained", "it is torn"
)


def test_an_issue_that_is_read_again_replaces_what_it_showed(store: Store) -> None:
    store.record_issue(
        ISSUE, [SIGHTING, SIGHTING], NOW, findings=[FindingRecord("dup-def", "m", "found")], unexplained=["odd line"]
    )
    store.record_issue(ISSUE._replace(open=False), [SIGHTING._replace(certainty="likely")], NOW)
    (seen,) = store.sightings("torn-buffer")
    assert (seen.issue, seen.reporter, seen.open, seen.last_post_at) == ("acme/tool#7", "ann", False, NOW)
    assert seen.sighting == SIGHTING._replace(certainty="likely")
    assert store.similar("odd line") == ()


def test_what_nothing_explains_comes_with_who_met_it_and_in_which_versions(store: Store) -> None:
    store.record_issue(ISSUE, [SIGHTING], NOW, unexplained=["odd line", "odder line"])
    older = ISSUE._replace(ref="acme/tool#6", reporter=None, opened_at=NOW - timedelta(days=9), last_post_at=None)
    undated = ISSUE._replace(ref="acme/tool#5", opened_at=None, last_post_at=None)
    for issue in (undated, older):
        store.record_issue(issue, [], NOW, unexplained=["odd line"])
    store.record_issue(ISSUE._replace(ref="acme/tool#4"), [SIGHTING], NOW)
    first, second, third = store.unexplained()
    assert (first.issue, first.reporter, first.day) == ("acme/tool#7", "ann", NOW.date().isoformat())
    assert first.lines == ("odd line", "odder line")
    assert first.versions == (("tool", "3.1.0"), ("engine", "1.0.1"))
    assert (second.issue, second.reporter, second.versions) == ("acme/tool#6", None, ())
    assert (third.issue, third.day) == ("acme/tool#5", None)
    assert [u.issue for u in store.unexplained(1)] == ["acme/tool#7"]


def test_open_sightings_are_counted_by_issue(store: Store) -> None:
    for number, (is_open, certainty) in enumerate(
        [(True, "certain"), (None, "likely"), (False, "certain"), (True, "possible")]
    ):
        issue = ISSUE._replace(ref=f"acme/tool#{number}", open=is_open)
        store.record_issue(issue, [SIGHTING._replace(certainty=certainty), SIGHTING._replace(signature="two")], NOW)
    assert store.open_sightings() == {"torn-buffer": 3}
    store.record_issue(ISSUE._replace(ref="acme/tool#9"), [SIGHTING._replace(problem=None)], NOW)
    assert store.open_sightings() == {"torn-buffer": 3}


def test_the_newest_word_of_a_person_counts_and_only_a_maintainers_confirms(store: Store) -> None:
    assert not store.record_verdict("acme/tool#7", "jo", "right", maintainer=True, at=NOW)
    store.record_issue(ISSUE, [SIGHTING], NOW)
    store.record_verdict("acme/tool#7", "ann", "right", maintainer=False, at=NOW)
    assert not store.sightings()[0].confirmed
    store.record_verdict("acme/tool#7", "Jo", "right", maintainer=True, at=NOW)
    assert store.sightings()[0].confirmed
    store.record_verdict("acme/tool#7", "jo", "wrong", maintainer=True, at=NOW)
    assert (store.sightings()[0].confirmed, store.sightings()[0].refused) == (False, True)
    store.record_issue(ISSUE, [SIGHTING], NOW)  # reading it again forgets nobody's word
    assert store.sightings()[0].refused


@pytest.fixture
def filled(store: Store) -> Store:
    store.rebuild(load_knowledge(check=False)[0], load_catalogue(check=False)[0].signatures)
    evidence = "[E:onnxruntime:, sequential_executor.cc:572] failing node pad_CUDAExecutionProvider 0xC0000005 Memcpy"
    store.record_issue(
        ISSUE, [SIGHTING._replace(evidence=evidence)], NOW, unexplained=["flux capacitor refused to charge"]
    )
    return store


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("pad_CUDAExecutionProvider", "sighting"),
        ("0xC0000005", "sighting"),
        ("Memcpy", "sighting"),
        ("the capacitor", "unexplained"),
        ("recurrent state shares one buffer between past and present", "problem"),
    ],
)
def test_what_is_similar_is_found_by_its_words(filled: Store, words: str, kind: str) -> None:
    assert kind in [s.kind for s in filled.similar(words)]


@pytest.mark.parametrize(
    "words",
    [
        '"',
        "'; DROP TABLE problem; --",
        "* OR NEAR(",
        "title:capacitor AND -charge",
        "((((",
        "a\0b capac\0itor",
        "\N{ZERO WIDTH SPACE}",
        "%s :query {x}",
        '"capacitor" OR "',
        "! & | <-> :*",
        "x" * 300_000,
    ],
)
def test_no_text_is_read_as_a_query(filled: Store, words: str) -> None:
    filled.similar(words)
    assert filled.similar(f"capacitor {words}")[0].ref == "acme/tool#7"
    assert filled.authored().problems


def test_a_text_with_nothing_in_common_has_nothing_similar(filled: Store) -> None:
    assert filled.similar("zyzzyva quokka") == ()
    assert filled.similar("") == ()


def test_a_rebuild_keeps_what_was_seen_and_finds_each_problem_once(filled: Store) -> None:
    knowledge = load_knowledge(check=False)[0]
    for _ in range(2):
        filled.rebuild(knowledge, load_catalogue(check=False)[0].signatures)
    found = filled.similar("recurrent state shares one buffer between past and present", 50)
    assert len({(s.kind, s.ref) for s in found}) == len(found)
    assert len(filled.sightings()) == 1
    assert filled.check() == ()
