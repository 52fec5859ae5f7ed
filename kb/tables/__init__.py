"""The tables of the store, the same on SQLite and PostgreSQL.

Authored tables mirror reviewed files and are rebuilt by `sync`; observed tables are written row by row, each row with
its source. No key leads from an observed table to an authored one, so that rebuilding never touches what was seen.
"""

from __future__ import annotations

from kb.tables.authored import (
    AffectedRow,
    AliasRow,
    FixChangeRow,
    FixRow,
    ProblemRow,
    ProductRow,
    RefRow,
    SignatureRow,
    SymptomRow,
)
from kb.tables.observed import (
    BundleSeen,
    ChangeSeen,
    FindingSeen,
    IssueSeen,
    ReleaseSeen,
    Sighting,
    Verdict,
)
from kb.tables.stored import Stored
from kb.tables.work import (
    Activity,
    Conversation,
    Heard,
    Inbox,
    IssueLease,
    JobRun,
    Outbox,
    ProposalRow,
    RememberedRow,
    Searchable,
)

__all__ = [
    "Activity",
    "AffectedRow",
    "AliasRow",
    "BundleSeen",
    "ChangeSeen",
    "Conversation",
    "FindingSeen",
    "FixChangeRow",
    "FixRow",
    "Heard",
    "Inbox",
    "IssueLease",
    "IssueSeen",
    "JobRun",
    "Outbox",
    "ProblemRow",
    "ProductRow",
    "ProposalRow",
    "RefRow",
    "ReleaseSeen",
    "RememberedRow",
    "Searchable",
    "Sighting",
    "SignatureRow",
    "Stored",
    "SymptomRow",
    "Verdict",
]
