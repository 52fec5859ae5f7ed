"""Who the bot is to GitHub: an installation of an App, the owner of a token, or nobody."""

from __future__ import annotations

from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm  # what PyGithub signs with, as the next but two
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from github import Auth, GithubIntegration
from github.GithubException import GithubException
from github.Installation import Installation
from jwt.exceptions import PyJWTError
from requests.exceptions import RequestException

from bot.forge.asking import reason
from bot.forge.bounded import begin_request, bind_connections
from bot.forge.errors import BadKey, ForgeError, NotThere
from bot.forge.items import Deliveries, DeliveryItem

# the least that is needed; an empty set means "all" to GitHub and "none" to others
PERMISSIONS = {"contents": "read", "issues": "write", "metadata": "read", "pull_requests": "read"}


EVENTS = ("issues", "issue_comment", "release")
_TROUBLE = (GithubException, RequestException, PyJWTError, RuntimeError, AssertionError, ValueError)


class App:
    """A GitHub App, known by its id and private key (PEM). Raises BadKey for what is none of GitHub's keys."""

    def __init__(self, app_id: str, private_key: str, base_url: str) -> None:
        _check(private_key)
        bind_connections()
        self._auth = Auth.AppAuth(app_id, private_key)
        self._integration = GithubIntegration(auth=self._auth, base_url=base_url, timeout=15, retry=None)

    def login(self) -> str:
        """The account that its comments bear. Raises ForgeError."""
        begin_request()
        try:
            return f"{self._integration.get_app().slug}[bot]"
        except _TROUBLE as e:
            if isinstance(e, GithubException) and e.status in (401, 403, 404):
                raise ForgeError(f"the App's id and private key are not accepted: {_words(e)}") from None
            raise ForgeError(f"the App cannot be looked up: {_words(e)}") from None

    def installation(self, repo: str) -> int:
        """The number of the installation on owner/repo. Raises NotThere where the App is not installed there."""
        return self._installed(repo).id

    def holds(self, installation: int) -> bool:
        """Whether an installation is there: one that is made anew has another number. Raises ForgeError."""
        begin_request()
        try:
            self._integration.get_app_installation(installation)
        except _TROUBLE as e:
            if isinstance(e, GithubException) and e.status == 404:
                return False
            raise ForgeError(f"installation {installation} cannot be looked up: {_words(e)}") from None
        return True

    def settings_lack(self) -> tuple[str, ...]:
        """The permissions and events that the App's own settings do not ask for. Raises ForgeError."""
        begin_request()
        try:
            return _lacking(self._integration.get_app().raw_data)
        except _TROUBLE as e:
            raise ForgeError(f"the App cannot be looked at: {_words(e)}") from None

    def deliveries(self) -> tuple[DeliveryItem, ...]:
        """What GitHub sent to the App's webhook of late and how it was answered, newest first; none where it does not
        tell. Raises ForgeError."""
        begin_request()
        try:
            _, data = self._integration.requester.requestJsonAndCheck("GET", "/app/hook/deliveries?per_page=10")
            return tuple(Deliveries.model_validate(data).root)
        except _TROUBLE as e:
            if isinstance(e, GithubException) and e.status == 404:
                return ()
            raise ForgeError(f"the deliveries of the App's webhook cannot be looked at: {_words(e)}") from None

    def lacks(self, repo: str) -> tuple[str, ...]:
        """The permissions and events that the installation on owner/repo needs and does not have, as GitHub's settings
        name them. Raises as `installation`."""
        return _lacking(self._installed(repo).raw_data)

    def _installed(self, repo: str) -> Installation:
        owner, _, name = repo.partition("/")
        begin_request()
        try:
            return self._integration.get_repo_installation(owner, name)
        except _TROUBLE as e:
            if isinstance(e, GithubException) and e.status == 404:
                raise NotThere(f"the App is not installed on {repo}") from None
            raise ForgeError(f"the installation on {repo} cannot be looked up: {_words(e)}") from None

    def access(self, installation: int) -> Auth.Auth:
        """Access as that installation, for `Forge` and `Threads`; its token is fetched and renewed when needed."""
        return self._auth.get_installation_auth(installation, token_permissions=PERMISSIONS)


def _check(private_key: str) -> None:
    """GitHub's keys are RSA, in PEM, without a password: https://docs.github.com/apps/creating-github-apps ."""
    other = "; GitHub gives one under the App's settings, Private keys"
    try:
        key = load_pem_private_key(private_key.encode(), None)
    except TypeError:
        how = "`openssl rsa -in app.pem -out plain.pem` writes it without one"
        raise BadKey(f"the App's private key is locked with a password; {how}") from None
    except (ValueError, UnsupportedAlgorithm):
        what = "is a public one" if "PUBLIC KEY-----" in private_key else "is no private key in PEM"
        raise BadKey(f"the App's private key {what}{other}") from None
    if not isinstance(key, RSAPrivateKey):
        raise BadKey(f"the App's private key is no RSA key{other}")


def _lacking(data: dict[str, Any]) -> tuple[str, ...]:
    granted, events = data.get("permissions") or {}, data.get("events") or []
    weak = [f"{name}: {level}" for name, level in PERMISSIONS.items() if granted.get(name) not in (level, "write")]
    return (*weak, *(f"the event {name}" for name in EVENTS if name not in events))


def _words(e: Exception) -> str:
    if isinstance(e, RequestException):
        return f"GitHub cannot be reached: {reason(e)}"
    said = e.data.get("message") if isinstance(e, GithubException) and isinstance(e.data, dict) else None
    return " ".join(str(said or e).split())[:200]
