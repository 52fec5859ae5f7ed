"""The quick NamedTuple is a NamedTuple."""

from __future__ import annotations

import pickle
import typing

import pytest

from signatures.values import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int | None = None
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + (self.y or 0)


class Same(typing.NamedTuple):
    """A place."""

    x: int
    y: int | None = None
    names: tuple[str, ...] = ()


def test_it_has_what_typing_gives() -> None:
    assert Point._fields == Same._fields
    assert Point._field_defaults == Same._field_defaults
    assert Point.__doc__ == Same.__doc__
    assert Point.__module__ == __name__
    assert repr(Point(1)) == repr(Same(1)).replace("Same", "Point")
    assert tuple(Point(1, 2)) == tuple(Same(1, 2))
    assert hash(Point(1, 2)) == hash(Same(1, 2))


def test_methods_and_replacement_work() -> None:
    assert Point(1, 2).sum == 3
    assert Point(1)._replace(y=5) == Point(1, 5)
    assert typing.get_type_hints(Point)["x"] is int
    assert pickle.loads(pickle.dumps(Point(1, 2))) == Point(1, 2)  # noqa: S301 - our own bytes


def test_a_missing_field_is_an_error_and_values_cannot_be_set() -> None:
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]  # the point of the test
    with pytest.raises(AttributeError):
        Point(1).x = 2  # type: ignore[misc]  # the point of the test
