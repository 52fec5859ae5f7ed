"""What is said of an account's settings that cannot work, before GitHub or without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from bot.errors import InputError
from bot.service.opening import account

_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_PLAIN = _RSA.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("APP_ID", "APP_KEY", "APP_KEY_FILE", "TOKEN", "TOKEN_FILE", "LOGIN"):
        monkeypatch.delenv(f"TRIAGE_GITHUB_{name}", raising=False)
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            _RSA.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")),
            "locked with a password",
        ),
        (_RSA.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(b"x")), "locked"),
        (_RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), "is a public one; GitHub"),
        (
            ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            "is no RSA key",
        ),
        (b"hello", "is no private key in PEM"),
        (_PLAIN[:400], "is no private key in PEM"),
    ],
    ids=["locked", "locked in the old way", "public", "elliptic", "a word", "cut off"],
)
def test_a_key_that_is_none_of_githubs_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: bytes, words: str
) -> None:
    file = tmp_path / "app.pem"
    file.write_bytes(key)
    monkeypatch.setenv("TRIAGE_GITHUB_APP_ID", "1")
    monkeypatch.setenv("TRIAGE_GITHUB_APP_KEY_FILE", str(file))
    with pytest.raises(InputError) as refused:
        account()
    assert str(refused.value).startswith(f"TRIAGE_GITHUB_APP_KEY_FILE, {file}, cannot be used: the App's private key ")
    assert words in str(refused.value)


def test_a_server_that_is_not_reached_says_nothing_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIAGE_GITHUB_APP_ID", "1")
    monkeypatch.setenv("TRIAGE_GITHUB_APP_KEY", _PLAIN.decode())
    with pytest.raises(InputError, match="the App cannot be looked up: GitHub cannot be reached: ") as refused:
        account()
    assert "accepted" not in str(refused.value)
    assert "Max retries" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "token", "words"),
    [
        ("TRIAGE_GITHUB_TOKEN", "“ghp_1234”", r"the character '\\u201c' stands at 1"),
        ("TRIAGE_GITHUB_TOKEN", '"ghp_1234"', "the character '\"' stands at 1"),
        ("TRIAGE_GITHUB_TOKEN", "ghp_12\n34", "a space or a line's end stands at 7"),
        ("GH_TOKEN", "tökén", r"the character '\\xf6' stands at 2"),
    ],
)
def test_a_token_that_no_request_can_carry_is_named_and_not_printed(
    monkeypatch: pytest.MonkeyPatch, name: str, token: str, words: str
) -> None:
    monkeypatch.setenv(name, token)
    with pytest.raises(InputError, match=f"{name} holds no token: {words}") as refused:
        account()
    assert "1234" not in str(refused.value)
