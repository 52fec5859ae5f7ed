"""A diagnosis for a person at a terminal: best problem first, and what was not understood last.

Quotes are redacted, and nothing of the report reaches the terminal unescaped (see terminal.Paper).
"""

from __future__ import annotations

from bot.refs import address
from bot.terminal import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Paper, one_line
from bot.wording import CERTAINTY, STATUS, Names, Plain, fix_words, has_cause, short_version
from bot.wording.reasons import reasons_words, ruled_out_words
from kb.model import Diagnosis, KnownProblem, LoneLine, Quote, RecognisedSignature, Verdict
from signatures.extract.redact import redact
from signatures.model import TITLE_POST, ArtifactRole, Certainty, Report

_VOICE = Plain()
_SHADE = {Certainty.CERTAIN: GREEN, Certainty.LIKELY: YELLOW, Certainty.POSSIBLE: CYAN}
_QUOTE = 300  # characters of one quotation
_MOST = 8  # rows of a list that could go on
_MOST_KEYS = 24
_MOST_COUNTED = 10_000  # values and models that are counted
_MOST_CONTRADICTIONS = 3


def write_diagnosis(paper: Paper, diagnosis: Diagnosis, names: Names, *, as_of: str | None = None) -> None:
    for problem in diagnosis.known:
        _problem(paper, problem, diagnosis.report, names, as_of)
        paper.blank()
    for signature in diagnosis.signatures:
        _signature(paper, signature, diagnosis.report)
        paper.blank()
    _environment(paper, diagnosis.report, names)
    for question in diagnosis.questions:
        paper.field("Question", question, codes=(BOLD,), indent=0)
    _ruled_out(paper, diagnosis, names)
    _unexplained(paper, diagnosis)
    _counted(paper, diagnosis)


def write_nothing(paper: Paper, diagnosis: Diagnosis, names: Names, *, source: str, known: tuple[int, int]) -> None:
    """What was looked at, where nothing known was found, and what to do next."""
    signatures, problems = known
    if diagnosis.lone is not None:
        _lone(paper, diagnosis.lone)
    else:
        paper.text("Nothing known was recognised.", BOLD)
        blocks = len(diagnosis.report.blocks)
        looked = f"Looked at {blocks} block{'' if blocks == 1 else 's'} of text in {source}"
        paper.text(f"{looked}, against {signatures} signatures and {problems} problems.")
    paper.blank()
    _environment(paper, diagnosis.report, names)
    _ruled_out(paper, diagnosis, names)
    for question in diagnosis.questions:
        paper.field("Question", question, codes=(BOLD,), indent=0)
    if diagnosis.lone is not None:
        return
    _unexplained(paper, diagnosis)
    _counted(paper, diagnosis)
    paper.blank()
    if diagnosis.shadow:
        paper.text("A signature in shadow is no answer until somebody stands up for it:")
        paper.text(f"triage promote {diagnosis.shadow[0].signature} --by NAME", CYAN, indent=2)
        return
    paper.text("If this is a failure of its own, a signature of your own recognises it from now on:")
    paper.text("triage new my-failure --from FILE --catalogue my-triage", CYAN, indent=2)


def _lone(paper: Paper, lone: LoneLine) -> None:
    """What a line is that names no failure by itself."""
    paper.text("This line alone names no failure.", BOLD)
    paper.field("Evidence", f'"{one_line(redact(lone.quote.text), _QUOTE)}"')
    paper.field("What it is", lone.why)
    if lone.problems:
        paper.field("Printed by", f"{', '.join(lone.problems)}, and others")


def _ruled_out(paper: Paper, diagnosis: Diagnosis, names: Names) -> None:
    for i, ruled_out in enumerate(diagnosis.ruled_out[:_MOST]):
        why = ruled_out_words(ruled_out.why, names)
        paper.field("" if i else "Ruled out", f"{ruled_out.problem}: {why}", indent=0)


def _problem(paper: Paper, known: KnownProblem, report: Report, names: Names, as_of: str | None) -> None:
    if known.fix.excludes:
        _excluded(paper, known, report, names)
        return
    paper.text(known.problem.title, BOLD)
    paper.text(known.problem.id, DIM)
    paper.field("Certainty", _certainty(known, names), codes=(_SHADE[known.certainty],))
    if has_cause(known):
        paper.field("Cause", f"{STATUS[known.problem.status]}: {known.problem.cause}")
    else:
        paper.field("Cause", "not known yet")
    _evidence(paper, known.evidence, report)
    shade = (GREEN,) if known.fix.verdict is Verdict.UPGRADE else ()
    paper.field("Fix", fix_words(known, names, _VOICE, as_of), codes=shade)
    _versions(paper, known)
    for i, workaround in enumerate(known.problem.workarounds):
        paper.field("" if i else "Workaround", workaround)
    _rest(paper, known)


def _excluded(paper: Paper, known: KnownProblem, report: Report, names: Names) -> None:
    """A problem of the same words that the reporter's versions exclude: that first, and nothing to act on."""
    paper.text(f"Not the cause here: {known.problem.title}", BOLD)
    paper.text(known.problem.id, DIM)
    paper.field("Ruled out", fix_words(known, names, _VOICE), codes=(YELLOW,))
    _versions(paper, known)
    paper.field("Same words", "the text shows the words of this problem, so another cause has to print them too")
    _evidence(paper, known.evidence, report)
    _rest(paper, known)


def _versions(paper: Paper, known: KnownProblem) -> None:
    if known.fix.reporter.how:
        paper.field("Your version", one_line(redact(known.fix.reporter.how), _QUOTE))
    for contradiction in known.fix.contradictions[:_MOST_CONTRADICTIONS]:
        paper.field("Contradiction", one_line(redact(contradiction), _QUOTE), codes=(RED,))


def _rest(paper: Paper, known: KnownProblem) -> None:
    for finding in known.findings[:_MOST]:
        said = f"{finding.check} on {finding.artifact}: {finding.outcome.value}. {finding.detail}"
        paper.field("Model check", one_line(redact(said), _QUOTE))
    for i, ref in enumerate(known.problem.refs):
        paper.field("" if i else "See", address(ref) or ref)


def _certainty(known: KnownProblem, names: Names) -> str:
    reasons = "; ".join(reasons_words(known.why, names, known.captures))
    return f"{CERTAINTY[known.certainty]}{': ' + reasons if reasons else ''}"


def _signature(paper: Paper, signature: RecognisedSignature, report: Report) -> None:
    paper.text(signature.title, BOLD)
    paper.text(signature.signature, DIM)
    paper.field("Certainty", f"{CERTAINTY[signature.certainty]}; recognised, but its cause is not known")
    _evidence(paper, signature.evidence, report)


def _evidence(paper: Paper, evidence: tuple[Quote, ...], report: Report) -> None:
    for quote in evidence:
        paper.field(place(quote.span.post, report).capitalize(), f'"{one_line(redact(quote.text), _QUOTE)}"')


def place(post: int, report: Report) -> str:
    """Where a quotation stands, in words."""
    if post == TITLE_POST:
        return "title"
    posts = report.issue.posts
    if len(posts) == 1 and report.issue.ref is None:
        return "evidence"
    if post and not posts[post].markdown:
        return "attached log"
    return f"comment {sum(p.markdown for p in posts[1 : post + 1])}" if post else "issue"


def _environment(paper: Paper, report: Report, names: Names) -> None:
    """The facts that were read, since a wrong one explains a wrong answer."""
    seen: dict[str, dict[str, None]] = {}
    for fact in report.facts:
        values = seen.setdefault(fact.key, {})
        if len(values) < _MOST_COUNTED:
            values[fact.value] = None
    if seen:
        said = ", ".join(f"{names[key]} {_values(values)}" for key, values in list(seen.items())[:_MOST_KEYS])
        rest = len(seen) - _MOST_KEYS
        paper.field("Read as facts", f"{said}, and {rest} more" if rest > 0 else said, indent=0)
    models = dict.fromkeys(
        f"{a.name}{':' + a.revision if a.revision else ''}{_role(a.role)}" for a in report.artifacts[:_MOST_COUNTED]
    )
    if models:
        said = ", ".join(one_line(redact(m), 90) for m in list(models)[:_MOST])
        paper.field("Models named", said + _more(len(models)), indent=0)


def _values(values: dict[str, None]) -> str:
    shown = (one_line(redact(short_version(value)), 60) for value in list(values)[:_MOST])
    return " / ".join(dict.fromkeys(shown)) + _more(len(values))


def _more(count: int) -> str:
    """What is said of a list's rest."""
    least = "at least " if count >= _MOST_COUNTED else ""
    return f" and {least}{count - _MOST} more" if count > _MOST else ""


def _role(role: ArtifactRole) -> str:
    return "" if role is ArtifactRole.MENTIONED else f" ({role.value})"


def _counted(paper: Paper, diagnosis: Diagnosis) -> None:
    for i, signature in enumerate(diagnosis.shadow[:_MOST]):
        shows = f", would show {' and '.join(signature.problems)}" if signature.problems else ""
        said = f"{signature.signature}: {signature.certainty.value}{shows}; in shadow, so it is no answer"
        paper.field("" if i else "Counted only", said, indent=0)


def _unexplained(paper: Paper, diagnosis: Diagnosis) -> None:
    shown = diagnosis.unexplained[:_MOST]
    for i, quote in enumerate(shown):
        paper.field("" if i else "Not explained", f'"{one_line(redact(quote.text), _QUOTE)}"', indent=0)
    rest = len(diagnosis.unexplained) - len(shown)
    if rest > 0:
        paper.field("", f"and {rest} more lines that read like errors", indent=0)
