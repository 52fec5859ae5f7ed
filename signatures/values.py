"""NamedTuple, made several times faster at import.

`typing.NamedTuple` compiles and checks every annotation when its class is made. A lookup is one short process that
makes some sixty such classes, and that check was a tenth of its time. Type checkers see `typing.NamedTuple` itself,
so the check is made where it belongs. Every module that uses this has `from __future__ import annotations`, so that
annotations are plain strings.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take the name for True; importing typing for it costs more than a match

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

    _OF_THE_CLASS = ("__module__", "__qualname__", "__annotations__")

    class _Maker(type):
        """Turns a class body with annotated fields into a named tuple; methods, properties and the docstring stay."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body[f] for f in fields if f in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                if key not in fields and key not in _OF_THE_CLASS:
                    setattr(made, key, value)
            made.__annotations__ = fields
            return made

    class NamedTuple(metaclass=_Maker):
        """As `typing.NamedTuple`, in class syntax, for modules with postponed annotations."""
