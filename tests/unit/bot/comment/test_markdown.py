"""What a stranger wrote, shown in a comment, does nothing there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.comment import markdown

HOSTILE = [
    "@someone please look",
    "see owner/repo#12 and #34 and GH-56",
    "<script>alert(1)</script><img src=x onerror=y>",
    "[click](https://evil.example/x) ![p](https://evil.example/p.png)",
    "https://evil.example and www.evil.example and mail me@evil.example",
    "`code` ``more`` **bold** _it_ ~~gone~~ $x$",
    "</details></sub><!-- -->",
    "| a | b |\n|---|---|\n# heading\n- list\n> quote",
    "back\\slash \\` \\<b>",
    ":tada: 174be11ea7aeacd8d0d67b0ba1daebec615284b1",
    "\u202eright to left\u202c \x1b[31mred",
]


def rendered(text: str) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(text))


def texts(source: str) -> str:
    """The text of the page as GitHub's filters see it: text nodes, each apart, without code."""
    nodes: list[str] = []
    for token in MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(source):
        for child in token.children or ():
            if child.type == "text":
                nodes.append(child.content)
            elif child.type != "code_inline":
                nodes.append("\x00")
    return "".join(nodes)


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_words_stay_words(text: str) -> None:
    html = rendered("before " + markdown.plain(text) + " after")
    for tag in ("<script", "<img", "<a ", "<strong", "<em", "<s>", "<h1", "<ul", "<blockquote", "<table", "</details"):
        assert tag not in html
    seen = texts("before " + markdown.plain(text) + " after")
    for linked in ("@someone", "#12", "#34", "GH-56", "://", "www.", "@evil", ":tada:", "174be11ea7"):
        assert linked not in seen


@pytest.mark.parametrize("text", [*HOSTILE, "`", "``", "a`b", "`a`", "``` fence", " ` ", "a``b`c"])
def test_code_cannot_be_ended_by_its_text(text: str) -> None:
    source = "before " + markdown.code(text, 500) + " after"
    (paragraph,) = [t for t in MarkdownIt().parse(source) if t.type == "inline"]
    kinds = [c.type for c in paragraph.children or ()]
    assert kinds == ["text", "code_inline", "text"]
    assert "\n" not in source


@given(st.text(max_size=80))
def test_any_text_in_code_is_one_code_span(text: str) -> None:
    shown = markdown.code(text, 500)
    if shown:
        (paragraph,) = [t for t in MarkdownIt().parse("x " + shown + " y") if t.type == "inline"]
        assert [c.type for c in paragraph.children or ()] == ["text", "code_inline", "text"]


@given(st.text(alphabet="`*_<>[]()#@!|~$\\&:/.-ab1 \n", max_size=60))
def test_any_plain_text_makes_no_markup(text: str) -> None:
    source = "x " + markdown.plain(text) + " y"
    (paragraph,) = [
        t for t in MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(source) if t.type == "inline"
    ]
    allowed = {"text", "html_inline", "code_inline", "text_special"}
    for child in paragraph.children or ():
        assert child.type in allowed
        assert child.type != "html_inline" or child.content == "<!-- -->"


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_any_lines_in_a_fence_are_one_fence(lines: list[str]) -> None:
    tokens = MarkdownIt().parse(str(markdown.fence(lines)) + "\n\nafter")
    assert [t.type for t in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


def test_reviewed_sentences_keep_their_code() -> None:
    assert markdown.authored("Set `VK_DRIVER_FILES` to *this*.") == "Set `VK_DRIVER_FILES` to \\*this\\*."
    assert markdown.authored("outputs named <tensor>_<EP>") == "outputs named &lt;tensor&gt;\\_&lt;EP&gt;"
    assert markdown.authored("one ` tick") == "one \\` tick"


def test_versions_are_plain_only_where_they_are_shaped_like_one() -> None:
    assert markdown.version("0.10.0") == "0.10.0"
    assert markdown.version("0.17.0-5") == "0.17.0-5"
    assert markdown.version("1.26.0+cu12") == "1.26.0+cu12"
    assert markdown.version("0.10.0+174be11ea7ae") == "0.10.0+`174be11ea7ae`"
    assert markdown.version("1.0 @someone") == "`1.0 @someone`"
    assert markdown.version("١.٢") == "`١.٢`"


@pytest.mark.parametrize(
    "text",
    [
        "(deadbeefcafe12)",
        "commit:deadbeefcafe1",
        "at deadbeefcafe12,",
        "[DEADBEEFCAFE12]",
        "a/deadbeefcafe12/b",
        "=deadbee",
    ],
)
def test_what_may_name_a_commit_is_code(text: str) -> None:
    assert "eadbee" not in texts("x " + markdown.plain(text) + " y")
    assert "EADBEE" not in texts("x " + markdown.plain(text) + " y")


@pytest.mark.parametrize("text", ["image_deadbeef12", "xdeadbeefcafe", "12345678", "decade"])
def test_other_words_stay_words(text: str) -> None:
    assert "`" not in markdown.plain(text)


def test_links_take_only_plain_https_addresses() -> None:
    assert markdown.link("details", "https://github.com/o/r/issues/1") == "[details](https://github.com/o/r/issues/1)"
    assert markdown.link("details", "javascript:alert(1)").startswith("`")
    assert markdown.link("details", "https://x.example/)[a](b").startswith("`")
