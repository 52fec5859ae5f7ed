"""Publications and pull requests, read from a stateful GitHub through its API."""

from __future__ import annotations

import pytest
from github.Repository import Repository

from bot.forge import Forge, NotThere
from tests.forge.conftest import pull, release


def test_publications_are_read_with_their_days_and_drafts_are_none(forge: Forge, upstream: Repository) -> None:
    release(upstream, "1.0.0")
    release(upstream, "1.1.0-rc.1", prerelease=True)
    release(upstream, "1.1.0", draft=True)
    listed = forge.publications(upstream.full_name)
    by = {p.tag: p for p in listed.changed}
    assert set(by) == {"v1.0.0", "v1.1.0-rc.1"}
    assert by["v1.1.0-rc.1"].prerelease
    assert not by["v1.0.0"].prerelease
    assert by["v1.0.0"].day == upstream.get_release("v1.0.0").published_at.date().isoformat()
    assert by["v1.0.0"].repo == upstream.full_name


def test_only_what_is_new_edited_or_taken_down_is_told_again(forge: Forge, upstream: Repository) -> None:
    first = release(upstream, "1.0.0")
    second = release(upstream, "1.0.1")
    draft = release(upstream, "1.0.2", draft=True)
    kept = forge.publications(upstream.full_name).kept
    again = forge.publications(upstream.full_name, kept)
    assert again.changed == ()
    upstream.get_release(second).update_release("Engine", "", prerelease=True)
    upstream.get_release(draft).update_release("Engine", "", draft=False)
    upstream.get_release(first).delete_release()
    later = forge.publications(upstream.full_name, again.kept)
    by = {p.tag: p for p in later.changed}
    assert set(by) == {"v1.0.0", "v1.0.1", "v1.0.2"}
    assert by["v1.0.0"].gone
    assert by["v1.0.1"].prerelease
    assert forge.publications(upstream.full_name, later.kept).changed == ()


def test_a_long_list_is_read_page_by_page_and_again_only_to_what_is_known(forge: Forge, upstream: Repository) -> None:
    for n in range(105):
        upstream.create_git_release(f"v0.{n}.0", "Engine", "")
    listed = forge.publications(upstream.full_name)
    assert len(listed.changed) == 105
    release(upstream, "1.0.0")
    more = forge.publications(upstream.full_name, listed.kept)
    assert [p.tag for p in more.changed] == ["v1.0.0"]
    assert len(more.kept.rows) == 106


def test_where_a_pull_request_stands(forge: Forge, upstream: Repository) -> None:
    repo = upstream.full_name
    upstream.create_git_ref("refs/heads/feature", upstream.get_branch(upstream.default_branch).commit.sha)
    opened = pull(upstream, "Mend it", "mend")
    sketched = pull(upstream, "Sketch it", "sketch", draft=True)
    aside = pull(upstream, "Mend the feature", "aside", base="feature")
    refused = pull(upstream, "Break it", "break")
    upstream.get_pull(aside).merge()
    upstream.get_pull(refused).edit(state="closed")
    states = {n: forge.pull(repo, n)[0] for n in (opened, sketched, aside, refused)}
    assert {n: s and s.state for n, s in states.items()} == {
        opened: "open",
        sketched: "draft",
        aside: "merged",
        refused: "closed",
    }
    merged = states[aside]
    assert merged is not None
    assert (merged.base, merged.change, merged.title) == ("feature", f"{repo}#{aside}", "Mend the feature")
    assert merged.merged_at is not None
    assert merged.merge_commit == upstream.get_pull(aside).merge_commit_sha
    unmerged = states[refused]
    assert unmerged is not None
    assert (unmerged.merged_at, unmerged.merge_commit) == (None, None)


def test_what_is_not_there_is_said(forge: Forge, upstream: Repository) -> None:
    with pytest.raises(NotThere):
        forge.publications("acme/nothing")
    with pytest.raises(NotThere):
        forge.pull(upstream.full_name, 4711)


def test_it_can_be_asked_without_a_token(github_url: str, upstream: Repository) -> None:
    release(upstream, "1.0.0")
    listed = Forge(None, github_url, spacing=0).publications(upstream.full_name)
    assert [p.tag for p in listed.changed] == ["v1.0.0"]
