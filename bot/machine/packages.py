"""What registries call a product: package URLs and the ecosystems and version spellings of OSV.

https://github.com/package-url/purl-spec ; https://ossf.github.io/osv-schema/#defined-ecosystems
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from kb.model import Product, Scheme
from kb.versions import compare

_ECOSYSTEMS = {"pypi": "PyPI", "npm": "npm", "nuget": "NuGet", "pub": "Pub", "cargo": "crates.io"}
_SEMVER = ("npm", "crates.io")  # the others order versions their own way
_Json = dict[str, object]


def package_json(purl: str) -> _Json:
    """The `package` of an OSV record."""
    kind, _, name = purl.removeprefix("pkg:").partition("/")
    return {"ecosystem": _ECOSYSTEMS[kind], "name": unquote(name), "purl": purl}


def range_type(ecosystem: str | None, scheme: Scheme, bounds: tuple[str, ...]) -> str | None:
    """How OSV orders the versions of a range; None where none of its orders fits."""
    semver = all(compare(Scheme.SEMVER, b, b) == 0 for b in bounds)
    if ecosystem is None:
        return "SEMVER" if scheme is Scheme.SEMVER and semver else None
    if ecosystem in _SEMVER:
        return "SEMVER" if semver else None
    return "ECOSYSTEM"


def spelled_in(ecosystem: str | None, version: str) -> str:
    """A version as an ecosystem writes it: PyPI normalises, none has the `v` of tags."""
    bare = version[1:] if version[:1] in "vV" and version[1:2].isdigit() else version
    if ecosystem != "PyPI":
        return bare
    from packaging.version import InvalidVersion, Version

    try:
        return str(Version(bare))
    except InvalidVersion:
        return bare


def release_purls(product: Product, version: str) -> tuple[str, ...]:
    """Package URLs of one release: of its registries, else its tag in a GitHub repository, else a generic one."""
    if product.packages:
        rows = ((p, str(package_json(p)["ecosystem"])) for p in product.packages)
        return tuple(f"{p}@{quote(spelled_in(ecosystem, version), safe='')}" for p, ecosystem in rows)
    if product.repo and product.layouts:
        tag = product.layouts[-1].tag.replace("{version}", version)
        return (f"pkg:github/{product.repo.lower()}@{quote(tag, safe='')}",)
    return (f"pkg:generic/{product.id}@{quote(version, safe='')}",)
