"""A first version of a signature, made from one report: its words, a positive example, and near misses.

It proposes; the author decides which words every such failure prints. It writes nothing.
"""

from __future__ import annotations

from bot.terminal import printable
from signatures.extract.redact import redact
from signatures.index import literal
from signatures.linear import linear
from signatures.loader import Catalogue, SignatureFile
from signatures.matcher import match_report
from signatures.model import BlockKind, Example, LogBlock, Report, Role, Signature
from signatures.unexplained import error_lines
from signatures.validate import Reading, shows
from signatures.values import NamedTuple

SHORTEST = 8  # characters of a literal that is worth searching for
LONGEST = 160
LINES_BEFORE, LINES_AFTER = 8, 16  # of the printed text, kept around the line of the error
LONGEST_EXAMPLE = 4_000
_NEAREST = 2

# What changes from one failure to the next: quoted names, names in parentheses, paths, placeholders, and every word
# with a digit in it
_VARIABLE = (
    r"\"[^\"\n]{0,200}\"|'[^'\s]{0,200}'|\([^()\s]{1,200}\)|<[^<>\s]{1,60}>|\[[^\[\]\s]{1,80}\]"
    r"|(?:[A-Za-z]:)?[\\/]\S+|\S*[\w.-]+[\\/][\w./\\-]+|\S*\d\S*"
)
_FRAME = r"^\s*(?:at |in |from |File \"|#\d+ |\d+: |\^|-+ End of)"


class Draft(NamedTuple):
    signature: Signature
    examples: tuple[Example, ...]
    overlaps: tuple[str, ...]  # signatures that the text shows already
    family: str | None  # of the nearest signature there is
    facts: tuple[tuple[str, str], ...]


class NothingStable(ValueError):
    """No line of the report has words that another failure of its kind would repeat."""


def draft_signature(
    id_: str, title: str | None, report: Report, catalogue: Catalogue, files: list[SignatureFile], reading: Reading
) -> Draft:
    """A signature on the most telling line of `report`. Raises NothingStable where there is none."""
    block, line = _telling_line(report, catalogue)
    example = _example_text(block, line)
    clauses = _clauses(line, example)
    signature = Signature(id_, title or _title(clauses, line), all=clauses)
    if not shows(signature, reading.report(example)):
        signature = signature._replace(all=signature.all[:1])
    if not shows(signature, reading.report(example)):
        raise NothingStable(line)
    overlaps = tuple(dict.fromkeys(m.signature for m in match_report(reading.report(example), catalogue)))
    misses = list(_altered(signature, line, reading))
    near = _nearest(line, files, overlaps)
    misses += _neighbours(signature, near, reading)
    facts = _facts(report, reading)
    positive = Example(True, example, facts, origin=report.issue.ref)
    family = _family(near[0].file) if near else None
    return Draft(signature, (positive, *misses), overlaps, family, facts)


def draft_from_lines(
    id_: str,
    title: str | None,
    lines: tuple[tuple[str, str], ...],
    catalogue: Catalogue,
    files: list[SignatureFile],
    reading: Reading,
) -> Draft:
    """A signature on what all lines print alike, each (reference, line) one of its examples.

    Raises NothingStable where they share no words that are worth searching for.
    """
    texts = [" ".join(_readable(line).split()) for _, line in lines]
    shared = [p for p in stable_pieces(texts[0]) if all(literal(p) in literal(t) for t in texts)]
    signature = Signature(id_, title or "", all=tuple(shared[:2]))
    while signature.all and not all(shows(signature, reading.report(t)) for t in texts):
        signature = signature._replace(all=signature.all[:-1])
    if not signature.all:
        raise NothingStable(texts[0])
    signature = signature._replace(title=title or _title(signature.all, texts[0]))
    overlaps = tuple(dict.fromkeys(m.signature for t in texts for m in match_report(reading.report(t), catalogue)))
    near = _nearest(texts[0], files, overlaps)
    misses = [*_altered(signature, texts[0], reading), *_neighbours(signature, near, reading)]
    shown = [Example(True, text, origin=ref) for (ref, _), text in zip(lines, texts, strict=True)]
    return Draft(signature, (*shown, *misses), overlaps, _family(near[0].file) if near else None, ())


def stable_pieces(line: str) -> list[str]:
    """The stretches of a line between what varies, longest first; none shorter than SHORTEST."""
    pieces: list[str] = []
    done = 0
    for found in linear(_VARIABLE).finditer(line):
        pieces.append(line[done : found.start()])
        done = found.end()
    pieces.append(line[done:])
    trimmed = (_shortened(p.strip(" \t.,:;-=>|*()[]{}'\"`")) for p in pieces)
    return sorted({p for p in trimmed if len(p) >= SHORTEST and any(c.isalpha() for c in p)}, key=len, reverse=True)


def _telling_line(report: Report, catalogue: Catalogue) -> tuple[LogBlock, str]:
    """The reporter's line that says most of what went wrong, folded and redacted, and its block."""
    wrappers = [literal(known.text) for known in catalogue.lines]
    best: tuple[float, LogBlock, str] | None = None
    flagged = {said for e in error_lines(report, catalogue, ()) for said in (e.text, redact(e.text))}
    for block in report.blocks:
        if block.role is not Role.REPORTER or block.kind in (BlockKind.TITLE, BlockKind.QUOTE):
            continue
        for raw in _readable(block.raw).splitlines():
            line = " ".join(raw.split())
            if linear(_FRAME).search(line):
                continue
            score = _score(line, wrappers, likely=line in flagged)
            if score > 0 and (best is None or score > best[0]):
                best = score, block, line
    if best is None:
        raise NothingStable("")
    return best[1], best[2]


def _score(line: str, wrappers: list[str], *, likely: bool) -> float:
    pieces = stable_pieces(line)
    if not pieces:
        return 0
    score = float(min(len(pieces[0]), 60) + min(sum(map(len, pieces[1:])), 20))
    lowered = literal(line)
    if any(w in lowered for w in wrappers):
        score /= 4
    return score * 3 if likely else score


def _readable(text: str) -> str:
    """Redacted, as a whole since a secret may stand on several lines, and without characters that a text file should
    not hold."""
    return redact(printable(text).replace("\N{REPLACEMENT CHARACTER}", ""))


def _example_text(block: LogBlock, line: str) -> str:
    """The printed lines around `line`."""
    lines = [raw.rstrip() for raw in _readable(block.raw).splitlines()]
    at = next((i for i, text in enumerate(lines) if " ".join(text.split()) == line), None)
    if at is None:
        return line[:LONGEST_EXAMPLE]
    kept = lines[max(at - LINES_BEFORE, 0) : at + LINES_AFTER]
    while kept and not kept[0].strip():
        kept.pop(0)
    text = "\n".join(kept).rstrip()
    return text if len(text) <= LONGEST_EXAMPLE else line[:LONGEST_EXAMPLE]


def _clauses(line: str, example: str) -> tuple[str, ...]:
    folded = literal(example)
    pieces = [p for p in stable_pieces(line) if literal(p) in folded]
    if not pieces:
        raise NothingStable(line)
    return tuple(pieces[:2])


def _shortened(piece: str) -> str:
    if len(piece) <= LONGEST:
        return piece
    return piece[:LONGEST].rpartition(" ")[0] or piece[:LONGEST]


def _title(clauses: tuple[str, ...], line: str) -> str:
    """The clauses in the order of the line, with what varies between them left out."""
    words = " … ".join(sorted(clauses, key=line.find))
    return words if len(words) <= 120 else words[:119].rpartition(" ")[0] + "…"


def _altered(signature: Signature, line: str, reading: Reading) -> list[Example]:
    """The same line with the words of one clause gone or cut short: each clause is needed by one of these."""
    misses: list[Example] = []
    for i, words in enumerate(signature.all):
        first, _, second = _halves(words)
        for other in ("", first, second):
            text = " ".join(line.replace(words, other).split())
            fits = len(text) >= SHORTEST and not shows(signature, reading.report(text))
            if fits and text not in [m.text for m in misses]:
                said = "without these words" if not other else "with half of these words"
                misses.append(Example(False, text, why=f"all[{i}]: the same line {said}"))
                if len(signature.all) > 1:
                    break
    return misses[:_NEAREST] if len(signature.all) == 1 else misses


def _halves(words: str) -> tuple[str, str, str]:
    middle = words.find(" ", len(words) // 2)
    return (words[:middle], " ", words[middle + 1 :]) if middle > 0 else (words[: len(words) // 2], "", "")


def _nearest(line: str, files: list[SignatureFile], shown: tuple[str, ...]) -> list[SignatureFile]:
    """The signatures whose positive examples share most rare words with `line`."""
    wanted = _words(line)
    scored: list[tuple[int, str, SignatureFile]] = []
    for file in files:
        texts = [e.text for e in file.examples if e.match]
        shared = max((len(wanted & _words(t)) for t in texts), default=0)
        if shared >= 2 and file.signature.id not in shown:
            scored.append((-shared, file.signature.id, file))
    return [file for _, _, file in sorted(scored, key=lambda s: s[:2])]


def _neighbours(signature: Signature, near: list[SignatureFile], reading: Reading) -> list[Example]:
    misses: list[Example] = []
    for file in near[:_NEAREST]:
        text = next(e.text for e in file.examples if e.match)
        if len(text) <= LONGEST_EXAMPLE and not shows(signature, reading.report(text)):
            misses.append(Example(False, text, why=f"all[0]: this is what {file.signature.id} looks like"))
    return misses


def _words(text: str) -> set[str]:
    return {w for raw in literal(text).split() if len(w := raw.strip("()[]{}'\".,:;")) >= 4}


def _facts(report: Report, reading: Reading) -> tuple[tuple[str, str], ...]:
    """The facts of the report as `facts` of an example: the most trusted value of each key."""
    from signatures.extract import given_fact
    from signatures.model import TRUST

    best: dict[str, str] = {}
    for fact in sorted(report.facts, key=lambda f: -TRUST[f.source]):
        value = redact(" ".join(printable(fact.value).split()))
        if fact.key in best or not value or len(value) > 200:
            continue
        try:
            given_fact(fact.key, value, reading.vocabulary, reading.products)
        except ValueError:
            continue
        best[fact.key] = value
    return tuple(best.items())


def _family(file: str) -> str:
    from os.path import basename, dirname

    return basename(dirname(file))
