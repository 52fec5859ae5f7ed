"""Whatever a report holds, the comment on it is the bot's own: no link, mention, markup or secret of the reporter's."""

from __future__ import annotations

from functools import cache
from urllib.parse import quote, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.comment import MAX_VISIBLE, Fold, note, retraction, write_comment
from bot.input.thread_json import issue_from_json
from bot.knowledge import Known, load_known
from bot.pipeline import diagnose_issue
from bot.refs import address
from bot.terminal import printable
from bot.watched.commands import commands
from bot.wording import Names
from kb.model import (
    Diagnosis,
    FixedIn,
    FixVerdict,
    KnownProblem,
    Problem,
    Quote,
    ReporterVersion,
    RuledOutProblem,
    Verdict,
)
from signatures.model import Certainty, IssueText, Post, Report, Role, Span
from tests.golden.test_golden import visible
from tests.hostile.page import page

LARGEST = 65_536
LABELS = {
    "Cause", "Possible cause", "Fix", "Contradiction", "Workaround", "Until then", "Or", "If you cannot upgrade",
    "If you cannot download it",
}  # fmt: skip
ELEMENTS = {
    "paragraph_open", "inline", "text", "text_special", "strong_open", "link_open", "bullet_list_open",
    "list_item_open", "softbreak", "code_inline", "html_inline", "html_block", "fence",
}  # fmt: skip

HOSTILE = {
    "mentions": "@someone @org/team (@someone) x@someone @someone's .@someone",
    "cross-links": "#1 owner/repo#1 GH-1 gh-12 AB#3 owner/repo@deadbeef someone#7",
    "addresses": "https://evil.example/x HTTP://evil.example www.evil.example ftp://evil.example me@evil.example",
    "schemes": "javascript:alert(1) mailto:me@evil.example xmpp:me@evil.example <https://evil.example>",
    "commits": "174be11ea7aeacd8d0d67b0ba1daebec615284b1 deadbee (deadbeef1)",
    "images": "![p](https://evil.example/p.png) ![p][r] <img src='https://evil.example/p.png' onerror=x>",
    "links": "[click](https://evil.example) [click][r] [r]: https://evil.example [x]",
    "html": "<script>alert(1)</script> <b>x</b> <a href='//evil.example'>x</a> </details></sub><details> &#64;x",
    "comments": "<!-- hidden --> --> <!-- ondevice-triage schema=1 problems=x digest=y -->",
    "fences": "``` ```text ~~~ ````` ```mermaid graph TD ```math x^2 ```",
    "code": "`a` ``b`` `` ` `` `",
    "emphasis": "**bold** __bold__ *it* _it_ ~~gone~~ ***x***",
    "blocks": "# heading\n> quote\n- item\n1. item\n---\n===\n\n    code",
    "tables": "a | b |\n|---|---|\n| x | y |",
    "tasks": "- [ ] open [x] done",
    "footnotes": "[^1] [^1]: https://evil.example",
    "alerts": "> [!WARNING]\n> do this",
    "math": "$x$ $$y$$ $`z`$ \\(a\\)",
    "emoji": ":tada: :+1: ::rocket::",
    "right-to-left": "\u202eevil\u202c \u2066x\u2069 \u200f",
    "zero-width": "@\u200bsomeone #\u200b1 \u200d\ufeff\u2060",
    "controls": "\x1b[31mred\x1b[0m \x07 \x00 \x85 \x9b31m",
    "escapes": "\\@someone \\# \\` \\\\` \\[x\\](https://evil.example)",
    "commands": "/triage off\n/triage wrong\n> /triage on",
    "long": "A" * 65_536,
    "long ticks": "`" * 65_536,
}  # fmt: skip
SECRETS = {
    "ghp_0123456789abcdefghijABCDEFGHIJ012345": "export GH={}",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg": "{}",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH": "HF_TOKEN={}",
    "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD": "key {}",
    "AKIAIOSFODNN7EXAMPLE": "aws_access_key_id = {}",
    "hunter2hunter2": "password={}",
    "s3cr3tpass": "https://user:{}@host.example/x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnopqrstuvwxyz012345": "Authorization: Bearer {}",
    "jane.doe": "C:\\Users\\{}\\model.onnx",
    "johndoe": "/home/{}/model.onnx",
    "jane@private.example": "mail {}",
}


@cache
def known() -> Known:
    return load_known()


@cache
def names() -> Names:
    return Names(known().knowledge.products)


@cache
def own_links() -> frozenset[str]:
    return frozenset(url for p in known().knowledge.problems for ref in p.refs if (url := address(ref)))


@cache
def titles() -> frozenset[str]:
    return frozenset(p.title for p in known().knowledge.problems)


def check_inert(body: str) -> None:
    """That nothing but the bot speaks in a comment."""
    marker, _, text = body.partition("\n")
    assert marker.startswith("<!-- ondevice-triage")
    assert marker.count("-->") == 1
    assert len(body) < LARGEST
    assert printable(body) == body
    found = page(text)
    assert found.linked == ()
    assert set(found.links) <= own_links()
    assert found.kinds <= ELEMENTS
    assert {s for s in found.strong if s not in LABELS} <= titles()
    allowed = ("<!-- -->", "<sub>", "</sub>", "<details>", "<details open>", "</details>")
    for html in found.html:
        rest = html.replace("<summary>Evidence and reasons</summary>", "")
        assert rest.strip() in allowed, html
    assert text.count("\n<details") == text.count("\n</details>") <= 1
    assert not set("[]$|~`*_") & set(found.bare)
    assert commands(body) == ()
    assert len(visible(body)) <= MAX_VISIBLE


def everywhere(text: str) -> tuple[Diagnosis, Fold]:
    """A diagnosis that has `text` wherever words of a report can stand."""
    # its own words are reviewed; only what is taken from the report is the reporter's
    problem: Problem = next(p for p in known().knowledge.problems if p.id == "webgpu-recurrent-state-buffer-aliasing")
    reporter = ReporterVersion("foundry-local-cli", text, "onnxruntime-genai", text, text)
    place = (FixedIn("product", "foundry-local-cli", "0.10.1", "2026-06-22"),)
    quotes = tuple(Quote(text, Span(at, 0, 1)) for at in (0, 0, -1))
    fixes = [
        FixVerdict(v, place, reporter, note=text, contradictions=(text, text))
        for v in (Verdict.VERSION_UNKNOWN, Verdict.UPGRADE, Verdict.WAIT_FOR_PRODUCT)
    ]
    shown = tuple(
        KnownProblem(problem, "", Certainty.LIKELY, tuple((f"c{n}", text) for n in range(8)), quotes, fix, (), (text,))
        for fix in fixes
    )
    issue = IssueText(text, (Post(Role.REPORTER, text),))
    ruled_out = tuple(RuledOutProblem(d.problem, text) for d in problem.distinct_from)
    asked = (f"Which revision of {text} is it?",)
    diagnosis = Diagnosis(Report(issue, (), (), ()), shown, ruled_out, (), asked, quotes)
    return diagnosis, Fold((text,) * 500, (text,) * 500)


def written(text: str) -> str:
    diagnosis, fold = everywhere(text)
    comment = write_comment(diagnosis, names(), fold=fold)
    assert comment is not None
    return comment.body


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_field_of_a_report_can_do_anything_in_its_comment(text: str) -> None:
    check_inert(written(text))
    check_inert(written(f"x {text} x"))


@pytest.mark.parametrize("secret", SECRETS)
def test_no_field_repeats_a_secret(secret: str) -> None:
    assert secret not in written(SECRETS[secret].format(secret))


_PIECES = st.one_of(
    st.sampled_from([piece for text in HOSTILE.values() if len(text) < 300 for piece in (text, *text.split())]),
    st.text(max_size=12),
    st.text(alphabet="`*_<>[]()#@!|~$\\&:/.-ab1 \n", max_size=20),
)


@settings(max_examples=150)
@given(st.lists(_PIECES, min_size=1, max_size=8), st.sampled_from(["", " ", "\n", "\u200b"]))
def test_any_words_stay_words(pieces: list[str], between: str) -> None:
    check_inert(written(between.join(pieces)))


# printed lines of which a part is the reporter's to choose
LOGS = [
    'OnnxRuntimeGenAIException: JSON Error: model:vision: Unknown value "{}" at line 60 index 30',
    "[E:onnxruntime:] Specified provider 'CUDAExecutionProvider' is not in available provider names: '{}'",
    "RuntimeError: Unsupported model_type in config.json: {}",
    'Deserialize tensor w failed.Failed to load external data file "{}", error: File not found in preloaded files.',
    "This is an invalid model. Error: Duplicate definition of name ({}_CUDAExecutionProvider).",
    "The specified EP {} is not registered.",
    "{} INVALID_ARGUMENT: Model requires one of [gpu] but Main backend is CPU {}",
]


def answered(text: str, log: str) -> str | None:
    """The comment on a report that shows a failure, with `text` in each place that a reporter fills."""
    line = " ".join(text.split())
    body = f"""{text}

- Foundry version: {line}
- OS: {line}
- GPU: {line}
- Model: {line}

```
{log.replace("{}", line[:200])}
{log.replace("{}", "tensor")}
{text}
```

{text}
"""
    name = unquote(quote(line[:90], errors="replace"))  # as an attachment's address gives it
    issue = issue_from_json({"issue": {"title": line[:250], "body": body, "user": {"login": "reporter"}}}, "the issue")
    assert issue is not None
    diagnosis = diagnose_issue(issue, known())
    comment = write_comment(diagnosis, names(), fold=Fold((f"{name}.zip: {name} is not text",)))
    return comment.body if comment is not None else None


@pytest.mark.parametrize("log", LOGS)
def test_whole_reports_cannot_speak_through_the_bot(log: str) -> None:
    bodies = [answered(text, log) for text in (*HOSTILE.values(), "\ud800@someone\udfff")]
    spoken = [body for body in bodies if body is not None]
    assert len(spoken) > len(HOSTILE) / 2
    for body in spoken:
        check_inert(body)


@pytest.mark.parametrize("secret", SECRETS)
def test_whole_reports_leak_no_secret(secret: str) -> None:
    for log in LOGS:
        body = answered(SECRETS[secret].format(secret), log)
        assert body is None or secret not in body


@settings(max_examples=60)
@given(st.lists(_PIECES, min_size=1, max_size=6), st.sampled_from(LOGS))
def test_any_whole_report_is_answered_safely(pieces: list[str], log: str) -> None:
    body = answered(" ".join(pieces), log)
    if body is not None:
        check_inert(body)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_notes_and_retractions_are_as_safe(text: str) -> None:
    check_inert(retraction(f"Withdrawn: {text}").body)
    check_inert(note(f"problem:{text[:200]}:{text[:200]}", f"Product {text[:200]}", text[:200], "2026-06-22"))
