"""YAML of plain values, and the line on which each of them stands."""

from __future__ import annotations

from typing import Any

import yaml

from bot.errors import InputError

LARGEST = 20 * 1024 * 1024  # bytes of a file


class Document:
    """What a file holds, in `data`, and where."""

    def __init__(self, data: Any, node: yaml.Node | None) -> None:
        self.data = data
        self._node = node

    def line(self, *path: str | int) -> int:
        """The line of a key, or of an entry of a list, from 1; of the last part of `path` that stands in the file."""
        node, line = self._node, 1
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
                if found is None:
                    break
                line, node = _line(found[0]), found[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = _line(node)
            else:
                break
        return line


class _Refused(Exception):
    """YAML that is not read here."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


class _Plain(yaml.SafeLoader):
    """Plain values alone: an alias could make a small file enormous, and of a key that stands twice one is lost."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise _Refused(_line(event), "it holds an alias, which is not read")
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor: dict[Any, yaml.Node]) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                why = f"{key.value[:80]}: stands twice, first on line {seen[key.value]}; keep one"
                raise _Refused(_line(key), why)
            seen[key.value] = _line(key)
        return node


def read_yaml(path: str) -> Document:
    """Raises InputError, which names the file and the line, where it cannot be read or is no plain YAML."""
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as e:
        raise InputError(f"{path} cannot be read: {e.strerror or e}.") from None
    if len(raw) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST >> 20} MiB.")
    try:
        loader = _Plain(raw)
        node = loader.get_single_node()
        return Document(None if node is None else loader.construct_document(node), node)
    except _Refused as e:
        raise InputError(f"{path}:{e.line}: {e}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as e:
        raise InputError(f"{path} is no YAML: {' '.join(str(e).split())[:300]}.") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deep to be a case file.") from None


def _line(place: Any) -> int:
    """Of a node or an event."""
    return int(place.start_mark.line) + 1
