"""How a signature has done, by what reports showed and maintainers said: fit to leave shadow, or stale.

Nothing is edited: who takes a signature out of shadow is a person, at once or by taking a proposal.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from kb.model import Knowledge
from kb.proposals import AuthoredFile, file_proposal
from kb.records import ANSWER, Judged, ProposalRecord, RuleSeen
from kb.toml_edit import NotEdited, replace_key
from signatures.loader import SignatureFile
from signatures.model import Stage
from signatures.upkeep import Upkeep, review_due
from signatures.values import NamedTuple

_NAMED = 5  # issues that a reason lists


class Tally(NamedTuple):
    """`right` and `wrong`: issues in which a maintainer called what the signature shows so. `judged`: when the last of
    them was written."""

    issues: int = 0
    last: datetime | None = None
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    judged: datetime | None = None


def tallies(knowledge: Knowledge, seen: Iterable[RuleSeen], judged: Iterable[Judged]) -> dict[str, Tally]:
    """By signature; one that no report showed is left out."""
    shows: dict[str, set[str]] = {}
    for problem in knowledge.problems:
        for symptom in problem.symptoms:
            shows.setdefault(symptom.signature, set()).add(problem.id)
    found = {s.signature: Tally(s.issues, s.last) for s in seen}
    said: dict[tuple[str, str], list[bool]] = {}
    for j in judged:
        word = _word(j, shows.get(j.signature, set()))
        if word is not None:
            latest = found.get(j.signature, Tally())
            judged_at = j.written if latest.judged is None else max(latest.judged, j.written)
            found[j.signature] = latest._replace(judged=judged_at)
            said.setdefault((j.signature, j.issue), []).append(word)
    for (signature, issue), words in said.items():
        tally = found.get(signature, Tally())
        # of the causes that one signature shows in an issue, one being right makes the signature right there
        if any(words):
            found[signature] = tally._replace(right=(*tally.right, issue))
        else:
            found[signature] = tally._replace(wrong=(*tally.wrong, issue))
    return found


def _word(j: Judged, shows: set[str]) -> bool | None:
    """Whether a sighting was called right or wrong; None where nothing was said of it. A word about its cause beats one
    about all that the issue shows."""
    names = {j.signature, *([j.problem] if j.problem is not None else shows)}
    of_it: dict[str, bool] = {}
    for w in j.words:
        if w.about in names:  # of two people who differ about one cause, the cautious one counts
            of_it[w.about] = of_it.get(w.about, True) and w.is_right
    # what is in shadow was no part of an answer
    of_all = [w.is_right for w in j.words if w.about == "" or (w.about == ANSWER and j.problem is not None)]
    if of_it:
        return any(of_it.values())
    return all(of_all) if of_all else None


class Stale(NamedTuple):
    """A rule that somebody should look at. `why`: one sentence each."""

    id: str
    kind: str  # signature or problem
    why: tuple[str, ...]
    owners: tuple[str, ...]
    review_by: str | None
    last_seen: datetime | None


def stale_signature(
    file: SignatureFile,
    owners: tuple[str, ...],
    upkeep: Upkeep,
    tally: Tally | None,
    now: datetime,
    since: datetime | None,
) -> Stale | None:
    """`since`: when the store began to see reports, None without a store: what it cannot know makes nothing stale."""
    due = review_due(file, upkeep)
    why = [f"was to be looked at by {due}"] if due is not None and due < now.date().isoformat() else []
    horizon = now - timedelta(days=upkeep.unseen_days)
    last = tally.last if tally is not None else None
    if last is not None and last < horizon:
        why.append(f"not seen for {(now - last).days} days")
    elif last is None and since is not None and since < horizon:
        why.append(f"never seen in the {(now - since).days} days that reports are kept")
    return Stale(file.signature.id, "signature", tuple(why), owners, due, last) if why else None


def stale_problems(knowledge: Knowledge, today: str) -> Iterator[Stale]:
    """Problems whose own day of review has passed; one that states none is never due."""
    for p in knowledge.problems:
        if p.withdrawn is None and p.review_by is not None and p.review_by < today:
            why = (f"was to be looked at by {p.review_by}",)
            yield Stale(p.id, "problem", why, (p.owner,) if p.owner else (), p.review_by, None)


def promotion_proposals(
    files: Iterable[tuple[SignatureFile, AuthoredFile]], tallied: dict[str, Tally], enough: int
) -> tuple[ProposalRecord, ...]:
    """Signatures in shadow that maintainers called right in `enough` issues and wrong in none. The day that goes into
    the file is that of the last report, so that a proposal which was refused stays the same until there is another."""
    found: list[ProposalRecord | None] = []
    for file, authored in files:
        id_ = file.signature.id
        tally = tallied.get(id_, Tally())
        if file.signature.stage is not Stage.SHADOW or tally.judged is None or not is_ready(tally, enough):
            continue
        title = f"{id_}: out of shadow, right in {len(tally.right)} reviewed reports and wrong in none"
        why = f"maintainers called it right in {named(tally.right)}"
        day = tally.judged.date().isoformat()
        found.append(_promotion(f"promote {id_}", authored, title, day, "reviewed sightings", why))
    return tuple(p for p in found if p is not None)


def is_ready(tally: Tally, enough: int) -> bool:
    """Whether reviewed sightings are enough to take a signature out of shadow."""
    return len(tally.right) >= enough and not tally.wrong


def asked_promotion(id_: str, file: AuthoredFile, day: str, by: str, why: str | None) -> ProposalRecord | None:
    """What `triage promote` writes, as a proposal: `by` stands up for the signature at once."""
    return _promotion(asked(id_), file, f"{id_}: out of shadow, {by} stands up for it", day, by, why)


def asked(id_: str) -> str:
    """The key of a promotion that a person asked for."""
    return f"asked {id_}"


def _promotion(key: str, file: AuthoredFile, title: str, day: str, by: str, why: str | None) -> ProposalRecord | None:
    try:
        made = promote(file.text, day, by, why)
    except NotEdited as e:
        return ProposalRecord(key, file.path, title, f"{f'{why}; ' if why else ''}edit it by hand: {e}", "")
    return file_proposal(key, file, made, title, why or "")


def promote(text: str, day: str, by: str, why: str | None) -> str:
    """A signature's file without its stage of shadow, and with who stood up for it. Raises NotEdited."""
    said = {"by": by} | ({"why": why} if why else {})
    # JSON's texts are TOML's: https://toml.io/en/v1.0.0#string
    rest = ", ".join(f"{key} = {json.dumps(words, ensure_ascii=False)}" for key, words in said.items())
    old = "stage" if "stage" in tomllib.loads(text) else "reviewed"
    return replace_key(text, old, "reviewed", f"{{ on = {day}, {rest} }}")


def named(issues: tuple[str, ...]) -> str:
    """Some issues by name, and how many more there are."""
    rest = len(issues) - _NAMED
    return f"{', '.join(issues[:_NAMED])}{f' and {rest} more' if rest > 0 else ''}"
