"""A bare version as the whole answer to "Which version is it?": it belongs to the product that was asked about.

Nothing but such an answer is read here.
"""

from __future__ import annotations

from signatures.extract.naming import cleaned, plain, says_nothing
from signatures.extract.releases import VERSION, Releases
from signatures.extract.said import Said
from signatures.linear import linear
from signatures.model import IssueText, LogBlock, Role, Source

MAX_ANSWER = 120  # characters
_ASKED = (
    r"(?i)\b(?:what|which|your|the|tell|share|provide|post|know|exact)\b[^.\n]{0,80}\bversions?\b"
    r"|\bversions?\b[^.\n]{0,80}\?"
)
_ANSWER = (
    r"(?i)^\W{0,4}(?:hi|hello|thanks?|sure|sorry|yes|of course|it'?s|it is|i(?:'m| am)? (?:on|use|using|have|run"
    r"|running)|mine is|version"
    r"|that'?s|the version is|@[\w-]{1,39})?[\s,:.!-]{0,4}(?:it'?s |version |on )?[\x60*\"']{0,3}("
    + VERSION
    + r")[\x60*\"'.!]{0,4}\s*$"
)


class Replies:
    """Answers of the reporter in one thread."""

    def __init__(self, issue: IssueText, releases: Releases) -> None:
        self._issue = issue
        self._releases = releases

    def answered(self, block: LogBlock) -> Said | None:
        """The version that a block gives as its post's only words, in answer to the post before it."""
        number = block.span.post
        text = self._issue.posts[number].text if number > 0 else ""
        if not text or len(text.strip()) > MAX_ANSWER or self._issue.posts[number - 1].role is Role.REPORTER:
            return None
        question = self._issue.posts[number - 1].text[:4000]
        found = linear(_ANSWER).match(block.raw)
        if found is None or linear(_ASKED).search(question) is None:
            return None
        version = cleaned(found.group(1))
        product = None if says_nothing(version) else self._releases.asked_about(question, version)
        if product is None:
            return None
        start = found.start(1)
        return Said(product, plain(version), Source.PROSE, start, start + len(version))
