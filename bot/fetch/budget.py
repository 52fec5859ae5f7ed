"""How much one artifact may cost: bytes, requests, seconds, counted over all of its files and redirects.

It measures and stops; it transfers nothing itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from signatures.artifact.source import LimitReached

MIB = 1024 * 1024
MAX_BYTES = 64 * MIB
MAX_REQUESTS = 400
MAX_SECONDS = 120.0


class Budget:
    """`bytes` is everything that arrived, headers included; `requests` is every request sent, redirects included."""

    def __init__(
        self,
        max_bytes: int = MAX_BYTES,
        max_requests: int = MAX_REQUESTS,
        seconds: float = MAX_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_bytes = max_bytes
        self.max_requests = max_requests
        self.seconds = seconds
        self.bytes = 0
        self.requests = 0
        self.trouble = ""  # what was not read, because the network or the server was in trouble
        self._clock = clock
        self._end = clock() + seconds

    def request(self) -> None:
        """Count one more request. Raises LimitReached."""
        self.remaining()
        if self.requests >= self.max_requests:
            raise LimitReached(f"more than {self.max_requests} requests would be needed (--max-requests)")
        self.requests += 1

    def arrived(self, count: int) -> None:
        """Count bytes that arrived. Raises LimitReached."""
        self.bytes += count
        if self.bytes > self.max_bytes:
            raise LimitReached(f"more than {_size(self.max_bytes)} would be needed (--max-mib)")

    def remaining(self) -> float:
        """Seconds left, more than 0. Raises LimitReached."""
        left = self._end - self._clock()
        if left <= 0:
            self.trouble = f"took longer than {self.seconds:g} seconds"
            raise LimitReached(f"{self.trouble} (--timeout)")
        return left


def _size(count: int) -> str:
    return f"{count // MIB} MiB" if count >= MIB and count % MIB == 0 else f"{count} bytes"
