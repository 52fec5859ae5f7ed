"""What GitHub makes of a comment: its Markdown rendered, then its autolink rules over the text that is left.

The rules are those of GitHub's documentation and of the GFM specification, section 6.9; GitHub runs them over each text
node outside code and links.
https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
"""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

# without joining, so that what was escaped stays apart from what was not
_PARSER = MarkdownIt("gfm-like", {"html": True, "linkify": False}).disable("text_join")
_AUTOLINKS = {
    "mention": r"(?<![\w`])@[A-Za-z0-9]",
    "reference": r"#\d",
    "GH reference": r"(?i)\bGH-\d",
    "address": r"(?i)(?:https?|ftp)://|\bwww\.",
    "e-mail": r"[\w.+-]+@[\w-]+\.",
    "commit": r"(?i)(?<![0-9a-z_])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![0-9a-z_])",
    "emoji": r":[a-z0-9_+-]+:",
}


class Page(NamedTuple):
    """`kinds` are the Markdown elements in it, `linked` what the autolink rules find: rule and place;
    `bare` is text that no backslash or entity protects, where footnotes, formulas and tables begin."""

    kinds: frozenset[str]
    links: tuple[str, ...]
    strong: tuple[str, ...]
    html: tuple[str, ...]
    texts: tuple[str, ...]
    linked: tuple[str, ...]
    bare: str


def page(body: str) -> Page:
    tokens = _PARSER.parse(body)
    inline = [c for t in tokens for c in t.children or ()]
    html = [x.content for x in (*tokens, *inline) if x.type in ("html_block", "html_inline")]
    texts = tuple(text for t in tokens if t.type == "inline" for text in _texts(t.children or []))
    return Page(
        frozenset(t.type for t in tokens if not t.type.endswith("_close"))
        | frozenset(c.type for c in inline if not c.type.endswith("_close")),
        tuple(str(c.attrs["href"]) for c in inline if c.type == "link_open"),
        tuple(_strong(inline)),
        tuple(html),
        texts,
        tuple(
            f"{rule}: {text[max(0, m.start() - 10) : m.end() + 10]}"
            for text in texts
            for rule, pattern in _AUTOLINKS.items()
            for m in re.finditer(pattern, text)
        ),
        "".join(c.content for c in inline if c.type == "text"),
    )


def _texts(children: list[Token]) -> list[str]:
    """Text nodes, each apart, without code and links: an HTML comment or an element ends one."""
    found = [""]
    linked = 0
    for child in children:
        linked += child.nesting if child.type in ("link_open", "link_close") else 0
        if child.type in ("text", "text_special") and not linked:
            found[-1] += child.content
        else:
            found.append("")
    return [text for text in found if text]


def _strong(children: list[Token]) -> list[str]:
    found: list[str] = []
    inside = False
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            inside = child.nesting > 0
            found += [""] if inside else []
        elif inside:
            found[-1] += child.content
    return found
