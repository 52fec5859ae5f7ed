"""Reports for tests, built by hand: one block, stated facts."""

from __future__ import annotations

from signatures.model import BlockKind, Fact, IssueText, LogBlock, Post, Report, Role, Source, Span


def block(text: str, *, kind: BlockKind = BlockKind.FENCE, role: Role = Role.REPORTER, post: int = 0) -> LogBlock:
    return LogBlock(kind, Span(post, 0, len(text)), text, role)


def fact(
    key: str, value: str, source: Source = Source.FORM, *, span: Span | None = None, at: int | None = None
) -> Fact:
    return Fact(key, value, source, value, span, at)


def report(*blocks: LogBlock, facts: tuple[Fact, ...] = ()) -> Report:
    """A report of these blocks, one post each."""
    placed = tuple(b._replace(span=b.span._replace(post=i)) for i, b in enumerate(blocks))
    return Report(IssueText("", tuple(Post(b.role, b.raw) for b in placed)), placed, facts, ())
