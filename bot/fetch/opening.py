"""A Fetcher as this computer is set up: HF_ENDPOINT, TRIAGE_FETCH_HOSTS, the cache folder."""

from __future__ import annotations

from collections.abc import Sequence

from bot import config
from bot.errors import InputError
from bot.fetch import DEFAULT_CAPS, Caps, Fetcher
from bot.fetch.guard import policy_of
from bot.fetch.listings import Listings


def fetcher(
    hosts: Sequence[str] = (),
    caps: Caps = DEFAULT_CAPS,
    *,
    public: bool = False,
    listings: Listings | None = None,
) -> Fetcher:
    """`hosts`: allowed too, for this run. `public`: for references that anybody may have written. Raises InputError for
    hosts that are none."""
    endpoint = config.hub_endpoint()
    try:
        policy = policy_of(endpoint, (*config.fetch_hosts(), *hosts))
    except ValueError as error:
        raise InputError(f"{error} (HF_ENDPOINT, TRIAGE_FETCH_HOSTS and --allow-host name hosts).") from None
    cache = config.cache_folder()
    return Fetcher(policy, endpoint, caps=caps, cache=cache, public=public, listings=listings)
