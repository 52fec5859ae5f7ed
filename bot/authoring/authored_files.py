"""Where authored files are read from and written to: this program's own folders, or a folder of the caller's.

A new file never replaces one that is there.
"""

from __future__ import annotations

import os
import shutil

from bot.errors import InputError
from kb import loader as knowledge_files
from signatures import loader as catalogue_files
from signatures.loader import SignatureFile
from signatures.values import NamedTuple

# what makes the built-in files those of a checkout, for errors that ask for one
AS_CHECKOUT = "run a checkout of the sources, which `pip install -e .` in it installs"


class Target(NamedTuple):
    """Where new files go."""

    signatures: str
    problems: str

    def signature(self, family: str, id_: str) -> str:
        return os.path.join(self.signatures, family, f"{id_}.toml")

    def problem(self, id_: str) -> str:
        return os.path.join(self.problems, f"{id_}.toml")


def layer(folder: str) -> Target:
    """A folder of one's own, as --catalogue reads it."""
    path = os.path.abspath(folder)
    if os.path.exists(path) and not os.path.isdir(path):
        raise InputError(f"--catalogue {folder!r} is a file; give a folder.")
    return Target(os.path.join(path, "signatures"), os.path.join(path, "problems"))


def checkout() -> Target | None:
    """The built-in folders, where they belong to a checkout of the sources that can be written; else None."""
    root = os.path.dirname(catalogue_files.PACKAGE)
    target = Target(catalogue_files.SHIPPED, os.path.join(knowledge_files.SHIPPED, "problems"))
    is_checkout = os.path.isfile(os.path.join(root, "pyproject.toml"))
    return target if is_checkout and os.access(target.signatures, os.W_OK) else None


def signature_files(layers: tuple[str, ...]) -> list[SignatureFile]:
    """Every readable signature with its examples, built-in ones first."""
    folders = (catalogue_files.SHIPPED, *(os.path.join(os.path.abspath(d), "signatures") for d in layers))
    loaded = (
        catalogue_files.load_file(file, check=False)
        for folder in folders
        for file in catalogue_files.signature_files(folder)
    )
    return [file for file in loaded if isinstance(file, SignatureFile)]


def editable(layers: tuple[str, ...], id_: str) -> SignatureFile:
    """The file of a signature that may be edited here: of the topmost layer that has it, or of a checkout.

    Raises InputError where there is no such signature, where its file is broken, or where it belongs to an installed
    copy.
    """
    for folder in (*(layer(d).signatures for d in reversed(layers)), catalogue_files.SHIPPED):
        for file in catalogue_files.signature_files(folder):
            if os.path.basename(file) != f"{id_}.toml":
                continue
            loaded = catalogue_files.load_file(file)
            if not isinstance(loaded, SignatureFile):
                raise InputError("; ".join(map(str, loaded)))
            if folder == catalogue_files.SHIPPED and checkout() is None:
                how = f"promote one of your own with --catalogue DIR, or {AS_CHECKOUT}"
                raise InputError(f"{id_} belongs to an installed copy; {how}.")
            return loaded
    raise InputError(f"there is no signature {id_!r}; `triage list signatures` names them.")


def replace(path: str, text: str) -> None:
    """Write a file that is there anew, in one step. Raises InputError where it cannot be written."""
    part = f"{path}.part"
    try:
        with open(part, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        shutil.copymode(path, part)
        os.replace(part, path)
    except OSError as e:
        if os.path.exists(part):
            os.remove(part)
        raise InputError(f"{path!r} cannot be written: {e.strerror or e}.") from None


def write_new(texts: dict[str, str]) -> None:
    """Write files that are not there yet, by path: all of them, each as a whole, or none.

    Raises InputError where one is there already, or cannot be made.
    """
    contents = {path: text.encode("utf-8", "replace") for path, text in texts.items()}
    made: list[str] = []
    path = ""
    try:
        for path, content in contents.items():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb"):  # the name is ours from here on
                made.append(path)
            part = f"{path}.part"
            made.append(part)
            with open(part, "wb") as file:
                file.write(content)
        for path in contents:
            os.replace(f"{path}.part", path)
        made.clear()
    except OSError as e:
        if os.path.lexists(path):
            raise InputError(f"{path!r} is there already; choose another id, or edit that file.") from None
        raise InputError(f"{path!r} cannot be written: {e.strerror or e}.") from None
    finally:
        for left in made:
            if os.path.exists(left):
                os.remove(left)
