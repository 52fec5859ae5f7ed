"""All that is known, ready for use: the built-in folders with the caller's own on top, compiled once and kept.

The compiled form is plain JSON in the caller's cache folder. It is never needed: where it is missing, broken,
somebody else's, or older than a file it was made from, everything is read again, and an unwritable folder only
means that the next run reads again too. It judges no report.
"""

from __future__ import annotations

import os

from bot import config
from bot.errors import InputError
from bot.knowledge.cache import load as load_cached
from bot.knowledge.cache import store as store_cached
from kb import loader as knowledge_files
from kb.model import Knowledge
from signatures import loader as signature_files
from signatures.extract import vocabulary as words
from signatures.extract.vocabulary import Vocabulary
from signatures.loader import Catalogue, LoadError
from signatures.model import ProductNames, Stage
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


class Known(NamedTuple):
    """What a report is compared with. `errors` names what is broken in the caller's own folders."""

    catalogue: Catalogue
    vocabulary: Vocabulary
    knowledge: Knowledge
    errors: tuple[LoadError, ...] = ()

    @property
    def titles(self) -> dict[str, str]:
        """The title of each signature."""
        return {s.id: s.title for s in self.catalogue.signatures}

    @property
    def names(self) -> tuple[ProductNames, ...]:
        """How reporters write each product."""
        return product_names(self.knowledge)


def promoted(known: Known) -> Known:
    """As if every signature in shadow had been promoted."""
    signatures = tuple(s._replace(stage=Stage.PROMOTED) for s in known.catalogue.signatures)
    return known._replace(catalogue=known.catalogue._replace(signatures=signatures))


def digest_of(known: Known) -> str:
    """What tells one state of knowledge from another one, wherever and whenever it is read."""
    import json
    from hashlib import sha256

    return sha256(json.dumps(_to_plain(known), sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def product_names(knowledge: Knowledge) -> tuple[ProductNames, ...]:
    """How reporters write each product, for the extraction, which does not know products of itself."""
    return tuple(
        ProductNames(p.id, p.aliases, p.labels, spoken=p.spoken)
        if p.version is None
        else ProductNames(p.id, p.aliases, p.labels, p.version, p.spoken)
        for p in knowledge.products
    )


def load_known(layers: tuple[str, ...] = (), *, newer: bool = True) -> Known:
    """Everything built in with what the store has seen since, and what the folders of `layers` add or replace.

    The store's rows come from a file that whoever writes to it leaves behind, so that no database is opened here;
    `newer` false leaves them out. A broken file is named in `errors` and the rest is used. Raises InputError where a
    layer is no folder, or holds nothing but broken files.
    """
    folders = tuple(_layer(folder) for folder in layers)
    snapshot = config.snapshot_file() if newer else None
    cached = load_cached(folders, snapshot)
    if cached is not None:
        known = _from_plain(cached)
        if known is not None:
            return known
    known = _read(folders, snapshot)
    if not known.errors:
        store_cached(folders, _to_plain(known), snapshot)
    return known


def _layer(folder: str) -> str:
    path = os.path.abspath(folder)
    if not os.path.isdir(path):
        how = f"`triage new ID --from ... --catalogue {folder}` makes one."
        raise InputError(f"--catalogue {folder!r} is no folder; {how}")
    return path


def _read(folders: tuple[str, ...], snapshot: str | None) -> Known:
    # the built-in files were checked before they shipped; checking them again would cost each cold start the checker
    catalogue, broken = signature_files.load_catalogue(check=False)
    knowledge, also_broken = knowledge_files.load_knowledge(check=False)
    known = Known(catalogue, words.load_vocabulary(), knowledge, (*broken, *also_broken))
    if snapshot is not None:
        known = _with_newer(known, snapshot)
    return layered(known, folders) if folders else known


def _with_newer(known: Known, snapshot: str) -> Known:
    """What the store has seen, over what shipped."""
    from kb.observations import newer

    seen, errors = knowledge_files.load_observed(snapshot)
    knowledge = known.knowledge._replace(observed=newer(known.knowledge, known.knowledge.observed, seen))
    return known._replace(knowledge=knowledge, errors=(*known.errors, *errors))


def layered(known: Known, folders: tuple[str, ...]) -> Known:
    """`known` with what folders of one's own add or replace. Raises InputError where they hold nothing but broken
    files."""
    own, errors = signature_files.load_catalogue(tuple(os.path.join(f, "signatures") for f in folders))
    own_knowledge, more = knowledge_files.load_knowledge(folders, check=True)
    errors = (*errors, *more)
    if errors and not (own.signatures or own_knowledge.problems or own_knowledge.products):
        raise InputError("; ".join(map(str, errors)))
    signatures = {s.id: s for s in (*known.catalogue.signatures, *own.signatures)}
    return known._replace(
        catalogue=signature_files.catalogue_of(tuple(signatures.values()), known.catalogue.lines, known.catalogue.lone),
        knowledge=knowledge_files.layer(known.knowledge, own_knowledge),
        errors=(*known.errors, *errors),
    )


def _to_plain(known: Known) -> dict[str, Any]:
    return {
        "catalogue": signature_files.to_plain(known.catalogue),
        "vocabulary": words.to_plain(known.vocabulary),
        "knowledge": knowledge_files.to_plain(known.knowledge),
    }


def _from_plain(data: dict[str, Any]) -> Known | None:
    try:
        return Known(
            signature_files.from_plain(data["catalogue"]),
            words.from_plain(data["vocabulary"]),
            knowledge_files.from_plain(data["knowledge"]),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None
