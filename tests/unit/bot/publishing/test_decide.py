"""One issue, one comment: what is written, and every reason why nothing is."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.comment import MARKER, Comment, read_comment, retraction
from bot.publishing.decide import (
    Bounds,
    Memory,
    OwnComment,
    Spent,
    Standing,
    Step,
    Thread,
    circumstances,
    decide,
    fingerprint,
    words_digest,
)
from bot.watched.policy import Budget, Mode, Policy
from bot.wording.lifecycle import NO_LONGER, OTHER_VERSION

OPEN = Thread(open=True, labels=frozenset(), pull_request=False, answered=False)
LOUD = Policy(mode=Mode.COMMENT)


def body(text: str) -> str:
    """A comment as it is written, with the digest of its text."""
    return f"{MARKER}schema=1 problems=some-problem digest={sha256(text.encode()).hexdigest()[:16]} -->\n{text}"


BODY = body("A known problem.")
WANTED = Comment(BODY, ("some-problem",), "0" * 16)
OURS = OwnComment(5, BODY)
STANDS = Memory(Standing.STANDS, 5, fingerprint(BODY))


def changed(text: str = "Another answer.") -> Comment:
    return WANTED._replace(body=body(text))


def test_a_first_answer_is_posted() -> None:
    assert decide(WANTED, OPEN, Memory(), Bounds(LOUD)).step is Step.POST


def test_the_same_answer_again_writes_nothing() -> None:
    stored_by_github = OURS._replace(body=BODY.replace("\n", "\r\n"))
    for ours in (OURS, stored_by_github):
        assert decide(WANTED, OPEN._replace(ours=(ours,)), STANDS, Bounds(LOUD)).step is Step.KEEP


def test_a_changed_answer_edits_the_comment_that_is_there() -> None:
    decision = decide(changed(), OPEN._replace(ours=(OURS,)), STANDS, Bounds(LOUD))
    assert (decision.step, decision.comment) == (Step.EDIT, 5)


def test_an_answer_that_no_longer_holds_is_taken_back() -> None:
    withdrawn = retraction("It does not apply.")
    assert decide(withdrawn, OPEN._replace(ours=(OURS,)), STANDS, Bounds(LOUD)).step is Step.RETRACT
    there = STANDS._replace(written=fingerprint(withdrawn.body))
    thread = OPEN._replace(ours=(OURS._replace(body=withdrawn.body),))
    assert decide(withdrawn, thread, there, Bounds(LOUD)).step is Step.KEEP
    assert decide(WANTED, thread, there, Bounds(LOUD)).step is Step.EDIT
    assert decide(withdrawn, OPEN, Memory(), Bounds(LOUD)).step is Step.SILENT


def test_two_writers_that_raced_agree_on_the_oldest() -> None:
    thread = OPEN._replace(ours=(OURS, OwnComment(9, BODY), OwnComment(11, BODY)))
    decision = decide(WANTED, thread, Memory(), Bounds(LOUD))
    assert (decision.step, decision.comment, decision.duplicates) == (Step.KEEP, 5, (9, 11))


def test_the_oldest_is_the_one_also_where_a_later_one_is_remembered() -> None:
    edited = OwnComment(11, BODY + "\nEdited by hand.")
    thread = OPEN._replace(ours=(OURS, OwnComment(9, BODY), edited))
    decision = decide(WANTED, thread, STANDS._replace(comment=9), Bounds(LOUD))
    assert (decision.step, decision.comment, decision.duplicates) == (Step.KEEP, 5, (9,))


def test_one_that_is_younger_than_a_deleted_one_is_not_taken_for_it() -> None:
    decision = decide(WANTED, OPEN._replace(ours=(OwnComment(9, BODY),)), STANDS, Bounds(LOUD))
    assert (decision.step, decision.standing, decision.duplicates) == (Step.SILENT, Standing.DELETED, (9,))


def test_what_decides_beside_the_words_is_told_apart() -> None:
    thread, memory, bounds = OPEN._replace(ours=(OURS,)), STANDS, Bounds(LOUD)
    said = {
        circumstances(t, m, b)
        for t, m, b in (
            (thread, memory, bounds),
            (thread._replace(open=False), memory, bounds),
            (thread._replace(labels=frozenset({"no-triage"})), memory, bounds),
            (thread._replace(answered=True), memory, bounds),
            (thread._replace(ours=()), memory, bounds),
            (thread._replace(ours=(OURS._replace(body="edited"),)), memory, bounds),
            (thread, memory._replace(standing=Standing.DELETED), bounds),
            (thread, memory._replace(approved=True), bounds),
            (thread, memory, bounds._replace(backfill=True)),
            (thread, memory, bounds._replace(policy=Policy())),
        )
    }
    assert len(said) == 10
    # what does not decide is no reason to decide again
    assert circumstances(thread._replace(labels=frozenset({"bug"})), memory, bounds) in said
    assert circumstances(thread, memory, bounds._replace(spent=Spent(1, 2, 3), braked="paused")) in said


@pytest.mark.parametrize(
    ("thread", "memory", "policy", "why"),
    [
        (OPEN, Memory(), Policy(mode=Mode.OFF), "policy says off"),
        (OPEN, Memory(), Policy(), "shadow"),
        (OPEN, Memory(off=True), LOUD, "opted this issue out"),
        (OPEN._replace(labels=frozenset({"no-triage"})), Memory(), LOUD, "opted this issue out"),
        (OPEN._replace(open=False), Memory(), LOUD, "closed"),
        (OPEN._replace(answered=True), Memory(), LOUD, "answered already"),
        (OPEN._replace(pull_request=True), Memory(), LOUD, "pull request"),
        (OPEN, STANDS, LOUD, "was deleted"),
        (OPEN, Memory(Standing.RETRACTED), LOUD, "was retracted"),
        (OPEN, Memory(Standing.DELETED, approved=True), LOUD, "was deleted"),
    ],
)
def test_reasons_for_silence(thread: Thread, memory: Memory, policy: Policy, why: str) -> None:
    decision = decide(WANTED, thread, memory, Bounds(policy))
    assert decision.step is Step.SILENT
    assert why in decision.why


def test_nothing_to_say_is_said_with_silence() -> None:
    assert decide(None, OPEN, Memory(), Bounds(LOUD)).step is Step.SILENT


def test_old_issues_are_left_alone_unless_a_maintainer_asks() -> None:
    assert decide(WANTED, OPEN, Memory(), Bounds(LOUD, backfill=True)).step is Step.SILENT
    closed = OPEN._replace(open=False, answered=True)
    assert decide(WANTED, closed, Memory(approved=True), Bounds(LOUD, backfill=True)).step is Step.POST


def test_a_suggestion_waits_for_a_maintainer() -> None:
    polite = Policy(mode=Mode.SUGGEST)
    assert decide(WANTED, OPEN, Memory(), Bounds(polite)).step is Step.SUGGEST
    yes = Memory(approved=True, yes=words_digest(BODY))
    assert decide(WANTED, OPEN, yes, Bounds(polite)).step is Step.POST
    assert decide(changed(), OPEN, yes, Bounds(polite)).step is Step.SUGGEST
    # what changes in one that stands waits as well, unless it shows nothing that was not there
    thread, approved = OPEN._replace(ours=(OURS,)), STANDS._replace(approved=True, yes=words_digest(BODY))
    unfolded = changed("A known problem.\n\n<details open><summary>Evidence</summary>\n\nwords\n\n</details>")
    for mode, step in ((Mode.SUGGEST, Step.SUGGEST), (Mode.SHADOW, Step.KEEP)):
        bounds = Bounds(Policy(mode=mode))
        assert decide(changed(), thread, approved, bounds).step is step
        assert decide(unfolded, thread, approved, bounds).step is Step.EDIT
        assert decide(unfolded, thread, STANDS, bounds).step is Step.KEEP
        said = approved._replace(yes=words_digest(changed().body))
        assert decide(changed(), thread, said, bounds).step is Step.EDIT


FIX, CAUSE = (
    "This matches a known problem: **It stops**.\n- **Fix**: 0.10.1 has it.",
    "- **Cause** (confirmed): a buffer",
)
TWO = f"{FIX}\n{CAUSE}\n\nIt also matches a known problem: **It is slow**.\n- **Workaround**: wait"


def claimed(text: str, *says: str) -> Comment:
    """A comment with what it claims, an entry for each problem."""
    marker, problems = body(text), tuple(entry.partition("|")[0] for entry in says)
    listed = marker.replace("problems=some-problem ", f"problems={','.join(problems)} says={','.join(says)} ", 1)
    return Comment(listed, problems, "0" * 16)


UPGRADE = "p|certain|upgrade|app@0.10.1;lib@0.14.1"
SLOW = "q|certain|none|"
BOTH = claimed(TWO, UPGRADE, SLOW)


@pytest.mark.parametrize(
    "bounds",
    [
        Bounds(Policy(mode=Mode.SUGGEST)),
        Bounds(Policy(mode=Mode.SHADOW)),
        Bounds(LOUD, braked="three answers were wrong today"),
        Bounds(LOUD, Spent(edits=10)),
    ],
    ids=["suggest", "shadow", "brake", "budget"],
)
@pytest.mark.parametrize(
    ("stands", "wanted", "step"),
    [
        (BOTH, retraction(NO_LONGER), Step.RETRACT),
        (BOTH, claimed(f"{FIX}\n{CAUSE}", UPGRADE), Step.EDIT),
        (BOTH, claimed("This matches a known problem: **It is slow**.\n- **Workaround**: wait", SLOW), Step.EDIT),
        (BOTH, claimed("This looks like a known problem: **It is slow**.", "q|likely|none|"), Step.EDIT),
        (BOTH, claimed(f"{FIX}\n- **Workaround**: another", UPGRADE), Step.RETRACT),
        (BOTH, claimed(TWO.replace("0.10.1", "0.10.2"), "p|certain|upgrade|app@0.10.2;lib@0.14.1", SLOW), Step.RETRACT),
        (BOTH, claimed(f"{TWO}\nAnd yours?", "p|certain|version-unknown|app@0.10.1;lib@0.14.1", SLOW), Step.RETRACT),
        (BOTH, claimed(TWO, "p|certain|wait-for-product|lib@0.14.1", SLOW), Step.EDIT),
        # more is known, and nothing of what stands is wrong
        (BOTH, claimed(f"{TWO}\n- **Or**: stop", UPGRADE, SLOW), None),
        (claimed(FIX, "p|likely|none|"), claimed(TWO, UPGRADE, SLOW), None),
        (claimed("No fix", "p|certain|wait-for-product|lib@0.14.1"), claimed(FIX, UPGRADE), None),
        (claimed("It looks", "p|likely|version-unknown|app@0.10.1;other@2"), claimed(FIX, UPGRADE), None),
        (retraction(NO_LONGER), claimed(FIX, UPGRADE), None),
        (retraction(NO_LONGER), retraction(OTHER_VERSION), None),
    ],
)
def test_what_does_not_hold_waits_for_nobody_and_what_is_claimed_beside_it_does(
    bounds: Bounds, stands: Comment, wanted: Comment, step: Step | None
) -> None:
    memory = Memory(Standing.STANDS, 5, fingerprint(stands.body))
    decision = decide(wanted, OPEN._replace(ours=(OwnComment(5, stands.body),)), memory, bounds)
    assert decision.only_back is (step is not None)
    if step is not None:
        assert (decision.step, decision.comment) == (step, 5)
    else:
        assert decision.step in (Step.KEEP, Step.SUGGEST, Step.WAIT)


def test_what_a_person_edited_is_theirs_from_then_on() -> None:
    thread = OPEN._replace(ours=(OURS._replace(body=BODY + "\nEdited by hand."),))
    decision = decide(changed(), thread, STANDS, Bounds(LOUD))
    assert (decision.step, decision.standing) == (Step.KEEP, Standing.TAKEN)
    # also where the store has forgotten what was written: the marker tells
    assert decide(changed(), thread, Memory(), Bounds(LOUD)).standing is Standing.TAKEN
    # also where the person has put it back since
    taken = STANDS._replace(standing=Standing.TAKEN)
    assert decide(changed(), OPEN._replace(ours=(OURS,)), taken, Bounds(LOUD)).step is Step.KEEP


@pytest.mark.parametrize("spent", [Spent(hour=20), Spent(day=100)])
def test_a_spent_budget_waits(spent: Spent) -> None:
    assert decide(WANTED, OPEN, Memory(), Bounds(LOUD, spent)).step is Step.WAIT


def test_an_edit_has_a_budget_of_its_own() -> None:
    thread = OPEN._replace(ours=(OURS,))
    assert decide(changed(), thread, STANDS, Bounds(LOUD, Spent(hour=99, day=999))).step is Step.EDIT
    assert decide(changed(), thread, STANDS, Bounds(LOUD, Spent(edits=10))).step is Step.WAIT
    withdrawn = retraction("It does not apply.")
    assert decide(withdrawn, thread, STANDS, Bounds(LOUD, Spent(edits=10))).step is Step.RETRACT
    strict = Policy(mode=Mode.COMMENT, budget=Budget(edits_per_issue_and_day=0))
    assert decide(changed(), thread, STANDS, Bounds(strict)).step is Step.WAIT


def test_who_edits_a_thousand_times_causes_no_more_edits_than_the_budget_and_the_end_is_no_answer() -> None:
    wanted = (changed(), retraction(OTHER_VERSION), retraction(NO_LONGER), retraction(OTHER_VERSION), WANTED)
    ours, spent = OURS, 0
    for n in range(1000):
        memory = Memory(Standing.STANDS, 5, fingerprint(ours.body))
        asked = wanted[n % len(wanted)]
        decision = decide(asked, OPEN._replace(ours=(ours,)), memory, Bounds(LOUD, Spent(edits=spent)))
        if decision.step in (Step.EDIT, Step.RETRACT):
            ours, spent = OwnComment(5, asked.body), spent + 1
    assert spent <= 11
    assert not read_comment(ours.body).problems


def test_the_brake_stops_every_write() -> None:
    for thread, memory in ((OPEN, Memory()), (OPEN._replace(ours=(OURS,)), STANDS)):
        decision = decide(changed(), thread, memory, Bounds(LOUD, braked="three answers were wrong today"))
        assert (decision.step, decision.why) == (Step.WAIT, "three answers were wrong today")


_threads = st.builds(
    Thread,
    open=st.booleans(),
    labels=st.sampled_from([frozenset(), frozenset({"no-triage"}), frozenset({"bug"})]),
    pull_request=st.booleans(),
    answered=st.booleans(),
    ours=st.lists(st.sampled_from([OURS, OwnComment(9, BODY), OwnComment(7, "edited")]), unique=True).map(
        lambda found: tuple(sorted(found))
    ),
)
_memories = st.builds(
    Memory,
    standing=st.sampled_from(Standing),
    comment=st.sampled_from([None, 5, 9, 1]),
    written=st.sampled_from(["", fingerprint(BODY)]),
    off=st.booleans(),
    approved=st.booleans(),
)


@given(
    st.sampled_from([None, WANTED, changed(), retraction("It does not apply.")]),
    _threads,
    _memories,
    st.sampled_from(Mode),
    st.booleans(),
)
def test_whatever_happens_there_is_never_a_second_comment(
    wanted: Comment | None, thread: Thread, memory: Memory, mode: Mode, backfill: bool
) -> None:
    decision = decide(wanted, thread, memory, Bounds(Policy(mode=mode), backfill=backfill))

    if decision.step is Step.POST:
        assert not thread.ours
        assert memory.comment is None
        assert memory.standing not in (Standing.DELETED, Standing.RETRACTED)
        assert mode is not Mode.OFF
        assert mode is Mode.COMMENT or memory.approved
    if decision.step in (Step.EDIT, Step.RETRACT):
        assert decision.comment in {c.id for c in thread.ours}
    assert decision.comment not in decision.duplicates
