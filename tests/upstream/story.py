"""Small repositories written by one `git fast-import`: commits, picks, branches, tags and pull requests of a story."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

_MAIN = "main"


class Story:
    """A history in the making. A mark is a commit; files are whole texts by path."""

    def __init__(self, start: str = "2026-01-01", **files: str) -> None:
        self._stream: list[bytes] = []
        self._trees: dict[int, dict[str, str]] = {}
        self._parents: dict[int, tuple[int, ...]] = {}
        self._authored: dict[int, str] = {}
        self._subjects: dict[int, str] = {}
        self.heads: dict[str, int] = {}
        self.sha: dict[int, str] = {}
        self.commit("start", {"README": "a runtime\n", **files}, day=start)

    def commit(
        self,
        subject: str,
        files: Mapping[str, str | None],
        *,
        day: str,
        on: str = _MAIN,
        body: str = "",
        authored: str | None = None,
        merging: int | None = None,
    ) -> int:
        """A commit that writes these files (None removes one); `authored` is what a pick keeps: author and moment."""
        mark = len(self._trees) + 1
        parent = self.heads.get(on)
        tree = dict(self._trees[parent]) if parent else {}
        if merging is not None:
            tree |= self._trees[merging]
        for path, text in files.items():
            if text is None:
                tree.pop(path, None)
            else:
                tree[path] = text
        when = f"{day}T12:00:00" if "T" not in day else day
        authored = authored or f"Ann <ann@example.org> {when}+00:00"
        message = f"{subject}\n\n{body}".rstrip().encode() + b"\n"
        self._line(f"commit refs/heads/{on}\nmark :{mark}")
        self._line(f"author {authored}\ncommitter Ann <ann@example.org> {when}+00:00")
        self._line(f"data {len(message)}")
        self._stream.append(message)
        if parent:
            self._line(f"from :{parent}")
        if merging is not None:
            self._line(f"merge :{merging}")
        self._line("deleteall")
        for path, text in tree.items():
            data = text.encode()
            self._line(f"M 100644 inline {path}\ndata {len(data)}")
            self._stream.append(data + b"\n")
        self._trees[mark], self._authored[mark], self._subjects[mark] = tree, authored, subject
        self._parents[mark] = tuple(m for m in (parent, merging) if m)
        self.heads[on] = mark
        return mark

    def change(self, number: int, *, day: str, on: str = _MAIN, title: str | None = None) -> int:
        """A pull request that landed: a file of its own with enough lines to be told from others."""
        title = title or f"Mend part {number} of the runtime"
        return self.commit(f"{title} (#{number})", {f"src/part{number}.c": part(number)}, day=day, on=on)

    def picks(self, *fixes: int, day: str) -> int:
        """A round for 1.0.1, prepared on the branch `picks`; its last commit."""
        self.fork("rel-1.0.1", 1)
        self.fork("picks", 1)
        return [self.pick(fix, on="picks", day=day) for fix in fixes][-1]

    def pick(
        self,
        mark: int,
        *,
        on: str,
        day: str,
        subject: str | None = None,
        body: str = "",
        files: Mapping[str, str | None] | None = None,
        keep_author: bool = True,
    ) -> int:
        """What a commit changed, once more on another branch; `files` instead where the pick met a conflict."""
        changed: dict[str, str | None] = {}
        before = self._trees[self._parents[mark][0]] if self._parents[mark] else {}
        for path in before.keys() | self._trees[mark].keys():
            if before.get(path) != self._trees[mark].get(path):
                changed[path] = self._trees[mark].get(path)
        chosen = changed if files is None else files
        authored = self._authored[mark] if keep_author else None
        return self.commit(subject or self._subjects[mark], chosen, day=day, on=on, body=body, authored=authored)

    def squash(self, subject: str, last: int, *, on: str, day: str, body: str = "") -> int:
        """Everything up to `last` as one commit on a branch."""
        here = self._trees[self.heads[on]]
        files: dict[str, str | None] = dict(self._trees[last])
        files |= {path: None for path in here if path not in self._trees[last]}
        return self.commit(subject, files, day=day, on=on, body=body)

    def fork(self, branch: str, at: int | None = None) -> None:
        """A branch from a commit, or from main."""
        self.heads[branch] = at or self.heads[_MAIN]
        self._line(f"reset refs/heads/{branch}\nfrom :{self.heads[branch]}\n")

    def tree(self, branch: str) -> dict[str, str]:
        """The files at the end of a branch."""
        return self._trees[self.heads[branch]]

    def version(self, text: str, *, on: str, day: str, file: str = "VERSION_INFO") -> int:
        return self.commit(f"Version {text}", {file: f"{text}\n"}, day=day, on=on)

    def ref(self, name: str, mark: int) -> None:
        """refs/tags/v1.0.0 or refs/pull/12/head."""
        self._line(f"reset {name}\nfrom :{mark}\n")

    def tag(self, name: str, mark: int) -> None:
        self.ref(f"refs/tags/{name}", mark)

    def release(self, version: str, *, on: str, day: str) -> int:
        """The version written on a branch, and the tag on it."""
        mark = self.version(version, on=on, day=day)
        self.tag(f"v{version}", mark)
        return mark

    def write(self, folder: Path) -> Path:
        """The bare repository of all this; may be written again after more has happened."""
        if not folder.exists():
            _git(folder.parent, "init", "--quiet", "--bare", "--initial-branch=main", folder.name)
        marks = folder.parent / f"{folder.name}.marks"
        given = b"".join(self._stream)
        _git(
            folder, "fast-import", "--quiet", "--force", "--date-format=rfc2822", f"--export-marks={marks}", given=given
        )
        for line in marks.read_text().splitlines():
            mark, sha = line.split(" ")
            self.sha[int(mark.removeprefix(":"))] = sha
        return folder

    def _line(self, text: str) -> None:
        self._stream.append(text.encode() + b"\n")


def part(number: int, lines: int = 12, note: str = "") -> str:
    """The text of a file that one change brings."""
    rows = "".join(f"  total_{number} += step_{number}_{i}(input, {i});{note}\n" for i in range(lines))
    return f"int part_{number}(int input) {{\n{rows}  return total_{number};\n}}\n"


def _git(folder: Path, *arguments: str, given: bytes = b"") -> None:
    variables = {"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=given, capture_output=True, env=variables, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
