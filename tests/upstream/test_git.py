"""Repositories of others are read, and nothing of theirs is run, followed or believed beyond its bytes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.errors import InputError
from bot.upstream import gather as gathering
from bot.upstream import history, reading
from bot.upstream.git import Git, GitFailed, run_bounded
from bot.upstream.mirrors import bring, kept_mirrors, mirror_folder, refresh
from bot.upstream.reading import assign, read_graph
from bot.upstream.refs import read_refs
from tests.upstream.conftest import graph_of, known
from tests.upstream.story import Story


def _story() -> Story:
    story = Story(VERSION_INFO="1.0.0\n")
    story.tag("v1.0.0", story.change(7, day="2026-01-05"))
    return story


def test_neither_configuration_nor_hooks_of_a_repository_are_run(folder: Path) -> None:
    path = _story().write(folder / "engine.git")
    trap = folder / "trap.sh"
    sprung = folder / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o700)
    with open(path / "config", "a", encoding="utf-8") as f:
        f.write(
            f"[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n\thooksPath = {folder}\n\tsshCommand = {trap}\n"
            f'\talternateRefsCommand = {trap}\n[diff]\n\texternal = {trap}\n[diff "x"]\n\ttextconv = {trap}\n'
            f'\tcommand = {trap}\n[filter "x"]\n\tsmudge = {trap}\n\tclean = {trap}\n[alias]\n\tlog = !{trap}\n'
            f"[uploadpack]\n\tpackObjectsHook = {trap}\n[include]\n\tpath = {trap}\n"
        )
    (path / "info").mkdir(exist_ok=True)
    (path / "info" / "attributes").write_text("* diff=x filter=x\n")
    hook = path / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(trap.read_text())
    hook.chmod(0o700)
    read = read_graph(known(), {"acme/engine": str(path)})
    assert read.graph.trace("acme/engine#7").components[0].first_release == "1.0.0"
    assert not sprung.exists()


def test_replaced_objects_are_not_believed(folder: Path) -> None:
    story = _story()
    path = story.write(folder / "engine.git")
    replaced = path / "refs" / "replace"
    replaced.mkdir(parents=True)
    (replaced / story.sha[2]).write_text(story.sha[1] + "\n")
    read = read_graph(known(), {"acme/engine": str(path)})
    assert read.graph.trace("acme/engine#7").state == "merged"


def test_a_repository_is_left_as_it_was(folder: Path) -> None:
    path = _story().write(folder / "engine.git")
    before = {p: p.stat().st_mtime_ns for p in path.rglob("*")}
    read_graph(known(), {"acme/engine": str(path)})
    assert {p: p.stat().st_mtime_ns for p in path.rglob("*")} == before


def test_a_clone_is_read_by_the_branches_of_its_origin(folder: Path) -> None:
    source = _story().write(folder / "source.git")
    clone = folder / "work" / "engine"
    subprocess.run(["git", "clone", "--quiet", str(source), str(clone)], check=True, capture_output=True)
    (clone / ".git" / "refs" / "heads" / "mine").write_text((clone / ".git" / "refs" / "heads" / "main").read_text())
    refs = read_refs(str(clone / ".git"))
    assert refs.main == "main"
    assert "refs/heads/mine" not in refs.named
    assert refs.origin == str(source)
    assert read_graph(known(), {"acme/engine": str(clone)}).graph.trace("acme/engine#7").state == "merged"


@pytest.mark.parametrize(
    ("name", "words"),
    [("shallow", "shallow clone"), ("reftable", "reftable"), ("empty", "no git repository"), ("absent", "no folder")],
)
def test_what_cannot_be_read_is_refused_with_its_reason(folder: Path, name: str, words: str) -> None:
    path = folder / "engine.git"
    if name in ("shallow", "reftable"):
        story = _story()
        story.write(path)
        if name == "shallow":
            (path / "shallow").write_text(story.sha[2] + "\n")
        else:
            (path / "reftable").mkdir()
    elif name == "empty":
        path.mkdir()
    with pytest.raises(InputError, match=words):
        Git(str(path))


def test_one_repository_that_cannot_be_read_does_not_stop_the_others(folder: Path) -> None:
    path = _story().write(folder / "engine.git")
    read = read_graph(known(), {"acme/tool": str(folder / "nothing"), "acme/engine": str(path)})
    assert len(read.failed) == 1
    assert read.failed[0].startswith("acme/tool could not be read")
    assert read.graph.trace("acme/engine#7").state == "merged"


def test_a_commit_whose_contents_are_missing_is_left_out(folder: Path) -> None:
    """As in a blobless clone: ancestry and titles still count."""
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-07")
    path = story.write(folder / "engine.git")
    subprocess.run(["git", "-C", str(path), "config", "uploadpack.allowFilter", "true"], check=True)
    blobless = folder / "blobless.git"
    source = f"file://{path}"
    subprocess.run(
        ["git", "clone", "--quiet", "--mirror", "--filter=blob:none", source, str(blobless)],
        check=True,
        capture_output=True,
    )
    read = read_graph(known(), {"acme/engine": str(blobless)})
    component = read.graph.trace("acme/engine#7").components[0]
    assert (component.first_release, component.confidence) == ("1.0.1", "likely")


def test_the_same_repository_is_not_read_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story = _story()
    first = graph_of(folder, engine=story).trace("acme/engine#7")

    def no(*_: object, **__: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(reading, "gather", no)
    assert graph_of(folder, engine=story).trace("acme/engine#7") == first


def test_after_a_fetch_only_new_patches_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story(VERSION_INFO="1.1.0-dev\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-07")
    graph_of(folder, engine=story)
    later = story.change(8, day="2026-01-08")
    asked: list[str] = []
    read_patches = history.read_patches

    def counted(git: Git, changed: object, tick: object) -> object:
        rows = list(changed)  # type: ignore[call-overload]
        asked.extend(c.sha for c in rows)
        return read_patches(git, rows, tick)  # type: ignore[arg-type]

    monkeypatch.setattr(gathering, "read_patches", counted)
    graph_of(folder, engine=story)
    assert story.sha[fix] not in asked
    assert set(asked) <= {story.sha[later]}


@pytest.mark.parametrize(
    "text", ["", "{", '{"state": 1}', "[]", '{"engine": 5, "state": "x", "history": [], "patches": []}']
)
def test_a_broken_memory_is_read_past(folder: Path, text: str) -> None:
    story = _story()
    first = graph_of(folder, engine=story).trace("acme/engine#7")
    for file in (folder / "cache" / "upstream").iterdir():
        file.write_text(text)
    assert graph_of(folder, engine=story).trace("acme/engine#7") == first


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(child)!r}, 'w').write(str(p.pid))\n"
        "time.sleep(60)\n"
    )
    start = time.monotonic()
    with pytest.raises(GitFailed, match="longer than"):
        run_bounded([sys.executable, "-c", code], {"PATH": os.defpath}, b"", 2.0)
    assert time.monotonic() - start < 20
    for _ in range(50):
        if not _runs(int(child.read_text())):
            return
        time.sleep(0.1)
    raise AssertionError("the child still runs")


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_mirror_is_fetched_once_and_then_brought_up_to_date(folder: Path) -> None:
    story = _story()
    path = story.write(folder / "engine.git")
    mirror = refresh("acme/engine", f"file://{path}")
    assert kept_mirrors(("acme/engine", "acme/tool")) == {"acme/engine": mirror}
    story.ref("refs/pull/30/head", story.change(8, day="2026-01-09"))
    story.write(path)
    refresh("acme/engine", f"file://{path}")
    refs = read_refs(mirror)
    assert refs.named["refs/heads/main"] == story.sha[3]
    assert refs.named["refs/pull/30/head"] == story.sha[3]


def test_a_remote_that_cannot_be_reached_is_named_and_leaves_nothing_behind(folder: Path) -> None:
    with pytest.raises(GitFailed, match="cannot be fetched"):
        refresh("acme/engine", f"file://{folder / 'nowhere'}")
    folder_of_mirrors = Path(str(mirror_folder("acme/engine"))).parent
    assert list(folder_of_mirrors.iterdir()) == []


def test_a_remote_that_hangs_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = folder / "bin"
    programs.mkdir()
    real = subprocess.run(["which", "git"], check=True, capture_output=True, text=True).stdout.strip()
    fake = programs / "git"
    fake.write_text(f'#!/bin/sh\nfor word in "$@"; do [ "$word" = fetch ] && exec sleep 60; done\nexec {real} "$@"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    start = time.monotonic()
    with pytest.raises(GitFailed, match="took longer than 1 seconds"):
        refresh("acme/engine", "https://example.org/acme/engine.git", patience=1.0)
    assert time.monotonic() - start < 20
    assert kept_mirrors(("acme/engine",)) == {}


def test_a_remote_that_is_too_large_is_ended_and_thrown_away(folder: Path) -> None:
    story = Story()
    noise = "".join(f"{i * 7919 % 1000003:x}{i * 104729 % 999983:x}\n" for i in range(200_000))
    story.commit("large", {f"large{n}": noise[n:] for n in range(12)}, day="2026-01-02")
    path = story.write(folder / "engine.git")
    with pytest.raises(GitFailed, match="larger than"):
        refresh("acme/engine", f"file://{path}", largest=1000)
    assert kept_mirrors(("acme/engine",)) == {}


@pytest.mark.parametrize("repo", ["../../etc", "acme/../x", "acme", "acme/engine/more", "-x/--upload-pack=y z"])
def test_a_name_that_is_no_repository_has_no_folder(folder: Path, repo: str) -> None:
    assert mirror_folder(repo) is None


def test_a_folder_is_recognised_by_its_origin_or_its_name(folder: Path) -> None:
    path = _story().write(folder / "acme+engine")
    other = _story().write(folder / "elsewhere.git")
    repos = ("acme/engine", "acme/tool")
    assert assign([str(path)], repos) == {"acme/engine": str(path)}
    assert assign([f"acme/tool={other}"], repos) == {"acme/tool": str(other)}
    with open(other / "config", "a", encoding="utf-8") as f:
        f.write('[remote "origin"]\n\turl = https://github.com/acme/tool.git\n')
    assert assign([str(other)], repos) == {"acme/tool": str(other)}
    with pytest.raises(InputError, match="both"):
        assign([str(path), f"acme/engine={other}"], repos)


def test_a_folder_that_nothing_names_is_asked_about(folder: Path) -> None:
    path = _story().write(folder / "elsewhere.git")
    with pytest.raises(InputError, match="--mirror owner/repo="):
        assign([str(path)], ("acme/engine",))


def test_a_blobless_mirror_brings_in_what_it_needs_and_no_more(folder: Path) -> None:
    story = Story("2025-01-01", VERSION_INFO="1.1.0-dev\n", elsewhere="nobody needs this\n")
    fix = story.change(7, day="2026-01-05")
    story.fork("rel-1.0.1", 1)
    story.pick(fix, on="rel-1.0.1", day="2026-01-06")
    story.release("1.0.1", on="rel-1.0.1", day="2026-01-07")
    source = story.write(folder / "engine.git")
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        subprocess.run(["git", "-C", str(source), "config", key, "true"], check=True)
    mirror = refresh("acme/engine", f"file://{source}")
    with Git(mirror) as git:
        assert not git.existing([f"{story.sha[fix]}:src/part7.c"])
    read = read_graph(known(), {"acme/engine": mirror}, bring=bring)
    assert read.failed == ()
    component = read.graph.trace("acme/engine#7").components[0]
    assert (component.first_release, component.confidence) == ("1.0.1", "certain")
    with Git(mirror) as git:
        assert git.existing([f"{story.sha[fix]}:src/part7.c"])
        assert not git.existing([f"{story.sha[1]}:elsewhere"])
    story.change(8, day="2026-01-09")
    story.write(source)
    assert refresh("acme/engine", f"file://{source}") == mirror
    assert read_graph(known(), {"acme/engine": mirror}, bring=bring).graph.trace("acme/engine#8").state == "merged"


def test_a_program_that_floods_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.upstream.git.LARGEST_OUTPUT", 1_000_000)
    code = "import sys\nwhile True: sys.stdout.write('x' * 65536)\n"
    with pytest.raises(GitFailed, match="printed more than"):
        run_bounded([sys.executable, "-c", code], {"PATH": os.defpath}, b"", 30.0)


def test_a_pipe_among_the_refs_is_passed_by(folder: Path) -> None:
    path = _story().write(folder / "engine.git")
    os.mkfifo(path / "refs" / "heads" / "pipe")
    assert "refs/heads/main" in read_refs(str(path)).named


@pytest.mark.parametrize("name", ["refs/heads/../../x", "refs/heads/a b", "refs/heads/a\x1b[31m", "refs/heads/a\\b"])
def test_a_name_that_git_would_refuse_is_no_ref(folder: Path, name: str) -> None:
    story = _story()
    path = story.write(folder / "engine.git")
    with open(path / "packed-refs", "a", encoding="utf-8") as f:
        f.write(f"{story.sha[1]} {name}\n")
    assert name not in read_refs(str(path)).named
