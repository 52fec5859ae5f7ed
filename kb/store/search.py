"""Full text over problems, sightings and unexplained lines: FTS5 on SQLite, tsvector on PostgreSQL.

The words of a user are never read as a query language: each is a quoted phrase of letters and digits. The order of
the rows differs between the engines.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from kb.records import Similar
from kb.store.engine import Opened

PROBLEM, SIGHTING, UNEXPLAINED = "problem", "sighting", "unexplained"
_LONGEST = 8000  # characters of one text; a tsvector takes a megabyte
_MOST_WORDS = 24
_COMMON = (
    "the and for with from this that was not are has have when while error failed failure exception warning info "
    "false true null none http https www"
)

_SQLITE = """
SELECT s.kind, s.ref, s.title, s.body FROM searchable_fts f JOIN searchable s ON s.id = f.rowid
WHERE searchable_fts MATCH :query ORDER BY bm25(searchable_fts, 4.0, 1.0), s.id LIMIT :most
"""
_POSTGRESQL = """
SELECT s.kind, s.ref, s.title, s.body FROM searchable s, websearch_to_tsquery('simple', :query) q
WHERE s.words @@ q ORDER BY ts_rank(s.words, q, 1) DESC, s.id LIMIT :most
"""


def searchable(kind: str, ref: str, title: str, body: str) -> dict[str, Any]:
    """A row of the table that full text is over."""
    return {"kind": kind, "ref": ref, "title": _clean(title)[:400], "body": _clean(body)[:_LONGEST]}


def _clean(words: str) -> str:
    return words.replace("\0", " ")  # PostgreSQL keeps no such character


def terms(words: str) -> tuple[str, ...]:
    """The words to look for, the longest first: those tell most. () where there is none."""
    plain = "".join(c if c.isalnum() and c.isprintable() else " " for c in words[: 4 * _LONGEST].casefold())
    common = frozenset(_COMMON.split())
    found = dict.fromkeys(w for w in plain.split() if 3 <= len(w) <= 64 and w not in common and not w.isdigit())
    return tuple(sorted(found, key=lambda w: (-len(w), w))[:_MOST_WORDS])


class Search(Opened):
    def similar(self, words: str, most: int = 5) -> tuple[Similar, ...]:
        """What is nearest to a text by its words, nearest first. Near is not the same: nothing is claimed by it."""
        found = terms(words)
        if not found:
            return ()
        sqlite = self.engine.dialect.name == "sqlite"
        query = (" OR " if sqlite else " or ").join(f'"{w}"' for w in found)
        with self._reading() as session:
            rows = session.execute(text(_SQLITE if sqlite else _POSTGRESQL), {"query": query, "most": most}).all()
        return tuple(Similar(kind, ref, title, _excerpt(body, found)) for kind, ref, title, body in rows)


def _excerpt(body: str, found: tuple[str, ...]) -> str:
    """The line that shares most with what was asked."""
    lines = [line for line in body.splitlines() if line.strip()]
    if not lines:
        return ""
    best = max(lines, key=lambda line: sum(len(w) for w in found if w in line.casefold()))
    return " ".join(best.split())[:300]
