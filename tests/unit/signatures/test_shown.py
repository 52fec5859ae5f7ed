"""Output that the writer shows for another reason than that it failed, and output that he complains of."""

from __future__ import annotations

import pytest

from signatures.extract.shown import is_only_shown
from tests.unit.signatures.test_dismissed import visible

# in front of the block @ what follows it
SHOWN = """
The installer should print something kinder than @ when the library is absent.
Does the loader ever emit @ for a model of 3 GB?
The manual cites @ and its link is dead.
Added a test that looks for it; the expected text is @, and it passes.
I renamed the file on purpose: @
I replaced the server's answer to get @ shown; mocked, of course.
Only a warning, the results are right: @
Ignore the error in the middle, it comes from a run with a wrong path: @
The console prints @ which is normal, as this machine has no GPU.
FAQ: what does this say? @ Install cuDNN.
Fixes #4821: @
A client's log: @
False alarm, wrong folder. It said: @
Solved, the scanner had moved the file away. Was: @
It is not the usual @
We have no failure on our side. For a list of messages: @
Loading prints @ but my problem is that the window stays black.
It prints @ My question is about the colours of the log.
At start there is @ What I see is a plain time-out.
Der folgende Fehler ist seit heute behoben. @
Lo siguiente ya lo resolví. @
O erro seguinte já foi corrigido. @
次のエラーは解決済みです。 @
다음 오류는 이미 해결했습니다. @
Следующую ошибку я уже исправил. @
Il seguente errore è già risolto. @
以下报错已经解决了，谢谢。 @
Je n'ai pas cette erreur, le guide la cite : @
"""
FAILS = """
The nightly tests fail with: @
I expected text and got this: @
I corrected the path and now get this: @
I solved the import error and then came to this one: @
The guide shows how to load it, yet: @
I know that #4821 was resolved, for me it is not: @
Of course I checked the drivers first. The output: @
I don't know whether it's only a warning, but nothing works: @
This is not the usual lack of memory, there is plenty: @
A client's log, mine is the same: @
In the browser's console, ignore the favicon: @
Der Fehler ist noch nicht behoben: @
このエラーを解決できません。 @
이 오류를 어떻게 해결하나요? @
Как исправить эту ошибку? @
¿Cómo se puede solucionar? @
解决了路径问题以后，现在报这个错： @
Loading ends with @ when I call generate().
Loading ends with @ , nothing else is printed.
Loading ends with @ Is it only a warning?
Loading ends with @ I expected it to load.
Loading ends with @ What I want is to use the GPU.
Loading ends with @ This is normal inference, nothing special.
"""
ERROR = "Load model from a.onnx failed:Protobuf parsing failed."


@pytest.mark.parametrize("text", SHOWN.strip().split("\n"))
def test_shown_for_another_reason(text: str) -> None:
    above, _, below = text.partition("@")
    assert is_only_shown(above.strip() + "\n```\n", "\n```\n" + below.strip())


@pytest.mark.parametrize("text", FAILS.strip().split("\n"))
def test_shown_because_it_fails(text: str) -> None:
    above, _, below = text.partition("@")
    assert not is_only_shown(above.strip() + "\n```\n", "\n```\n" + below.strip())


def test_a_version_that_somebody_names_takes_no_output_away() -> None:
    block = f"\n\n```\n{ERROR}\n```"
    assert visible("Somebody mentioned 0.15.2 as the cure." + block, ERROR)
    assert not visible("Somebody posted this:" + block, ERROR)
