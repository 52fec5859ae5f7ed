"""Files of a revision of somebody's git repository, read as blobs into a folder of our own: nothing is checked out.

Names and contents are a stranger's where the revision is: only plain files at plain paths are written, few and small.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from bot.errors import InputError
from bot.upstream.git import GitFailed, environment, find_git, run_bounded

PATIENCE = 60.0  # seconds for one run of git
MOST_FILES = 20_000
LARGEST = 1 << 20  # bytes of one file, as the catalogue's loader takes
LARGEST_IN_ALL = 64 << 20
_FILE = ("100644", "100755")
# nothing of the repository's own settings starts a program; whose it is makes no difference to reading blobs
_QUIET = ("-c", "core.fsmonitor=false", "-c", "safe.directory=*", "--no-pager", "--literal-pathspecs")


class Revision(NamedTuple):
    sha: str
    day: str  # of the commit
    asked: str  # as the caller names it

    def __str__(self) -> str:
        name = "" if self.sha.startswith(self.asked) else f"{self.asked}, "
        return f"{self.sha[:10]} ({name}{self.day})"


class Repository:
    """The git repository that a folder lies in. `home` is an empty folder that git takes for its user's."""

    def __init__(self, folder: str, home: str) -> None:
        """Raises InputError where the folder lies in none."""
        self._program = find_git()
        self._home = home
        self._folder = folder
        try:
            top = self._run("rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
        except GitFailed as e:
            raise InputError(f"{folder!r} lies in no git repository: {e}.") from None
        self.top = os.path.realpath(top)

    def revision(self, asked: str) -> Revision:
        """Raises InputError for what names no commit here."""
        if not asked or asked.startswith("-") or not asked.isprintable() or len(asked) > 200:
            raise InputError(f"{asked[:80]!r} is no revision; write a commit, branch or tag, such as HEAD~1.")
        try:
            sha = self._run("rev-parse", "--verify", "--quiet", f"{asked}^{{commit}}").decode().strip()
            day = self._run("show", "--no-patch", "--format=%cs", sha).decode().strip()
        except GitFailed:
            raise InputError(f"{asked!r} is no commit of {self.top}{self._why_not()}.") from None
        return Revision(sha, day, asked)

    def _why_not(self) -> str:
        shallow = self._run("rev-parse", "--is-shallow-repository").decode().strip() == "true"
        return ", which is a shallow clone; `git fetch --unshallow` completes it" if shallow else ""

    def write(self, revision: Revision, paths: dict[str, str], into: str) -> int:
        """Write the files below `paths` (of the working tree, absolute -> where below `into`); how many there were.

        Raises InputError where they are too many or too large.
        """
        wanted: list[tuple[str, str]] = []  # blob, target
        size = 0
        for path, target in paths.items():
            inside = os.path.relpath(os.path.realpath(path), self.top).replace(os.sep, "/")
            for blob, bytes_, name in self._listed(revision, inside):
                rest = name[len(inside) :].lstrip("/")
                if bytes_ > LARGEST:
                    raise InputError(
                        f"{name} has {bytes_} bytes at {revision}; a catalogue file has at most {LARGEST}."
                    )
                wanted.append(
                    (blob, os.path.join(into, target, *rest.split("/")) if rest else os.path.join(into, target))
                )
                size += bytes_
        if len(wanted) > MOST_FILES or size > LARGEST_IN_ALL:
            raise InputError(f"{revision} holds {len(wanted)} files of {size >> 20} MiB; that is no catalogue.")
        blobs = self._blobs([blob for blob, _ in wanted])
        for blob, target in wanted:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "xb") as file:
                file.write(blobs[blob])
        return len(wanted)

    def _listed(self, revision: Revision, path: str) -> list[tuple[str, int, str]]:
        """(blob, size, name) of the plain files there; a link or another repository is none."""
        try:
            rows = self._run("ls-tree", "-r", "-l", "-z", "--full-tree", revision.sha, "--", path)
        except GitFailed as e:
            raise InputError(f"{revision} cannot be read: {e}.") from None
        found = []
        for row in rows.decode("utf-8", "surrogateescape").split("\0"):
            about, _, name = row.partition("\t")
            mode, _, blob, size = (*about.split(), "", "", "", "")[:4]
            parts = name.split("/")
            if mode in _FILE and size.isdigit() and not {"", ".", "..", ".git"} & set(parts) and "\\" not in name:
                found.append((blob, int(size), name))
        return found

    def _blobs(self, wanted: list[str]) -> dict[str, bytes]:
        given = "".join(f"{blob}\n" for blob in dict.fromkeys(wanted)).encode()
        try:
            out = self._run("cat-file", "--batch", given=given) if wanted else b""
        except GitFailed as e:
            raise InputError(f"the files of the revision cannot be read: {e}.") from None
        found: dict[str, bytes] = {}
        at = 0
        while at < len(out):
            end = out.index(b"\n", at)
            blob, kind, size = (*out[at:end].decode().split(), "", "")[:3]
            if kind != "blob":
                raise InputError(f"object {blob} is missing here; `git fetch` brings what a partial clone left out.")
            found[blob] = out[end + 1 : end + 1 + int(size)]
            at = end + 2 + int(size)
        return found

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        command = [self._program, *_QUIET, "-C", self._folder, *arguments]
        variables = environment(self._home)
        variables.pop("GIT_CEILING_DIRECTORIES", None)  # it may hide the very repository that is asked for
        return run_bounded(command, variables, given, PATIENCE)
