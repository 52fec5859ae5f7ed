"""Why a signature does or does not fire: each clause on the block that comes closest, and the nearest line."""

from __future__ import annotations

from signatures.extract.redact import redacted_part
from signatures.index import View, literal, signature_anchors
from signatures.matcher import Clause, judge, match_block, nearness, try_text, try_wrapped
from signatures.model import Reason, Report, Role, Signature
from signatures.values import NamedTuple
from signatures.whose import Named, named_by

_WRAPPED = 4  # lines that one sentence may be wrapped over


class Explanation(NamedTuple):
    matches: bool
    reasons: tuple[Reason, ...]  # of the block that comes closest
    nearest: str | None  # the line most like what the signature requires, on one line and redacted
    dismissed: bool  # the words stand in a passage that the writer rules out


def explain(report: Report, signature: Signature) -> Explanation:
    """Every clause of a signature on the reporter's block that fulfils most of them."""
    best: Explanation | None = None
    place = "", 0, 0
    for index, block in enumerate(report.blocks):
        if block.role is not Role.REPORTER:
            continue
        view = View(block)
        clauses = try_text(signature, view)
        shown = next(iter(match_block(signature, view, report, index)), None)
        matches = shown is not None
        if matches:
            clauses = try_wrapped(clauses, view, report)
        reasons = [_reason(c) for c in clauses] + [judge(w, report, index) for w in signature.when]
        near = None if shown is None else named_by(report, index, shown.evidence)
        reasons += _whose(signature, report, near, printed=all(c.held for c in clauses))
        dismissed = bool(block.dismissed) and not matches and _held(signature, View(block._replace(dismissed=())))
        start, end = _nearest(view.raw, signature)
        candidate = Explanation(matches, tuple(reasons), _folded(view.raw[start:end]) or None, dismissed)
        if best is None or _closeness(candidate, signature) > _closeness(best, signature):
            best, place = candidate, (view.raw, start, end)
    if best is None:
        return Explanation(False, (), None, False)
    return best._replace(nearest=_folded(redacted_part(*place)) or None)


def _nearest(raw: str, signature: Signature) -> tuple[int, int]:
    """Where the line stands that shares most words with what the signature requires, with its neighbours where a
    console wrapped the sentence; an empty place where none shares two."""
    wanted = _words(" ".join((*signature.all, *signature_anchors(signature))))
    lines = raw.splitlines(keepends=True)
    found = [wanted & _words(line) for line in lines]
    best, shared = range(0), 1
    for at in range(len(lines)):
        for end in range(at + 1, min(at + 1 + _WRAPPED, len(lines) + 1)):
            if not found[at] or not found[end - 1]:
                continue
            count = len(set[str]().union(*found[at:end]))
            if count > shared:
                best, shared = range(at, end), count
    start = sum(map(len, lines[: best.start]))
    return start, start + sum(len(lines[i]) for i in best)


def _folded(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def _whose(signature: Signature, report: Report, near: Named | None, *, printed: bool) -> list[Reason]:
    """What becomes of words that other programs print too. `near`: where a match's report names a runtime."""
    if signature.shared is None or not printed:
        return []
    if report.named:
        less = [] if near is None else list(nearness(near, signature.shared))
        return less or [Reason("shared", True, "the report names a runtime")]
    if near is not None:
        return [Reason("shared", None, f"the report says nothing else: {signature.shared}")]
    return [Reason("shared", False, f"the report names no runtime: {signature.shared}")]


def _reason(clause: Clause) -> Reason:
    if clause.held:
        return Reason(clause.name, True, clause.wanted)
    if clause.name.startswith("none"):
        return Reason(clause.name, False, f"{clause.wanted!r} is present and must not be")
    return Reason(clause.name, False, f"{clause.wanted!r} is not in this text")


def _held(signature: Signature, view: View) -> bool:
    return all(c.held for c in try_text(signature, view))


def _closeness(explanation: Explanation, signature: Signature) -> tuple[bool, bool, int, int]:
    line = _words(explanation.nearest or "")
    wanted = _words(" ".join((*signature.all, *signature_anchors(signature))))
    held = sum(r.held is True for r in explanation.reasons if not r.clause.startswith("none"))
    return explanation.matches, explanation.dismissed, held, len(line & wanted)


def _words(text: str) -> set[str]:
    return {w.strip("()[]{}'\".,:;") for w in literal(text).split()} - {""}
