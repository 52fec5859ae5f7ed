"""GitHub's own description of its API, and whether a request keeps to it.

The description comes from npm (`@octokit/openapi`), of which one file is kept; see `fetch`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from werkzeug.datastructures import Headers, ImmutableMultiDict

from bot.forge import bounded

PACKAGE = "@octokit/openapi@23.0.2"
FILE = Path(__file__).parent / "node_modules" / ".openapi" / "api.github.com.json"
_SERVER = "https://api.github.com"

# method, path and first character of the body of requests that the description does not have, each with the reason
DEVIATIONS = {
    r"(GET|PUT) /repos/[^/]+/[^/]+/contents/.+/.+": "a template's {path} matches no slash",
    r"GET /repos/[^/]+/[^/]+/git/refs?/.+/.+": "a template's {ref} matches no slash",
    r"GET /repositories/\d+$": "where GitHub's redirections lead, which it does not list",
    r"POST /graphql": "it describes REST alone",
    r"POST /repos/[^/]+/[^/]+/issues/\d+/labels \[": "PyGithub sends a bare list, which GitHub's own prose allows",
}


def fetch() -> bool:
    """Put the description in place; False where npm is missing."""
    npm = shutil.which("npm")
    if FILE.exists() or npm is None:
        return FILE.exists()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=180, capture_output=True)
        (packed,) = Path(folder).glob("*.tgz")
        with tarfile.open(packed) as archive:
            member = archive.extractfile("package/generated/api.github.com.json")
            assert member is not None
            FILE.parent.mkdir(parents=True, exist_ok=True)
            draft = FILE.with_suffix(".draft")
            draft.write_bytes(member.read())
            draft.replace(FILE)
    return True


@cache
def _description() -> OpenAPI:
    # with its own validation the description takes most of a minute to load
    return OpenAPI.from_dict(json.loads(FILE.read_text(encoding="utf-8")), config=Config(spec_validator_cls=None))


class _Request:
    """As openapi-core takes it."""

    def __init__(self, method: str, url: str, headers: dict[str, str], body: str | None) -> None:
        parts = urlsplit(url)
        self.host_url, self.path, self.method = _SERVER, parts.path, method.lower()
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(parse_qsl(parts.query)), header=Headers(headers), cookie=ImmutableMultiDict()
        )
        self.content_type = headers.get("Content-Type", "application/json")
        self.body = body.encode() if body else None


def fault(method: str, url: str, headers: dict[str, str], body: Any) -> str | None:
    """What is wrong with a request by the description, None where nothing is. `url` without the server."""
    said = f"{method} {urlsplit(url).path} {(body or '')[:1]}".rstrip()
    if any(re.match(known, said) for known in DEVIATIONS):
        return None
    try:
        _description().validate_request(_Request(method, url, headers, body))
    except OpenAPIError as e:
        cause = e.__cause__ or e
        return f"{method} {url}: {type(e).__name__}: {str(cause)[:300]}"
    return None


@contextmanager
def honest() -> Iterator[list[str]]:
    """Every request is held against the description; gives what is wrong with any."""
    found: list[str] = []
    real = bounded._answered

    def answered(connection: Any) -> Any:
        words = fault(connection.verb, connection.url, connection.headers, connection.input)
        found.extend([words] if words else [])
        return real(connection)

    bounded._answered = answered
    try:
        yield found
    finally:
        bounded._answered = real


if __name__ == "__main__":
    fetch()
