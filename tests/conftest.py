"""What holds for every test: none touches the store of the person who runs it, and not all have their lines counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["TRIAGE_DATABASE_URL"] = ""

# these go the same ways thousands of times, which takes twice as long where lines are counted
HEAVY = ("test_fuzz.py", "test_genai_mutations.py", "test_faults.py")
UNCOUNTED = (
    *(f"artifact/{name}" for name in HEAVY),
    "bot",
    "catalogue/test_lone_lines.py",
    "catalogue/test_printed_lines.py",
    "hostile",
    "unit/signatures/test_layouts.py",
    "web",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    uncounted = tuple(here / name for name in UNCOUNTED)
    for item in items:
        if any(item.path.is_relative_to(place) for place in uncounted):
            item.add_marker("no_cover")
