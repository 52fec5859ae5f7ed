"""What reviewed files say, and what was observed of releases and changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "product",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("scheme", sa.String(), nullable=False),
        sa.Column("repo", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_product")),
    )
    op.create_table(
        "product_alias",
        sa.Column("product", sa.String(), nullable=False),
        sa.Column("alias", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["product"], ["product.id"], name=op.f("fk_product_alias_product")),
        sa.PrimaryKeyConstraint("product", "alias", name=op.f("pk_product_alias")),
    )
    op.create_table(
        "signature",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("withdrawn", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signature")),
    )
    op.create_table(
        "problem",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("workarounds", sa.JSON(), nullable=False),
        sa.Column("checks", sa.JSON(), nullable=False),
        sa.Column("review_by", sa.String(), nullable=True),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("withdrawn", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_problem")),
    )
    op.create_index(op.f("ix_problem_status"), "problem", ["status"], unique=False)
    op.create_table(
        "problem_symptom",
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["problem"], ["problem.id"], name=op.f("fk_problem_symptom_problem")),
        sa.ForeignKeyConstraint(["signature"], ["signature.id"], name=op.f("fk_problem_symptom_signature")),
        sa.PrimaryKeyConstraint("problem", "position", name=op.f("pk_problem_symptom")),
    )
    op.create_index(op.f("ix_problem_symptom_signature"), "problem_symptom", ["signature"], unique=False)
    op.create_table(
        "problem_ref",
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("ref", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["problem"], ["problem.id"], name=op.f("fk_problem_ref_problem")),
        sa.PrimaryKeyConstraint("problem", "position", name=op.f("pk_problem_ref")),
    )
    op.create_index(op.f("ix_problem_ref_ref"), "problem_ref", ["ref"], unique=False)
    op.create_table(
        "problem_affected",
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("component", sa.String(), nullable=False),
        sa.Column("introduced", sa.String(), nullable=True),
        sa.Column("fixed", sa.String(), nullable=True),
        sa.Column("versions", sa.JSON(), nullable=False),
        sa.Column("ref", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["problem"], ["problem.id"], name=op.f("fk_problem_affected_problem")),
        sa.PrimaryKeyConstraint("problem", "position", name=op.f("pk_problem_affected")),
    )
    op.create_index(op.f("ix_problem_affected_component"), "problem_affected", ["component"], unique=False)
    op.create_table(
        "problem_fix",
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("component", sa.String(), nullable=True),
        sa.Column("merged", sa.String(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("ref", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["problem"], ["problem.id"], name=op.f("fk_problem_fix_problem")),
        sa.PrimaryKeyConstraint("problem", "position", name=op.f("pk_problem_fix")),
    )
    op.create_table(
        "problem_fix_change",
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("fix", sa.Integer(), nullable=False),
        sa.Column("change", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["problem"], ["problem.id"], name=op.f("fk_problem_fix_change_problem")),
        sa.PrimaryKeyConstraint("problem", "fix", "change", name=op.f("pk_problem_fix_change")),
    )
    op.create_index(op.f("ix_problem_fix_change_change"), "problem_fix_change", ["change"], unique=False)
    op.create_table(
        "release_seen",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("product", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("date", sa.String(), nullable=True),
        sa.Column("by", sa.String(), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_seen")),
        sa.UniqueConstraint("product", "version", "source", name=op.f("uq_release_seen_product_version_source")),
    )
    op.create_table(
        "bundle_seen",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("product", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("component", sa.String(), nullable=False),
        sa.Column("component_version", sa.String(), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bundle_seen")),
        sa.UniqueConstraint(
            "product", "version", "component", "source", name=op.f("uq_bundle_seen_product_version_component_source")
        ),
    )
    op.create_index(op.f("ix_bundle_seen_component"), "bundle_seen", ["component"], unique=False)
    op.create_table(
        "change_seen",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("change", sa.String(), nullable=False),
        sa.Column("component", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("carried", sa.Boolean(), nullable=True),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("date", sa.String(), nullable=True),
        sa.Column("confidence", sa.String(), nullable=False),
        sa.Column("read_to", sa.String(), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_seen")),
        sa.UniqueConstraint(
            "change", "component", "version", "source", name=op.f("uq_change_seen_change_component_version_source")
        ),
    )
