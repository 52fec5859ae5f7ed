"""Where the files of a local package are, links followed, and which folder a Hugging Face cache keeps them in."""

from __future__ import annotations

import os
from typing import NamedTuple

HUB = ("models--", "datasets--", "spaces--")  # how the cache names the folder of one repository
MAX_PATH = 4096


class Linked(NamedTuple):
    """A model and a file beside it. `path`: the model as it was named; `folder`, `model`, `data`: links followed."""

    path: str
    folder: str
    model: str
    data: str

    @property
    def outside(self) -> bool:
        """Whether the data is neither below the model's folder nor below that of the model's link target."""
        return not any(below(self.data, allowed) for allowed in (self.folder, os.path.dirname(self.model)))

    @property
    def in_hub(self) -> bool:
        """Whether model and data are blobs of the repository whose snapshot the model was named in."""
        parts = self.path.split(os.sep)
        for at in range(len(parts) - 3, 0, -1):
            if parts[at].startswith(HUB) and parts[at + 1] == "snapshots":
                blobs = os.path.realpath(os.sep.join((*parts[: at + 1], "blobs")))
                return below(self.model, blobs) and below(self.data, blobs)
        return False


def linked(root: str, model: str, location: str) -> Linked | None:
    """Both below the folder `root`: `model` a listed name, `location` a path from its folder. None where there is no
    such file."""
    path = os.path.join(root, *model.split("/"))
    data = os.path.join(os.path.dirname(path), location)
    try:
        if len(data) > MAX_PATH or not os.path.isfile(data):
            return None
        return Linked(path, os.path.realpath(os.path.dirname(path)), os.path.realpath(path), os.path.realpath(data))
    except (OSError, ValueError):
        return None


def below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
