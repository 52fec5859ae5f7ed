"""The authored files as proposals name them: below the root of a checkout, or below the folder of a layer."""

from __future__ import annotations

import os

from bot.commands.observe import text_of
from kb.loader import SHIPPED
from kb.proposals import AuthoredFile, Files

_KINDS = (("problem", "problems"), ("product", "products"))


def authored_files(layers: list[str]) -> Files:
    """Each problem's and product's file by its id; a layer's own stand for the built-in ones."""
    found: dict[tuple[str, str], AuthoredFile] = {}
    for folder, prefix in ((SHIPPED, "kb/"), *((layer, "") for layer in layers)):
        for kind, part in _KINDS:
            inside = os.path.join(folder, part)
            for name in sorted(os.listdir(inside)) if os.path.isdir(inside) else ():
                if name.endswith(".toml"):
                    path = os.path.join(inside, name)
                    found[kind, name.removesuffix(".toml")] = AuthoredFile(f"{prefix}{part}/{name}", text_of(path))
    return found
