"""One repository read into a History, and what the manifests at its products' tags say.

Reads what the layouts of the products ask for. Judges nothing: a tag on a wrong commit comes out as it is, with what
the version file there says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from bot.upstream.git import Git
from bot.upstream.history import (
    Changed,
    lacking_files,
    read_changed,
    read_commits,
    read_files,
    read_patches,
    read_trees,
    resolved,
)
from kb.graph.ancestry import Ancestry
from kb.graph.evidence import SAME_MONTHS
from kb.graph.model import Commit, History, Manifested, Patch, Ref, Stated
from kb.graph.points import version_in
from kb.graph.titles import read_body, read_title
from kb.manifests import read_manifest
from kb.model import Layout, Product
from kb.versions import compare
from signatures.values import NamedTuple

_PULL = "refs/pull/"
_SAMPLE = 200  # lines
Tick = Callable[[str], None]
Bring = Callable[[list[str]], None]


class Gathered(NamedTuple):
    history: History
    manifests: tuple[Manifested, ...]


def gather(
    git: Git,
    repo: str,
    products: tuple[Product, ...],
    *,
    earlier: tuple[Ref, ...] = (),
    patches: dict[str, Patch] | None = None,
    tick: Tick = lambda words: None,
    bring: Bring | None = None,
) -> Gathered:
    """Everything deliveries need of one repository.

    `earlier` are refs as they were seen before; `patches` are known already and are not read again. `bring` fetches
    contents that the repository lacks; without it, they stay unknown. Raises GitFailed.
    """
    layouts = tuple(layout for p in products if p.repo == repo for layout in p.layouts)
    tags = resolved(git, lambda n: n.startswith("refs/tags/") and _of_family(layouts, n))
    branches = resolved(git, lambda n: n.startswith("refs/heads/") and _of_branches(layouts, n))
    lost = _held(git, [r for r in earlier if (r.name, r.sha) not in {(x.name, x.sha) for x in (*tags, *branches)}])
    gone = tuple(r for r in lost if r.name.startswith("refs/heads/") and r.name not in git.refs.named)
    branches = (*branches, *gone)
    main = resolved(git, lambda n: n == f"refs/heads/{git.refs.main}")
    head = main[0].sha
    tick(f"reading the commits of {repo}")
    tips = [head, *(r.sha for r in (*tags, *branches, *lost))]
    commits = read_commits(git, tips)
    pulls = _rounds(git, commits, head, [r.sha for r in (*tags, *branches, *lost)])
    if pulls:
        commits = read_commits(git, [*tips, *pulls.values()])
    if bring is not None:
        tick(f"fetching the manifests of {repo}")
        bring(lacking_files(git, _places(layouts, (*tags, *branches))))
    history = History(repo, git.refs.main, head, commits, tags, branches, tuple(sorted(pulls.items())), earlier=lost)
    changed = _changed(git, history)
    tick(f"reading the patches of {repo}")
    read = _patches(git, history, changed, patches or {}, tick, bring)
    squashed = [c.sha for c in commits if read_title(c.subject).own in pulls]
    history = history._replace(
        stated=_stated(git, layouts, (*tags, *branches)),
        patches=tuple(sorted(read.items())),
        trees=tuple(sorted(read_trees(git, [*squashed, *pulls.values()]).items())),
        wrote=_wrote(layouts, history, changed),
    )
    tick(f"reading the manifests of {repo}")
    return Gathered(history, _manifests(git, repo, products, tags))


def _of_family(layouts: tuple[Layout, ...], name: str) -> bool:
    return any(version_in(row.tag, name.removeprefix("refs/tags/")) for row in layouts)


def _of_branches(layouts: tuple[Layout, ...], name: str) -> bool:
    short = name.removeprefix("refs/heads/")
    return any(row.branch is not None and version_in(row.branch, short) for row in layouts)


def _held(git: Git, refs: list[Ref]) -> tuple[Ref, ...]:
    held = git.existing(r.sha for r in refs)
    return tuple(r for r in refs if r.sha in held)


def _rounds(git: Git, commits: tuple[Commit, ...], head: str, refs: list[str]) -> dict[int, str]:
    """The last commits of the pull requests that were squashed into the refs of releases, off main."""
    ancestry = Ancestry(commits, (head, *refs))
    off = {i for sha in dict.fromkeys(refs) for i in ancestry.off(sha, head)}
    numbers = {n for i in off if (n := read_title(commits[i].subject).own) is not None}
    # a pick that kept its number: the request holds the work on main, not the pick
    numbers -= {read_title(commits[i].subject).own for i in ancestry.of(head)}
    names = {f"{_PULL}{n}/head": n for n in numbers}
    return {names[r.name]: r.sha for r in resolved(git, names.__contains__)}


def _off_main(history: History) -> list[Commit]:
    ancestry = Ancestry(history.commits, (history.head,))
    return [c for i, c in enumerate(history.commits) if not ancestry.within(i, history.head)]


def _changed(git: Git, history: History) -> dict[str, Changed]:
    return read_changed(git, [c.sha for c in history.commits])


def _patches(
    git: Git, history: History, changed: dict[str, Changed], known: dict[str, Patch], tick: Tick, bring: Bring | None
) -> dict[str, Patch]:
    """The patches of all commits off main, and of those on main that one of these may be a pick of."""
    off = [c for c in _off_main(history) if c.sha in changed]
    wanted = [c.sha for c in off] + _picked_perhaps(history, changed, off)
    missing = [changed[sha] for sha in wanted if sha not in known or not known[sha].read]
    total = len(missing)
    if bring is not None:
        blobs = [blob for c in missing for blob in c.blobs]
        held = git.existing(blobs)
        bring([blob for blob in blobs if blob not in held])
    read = read_patches(git, missing, lambda n: tick(f"reading the patches of {history.repo}: {n} of {total}"))
    found = {sha: Patch(c.touched) for sha, c in changed.items()}
    whole = {c.sha for c in off}
    for sha in wanted:
        patch = read.get(sha) or known.get(sha)
        if patch is not None:
            patch = patch if sha in whole else _sampled(patch)
            found[sha] = patch._replace(touched=found[sha].touched)
    return found


def _picked_perhaps(history: History, changed: dict[str, Changed], off: list[Commit]) -> list[str]:
    """The commits on main that share a number, an author's moment or files with one off main, and what was reverted."""
    names = {c.sha for c in off}
    numbers, authors, path_sets = set[int](), set[str](), set[frozenset[str]]()
    days: dict[str, list[int]] = {}  # on which a file was changed off main
    for commit in off:
        title, body = read_title(commit.subject), read_body(commit.body, history.repo)
        numbers |= {n for n in (title.own, *(n for n, _ in title.says), *body.listed, *body.picked_numbers) if n}
        authors.add(commit.authored)
        path_sets.add(changed[commit.sha].paths)
        for path in changed[commit.sha].paths:
            days.setdefault(path, []).append(_day(commit))
    # what was taken out on main may have landed there again under another name
    path_sets |= {changed[c.sha].paths for c in history.commits if c.sha in changed and read_title(c.subject).turned}
    found: list[str] = []
    for commit in history.commits:
        if commit.sha in names or commit.sha not in changed:
            continue
        paths, title = changed[commit.sha].paths, read_title(commit.subject)
        if (
            title.own in numbers
            or title.turned
            or commit.authored in authors
            or paths in path_sets
            or any(abs(day - _day(commit)) <= SAME_MONTHS for path in paths for day in days.get(path, ()))
        ):
            found.append(commit.sha)
    return found


def _day(commit: Commit) -> int:
    return date.fromisoformat(commit.date[:10]).toordinal()


def _sampled(patch: Patch) -> Patch:
    """A patch with its lines cut down to a sample that does not depend on the patch, for a commit that may be picked.

    A share of these lines is measured against whole picks, and some hundred lines measure it as well as thousands.
    """
    return patch._replace(added=_sample(patch.added), removed=_sample(patch.removed))


def _sample(lines: frozenset[int]) -> frozenset[int]:
    return lines if len(lines) <= _SAMPLE else frozenset(sorted(lines, key=lambda n: n & 0xFFFFFFFF)[:_SAMPLE])


def _places(layouts: tuple[Layout, ...], refs: tuple[Ref, ...]) -> list[tuple[str, str]]:
    """The files that are read at each ref: version files and manifests."""
    files = dict.fromkeys(f for row in layouts for f in (row.version_file, *(b.manifest for b in row.bundles)) if f)
    return [(r.sha, f) for r in refs for f in files]


def _stated(git: Git, layouts: tuple[Layout, ...], refs: Iterable[Ref]) -> tuple[Stated, ...]:
    """What the version file says at each ref."""
    places = [(r.sha, row.version_file, row.version_pointer) for r in refs for row in layouts if row.version_file]
    texts = read_files(git, ((sha, file) for sha, file, _ in places))
    found: dict[tuple[str, str], Stated] = {}
    for sha, file, pointer in places:
        text = texts.get((sha, file))
        value = read_manifest(file, text, pointer) if text is not None else None
        found[sha, file] = Stated(sha, file, pointer, value)
    return tuple(found[key] for key in sorted(found))


def _wrote(layouts: tuple[Layout, ...], history: History, changed: dict[str, Changed]) -> tuple[tuple[str, str], ...]:
    files = {row.version_file for row in layouts if row.version_file}
    return tuple(
        (c.sha, path) for c in _off_main(history) for path in sorted(files & changed.get(c.sha, _NOTHING).paths)
    )


_NOTHING = Changed("", ())


def _manifests(git: Git, repo: str, products: tuple[Product, ...], tags: tuple[Ref, ...]) -> tuple[Manifested, ...]:
    """What each tag of a product says that it bundles."""
    rows = [
        (product, layout, ref, version)
        for product in products
        if product.repo == repo
        for layout in product.layouts
        for ref in tags
        if (version := version_in(layout.tag, ref.name.removeprefix("refs/tags/"))) is not None
        and compare(product.scheme, version, version) is not None
    ]
    texts = read_files(git, ((ref.sha, b.manifest) for _, layout, ref, _ in rows for b in layout.bundles))
    return tuple(
        Manifested(
            product.id,
            version,
            ref.name.removeprefix("refs/tags/"),
            b.component,
            b.manifest,
            read_manifest(b.manifest, text, b.pointer) if (text := texts.get((ref.sha, b.manifest))) else None,
            (ref.sha, b.manifest) in texts,
        )
        for product, layout, ref, version in rows
        for b in layout.bundles
    )
