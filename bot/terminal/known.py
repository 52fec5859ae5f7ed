"""Signatures, problems and products for a person at a terminal: `triage show`."""

from __future__ import annotations

from bot.knowledge import Known
from bot.reach import Reach, reach_of
from bot.refs import address
from bot.terminal import BOLD, DIM, RED, YELLOW, Paper
from bot.wording import STATUS, Names
from kb.model import PUBLIC, Distinct, Fix, Knowledge, Problem, Product
from kb.statements import statements
from signatures.model import Signature, Stage, When


def write_problem(page: Paper, problem: Problem, knowledge: Knowledge) -> None:
    names = Names(knowledge.products)
    page.text(problem.title, BOLD)
    page.text(f"problem {problem.id}", DIM)
    if problem.withdrawn:
        page.field("Withdrawn", problem.withdrawn, codes=(RED,))
    hidden = "" if problem.status in PUBLIC else "; never shown in a comment"
    page.field("Status", f"{problem.status.value} ({STATUS[problem.status]}){hidden}")
    page.field("Cause", _linked(problem.cause, problem.refs[:1]))
    _several(page, "Shown by", [_symptom(s.signature, s.when, s.capture) for s in problem.symptoms])
    told = {(a.component, a.introduced, a.versions): a.ref for a in problem.affected}
    reached = reach_of(problem, knowledge)
    ranges = [(_affected(r, names), told.get((r.component, r.introduced, r.versions)) or r.source) for r in reached]
    _several(page, "Affected", [_linked(words, (ref,)) for words, ref in ranges])
    _several(page, "Fix", [_linked(_fix(f, names), (f.ref,) if f.ref else f.all) for f in problem.fixes])
    for reach in reached:
        _reach(page, reach, names)
    for d in knowledge.observed.disputes:
        if d.problem == problem.id:
            page.field("Disputed", f"{names[d.product]} {d.version}: {d.why}", codes=(YELLOW,))
    claims = statements(problem)
    _several(page, "Workaround", [_linked(c.text, c.refs) for c in claims if c.key.startswith("workaround")])
    _several(page, "Not the same", [_other(d, knowledge) for d in problem.distinct_from])
    _several(page, "Ruled out", [_linked(r.claim, (r.ref,)) for r in problem.ruled_out])
    _several(page, "See", [address(r) or r for r in problem.refs])


def write_signature(page: Paper, signature: Signature, known: Known) -> None:
    page.text(signature.title, BOLD)
    page.text(f"signature {signature.id}", DIM)
    if signature.stage is Stage.SHADOW:
        page.field("Stage", "shadow: counted, never an answer", codes=(YELLOW,))
    for name in ("all", "any", "none", "regex"):
        for i, text in enumerate(getattr(signature, name)):
            page.verbatim("" if i else _CLAUSE[name], text)
    _several(page, "Needs", [when_words(w) for w in signature.when])
    problems = [p for p in known.knowledge.problems if any(s.signature == signature.id for s in p.symptoms)]
    _several(page, "Shows", [f"{p.id} ({p.status.value}): {p.title}" for p in problems] or ["cause not known"])


_CLAUSE = {"all": "All of", "any": "One of", "none": "None of", "regex": "Matches"}


def write_product(page: Paper, product: Product, knowledge: Knowledge) -> None:
    page.text(product.title, BOLD)
    page.text(f"product {product.id}; versions compare as {product.scheme.value}", DIM)
    if product.aliases or product.labels:
        page.field("Called", ", ".join(dict.fromkeys((*product.aliases, *product.labels))))
    if product.repo:
        page.field("Source", f"https://github.com/{product.repo}")
    for layout in product.layouts:
        since = f" from {layout.start}" if layout.start else ""
        page.field("Tags", f"{layout.tag}{since}{f' before {layout.end}' if layout.end else ''}")
        for b in layout.bundles:
            page.field("", f"{b.component}: {b.manifest} {b.pointer}")
    rows = [r for r in knowledge.observed.releases if r.product == product.id]
    if not rows:
        page.field("Releases", "none observed; a version of it is unknown")
        return
    page.blank()
    page.text(f"{len(rows)} observed release{'' if len(rows) == 1 else 's'}", BOLD)
    page.table(
        [
            (
                r.version,
                r.date or (f"by {r.by}" if r.by else "date unknown"),
                ", ".join(f"{c} {v}" for c, v in r.bundles) or r.source,
            )
            for r in rows
        ]
    )


def _linked(words: str, refs: tuple[str, ...]) -> str:
    return " ".join((words, *(address(ref) or ref for ref in refs)))


def _other(distinct: Distinct, knowledge: Knowledge) -> str:
    """What tells another problem from this one, with where the other one is told."""
    other = next((p for p in knowledge.problems if p.id == distinct.problem), None)
    return _linked(f"{distinct.problem}: {distinct.why}", other.refs[:1] if other is not None else ())


def when_words(when: When) -> str:
    wanted = " or ".join(when.any)
    barred = " or ".join(when.none)
    return f"{when.key} is {wanted}" if wanted else f"{when.key} is not {barred}"


def _several(page: Paper, label: str, texts: list[str]) -> None:
    for i, text in enumerate(texts):
        page.field("" if i else label, text)


def _symptom(signature: str, when: tuple[When, ...], capture: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    conditions = [when_words(w) for w in when] + [f"{name} is {' or '.join(values)}" for name, values in capture]
    return f"{signature}{' when ' + ' and '.join(conditions) if conditions else ''}"


def _affected(reach: Reach, names: Names) -> str:
    if reach.versions:
        return f"{names[reach.component]}: {', '.join(reach.versions)}"
    since = f"since {reach.introduced}" if reach.introduced else "" if reach.fixed else "no version is known without it"
    until = f"before {reach.fixed}" if reach.fixed else ""
    return f"{names[reach.component]}: {', '.join(filter(None, (since, until)))}"


def _fix(fix: Fix, names: Names) -> str:
    parts = [fix.state.value if fix.all or not fix.note else "", " and ".join(fix.all)]
    head = " ".join(p for p in parts if p)
    if fix.component:
        head += f" for {names[fix.component]}"
    if fix.merged:
        head += f", merged {fix.merged}"
    return f"{fix.kind.value}: {head.strip()}{'. ' if head and fix.note else ''}{fix.note or ''}"


def _reach(page: Paper, reach: Reach, names: Names) -> None:
    if reach.disputed:
        page.field("Disputed", f"{names[reach.component]}: {reach.disputed}", codes=(YELLOW,))
    if not reach.fixed:
        return
    words = f"{_dated(names[reach.component], reach.fixed, reach.date)} is the first release with the fix"
    how = f": {reach.how}." if reach.how else ""
    page.field("Delivered", _linked(words + how, (reach.source,)))
    for p in reach.products:
        if p.version and p.source:
            words = f"{_dated(names[p.product], p.version, p.date)} is the first that carries it"
            page.field("", _linked(words, (p.source,)))
        else:
            page.field("", f"{names[p.product]}: no observed release carries it")


def _dated(name: str, version: str, date: str | None) -> str:
    return f"{name} {version}{f' ({date})' if date else ''}"
