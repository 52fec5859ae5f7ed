"""Commits, their files and their patches, read from an isolated view of a repository.

Only what deliveries need is read: main, the releases' refs, and the pull requests that may be rounds of picks. A patch
whose contents the repository lacks is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from zlib import crc32

from bot.upstream.git import Git, GitFailed
from kb.graph.model import Commit, Patch, Ref
from signatures.values import NamedTuple

_BODY = 16_000  # characters kept of a message's body
_FORMAT = "%H%n%P%n%cI%n%an%n%aI%n%s%n%b"
_CHUNK = 150  # commits per run of diff-tree
_LONGEST_LINE = 2_000
_ZERO = "0" * 40
_SUBMODULE = "160000"


class Changed(NamedTuple):
    """The files one commit changes, with the contents before and after."""

    sha: str
    files: tuple[tuple[str, str, str], ...]  # path, old blob, new blob

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(path for path, _, _ in self.files)

    @property
    def blobs(self) -> Iterator[str]:
        return (blob for _, old, new in self.files for blob in (old, new) if blob != _ZERO)

    @property
    def touched(self) -> frozenset[int]:
        """The files as `Patch` numbers them."""
        return frozenset(crc32(path.encode("utf-8", "surrogateescape")) for path, _, _ in self.files)


def moment(iso: str) -> str:
    """A moment with any offset as UTC, 2026-06-02T05:55:12Z; the first of time where it cannot be read."""
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return "0001-01-01T00:00:00Z"


def resolved(git: Git, wanted: Callable[[str], bool]) -> tuple[Ref, ...]:
    """The refs whose name is wanted, each at its commit. A ref to anything else than a commit is left out."""
    form = "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00%(creatordate:iso-strict)"
    found: list[Ref] = []
    names = [n for n in git.refs.named if wanted(n)]
    if not names:
        return ()
    prefixes = sorted({"/".join(n.split("/")[:2]) for n in names})
    chosen = frozenset(names)
    for line in git.lines("for-each-ref", f"--format={form}", *prefixes):
        name, kind, sha, inner_kind, inner, date = line.split("\0")
        if name in chosen and "commit" in (kind, inner_kind):
            found.append(Ref(name, inner if inner_kind == "commit" else sha, moment(date)))
    return tuple(found)


def read_commits(git: Git, tips: Iterable[str]) -> tuple[Commit, ...]:
    """Everything that these commits contain, parents before children."""
    given = "".join(f"{sha}\n" for sha in dict.fromkeys(tips)).encode()
    arguments = ("log", "--stdin", "--topo-order", "--reverse", "-z", f"--format={_FORMAT}", "--encoding=UTF-8")
    text = git.run(*arguments, "--no-show-signature", "--no-color", "--no-decorate", given=given)
    return tuple(_commit(record) for record in text.decode("utf-8", "replace").split("\0") if record.strip())


def _commit(record: str) -> Commit:
    sha, parents, date, author, authored, subject, *body = record.split("\n", 6)
    kept = body[0].strip()[:_BODY] if body else ""
    return Commit(sha, tuple(parents.split()), moment(date), f"{author}\n{moment(authored)}", subject, kept)


def read_changed(git: Git, shas: Iterable[str]) -> dict[str, Changed]:
    """The files that each commit changes against its first parent; a merge is left out."""
    given = "".join(f"{sha}\n" for sha in dict.fromkeys(shas)).encode()
    arguments = ("diff-tree", "--stdin", "-r", "--root", "--raw", "--no-renames", "--no-abbrev", "-z")
    found: dict[str, list[tuple[str, str, str]]] = {}
    here = ""
    fields = iter(git.run(*arguments, given=given).decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        field = field.lstrip("\n")
        if field.startswith(":"):
            old_mode, mode, old, new, _ = field.removeprefix(":").split(" ")
            # what a submodule points at is in another repository
            before = _ZERO if old_mode == _SUBMODULE else old
            after = _ZERO if mode == _SUBMODULE else new
            found[here].append((next(fields), before, after))
        elif field:
            here = field.strip()
            found[here] = []
    return {sha: Changed(sha, tuple(files)) for sha, files in found.items()}


def read_patches(
    git: Git, changed: Iterable[Changed], tick: Callable[[int], None] = lambda done: None
) -> dict[str, Patch]:
    """The patches of these commits, as far as the repository holds what they change."""
    asked = list(changed)
    held = git.existing(blob for c in asked for blob in c.blobs)
    shas = [c.sha for c in asked if c.files and all(blob in held for blob in c.blobs)]
    found: dict[str, Patch] = {}
    for at in range(0, len(shas), _CHUNK):
        found |= _patches(git, shas[at : at + _CHUNK])
        tick(len(found))
    return found


def _patches(git: Git, shas: list[str]) -> dict[str, Patch]:
    given = "".join(f"{sha}\n" for sha in shas).encode()
    arguments = ("diff-tree", "--stdin", "-p", "-r", "--root", "--no-renames", "--full-index", "--no-color")
    try:
        text = git.run(*arguments, "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", given=given)
        rows = (row.split(" ") for row in git.lines("patch-id", "--stable", given=text))
        ids = {sha: id_ for id_, sha in rows}
    except GitFailed:
        if len(shas) == 1:
            return {}
        half = len(shas) // 2
        return _patches(git, shas[:half]) | _patches(git, shas[half:])
    return dict(_read_diffs(text, frozenset(shas), ids))


def _read_diffs(text: bytes, shas: frozenset[str], ids: dict[str, str]) -> Iterator[tuple[str, Patch]]:
    sha, reading = "", _Reading()
    known = {s.encode() for s in shas}
    for line in text.split(b"\n"):
        if line in known:
            if sha:
                yield sha, reading.patch(ids.get(sha))
            sha, reading = line.decode(), _Reading()
        else:
            reading.read(line)
    if sha:
        yield sha, reading.patch(ids.get(sha))


class _Reading:
    """One patch while its lines come in."""

    def __init__(self) -> None:
        self.path = b""
        self.salt = 0
        self.left = [0, 0]  # old and new lines that the current hunk still has
        self.sides: tuple[set[int], set[int]] = (set(), set())
        self.markers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})

    def read(self, line: bytes) -> None:
        first = line[:1]
        if self.left[0] > 0 or self.left[1] > 0:
            if first == b" " or not first:
                self.left[0] -= 1
                self.left[1] -= 1
            elif first in (b"+", b"-"):
                new = first == b"+"
                self.left[new] -= 1
                self._changed(line[1:], 0 if new else 1)
        elif line.startswith(b"@@ "):
            words = line.split(b" ")
            self.left = [_length(words[1]), _length(words[2])]
        elif line.startswith((b"+++ b/", b"--- a/")):
            self.path = line[6:].rstrip(b"\t")
            self.salt = crc32(self.path) << 32

    def _changed(self, line: bytes, side: int) -> None:
        words = b" ".join(line[:_LONGEST_LINE].split())
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")):
            self.markers[side][self.path] = self.markers[side].get(self.path, 0) + 1
        if any(c in _WORD for c in words):
            self.sides[side].add(self.salt | crc32(words))

    def patch(self, id_: str | None) -> Patch:
        came, went = self.markers
        marked = [p for p, n in came.items() if n > went.get(p, 0)]
        unmarked = [p for p, n in went.items() if n > came.get(p, 0)]
        added, removed = self.sides
        return Patch(frozenset(), True, id_, frozenset(added), frozenset(removed), _texts(marked), _texts(unmarked))


_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


def _texts(paths: list[bytes]) -> tuple[str, ...]:
    return tuple(sorted(p.decode("utf-8", "replace") for p in paths))


def _length(span: bytes) -> int:
    """The number of lines that a hunk's head announces: 7 of -12,7 and 1 of -12."""
    _, comma, count = span.partition(b",")
    return int(count) if comma and count.isdigit() else 1


def read_files(git: Git, wanted: Iterable[tuple[str, str]], largest: int = 1_000_000) -> dict[tuple[str, str], str]:
    """The text of files at commits, by (commit, path); what is missing, too large or no text is left out."""
    asked = list(dict.fromkeys(wanted))
    given = "".join(f"{sha}:{path}\n" for sha, path in asked).encode("utf-8", "surrogateescape")
    rows = git.lines("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", "--buffer", given=given)
    blobs: dict[tuple[str, str], str] = {}
    for key, row in zip(asked, rows, strict=False):
        words = row.split(" ")
        if len(words) == 3 and words[1] == "blob" and int(words[2]) <= largest:
            blobs[key] = words[0]
    return _contents(git, blobs)


def lacking_files(git: Git, wanted: Iterable[tuple[str, str]]) -> list[str]:
    """The contents of files at commits that exist there and that the repository does not hold."""
    found: list[str] = []
    for sha, path in dict.fromkeys(wanted):
        for row in git.run("ls-tree", "-z", sha, path).decode("utf-8", "replace").split("\0"):
            words = row.partition("\t")[0].split(" ")
            if len(words) == 3 and words[1] == "blob":
                found.append(words[2])
    held = git.existing(found)
    return [blob for blob in dict.fromkeys(found) if blob not in held]


def _contents(git: Git, blobs: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    shas = list(dict.fromkeys(blobs.values()))
    if not shas:
        return {}
    out = git.run("cat-file", "--batch", "--buffer", given="\n".join(shas).encode() + b"\n")
    texts: dict[str, str] = {}
    at = 0
    for sha in shas:
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        size = int(words[2]) if len(words) == 3 else 0
        body = out[end + 1 : end + 1 + size]
        at = end + 1 + size + (1 if len(words) == 3 else 0)
        if len(words) == 3 and b"\0" not in body:
            texts[sha] = body.decode("utf-8", "replace")
    return {key: texts[sha] for key, sha in blobs.items() if sha in texts}


def read_trees(git: Git, shas: Iterable[str]) -> dict[str, str]:
    """The tree of each commit: two commits with one tree hold the same files."""
    asked = list(dict.fromkeys(shas))
    if not asked:
        return {}
    given = "".join(f"{sha}^{{tree}}\n" for sha in asked).encode()
    rows = git.lines("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer", given=given)
    return {sha: row.split(" ")[0] for sha, row in zip(asked, rows, strict=False) if row.endswith(" tree")}
