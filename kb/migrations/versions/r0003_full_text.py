"""Full text over problems, sightings and unexplained lines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "searchable",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("ref", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_searchable")),
        sa.UniqueConstraint("kind", "ref", name=op.f("uq_searchable_kind_ref")),
    )
    if op.get_context().dialect.name == "sqlite":
        _sqlite()
    else:
        _postgresql()


def _sqlite() -> None:
    """An index beside the table, kept by triggers: https://www.sqlite.org/fts5.html#external_content_tables ."""
    op.execute(
        "CREATE VIRTUAL TABLE searchable_fts USING fts5"
        "(title, body, content='searchable', content_rowid='id', tokenize='unicode61')"
    )
    add = "INSERT INTO searchable_fts(rowid, title, body) VALUES (new.id, new.title, new.body);"
    drop = (
        "INSERT INTO searchable_fts(searchable_fts, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);"
    )
    op.execute(f"CREATE TRIGGER searchable_added AFTER INSERT ON searchable BEGIN {add} END")
    op.execute(f"CREATE TRIGGER searchable_gone AFTER DELETE ON searchable BEGIN {drop} END")
    op.execute(f"CREATE TRIGGER searchable_changed AFTER UPDATE ON searchable BEGIN {drop} {add} END")


def _postgresql() -> None:
    """The configuration `simple` neither stems nor drops words: error texts are no prose."""
    words = "setweight(to_tsvector('simple', title), 'A') || to_tsvector('simple', body)"
    op.execute(f"ALTER TABLE searchable ADD COLUMN words tsvector GENERATED ALWAYS AS ({words}) STORED")
    op.execute("CREATE INDEX ix_searchable_words ON searchable USING gin (words)")
