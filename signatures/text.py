"""Text as a console, a browser or a phone printed it, made comparable, with the way back to the raw characters.

Cleaning never changes the length: what is dropped (colour codes, timestamps, log prefixes, invisible characters)
becomes DROP, so an offset in the clean text is an offset in the raw one. Folding then turns each run of whitespace
into one space, so that a console's line wrap cannot hide a sentence; squeezing removes whitespace altogether, for
consoles that break inside a word.
"""

from __future__ import annotations

from bisect import bisect_right

from signatures.layout import bare_lines, blank
from signatures.linear import linear

DROP = "\x00"

_ANSI = (
    r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC: titles and hyperlinks
    r"|\x1b\[[0-9;:?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[()][0-9A-Za-z]|\x1b[=>78cDEHMNOZ]"
)
_ANSI_COPIED = r"\[\d{1,2}(?:;\d{1,3})*m"  # CSI whose ESC was lost when the text was copied

_TYPOGRAPHY = {ord(c): "'" for c in "‘’‚‛′"} | {ord(c): '"' for c in "“”„‟″«»"} | {ord(c): "-" for c in "‐‑‒–—―"}
_SPACES = {ord(c): " " for c in "\t\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"}
_SPACES |= dict.fromkeys(range(0x2000, 0x200B), " ")
_FULL_WIDTH = {c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)}
_SPACES |= dict.fromkeys(range(0x2500, 0x2580), " ")  # box drawing: the frame that a terminal program puts around text
_INVISIBLE = [*range(0x09), *range(0x0E, 0x20), 0x7F, 0xAD, 0xFEFF]
_INVISIBLE += [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
_TABLE: dict[int, str] = _TYPOGRAPHY | _SPACES | _FULL_WIDTH | dict.fromkeys(_INVISIBLE, DROP)
_STRAY = 16  # zero bytes that a text may hold
_PIECE = r"[^\s\x00]+"


class NotText(ValueError):
    """Bytes that are no text. `offset` is the first byte that shows it."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"not text in UTF-8, UTF-16 or Windows-1252 (see byte {offset}); save a text as UTF-8")
        self.offset = offset


def decode(data: bytes) -> str:
    """The text of a log file: UTF-8 or UTF-16 with or without a mark, else Windows-1252. Line ends become \\n.

    A few stray zero bytes are left out, and those that a crash left at the end of a file.

    Raises NotText for binary data.
    """
    text = _decoded(data)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def in_utf8(data: bytes) -> bytes:
    """A log in UTF-16 as UTF-8, so that a line's end is one byte; others as they are, without zeros at the end."""
    wide = _wide(data)
    return data.rstrip(b"\x00") if wide is None else data.decode(wide, "replace").rstrip("\x00").encode("utf-8")


def _wide(data: bytes) -> str | None:
    """The encoding of a text in UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = data[:4096].rstrip(b"\x00")
    if len(head) >= 4:
        for encoding, nul in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
            # Western text in UTF-16 without a mark has a zero in nearly every other byte
            if nul.count(0) * 10 > len(nul) * 7:
                return encoding
    return None


def _decoded(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    wide = _wide(data)
    if wide is not None:
        text = data.decode(wide, "replace")
        return text if wide == "utf-16" else text.rstrip("\x00")
    body = data.rstrip(b"\x00")  # what a crash or a preallocated file leaves behind
    head = body[:4096]
    zeros = body.count(b"\x00")
    if zeros > _STRAY or zeros * 20 > len(body) or (data and not body):
        raise NotText(data.find(b"\x00"))
    if len(body) < len(data) or zeros:
        data = body.replace(b"\x00", b"")
        head = data[:4096]
    controls = [i for i, b in enumerate(head) if b < 32 and b not in b"\t\n\v\f\r\x1b\b"]
    if len(controls) * 10 > len(head):
        raise NotText(controls[0])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as e:
        if _mostly_utf8(data):
            return data.decode("utf-8", "replace")
        if sum(b >= 0x80 for b in head) * 3 > len(head):
            raise NotText(e.start) from None
        return data.decode("cp1252", "replace")


def _mostly_utf8(data: bytes) -> bool:
    """A UTF-8 log with a few torn bytes, such as one cut at a size limit."""
    text = data.decode("utf-8", "replace")
    return (
        text.count("\ufffd") * 50 < sum(c > "\x7f" for c in text[:100_000]) + 50
        and "\ufffd" in text
        and not _latin(data)
    )


def _latin(data: bytes) -> bool:
    """High bytes that stand alone between ASCII ones, as single-byte encodings have them."""
    sample = data[:100_000]
    alone = sum(
        1 for i in range(1, len(sample) - 1) if sample[i] >= 0xA0 and sample[i - 1] < 0x80 and sample[i + 1] < 0x80
    )
    high = sum(b >= 0x80 for b in sample)
    return high > 0 and alone * 2 > high


def clean(raw: str) -> str:
    """`raw` with what programs and consoles add blanked out: the same length, character for character."""
    text = raw
    if "\\" in raw or "&" in raw or "<" in raw:
        text = _written_out(raw)
    if "\x1b" in text:
        text = blank(text, _ANSI)
    text = text.translate(_TABLE)
    if "[" in text and "m" in text:
        text = blank(text, _ANSI_COPIED)
    return bare_lines(text)


def legible(raw: str) -> str:
    """`raw` with HTML's characters and full-width punctuation as what they stand for, at the same length and no more.

    For reading what a line looks like, where its prefix tells.
    """
    text = raw
    if "&" in text:
        from signatures.escapes import entities

        text = entities(text)
    return text if text.isascii() else text.translate(_FULL_WIDTH)


def _written_out(text: str) -> str:
    # only for the texts that need it: most lookups are one plain line
    from signatures.escapes import entities, strings, tags

    if "\\" in text:
        text = strings(text)
    if "&" in text:
        text = entities(text)
    return tags(text) if "<" in text else text


def fold(raw: str) -> str:
    """Clean text on one line: each run of whitespace one space, no space at either end."""
    return fold_clean(clean(raw))


def fold_clean(cleaned: str) -> str:
    """As `fold`, of a text that is clean already."""
    return " ".join(cleaned.replace(DROP, "").split())


def squeeze(raw: str) -> str:
    """Clean text without any whitespace."""
    return squeeze_clean(clean(raw))


def squeeze_clean(cleaned: str) -> str:
    """As `squeeze`, of a text that is clean already."""
    return "".join(cleaned.replace(DROP, "").split())


class Way:
    """The way back from a folded or squeezed text to the raw one. `cleaned`: what is given is clean already."""

    def __init__(self, raw: str, *, squeezed: bool = False, cleaned: bool = False) -> None:
        text = raw if cleaned else clean(raw)
        self._view: list[int] = []  # where each piece starts in the view
        self._raw: list[int] = []  # ... and in the raw text
        at = end = 0
        for piece in linear(_PIECE).finditer(text):
            start = piece.start()
            if not squeezed and at and text[end:start].strip(DROP):
                at += 1
            self._view.append(at)
            self._raw.append(start)
            end = piece.end()
            at += end - start

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Raw [start, end) of the view's [start, end)."""
        if not self._view or end <= start:
            return (0, 0)
        return self._one(start), self._one(end - 1) + 1

    def _one(self, at: int) -> int:
        i = max(bisect_right(self._view, at) - 1, 0)
        return self._raw[i] + at - self._view[i]
