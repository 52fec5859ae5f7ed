"""Who may see and decide on the board, and that a form was made here.

Whoever has the board's token may: a browser asks for it as the password of any name.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Awaitable, Callable
from hashlib import sha256
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_LARGEST = 4096  # bytes of a form
_LONGEST_NAME = 100
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
Answer = Callable[[Request], Awaitable[Response]]
NOT_OURS = "this form is not of this board, or {what} has changed; load it again"


class Guard:
    """`token`: the secret of whoever may use the board."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def __call__(self, page: Answer) -> Answer:
        """The page for whoever has the token, with headers that let nothing else in."""

        async def answer(request: Request) -> Response:
            if hmac.compare_digest(_given(request)[1], self._token):
                response = await page(request)
            else:
                response = PlainTextResponse("the board's token is the password", 401)
                response.headers["WWW-Authenticate"] = 'Basic realm="triage", charset="UTF-8"'
            response.headers.update(_HEADERS)
            return response

        return answer

    def seal(self, *shown: str) -> str:
        """Proves that a form was made here, for this thing and for the words that stood beside it: a browser sends the
        password to any form's target."""
        words = "board " + " ".join(f"{len(part)} {part}" for part in shown)
        return hmac.new(self._token, words.encode("utf-8", "replace"), sha256).hexdigest()

    def holds(self, form: dict[str, str], *shown: str) -> bool:
        """Whether a form bears the seal of these words."""
        return hmac.compare_digest(form.get("csrf", "").encode("utf-8", "replace"), self.seal(*shown).encode())


def named(request: Request) -> str:
    """The name that was typed beside the token: a courtesy, and no proof of who it is."""
    return _given(request)[0].decode("utf-8", "replace")[:_LONGEST_NAME]


def _given(request: Request) -> tuple[bytes, bytes]:
    """(name, password), empty where there are none."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    try:
        plain = base64.b64decode(given, validate=True) if scheme.lower() == "basic" else b""
    except (binascii.Error, ValueError):
        plain = b""
    name, _, password = plain.partition(b":")
    return name, password


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a small form, each once; none of what is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            return {}
    fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10) if body.count(b"&") < 10 else {}
    return {name: values[0] for name, values in fields.items()}
