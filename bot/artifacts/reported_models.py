"""The models that a report names, opened and checked with the versions that it states.

A reference that cannot be checked is kept with the reason. Words of a report never open a file on this computer; only
what the caller names does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.artifacts.checked import Checked, check
from bot.fetch import Fetcher, Opened
from bot.fetch.foundry import NotFetchable
from bot.fetch.guard import ForNow
from bot.fetch.references import BadReference
from bot.terminal.artifact_progress import Reading
from kb.model import Diagnosis, Knowledge
from signatures.artifact.genai import fold_provider
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.checks import runtime
from signatures.checks.model import Target
from signatures.model import TITLE_POST, TRUST, ArtifactRef, ArtifactRole, BlockKind, Finding, Outcome, Report

MOST = 5  # models of one report
_LOG = 1_000_000  # characters of log that checks compare with
_RUNTIMES = frozenset((*runtime.ONNXRUNTIME, *runtime.PLUGINS, *runtime.GENAI, *runtime.LITERT_LM))


class Looked(NamedTuple):
    """One model. `checked` is None where nothing could be said of it, and `why` tells what stood in the way.
    `failing`: whether the report says that it fails, or the caller gave it. `for_now`: what could not be read because
    the network or a server was in trouble, "" where nothing was."""

    ref: str
    checked: Checked | None
    why: str | None = None
    failing: bool = False
    for_now: str = ""


def check_reported(
    diagnosis: Diagnosis,
    knowledge: Knowledge,
    fetcher: Fetcher,
    models: Iterable[str] = (),
    *,
    named: bool = True,
    local: bool = True,
    reading: Reading | None = None,
) -> tuple[Looked, ...]:
    """`models` of the caller first, which may be on this computer unless `local` is false; then, where `named` says so,
    those that the report does not say to work, at most `MOST` of them. `reading` is kept up to date for whoever shows
    it."""
    report = diagnosis.report
    target = target_of(diagnosis)
    reading = reading or Reading("", 0)
    looked = [_look(fetcher, ref, target, reading, failing=True, local=local) for ref in models]
    mentioned = [a for a in report.artifacts if a.role is not ArtifactRole.WORKING] if named else []
    seen = {one.ref for one in looked}
    for artifact in mentioned:
        ref = reference(report, artifact)
        if ref in seen:
            continue
        seen.add(ref)
        failing = artifact.role is ArtifactRole.FAILING
        if artifact.kind == "file":
            # the report gives no place for it; the file that the caller named may well be this one
            if not any(one.ref.replace("\\", "/").endswith(artifact.name) for one in looked):
                looked.append(Looked(ref, None, "only its name is known; give the file with --model", failing))
        elif sum(one.checked is not None for one in looked) >= MOST:
            looked.append(Looked(ref, None, f"{MOST} models are checked at most", failing))
        else:
            about = _about(target, artifact, knowledge)
            looked.append(_look(fetcher, ref, about, reading, failing=failing, local=False))
    return tuple(looked)


def findings(looked: Iterable[Looked]) -> tuple[Finding, ...]:
    """As kb.diagnose takes them. That a check is clean says something about a model only that fails."""
    return tuple(
        finding
        for one in looked
        if one.checked is not None
        for result in one.checked.results
        for finding in result.findings(_shown(one.checked))
        if finding.outcome is Outcome.FOUND or (finding.outcome is Outcome.CLEAN and one.failing)
    )


def reference(report: Report, artifact: ArtifactRef) -> str:
    """How the fetcher is asked for a model of the report."""
    if artifact.kind == "huggingface":
        said = _said(report, artifact)
        if "://" in said:
            return said
        return f"hf:{artifact.name}{'@' + artifact.revision if artifact.revision else ''}"
    if artifact.kind == "foundry" and artifact.revision:
        return f"{artifact.name}:{artifact.revision}"
    return artifact.name


def target_of(diagnosis: Diagnosis) -> Target:
    """What the report says the model is to run on. What it states in several ways is unknown."""
    report = diagnosis.report
    stated = {key: _only(report, key) for key in dict.fromkeys(fact.key for fact in report.facts)}
    runtimes = {key: value for key, value in stated.items() if key in _RUNTIMES and value is not None}
    for problem in diagnosis.known:
        component, version = problem.fix.reporter.component, problem.fix.reporter.component_version
        # a version that follows from the product's, where the report does not state it
        if component in _RUNTIMES and component not in stated and version is not None:
            runtimes.setdefault(component, version)
    ep = stated.get("ep")
    if ep is not None and "onnxruntime" in runtimes:
        # the distribution made for a provider has the runtime's own version
        folded = fold_provider(ep)
        made = [name for name, provider in runtime.ONNXRUNTIME.items() if provider == folded]
        runtimes |= dict.fromkeys(made, runtimes["onnxruntime"])
    logs = [block.raw for block in report.blocks if block.kind in (BlockKind.FENCE, BlockKind.LOG)]
    return Target(tuple(runtimes.items()), ep, logs=("\n".join(logs)[:_LOG],) if logs else ())


def _only(report: Report, key: str) -> str | None:
    """The one value of the best source that states `key`."""
    facts = [fact for fact in report.facts if fact.key == key]
    best = max((TRUST[fact.source] for fact in facts), default=0)
    values = {fact.value.casefold() for fact in facts if TRUST[fact.source] == best}
    return values.pop() if len(values) == 1 else None


def _about(target: Target, artifact: ArtifactRef, knowledge: Knowledge) -> Target:
    sha256 = (artifact.sha256,) if artifact.sha256 is not None else ()
    if artifact.kind != "foundry":
        return target._replace(sha256=sha256)
    component = f"model:{artifact.name.casefold()}"
    fixed = [
        row.fixed
        for problem in knowledge.problems
        for row in problem.affected
        if row.component.casefold() == component and row.fixed is not None and row.fixed.isdecimal()
    ]
    newest = max(fixed, key=int, default=None)
    return target._replace(sha256=sha256, name=artifact.name, revision=artifact.revision, fixed_revision=newest)


def _look(fetcher: Fetcher, ref: str, target: Target, reading: Reading, *, failing: bool, local: bool) -> Looked:
    reading.begin(ref)
    try:
        opened = fetcher.open(ref, local=local, started=reading.started)
        checked = check(opened, target, progress=reading.check)
        return Looked(ref, checked, None, failing, opened.budget.trouble if opened.budget is not None else "")
    except NotFetchable as error:
        return _unseen(ref, target, str(error), failing)
    except BadReference as error:
        return Looked(ref, None, f"is no reference that can be opened: {error}", failing)
    except SourceError as error:
        return Looked(ref, None, str(error), failing, str(error) if isinstance(error, ForNow) else "")


def _unseen(ref: str, target: Target, why: str, failing: bool) -> Looked:
    """A catalogue model whose files are out of reach: its id and revision alone can still say something."""
    checked = check(Opened(Package(ref, (), complete=False), None, ""), target)
    found = tuple(result for result in checked.results if result.outcome is Outcome.FOUND)
    return Looked(ref, checked._replace(results=found) if found else None, why, failing)


def _said(report: Report, artifact: ArtifactRef) -> str:
    span = artifact.span
    text = report.issue.title if span.post == TITLE_POST else report.issue.posts[span.post].text
    return text[span.start : span.end].rstrip(".,;:")


def _shown(checked: Checked) -> str:
    return f"{checked.ref} at {checked.revision[:12]}" if checked.revision else checked.ref
