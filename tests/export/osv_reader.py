"""A reader of OSV records after the evaluation algorithm of the specification, section "Evaluation".

Shares nothing with what writes them. Versions are ordered by SemVer section 11 or by PEP 440, whichever the range's
type and ecosystem ask for; commits by asking git.
"""

from __future__ import annotations

import re
import subprocess
from typing import Any

from packaging.version import Version

_START = "0"
_SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?")


def is_affected(record: dict[str, Any], package: str, version: str, git_dir: str | None = None) -> bool:
    """Whether a version (or commit, for entries without a package) is affected.

    `package` is a package URL, or the component that an entry without a package names.
    """
    return any(
        _listed(version, entry.get("versions", ())) or _in_ranges(version, entry, git_dir)
        for entry in record.get("affected", ())
        if _package(entry) == package
    )


def _package(entry: dict[str, Any]) -> str:
    name: str = entry["package"]["purl"] if "package" in entry else entry["database_specific"]["component"]
    return name


def _listed(version: str, versions: list[str]) -> bool:
    return version in versions


def _in_ranges(version: str, entry: dict[str, Any], git_dir: str | None) -> bool:
    for range_ in entry.get("ranges", ()):
        if (range_["type"] == "GIT") != (git_dir is not None):
            continue
        events = range_["events"]
        if git_dir is not None:
            if _reached(git_dir, version, events):
                return True
            continue
        key = _semver_key if range_["type"] == "SEMVER" else _pep440_key
        vulnerable = False
        for event in sorted(events, key=lambda e: key(_at(e))):
            if "introduced" in event and key(version) >= key(event["introduced"]):
                vulnerable = True
            elif "fixed" in event and key(version) >= key(event["fixed"]):
                vulnerable = False
        if vulnerable:
            return True
    return False


def _at(event: dict[str, str]) -> str:
    return next(iter(event.values()))


def _semver_key(text: str) -> Any:
    if text == _START:
        return (-1,)
    found = _SEMVER.fullmatch(text)
    assert found, text
    numbers = tuple(int(n) for n in found.groups()[:3])
    if found.group(4) is None:
        return (*numbers, 1, ())
    fields = tuple((0, int(f), "") if f.isdigit() else (1, 0, f) for f in found.group(4).split("."))
    return (*numbers, 0, fields)


def _pep440_key(text: str) -> Any:
    return text != _START, Version(text)


def _reached(git_dir: str, commit: str, events: list[dict[str, str]]) -> bool:
    """Affected: contains an introducing commit, and none that fixes."""
    introduced = any("introduced" in e and (_at(e) == _START or _contains(git_dir, commit, _at(e))) for e in events)
    return introduced and not any("fixed" in e and _contains(git_dir, commit, _at(e)) for e in events)


def _contains(git_dir: str, commit: str, earlier: str) -> bool:
    done = subprocess.run(
        ["git", f"--git-dir={git_dir}", "merge-base", "--is-ancestor", earlier, commit],
        check=False,
        capture_output=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode == 0
