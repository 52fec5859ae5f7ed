"""`triage list --shadow` and `--stale`: signatures that wait to be promoted, and rules to be looked at again."""

from __future__ import annotations

import argparse
import json
from datetime import datetime

from bot.authoring.rule_life import Life, Rule, life_of, rules_of, stale_rules
from bot.errors import InputError
from bot.knowledge import Known
from bot.storage import moment, present, refused
from bot.terminal import BOLD, DIM, GREEN, RED, YELLOW, Paper, paper, say, say_machine, warn
from kb.upkeep import Stale, Tally, is_ready
from signatures.model import Stage
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.store import Store


def list_rules(arguments: argparse.Namespace, known: Known) -> int:
    if arguments.unseen is not None and not (arguments.stale and 1 <= arguments.unseen <= 36_500):
        raise InputError("--unseen takes a number of days from 1 on, and belongs to --stale.")
    if arguments.words:
        raise InputError("--shadow and --stale list what there is of it; leave the words out.")
    rules, errors = rules_of(tuple(arguments.layers))
    for error in errors:
        warn(f"triage: {error}")
    with present() as store:
        life = _life(store, known)
    if arguments.stale:
        now = moment()
        stale = stale_rules(rules, known.knowledge, life, now, arguments.unseen)
        _stale(stale, life, as_json=arguments.json)
    else:
        _shadow(tuple(r for r in rules if r.file.signature.stage is Stage.SHADOW), life, as_json=arguments.json)
    return 0


def _life(store: Store | None, known: Known) -> Life:
    if store is None:  # which a copy without the extra for stores can tell as well
        return life_of(None, known.knowledge)
    with refused():
        return life_of(store, known.knowledge)


def _stale(rows: tuple[Stale, ...], life: Life, *, as_json: bool) -> None:
    if as_json:
        told = [{**r._asdict(), "last_seen": _day(r.last_seen)} for r in rows]
        say_machine(json.dumps({"schema": 1, "seeing_since": _day(life.since), "stale": told}, indent=2))
        return
    page = paper()
    page.text(f"{len(rows)} to look at" if rows else "Nothing is stale.", BOLD)
    for r in rows:
        page.blank()
        page.text(f"{r.id} ({r.kind})")
        for why in r.why:
            page.text(why, YELLOW, indent=2)
        page.field("owner", ", ".join(r.owners) or "nobody")
        if r.kind == "signature":
            page.field("last seen", _day(r.last_seen) or "never")
        page.field("due", r.review_by or "no day is stated")
    _about_store(page, life)
    say(str(page))


def _shadow(rules: tuple[Rule, ...], life: Life, *, as_json: bool) -> None:
    rows = [(r, life.tallies.get(r.file.signature.id, Tally())) for r in rules]
    if as_json:
        told = [
            {
                "id": r.file.signature.id,
                "title": r.file.signature.title,
                "owners": r.owners,
                "review_by": r.due,
                "issues": t.issues,
                "last_seen": _day(t.last),
                "right": t.right,
                "wrong": t.wrong,
                "enough": r.upkeep.promote_at,
            }
            for r, t in rows
        ]
        say_machine(json.dumps({"schema": 1, "shadow": told}, indent=2, ensure_ascii=False))
        return
    page = paper()
    page.text(f"{len(rows)} in shadow" if rows else "No signature is in shadow.", BOLD)
    for r, t in rows:
        page.blank()
        page.text(r.file.signature.id)
        page.text(r.file.signature.title, DIM, indent=2)
        page.field("seen", f"in {t.issues} report{'' if t.issues == 1 else 's'}{_last(t.last)}")
        ready = is_ready(t, r.upkeep.promote_at)
        shade = (RED,) if t.wrong else (GREEN,) if ready else ()
        said = f"right in {len(t.right)}, wrong in {len(t.wrong)}"
        page.field("reviewed", f"{said}{'; ready to be promoted' if ready else ''}", codes=shade)
        page.field("owner", ", ".join(r.owners) or "nobody")
    _about_store(page, life)
    say(str(page))


def write_upkeep(page: Paper, rule: Rule) -> None:
    """Who stands up for a signature, and until when."""
    review = rule.file.review
    if rule.reviewed is not None and rule.reviewed == review.on:
        page.field("Reviewed", f"{review.on} by {review.by}{f': {review.why}' if review.why else ''}")
    elif rule.reviewed is not None:
        page.field("Reviewed", f"{rule.reviewed}, with the whole catalogue")
    if rule.due is not None:
        page.field("Due again", rule.due)
    page.field("Owner", ", ".join(rule.owners) or "nobody")


def _about_store(page: Paper, life: Life) -> None:
    page.blank()
    since = _day(life.since)
    said = f"Reports are kept since {since}." if since else "No report is kept here, so that nothing was seen."
    page.text(said, DIM)


def _last(at: datetime | None) -> str:
    return f", the last of {_day(at)}" if at is not None else ""


def _day(at: datetime | None) -> str | None:
    return at.date().isoformat() if at is not None else None
