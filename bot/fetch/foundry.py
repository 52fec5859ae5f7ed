"""Where a model of the Foundry catalogue can be read, from the table bot/foundry_locations.toml.

The catalogue's own download needs its client; a model that the table does not know is not guessed at.
"""

from __future__ import annotations

import os
import tomllib

from bot.fetch.references import Foundry
from signatures.artifact.source import SourceError

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "foundry_locations.toml")


class NotFetchable(SourceError):
    """Known by name, and not published where it could be read from here."""


def location(model: Foundry, table: str = TABLE) -> str:
    """The reference under which the same files are published. Raises NotFetchable."""
    with open(table, "rb") as file:
        rows = tomllib.load(file).get("location", [])
    for row in rows:
        if row["name"].casefold() == model.name.casefold() and row.get("revision") in (None, model.revision):
            return str(row["ref"])
    shown = f"{model.name}:{model.revision}" if model.revision else model.name
    why = "is a model of the Foundry catalogue, which cannot be fetched from here; give the folder of its local copy"
    raise NotFetchable(f"{shown} {why}", name=shown)
