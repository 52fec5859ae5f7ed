"""The two catalogues that are compared, each read whole, and which of their rules differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bot.authoring import authored_files
from bot.difference.revision import Repository, Revision
from bot.errors import InputError
from bot.knowledge import Known, layered
from kb import loader as knowledge_files
from signatures import loader as catalogue_files
from signatures.extract.vocabulary import VocabularyError, load_vocabulary
from signatures.loader import LoadError, SignatureFile
from signatures.validate import QUIET, quiet_texts

_VOCABULARY = os.path.join(catalogue_files.PACKAGE, "extract", "vocabulary.toml")
_PARTS = ("signatures", "problems", "products", "observed.toml")  # of a folder of one's own


class Side(NamedTuple):
    """One catalogue: what reports are compared with, and the texts that it brings itself."""

    known: Known
    files: tuple[SignatureFile, ...]
    quiet: tuple[tuple[str, str], ...]  # name, text
    errors: tuple[LoadError, ...]


class Rule(NamedTuple):
    """What differs. kind: signature, problem, product, observed, vocabulary or noise."""

    kind: str
    id: str
    change: str  # added, removed, changed

    def __str__(self) -> str:
        return f"{self.kind} {self.id}".strip()


def sides(layers: tuple[str, ...], asked: str, home: str) -> tuple[Revision, Side, Side]:
    """The revision, and the catalogues before and after it. `home` is an empty folder to work in.

    Without `layers` they are this program's own, in a checkout; else the folders of one's own, over the same built-in
    files. Raises InputError for a revision that is none, or whose files are no catalogue for this program, and for a
    broken file of the working tree, which would look like one that was removed.
    """
    revision, before, after = _sides(layers, asked, home)
    if after.errors:
        raise InputError(f"a file of the working tree is broken: {'; '.join(map(str, after.errors))}.")
    return revision, before, after


def _sides(layers: tuple[str, ...], asked: str, home: str) -> tuple[Revision, Side, Side]:
    into = os.path.join(home, "files")
    if layers:
        return _own(layers, asked, home, into)
    if authored_files.checkout() is None:
        how = f"name a folder of your own, in a git repository, with --catalogue DIR; or {authored_files.AS_CHECKOUT}"
        raise InputError(f"this is an installed copy, of which there is one revision; {how}.")
    repository = Repository(catalogue_files.PACKAGE, home)
    revision = repository.revision(asked)
    now = {
        catalogue_files.SHIPPED: "catalogue",
        catalogue_files.NOISE: "noise.toml",
        _VOCABULARY: "vocabulary.toml",
        QUIET: "quiet",
        **{os.path.join(knowledge_files.SHIPPED, part): part for part in _PARTS[1:]},
    }
    repository.write(revision, now, into)
    before = _shipped(
        revision, *(os.path.join(into, p) for p in ("catalogue", "noise.toml", "vocabulary.toml", "quiet", ""))
    )
    after = _shipped(None, catalogue_files.SHIPPED, catalogue_files.NOISE, _VOCABULARY, QUIET, knowledge_files.SHIPPED)
    return revision, before, after


def _shipped(
    revision: Revision | None, catalogue: str, noise: str, vocabulary: str, quiet: str, knowledge: str
) -> Side:
    """A catalogue from its folders, without the shapes that only validation asks for."""
    files, errors = _signatures((catalogue,))
    lines, broken = catalogue_files.load_lines(noise)
    known_, also_broken = knowledge_files.load_knowledge((knowledge,), check=False)
    if not files:
        where = f"{revision} holds no signature" if revision is not None else "there is no signature here"
        why = f": {errors[0]}" if errors else ""
        raise InputError(f"{where} that this program can read{why}.")
    try:
        words = load_vocabulary(vocabulary)
    except (VocabularyError, OSError) as e:
        raise InputError(f"the vocabulary of {revision or 'the working tree'} is none for this program: {e}.") from None
    live = tuple(f.signature for f in files if f.signature.withdrawn is None)
    known = Known(catalogue_files.catalogue_of(live, lines), words, known_)
    texts = tuple(quiet_texts(quiet)) if os.path.isdir(quiet) else ()
    return Side(known, files, texts, (*errors, *broken, *also_broken))


def _own(layers: tuple[str, ...], asked: str, home: str, into: str) -> tuple[Revision, Side, Side]:
    """Folders of one's own, over the built-in files. The revision is that of the repository of the first one."""
    repository = Repository(layers[0], home)
    revision = repository.revision(asked)
    base = _shipped(None, catalogue_files.SHIPPED, catalogue_files.NOISE, _VOCABULARY, QUIET, knowledge_files.SHIPPED)
    old: list[str] = []
    for folder in layers:
        if os.path.commonpath((repository.top, os.path.realpath(folder))) != repository.top:
            how = "compare one at a time"
            raise InputError(f"--catalogue {folder!r} is of another repository than {layers[0]!r}; {how}.")
        name = os.path.basename(os.path.abspath(folder))
        name = f"{name}-{len(old)}" if os.path.join(into, name) in old else name
        old.append(os.path.join(into, name))
        os.makedirs(old[-1])
        wanted = {os.path.join(folder, part): os.path.join(name, part) for part in _PARTS}
        if not repository.write(revision, wanted, into) and not os.path.isdir(folder):
            raise InputError(f"--catalogue {folder!r} is no folder, now or at {revision}.")
    try:
        before = _over(base, tuple(old))
    except InputError as e:
        raise InputError(f"at {revision} there is nothing that this program can read: {e}") from None
    return revision, before, _over(base, tuple(layers))


def _over(base: Side, folders: tuple[str, ...]) -> Side:
    """The built-in files with folders of one's own on top."""
    files, _ = _signatures(tuple(os.path.join(f, "signatures") for f in folders))
    known = layered(base.known, tuple(os.path.abspath(f) for f in folders))
    every = {f.signature.id: f for f in (*base.files, *files)}
    return Side(known, tuple(every.values()), base.quiet, (*base.errors, *known.errors))


def _signatures(folders: tuple[str, ...]) -> tuple[tuple[SignatureFile, ...], tuple[LoadError, ...]]:
    found: dict[str, SignatureFile] = {}
    errors: list[LoadError] = []
    for folder in folders:
        for path in catalogue_files.signature_files(folder):
            loaded = catalogue_files.load_file(path, check=False)
            if isinstance(loaded, SignatureFile):
                found[loaded.signature.id] = loaded
            else:
                errors += loaded
    return tuple(found.values()), tuple(errors)


def changed_rules(before: Known, after: Known) -> tuple[Rule, ...]:
    """What differs between two catalogues: signatures first, as they are looked at first."""
    old, new = before.knowledge, after.knowledge
    found = [
        *_differing(
            "signature",
            {s.id: s for s in before.catalogue.signatures},
            {s.id: s for s in after.catalogue.signatures},
        ),
        *_differing("problem", {p.id: p for p in old.problems}, {p.id: p for p in new.problems}),
        *_differing("product", {p.id: p for p in old.products}, {p.id: p for p in new.products}),
    ]
    whole = (
        ("observed", old.observed, new.observed),
        ("vocabulary", before.vocabulary, after.vocabulary),
        ("noise", before.catalogue.lines, after.catalogue.lines),
    )
    found += (Rule(kind, "", "changed") for kind, was, is_ in whole if was != is_)
    return tuple(found)


def _differing(kind: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[Rule]:
    for id_ in sorted({*old, *new}):
        if old.get(id_) != new.get(id_):
            yield Rule(kind, id_, "added" if id_ not in old else "removed" if id_ not in new else "changed")
