"""Thousands of small models, faulty and odd but valid, to hold what the checks say against what real runtimes say.

Each module yields `Case`s of one kind; `cases` gives them all. Nothing here says which of them a runtime refuses.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from tests.artifact.faults import external, graphs, operators, opsets, protobuf, scopes, tensors
from tests.artifact.faults.case import Case


def cases() -> Iterator[Case]:
    """All of them, in one order; of cases that are the same but for their name, the first."""
    seen = set()
    for kind in (protobuf, opsets, graphs, scopes, tensors, external, operators):
        for case in kind.cases():
            content = (case.model, tuple(case.files.items()), tuple(case.links.items()))
            if content not in seen:
                seen.add(content)
                yield case


def write(case: Case, root: str) -> str:
    """Puts a case into `root`/model and gives the path of its model."""
    folder = os.path.join(root, "model")
    os.makedirs(folder, exist_ok=True)
    for name in case.folders:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    for name, data in {"model.onnx": case.model, **case.files}.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    for name, points_at in case.links.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            os.symlink(points_at, path)
    return os.path.join(folder, "model.onnx")
