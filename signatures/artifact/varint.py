"""The two shapes that protobuf bytes are made of: variable-length numbers and length-delimited fields."""

from __future__ import annotations

LEN = 2  # wire type of a length-delimited field
_MAX_SHORT = 5  # bytes of a tag or a length


def varint(value: int) -> bytes:
    """The protobuf encoding of a non-negative number."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, body: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | LEN) + varint(len(body)) + body


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """(value, position after it). Raises IndexError past the end, ValueError past ten bytes."""
    value = data[at]
    at += 1
    if value < 0x80:
        return value, at
    value &= 0x7F
    shift = 7
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise ValueError


def read_tag(data: bytes, at: int) -> tuple[int, int]:
    """(field number and wire type, position after it); bits past 32 are lost, as protobuf has it. Raises IndexError
    past the end, ValueError past five bytes."""
    tag, end = read_varint(data, at)
    if end - at > _MAX_SHORT:
        raise ValueError
    return tag & 0xFFFFFFFF, end


def read_length(data: bytes, at: int) -> tuple[int, int]:
    """(bytes that follow, position after it). Raises as `read_tag` does."""
    length, end = read_varint(data, at)
    if end - at > _MAX_SHORT:
        raise ValueError
    return length, end
