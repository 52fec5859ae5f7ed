"""Text made safe for a GitHub comment: what a stranger wrote can be shown there and can do nothing there.

Every function returns Markup, the type that a template with autoescape prints as it is, so that a string which
skipped this module is visible as one. Nothing here decides what is said.

GitHub links mentions and references after Markdown was rendered, in all text but code, so backslashes and entities
do not stop it; an empty HTML comment between the two halves does.
https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
"""

from __future__ import annotations

from markupsafe import Markup

from bot.terminal import one_line, printable

_BREAK = "<!-- -->"
_SPECIAL = set("\\`*_[]|~$")
_HEX = frozenset("0123456789abcdefABCDEF")
_WORD = _HEX | frozenset("ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_")
_ENTITY = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def plain(text: str, limit: int = 400) -> Markup:
    """`text` as running words: no markup, mention, reference or link survives in it."""
    line = one_line(text, limit)
    out: list[str] = []
    for i, c in enumerate(line):
        if c in _ENTITY:
            out.append(_ENTITY[c])
        elif c in _SPECIAL:
            out.append("\\" + c)
        elif c in "@#" or (c == ":" and _starts_link_or_emoji(line, i)):
            out.append(c + _BREAK)
        elif (c == "." and line[:i].lower().endswith("www")) or (c == "-" and line[:i].lower().endswith("gh")):
            out.append(_BREAK + c)
        else:
            out.append(c)
    return _sha_safe("".join(out))


def _starts_link_or_emoji(line: str, at: int) -> bool:
    """Whether the colon at `at` belongs to an address or opens a :shortcode:."""
    if line.startswith("//", at + 1):
        return True
    word, closed, _ = line[at + 1 : at + 50].partition(":")
    return bool(closed and word) and all(c.isalnum() or c in "_+-" for c in word)


def authored(text: str) -> Markup:
    """A reviewed sentence of the catalogue: as `plain`, but what stands in `backticks` is shown as code."""
    pieces = " ".join(text.split()).split("`")
    if len(pieces) % 2 == 0:
        return plain(text, 1000)
    shown: list[str] = []
    for i, piece in enumerate(pieces):
        if i % 2:
            shown.append(code(piece, 300))
        else:
            left = " " if piece[:1].isspace() else ""
            right = " " if piece[-1:].isspace() and piece.strip() else ""
            shown.append(left + plain(piece, 1000) + right)
    return safe("".join(shown).strip())


def code(text: str, limit: int = 120) -> Markup:
    """`text` as a code span that its own backticks cannot end."""
    line = one_line(text, limit)
    if not line:
        return Markup("")
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return safe(f"{ticks}{pad}{line}{pad}{ticks}")


def version(text: str) -> Markup:
    """A version as the report states it: plain where it is shaped like one, else as code."""
    bare = text[1:] if text[:1] == "v" else text
    shaped = bare[:1].isdigit() and all(c.isalnum() or c in ".+-" for c in text)
    return _sha_safe(text) if shaped and text.isascii() and len(text) <= 40 else code(text, 60)


def fence(lines: list[str], limit: int = 300) -> Markup:
    """`lines` as a fenced block that no line of it can close."""
    shown = [one_line(line, limit) for line in lines]
    ticks = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    body = "\n".join(shown)
    return safe(f"{ticks}text\n{body}\n{ticks}")


def link(words: str, url: str) -> Markup:
    """A link to an address of this project's own data; one with characters that end a link is shown as code."""
    if not url.startswith("https://") or any(c in url for c in " <>()[]\\\"'`") or printable(url) != url:
        return code(url)
    return safe(f"[{plain(words)}]({url})")


def safe(text: str) -> Markup:
    """`text` whose every part went through the functions above."""
    return Markup(text)  # noqa: S704 - the one place that declares text safe


def _longest_run(text: str) -> int:
    longest = run = 0
    for c in text:
        run = run + 1 if c == "`" else 0
        longest = max(longest, run)
    return longest


def _sha_safe(text: str) -> Markup:
    """Long hexadecimal words in code, since GitHub links them where a commit has that name."""
    out: list[str] = []
    done = at = 0
    while at < len(text):
        if text[at] not in _WORD:
            at += 1
            continue
        start = at
        while at < len(text) and text[at] in _WORD:
            at += 1
        word = text[start:at]
        if len(word) >= 7 and all(c in _HEX for c in word) and not word.isdigit():
            out += (text[done:start], f"`{word}`")
            done = at
    return safe("".join(out) + text[done:])
