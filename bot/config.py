"""Settings that come from outside: the environment's variables and the folders of this computer.

It is the only reader of `os.environ`; it creates nothing and opens nothing.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32

from bot.errors import InputError


def cache_folder() -> str | None:
    """Where compiled knowledge may be kept, or None where this computer names no such place.

    TRIAGE_CACHE_DIR wins; an empty value switches the cache off. The rest follows each system's convention:
    https://specifications.freedesktop.org/basedir-spec/ , LOCALAPPDATA on Windows, ~/Library/Caches on macOS.
    """
    chosen = os.environ.get("TRIAGE_CACHE_DIR")
    if chosen is not None:
        return os.path.abspath(chosen) if chosen else None
    root = _cache_root()
    return os.path.join(root, "ondevice-triage") if root else None


def _cache_root() -> str | None:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or None
    home = os.environ.get("HOME", "")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches") if os.path.isabs(home) else None
    # the convention calls a relative XDG path invalid, to be ignored
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".cache") if os.path.isabs(home) else None


def database_url() -> str | None:
    """Where the store is: TRIAGE_DATABASE_URL, else an SQLite file in the user's data folder.

    None where neither is to be had; an empty variable says that there is none.
    """
    chosen = os.environ.get("TRIAGE_DATABASE_URL")
    if chosen is not None:
        return chosen.strip() or None
    root = _data_root()
    return f"sqlite:///{os.path.join(root, 'ondevice-triage', 'triage.db')}" if root else None


def database_file(url: str) -> str | None:
    """The file of an SQLite URL; None for a server."""
    return url.removeprefix("sqlite:///") or None if url.startswith("sqlite:///") else None


def snapshot_file() -> str | None:
    """Where the store's newer observations are kept as TOML, so that a lookup reads them without a database.

    Beside an SQLite file; in the data folder for a server, one file for each.
    """
    url = database_url()
    if url is None:
        return None
    file = database_file(url)
    if file is not None:
        return f"{os.path.abspath(file).removesuffix('.db')}.observed.toml"
    root = _data_root()
    # a server is known by what follows the credentials
    name = f"observed-{crc32(url.rpartition('@')[2].encode()):08x}.toml"
    return os.path.join(root, "ondevice-triage", name) if root and not url.startswith("sqlite") else None


def _data_root() -> str | None:
    """As `_cache_root`: XDG_DATA_HOME, LOCALAPPDATA on Windows, ~/Library/Application Support on macOS."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or None
    home = os.environ.get("HOME", "")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support") if os.path.isabs(home) else None
    named = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".local", "share") if os.path.isabs(home) else None


def wants_colour(*, terminal: bool) -> bool:
    """Whether output to a stream may be coloured: https://no-color.org and https://force-color.org ."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


def columns() -> int | None:
    """The width that the caller asked for with COLUMNS."""
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isascii() and asked.isdigit() and int(asked) > 0 else None


def hub_endpoint() -> str:
    """Where the Hugging Face hub is asked: HF_ENDPOINT names a mirror, as for huggingface_hub itself."""
    return (os.environ.get("HF_ENDPOINT", "").strip() or "https://huggingface.co").rstrip("/")


def fetch_hosts() -> tuple[str, ...]:
    """Hosts that models may be fetched from beside the built-in ones, from TRIAGE_FETCH_HOSTS: names, or origins such
    as http://127.0.0.1:8080, separated by commas or spaces."""
    return tuple(os.environ.get("TRIAGE_FETCH_HOSTS", "").replace(",", " ").split())


def github_token() -> str | None:
    """The token for GitHub, from TRIAGE_GITHUB_TOKEN or the file that TRIAGE_GITHUB_TOKEN_FILE names, GITHUB_TOKEN or
    GH_TOKEN; None asks anonymously. Raises OSError for a file that cannot be read, InputError for what is no token."""
    own = _secret("TRIAGE_GITHUB_TOKEN")
    if own:
        return _token(own, secret_place("TRIAGE_GITHUB_TOKEN"))
    found = next(((n, t) for n in ("GITHUB_TOKEN", "GH_TOKEN") if (t := os.environ.get(n, "").strip())), None)
    return _token(found[1], found[0]) if found is not None else None


def _token(text: str, place: str) -> str:
    """Raises InputError for what no header can carry, or what was copied with its quotes."""
    for at, c in enumerate(text, 1):
        if not "!" <= c <= "~" or c in "\"'`":
            what = "a space or a line's end" if c.isspace() else f"the character {c!a}"
            raise InputError(f"{place} holds no token: {what} stands at {at}, so copy the token anew, without quotes.")
    return text


def secret_place(name: str) -> str:
    """Where `_secret` finds a secret, in words."""
    file = os.environ.get(f"{name}_FILE", "").strip()
    return name if os.environ.get(name, "").strip() or not file else f"{name}_FILE, {file},"


def github_app() -> tuple[str, str] | None:
    """(id, private key as PEM) of the GitHub App, from TRIAGE_GITHUB_APP_ID and TRIAGE_GITHUB_APP_KEY, or the file that
    TRIAGE_GITHUB_APP_KEY_FILE names; None where no App is set. Raises OSError for a file that cannot be read,
    ValueError for half of the two."""
    app_id, key = os.environ.get("TRIAGE_GITHUB_APP_ID", "").strip(), _secret("TRIAGE_GITHUB_APP_KEY")
    if app_id and not key:
        raise ValueError("TRIAGE_GITHUB_APP_ID is set and its key is not: TRIAGE_GITHUB_APP_KEY_FILE names the file")
    if key and not app_id:
        raise ValueError("the key of a GitHub App is set and its id is not: TRIAGE_GITHUB_APP_ID holds it")
    return (app_id, key) if app_id else None


def github_login() -> str | None:
    """The login that the token's comments bear, from TRIAGE_GITHUB_LOGIN; None where GitHub can be asked, which it
    answers to people's tokens alone."""
    return os.environ.get("TRIAGE_GITHUB_LOGIN", "").strip() or None


def github_event() -> tuple[str, str, str]:
    """(name, file, run) of the event that started a workflow of GitHub Actions, "" for what is not set.

    https://docs.github.com/actions/reference/workflows-and-actions/variables
    """
    names = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT")
    name, file, run, attempt = (os.environ.get(n, "").strip() for n in names)
    return name, file, f"{run} {attempt}".strip()


def webhook_secrets() -> tuple[str, ...]:
    """The secrets that webhooks may be signed with, a line each, from TRIAGE_WEBHOOK_SECRET or the file that
    TRIAGE_WEBHOOK_SECRET_FILE names. Raises OSError for a file that cannot be read."""
    return tuple(line.strip() for line in _secret("TRIAGE_WEBHOOK_SECRET").splitlines() if line.strip())


def board_token() -> str | None:
    """The secret of whoever may use the board, from TRIAGE_BOARD_TOKEN or the file that TRIAGE_BOARD_TOKEN_FILE names;
    None switches the board off. Raises OSError for a file that cannot be read."""
    return _secret("TRIAGE_BOARD_TOKEN") or None


def paused() -> bool:
    """Whether TRIAGE_PAUSED stops every write to GitHub."""
    return os.environ.get("TRIAGE_PAUSED", "").strip().lower() not in ("", "0", "no", "false")


def _secret(name: str) -> str:
    """A secret from the environment, or from the file that NAME_FILE names, as container platforms mount them."""
    value = os.environ.get(name, "").replace("\\n", "\n").strip()
    file = os.environ.get(f"{name}_FILE", "").strip()
    if value or not file:
        return value
    with open(file, encoding="utf-8") as f:
        return f.read(65_536).strip()


def github_api() -> str:
    """Where GitHub is asked: GITHUB_API_URL names another server, as it does for GitHub's own programs. Raises
    InputError for what is no address."""
    from urllib.parse import urlsplit

    stated, default = os.environ.get("GITHUB_API_URL", "").strip(), "https://api.github.com"
    try:
        parts = urlsplit(stated or default)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, a bracket too few
        sound = False
    if not sound:
        raise InputError(f"GITHUB_API_URL is {stated[:80]!r}, and no address of a server such as {default}.")
    return (stated or default).rstrip("/")


def github_server() -> str:
    """Where repositories are fetched from: GITHUB_SERVER_URL, as for GitHub's own programs."""
    return (os.environ.get("GITHUB_SERVER_URL", "").strip() or "https://github.com").rstrip("/")


def program_environment() -> dict[str, str]:
    """What a program that is started from here may see: this computer's paths, proxies and certificates."""
    kept = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
    proxies = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
    return {k: v for k, v in os.environ.items() if k in kept or k.lower() in proxies}
