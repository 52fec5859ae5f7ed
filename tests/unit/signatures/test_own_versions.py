"""Whose a version is: the reporter's own, or one that is well, denied, doubted, planned, offered or another's."""

from __future__ import annotations

import pytest

from bot.knowledge import load_known
from signatures.extract import read_issue
from signatures.model import IssueText, Post, Role

KNOWN = load_known(())
LOG = "\n\n```\nMicrosoft.ML.OnnxRuntimeGenAI.OnnxRuntimeGenAIException: WebGPU validation failed.\n```\n"
PRODUCTS = (("foundry-local-cli", "CLI", "0.10.0"), ("onnxruntime", "onnxruntime", "1.20.1"))

NOT_HIS = r"""
Na versão anterior (X) não acontecia.|My sister's PC with X is quick.|The card reads: `Tested with X`|На X всё работало.
이전 버전 X 에서는 잘 됐습니다.|Con X funzionava.|X -> 9.9.9|X is supposed to have it.|Prerequisites: X
| who | version | result |\n|---|---|---|\n| her tablet | X | fine |
X was the last one that worked|X isn't affected.|I haven't tried X.|I have never used X|I don't have X
I do not use X, I use the nightly|X (not installed)|X gives correct answers|X ran it.|No crash on X.|X never crashed.
Same as the bug in X|Looks like the X bug|There is an open bug for X.|Someone on Discord uses X.|winget offers X.
pip list --outdated shows X|OS: Windows 11, not tried with X|OS: Windows 11, X works there|Platform: Linux, works with X
The docs mention X.|Maybe X|I think X, not sure|If I use X it doesn't happen.|I was told X fixes this.|Skipped X
I used to run X.|I uninstalled X.|I moved from X to main.|This has nothing to do with X.|Version (e.g. X):
Please state the version, such as X|The issue template says X|Expected: X|required: X|Latest: X|Working version: X
Works with: X|Tested OK on: X|Last known working version: X|Not tried: X|Mit X ging es noch.|X ist nicht betroffen.
Ich habe X nie benutzt.|z. B. X|Avec X tout marchait.|Je n'ai jamais utilisé X.|X no está afectada.|Nunca usé X.
X came with the computer, I replaced it.|X was preinstalled, but we removed it.
用 X 没有问题。|我没有用过 X。|例如 X|X では問題ありません。|X は使っていません。
| X | works |
| version | result |\n|---|---|\n| X | pass |
| Last good | Now |\n|---|---|\n| X | main |
```\nKnown good: X\n```
```\nX: OK\n```
"""
HIS = r"""
Estou usando X no Windows.|Использую X.|X 을 사용 중입니다.|Sto usando X.|This began after updating to X.
X|I'm on X.|- version: X|**Version**: X|Environment: Windows 11, X, RTX 4090|X on Windows 11 with an Intel Arc.
X fails.|X doesn't work.|X never finishes.|X ❌|With X it doesn't work.|I tried X without success.
When I use X it crashes.|If I run X I get this error.|I just updated to X and it broke.
Same error with X.|X has the same problem.
Broken version: X|I use the newest release, X.|I use X and it fails with this error.
I cannot get past this error with X.|Installed: X
After updating to X it fails.|X crashes, so I removed it.|I installed X, it does not load.
Since the update to X it fails.|Installing the model with X fails.
Reproduced with X.|X funktioniert nicht.|Bei mir stürzt X ab.|Ich nutze X.|J'utilise X.|X plante.|Uso X.|X falla.
OS: Windows 11, X|GPU: RTX 4060, X, driver 576.02|pip list shows X|npm ls shows X
我用的是 X。|X 报错。|X を使っています。|X では動きません。
| X | fails |
| version | result |\n|---|---|\n| X | fail |
```\nVersion: X\nOS: Windows\n```
"""
HEADINGS_OF_OTHERS = """
Last working version|Last known working version|Known good version|Version where it works|Latest version|Minimum version
Did it work in a previous version?|Which version did it work in?|Version it should be fixed in|Expected version
Regression since?|Letzte funktionierende Version|Dernière version qui fonctionne|最后正常的版本
"""
ASKED_OF_OTHERS = """
NAME version without the problem|NAME version where you don't see it|NAME version that you came from
NAME version your users have|NAME version you plan to install|NAME version (healthy machine)|NAME version you expect
"""
ASKED_OF_HIM = (
    "NAME version|Which version of NAME are you using?|NAME version (`foundry --version`)|Affected NAME version"
)
OWN_HEADINGS = "Version|Environment|What version are you using?|Product version|Affected version|Umgebung|环境"


def phrases(text: str) -> list[str]:
    lines = [line for line in text.strip().split("\n") if line]
    kept = [[line] if line[0] in "|`" else line.split("|") for line in lines]
    return [p.replace("\\n", "\n") for line in kept for p in line]


def is_stated(product: str, version: str, body: str, *later: str) -> bool:
    posts = (Post(Role.REPORTER, body), *(Post(Role.REPORTER, text) for text in later))
    report = read_issue(IssueText("It fails", posts, "microsoft/foundry-local#5"), KNOWN.vocabulary, KNOWN.names)
    return (product, version) in {(f.key, f.value) for f in report.facts}


@pytest.mark.parametrize(("product", "name", "version"), PRODUCTS)
@pytest.mark.parametrize("text", phrases(NOT_HIS))
def test_a_version_that_the_writer_does_not_run_is_not_his(text: str, product: str, name: str, version: str) -> None:
    said = text.replace("X", f"{name} {version}")
    assert not is_stated(product, version, said + LOG)
    assert not is_stated(product, version, "It fails." + LOG, said)


@pytest.mark.parametrize(
    ("product", "name", "version"), [("foundry-local-cli", "Foundry Local CLI", "0.10.0"), PRODUCTS[1]]
)
@pytest.mark.parametrize("text", phrases(HIS))
def test_a_version_that_the_writer_runs_is_his(text: str, product: str, name: str, version: str) -> None:
    said = text.replace("X", f"{name} {version}")
    assert is_stated(product, version, said + LOG)
    assert is_stated(product, version, "It fails." + LOG, said)


@pytest.mark.parametrize(
    "form", ["### {}\n\n{}\n", "**{}**\n\n{}\n", "**{}**: {}\n", "{}:\n- {}\n", "### {}\n\n```\n{}\n```\n"]
)
def test_a_heading_says_whose_the_version_under_it_is(form: str) -> None:
    for heading in phrases(HEADINGS_OF_OTHERS):
        assert not is_stated("onnxruntime", "1.20.1", "It fails." + LOG + form.format(heading, "onnxruntime 1.20.1"))
    for heading in phrases(OWN_HEADINGS):
        assert is_stated("onnxruntime", "1.20.1", "It fails." + LOG + form.format(heading, "onnxruntime 1.20.1"))


@pytest.mark.parametrize("form", ["### {}\n\n{}\n", "**{}**\n\n{}\n", "- {}: {}\n- OS: Windows\n", "**{}**: {}\n"])
def test_a_label_that_names_the_product_may_ask_for_another_version(form: str) -> None:
    def is_read(label: str) -> bool:
        body = f"It fails.{LOG}{form.format(label.replace('NAME', 'Foundry Local CLI'), '0.10.0')}"
        return is_stated("foundry-local-cli", "0.10.0", body)

    assert not any(map(is_read, phrases(ASKED_OF_OTHERS)))
    assert not form.startswith("#") or all(map(is_read, phrases(ASKED_OF_HIM)))


@pytest.mark.parametrize(
    "words",
    [
        "Thanks, installing X now",
        "I am downloading Foundry Local CLI X.",
        "winget has only 0.10.0, I cannot find Foundry Local CLI X.",
        "I don't see X in winget.",
        "Installing Foundry Local CLI X fails with a denied access.",
        "The download of X fails.",
        "I am not allowed to install X here.",
        "X is not on winget.",
        "Trying X now.",
    ],
)
def test_what_is_planned_or_not_to_be_had_does_not_run(words: str) -> None:
    body = "It fails with Foundry Local CLI 0.10.0." + LOG
    said = words.replace("X", "0.10.1")
    assert not is_stated("foundry-local-cli", "0.10.1", body, said)
    assert is_stated("foundry-local-cli", "0.10.0", body, said)
