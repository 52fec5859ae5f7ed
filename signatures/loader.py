"""Signature files read into a catalogue, and a catalogue to plain data and back for a cache.

Nothing is matched here. A broken file is named in a LoadError and the rest is used.
"""

from __future__ import annotations

import os

from signatures.index import Needs, signature_needs
from signatures.model import Example, Signature, Stage, When
from signatures.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

PACKAGE = os.path.dirname(os.path.abspath(__file__))
SHIPPED = os.path.join(PACKAGE, "catalogue")
NOISE = os.path.join(PACKAGE, "noise.toml")
MAX_FILE = 1 << 20  # bytes


class LoadError(NamedTuple):
    """One thing wrong with one authored file."""

    file: str
    key: str  # dotted path of the key, "" for the file as a whole
    line: int | None
    message: str  # what is wrong and what to do

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.key + ': ' if self.key else ''}{self.message}"


class Known(NamedTuple):
    """Printed lines that identify no failure: envelopes wrap one, noise accompanies healthy runs."""

    text: str
    envelope: bool


class Lone(NamedTuple):
    """A line that names no failure where it is all that is known of one: an envelope, or a piece of something."""

    line: str  # RE2; all of the line
    envelope: bool
    why: str  # what it is
    ask: str  # the one question whose answer names the failure
    of: tuple[str, ...] = ()  # signatures of failures that print it


class Review(NamedTuple):
    """When a person last stood up for a signature, and when somebody is to look at it again: ISO dates."""

    on: str | None = None
    by: str = ""
    why: str = ""
    again: str | None = None  # key `review_by`; None: as upkeep.toml says


class SignatureFile(NamedTuple):
    """A signature with what only its validation and upkeep need."""

    signature: Signature
    examples: tuple[Example, ...]
    overlaps: tuple[str, ...]  # signatures that its positive examples may show as well
    file: str
    review: Review = Review()

    @property
    def family(self) -> str:
        """The folder of the catalogue that it lies in."""
        return os.path.basename(os.path.dirname(self.file))


class Catalogue(NamedTuple):
    signatures: tuple[Signature, ...]
    lines: tuple[Known, ...] = ()
    needs: tuple[Needs, ...] = ()  # what each signature cannot do without, in the same order
    lone: tuple[Lone, ...] = ()


def signature_files(folder: str) -> list[str]:
    """Every .toml below `folder`, in a stable order."""
    found: list[str] = []
    for directory, folders, names in os.walk(folder):
        folders.sort()
        found += (os.path.join(directory, n) for n in sorted(names) if n.endswith(".toml"))
    return found


def load_catalogue(
    folders: tuple[str, ...] = (SHIPPED,), *, check: bool = True
) -> tuple[Catalogue, tuple[LoadError, ...]]:
    """The signatures of all folders; a later folder replaces an id of an earlier one.

    `check` also applies the pydantic shape; the shipped catalogue was checked before it shipped, and a lookup
    skips that. Withdrawn signatures are left out.
    """
    by_id: dict[str, Signature] = {}
    errors: list[LoadError] = []
    for folder in folders:
        seen: dict[str, str] = {}
        for file in signature_files(folder):
            loaded = load_file(file, check=check)
            if isinstance(loaded, SignatureFile):
                signature = loaded.signature
                if signature.id in seen:
                    errors.append(LoadError(file, "id", None, f"{signature.id} is also the id of {seen[signature.id]}"))
                    continue
                seen[signature.id] = file
                by_id[signature.id] = signature
            else:
                errors += loaded
    known = tuple(s for s in by_id.values() if s.withdrawn is None)
    lines, broken = load_lines()
    return catalogue_of(known, lines, load_lone()), (*errors, *broken)


def catalogue_of(
    signatures: tuple[Signature, ...], lines: tuple[Known, ...] = (), lone: tuple[Lone, ...] = ()
) -> Catalogue:
    """A catalogue with the texts that each signature cannot do without."""
    return Catalogue(signatures, lines, tuple(signature_needs(s) for s in signatures), lone)


def load_file(file: str, *, check: bool = True) -> SignatureFile | list[LoadError]:
    """One signature and its examples, or what is wrong with the file."""
    data = read_toml(file)
    if isinstance(data, LoadError):
        return [data]
    if check:
        from signatures.schema import check_signature

        errors = check_signature(file, data)
        if errors:
            return errors
    try:
        examples = tuple(_example(e) for e in data.get("example", ()))
        signature = _signature(data)
        signature_needs(signature)  # a pattern that cannot be read is this file's fault, not the catalogue's
        return SignatureFile(signature, examples, tuple(data.get("overlaps", ())), file, _review(data))
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as e:
        return [
            LoadError(
                file,
                "",
                None,
                f"is no signature file ({type(e).__name__}: {e}); run `triage validate {file}`",
            )
        ]


def read_toml(file: str) -> dict[str, Any] | LoadError:
    """A TOML file's data, or a LoadError with the line. Nothing but a regular file of at most MAX_FILE is opened."""
    import stat
    import tomllib

    try:
        about = os.stat(file)
        if not stat.S_ISREG(about.st_mode):
            return LoadError(file, "", None, "is no regular file; remove it from the catalogue")
        if about.st_size > MAX_FILE:
            return LoadError(file, "", None, f"has {about.st_size} bytes; a catalogue file has at most {MAX_FILE}")
        with open(file, "rb") as f:
            return tomllib.loads(f.read(MAX_FILE).decode("utf-8"))
    except UnicodeDecodeError as e:
        return LoadError(file, "", None, f"is not UTF-8 at byte {e.start}; save it as UTF-8")
    except tomllib.TOMLDecodeError as e:
        words = str(e)
        line = words.partition("(at line ")[2].partition(",")[0]
        return LoadError(file, "", int(line) if line.isdigit() else None, f"is not valid TOML: {words}")
    except RecursionError:
        return LoadError(file, "", None, "is nested too deeply to be a catalogue file")
    except ValueError as e:  # a number that Python refuses to read
        return LoadError(file, "", None, f"is not valid TOML: {e}")
    except OSError as e:
        return LoadError(file, "", None, f"cannot be read: {e.strerror}")


def load_lines(file: str = NOISE) -> tuple[tuple[Known, ...], tuple[LoadError, ...]]:
    """The envelope and noise lines that identify no failure."""
    data = read_toml(file)
    if isinstance(data, LoadError):
        return (), (data,)
    return tuple(
        Known(row["text"], kind == "envelope") for kind in ("envelope", "noise") for row in data.get(kind, ())
    ), ()


def load_lone(file: str = NOISE) -> tuple[Lone, ...]:
    """What is known of lines that stand alone; () where the file is broken, which `load_lines` tells."""
    data = read_toml(file)
    if isinstance(data, LoadError):
        return ()
    return tuple(
        Lone(f"(?i){row['line']}", kind == "envelope", row["why"], row["ask"], tuple(row.get("of", ())))
        for kind in ("envelope", "piece")
        for row in data.get(kind, ())
        if "line" in row
    )


def to_plain(catalogue: Catalogue) -> dict[str, Any]:
    """Lists, strings and None, for a JSON cache."""
    return {
        "signatures": [list(s) for s in catalogue.signatures],
        "lines": [list(k) for k in catalogue.lines],
        "needs": [[list(need) for need in needs] for needs in catalogue.needs],
        "lone": [list(one) for one in catalogue.lone],
    }


def from_plain(data: dict[str, Any]) -> Catalogue:
    """The inverse of `to_plain`. Raises KeyError, TypeError or ValueError for other data."""
    return Catalogue(
        tuple(
            Signature(
                id_, title, tuple(all_), tuple(any_), tuple(none), tuple(regex),
                tuple(When(key, tuple(a), tuple(n), known) for key, a, n, known in when), withdrawn, weak, shared,
                Stage(stage),
            )
            for id_, title, all_, any_, none, regex, when, withdrawn, weak, shared, stage in data["signatures"]
        ),
        tuple(Known(text, envelope) for text, envelope in data["lines"]),
        tuple(tuple(tuple(need) for need in needs) for needs in data["needs"]),
        tuple(Lone(line, envelope, why, ask, tuple(of)) for line, envelope, why, ask, of in data["lone"]),
    )  # fmt: skip


def when_clauses(table: dict[str, Any]) -> tuple[When, ...]:
    """`key = ["a", "b"]` or `key = {any = [...], none = [...], known = true}` of a [when] table."""
    return tuple(_when(key, v) for key, v in table.items())


def _when(key: str, told: Any) -> When:
    if not isinstance(told, dict):
        return When(key, tuple(told))
    return When(key, tuple(told.get("any", ())), tuple(told.get("none", ())), told.get("known", False))


def _signature(data: dict[str, Any]) -> Signature:
    match = data["match"]
    return Signature(
        data["id"],
        data["title"],
        tuple(match.get("all", ())),
        tuple(match.get("any", ())),
        tuple(match.get("none", ())),
        tuple(match.get("regex", ())),
        when_clauses(data.get("when", {})),
        data.get("withdrawn"),
        data.get("weak"),
        data.get("shared"),
        Stage(data.get("stage", Stage.PROMOTED)),
    )


def _review(data: dict[str, Any]) -> Review:
    said = data.get("reviewed", {})
    again = data.get("review_by")
    return Review(
        str(said["on"]) if said else None, said.get("by", ""), said.get("why", ""), str(again) if again else None
    )


def _example(data: dict[str, Any]) -> Example:
    return Example(
        data["match"],
        data["text"],
        tuple(data.get("facts", {}).items()),
        tuple(data.get("expect", {}).items()),
        data.get("from"),
        data.get("why"),
        data.get("whole", False),
    )
