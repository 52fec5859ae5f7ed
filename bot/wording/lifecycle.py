"""What is said when an answer changes: lines of its change log, and what takes the place of a wrong one."""

from __future__ import annotations

from kb.model import Verdict

WRONG = "A maintainer marked the answer that stood here as wrong, so it is withdrawn."
OTHER_VERSION = (
    "The known problem does not explain this failure with the version that is stated now, so the answer that stood "
    "here is withdrawn."
)
NO_LONGER = "With what this issue says now, the answer that stood here does not apply, so it is withdrawn."
NOT_IT = (
    "A maintainer said that this failure is not the known problem that it looks like, so the answer that stood here "
    "is withdrawn."
)
OUTDATED = "What was said here no longer holds, so it is withdrawn."
WITHDRAWALS = (WRONG, OTHER_VERSION, NO_LONGER, NOT_IT, OUTDATED)
_AGAIN = "A maintainer can reply `/triage rerun` to have it looked at again."
_NEXT = {
    NOT_IT: "A maintainer can reply `/triage known` with the id of the problem to take that back.",
    OUTDATED: "A maintainer can reply `/triage post` to have what is known by now posted.",
}
# what changes an answer beside what an issue says
IT_IS = "a maintainer said that it is this one"
IT_IS_NOT = "a maintainer said that it is not this one"
ANOTHER = "a maintainer said that it is another one"
_STATES = {
    Verdict.UPGRADE: "a release has the fix",
    Verdict.WAIT_FOR_PRODUCT: "fixed in a component, in no release of the product",
    Verdict.MERGED: "a fix is merged, not released",
    Verdict.CANDIDATE: "a candidate for a fix exists",
    Verdict.CONFIGURE: "can be settled on the reporter's side",
    Verdict.NONE: "no fix is known",
    Verdict.NOT_EXPLAINED: "does not explain the stated version",
    Verdict.VERSION_UNKNOWN: "the version is not known",
}


def next_step(why: str) -> str:
    """What a maintainer can do about a withdrawal."""
    return _NEXT.get(why, _AGAIN)


def change_words(day: str, problem: str, now: str, before: str = "") -> str:
    """One line of a comment's change log. `now` and `before` are verdicts, or words for what is none."""
    states: dict[str, str] = {verdict.value: words for verdict, words in _STATES.items()}
    was = f" (before: {states.get(before, before)})" if before else ""
    return f"{day}, {problem}: {states.get(now, now)}{was}"
