"""Writing to a terminal or a pipe: safe characters, colour, wrapping.

Whatever is printed may hold words of a stranger's report, so control characters never reach the terminal from here;
colour codes are added last, by this module alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from bot import config
from signatures.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
PIPE_WIDTH = 100  # a column count for readers that are no terminal
WIDEST = 110  # longer lines are hard to read
NARROWEST = 40
_LAST_COLUMN = 44  # a last column narrower than this is set below the others

# C0 and C1 controls, invisible and bidirectional format characters, fillers, tags and other characters without a shape,
# lone surrogates: a report must not move the cursor, recolour, retitle, reorder or hide what is printed around it
_CONTROLS = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), 0x7F], "\N{REPLACEMENT CHARACTER}")
_CONTROLS |= {0x0D: " ", 0x0B: " ", 0x0C: " "}
_SHAPELESS = (
    (0x80, 0x9F), (0xAD, 0xAD), (0x034F, 0x034F), (0x0600, 0x0605), (0x061C, 0x061C), (0x06DD, 0x06DD),
    (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0D),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
_unsafe: dict[int, str] = {}


def printable(text: str) -> str:
    """`text` with every character that could act on a terminal, or that nobody can see, replaced; line ends and tabs
    stay."""
    if text.isascii():
        return text.translate(_CONTROLS)
    if not _unsafe:  # made for the first text that needs it
        codes = (code for first, last in _SHAPELESS for code in range(first, last + 1))
        _unsafe.update(_CONTROLS | dict.fromkeys(codes, "\N{REPLACEMENT CHARACTER}"))
    return text.translate(_unsafe)


def one_line(text: str, limit: int | None = None) -> str:
    """`text` printable and on one line; cut at `limit` characters with an ellipsis."""
    line = " ".join(printable(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def say(text: str) -> None:
    """Write to stdout, with a line end; of what acts on a terminal, colours alone."""
    first, *rest = text.split("\x1b")
    said = [printable(first)]
    for piece in rest:
        codes, m, after = piece.partition("m")
        colour = m and codes[:1] == "[" and codes[1:].replace(";", "").isdigit()
        said.append(f"\x1b{codes}m{printable(after)}" if colour else printable(f"\x1b{piece}"))
    _write(sys.stdout, "".join(said))


def warn(text: str) -> None:
    """Write to stderr, with a line end and without anything that acts on a terminal."""
    _write(sys.stderr, printable(text))


def say_machine(text: str) -> None:
    """Write what a program reads: always UTF-8, whatever the locale says."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")
    _write(sys.stdout, text)


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed by the caller, as in `triage ... >&-`
        return
    try:
        stream.write(text + "\n")
    except UnicodeEncodeError:
        # a locale without these characters, such as LANG=C
        encoding = stream.encoding or "ascii"
        stream.write((text + "\n").encode(encoding, "replace").decode(encoding))


class Paper:
    """Lines for people: indented, wrapped to a width, coloured where that is wanted."""

    def __init__(self, *, width: int = PIPE_WIDTH, colour: bool = False) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def style(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour and text else text

    def blank(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def text(self, text: str, *codes: str, indent: int = 0) -> None:
        """A paragraph; every line of it is indented."""
        for line in _wrapped(printable(text), self.width - indent):
            self.lines.append(" " * indent + self.style(line, *codes))

    def field(self, label: str, text: str, *, column: int = 15, indent: int = 2, codes: tuple[str, ...] = ()) -> None:
        """`label` in its column and `text` beside it, wrapped in its own column."""
        room = self.width - indent - column
        head = self.style(f"{label:<{column}}", DIM)
        for i, line in enumerate(_wrapped(printable(text), room)):
            self.lines.append(" " * indent + (head if i == 0 else " " * column) + self.style(line, *codes))

    def verbatim(self, label: str, text: str, *, column: int = 15, indent: int = 2) -> None:
        """As `field`, for text that has to be copied exactly: on one line, however long."""
        self.lines.append(" " * indent + self.style(f"{label:<{column}}", DIM) + printable(text))

    def table(self, rows: Sequence[tuple[str, ...]], *, indent: int = 2, gap: int = 2) -> None:
        """Rows in columns, the last one wrapped; stacked where there is no room."""
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        column = sum(widths) + gap * len(widths)
        stacked = self.width - indent - column < _LAST_COLUMN
        for row in rows:
            if stacked:
                self.text(row[0], indent=indent)
                self.text("; ".join(cell for cell in (row[-1], *row[1:-1]) if cell), DIM, indent=indent + 2)
                continue
            head = "".join(f"{printable(cell):<{w + gap}}" for cell, w in zip(row, widths, strict=False))
            for i, line in enumerate(_wrapped(printable(row[-1]), self.width - indent - column)):
                self.lines.append(" " * indent + (head if i == 0 else " " * column) + line)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def paper() -> Paper:
    """A Paper that fits stdout."""
    terminal = is_terminal(sys.stdout)
    width = config.columns() or (_terminal_width() if terminal else PIPE_WIDTH)
    return Paper(width=max(NARROWEST, min(width, WIDEST)), colour=config.wants_colour(terminal=terminal))


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or PIPE_WIDTH
    except (OSError, ValueError, AttributeError):
        return PIPE_WIDTH


def _wrapped(text: str, width: int) -> list[str]:
    """Greedy wrapping at spaces. A word longer than the line, such as a path or a URL, stays whole to be copied."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines
