"""The one question that a diagnosis may ask: all texts in one place, plain and calm, and never an instruction."""

from __future__ import annotations

from kb.delivery import MODEL, carrying_products, name_of, product_of
from kb.model import Knowledge
from signatures.model import When

_BY_KEY = {
    "os": "Which operating system is this on",
    "os_version": "Which version of the operating system is this on",
    "arch": "Which processor architecture is this on",
    "gpu": "Which GPU is this on",
    "gpu_vendor": "Which vendor's GPU is this on",
    "gpu_line": "Which product line is the GPU of",
    "driver": "Which GPU driver version is installed",
    "ep": "Which execution provider does the model run on",
    "backend": "Which backend does the model run on",
    "adapter": "Which graphics adapter does the log say is selected",
    "adapter_type": "What type of graphics adapter does the log say is selected",
    "opencl_library": "Is libOpenCL.so on the device, in /vendor/lib64 or elsewhere",
    "runtime": "Which runtime loads the model",
    "api": "Which API or language binding is used",
    "browser": "Which browser is this in",
    "device": "Which device is this on",
    "phase": "When does it fail",
}
_MAX_CHOICES = 4


def version_question(knowledge: Knowledge, component: str, named: tuple[str, ...], repo: str | None) -> str:
    """Asks for the version that decides the verdict.

    `named` are the products that the report names and that carry the component; without any, the products of the
    repository that the issue is filed in are meant.
    """
    if component == MODEL:
        return "Which model is it, with its revision (as in `name:revision`)?"
    if component.startswith(MODEL):
        return f"Which revision of {name_of(knowledge, component)} is it (the number after the colon in its id)?"
    products = named[:2] or tuple(
        p for p in carrying_products(knowledge, component) if repo is not None and _repo(knowledge, p) == repo
    )
    asked = products if 0 < len(products) <= 2 else (component,)
    if len(asked) > 1:
        return (
            f"Which version of {' or '.join(name_of(knowledge, p) + _command(knowledge, p) for p in asked)} do you run?"
        )
    return f"Which {name_of(knowledge, asked[0])} version do you run{_command(knowledge, asked[0])}?"


def _command(knowledge: Knowledge, product: str) -> str:
    """How the product prints its version, where one of its aliases is that command line."""
    known = product_of(knowledge, product)
    command = next((a for a in known.aliases if a.endswith("--version")), None) if known else None
    return f" (`{command}`)" if command else ""


def _repo(knowledge: Knowledge, product: str) -> str | None:
    known = product_of(knowledge, product)
    return known.repo.casefold() if known and known.repo else None


def separating_question(clauses: tuple[tuple[When, ...], ...]) -> str | None:
    """Asks for the fact that tells problems apart which share their words, by the open preconditions of each.

    None where no single fact does.
    """
    keys = dict.fromkeys(w.key for when in clauses for w in when)
    for key in keys:
        wanted = [next((w for w in when if w.key == key), None) for when in clauses]
        if len(set(wanted)) < 2:
            continue
        choices = tuple(dict.fromkeys(v for w in wanted if w is not None for v in w.any))[:_MAX_CHOICES]
        return fact_question(key, choices)
    return None


def fact_question(key: str, choices: tuple[str, ...] = ()) -> str:
    """Asks for one fact, with the answers that are waited for."""
    asked = _BY_KEY.get(key, f"What is the {key.replace('_', ' ')}")
    return f"{asked} ({', '.join(choices)}, or another)?" if choices else f"{asked}?"


def component_question(knowledge: Knowledge, components: tuple[str, ...]) -> str:
    """Asks which of several components the failing program uses."""
    names = [name_of(knowledge, c) for c in components[:_MAX_CHOICES]]
    return f"Which of these loads the model, and in which version: {', '.join(names)}?"
