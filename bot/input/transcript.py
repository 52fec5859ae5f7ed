"""A thread saved as plain text: its title, then posts that a line such as [reporter] or [maintainer] starts.

It also says whether a text is Markdown, since logs are read differently from issue bodies.
"""

from __future__ import annotations

from signatures.linear import linear
from signatures.model import IssueText, Post, Role

_SPEAKERS = {
    "reporter": Role.REPORTER,
    "author": Role.REPORTER,
    "owner": Role.MAINTAINER,
    "maintainer": Role.MAINTAINER,
    "member": Role.MAINTAINER,
    "collaborator": Role.MAINTAINER,
    "bot": Role.BOT,
    "other": Role.OTHER,
    "contributor": Role.OTHER,
}
_SPEAKER = rf"(?m)^\[({'|'.join(_SPEAKERS)})\][ \t]*$"
# block structure that program output does not have: a fence at the start of a line, a form's ### heading, <details>
_MARKS = ("```", "~~~", "##", "<details>", "**")
_MARKDOWN = r"(?m)^ {0,3}(?:```|~~~|#{2,6} +\S|<details>|\*\*[^*\n]{1,80}\*\*:?[ \t]*$)"


def has_markdown(text: str) -> bool:
    """Whether `text` is built of Markdown blocks. A log is not, even where a line of it starts with one `#`."""
    return any(mark in text for mark in _MARKS) and linear(_MARKDOWN).search(text) is not None


def transcript(text: str) -> IssueText | None:
    """The thread in a transcript; None where `text` is none.

    The first line that is not blank is the title, and the next such line names the first speaker. Whoever opened
    the thread is its reporter in every post, whatever else they are.
    """
    marks = list(linear(_SPEAKER).finditer(text))
    if not marks:
        return None
    title = text[: marks[0].start()].strip()
    if not title or "\n" in title:
        return None
    opener = marks[0].group(1)
    posts: list[Post] = []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        speaker = mark.group(1)
        body = text[mark.end() : end].strip("\n")
        role = Role.REPORTER if speaker == opener else _SPEAKERS[speaker]
        posts.append(Post(role, body, markdown=has_markdown(body)))
    return IssueText(title=title, posts=tuple(posts))
