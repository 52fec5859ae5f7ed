"""Where a graph's inputs, outputs and value types begin, seen from its end alone.

They stand behind the initializers, whose headers cannot be skipped without reading each of them; the end of the graph
is known exactly.
"""

from __future__ import annotations

from signatures.artifact.varint import LEN, read_varint

MAX_ENTRIES = 250_000


def find_ports(data: bytes) -> int | None:
    """The first position from which `data` is, to its last byte, a run of graph inputs (field 11), outputs (12) and
    what may follow them, in the order in which protobuf writers put them. None where there is none."""
    good: set[int] = {len(data)}
    at = data.find(b"\x5a")
    while at >= 0:
        if _chain(data, at, good):
            return at
        at = data.find(b"\x5a", at + 1)
    return None


def _chain(data: bytes, at: int, good: set[int]) -> bool:
    seen: list[int] = []
    last = 11
    while at not in good:
        seen.append(at)
        if len(seen) > MAX_ENTRIES:
            return False
        try:
            tag, body = read_varint(data, at)
            length, body = read_varint(data, body)
        except (IndexError, ValueError):
            return False
        number, end = tag >> 3, body + length
        if tag & 7 != LEN or not last <= number <= 16 or end > len(data):
            return False
        if number <= 13 and not _value_info(data, body, end):
            return False
        last, at = number, end
    good.update(seen)
    return bool(seen)


def _value_info(data: bytes, at: int, end: int) -> bool:
    """Whether these bytes read as a ValueInfoProto: a UTF-8 name first, then known fields to the end."""
    if at >= end or data[at] != 0x0A:
        return False
    first = True
    while at < end:
        try:
            tag, body = read_varint(data, at)
            length, body = read_varint(data, body)
        except (IndexError, ValueError):
            return False
        if tag & 7 != LEN or tag >> 3 > 4 or tag >> 3 == 0 or body + length > end:
            return False
        if first:
            try:
                data[body : body + length].decode()
            except UnicodeDecodeError:
                return False
            first = False
        at = body + length
    return at == end
