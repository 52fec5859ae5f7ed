"""Why a signature does or does not fire: each clause on the block that comes closest, and the nearest line."""

from __future__ import annotations

from signatures.index import View, literal, signature_anchors
from signatures.matcher import Clause, judge, match_block, try_text, try_wrapped
from signatures.model import Reason, Report, Role, Signature
from signatures.values import NamedTuple

_WRAPPED = 4  # lines that one sentence may be wrapped over


class Explanation(NamedTuple):
    matches: bool
    reasons: tuple[Reason, ...]  # of the block that comes closest
    nearest: str | None  # the folded line most like what the signature requires
    dismissed: bool  # the words stand in a passage that the writer rules out


def explain(report: Report, signature: Signature) -> Explanation:
    """Every clause of a signature on the reporter's block that fulfils most of them."""
    best: Explanation | None = None
    for index, block in enumerate(report.blocks):
        if block.role is not Role.REPORTER:
            continue
        view = View(block)
        clauses = try_text(signature, view)
        matches = any(True for _ in match_block(signature, view, report, index))
        if matches:
            clauses = try_wrapped(clauses, view, report)
        reasons = [_reason(c) for c in clauses] + [judge(w, report, index) for w in signature.when]
        reasons += _whose(signature, report, matches=matches, printed=all(c.held for c in clauses))
        dismissed = bool(block.dismissed) and not matches and _held(signature, View(block._replace(dismissed=())))
        line = nearest_line(view.raw, signature)
        candidate = Explanation(matches, tuple(reasons), line, dismissed)
        if best is None or _closeness(candidate, signature) > _closeness(best, signature):
            best = candidate
    return best or Explanation(False, (), None, False)


def nearest_line(raw: str, signature: Signature) -> str | None:
    """The folded line that shares most words with what the signature requires, with its neighbours where a console
    wrapped the sentence; None where none shares two."""
    wanted = _words(" ".join((*signature.all, *signature_anchors(signature))))
    lines = raw.splitlines()
    found = [wanted & _words(line) for line in lines]
    best, shared = range(0), 1
    for at in range(len(lines)):
        for end in range(at + 1, min(at + 1 + _WRAPPED, len(lines) + 1)):
            if not found[at] or not found[end - 1]:
                continue
            count = len(set[str]().union(*found[at:end]))
            if count > shared:
                best, shared = range(at, end), count
    return " ".join(" ".join(lines[i].replace("\x00", "").split()) for i in best) or None


def _whose(signature: Signature, report: Report, *, matches: bool, printed: bool) -> list[Reason]:
    """What becomes of words that other programs print too."""
    if signature.shared is None or not printed:
        return []
    if report.named:
        return [Reason("shared", True, "the report names a runtime")]
    if matches:
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
