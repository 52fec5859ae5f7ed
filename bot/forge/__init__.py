"""GitHub through its API: publications of releases, and where pull requests stand. The only user of PyGithub.

Bodies, redirections and waiting are bounded; a limit that would take too long comes out as `Limited`, with the moment
to ask again. Lists are asked with the ETag that they had before: where nothing is new, that costs nothing of the limit
(https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
"""

from bot.forge.errors import ForgeError, Limited, NotThere
from bot.forge.reading import Forge, Listed

__all__ = ["Forge", "ForgeError", "Limited", "Listed", "NotThere"]
