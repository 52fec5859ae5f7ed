"""The authored files as proposals name them: below the root of a checkout, or below the folder of a layer."""

from __future__ import annotations

import os

from bot.commands.observe import text_of
from kb.loader import SHIPPED
from kb.proposals import AuthoredFile, Files
from signatures import loader as catalogue_files
from signatures.loader import SignatureFile

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


def signature_files(layers: list[str], only: frozenset[str] | None = None) -> list[tuple[SignatureFile, AuthoredFile]]:
    """Each signature with its file; a layer's own stand for the built-in ones. `only`: the ids that are wanted."""
    found: dict[str, tuple[SignatureFile, AuthoredFile]] = {}
    own = ((os.path.join(d, "signatures"), "signatures") for d in layers)
    for folder, prefix in ((catalogue_files.SHIPPED, "signatures/catalogue"), *own):
        for path in catalogue_files.signature_files(folder):
            if only is not None and os.path.basename(path).removesuffix(".toml") not in only:
                continue
            file = catalogue_files.load_file(path, check=False)
            if isinstance(file, SignatureFile):
                inside = os.path.relpath(path, folder).replace(os.sep, "/")
                found[file.signature.id] = file, AuthoredFile(f"{prefix}/{inside}", text_of(path))
    return list(found.values())
