"""What a report only tells of, denies or hides is no failure of its writer; what it complains of is one."""

from __future__ import annotations

import pytest

from signatures.extract import read_issue
from signatures.extract.dismissed import dismissed_ranges
from signatures.extract.vocabulary import load_vocabulary
from signatures.index import View
from signatures.model import IssueText, Post, Role

VOCABULARY = load_vocabulary()
M = "Duplicate definition of name (pad_CUDAExecutionProvider)"
MODEL = "qwen3.5-0.8b-cuda-gpu:3"
CRASH = "access violation in libLiteRtWebGpuAccelerator.dll"


def visible(body: str, words: str = M, *, title: str = "", pull_request: bool = False) -> bool:
    issue = IssueText(title, (Post(Role.REPORTER, body),), pull_request=pull_request)
    report = read_issue(issue, VOCABULARY, ())
    return any(View(block).has(words.lower()) for block in report.blocks)


@pytest.mark.parametrize(
    "text",
    [
        f"Since the update `{M}` is gone.",
        f"`{M}` has disappeared with revision 4.",
        f"The error {M} is resolved by now. {MODEL} loads.",
        f'There is no "{M}." error any more with {MODEL}.',
        f"{MODEL} formerly failed with {M} but now it works.",
        f"We had `{M}` last week but now it loads.",
        f'I got rid of "{M}" by clearing the cache.',
        f"{M} went away after a restart.",
        f"I got:\n\n```\n{M}\n```\n\nThat is gone since I cleared the cache; now it hangs.",
        f"Before the fix it printed:\n\n```\n{M}\n```\n\nNow it hangs.",
        f"I got:\n\n```\n{M}\n```\n\nThis is no longer a problem with 1.3.",
        f"I fixed this error now:\n\n```\n{M}\n```",
        f"I fixed it, and then it was gone:\n\n```\n{M}\n```",
        f"The error changed from `{M}` to a hang.",
        f"I cannot reproduce the error {M} here.",
    ],
)
def test_what_is_over_is_no_failure(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f'Similar to #1075 ("{M}"), but mine is a timeout.',
        f"In #1075 somebody has had:\n\n> {M}\n\nMine prints nothing.",
        f"Unlike #1075, which shows\n\n```\n{M}\n```\n\nmine hangs.",
        f"#1075 shows `{M}`; mine shows nothing.",
        f"### Related issues\n\n- #1075 {M}\n",
        f"- #1075 (`{M}`)\n- #1039\n",
        f"See [{M}](https://github.com/microsoft/foundry-local/issues/1075).",
        f"I searched for `{M}`, and that is not what happens here.",
        f"It is a different error than `{M}`.",
        f"Do not confuse it with `{M}`.",
        f"My colleague got {M} on his machine, mine works.",
        f"A friend of mine sees `{M}`, I only get a hang.",
        f"My coworker pasted this log:\n\n```\n{M}\n```\n\nMine is empty.",
        f"Another user reported {M}; I have not tried it.",
    ],
)
def test_what_is_another_issues_is_no_failure(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Feature request: print a better message than `{M}`.",
        f"This PR fixes `{M}` by renaming tensors.",
        f"Our patch prevents `{M}`.",
        f"Renaming avoids {M}.",
        f"If you see `{M}`, you need revision 4.",
        f"Users who see `{M}` should clear the cache.",
        f"What does `{M}` mean? I am not seeing it, just curious.",
        f"The loader should throw an error like `{M}` when names collide.",
        f"Without renaming this could lead to {M}.",
        f"### Expected behavior\n\nIt should fail with `{M}`.",
        f"Expected output:\n\n```\n{M}\n```\n\nActual: nothing.",
    ],
)
def test_what_is_wished_or_supposed_is_no_failure(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"<!-- paste your error, e.g. {M} -->\nIt hangs.",
        f"It hangs. <!-- {M}",
        f"- [ ] {M}\n- [x] another one\n",
        f"~~{M}~~ was my mistake.",
        f"<del>{M}</del> It hangs.",
        f"![{M}](https://example.org/x.png) is the wrong picture.",
        f'```sh\ngrep "{M}" log.txt\n```\nprints nothing.',
        f"```\n$ journalctl | grep '{M}'\n$\n```",
        f"```python\nassert '{M}' in str(e)\n```",
        f"```python\n# works around: {M}\nrename()\n```",
        f'```js\nif (e.message.includes("{M}")) retry();\n```',
    ],
)
def test_what_is_hidden_or_only_contained_is_no_failure(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "lead",
    [
        "It runs at a tenth of what I expect.",
        "It is slower than I expected:",
        "I expected an answer, but this is printed:",
        "I expect the model to load.",
        "It should return a vector.",
    ],
)
def test_a_sentence_about_what_is_expected_does_not_hide_the_log_under_it(lead: str) -> None:
    assert visible(f"{lead}\n\n```\n{M}\n```\n")


def test_a_sentence_that_announces_what_is_expected_hides_it() -> None:
    assert not visible(f"I would expect the following\n\n```\n{M}\n```\n")
    assert not visible(f"The loader should say:\n\n```\n{M}\n```\n")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (f"### Describe the feature request\n\nLoading fails here:\n\n```\nError: {M}\n```\n", True),
        (f"### Describe the feature request\n\n```\nError: {M}\n```\n", True),
        (
            f"### Describe the feature request\n\nIt would be nice if this said more:\n\n```\nError: {M}\n```\n",
            False,
        ),
        (f"- OS: Windows 11\n\n```\nIt is the latest release.\nError: {M}\nPlease fix the model.\n```\n", True),
        (f"- OS: Windows 11\n\n```\nIt might be prudent to rename.\nError: {M}\n```\n", False),
        (f"### Describe the feature request\n\nPlease add names to it:\n\n```\n{M}\n```\n", False),
    ],
)
def test_a_failure_stays_one_where_the_title_calls_it_a_request(body: str, shown: bool) -> None:
    assert visible(body, title="[Feature Request] Names of tensors") is shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"No {CRASH} here; it just hangs.", CRASH),
        (f"The {CRASH} no longer happens.", CRASH),
        ("If you see `Selected adapter: llvmpipe` install drivers.", "Selected adapter: llvmpipe"),
        ("`Selected adapter: llvmpipe` was the problem; with the driver all is fine.", "Selected adapter: llvmpipe"),
        ("I disabled it, so `cannot use the graph capture feature` is gone.", "cannot use the graph capture feature"),
    ],
)
def test_other_failures_are_denied_in_the_same_words(text: str, words: str) -> None:
    assert not visible(text, words)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        (f"Fixed: {M}", False),
        (f"Not {M}", False),
        (f"[Feature Request] Better text for {M}", False),
        (f"[Bug] {M}", True),
        (f"Not able to load: {M}", True),
    ],
)
def test_a_title_may_say_that_it_reports_nothing(title: str, shown: bool) -> None:
    assert visible("See above.", title=title) is shown


def test_a_pull_request_reports_no_failure() -> None:
    assert not visible(f"It fails with {M}", title=M, pull_request=True)


@pytest.mark.parametrize(
    "text",
    [
        f"I have never seen this before: {M}",
        f"I did not get this error before the update: {M}",
        f"I do not see why I get {M}",
        f"I shouldn't get {M}",
        f"Nothing other than {M} is printed.",
        f"Apart from {M} nothing is printed.",
        f"- Not the driver: after a reinstall I get {M}",
        f"I get {M}, same as #1075.",
        f"Same error as #1075: {M}",
        f"#1075 happens to me too: {M}",
        f"{M} is still not fixed.",
        f"It is said to be fixed, but I still see {M}",
        f"I fixed the path, now I get {M}",
        f"The old crash is gone, but now I get {M}",
        f"The previous problem is resolved. Now: {M}",
        f"No luck: {M}",
        f"There is no workaround. It fails with {M}",
        f"It should load, but prints {M}",
        f"### Expected behavior\n\nThe model should load. Instead I get {M}",
        f"Please fix {M}",
        f"Is there a fix for {M}?",
        f"My colleague and I both get {M}",
        f"If I load {MODEL}, I get {M}",
        f"Without revision 4 I get: {M}",
        f"What does this mean?\n\n```\n{M}\n```",
        f"I fixed the first error, then got:\n\n```\n{M}\n```",
        f"Resolved the missing file, next error:\n\n```\n{M}\n```",
        f"We worked around that, but then the app failed with:\n\n> {M}",
        f"I added the file and now it says:\n\n> {M}",
        f"The log says:\n\n> {M}",
        f"It stops:\n\n```\n{M}\n```\n\nThis problem comes with CUDA; on the CPU there is none.",
        f"After the update I get\n\n```\n{M}\n```\n\nIt is not fixed in 0.10.1.",
        f"- [x] {M}",
        f"They told me to report it here: {M}",
        f'```\nTraceback (most recent call last):\n  File "a.py", line 3\n    raise E(x)\nRuntimeError: {M}\n```',
    ],
)
def test_what_the_writer_complains_of_is_his_failure(text: str) -> None:
    assert visible(text)


@pytest.mark.parametrize("text", ["No available adapters.", "#10 pc 0000000000171d04 liba.so", "Error &#46; broken"])
def test_what_a_program_prints_denies_nothing(text: str) -> None:
    assert dismissed_ranges(text) == ()


@pytest.mark.parametrize(
    "piece", ["is gone ", "not see ", "In #1075 had ", "`m` ", "<!-- ", "[x](https://a/issues/1) "]
)
def test_hostile_text_is_read_in_time(piece: str) -> None:
    dismissed_ranges(piece * (200_000 // len(piece)))
