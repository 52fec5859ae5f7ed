"""Issues as they stand, and the few things that the bot writes: its own comments, reactions, its own labels."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from bot.forge.errors import ForgeError, NotThere
from bot.forge.items import (
    CommentItem,
    Given,
    Happened,
    IssueItem,
    Labels,
    Reaction,
    Read,
    RepositoryItem,
    TimelineItem,
    Writer,
    done,
    moment,
    shaped,
)
from bot.forge.paging import PER_PAGE, Paging
from bot.forge.reading import checked
from bot.forge.shapes import loaded

MOST_PAGES = 30  # of 100 comments each
MOST_BYTES = 64 << 20  # of one thread
_WRITERS = ("admin", "maintain", "write", "triage")


class Threads(Paging):
    """The issues that one account sees, and what it may write there. `installation` is an App's, None for others."""

    installation: int | None = None

    def repository(self, repo: str, id_: int = 0) -> RepositoryItem:
        """Where owner/repo is now, after renames and transfers. `id_` is its own where that is known: another one may
        have its name by now. Raises ForgeError."""
        try:
            found = shaped(RepositoryItem, self.get(f"/repos/{checked(repo)}", None).body, repo)
        except NotThere:
            if not id_:
                raise
            found = None
        if found is None or id_ not in (0, found.id):  # GitHub leads there from an old name; PyGithub asks it, too
            found = shaped(RepositoryItem, self.get(f"/repositories/{id_}", None).body, repo)
        return found

    def server_date(self) -> datetime | None:
        """What time it is by the server, from the Date header of the last answer, or of one that is asked for now.
        Raises ForgeError."""
        if self.date is None:
            self.get("/rate_limit", None)
        try:
            said = parsedate_to_datetime(self.date or "")
        except ValueError:
            return None
        return said if said.tzinfo is not None else said.replace(tzinfo=UTC)

    def own_login(self) -> str:
        """The login of what a token writes, "" where GitHub does not say. Raises ForgeError; an App knows its own.

        REST names people alone; GraphQL's viewer is also an App whose installation the token is for:
        https://docs.github.com/graphql/reference/queries#viewer
        """
        try:
            return shaped(Writer, self.get("/user", None).body, "the token's owner").login
        except ForgeError:
            if self.refused:
                raise
        try:
            data = loaded(self.send("POST", self.requests.graphql_url, {"query": "{ viewer { login } }"}).body)
        except ForgeError:
            return ""
        inside = data.get("data") if isinstance(data, dict) else None
        viewer = inside.get("viewer") if isinstance(inside, dict) else None
        login = viewer.get("login") if isinstance(viewer, dict) else None
        return login if isinstance(login, str) else ""

    def scopes(self) -> tuple[str, ...] | None:
        """The scopes of a classic token; None of another, which has permissions. Raises ForgeError.

        https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
        """
        said = self.get("/rate_limit", None).headers.get("x-oauth-scopes")
        return None if said is None else tuple(s.strip() for s in str(said).split(",") if s.strip())

    def read(self, repo: str, number: int) -> Read:
        """An issue as it stands now, with its comments. Raises ForgeError, NotThere where none is shown, Gone where it
        was deleted."""
        base = f"/repos/{checked(repo)}/issues/{number}"
        issue = loaded(self.get(base, None).body)
        item = shaped(IssueItem, issue, f"{repo}#{number}")
        comments: list[Any] = []
        unread: list[str] = []
        size = 0
        for page in self.pages(f"{base}/comments", None):
            if page.answer is None:
                unread.append(f"comment {page.first + 1} of this thread, which is larger than is read")
                continue
            size += len(page.answer.body)
            found = loaded(page.answer.body)
            if not isinstance(found, list):
                raise ForgeError(f"the comments of {repo}#{number} are no list")
            comments += found
            if not page.last and (page.first + page.size >= MOST_PAGES * PER_PAGE or size > MOST_BYTES):
                unread.append(f"only the first {len(comments):,} comments of this thread")
                break
        items = tuple(shaped(CommentItem, comment, f"a comment of {repo}#{number}") for comment in comments)
        return Read(repo, item, items, {"issue": issue, "comments": comments}, tuple(unread))

    def changed_issues(self, repo: str, since: str, etag: str | None) -> tuple[list[IssueItem], str | None]:
        """Issues that changed since a moment (RFC 3339, UTC), oldest first, and the list's ETag; none where nothing is
        new since `etag`. Pull requests, which GitHub lists among them, are left out."""
        url, asked = f"/repos/{checked(repo)}/issues", {"state": "all", "sort": "updated", "direction": "asc"}
        found: list[IssueItem] = []
        head: str | None = etag
        for page in self.pages(url, etag, {**asked, "since": since}):
            answer, last = page.answer, page.last
            if answer is None:
                continue  # an issue that is larger than is read cannot be answered either
            if answer.status == 304:
                return [], etag
            head = answer.headers.get("etag") if page.first == 0 and last else None  # new rows are on the last page
            rows = loaded(answer.body)
            if not isinstance(rows, list):
                raise ForgeError(f"the issues of {repo} are no list")
            found += [shaped(IssueItem, row, f"an issue of {repo}") for row in rows]
            if not last and page.first + page.size >= MOST_PAGES * PER_PAGE:
                break  # what is left comes with the next poll, from the last moment that was read
        return [item for item in found if item.pull_request is None], head

    def timeline(self, repo: str, number: int) -> tuple[tuple[Happened, ...], bool]:
        """What happened to an issue, oldest first, and whether that is all of it. Raises ForgeError."""
        found: list[Happened] = []
        whole = True
        for page in self.pages(f"/repos/{checked(repo)}/issues/{number}/timeline", None):
            rows = loaded(page.answer.body) if page.answer is not None else []
            if not isinstance(rows, list):
                raise ForgeError(f"the timeline of {repo}#{number} is no list")
            items = [shaped(TimelineItem, row, f"the timeline of {repo}#{number}") for row in rows]
            found += [
                Happened(
                    i.event,
                    i.actor.login if i.actor else "",
                    i.label.name if i.label else "",
                    moment(i.created_at, datetime.max),
                )
                for i in items
            ]
            whole = whole and page.answer is not None
            if not page.last and page.first + page.size >= MOST_PAGES * PER_PAGE:
                whole = False
                break
        return tuple(found), whole

    def reactions(self, repo: str, comment: int) -> frozenset[str]:
        """The logins of those who reacted to a comment; of many, the first hundred. Raises ForgeError."""
        answer = self.get(f"/repos/{checked(repo)}/issues/comments/{comment}/reactions", None, {"per_page": PER_PAGE})
        rows = loaded(answer.body)
        items = [shaped(Reaction, row, f"a reaction in {repo}") for row in (rows if isinstance(rows, list) else ())]
        return frozenset(item.user.login for item in items if item.user is not None)

    def may_write(self, repo: str, login: str) -> bool:
        """Whether somebody has at least the triage role, by the API: what a comment says of its author is not enough.

        https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
        """
        if not login:
            return False
        try:
            answer = self.get(f"/repos/{checked(repo)}/collaborators/{quote(login, safe='')}/permission", None)
        except NotThere:
            return False
        data = loaded(answer.body)
        held = {data.get("permission"), data.get("role_name")} if isinstance(data, dict) else set()
        return bool(held & set(_WRITERS))

    def file(self, repo: str, path: str) -> bytes | None:
        """A file of the default branch; None where there is none, or none below 1 MB."""
        try:
            data = loaded(self.get(f"/repos/{checked(repo)}/contents/{quote(path)}", None).body)
        except NotThere:
            return None
        content = data.get("content") if isinstance(data, dict) and data.get("encoding") == "base64" else None
        try:
            return base64.b64decode(content) if isinstance(content, str) else None
        except binascii.Error:
            return None

    def comment(self, repo: str, number: int, body: str) -> int:
        """Writes a comment and gives its id. Raises Unclear where it may be there all the same."""
        answer = self.send("POST", f"/repos/{checked(repo)}/issues/{number}/comments", {"body": body})
        return done(CommentItem, answer.body, "the comment that was written").id

    def edit(self, repo: str, comment: int, body: str) -> None:
        """Raises NotThere for a comment that was deleted, Unclear where it may say so all the same."""
        answer = self.send("PATCH", f"/repos/{checked(repo)}/issues/comments/{comment}", {"body": body})
        done(CommentItem, answer.body, "the comment that was edited")

    def remove(self, repo: str, comment: int) -> None:
        """Deletes a comment of the bot's own; one that is gone already is fine."""
        try:
            self.send("DELETE", f"/repos/{checked(repo)}/issues/comments/{comment}")
        except NotThere:
            return

    def react(self, repo: str, comment: int, content: str) -> None:
        """`content`: +1, -1, eyes, ... https://docs.github.com/rest/reactions/reactions"""
        url = f"/repos/{checked(repo)}/issues/comments/{comment}/reactions"
        done(Given, self.send("POST", url, {"content": content}).body, "the reaction that was given")

    def label(self, repo: str, number: int, names: list[str]) -> None:
        """Raises Unclear where they may be on all the same."""
        answer = self.send("POST", f"/repos/{checked(repo)}/issues/{number}/labels", {"labels": names})
        done(Labels, answer.body, "the labels that were added")

    def unlabel(self, repo: str, number: int, name: str) -> None:
        """Takes one label off; one that is not on is fine."""
        try:
            self.send("DELETE", f"/repos/{checked(repo)}/issues/{number}/labels/{quote(name, safe='')}")
        except NotThere:
            return
