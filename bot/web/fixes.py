"""Which fix has reached which product, as a table: what `triage status` says, with a column for each product."""

from __future__ import annotations

from typing import NamedTuple

from bot.reach import Reach, reach_of
from bot.upstream.asking import repositories
from bot.upstream.mirrors import kept_mirrors
from bot.upstream.reading import read_graph
from bot.watching.facts import forge_facts, watched_changes
from kb.graph.board import BoardRow, ChangeRow, ProductRow, board
from kb.graph.trace import split_change
from kb.model import Knowledge
from kb.store import Store


class Cell(NamedTuple):
    """What one product has of a fix. `state`: fixed, undated (fixed, and no day is known to compare with), latest (at
    the latest in `version`), waiting, or unseen (no release seen carries it). `days` count from the merge."""

    state: str
    version: str | None = None
    date: str | None = None
    days: int | None = None
    affected: tuple[str, ...] = ()


class Made(NamedTuple):
    """A change of a repository."""

    change: str
    state: str
    merged: str | None


class FixRow(NamedTuple):
    """`changes` is empty for a fix that is known by its release alone, and several are those of which no release is
    known. `cells` are by product."""

    changes: tuple[Made, ...]
    component: str | None = None
    release: str | None = None
    released: str | None = None
    cells: dict[str, Cell] = {}  # noqa: RUF012 - never changed


class Fixed(NamedTuple):
    """A problem with its fixes."""

    problem: str
    title: str
    sightings: int | None
    disputed: tuple[str, ...]
    rows: tuple[FixRow, ...]

    @property
    def order(self) -> tuple[bool, bool, str]:
        cells = [cell for row in self.rows for cell in row.cells.values()]
        return all(cell.state not in ("waiting", "unseen") for cell in cells), not cells, self.problem


class FixTable(NamedTuple):
    """`products` are the columns: id and title. `elsewhere`: problems that no release settles, with their remedies."""

    products: tuple[tuple[str, str], ...]
    problems: tuple[Fixed, ...]
    elsewhere: tuple[BoardRow, ...]


def fix_table(knowledge: Knowledge, store: Store, day: str | None, today: str) -> FixTable:
    """`day` asks for what had been released by then; `today` is what waiting counts to without it."""
    repos = repositories(knowledge)
    facts = forge_facts(store, repos, watched_changes(knowledge))
    graph = read_graph(knowledge, kept_mirrors(repos), facts=facts).graph
    table = board(graph, knowledge.problems, None, day, today, store.open_sightings())
    titles = {p.id: p.title for p in knowledge.products}
    authored = {p.id: p for p in knowledge.problems}
    problems: list[Fixed] = []
    elsewhere: list[BoardRow] = []
    for row in table:
        rows = [_of_change(change) for change in row.changes if change.component]
        if not rows:
            rows = [_of_reach(r, titles, day) for r in reach_of(authored[row.problem], knowledge) if r.fixed]
        unplaced = tuple(_made(change) for change in row.changes if not change.component)
        rows += [FixRow(unplaced)] if unplaced else []
        disputed = tuple(f"{d.product} {d.version}: {d.why}" for d in row.disputes)
        if rows:
            problems.append(Fixed(row.problem, row.title, row.open_sightings, disputed, tuple(rows)))
        else:
            elsewhere.append(row)
    columns = {name for fixed in problems for row in fixed.rows for name in row.cells}
    products = sorted((name, titles.get(name, name)) for name in columns)
    return FixTable(tuple(products), tuple(sorted(problems, key=lambda f: f.order)), tuple(elsewhere))


def address_of(change: str, server: str) -> str:
    """The page of a change."""
    repo, number, sha = split_change(change)
    return f"{server}/{repo}/pull/{number}" if number is not None else f"{server}/{repo}/commit/{sha}"


def _made(change: ChangeRow) -> Made:
    return Made(change.change, change.state, change.merged_at[:10] if change.merged_at else None)


def _of_change(change: ChangeRow) -> FixRow:
    release = change.first_release or (f"at the latest {change.at_latest}" if change.at_latest else None)
    cells = {p.product: _cell(p) for p in change.products}
    day = f"by {change.released_at}" if change.released_at and change.bound else change.released_at
    return FixRow((_made(change),), change.component, release, day, cells)


def _cell(p: ProductRow) -> Cell:
    if p.first_fixed:
        return Cell("fixed", p.first_fixed, p.first_fixed_at, p.waited, p.affected)
    if p.at_latest:
        return Cell("latest", p.at_latest)
    return Cell("waiting", days=p.waited, affected=p.affected)


def _of_reach(reach: Reach, titles: dict[str, str], day: str | None) -> FixRow:
    """A fix that is known by the release that has it. What has the fault may itself be what people install."""
    there = _dated(reach.fixed, reach.date, day)
    if not reach.products and reach.component in titles:
        return FixRow((), cells={reach.component: there})
    cells = {p.product: _dated(p.version, p.date, day) for p in reach.products}
    return FixRow((), reach.component, there.version, there.date, cells)


def _dated(version: str | None, date: str | None, day: str | None) -> Cell:
    if version is None or (day is not None and date is not None and date > day):
        return Cell("unseen")
    return Cell("undated" if day is not None and date is None else "fixed", version, date)
