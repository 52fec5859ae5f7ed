"""A failure that the writer quotes of others, denies, or had once is not his; what he shares with them is."""

from __future__ import annotations

import pytest

from signatures.extract import read_issue
from signatures.extract.vocabulary import load_vocabulary
from signatures.index import View
from signatures.model import IssueText, Post, Role

VOCABULARY = load_vocabulary()
M = "Session creation failed. Duplicate definition of name (pad_CUDAExecutionProvider)"
FENCE = f"\n\n```\n{M}\n```\n\n"


def visible(*texts: str) -> bool:
    report = read_issue(IssueText("", tuple(Post(Role.REPORTER, t) for t in texts)), VOCABULARY, ())
    return any(View(block).has(M.lower()) for block in report.blocks)


@pytest.mark.parametrize(
    "text",
    [
        f"As described by @someone in #512:{FENCE}My run only hangs.",
        f"@kim wrote:\n\n> {M}\n\nMine hangs.",
        f"Quoting @kim:{FENCE}Nothing is printed here.",
        f"In #512 steht:{FENCE}Hier hängt es nur.",
        f"@kim a écrit :\n\n> {M}\n\nPas chez moi.",
        f"@kim 写道：\n\n> {M}\n\n我没有这个错误。",
        f"@kim さんの報告:\n\n> {M}\n\nこのエラーは出ません。",
        f'There somebody had "{M}". I don\'t get that one here.',
    ],
)
def test_what_is_quoted_of_others_is_theirs(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"> {M}\n\nNo, I do not have this error.",
        f"Is it this?{FENCE}That is not what I get.",
        f"> {M}\n\nNope, nothing like that here.",
        f"> {M}\n\nBei mir tritt dieser Fehler nicht auf.",
        f"> {M}\n\nJe n'ai pas cette erreur.",
        f"It hangs. There is no '{M}' in my log.",
        f'It hangs. My log does not contain "{M}".',
        f"It hangs. I cannot find `{M}` in the output.",
        f"Can an app catch `{M}`? I don't have that problem myself.",
    ],
)
def test_what_is_denied_is_no_failure(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"As @kim in #512, I get the same:{FENCE}",
        f"@kim wrote:\n\n> {M}\n\nI get this, too.",
        f"It crashes as described in #512:{FENCE}",
        f"I have the error that @kim found:{FENCE}",
        f"@huggingface/transformers 4.2 prints:{FENCE}",
        f"It stops:{FENCE}I don't see this error with the CPU model.",
        f"It stops:{FENCE}I don't get what this error means.",
        f"It stops:{FENCE}I have not seen this error before.",
        f"It stops:{FENCE}I don't have this problem on another machine.",
    ],
)
def test_what_is_shared_or_complained_of_is_a_failure(text: str) -> None:
    assert visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f'A month ago we had "{M}". We moved on to 1.3 and that error is gone.',
        f"Two weeks ago: {M}. Since 1.3 that's fixed for me.",
        f"Since the update all is well. Before that I was getting{FENCE}",
        f'Depuis la mise à jour tout marche. Avant j\'avais: "{M}"',
        f'Seit dem Update läuft es. Vorher kam mit 1.2: "{M}"',
        f"更新后问题解决了，之前出现 `{M}`。",
        f"`{M}` が出ていましたが、1.3 で直りました。",
        f"It loads since 1.3 (was: {M}). I have a question on options.",
        f"Log 1 (last month, fixed by the update):{FENCE}",
        f'The old version printed "{M}". The new one hangs.',
        f"On my old tablet I saw `{M}` last winter, not any more.",
        f"I had `{M}` in spring, but not since.",
    ],
)
def test_what_the_writer_had_once_is_no_failure(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Before it stops I am getting this:{FENCE}",
        f"Before that all worked, and now this is printed:{FENCE}",
        f"After the update from 1.2 to 1.3 I get{FENCE}",
        f"Since last month it fails:{FENCE}",
        f"It stops:{FENCE}After a restart it was gone, but it came back.",
    ],
)
def test_what_began_or_came_back_is_a_failure(text: str) -> None:
    assert visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Changelog 1.3: \"Fixes '{M}'\". When is it out?",
        f"The release notes of 1.3 say: fixes `{M}`. Is that for ARM, too?",
        f'CHANGELOG of our app 3.2: fixed "{M}" by a restart.',
        f"People in #512 keep posting `{M}`. A hint would be nice.",
        f'My coworker with 1.15 gets "{M}". Mine loads.',
        f'[Feature request] Rename twins. Today users get "{M}".',
        f'```python\nif "{M}" in str(e):\n    raise Friendly("rename it")\n```\nHow is this caught?',
    ],
)
def test_questions_wishes_and_code_that_quote_it_report_nothing(text: str) -> None:
    assert not visible(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Our users get `{M}`.",
        f"I read the release notes of 1.3. It prints:{FENCE}",
        f"What does `{M}` mean? I see it each time.",
    ],
)
def test_what_happens_to_the_writers_own_is_a_failure(text: str) -> None:
    assert visible(text)
