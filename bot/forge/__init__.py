"""GitHub through its API: releases, pull requests, issues and the bot's comments on them. The only user of PyGithub.

Bodies, redirections and waiting are bounded; a limit that would take too long comes out as `Limited`, with the moment
to ask again. Lists are asked with the ETag that they had before: where nothing is new, that costs nothing of the limit
(https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
"""

from bot.forge.errors import ForgeError, Gone, Limited, Moved, NoAccess, NotThere, TooLarge, Unclear
from bot.forge.items import Read
from bot.forge.reading import Forge, Listed
from bot.forge.threads import Threads

__all__ = [
    "Forge",
    "ForgeError",
    "Gone",
    "Limited",
    "Listed",
    "Moved",
    "NoAccess",
    "NotThere",
    "Read",
    "Threads",
    "TooLarge",
    "Unclear",
]
