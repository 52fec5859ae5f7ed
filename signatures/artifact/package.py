"""One artifact as checks see it: a listing that is known without reading, files opened when asked for, parsed once.

It resolves no references and reaches no network: whoever builds it hands in the listing and the openers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from signatures.artifact.listing import GENAI_CONFIG as GENAI_CONFIG
from signatures.artifact.listing import MAX_LISTED as MAX_LISTED
from signatures.artifact.listing import kept, neighbours, not_a_file, walked
from signatures.artifact.places import FILE, OUTSIDE, UNKNOWN, Place, folders, in_listing, on_disk
from signatures.artifact.source import LOCAL, BytesSource, FileSource, LimitReached, Limits, Source, SourceError, Window

if TYPE_CHECKING:
    from signatures.artifact.containers import Head
    from signatures.artifact.genai import GenAiConfig
    from signatures.artifact.graph import OnnxFile

MAX_CONFIG_BYTES = 4 * 1024 * 1024


class Entry(NamedTuple):
    """One listed file. `name` is relative to the package, with `/`. size in bytes and sha256 in lower-case hex,
    each None where the listing does not say."""

    name: str
    size: int | None
    sha256: str | None
    open: Callable[[], Source]


class Package:
    """One artifact.

    `ref` is how the user named it; `revision` what it resolved to; `complete` is False where the listing is known
    not to be all of it (a single file of a larger folder): then "not in the listing" proves nothing.
    `limits` are caps for each opened file.
    """

    def __init__(
        self,
        ref: str,
        entries: Iterable[Entry],
        *,
        revision: str | None = None,
        complete: bool = True,
        limits: Limits = LOCAL,
    ) -> None:
        self.ref = ref
        self.revision = revision
        self.complete = complete
        self.limits = limits
        given = {entry.name: entry for entry in entries}
        listing = kept(given)
        self.entries: dict[str, Entry] = {name: given[name] for name in listing.names}
        self.cut, self.overlooked = listing.cut, listing.overlooked  # as Listing says
        if listing.cut is not None:
            self.complete = False
        self._sources: dict[str, Source] = {}
        self._windows: dict[str, Window] = {}
        self._heads: dict[str, Head] = {}
        self._graphs: dict[str, OnnxFile] = {}
        self._places: dict[tuple[str, str], Place] = {}
        self._sizes: dict[str, int | None] | None = None
        self._folders: frozenset[str] = frozenset()
        self._config: dict[str, GenAiConfig | SourceError] = {}
        self.unread: SourceError | None = None  # the first that was asked for and could not be read, set back by others

    @classmethod
    def from_path(cls, path: str) -> Package:
        """A local file, or a folder with all below it. A file is read together with its neighbours' listing, so that
        external data beside a lone `.onnx` is seen. Raises SourceError."""
        if os.path.isdir(path):
            listing = walked(path)
            package = cls(path, (_entry(path, name) for name in listing.names), complete=listing.cut is None)
            package.cut, package.overlooked, package.skipped = listing.cut, listing.overlooked, listing.skipped
            package.root = os.path.abspath(path)
            return package
        folder, first = os.path.split(os.path.abspath(path))
        what = not_a_file(path)
        if what is not None:
            raise SourceError(f"is {what}, and not read" if os.path.lexists(path) else "no such file", name=path)
        beside = _beside(folder)
        package = cls(path, (_entry(folder, name) for name in beside), complete=bool(beside))
        package.entries[first] = _entry(folder, first)
        package.cut, package.overlooked = None, False  # neighbours are listed only to be found
        package.subject = first
        package.root = folder
        package.look = lambda name: _entry(folder, name) if _is_below(folder, name) else None
        return package

    @classmethod
    def from_bytes(cls, files: dict[str, bytes], ref: str = "<memory>", *, complete: bool = True) -> Package:
        """A package in memory, as fixtures and tests have it."""
        return cls(ref, [_in_memory(name, data) for name, data in files.items()], complete=complete)

    # Finds a file that is not listed, where a listing of everything below would be too much.
    look: Callable[[str], Entry | None] | None = None
    root: str | None = None  # the local folder that names are relative to
    subject: str | None = None  # the one file that is to be checked, where neighbours are listed only to be found
    skipped: tuple[tuple[str, str], ...] = ()  # (name, what it is) of what cannot be looked into

    @property
    def names(self) -> tuple[str, ...]:
        """Files to be checked, in listing order."""
        if self.subject is not None:
            return (self.subject,)
        return tuple(self.entries)

    def has(self, name: str) -> bool:
        """Whether the artifact holds a file of this name."""
        if name not in self.entries and self.look is not None:
            found = self.look(name)
            if found is not None:
                self.entries[name] = found
        return name in self.entries

    def place(self, model: str, location: str) -> Place:
        """Where a path relative to a model's folder leads. UNKNOWN where only a listing that is not complete could
        tell."""
        if (model, location) not in self._places:
            self._places[model, location] = self._place(model, location)
        return self._places[model, location]

    def _place(self, model: str, location: str) -> Place:
        if self.root is not None:
            return on_disk(self.root, model, location)
        if self._sizes is None:
            self._sizes = {name: entry.size for name, entry in self.entries.items()}
            self._folders = folders(self._sizes)
        found = in_listing(self._sizes, self._folders, model, location)
        return found if self.complete or found.kind in (FILE, OUTSIDE) else Place(UNKNOWN)

    def size(self, name: str) -> int | None:
        entry = self.entries.get(name) if self.has(name) else None
        return entry.size if entry else None

    def open(self, name: str) -> Source:
        """The file as a Source, opened once. Raises SourceError where it is not in the listing."""
        if name not in self._sources:
            entry = self.entries.get(name)
            if entry is None:
                raise SourceError("is not in the artifact", name=name)
            self._sources[name] = entry.open()
        return self._sources[name]

    def window(self, name: str) -> Window:
        if name not in self._windows:
            self._windows[name] = Window(self.open(name), self.limits)
        return self._windows[name]

    def head(self, name: str) -> Head:
        """What the first bytes say the file is. Raises SourceError."""
        if name not in self._heads:
            from signatures.artifact.containers import sniff

            self._heads[name] = sniff(self.window(name))
        return self._heads[name]

    def onnx(self, name: str) -> OnnxFile:
        """The lazy reader of an ONNX file. Parsing happens when a stage is asked for."""
        if name not in self._graphs:
            from signatures.artifact.graph import OnnxFile

            self._graphs[name] = OnnxFile(self.window(name), name, self.refused)
        return self._graphs[name]

    def refused(self, error: SourceError) -> None:
        """Keeps in `unread` that something could not be read."""
        self.unread = self.unread or error

    def onnx_names(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name.lower().endswith(".onnx"))

    def genai_config_name(self) -> str | None:
        """The shallowest genai_config.json that is to be checked."""
        found = [name for name in self.names if name.rsplit("/", 1)[-1] == GENAI_CONFIG]
        return min(found, key=lambda name: (name.count("/"), name)) if found else None

    def genai_config(self) -> GenAiConfig | None:
        """The parsed genai_config.json, None where there is none. Raises SourceError where it cannot be read or is
        too large; a file that is not JSON gives a config whose `error` says so, and counts as `unread`."""
        name = self.genai_config_name()
        if name is None:
            return None
        if name not in self._config:
            self._config[name] = self._parsed(name)
        found = self._config[name]
        if isinstance(found, SourceError):
            self.refused(found)
            raise found
        if found.error is not None and found.error.what != "bom":
            self.refused(SourceError("is not read beyond a fault in it", offset=found.error.at, name=name))
        return found

    def _parsed(self, name: str) -> GenAiConfig | SourceError:
        from signatures.artifact.genai import parse_config

        try:
            data = self.open(name).read(0, MAX_CONFIG_BYTES + 1)
        except SourceError as error:
            return error
        if len(data) > MAX_CONFIG_BYTES:
            return LimitReached(f"more than {MAX_CONFIG_BYTES} bytes", offset=MAX_CONFIG_BYTES, name=name)
        return parse_config(data, name)

    def folder(self, name: str) -> str:
        """The folder part of a listed name, with its trailing slash, or an empty string."""
        cut = name.rfind("/")
        return name[: cut + 1]

    @property
    def requests(self) -> int:
        return sum(source.requests for source in self._sources.values())

    @property
    def bytes_read(self) -> int:
        return sum(source.bytes_read for source in self._sources.values())

    @property
    def unreadable(self) -> SourceError | None:
        """Why nothing of it could be read, where files were opened and none of them gave a byte."""
        failed: list[SourceError | None] = [getattr(source, "failed", None) for source in self._sources.values()]
        return failed[0] if failed and None not in failed and not self.bytes_read else None

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        for source in self._sources.values():
            close = getattr(source, "close", None)
            if close is not None:
                close()


def _is_below(root: str, name: str) -> bool:
    """Whether a relative name is a file inside the folder."""
    parts = name.split("/")
    inside = not any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts)
    return inside and len(name) < 1024 and os.path.isfile(os.path.join(root, *parts))


def _in_memory(name: str, data: bytes) -> Entry:
    return Entry(name, len(data), None, lambda: BytesSource(data, name))


def _entry(root: str, name: str) -> Entry:
    path = os.path.join(root, *name.split("/"))
    try:
        size: int | None = os.stat(path).st_size
    except OSError:
        size = None
    return Entry(name, size, None, lambda: FileSource(path, name))


def _beside(folder: str) -> list[str]:
    """Names in the folder of a file; none where it cannot be listed, though the file can be opened."""
    try:
        return sorted(neighbours(folder))
    except SourceError:
        return []
