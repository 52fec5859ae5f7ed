"""The delivery graph: only what was observed, and only what was public on the day."""

from __future__ import annotations

import pytest

from kb.delivery import (
    bundled,
    carriers,
    carrying_components,
    carrying_products,
    date_of,
    first_product_release,
    known_by,
    name_of,
    observed_versions,
)
from kb.model import Bundle, Delivery, Layout, Scheme
from tests.unit.kb.world import APP, CHANGE, DELIVERIES, ENGINE, PRODUCTS, RELEASES, SDK, product, release, world

KNOWN = world()


def test_a_manifest_says_what_a_product_release_carries() -> None:
    assert bundled(KNOWN, APP, "0.10.0+174be11", ENGINE) == ("0.14.0", "acme/app@v0.10.0")
    assert bundled(KNOWN, APP, "0.10.9", ENGINE) is None
    assert bundled(KNOWN, APP, "latest", ENGINE) is None
    assert bundled(KNOWN, APP, "0.10.0", "kernels") is None
    assert bundled(KNOWN, "nothing", "0.10.0", ENGINE) is None


def test_rows_that_contradict_each_other_say_nothing() -> None:
    twice = world(releases=(*RELEASES, release(APP, "v0.10.0", engine="0.15.0")))
    assert bundled(twice, APP, "0.10.0", ENGINE) is None


def test_a_delivery_is_a_set_of_releases() -> None:
    assert carriers(KNOWN, (CHANGE,), ENGINE) == ("0.14.1", "0.15.0")
    assert carriers(KNOWN, (), ENGINE) == ()
    assert carriers(KNOWN, ("acme/engine#99",), ENGINE) == ()
    assert carriers(KNOWN, (CHANGE,), "nothing") == ()


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        ("2026-06-03", ()),
        ("2026-06-04", ("0.14.1",)),  # no date of its own: public at the latest on that day
        ("2026-07-27", ("0.14.1",)),
        ("2026-07-28", ("0.14.1", "0.15.0")),
        (None, ("0.14.1", "0.15.0")),
    ],
)
def test_a_day_hides_later_releases(as_of: str | None, expected: tuple[str, ...]) -> None:
    assert carriers(KNOWN, (CHANGE,), ENGINE, as_of) == expected


def test_a_release_without_any_day_is_known_only_when_no_day_is_asked() -> None:
    undated = world(releases=(release(ENGINE, "0.14.1"),))
    assert known_by(undated, ENGINE, "0.14.1", None)
    assert not known_by(undated, ENGINE, "0.14.1", "2030-01-01")


def test_a_component_is_public_once_a_product_carries_it() -> None:
    carried = world(releases=(release(SDK, "1.2.1", "2026-06-04", engine="0.14.1"),))
    assert known_by(carried, ENGINE, "0.14.1", "2026-06-04")
    assert not known_by(carried, ENGINE, "0.14.1", "2026-06-03")
    assert not known_by(carried, "nothing", "0.14.1", "2026-06-04")
    assert date_of(carried, ENGINE, "0.14.1") is None  # a bound is no date
    assert date_of(KNOWN, ENGINE, "0.15.0") == "2026-07-28"


def test_a_fix_of_several_changes_needs_them_all() -> None:
    both = (CHANGE, "acme/engine#22")
    half = world(deliveries=DELIVERIES)
    assert carriers(half, both, ENGINE) == ()
    whole = world(deliveries=(*DELIVERIES, Delivery("acme/engine#22", ENGINE, ("v0.15.0", "0.15.1"), "ancestry")))
    assert carriers(whole, both, ENGINE) == ("0.15.0",)


def test_changes_of_several_components_are_kept_apart() -> None:
    spread = (CHANGE, "acme/kernels#3")
    known = world(deliveries=(*DELIVERIES, Delivery("acme/kernels#3", "kernels", ("2.0.0",), "ancestry")))
    assert carrying_components(known, spread) == (ENGINE, "kernels")
    assert carriers(known, spread, ENGINE) == ("0.14.1", "0.15.0")
    assert carriers(known, spread, "kernels") == ("2.0.0",)


@pytest.mark.parametrize(
    ("after", "as_of", "expected"),
    [
        ("0.10.0", None, "0.10.1"),
        ("0.10.1", None, "0.10.2"),
        ("0.10.2", None, None),
        ("0.10.0", "2026-06-21", None),
        (None, "2026-06-22", "0.10.1"),
    ],
)
def test_the_first_product_release_is_later_and_public(
    after: str | None, as_of: str | None, expected: str | None
) -> None:
    def good(_version: str, inside: str) -> bool:
        return inside == "0.14.1"

    assert first_product_release(KNOWN, APP, ENGINE, good, after=after, as_of=as_of) == expected
    assert first_product_release(KNOWN, "nothing", ENGINE, good) is None


def test_a_prerelease_is_offered_only_to_who_runs_one() -> None:
    known = world(releases=(*RELEASES, release(APP, "0.10.1-rc.1", "2026-06-20", engine="0.14.1")))

    def good(_version: str, inside: str) -> bool:
        return inside == "0.14.1"

    assert first_product_release(known, APP, ENGINE, good, after="0.10.0") == "0.10.1"
    assert first_product_release(known, APP, ENGINE, good, after="0.10.0-rc.3") == "0.10.1-rc.1"


def test_products_carry_a_component_by_a_release_or_by_their_layout() -> None:
    laid_out = product("kit", layouts=(Layout("v{version}", bundles=(Bundle(ENGINE, "deps.json", "/engine"),)),))
    assert carrying_products(world(products=(*PRODUCTS, laid_out)), ENGINE) == (SDK, APP, "kit")


def test_names_are_titles_and_models_keep_their_own() -> None:
    assert name_of(KNOWN, APP) == "App"
    assert name_of(KNOWN, "model:tiny-gpu") == "tiny-gpu"


def test_every_observed_version_counts_once() -> None:
    assert observed_versions(KNOWN, ENGINE) == ("0.13.0", "0.14.0", "0.14.1", "0.15.0")
    assert observed_versions(KNOWN, "model:tiny-gpu") == ("4",)
    assert observed_versions(KNOWN, "nothing") == ()
    assert product("x", Scheme.DOTTED).scheme is Scheme.DOTTED
