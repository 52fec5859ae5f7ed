"""GitHub's webhooks: verified, written down, answered at once; the work comes later.

GitHub waits ten seconds for an answer and does not repeat a delivery by itself:
https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
So what cannot be written down in time is refused in time: GitHub then shows it as failed, and polling finds it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import NamedTuple

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from bot.service.desk import trouble
from bot.watched.events import LARGEST, BadPayload, Event, Kind, read_event
from kb.store import StoreError

_LOG = logging.getLogger("triage")
_PATIENCE = 7.0  # seconds for writing a delivery down
_HANDS = 4  # that write at once; a store that hangs holds no more threads than these
_ID_LENGTH = 100  # characters of a delivery id; GitHub's own is a GUID


class Delivery(NamedTuple):
    """One verified delivery. `id` is the same when GitHub repeats it."""

    id: str
    event: Event


class _Refused(Exception):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def webhook(
    secrets: tuple[str, ...],
    receive: Callable[[Delivery], bool],
    *,
    own: str = "",
    largest: int = LARGEST,
    patience: float = _PATIENCE,
    failed: Callable[[str], object] = str,
    unsigned: Callable[[], object] = lambda: None,
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint for POST. `secrets`: each is accepted, so that one can be replaced without a gap; without any,
    everything is refused. `receive` writes a delivery down and says whether it is new; it may block. `own` is the
    bot's login, `largest` the size of a body in bytes, `patience` the seconds that `receive` has; `failed` is told why
    a delivery could not be written down, `unsigned` that one was signed with another secret; it may block.

    202 written down, 200 nothing to do or known already, 400 no payload of GitHub's, 401 no valid signature, 413 too
    large, 415 no JSON, 503 no secret is set, or it could not be written down.
    """
    keys = tuple(secret.encode() for secret in secrets if secret)
    hands = ThreadPoolExecutor(_HANDS, thread_name_prefix="webhook")

    async def written(delivery: Delivery) -> bool:
        # a hand that is too late goes on: what it writes down after all is worked on
        writing = asyncio.get_running_loop().run_in_executor(hands, receive, delivery)
        try:
            return await asyncio.wait_for(writing, patience)
        except TimeoutError:
            why = f"the store does not answer within {patience:g} seconds"
        except StoreError as e:
            why = str(e)
        except Exception as e:
            why = trouble(e)
        _LOG.warning("delivery %s is not written down: %s", delivery.id, why)
        failed(why)
        raise _Refused(503, f"not written down: {why}")

    async def endpoint(request: Request) -> Response:
        try:
            if not keys:
                raise _Refused(503, "no webhook secret is set, so nothing is accepted")
            body = await _body(request, largest)
            _verify(body, request.headers.get("x-hub-signature-256", ""), keys)
            delivery = _delivery(request, body, own)
            if delivery.event.kind is Kind.IGNORED:
                return PlainTextResponse(f"nothing to do: {delivery.event.why}", 200)
            new = await written(delivery)
        except _Refused as e:
            if e.status == 401 and "x-github-delivery" in request.headers:
                asyncio.get_running_loop().run_in_executor(hands, unsigned)  # the answer does not wait for it
            return PlainTextResponse(str(e), e.status)
        except ClientDisconnect:
            return Response(status_code=400)
        return PlainTextResponse("written down" if new else "known already", 202 if new else 200)

    return endpoint


async def _body(request: Request, largest: int) -> bytes:
    """The body as it came; reading stops at the limit whatever length is announced."""
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        raise _Refused(415, "set the webhook's content type to application/json")
    announced = request.headers.get("content-length", "0")
    if not announced.isascii() or not announced.isdigit() or int(announced) > largest:
        raise _Refused(413, f"the limit is {largest} bytes")
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > largest:
            raise _Refused(413, f"the limit is {largest} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _verify(body: bytes, header: str, keys: tuple[bytes, ...]) -> None:
    """https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries"""
    stated = header.encode("utf-8", "replace")  # comparing text fails on what is not ASCII
    valid = [hmac.compare_digest(stated, b"sha256=" + hmac.new(k, body, sha256).hexdigest().encode()) for k in keys]
    if not any(valid):
        raise _Refused(401, "the signature is missing or not made with a secret that is set here")


def _delivery(request: Request, body: bytes, own: str) -> Delivery:
    name, id_ = request.headers.get("x-github-event", ""), request.headers.get("x-github-delivery", "")
    if not name or not id_ or len(id_) > _ID_LENGTH or not id_.isprintable():
        raise _Refused(400, "the headers X-GitHub-Event and X-GitHub-Delivery are needed")
    try:
        return Delivery(id_, read_event(name, body, own))
    except BadPayload as e:
        raise _Refused(400, str(e)) from None
    except Exception as e:
        why = trouble(e)
        _LOG.warning("delivery %s cannot be read: %s", id_, why)
        raise _Refused(503, f"it cannot be read: {why}") from None
