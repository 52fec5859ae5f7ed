"""What a program, a console or a mail program puts around each line: prefixes, numbers, frames, marks.

All of it is blanked at equal length. A frame, a number or a mark is taken for one only where the lines around it show
it; what a line says is not judged.
"""

from __future__ import annotations

from signatures.linear import linear

DROP = "\x00"
MAX_LINES = 2000  # of one text; a block of a log has fewer
NEWLINE = "\n"

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_UNIT = r"(?:[ \x00]+[\w.-]+[ \x00]+[\w.@/()-]+\[\d+\]:)?"  # host unit[123]:
_PREFIX = (
    r"(?m)^[ \t\x00]*(?:(?:"
    r"\[?\d\d\d\d[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?\]?[:,]?"  # ISO 8601 and kin
    + _UNIT
    + r"|"
    + _MONTH
    + r"[ \x00]+\d+ \d\d:\d\d:\d\d(?:\.\d+)? [\w.-]+ [^\s:\[\]]+(?:\[\d+\])?:"  # syslog, journald
    r"|\[ *\d+\.\d\d\d\d\d\d\]"  # dmesg
    r"|\d\d-\d\d \d\d:\d\d:\d\d\.\d\d\d\s+\d+\s+\d+ [VDIWEFA] [\w./$-]+[ \t]*:"  # adb logcat, threadtime
    r"|\d+-\d+(?:/\S+)?(?:[ \t]+[\w.$-]+)(?:[ \t]+[\w.$-]+)?[ \t]+[VDIWEFA]"  # Android Studio
    r"|\d+-\d+/\S+"
    r"|[VDIWEF]/[\w.-]+(?: ?\( *\d+\))?:"  # adb logcat, brief
    r"|[IWEF]\d\d\d\d \d\d:\d\d:\d+\.\d+\s+\d+"  # absl and glog
    r"|\[\d\d:\d\d:\d\d [A-Z][A-Z][A-Z]\]"  # Serilog
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?"
    r"|(?:[\w.@/-]+\.m?js|VM\d+|\(index\)):\d+(?::\d+)?"  # browser consoles
    r"|[a-z][\w-]*\d\s+\|"  # docker compose
    r"|#\d+ \d+\.\d+"  # docker build
    r"|(?:>|&gt;)+"  # quotes
    r")[ \t\x00]+|##\[\w+\][ \t\x00]*|##vso\[[^\]\n]*\][ \t\x00]*|::(?:error|warning|notice|debug)[^:\n]*::[ \t\x00]*)+"
)

_SPACE = " \x00"
_LONGEST_NUMBER = 9
_LONGEST_WORD = 300  # characters before a continuation mark that are looked at
_DIGITS = {ord(c): "0" for c in "123456789"}
_LONGEST_PREFIX = 120
_NARROWEST = 30  # characters of a console's line
_CONSOLES = (80, 100, 120, 132)  # usual widths
_SURE = 4  # full lines
_SURE_AT_WIDTH = 2
_RAGGED = 12  # lines broken between words end within so much of the width
_ENDS = " :|>])\t"


def bare_lines(text: str) -> str:
    """Clean text, its tabs already spaces, without what stands around the lines; the same length."""
    text = blank(text, _PREFIX)
    if not 0 < text.count("\n") <= MAX_LINES:
        return text
    lines = text.split("\n")
    framed = [*lines]
    if "Line |" in text:
        _powershell(framed)
    if "|" in text and ("+-" in text or "+=" in text):
        _boxes(framed)
    _numbers(framed)
    if framed != lines:
        # what the frame held back may begin with a prefix of its own
        framed = blank("\n".join(framed), _PREFIX).split("\n")
    if "`" in text or "*" in text or "_\n" in text:
        framed = [_unmarked(line) for line in framed]
    if "\\\n" in text or "\\ \n" in text:
        framed = [_uncontinued(line) for line in framed]
    return "\n".join(framed)


def without_shared_prefixes(text: str) -> str:
    """The text without what several lines in a row begin with, digits aside: the prefix of a logger not known here."""
    if not 0 < text.count("\n") <= MAX_LINES:
        return text
    lines = text.split("\n")
    cuts = [0] * len(lines)
    above = ""
    for i, line in enumerate(lines):
        shape = line[:_LONGEST_PREFIX].translate(_DIGITS)
        cut = _shared(above, shape)
        if cut and not shape[:cut].replace(" ", "").isalpha():
            # shorter where three lines do not share the whole of it
            cuts[i - 1] = min(cuts[i - 1], cut) if cuts[i - 1] else cut
            cuts[i] = cut
        above = shape
    if not any(cuts):
        return text
    return "\n".join(DROP * cut + line[cut:] if cut else line for cut, line in zip(cuts, lines, strict=True))


def without_hard_wraps(text: str) -> tuple[str, bool]:
    """The text with the line ends of a console that cuts at its width, also inside a word; the same length.

    So a console cuts where lines are of exactly one length, the greatest, and fewer nearly as long. True where that
    is sure: a few lines can be of one length by chance.
    """
    if not 0 < text.count("\n") <= MAX_LINES:
        return text, False
    lines = text.split("\n")
    lengths = [len(line) - line.count(DROP) for line in lines]
    width = max(lengths)
    full = lengths.count(width)
    near = sum(width - _RAGGED < n < width for n in lengths)
    if width < _NARROWEST or full <= near:
        return text, False
    parts = [f"{line}{DROP if n == width else NEWLINE}" for line, n in zip(lines, lengths, strict=True)]
    return "".join(parts)[:-1], full >= (_SURE_AT_WIDTH if width in _CONSOLES else _SURE)


def blank(text: str, pattern: str) -> str:
    """Each match of a pattern as DROP."""
    parts: list[str] = []
    done = 0
    for found in linear(pattern).finditer(text):
        start, end = found.span()
        if end > start:
            parts += (text[done:start], DROP * (end - start))
            done = end
    if not parts:
        return text
    parts.append(text[done:])
    return "".join(parts)


def _shared(above: str, shape: str) -> int:
    """How many characters two lines share from their start, up to the end of a word or a mark."""
    low, high = 0, min(len(above), len(shape))
    while low < high:
        middle = (low + high + 1) // 2
        if above[:middle] == shape[:middle]:
            low = middle
        else:
            high = middle - 1
    while low and shape[low - 1] not in _ENDS:
        low -= 1
    return low


def _powershell(lines: list[str]) -> None:
    """PowerShell 7 shows an error under "Line |", each line of it behind a bar."""
    inside = False
    for i, line in enumerate(lines):
        before, bar, _ = line.partition("|")
        head = before.strip(_SPACE)
        inside = bar != "" and (head == "Line" or (inside and (head == "" or head.isdecimal())))
        if inside:
            lines[i] = DROP * (len(before) + 1) + line[len(before) + 1 :]


def _boxes(lines: list[str]) -> None:
    """The rulers of an ASCII box, and the bars at both ends of its rows. A Markdown table has no such ruler."""
    ruled = False
    for line in lines:
        text = line.strip(_SPACE)
        ruled = ruled or (len(text) > 3 and text[0] == text[-1] == "+" and text[1] in "-=" and text[-2] in "-=")
    if not ruled:
        return
    for i, line in enumerate(lines):
        text = line.strip(_SPACE)
        if len(text) > 1 and text[0] == text[-1] and text[0] in "|+" and (text[0] == "|" or text[1] in "-="):
            start = line.index(text[0])
            end = line.rindex(text[0])
            inner = DROP * (end - start - 1) if text[0] == "+" and not text.strip("+-=") else line[start + 1 : end]
            lines[i] = f"{line[:start]}{DROP}{inner}{DROP}{line[end + 1 :]}"


def _numbers(lines: list[str]) -> None:
    """Line numbers: lines in a row that count on by one. The frames of a stack keep theirs."""
    run: list[int] = []  # how much of each line is its number
    last: tuple[int, str] | None = None
    for i, line in enumerate([*lines, ""]):
        number = _number(line)
        follows = number is not None and last is not None and (number[0], number[1]) == (last[0] + 1, last[1])
        if run and not follows:
            first = i - len(run)
            if len(run) >= (3 if last and last[1] == " " else 2) and not _is_frame(lines[first][run[0] :]):
                for at, cut in enumerate(run, first):
                    lines[at] = DROP * cut + lines[at][cut:]
            run = []
        if number is not None:
            run.append(number[2])
        last = None if number is None else (number[0], number[1])


def _number(line: str) -> tuple[int, str, int] | None:
    """The number a line begins with, the mark behind it (" " for none that tells), and the end of both."""
    text = line.lstrip(_SPACE)
    if not text[:1].isdecimal() or not text[:1].isascii():
        return None
    end = 1
    while text[end : end + 1].isdecimal() and end < _LONGEST_NUMBER:
        end += 1
    indent = len(line) - len(text)
    rest = text[end:].lstrip(_SPACE)
    gap = len(text) - end - len(rest)
    if rest[:1] in ("|", ":") and (rest[0] == "|" or gap == 0) and rest[1:2] in ("", " "):
        return int(text[:end]), rest[0], indent + end + gap + 1
    if gap == 0:
        return None
    return int(text[:end]), "  " if gap > 1 or indent > 2 else " ", indent + end + 1


def _is_frame(text: str) -> bool:
    word = text.lstrip(_SPACE)[:_LONGEST_PREFIX].split(" ")[0]
    return word.startswith("0x") or word in ("pc", "at") or "::" in word


def _unmarked(line: str) -> str:
    """A line without the Markdown marks that it stands between from end to end."""
    text = line.strip(_SPACE)
    mark = text[:1]
    if mark not in ("`", "*", "_") or text[-1:] != mark:
        return line
    inner = text.strip(mark)
    left = len(text) - len(text.lstrip(mark))
    if not inner or mark in inner or 2 * left + len(inner) != len(text) or (mark != "`" and inner.strip() != inner):
        return line
    start = line.index(mark)
    end = start + len(text)
    return f"{line[:start]}{DROP * left}{inner}{DROP * left}{line[end:]}"


def _uncontinued(line: str) -> str:
    """A line without the backslash that says it goes on. The one at the end of a Windows path stays."""
    text = line.rstrip(_SPACE)
    if not text.endswith("\\") or text.endswith("\\\\") or text == "\\":
        return line
    before = text[-_LONGEST_WORD:-1]
    word = before[before.rfind(" ") + 1 :]
    if "\\" in word or word.endswith(":"):
        return line
    return f"{text[:-1]}{DROP}{line[len(text) :]}"
