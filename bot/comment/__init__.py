"""A diagnosis as the one comment the bot would post, or as silence.

It says only what helps, at LIKELY or better, with public causes, in at most MAX_VISIBLE lines; the rest is folded.
Everything passes through markdown.py. Whether an issue may be commented on at all (answered, closed, opted out) is
not decided here.
"""

from __future__ import annotations

from hashlib import sha256

from markupsafe import Markup

from bot.comment import markdown
from bot.refs import address
from bot.rendering import templates
from bot.terminal.report import place
from bot.wording import CERTAINTY, Names, fix_words, has_cause, heading_words, workaround_label
from bot.wording.lifecycle import next_step
from bot.wording.reasons import reasons_words, ruled_out_words
from kb.model import PUBLIC, Diagnosis, KnownProblem, Status, Verdict
from signatures.extract.redact import redact
from signatures.model import Certainty
from signatures.values import NamedTuple

SCHEMA = 1
MARKER = "<!-- ondevice-triage "  # first characters of every comment
NOTE = "<!-- ondevice-triage-note key="  # and of every note
LARGEST = 60_000  # characters; GitHub takes 65,536
MAX_HISTORY = 10
MAX_REMARKS = 5
MAX_VISIBLE = 12
MAX_EVIDENCE = 5
MAX_SECTIONS = 3  # a report of more failures than these needs a person
_SAYS_A_FIX = (Verdict.UPGRADE, Verdict.WAIT_FOR_PRODUCT, Verdict.MERGED, Verdict.CANDIDATE, Verdict.CONFIGURE)
_CAUSE = {
    Status.CONFIRMED: Markup("**Cause** (confirmed): "),
    Status.REPRODUCED: Markup("**Cause** (reproduced, not settled): "),
    Status.REPORTED: Markup("**Possible cause** (one report suggests): "),
}


class Section(NamedTuple):
    """One problem's visible part."""

    heading: str
    title: Markup
    link: Markup | None
    lines: tuple[Markup, ...]


class Comment(NamedTuple):
    """`body` begins with the hidden `marker`; an equal digest means an equal comment. Without problems it says that an
    earlier answer is withdrawn."""

    body: str
    problems: tuple[str, ...]
    digest: str


class _Markdown:
    """The comment's voice: every word passes through markdown.py."""

    def ours(self, text: str, /) -> str:
        return markdown.authored(text)

    def composed(self, text: str, /) -> str:
        return markdown.plain(redact(text))

    def version(self, text: str, /) -> str:
        return markdown.version(redact(text))


class Fold(NamedTuple):
    """What else stands in the folded part. `remarks`: what could not be read. `history`: how the answer has changed.
    `is_open`: somebody asked why. `named`: problems of which a maintainer said that it is them."""

    remarks: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    is_open: bool = False
    named: tuple[str, ...] = ()


PLAIN = Fold()


def write_comment(
    diagnosis: Diagnosis, names: Names, *, as_of: str | None = None, fold: Fold = PLAIN
) -> Comment | None:
    """The comment on a report, or None where the bot stays silent."""
    question = diagnosis.questions[0] if diagnosis.questions else None
    public = [k for k in diagnosis.known if _sayable(k)]
    told = [k for k in public if _helps(k) or k.problem.id in fold.named]
    # a question helps alone only where the verdict of a problem worth telling hangs on it
    asked = question if any(k.fix.verdict is Verdict.VERSION_UNKNOWN for k in public) else None
    if not told and asked:
        told = [k for k in public if k.fix.verdict is Verdict.VERSION_UNKNOWN]
    if not told:
        return None
    told, more = told[:MAX_SECTIONS], told[MAX_SECTIONS:]
    sections, left_out = _sections(told, names, as_of, room=MAX_VISIBLE - (2 if asked else 1))
    problems = tuple(k.problem.id for k in told)
    context: dict[str, object] = {
        "sections": sections,
        "question": markdown.authored(redact(asked)) if asked else None,
        "evidence": _evidence(told, diagnosis),
        "reasons": _reasons(told, left_out, diagnosis, names) + [_also(k) for k in more],
        "remarks": _remarks(fold.remarks),
        "history": [markdown.plain(redact(h), 200) for h in fold.history[-MAX_HISTORY:]],
        "is_open": fold.is_open,
        "source": _source(told, fold),
    }
    text = _render({**context, "marker": ""})
    for part in ("history", "remarks", "reasons"):
        if len(text) > LARGEST:  # every character of it had to be defused
            context[part] = []
            text = _render({**context, "marker": ""})
    return _marked(text.lstrip("\n"), problems)


def retraction(why: str) -> Comment:
    """What stands in place of an answer that does not hold: one line."""
    return _marked(f"{markdown.plain(why)}\n\n<sub>Automated. {next_step(why)}</sub>", ())


def note(key: str, product: str, version: str, date: str | None) -> str:
    """The one short comment that a fix has reached what the reporter runs. `key` tells it from other notes and is
    made of ids and versions."""
    day = f", released on {date}," if date else ""
    safe = "".join(c for c in key if c.isalnum() or c in ":._+-")
    words = f"{markdown.plain(product)} {markdown.version(version)}{day} has the fix that is described above."
    return _note(safe, f"{words}\n\n<sub>Automated. There is one such note for each fix.</sub>")


def withdrawn_note(key: str) -> str:
    """What stands in place of a note whose answer, or whose release, does not hold."""
    words = "This note spoke of an answer that no longer holds, so it is withdrawn."
    return _note(key, f"{words}\n\n<sub>Automated.</sub>")


def note_key(body: str) -> str | None:
    """Which note a comment is, None for one that is none."""
    return body.removeprefix(NOTE).partition(" ")[0] if body.startswith(NOTE) else None


def _note(key: str, text: str) -> str:
    return f"{NOTE}{key} digest={_digest(text)} -->\n{text}"


def read_comment(body: str) -> Comment:
    """A comment of ours from its text, by its marker. Raises ValueError for a text without one."""
    head = body[len(MARKER) : body.find(" -->")].split() if body.startswith(MARKER) else []
    parts = dict(word.partition("=")[::2] for word in head)
    if parts.get("schema") != str(SCHEMA):
        raise ValueError("no marker of this schema")
    return Comment(body, tuple(p for p in parts.get("problems", "").split(",") if p), parts.get("digest", ""))


def is_untouched(body: str) -> bool:
    """Whether the text behind a marker is still the one that the marker was made for."""
    marker, _, text = body.replace("\r\n", "\n").partition("\n")
    return _digest(text) in marker


def _digest(text: str) -> str:
    return sha256(text.rstrip().encode()).hexdigest()[:16]


def _marked(text: str, problems: tuple[str, ...]) -> Comment:
    """The text behind its hidden marker."""
    digest = _digest(text)
    # ids are kebab-case and the digest hexadecimal, so that nothing can close the HTML comment
    marker = f"{MARKER}schema={SCHEMA} problems={','.join(problems)} digest={digest} -->"
    return Comment(f"{marker}\n{text}", problems, digest)


def _sayable(known: KnownProblem) -> bool:
    return (
        known.certainty in (Certainty.CERTAIN, Certainty.LIKELY)
        and known.problem.status in PUBLIC
        and known.fix.verdict is not Verdict.NOT_EXPLAINED
    )


def _helps(known: KnownProblem) -> bool:
    return known.fix.verdict in _SAYS_A_FIX or bool(known.problem.workarounds)


def _sections(
    told: list[KnownProblem], names: Names, as_of: str | None, *, room: int
) -> tuple[list[Section], list[tuple[KnownProblem, Markup]]]:
    """The visible sections, and the lines that found no room among them.

    The fix of every problem comes before the workaround of any, and those before causes.
    """
    candidates = [_lines(k, names, as_of) for k in told]
    room -= len(told)
    kept: list[set[int]] = [set() for _ in told]
    for rank in range(max((priority for lines in candidates for priority, _ in lines), default=0) + 1):
        for i, lines in enumerate(candidates):
            for at, (priority, _) in enumerate(lines):
                if priority == rank and room > 0:
                    kept[i].add(at)
                    room -= 1
    sections: list[Section] = []
    left_out: list[tuple[KnownProblem, Markup]] = []
    for i, (known, lines, keep) in enumerate(zip(told, candidates, kept, strict=True)):
        title = markdown.authored(known.problem.title)
        shown = tuple(line for at, (_, line) in enumerate(lines) if at in keep)
        sections.append(Section(heading_words(known, first=i == 0), title, _details(known), shown))
        left_out += [(known, line) for at, (_, line) in enumerate(lines) if at not in keep]
    return sections, left_out


def _lines(known: KnownProblem, names: Names, as_of: str | None) -> list[tuple[int, Markup]]:
    """Each line with its priority, 0 first, in reading order."""
    voice = _Markdown()
    problem = known.problem
    fix = fix_words(known, names, voice, as_of)
    lines = [(2, _CAUSE[problem.status] + markdown.authored(problem.cause))] if has_cause(known) else []
    if known.fix.verdict is not Verdict.NONE:
        lines.append((0, Markup("**Fix**: ") + markdown.safe(fix)))
    if known.fix.verdict is Verdict.VERSION_UNKNOWN:
        lines += [(0, Markup("**Contradiction**: ") + _contradiction(c)) for c in known.fix.contradictions[:1]]
    label = Markup(f"**{workaround_label(known)}**: ")  # noqa: S704 - one of our own three labels
    ways = [way for way in map(markdown.authored, problem.workarounds) if way not in fix]
    for i, way in enumerate(ways):
        lines.append((1 if i == 0 else 3 + i, label + way))
        label = Markup("**Or**: ")
    return lines


def _contradiction(text: str) -> Markup:
    return markdown.plain(redact(text), 240)


def _details(known: KnownProblem) -> Markup | None:
    urls = [url for ref in known.problem.refs if (url := address(ref))]
    return markdown.link("details", urls[0]) if urls else None


def _source(told: list[KnownProblem], fold: Fold) -> Markup:
    """What an answer rests on."""
    if not any(known.problem.id in fold.named for known in told):
        return Markup("the text of this issue")
    shown = any(known.evidence for known in told)
    word = Markup("a maintainer's word")
    return Markup("the text of this issue and ") + word if shown else word


def _evidence(told: list[KnownProblem], diagnosis: Diagnosis) -> Markup | None:
    quotes: dict[str, None] = {}
    for known in told:
        for quote in known.evidence:
            quotes[f"{place(quote.span.post, diagnosis.report)}: {redact(quote.text)}"] = None
    return markdown.fence(list(quotes)[:MAX_EVIDENCE]) if quotes else None


def _reasons(
    told: list[KnownProblem], left_out: list[tuple[KnownProblem, Markup]], diagnosis: Diagnosis, names: Names
) -> list[Markup]:
    lines: list[Markup] = []
    for known in told:
        why = "; ".join(reasons_words(known.why, names, known.captures))
        sure = CERTAINTY[known.certainty] + (f", because {why}" if why else "")
        lines.append(markdown.code(known.problem.id) + markdown.plain(f": {sure}"))
        if known.captures:
            shown = [markdown.plain(k) + " = " + markdown.code(redact(v)) for k, v in known.captures[:6]]
            lines.append(Markup("names in the error: ") + Markup(", ").join(shown))
        if known.fix.reporter.how:
            lines.append(markdown.plain(f"versions: {redact(known.fix.reporter.how)}"))
        lines += [Markup("contradiction: ") + _contradiction(c) for c in known.fix.contradictions[:3]]
    lines += [markdown.code(known.problem.id) + ": " + line for known, line in left_out]
    # only what could be taken for one of them; the command line tells the rest
    near = {d.problem for known in told for d in known.problem.distinct_from}
    ruled_out = [r for r in diagnosis.ruled_out if r.problem in near]
    lines += [
        Markup("ruled out, ") + markdown.code(r.problem) + markdown.plain(f": {ruled_out_words(r.why, names)}")
        for r in ruled_out[:5]
    ]
    return lines


def _remarks(remarks: tuple[str, ...]) -> list[Markup]:
    shown = [markdown.plain(redact(remark), 200) for remark in remarks[:MAX_REMARKS]]
    return shown + ([Markup(f"{len(remarks) - MAX_REMARKS} more")] if len(remarks) > MAX_REMARKS else [])  # noqa: S704


def _also(known: KnownProblem) -> Markup:
    return Markup("also recognised, ") + markdown.code(known.problem.id) + ": " + markdown.authored(known.problem.title)


def _render(context: dict[str, object]) -> str:
    environment = templates()
    text = environment.get_template("comment.md.j2").render(context)
    lines = [line.rstrip() for line in text.split("\n")]
    tidy = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return "\n".join(tidy).strip("\n")
