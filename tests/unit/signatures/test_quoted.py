"""A message quoted inside a sentence is the writer's failure as far as the sentence says that it came."""

from __future__ import annotations

import pytest

from signatures.extract import read_issue
from signatures.extract.quoted import messages, read_quoted
from signatures.extract.vocabulary import load_vocabulary
from signatures.loader import catalogue_of
from signatures.matcher import match_report
from signatures.model import Certainty, IssueText, Post, Role, Signature

M = "Unsupported model IR version: 9, max supported IR version: 8"
VOCABULARY = load_vocabulary()
CATALOGUE = catalogue_of((Signature("ir", "t", all=("Unsupported model IR version",)),))


def certainty(body: str) -> Certainty | None:
    """How sure the body shows the message; None where it is dismissed."""
    issue = IssueText("A question", (Post(Role.REPORTER, body),))
    matches = match_report(read_issue(issue, VOCABULARY, ()), CATALOGUE)
    shown = {m.certainty for m in matches}
    return next((c for c in (Certainty.CERTAIN, Certainty.LIKELY, Certainty.POSSIBLE) if c in shown), None)


@pytest.mark.parametrize(
    "text",
    [
        f'With 1.21 there is no longer "{M}". Please close.',
        f'The error "{M}" does not appear any more since I updated.',
        f'Would the runtime print "{M}" if the file were wrong?',
        f'If a user has an old wheel, would it print "{M}"?',
        f'We have a unit test that asserts the message "{M}" and it passes.',
        f'SOLVED: I had "{M}" because I used the wrong file.',
        f"Closing: user had `{M}` because the wheel was old.",
        f"On 1.14 `{M}` was thrown; on 1.18 it is fine. My question is about speed.",
        f'Last year we hit "{M}" with 1.14; 1.16 fixed it.',
        f"Den Fehler „{M}“ bekomme ich nicht. Wie wird es schneller?",
        f'Gelöst: "{M}" kam von einer falschen Datei.',
        f"Résolu : « {M} » a disparu après la mise à jour.",
        f"Je n'ai pas l'erreur « {M} ».",
        f"No me sale el error «{M}».",
        f'Não recebo o erro "{M}".',
        f"Non ricevo l'errore «{M}».",
        f"我没有遇到“{M}”这个错误。怎么加速？",
        f'"{M}" 已经解决了，谢谢。新问题：怎么批处理？',
        f"「{M}」というエラーは出ません。質問は速度についてです。",
        f"『{M}』は解決しました。",
        f'"{M}" 오류는 발생하지 않습니다.',
        f"Ошибки «{M}» у меня нет.",
        f"Nie mam błędu „{M}”.",
        f'"{M}" hatasını almıyorum.',
        f'Tôi không gặp lỗi "{M}".',
        f"Помилки «{M}» у мене немає.",
        f"Why do I not get `{M}` with a broken model?",
        f"A blog says that `{M}` is normal. Is it?",
        f"According to the docs, `{M}` is thrown for such files.",
        f"以前会报“{M}”，现在好了。",
        f"以前は「{M}」が出ましたが、今は動きます。",
        f"Раньше была ошибка «{M}», теперь всё работает.",
        f'Ik krijg de fout "{M}" niet.',
    ],
)
def test_what_a_sentence_denies_of_a_quoted_message_is_dismissed(text: str) -> None:
    assert certainty(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f'What does "{M}" mean?',
        f'Is there a list of what can be printed? e.g. "{M}", "Cuda interface not available".',
        f'The string "{M}" could be a constant.',
        f"Jag har läst om „{M}” i koden.",
    ],
)
def test_a_message_that_is_only_named_is_no_more_than_possible(text: str) -> None:
    assert certainty(text) is Certainty.POSSIBLE


@pytest.mark.parametrize(
    "text",
    [
        f'I get "{M}".',
        f"When loading it, `{M}` is printed.",
        f'Loading no longer works: "{M}".',
        f'I cannot load my model because of "{M}".',
        f'It worked on 1.16; on 1.14 "{M}" was thrown.',
        f'The problem is not solved, "{M}" appears again.',
        f'There is no fix for "{M}" yet.',
        f'My unit test fails with "{M}".',
        f'Could "{M}" be caused by my driver? I see it on each start.',
        f'Das Modell lädt nicht: "{M}"',
        f"Ich habe keine Ahnung, warum „{M}“ kommt.",
        f"Der Fehler „{M}“ ist noch nicht behoben.",
        f"Je ne peux pas charger le modèle, j'ai « {M} ».",
        f"No tengo idea de por qué sale «{M}».",
        f"The docs say that it should load, but I get `{M}`.",
        f"以前は動いていましたが、今は「{M}」が出ます。",
        f"Раньше всё работало, теперь ошибка «{M}».",
        f"模型无法加载，提示“{M}”。",
        f"出现「{M}」，没有找到解决办法。",
        f"「{M}」が出て、動きません。",
        f'"{M}" 오류가 나서 실행되지 않습니다.',
        f"Нет решения, выдаёт «{M}».",
        f"Nie wiem, skąd błąd „{M}”.",
        f"Не вдається завантажити модель: «{M}».",
        f'"{M}"',
        f"I load the model and then\n`{M}`\nonnxruntime 1.14 on Windows",
        f'What does "{M}" mean?\n\n```\n{M}\n```',
    ],
)
def test_a_message_that_came_counts_in_full(text: str) -> None:
    assert certainty(text) is Certainty.CERTAIN


def test_names_paths_and_quotes_inside_a_message_are_no_messages() -> None:
    text = (
        'I loaded `model.onnx` from "C:\\Program Files\\My App\\models" and LoadLibrary failed with error 126 "" '
        'when trying to load "C:\\onnxruntime_providers_cuda.dll".'
    )

    assert messages(text) == []


@pytest.mark.parametrize("piece", ['"a b c ', "`a b c` ", "「あ い う」ません", "„nicht “ ", "'x y z' no longer "])
def test_hostile_quotes_are_read_in_time(piece: str) -> None:
    read_quoted(piece * (200_000 // len(piece)))
