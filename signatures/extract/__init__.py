"""Reading a report: posts into blocks, blocks into facts and model references.

What a failure is, and what it means, is not known here.
"""

from __future__ import annotations

from signatures.extract.artifacts import read_artifacts
from signatures.extract.blocks import read_blocks
from signatures.extract.context import in_context
from signatures.extract.facts import given_fact, read_facts, spoken
from signatures.extract.vocabulary import Vocabulary
from signatures.model import Fact, IssueText, ProductNames, Report

__all__ = ["given_fact", "read_issue"]


def read_issue(
    issue: IssueText, vocabulary: Vocabulary, products: tuple[ProductNames, ...], given: tuple[Fact, ...] = ()
) -> Report:
    """The blocks of an issue, the facts of its reporter's environment, after those that are `given`, and the models it
    names."""
    labels = tuple(label for p in products for label in p.labels)
    blocks = in_context(issue, read_blocks(issue, vocabulary, labels))
    facts = (*given, *read_facts(issue, blocks, vocabulary, products))
    named = _names_a_runtime(issue, facts, vocabulary)
    words = () if _is_at_home(issue, vocabulary) else vocabulary.field
    return Report(issue, blocks, facts, read_artifacts(blocks), named, words)


def _is_at_home(issue: IssueText, vocabulary: Vocabulary) -> bool:
    """Whether the report's place is a runtime's own, or its maintainers say that reports there are about one."""
    repository = (issue.ref or "").partition("#")[0].casefold()
    place = "\n".join((repository, *issue.about)).casefold()
    filed = any(name == repository and value not in vocabulary.others for _, value, name in vocabulary.filed)
    return filed or any(word in place for word in vocabulary.field)


def _names_a_runtime(issue: IssueText, facts: tuple[Fact, ...], vocabulary: Vocabulary) -> bool:
    """Whether a report speaks of what this catalogue is about: a runtime, or a product, which is no key of the
    vocabulary."""
    if any(f.key not in vocabulary.keys or (f.key == "runtime" and f.value not in vocabulary.others) for f in facts):
        return True
    text = spoken(issue)
    for mark in "_-.":  # Markdown's escapes
        text = text.replace("\\" + mark, mark)
    return any(word in text for word in vocabulary.field)
