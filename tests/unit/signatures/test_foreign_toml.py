"""TOML of strangers."""

from __future__ import annotations

import tomllib

import pytest

from signatures.foreign_toml import load_toml


@pytest.mark.parametrize("part", ["a", '"a b"', '"\\""', "'.'", '""'])
@pytest.mark.parametrize("shape", ["{} = 1", "[{}]", "[[{}]]", "x = {{ {} = 1 }}"])
def test_a_key_of_very_many_parts_is_refused_before_it_is_read(
    part: str, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = " . ".join([part] * 5000)
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail(f"{len(text)} characters were read"))

    with pytest.raises(tomllib.TOMLDecodeError, match="more than 16 parts"):
        load_toml(shape.format(key))


def test_other_texts_are_read() -> None:
    text = '# see www.example.org ... and more ....................\n[a.b."c.d"]\nx = "1.2.3.4.5.6.7.8.9"\n'

    assert load_toml(text) == {"a": {"b": {"c.d": {"x": "1.2.3.4.5.6.7.8.9"}}}}
