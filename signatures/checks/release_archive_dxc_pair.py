"""A Windows release that ships Dawn without the DirectX shader compiler beside it.

What it detects
    In a zip, nupkg, wheel or tar (plain, gzip, xz, bzip2), or in a folder: a library that carries Dawn
    (webgpu_dawn*.dll, libLiteRtWebGpuAccelerator.dll, onnxruntime_providers_webgpu.dll) without dxil.dll or
    dxcompiler.dll in its folder.

Why it breaks
    Dawn on Direct3D 12 loads the pair by name. Where it is missing, no adapter or no pipeline can be made.

What it cannot tell
    What archives of other kinds hold (7z, RAR, cabinet, tar in zstd). Whether the machine has the pair elsewhere on its
    path, whether the application adds it, and whether a file that is there can be loaded.

Remedy
    Ship dxil.dll and dxcompiler.dll, of one DirectXShaderCompiler release, beside the library.

References
    leehack/llamadart#506, microsoft/DirectXShaderCompiler
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.archives import SUFFIXES, members
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where

PAIR = ("dxil.dll", "dxcompiler.dll")
CARRIERS = ("liblitertwebgpuaccelerator.dll", "onnxruntime_providers_webgpu.dll")
REMEDY = "Put dxil.dll and dxcompiler.dll, of one DirectXShaderCompiler release, beside the library."


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    del target
    yield from _inventory(package.ref, list(package.names), complete=package.complete)
    for name in package.names:
        if not name.lower().endswith(SUFFIXES):
            continue
        try:
            held = [member.name for member in members(package.window(name))]
        except SourceError as error:
            yield Unknown(f"{name}: {error}", Where(name, "", error.offset))
            continue
        if not held:
            yield Unknown(f"{name}: an archive that holds no file", Where(name))
        yield from _inventory(name, held, complete=True)


def _carries_dawn(base: str) -> bool:
    return base in CARRIERS or (base.startswith("webgpu_dawn") and base.endswith(".dll"))


def _inventory(archive: str, names: list[str], *, complete: bool) -> Iterator[Hit | Unknown]:
    lowered = {name.lower() for name in names}
    for name in names:
        folder, _, base = name.rpartition("/")
        if not _carries_dawn(base.lower()):
            continue
        beside = folder.lower() + "/" if folder else ""
        missing = [library for library in PAIR if beside + library not in lowered]
        if missing and not complete:
            yield Unknown(f"what stands beside {name} is not known")
            continue
        for library in missing:
            elsewhere = next((other for other in sorted(lowered) if other.rpartition("/")[2] == library), None)
            detail = f"{name} carries Dawn, and {library} is not beside it"
            detail += f" (there is {elsewhere})" if elsewhere else ""
            text = f"DynamicLib.Open: {library} Windows Error:"
            yield Hit(
                Where(archive, name), detail, Severity.PROBABLE, text, REMEDY, (("dll", library.removesuffix(".dll")),)
            )


def _zip(*names: str) -> bytes:
    """A zip of empty members, for fixtures."""
    import io
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), b"")
    return out.getvalue()


_DAWN = "runtimes/win-x64/native/libLiteRtWebGpuAccelerator.dll"
_BESIDE = "runtimes/win-x64/native/"

CHECK = Check(
    id="release-archive-dxc-pair",
    title="Dawn is shipped without dxil.dll and dxcompiler.dll",
    reads="archive",
    predicts="DynamicLib.Open: dxil.dll Windows Error: <code>",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, files=(("a.zip", _zip(_DAWN, _BESIDE + "dxcompiler.dll")),), expect="dxil.dll"),
        Fixture(
            Outcome.FOUND, files=(("a.nupkg", _zip(_DAWN, "dxil.dll", "dxcompiler.dll")),), expect="there is dxil.dll"
        ),
        Fixture(Outcome.CLEAN, files=(("a.zip", _zip(_DAWN, _BESIDE + "dxil.dll", _BESIDE + "DXCompiler.dll")),)),
        Fixture(Outcome.CLEAN, files=(("a.zip", _zip("readme.txt")),)),
        Fixture(Outcome.UNKNOWN, files=(("a.zip", _zip(_DAWN)[:40]),)),
        Fixture(Outcome.UNKNOWN, files=(("a.zip", _zip()),)),
        Fixture(Outcome.UNKNOWN, files=(("a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(60)),)),
    ),
)
