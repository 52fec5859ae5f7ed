"""The templates, read one way: everything escaped, nothing undefined, no line left by a tag."""

from __future__ import annotations

import os

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


def templates() -> Environment:
    """An environment of its own for each caller, which may add filters and globals."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
