"""What is said of a diagnosis, in one place: the sentences that the terminal and the comment share.

Sentences are built from two kinds of words: ours (reviewed files) and the report's. A Voice says how each kind is
written, so that the same sentence is safe on a terminal and in a comment. Nothing here decides what is true.
"""

from __future__ import annotations

from bot.terminal import one_line
from kb.affected import is_local
from kb.model import (
    Fix,
    FixedIn,
    FixState,
    FixVerdict,
    KnownProblem,
    Product,
    ReporterVersion,
    Status,
    Verdict,
)
from signatures.extract.redact import redact
from signatures.model import Certainty
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

STATUS = {
    Status.CONFIRMED: "known cause",
    Status.REPRODUCED: "reproduced, cause not settled",
    Status.REPORTED: "one report suggests",
    Status.INCONCLUSIVE: "inconclusive",
    Status.REFUTED: "refuted",
}
CERTAINTY = {
    Certainty.CERTAIN: "certain",
    Certainty.LIKELY: "likely",
    Certainty.POSSIBLE: "possible",
}
_MOST_NOTE = 400  # characters of a sentence that holds words of the report
UNKNOWN_CAUSE = "Not known yet."  # what a new problem says where its author gives no cause


class Voice(Protocol):
    """How words are written on one medium."""

    def ours(self, text: str, /) -> str: ...  # a reviewed sentence or name
    def composed(self, text: str, /) -> str: ...  # a sentence that may hold words of the report
    def version(self, text: str, /) -> str: ...  # a version as the report states it


class Plain:
    """The terminal's voice; what is printed is made safe as a whole."""

    def ours(self, text: str, /) -> str:
        return text

    def composed(self, text: str, /) -> str:
        return one_line(redact(text), _MOST_NOTE)

    version = composed


class Names:
    """What to call products, components and models in a sentence."""

    def __init__(self, products: tuple[Product, ...]) -> None:
        self._titles = {p.id: p.title for p in products}

    def __getitem__(self, id: str) -> str:  # noqa: A002 - the field's own word
        model = id.removeprefix("model:")
        return model if model != id else self._titles.get(id, id)


def fix_words(problem: KnownProblem, names: Names, voice: Voice, as_of: str | None = None) -> str:
    """What the fix is for this reporter: one to three sentences."""
    fix = problem.fix
    match fix.verdict:
        case Verdict.UPGRADE:
            return " ".join((_upgrade(fix, names, voice), *_released_notes(problem, voice)))
        case Verdict.WAIT_FOR_PRODUCT:
            return _wait(fix, names, voice, as_of)
        case Verdict.MERGED:
            return _merged(problem, voice, as_of)
        case Verdict.CANDIDATE:
            note = _noted(problem, voice) if _is_reviewed(problem) else ""
            return _sentence("A candidate fix exists; it is not verified", _changes(problem, voice), note)
        case Verdict.CONFIGURE:
            return _configure(problem, names, voice)
        case Verdict.NONE:
            return f"No fix is known: {voice.composed(fix.note)}." if fix.note else "No fix is known."
        case Verdict.NOT_EXPLAINED:
            if fix.disputed:
                return f"Open, since the fix is disputed: {voice.composed(fix.note)}."
            because = f": {voice.composed(fix.note)}" if fix.note else ""
            return f"The versions in this report rule this cause out{because}."
        case Verdict.VERSION_UNKNOWN:
            return _version_unknown(fix, names, voice)


def has_cause(problem: KnownProblem) -> bool:
    """Whether its file says a cause."""
    return problem.problem.cause.strip() not in ("", UNKNOWN_CAUSE)


def workaround_label(problem: KnownProblem) -> str:
    """What stands before the first workaround: whether it bridges the time to a fix, or stands in for one."""
    verdict = problem.fix.verdict
    if verdict is Verdict.UPGRADE:
        artifact = any(f.kind == "artifact" for f in problem.fix.fixed_in)
        return "If you cannot download it" if artifact else "If you cannot upgrade"
    return "Until then" if verdict in (Verdict.WAIT_FOR_PRODUCT, Verdict.MERGED, Verdict.CANDIDATE) else "Workaround"


def heading_words(problem: KnownProblem, *, first: bool = True) -> str:
    """How a comment opens for one problem, by what is sure about it; `first` of those it tells."""
    subject = "This" if first else "It also"
    if problem.problem.status is Status.REPORTED:
        return f"{subject} resembles a reported problem"
    if problem.certainty is Certainty.CERTAIN:
        return f"{subject} matches a known problem"
    return f"{subject} looks like a known problem"


def _upgrade(fix: FixVerdict, names: Names, voice: Voice) -> str:
    artifacts = [f for f in fix.fixed_in if f.kind == "artifact"]
    if artifacts:
        own = _artifact_revision(fix.reporter, voice)
        yours = f"; the report uses revision {own}" if own else ""
        return f"Download {_fixed(artifacts[0], names, voice)}{yours}."
    components = [f for f in fix.fixed_in if f.kind == "component"]
    products = [f for f in fix.fixed_in if f.kind == "product"]
    yours = _your(fix.reporter, names, voice)
    if products:
        said = [f"{_list([_fixed(f, names, voice) for f in components])}."] if components else []
        reach = f"{_fixed(products[0], names, voice)} is the first that has it."
        return " ".join([*said, f"{yours}; {reach}" if yours else reach])
    if not components:
        return _note(fix, voice, "A newer version has it.")
    said = [f"Upgrade to {_list([_fixed(f, names, voice) for f in components])}"]
    same = [f.id for f in components] == [fix.reporter.component]
    if same and not fix.reporter.product and fix.reporter.component_version:
        # its name was said just now
        return f"{said[0]}; you run {voice.version(short_version(fix.reporter.component_version))}."
    return f"{said[0]}. {yours}." if yours else f"{said[0]}."


def _wait(fix: FixVerdict, names: Names, voice: Voice, as_of: str | None) -> str:
    components = [f for f in fix.fixed_in if f.kind == "component"]
    elsewhere = [f for f in fix.fixed_in if f.kind == "product"]
    said = [f"{_list([_fixed(f, names, voice) for f in components])}."] if components else []
    yours = _your(fix.reporter, names, voice)
    product = voice.ours(names[fix.reporter.product]) if fix.reporter.product else "this product"
    until = f"by {as_of}" if as_of else "yet"
    carries = "carries the fix beyond doubt" if fix.disputed else "carries the fix"
    said.append(f"{yours + '; no' if yours else 'No'} release of {product} {carries} {until}.")
    if elsewhere:
        said.append(
            f"{_list([_fixed(f, names, voice) for f in elsewhere])} {'has' if len(elsewhere) == 1 else 'have'} it."
        )
    return " ".join(said)


def _merged(problem: KnownProblem, voice: Voice, as_of: str | None) -> str:
    fixes = _fixes(problem)
    dates = sorted({f.merged for f in fixes if f.merged})
    when = f" on {dates[-1]}" if dates else ""
    until = f"by {as_of}" if as_of else "yet"
    notes = " ".join(voice.ours(f.note) for f in fixes if f.note)
    return _sentence(f"Merged{when}, in no release {until}", _changes(problem, voice), notes)


def _configure(problem: KnownProblem, names: Names, voice: Voice) -> str:
    fix = problem.fix
    note = _noted(problem, voice) or "It is settled on this computer; see the workarounds."
    if note.startswith("Fixed in "):  # it stands behind "Fix:"
        note = f"In {note.removeprefix('Fixed in ')}"
    if not fix.fixed_in:
        return note
    return f"{note} Included from {_list([_fixed(f, names, voice) for f in fix.fixed_in])} on."


def _version_unknown(fix: FixVerdict, names: Names, voice: Voice) -> str:
    """Where it is fixed, whoever asks; never what to do, since the reporter's version may have it already."""
    own = [f for f in fix.fixed_in if f.kind != "product"]
    products = [f for f in fix.fixed_in if f.kind == "product"]
    said: list[str] = []
    if own:
        first = f"In {_list([_fixed(f, names, voice) for f in own])}"
        carried = f", first carried by {_list([_fixed(f, names, voice) for f in products])}" if products else ""
        said.append(f"{first}{carried}.")
    because = f": {voice.composed(fix.note)}" if fix.note else ""
    said.append(f"Whether {'this report has that' if own else 'a fix reaches this report'} is not known{because}.")
    return " ".join(said)


def _noted(problem: KnownProblem, voice: Voice) -> str:
    """The verdict's note: a reviewed sentence of the problem's own file, or one that names the report's versions."""
    note = problem.fix.note
    return (voice.ours(note) if _is_reviewed(problem) else voice.composed(note)) if note else ""


def _is_reviewed(problem: KnownProblem) -> bool:
    return any(problem.fix.note == f.note for f in problem.problem.fixes)


def _sentence(head: str, changes: str, note: str) -> str:
    body = f"{head}: {changes}." if changes else f"{head}."
    return f"{body} {note}" if note else body


def _changes(problem: KnownProblem, voice: Voice) -> str:
    """The changes that are needed together; alternatives after "or"."""
    return " or ".join(_list([voice.ours(c) for c in f.all]) for f in _fixes(problem) if f.all)


def _released_notes(problem: KnownProblem, voice: Voice) -> list[str]:
    """What else is to be known of a release that has the fix."""
    return [voice.ours(f.note) for f in _fixes(problem) if f.note and f.state is FixState.RELEASED and not is_local(f)]


def _fixes(problem: KnownProblem) -> list[Fix]:
    """Those that the verdict is about: of the component that the reporter runs, where that is known."""
    candidate = problem.fix.verdict is Verdict.CANDIDATE
    fixes = [f for f in problem.problem.fixes if (f.state is FixState.CANDIDATE) is candidate]
    return [f for f in fixes if f.component in (None, problem.fix.reporter.component)] or fixes


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _note(fix: FixVerdict, voice: Voice, otherwise: str) -> str:
    return voice.composed(fix.note) if fix.note else otherwise


def _fixed(fixed: FixedIn, names: Names, voice: Voice) -> str:
    if fixed.kind == "artifact":
        return f"revision {voice.ours(fixed.version)} of {voice.ours(names[fixed.id])}{_on(fixed)}"
    return f"{voice.ours(names[fixed.id])} {voice.ours(fixed.version)}{_on(fixed)}"


def _on(fixed: FixedIn) -> str:
    return f" ({fixed.date})" if fixed.date else ""


def _your(reporter: ReporterVersion, names: Names, voice: Voice) -> str:
    own = _own(reporter, names, voice)
    if own and reporter.component_version and reporter.component != reporter.product:
        return f"Your {own} carries {voice.version(short_version(reporter.component_version))}"
    if own:
        return f"You run {own}"
    carried = _carried(reporter, names, voice)
    return f"You run {carried}" if carried else ""


def _own(reporter: ReporterVersion, names: Names, voice: Voice) -> str:
    if not reporter.product or not reporter.product_version:
        return ""
    return f"{voice.ours(names[reporter.product])} {voice.version(short_version(reporter.product_version))}"


def _carried(reporter: ReporterVersion, names: Names, voice: Voice) -> str:
    if not reporter.component or not reporter.component_version or reporter.component == reporter.product:
        return ""
    return f"{voice.ours(names[reporter.component])} {voice.version(short_version(reporter.component_version))}"


def _artifact_revision(reporter: ReporterVersion, voice: Voice) -> str:
    revision = reporter.component_version or reporter.product_version
    return voice.version(revision) if revision else ""


def short_version(version: str) -> str:
    """A version without the commit that a build appended: 0.10.0+174be11ea7... is 0.10.0."""
    bare, plus, build = version.partition("+")
    return bare if plus and len(build) >= 7 and bare else version


def _list(items: list[str]) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
