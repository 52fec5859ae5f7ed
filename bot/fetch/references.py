"""What a reference means: a local path, files of a Hugging Face repository, a URL, or a Foundry catalogue id.

It looks at the text, and at whether a local file has that name; it fetches nothing.
"""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from signatures.artifact.source import SourceError

_HUB_HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
_NO_MODELS = ("datasets", "spaces", "docs", "blog", "papers", "collections", "settings", "models", "organizations")
_VIEWS = ("blob", "resolve", "tree", "raw")
_FILES = (".onnx", ".data", ".json", ".litertlm", ".tflite", ".gguf", ".zip", ".whl", ".nupkg", ".gz", ".ort", ".task",
          ".safetensors", ".tar", ".tgz", ".xz", ".bz2", ".zst", ".7z")  # fmt: skip
_DEVICES = ("cpu", "gpu", "npu")
_LONGEST = 2048


class BadReference(SourceError):
    """A reference that means nothing here. Its text says how to write it."""


class Local(NamedTuple):
    path: str


class Hub(NamedTuple):
    """`path` is a file or folder in the repository; empty for all of it."""

    repo: str
    revision: str | None
    path: str = ""


class Url(NamedTuple):
    url: str


class Foundry(NamedTuple):
    name: str
    revision: str | None


Reference = Local | Hub | Url | Foundry


def parse(ref: str, endpoint: str = "https://huggingface.co", *, local: bool = True) -> Reference:
    """What `ref` names. `local`: whether it may be a path on this computer. Raises BadReference with a sentence."""
    if local and os.path.lexists(ref):
        return Local(ref)
    if not ref.strip() or len(ref) > _LONGEST or any(ord(c) < 0x20 for c in ref):
        what = "is no reference" if ref.strip() else "an empty text is no reference"
        raise BadReference(f"{what}; give a file, a folder, hf:OWNER/NAME or an address", name=ref[:80])
    if ref.startswith("hf:"):
        return _short_hub(ref)
    scheme, colon, _ = ref.partition("://")
    if colon:
        if scheme.lower() in ("http", "https"):
            return _address(ref, endpoint)
        raise BadReference(f"{scheme}: is not read; give a file, a folder, hf:OWNER/NAME or an https address", name=ref)
    found = _foundry(ref)
    if found is not None:
        return found
    hint = f"; for the Hugging Face repository write hf:{ref}" if _is_repo(ref.partition("@")[0]) else ""
    why = _hidden(ref) if local else None
    raise BadReference(why or f"there is no such file or folder{hint}", name=ref)


def _hidden(path: str) -> str | None:
    """Why the file system does not say whether there is such a file."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        return f"cannot be opened: {error.strerror}"
    return None


def _short_hub(ref: str) -> Hub:
    """hf:owner/name[@revision][/path]; a revision of the form refs/pr/N keeps its slashes."""
    text = ref.removeprefix("hf:").removeprefix("//")
    repo, at, rest = text.partition("@")
    if not at:
        parts = text.split("/", 2)
        return _hub("/".join(parts[:2]), None, parts[2] if len(parts) > 2 else "", ref)
    if repo.count("/") > 1:  # an @ inside a path
        parts = text.split("/", 2)
        return _hub("/".join(parts[:2]), None, parts[2], ref)
    pieces = rest.split("/")
    many = 3 if pieces[0] == "refs" else 1
    return _hub(repo, "/".join(pieces[:many]), "/".join(pieces[many:]), ref)


def _address(ref: str, endpoint: str) -> Reference:
    try:
        parts = urlsplit(ref)
        host = (parts.hostname or "").lower()
    except ValueError:
        raise BadReference("is a broken address", name=ref) from None
    if not host:
        raise BadReference("is an address without a host", name=ref)
    if host in _HUB_HOSTS and parts.username is None:
        return _from_hub_path(unquote(parts.path), ref)
    if ref.startswith(endpoint + "/"):
        path = unquote(parts.path).removeprefix(urlsplit(endpoint).path)
        return _from_hub_path(path, ref) if _is_hub_path(path) else Url(ref)
    if host == "github.com":
        return Url(_raw_on_github(ref))
    return Url(ref)


def _from_hub_path(path: str, ref: str) -> Hub:
    pieces = [piece for piece in path.split("/") if piece]
    if pieces[:2] == ["api", "models"]:
        pieces = pieces[2:]
    if not pieces or pieces[0] in _NO_MODELS:
        raise BadReference("is no model repository", name=ref)
    if len(pieces) == 1:
        raise BadReference("names no repository; write hf:OWNER/NAME", name=ref)
    repo, rest = "/".join(pieces[:2]), pieces[2:]
    if not rest or rest[0] not in _VIEWS:
        return _hub(repo, None, "", ref)
    many = 4 if rest[1:2] == ["refs"] else 2
    return _hub(repo, "/".join(rest[1:many]) or None, "/".join(rest[many:]), ref)


def _is_hub_path(path: str) -> bool:
    """Whether a path on the operator's own host is one of the hub it mirrors; such a host may serve other files too."""
    pieces = [piece for piece in path.split("/") if piece]
    return (len(pieces) > 3 and pieces[2] in _VIEWS) or (len(pieces) == 2 and not pieces[1].lower().endswith(_FILES))


def _raw_on_github(url: str) -> str:
    """The address of a file's bytes where `url` is the page that shows it: github.com/o/r/blob/REVISION/PATH."""
    pieces = urlsplit(url).path.split("/")
    if len(pieces) > 5 and pieces[3] in ("blob", "raw"):
        return f"https://raw.githubusercontent.com/{pieces[1]}/{pieces[2]}/{'/'.join(pieces[4:])}"
    return url


def _hub(repo: str, revision: str | None, path: str, ref: str) -> Hub:
    if not _is_repo(repo):
        raise BadReference("names no repository; write hf:OWNER/NAME[@REVISION][/FILE]", name=ref)
    pieces = path.strip("/").split("/") if path.strip("/") else []
    revised = revision.split("/") if revision is not None else []
    if any(piece in ("", ".", "..") for piece in (*pieces, *revised)):
        raise BadReference("holds a path that leads elsewhere", name=ref)
    return Hub(repo, revision, "/".join(pieces))


def _is_repo(text: str) -> bool:
    owner, slash, name = text.partition("/")
    return bool(slash) and all(_is_repo_part(part) for part in (owner, name))


def _is_repo_part(part: str) -> bool:
    plain = part.replace("-", "a").replace("_", "a").replace(".", "a")
    return 0 < len(part) <= 96 and part.isascii() and plain.isalnum() and part[0] not in "-." and ".." not in part


def _foundry(ref: str) -> Foundry | None:
    """An id of the Foundry catalogue: ends in its device, may carry a revision behind a colon."""
    name, colon, revision = ref.partition(":")
    if colon and not (revision.isascii() and revision.isdecimal() and len(revision) < 5):
        return None
    known = name.rsplit("-", 1)[-1].lower() in _DEVICES and "-" in name
    return Foundry(name, revision or None) if known and _is_repo_part(name) else None
