"""Lines of many reports, gathered into what most people meet."""

from __future__ import annotations

from itertools import permutations

import pytest

from bot.worklist.clusters import MOST_SHAPES, Failure, worklist
from bot.worklist.masking import mask

GRUE = "FluxError: cannot open '{}' for grue number {} at /home/{}/flux/bank.bin"


def _grue(issue: int, name: str, who: str | None = None, day: str | None = None) -> Failure:
    return Failure(f"acme/flux#{issue}", GRUE.format(name, issue * 7, name), who, day, (("flux", f"1.{issue}"),))


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("cannot open C:\\Users\\x\\model.onnx now", "cannot open <path> now"),
        ("fetching https://example.org/a?b failed", "fetching <url> failed"),
        ("node 'Conv_59_quant' has no kernel", "node <name> has no kernel"),
        ("tensor of 1048576 bytes at 0x7ffc12345678", "tensor of <n> bytes at <hex>"),
        # what says which failure it is stays
        ("device removed (0x887A0006) Error 126", "device removed <name> Error 126"),
        ("hresult 0x887A0006 was returned", "hresult 0x887A0006 was returned"),
        ("an instance of 'vk::DeviceLostError'", "an instance of vk::DeviceLostError"),
    ],
)
def test_what_differs_from_one_failure_to_the_next_is_masked(line: str, masked: str) -> None:
    assert " ".join(mask(line)) == masked


def test_one_failure_of_several_reports_is_one_item_with_its_versions_and_at_most_three_examples() -> None:
    rows = tuple(_grue(i, f"bank{i}", f"user{i}", f"2026-0{i}-01") for i in range(1, 6))
    (cluster,) = worklist(rows).clusters

    assert cluster.template == "FluxError cannot open <name> for grue number <n> at <path>"
    assert (cluster.issues, cluster.reporters) == (5, 5)
    assert (cluster.first_seen, cluster.last_seen) == ("2026-01-01", "2026-05-01")
    assert cluster.versions == tuple(("flux", f"1.{i}", 1) for i in range(1, 6))
    assert [f.issue for f in cluster.examples] == ["acme/flux#5", "acme/flux#4", "acme/flux#3"]


def test_words_that_differ_in_place_become_a_mark() -> None:
    rows = (
        Failure("a/b#1", "The grand bank refused to charge its capacitor today"),
        Failure("a/b#2", "The small bank refused to charge its capacitor"),
    )
    (cluster,) = worklist(rows).clusters

    assert cluster.template == "The <*> bank refused to charge its capacitor"


def test_another_code_or_type_is_another_failure() -> None:
    rows = tuple(
        Failure(f"a/b#{i}", line)
        for i, line in enumerate(
            (
                "Loading the flux library failed with error 126",
                "Loading the flux library failed with error 127",
                "terminate called after throwing an instance of 'flux::LostError'",
                "terminate called after throwing an instance of 'flux::BankError'",
            )
        )
    )

    assert len(worklist(rows).clusters) == 4


def test_what_most_people_meet_comes_first_and_of_equals_the_newest() -> None:
    one_person = tuple(
        Failure(f"a/b#{i}", "FluxError: the bank is empty now", "zork", "2026-09-09") for i in range(1, 5)
    )
    two_people = tuple(
        Failure(f"a/b#{i}", "GrueError: nobody lit the lantern", f"u{i}", "2026-01-01") for i in (11, 12)
    )
    newer = (Failure("a/b#21", "ZorkError: the mailbox is locked again", "u", "2026-10-01"),)
    older = (Failure("a/b#22", "TrollError: the bridge is guarded again", "u", "2026-02-01"),)
    found = worklist((*older, *one_person, *newer, *two_people)).clusters

    assert [c.template.split()[0] for c in found] == ["GrueError", "FluxError", "ZorkError", "TrollError"]


def test_lines_of_the_same_issues_are_one_item() -> None:
    lines = ("GrueError: nobody lit the lantern", "LanternWarning: the wick refused to burn at all")
    rows = tuple(Failure(f"a/b#{i}", line) for i in (1, 2) for line in lines)
    (cluster,) = worklist(rows).clusters

    assert cluster.also == ("GrueError nobody lit the lantern",)


def test_the_order_of_the_lines_plays_no_part() -> None:
    rows = (
        _grue(1, "bank", "a"),
        _grue(2, "vault", "b"),
        Failure("a/b#3", "The grand bank refused to charge its capacitor"),
        Failure("a/b#4", "The small bank refused to charge its capacitor"),
    )

    assert len({worklist(tuple(p)) for p in permutations(rows)}) == 1


def test_a_flood_of_lines_is_cut_and_counted() -> None:
    words = [f"{a}{b}" for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrstuvwxyz"]
    rows = tuple(
        Failure(
            "a/b#1", f"{words[i % 676]}flux {words[i // 26 % 676]}grue {words[i * 7 % 676]}zork refused {'x' * 400}"
        )
        for i in range(MOST_SHAPES + 300)
    )
    made = worklist(rows)

    assert made.left_out > 0
    assert made.lines == len(set(rows))
    assert all(len(c.template) < 400 for c in made.clusters)


def test_a_line_without_words_of_its_own_is_no_failure() -> None:
    assert worklist((Failure("a/b#1", "error: 0x7ffc12345678 12345 67890"),)).clusters == ()
