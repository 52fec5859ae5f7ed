"""An issue as GitHub's REST API or `gh issue view --json` gives it, as values: who wrote what.

Keys and types follow https://docs.github.com/en/rest/issues/issues and .../comments , and
https://cli.github.com/manual/gh_issue_view , which calls some things otherwise. Keys that are not needed are
not looked at; a needed key of the wrong type is an error that names it, and a missing one is absent knowledge.
"""

from __future__ import annotations

from bot.errors import InputError
from signatures.linear import linear
from signatures.model import IssueText, Post, Role

_MAINTAINERS = ("OWNER", "MEMBER", "COLLABORATOR")
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
_REPO = r"^https?://[^/\s]+/(?:api/v3/)?(?:repos/)?(?P<repo>[\w.-]+/[\w.-]+?)(?:/(?:issues|pull|pulls)/(?P<number>\d+)(?:[/?#].*)?)?/?$"


class _Author:
    """The writer of one post: nobody where the account was deleted; a program where an app wrote the comment, be it
    with a person's token. An issue that was opened through one is still its reporter's."""

    def __init__(self, record: dict[str, object], where: str) -> None:
        key = "user" if "user" in record else "author"
        user = _object(record, key, where)
        self.login = (_text(user, "login", f"{where}.{key}") if user else None) or None
        kind = _text(user, "type", f"{where}.{key}") if user else None
        named = (self.login or "").startswith("app/") or (self.login or "").endswith("[bot]")
        by_app = where != "issue" and _object(record, "performed_via_github_app", where) is not None
        self.bot = kind == "Bot" or named or (user or {}).get("is_bot") is True or by_app
        association = _text(record, "author_association", where) or _text(record, "authorAssociation", where)
        self.maintainer = association in _MAINTAINERS


def issue_from_json(value: object, name: str, *, must: bool = True) -> IssueText | None:
    """The issue in a parsed JSON value: {"issue": ..., "comments": [...]}, the issue object alone, or one object that
    holds its comments, as `gh issue view --json` gives it.

    Raises InputError where the value is something else; with `must` false that gives None instead.
    """
    if isinstance(value, list) and (must or _like_comments(value)):
        raise InputError(
            f'{name} is a JSON list, not an issue; comments belong beside theirs: {{"issue": ..., "comments": [...]}}.'
        )
    record = value if isinstance(value, dict) else {}
    issue = record.get("issue", record)
    if not isinstance(issue, dict) or not ("title" in issue or "body" in issue):
        if must or "issue" in record:
            raise InputError(
                f'{name} is JSON, but no issue: expected {{"issue": {{"title", "body", "user"}}, "comments": [...]}} '
                "or an issue object as GitHub's REST API gives it."
            )
        return None
    try:
        comments = record.get("comments")
        if issue is record and isinstance(comments, int):  # the REST object alone counts them
            comments = None
        return _thread(issue, comments)
    except _WrongType as e:
        raise InputError(f"{name}: {e}.") from None


def _like_comments(value: list[object]) -> bool:
    """Whether a list holds issues or comments, and not the lines of a log."""
    first = value[0] if value else None
    return isinstance(first, dict) and "body" in first and ("user" in first or "author" in first)


class _WrongType(Exception):
    """A key that holds another type than the API gives."""


def _thread(issue: dict[str, object], comments: object) -> IssueText:
    author = _Author(issue, "issue")
    first = Post(
        Role.BOT if author.bot else Role.REPORTER,
        _text(issue, "body", "issue") or "",
        _address(issue, "issue"),
    )
    if comments is None:
        comments = []
    if not isinstance(comments, list):
        raise _WrongType(f"comments must be a list, but is {_kind(comments)}")
    posts = [first]
    for i, comment in enumerate(comments):
        where = f"comments[{i}]"
        if not isinstance(comment, dict):
            raise _WrongType(f"{where} must be an object, but is {_kind(comment)}")
        posts.append(
            Post(
                _role(_Author(comment, where), author),
                _text(comment, "body", where) or "",
                _address(comment, where),
            )
        )
    return IssueText(
        title=_text(issue, "title", "issue") or "",
        posts=tuple(posts),
        ref=_ref(issue),
        created_at=_text(issue, "created_at", "issue") or _text(issue, "createdAt", "issue"),
        pull_request=_object(issue, "pull_request", "issue") is not None,
    )


def _role(writer: _Author, author: _Author) -> Role:
    if writer.bot:
        return Role.BOT
    # two deleted accounts need not be the same person
    if writer.login is not None and author.login is not None and writer.login.lower() == author.login.lower():
        return Role.REPORTER
    return Role.MAINTAINER if writer.maintainer else Role.OTHER


def _ref(issue: dict[str, object]) -> str | None:
    """owner/repo#N, from the addresses in the record; None where they do not tell."""
    number = issue.get("number")
    for key in ("html_url", "url", "repository_url"):
        found = linear(_REPO).match(_text(issue, key, "issue") or "")
        if found is None:
            continue
        parts = found.groupdict()
        stated = parts["number"] or (number if isinstance(number, int) else None)
        if stated is not None:
            return f"{parts['repo']}#{stated}"
    return None


def _address(record: dict[str, object], where: str) -> str | None:
    """Where people read it; REST's own `url` is for programs."""
    return _text(record, "html_url", where) or (_text(record, "url", where) if "author" in record else None)


def _text(record: dict[str, object], key: str, where: str) -> str | None:
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _WrongType(f"{where}.{key} must be text or null, but is {_kind(value)}")
    return value.translate(_SURROGATES)  # an escaped half of a pair is valid JSON and no character


def _object(record: dict[str, object], key: str, where: str) -> dict[str, object] | None:
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _WrongType(f"{where}.{key} must be an object or null, but is {_kind(value)}")
    return value


def _kind(value: object) -> str:
    kinds = {bool: "a truth value", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
