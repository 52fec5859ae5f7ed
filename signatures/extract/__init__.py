"""Reading a report: posts into blocks, blocks into facts and model references.

What a failure is, and what it means, is not known here.
"""

from __future__ import annotations

from signatures.extract.artifacts import read_artifacts
from signatures.extract.blocks import read_blocks
from signatures.extract.context import in_context
from signatures.extract.facts import given_fact, read_facts
from signatures.extract.vocabulary import Vocabulary
from signatures.model import IssueText, ProductNames, Report

__all__ = ["given_fact", "read_issue"]


def read_issue(issue: IssueText, vocabulary: Vocabulary, products: tuple[ProductNames, ...]) -> Report:
    """The blocks of an issue, the facts of its reporter's environment and the models it names."""
    labels = tuple(label for p in products for label in p.labels)
    blocks = in_context(issue, read_blocks(issue, vocabulary, labels))
    return Report(issue, blocks, read_facts(issue, blocks, vocabulary, products), read_artifacts(blocks))
