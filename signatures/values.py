"""NamedTuple, made several times faster at import.

`typing.NamedTuple` checks every annotation when its class is made, and compiles a constructor for it. A lookup is one
short process that makes some ninety such classes, and that was a fifth of its time. Type checkers see
`typing.NamedTuple` itself, so the check is made where it belongs. Every module that uses this has
`from __future__ import annotations`, so that annotations are plain strings.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take the name for True; importing typing for it costs more than a match

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

    _make = tuple.__new__

    class _Values(tuple):
        """The methods of a named tuple, shared by all of them."""

        __slots__ = ()

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                values = _filled(cls, values, named)
            return _make(cls, values)

        @classmethod
        def _make(cls, values):
            made = _make(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **named):
            values = _make(
                type(self), [named.pop(field, value) for field, value in zip(self._fields, self, strict=True)]
            )
            if named:
                raise ValueError(f"{type(self).__name__} has no fields {list(named)!r}")
            return values

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._asdict().items())})"

        def __getnewargs__(self):
            return tuple(self)

    def _filled(cls, values, named):
        fields = cls._fields
        if len(values) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} values, not {len(values)}")
        given = dict(zip(fields, values, strict=False))
        if not given.keys().isdisjoint(named) or not named.keys() <= set(fields):
            raise TypeError(f"{cls.__name__} was given {', '.join(named)} beside {len(values)} values")
        full = {**cls._field_defaults, **given, **named}
        missing = [field for field in fields if field not in full]
        if missing:
            raise TypeError(f"{cls.__name__} lacks {', '.join(missing)}")
        return [full[field] for field in fields]

    _READERS = [property(itemgetter(i)) for i in range(32)]

    class _Maker(type):
        """Turns a class body with annotated fields into a named tuple; methods, properties and the docstring stay."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            body["_field_defaults"] = {f: body[f] for f in fields if f in body}
            body["_fields"] = body["__match_args__"] = fields
            body["__slots__"] = ()
            body.update(zip(fields, _READERS, strict=False))
            return type(name, (_Values,), body)

    class NamedTuple(metaclass=_Maker):
        """As `typing.NamedTuple`, in class syntax, for modules with postponed annotations."""
