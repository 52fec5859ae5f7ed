"""A small synthetic world: one runtime, two products that carry it, and statements of a reporter about them.

Shaped like the public record of microsoft/onnxruntime-genai#2191, with nothing read from the authored files.
"""

from __future__ import annotations

from kb.model import (
    Affected,
    Delivery,
    Fix,
    FixKind,
    FixState,
    Knowledge,
    Observed,
    Problem,
    Product,
    Release,
    Scheme,
    Status,
    Symptom,
)
from kb.stated import Near, Scoped, ScopedArtifact
from signatures.model import TRUST, ArtifactRef, ArtifactRole, Fact, Source, Span

CHANGE = "acme/engine#21"
ENGINE, APP, SDK = "engine", "app", "sdk"
NEAR = Near(2, 100)


def product(id_: str, scheme: Scheme = Scheme.SEMVER, **more: object) -> Product:
    return Product(id_, id_.title(), scheme, **more)  # type: ignore[arg-type]


def release(product_: str, version: str, date: str | None = None, by: str | None = None, **bundles: str) -> Release:
    carried = tuple((k.replace("_", "-"), v) for k, v in bundles.items())
    return Release(product_, version, date, carried, f"acme/{product_}@v{version}", by)


PRODUCTS = (
    product(ENGINE),
    product("driver", Scheme.DOTTED),
    product("kernels"),
    product(APP, aliases=("App", "app --version"), repo="acme/app"),
    product(SDK, repo="acme/app"),
)
RELEASES = (
    release(ENGINE, "0.13.0", "2026-04-01"),
    release(ENGINE, "0.14.0", "2026-05-25"),
    release(ENGINE, "0.14.1", by="2026-06-04"),
    release(ENGINE, "0.15.0", "2026-07-28"),
    release(SDK, "1.2.0", "2026-05-28", engine="0.14.0"),
    release(SDK, "1.2.1", "2026-06-04", engine="0.14.1"),
    release(APP, "0.9.0", "2026-04-10", engine="0.13.0"),
    release(APP, "0.10.0", "2026-06-04", engine="0.14.0"),
    release(APP, "0.10.1", "2026-06-22", engine="0.14.1"),
    release(APP, "0.10.2", "2026-07-14", engine="0.14.1"),
    release("model:tiny-gpu", "4", by="2026-09-01"),
)
DELIVERIES = (Delivery(CHANGE, ENGINE, ("0.14.1", "0.15.0"), "ancestry"),)
AFFECTED = Affected(ENGINE, "0.14.0", "0.14.1", ref="acme/engine#20")
FIX = Fix(FixKind.COMMIT, FixState.RELEASED, (CHANGE,), merged="2026-06-02")


def world(
    *problems: Problem,
    releases: tuple[Release, ...] = RELEASES,
    deliveries: tuple[Delivery, ...] = DELIVERIES,
    products: tuple[Product, ...] = PRODUCTS,
) -> Knowledge:
    return Knowledge(problems, products, Observed(releases, deliveries))


def problem(
    id_: str = "shared-buffer",
    affected: tuple[Affected, ...] = (AFFECTED,),
    fixes: tuple[Fix, ...] = (FIX,),
    **more: object,
) -> Problem:
    made = Problem(
        id_,
        "One buffer is bound twice",
        "One pass both writes and reads it.",
        Status.CONFIRMED,
        ("acme/app#7",),
        (Symptom("buffer-conflict"),),
        affected,
        fixes,
    )
    return made._replace(**more)  # type: ignore[arg-type]


def stated(*facts: tuple[str, str] | tuple[str, str, Source] | tuple[str, str, Source, Near]) -> tuple[Scoped, ...]:
    """Facts as `scope_facts` orders them; a form field in the post of the evidence unless said otherwise."""
    scoped = []
    for key, value, *rest in facts:
        source = next((r for r in rest if isinstance(r, Source)), Source.FORM)
        near = next((r for r in rest if isinstance(r, Near)), NEAR)
        scoped.append(Scoped(Fact(key, value, source, f"{key}: {value}", Span(0, 0, 1), 0), near))
    return tuple(sorted(scoped, key=lambda s: (-TRUST[s.fact.source], s.near)))


def model(
    name: str, revision: str | None, role: ArtifactRole = ArtifactRole.FAILING, near: Near = NEAR
) -> ScopedArtifact:
    return ScopedArtifact(ArtifactRef("foundry", name, revision, None, role, Span(0, 0, 1), 0), near)
