"""What a manifest states at one place: JSON, TOML, XML, pubspec.yaml, CMake, plain version files, any by a pattern.

Manifests are hostile text: they are capped, no entity of XML is resolved, and what is no exact version is no answer.
A range ("^1.2.0", ">=1") pins nothing and is refused like a missing place.
"""

from __future__ import annotations

import json

from signatures.foreign_toml import load_toml
from signatures.linear import PatternError, linear
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

LARGEST = 1_000_000  # characters
LONGEST = 128
_REGEX = "/regex/"
_XML = (".props", ".targets", ".csproj", ".xml", ".nuspec", ".vcxproj")
_TOP = "/"
_SHORTEST_SHA = 7
_HEX = frozenset("0123456789abcdef")


def read_manifest(file: str, text: str, pointer: str) -> str | None:
    """The version that a manifest states at `pointer`, or None where it states no exact one.

    The pointer of JSON and TOML is RFC 6901's. XML: /Element/Name finds <Element Include="Name" Version="..."/>, and
    /Element its text. pubspec.yaml: /dependencies/name. CMake: /FetchContent/name, /set/VARIABLE and /project.
    Other text: / is its first line, /KEY the value of KEY=value. Any file: /regex/ and a
    pattern with a `version` group.
    """
    if len(text) > LARGEST:
        return None
    text = text.removeprefix("\ufeff")
    name = file.rsplit("/", 1)[-1].lower()
    if pointer.startswith(_REGEX):
        value = _pattern(text, pointer.removeprefix(_REGEX))
    elif name.endswith(".json"):
        value = _structured(text, pointer, json.loads)
    elif name.endswith(".toml"):
        value = _structured(text, pointer, load_toml)
    elif name.endswith(_XML):
        value = _xml(text, pointer)
    elif name.endswith((".yaml", ".yml")):
        value = _yaml(text, pointer)
    elif name == "cmakelists.txt" or name.endswith(".cmake"):
        value = _cmake(text, pointer)
    else:
        value = _plain(text, pointer)
    return exact(value) if value is not None else None


def exact(value: str) -> str | None:
    """The one version that a requirement allows: 1.2.3, v1.2.3, ==1.2.3, =1.2.3, [1.2.3]; None for a range."""
    value = value.strip().strip("\"'")
    if value.startswith("[") and value.endswith("]") and "," not in value:
        value = value[1:-1].strip()
    value = value.removeprefix("===").removeprefix("==").removeprefix("=").strip()
    if not value or len(value) > LONGEST or not value.isascii():
        return None
    if value[:1] in "vV" and value[1:2].isdigit():
        value = value[1:]
    if len(value) >= _SHORTEST_SHA and not set(value) - _HEX:
        return None  # a commit, which may be any version
    core = value.replace(".", "").replace("-", "").replace("+", "").replace("_", "")
    return value if value[0].isdigit() and core.isalnum() and not value.endswith((".x", "-", ".")) else None


def _structured(text: str, pointer: str, load: Any) -> str | None:
    try:
        here = load(text)
    except (ValueError, RecursionError):
        return None
    for step in [] if pointer == _TOP else pointer.removeprefix("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and key in here:
            here = here[key]
        elif isinstance(here, list) and key.isascii() and key.isdigit() and int(key) < len(here):
            here = here[int(key)]
        else:
            return None
    return here if isinstance(here, str) else None


def _xml(text: str, pointer: str) -> str | None:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - no document type gets this far, so there is nothing to expand
    except (ElementTree.ParseError, RecursionError, ValueError):
        return None
    element, _, named = pointer.removeprefix("/").partition("/")
    found: set[str] = set()
    for node in root.iter():
        if not isinstance(node.tag, str) or node.tag.rpartition("}")[2] != element:
            continue
        if not named:
            found.add((node.text or "").strip())
        elif (node.get("Include") or node.get("Update") or node.get("id") or "").casefold() == named.casefold():
            inner = next((c.text for c in node if c.tag.rpartition("}")[2] == "Version"), None)
            found.add((node.get("Version") or node.get("version") or inner or "").strip())
    found.discard("")
    return next(iter(found)) if len(found) == 1 else None  # several conditions, several versions: none is *the* one


def _yaml(text: str, pointer: str) -> str | None:
    """A scalar of block mappings nested by indentation, which is all that a pubspec's versions need."""
    wanted = pointer.removeprefix("/").split("/")
    path: list[tuple[int, str]] = []
    for line in text.splitlines():
        bare = line.split(" #", 1)[0].rstrip()
        key, colon, value = bare.strip().partition(":")
        if not colon or bare.lstrip().startswith(("#", "- ")) or "\t" in bare[: len(bare) - len(bare.lstrip())]:
            continue
        depth = len(bare) - len(bare.lstrip())
        while path and path[-1][0] >= depth:
            path.pop()
        path.append((depth, key.strip().strip("\"'")))
        if [k for _, k in path] == wanted:
            return value.strip() or None
    return None


def _cmake(text: str, pointer: str) -> str | None:
    kind, _, name = pointer.removeprefix("/").partition("/")
    words = _cmake_words(text)
    found: set[str] = set()
    for command, arguments in words:
        if kind == "project" and command == "project" and "VERSION" in arguments[:-1]:
            found.add(arguments[arguments.index("VERSION") + 1])
        elif kind == "set" and command == "set" and len(arguments) > 1 and arguments[0] == name:
            found.add(arguments[1])
        elif kind == "FetchContent" and command == "fetchcontent_declare" and arguments[:1] == [name]:
            found |= set(_fetched(arguments))
    return next(iter(found)) if len(found) == 1 else None


def _fetched(arguments: list[str]) -> list[str]:
    if "GIT_TAG" in arguments[:-1]:
        return [arguments[arguments.index("GIT_TAG") + 1]]
    urls = [a for a in arguments if a.startswith("https://")]
    found = [
        m.group(1)
        for u in urls
        for m in linear(r"[/_-]v?(\d+\.\d+(?:\.\d+)+[\w.-]*?)(?:\.(?:zip|tar|tgz)|/|$)").finditer(u)
    ]
    return list(dict.fromkeys(found))


def _cmake_words(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a CMake file with their arguments, without comments and quotes; no variable is resolved."""
    lines = [_uncommented(line) for line in text.splitlines()]
    found: list[tuple[str, list[str]]] = []
    for m in linear(r"(?s)([A-Za-z_]\w*)\s*\(([^()]*)\)").finditer("\n".join(lines)):
        found.append((m.group(1).lower(), [w.strip('"') for w in m.group(2).split()]))
    return found


def _uncommented(line: str) -> str:
    """A line of CMake without its comment; a # inside quotes begins none."""
    head = ""
    for i, piece in enumerate(line.split('"')):
        bare, hash_, _ = piece.partition("#") if i % 2 == 0 else (piece, "", "")
        head += ('"' if i else "") + bare
        if hash_:
            break
    return head


def _plain(text: str, pointer: str) -> str | None:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if pointer == _TOP:
        return lines[0] if lines else None
    key = pointer.removeprefix("/")
    found = {v.strip() for line in lines for k, eq, v in [line.partition("=")] if eq and k.strip() == key}
    return next(iter(found)) if len(found) == 1 else None


def _pattern(text: str, pattern: str) -> str | None:
    try:
        compiled = linear(pattern)
    except PatternError:
        return None
    if "version" not in compiled.groupindex:
        return None
    found = {m.group("version") for m in compiled.finditer(text)}
    return next(iter(found)) if len(found) == 1 else None
