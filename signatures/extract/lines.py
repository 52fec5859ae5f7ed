"""What a single line of unfenced text looks like: printed by a program, a heading, a bullet, a sentence.

These are appearances; nothing here knows an error or a product.
"""

from __future__ import annotations

from signatures.extract.vocabulary import MAX_LABEL, plain_label
from signatures.linear import linear

_LEAD = r"(?:&gt;|[ \t>|●■❯✖✗×!*`│├└─┌]|\[(?:[0-9;]{1,10}m))*"
# Lines that a program prints rather than a person writes.
PRINTED = (
    r"(?m)^" + _LEAD + r"(?:"
    r"[\[(<]?(?:ERROR|WARN|WARNING|INFO|DEBUG|VERBOSE|FATAL|TRACE|CRITICAL|ERR|WRN|INF|E|W|I|V|F)[\])>]?: ?\S"
    r"|\[(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|[EWIVF]:)"
    r"|(?:[Uu]ncaught |[Uu]nhandled |[Ff]atal |EP |wgpu |[\w.]*)(?:[Ee]rror"
    r"|[Ee]xception)(?: [A-Z]\w+)?(?:\[\w+\])?: ?\S"
    r"|[\w.]*\w(?:Error|Exception):[ \t\r*`]*$"
    r"|(?:Unhandled|Uncaught|An error occurred|Faulting|Exception code|Fault offset)\b"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d:\d\d|[EWIF]\d{4} \d\d:\d\d:"
    r"|at [\w<$.\x60+]+[.(\[\x60 +]"
    r"|at \S+ \(|at$|@ \S+:\d"
    r"|#\d+[ \t]+(?:pc|0x|\w+[:(])"
    r"|File \"[^\"\n]+\", line \d"
    r"|Traceback \(most recent|During handling of the above|The above exception was|Caused by: |--- End of|Hint: "
    r"|\$ \S|PS [A-Z]:\\|[A-Z]:\\[^\s>]*>|[\w.-]+@[\w.<>-]+[ :]\S* ?[%$#] "
    r"|(?:\.\\|\./)\S"
    r"|[\w./\\@<>-]+\.(?:cc|cpp|cxx|h|hpp|cu|rs|py|js|mjs|ts|cs|dart|kt|java|swift|mm|c)[:(]\d"
    r"|(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction|SIG[A-Z]{3,4}\b|signal \d|Fatal signal"
    r"|thread '|panicked at)"
    r"|[\w.]+(?:::~?\w+)+[ (<]"
    r"|[a-z]\w*_\w+: \S|main: |lib\w[\w.+-]*: "
    r"|(?:pc|lr|sp|x\d{1,2}|r\d{1,2})[ \t]+(?:0x)?[0-9a-f]{8,}\b"
    r"|(?:Selected adapter|Created a WebGPU|Created \w+ GpuEnvironment|Failed to [a-z]+ |Failed: |Exception: "
    r"|Error loading )"
    r"|# of [a-z ]+= ?\d"
    r"|={3,} ?\S|\*{3,} ?\w"
    r"|[\w.]+: \[ONNXRuntimeError\]|EP Error |[^\n]*\[\d\d:\d\d:\d\d (?:ERR|WRN|INF|DBG|FTL)\]"
    r"|[VDIWEF]/[\w.-]+(?: ?\( *\d+\))?: |[\w.-]+\.(?:wasm|dll|so|dylib)(?:[:+ ]|$)"
    r"|[Ee]rror (?:while|in) \w|\"?warning: |[A-Z]\w+ (?:size|number) \(?\d|[\w.]+ ERROR |\w+ {8,}Traceback"
    r"|(?:npm|yarn|pip|ERR!) \S*[Ee][Rr][Rr]"
    r")"
)
_GOES_ON = (
    r"[ \t]*(?:at\s|--- |\.\.\. ?\d|Caused by|#\d{1,3}[ \t]|[|│] |- While |\^|~{2,}|\+ 0x|in [\w:]+ \()|(?:[ \t]{3,}"
    r"|\t)[^\s]"
)
_BULLET = r"[ \t]*(?:[-*•·◦▪+]|\d{1,3}[.)])[ \t]+\S"
_HASH = r" {0,3}#{1,6}[ \t]+([^\n]*?)[ \t#]*"
_BOLD = r"[ \t]*(?:\*\*|__)([^*\n]+)(?:\*\*|__)[ \t]*:?[ \t]*"
_LABEL_LINE = r"[A-Z][\w /&'?.,()-]{0,100}"
_WORDS = (
    r"(?i)\b(?:the|a|an|is|are|was|and|or|of|to|in|on|for|with|that|this|it|i|we|when|from|but|not|as|be|same|my|so"
    r"|if)\b"
)


def printed_lines(text: str) -> list[int]:
    """Where the lines start that read like program output."""
    return [
        text.rfind("\n", 0, m.end()) + 1 if "\n" in m.group() else m.start() for m in linear(PRINTED).finditer(text)
    ]


def goes_on(line: str) -> bool:
    """A line that continues the output above it: a stack frame, an indented or a marked line."""
    return linear(_GOES_ON).match(line) is not None


def is_bullet(line: str) -> bool:
    return linear(_BULLET).match(line) is not None


def reads_like_prose(text: str) -> bool:
    """Sentences of a person: common small words make up a good part of it."""
    text = text[:4000]
    words = len(text.split())
    small = sum(1 for _ in linear(_WORDS).finditer(text))
    return words >= 5 and small * 5 >= words


def heading(line: str, known: frozenset[str], *, alone: bool, blank_after: bool) -> str | None:
    """The heading that a line is, as `plain_label` writes it, or None.

    `alone`: nothing stands directly above it. A line without marks is a heading only where `known` lists it; a line
    with `#` or in bold also where it stands alone and does not read like output ("# of threads = 2" is a log line).
    """
    text = line.strip()
    if not text or len(text) > MAX_LABEL + 10:
        return None
    marked = linear(_HASH).fullmatch(line.rstrip())
    bold = None if marked else linear(_BOLD).fullmatch(line.rstrip())
    if marked is None and bold is None:
        if not alone or linear(_LABEL_LINE).fullmatch(text.rstrip(":")) is None:
            return None
        label = plain_label(text)
        return label if label in known else None
    title = (marked or bold).group(1)  # type: ignore[union-attr]  # one of the two is there
    label = plain_label(title)
    if label in known:
        return label
    if not alone or not label or linear(PRINTED).search(title) or " = " in title or "::" in title:
        return None
    level = len(text) - len(text.lstrip("#"))
    return label if blank_after or level >= 2 else None
