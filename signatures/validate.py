"""Whether signature files keep their promises: shape, examples, near misses, no firing where nothing is wrong.

Every complaint names the file, the key or example, and what to do. Nothing is changed here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TypeVar

from signatures.extract import given_fact, read_issue
from signatures.extract.vocabulary import Vocabulary, canonical, values_of
from signatures.index import View, literal, signature_anchors
from signatures.literals import MIN_ANCHOR, Kind, anchors, tokens
from signatures.loader import PACKAGE, SHIPPED, Catalogue, Known, LoadError, SignatureFile, catalogue_of
from signatures.matcher import match_block, match_report
from signatures.model import Example, IssueText, Match, Post, ProductNames, Report, Role, Signature
from signatures.values import NamedTuple

QUIET = os.path.join(PACKAGE, "quiet")
MAX_SHARE = 0.01  # of the quiet corpus' lines may contain an anchor


class Reading(NamedTuple):
    """What turns an example's text into a report: the same extraction as for an issue."""

    vocabulary: Vocabulary
    products: tuple[ProductNames, ...]

    def report(self, text: str, facts: Iterable[tuple[str, str]] = (), *, markdown: bool = False) -> Report:
        """Raises ValueError for a fact key that the vocabulary does not know."""
        issue = IssueText("", (Post(Role.REPORTER, text, markdown=markdown),))
        given = tuple(given_fact(k, v, self.vocabulary, self.products) for k, v in facts)
        return read_issue(issue, self.vocabulary, self.products, given)

    def example(self, example: Example) -> Report:
        """An example as what it is: an excerpt of a report that names its runtime, or all of one, in Markdown.

        Raises ValueError for a fact key that the vocabulary does not know.
        """
        report = self.report(example.text, example.facts, markdown=example.whole)
        return report._replace(named=report.named or not example.whole)


class Searched(NamedTuple):
    """A report with its blocks as searched, so that many signatures can be tried on it."""

    report: Report
    views: tuple[View, ...]


def quiet_corpus(folder: str = QUIET) -> list[str]:
    """Texts in which no signature may fire."""
    return [text for _, text in quiet_texts(folder)]


def quiet_texts(folder: str) -> Iterator[tuple[str, str]]:
    """The same, each with its file and its number in it."""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                texts = (t for t in f.read().split("\n---\n") if t.strip())
                yield from ((f"{name} {i}", text) for i, text in enumerate(texts, 1))


def validate(
    files: Iterable[SignatureFile], catalogue: Catalogue, reading: Reading, quiet: list[str] | None = None
) -> Iterator[LoadError]:
    """Everything wrong with some files, judged against the whole catalogue that they will work in."""
    files = list(files)
    texts = quiet_corpus() if quiet is None else quiet
    healthy = [_search(reading.report(t)) for t in texts]
    wrappers = [(line, _search(reading.report(line.text))) for line in catalogue.lines]
    quiet_lines = [literal(line) for t in texts for line in t.splitlines() if line.strip()]
    for file in files:
        complaints = (
            _file_complaints(file, catalogue, reading),
            _pattern_complaints(file.signature, quiet_lines),
            _silence_complaints(file.signature, healthy, wrappers),
        )
        for key, message in (c for some in complaints for c in some):
            yield LoadError(file.file, key, None, message)


T = TypeVar("T")
Complaint = tuple[str, str]  # key, message


def _file_complaints(file: SignatureFile, catalogue: Catalogue, reading: Reading) -> Iterator[Complaint]:
    name = os.path.splitext(os.path.basename(file.file))[0]
    if name != file.signature.id:
        yield "id", f"is {file.signature.id}, the file is called {name}: give both one name"
    yield from _key_complaints(file, reading.vocabulary)
    yield from _example_complaints(file, reading)
    yield from _clause_complaints(file, reading)
    yield from _cross_complaints(file, catalogue, reading)


def _silence_complaints(
    signature: Signature, healthy: list[Searched], wrappers: list[tuple[Known, Searched]]
) -> Iterator[Complaint]:
    for line, text in wrappers:
        if _shown(signature, text):
            kind = "an envelope" if line.envelope else "a noise line"
            yield "match", f"fires on {kind} alone ({line.text!r}): require words of the failure itself"
    for text in healthy:
        if _shown(signature, text):
            words = " ".join(text.report.issue.posts[0].text.split())[:120]
            yield "match", f"fires in the quiet corpus, on: {words}"


def _pattern_complaints(signature: Signature, quiet_lines: list[str]) -> Iterator[Complaint]:
    for i, pattern in enumerate(signature.regex):
        found = anchors(pattern)
        if not found or min(map(len, found)) < MIN_ANCHOR:
            said = ", ".join(repr(a) for a in found) or "none"
            why = f"requires no literal of {MIN_ANCHOR} characters (longest: {said})"
            yield f"match.regex[{i}]", f"{why}: name more of the printed words"
        if any(t.text == "." and t.quantifier[:1] in ("*", "+") for t in tokens(pattern) if t.kind is Kind.OTHER):
            yield f"match.regex[{i}]", "has an unbounded gap (.* or .+), which joins unrelated lines: write .{0,200}"
    if not signature.regex and max(len(literal(text)) for text in signature.all) < MIN_ANCHOR:
        yield "match.all", f"no text has {MIN_ANCHOR} characters: name more of the printed words"
    for anchor in signature_anchors(signature) if signature.shared is None else ():
        share = sum(anchor in line for line in quiet_lines) / max(len(quiet_lines), 1)
        if share > MAX_SHARE:
            percent = f"{share:.0%} of the quiet corpus' lines"
            yield "match", f"its rarest text {anchor!r} stands in {percent}: name words that only the failure prints"


def _key_complaints(file: SignatureFile, vocabulary: Vocabulary) -> Iterator[Complaint]:
    known = vocabulary.keys
    for when in file.signature.when:
        if when.key not in known:
            yield f"when.{when.key}", f"is no key of the vocabulary; valid: {', '.join(sorted(known))}"
            continue
        for value in (*when.any, *when.none):
            proper = canonical(vocabulary, when.key, value)
            if proper is None:
                valid = ", ".join(sorted(values_of(vocabulary, when.key)))
                how = f"; valid: {valid}" if when.key not in vocabulary.open_keys else ""
                yield f"when.{when.key}", f"{value!r} is no value of the vocabulary{how}"
            elif proper != value:
                yield f"when.{when.key}", f"{value!r} is written {proper!r} in this vocabulary"


def _count_complaints(file: SignatureFile) -> Iterator[Complaint]:
    """One positive and two near misses at least; of a signature that ships with the program two and three."""
    shipped = os.path.abspath(file.file).startswith(SHIPPED + os.sep)
    positives = sum(e.match for e in file.examples)
    misses = len(file.examples) - positives
    if not positives:
        yield "example", "there is no positive example: add the printed text that shows the failure"
    elif shipped and positives < 2:
        yield "example", "fewer than two positive examples: a shipped signature shows the failure in two texts"
    wanted, named = (3, "three") if shipped else (2, "two")
    if misses < wanted:
        yield "example", f"fewer than {named} near misses (match = false): add texts that are close and must not fire"


def _example_complaints(file: SignatureFile, reading: Reading) -> Iterator[Complaint]:
    yield from _count_complaints(file)
    for i, example in enumerate(file.examples):
        key = f"example[{i}]"
        try:
            matches = shows(file.signature, reading.example(example))
        except ValueError as e:
            yield f"{key}.facts", str(e)
            continue
        if example.match and not matches:
            yield key, f"should match and does not: {_first_failure(file.signature, reading, example)}"
        elif not example.match and matches:
            yield key, "must not match and does: add the clause that tells it apart"
        elif example.match:
            wanted = dict(example.expect)
            if not any(wanted.items() <= dict(m.captures).items() for m in matches):
                found = " or ".join(str(dict(m.captures)) for m in matches)
                yield f"{key}.expect", f"captures are {found}, not {wanted}"
        if not example.match and not example.why:
            yield f"{key}.why", "is missing: say which clause this near miss fails"


def _clause_complaints(file: SignatureFile, reading: Reading) -> Iterator[Complaint]:
    """Each clause must be needed: without it, some near miss would fire."""
    misses: list[Searched] = []
    for example in file.examples:
        if not example.match:
            try:
                misses.append(_search(reading.example(example)))
            except ValueError:
                continue  # said by _example_complaints
    for clause, without in drop_each_clause(file.signature):
        if not any(_shown(without, text) for text in misses):
            yield clause, "is not needed by any near miss: add one that only this clause refuses, or drop the clause"


def drop_each_clause(signature: Signature) -> Iterator[tuple[str, Signature]]:
    """The signature without each of its clauses in turn."""
    for i in range(len(signature.all)):
        yield f"match.all[{i}]", signature._replace(all=_without(signature.all, i))
    if signature.any:
        yield "match.any", signature._replace(any=())
    for i in range(len(signature.none)):
        yield f"match.none[{i}]", signature._replace(none=_without(signature.none, i))
    for i in range(len(signature.regex)):
        yield f"match.regex[{i}]", signature._replace(regex=_without(signature.regex, i))
    for i, when in enumerate(signature.when):
        if when.known and not when.any and not when.none:
            continue  # it refuses nothing: it keeps a match at possible
        yield f"when.{when.key}", signature._replace(when=_without(signature.when, i))
    if signature.shared is not None:
        yield "shared", signature._replace(shared=None)


def _without(values: tuple[T, ...], i: int) -> tuple[T, ...]:
    return (*values[:i], *values[i + 1 :])


def _cross_complaints(file: SignatureFile, catalogue: Catalogue, reading: Reading) -> Iterator[Complaint]:
    allowed = {file.signature.id, *file.overlaps}
    others = catalogue_of(tuple(s for s in catalogue.signatures if s.id not in allowed))
    for i, example in enumerate(file.examples):
        if example.match:
            for match in match_report(reading.example(example._replace(facts=())), others):
                yield (
                    f"example[{i}]",
                    (f"also fires {match.signature}: tell them apart, or declare overlaps = [{match.signature!r}]"),
                )


def shows(signature: Signature, report: Report) -> list[Match]:
    """The matches of one signature in a report, in any block."""
    return _shown(signature, _search(report))


def _search(report: Report) -> Searched:
    return Searched(report, tuple(View(block) for block in report.blocks))


def _shown(signature: Signature, text: Searched) -> list[Match]:
    return [m for i, view in enumerate(text.views) for m in match_block(signature, view, text.report, i)]


def _first_failure(signature: Signature, reading: Reading, example: Example) -> str:
    from signatures.explain import explain

    failed = next((r for r in explain(reading.example(example), signature).reasons if r.held is False), None)
    return f"{failed.clause} fails ({failed.detail})" if failed else "no block holds every clause"
