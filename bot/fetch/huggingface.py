"""A Hugging Face repository as a Package: names, sizes and hashes from the hub's metadata, bytes by range when asked.

Metadata is read with huggingface_hub, anonymously: a reference comes from a stranger's report, and must not show what
only the operator may see. Nothing is downloaded here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2
from huggingface_hub import HfApi, hf_hub_url, set_client_factory
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from bot.fetch.client import AGENT, PASSES, Client, GuardedTransport, client_of
from bot.fetch.guard import ForNow, Refused
from bot.fetch.listings import HubFile, Listings
from bot.fetch.ranges import Store
from bot.fetch.references import Hub
from bot.fetch.remote import RemoteFile
from signatures.artifact.package import MAX_LISTED, Entry, Package
from signatures.artifact.source import Limits, Source, SourceError

LARGEST_ANSWER = 16 * 1024 * 1024  # bytes of one answer of the metadata API
_PATHS_AT_ONCE = 500
_transport: ContextVar[GuardedTransport] = ContextVar("transport of the hub's client")


class _Current(httpx2.BaseTransport):
    """huggingface_hub has one client per process; this hands each request to the transport of whoever is asking.

    What is no question about a model stays here: the library also asks for a list by which to tell who is calling."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if "/api/models/" not in request.url.path:
            raise Refused("only models are asked about", name=request.url.host)
        return _transport.get().handle_request(request)


def open_repository(
    ref: str,
    hub: Hub,
    endpoint: str,
    client: Client,
    *,
    store: Store | None,
    limits: Limits,
    listings: Listings | None = None,
) -> tuple[Package, str]:
    """The repository, the folder `hub.path` of it, or that one file beside its neighbours; and the address under which
    its names lie. Raises SourceError."""
    api = HfApi(endpoint=endpoint, token=False, library_name=AGENT)
    kept = listings.get(hub.repo, hub.revision) if listings is not None else None
    if kept is not None and hub.revision is not None:
        commit, files = hub.revision, kept
        below, subject = _chosen(files, hub)
    else:
        with _through(client):
            commit, files = _listing(api, hub)
            below, subject = _chosen(files, hub)
            files = _measured(api, hub, commit, files, below)
        if listings is not None:
            listings.keep(hub.repo, hub.revision, commit, files)

    def entry(file: HubFile) -> Entry:
        def open_file() -> Source:
            url = hf_hub_url(hub.repo, file.name, revision=commit, endpoint=endpoint)
            return RemoteFile(client, url, name, size=file.size, identity=file.identity, store=store)

        name = file.name.removeprefix(below)
        return Entry(name, file.size, file.sha256, open_file)

    inside = [entry(file) for file in files if file.name.startswith(below)]
    package = Package(ref, inside, revision=commit, limits=limits)
    package.subject = subject
    return package, hf_hub_url(hub.repo, below or "", revision=commit, endpoint=endpoint)


def _chosen(files: list[HubFile], hub: Hub) -> tuple[str, str | None]:
    """The folder (with its slash) to list, and the one file in it that was asked for."""
    if not hub.path:
        return "", None
    if any(file.name == hub.path for file in files):
        folder, _, name = hub.path.rpartition("/")
        return (folder + "/" if folder else ""), name
    if any(file.name.startswith(hub.path + "/") for file in files):
        return hub.path + "/", None
    raise SourceError(f"{hub.repo} has no file or folder {hub.path}", name=hub.path)


def _listing(api: HfApi, hub: Hub) -> tuple[str, list[HubFile]]:
    with _answers(hub):
        info = api.model_info(hub.repo, revision=hub.revision, files_metadata=True)
        commit = info.sha
        if not isinstance(commit, str) or not commit.isalnum():
            raise ValueError("no commit")
        files = []
        for sibling in info.siblings or []:
            sha = sibling.lfs.sha256 if sibling.lfs is not None else None
            size = sibling.size if sibling.size is not None or sibling.lfs is None else sibling.lfs.size
            files.append(_file(sibling.rfilename, size, sha, sibling.blob_id))
    return commit, files


def _measured(api: HfApi, hub: Hub, commit: str, files: list[HubFile], below: str) -> list[HubFile]:
    """`files`, asked for by name where the listing came without sizes, as some mirrors give it."""
    missing = [file.name for file in files if file.size is None and file.name.startswith(below)][:MAX_LISTED]
    if not missing:
        return files
    found: dict[str, HubFile] = {}
    with _answers(hub):
        for start in range(0, len(missing), _PATHS_AT_ONCE):
            paths = missing[start : start + _PATHS_AT_ONCE]
            for item in api.get_paths_info(hub.repo, paths, revision=commit):
                if isinstance(item, RepoFile):
                    sha = item.lfs.sha256 if item.lfs is not None else None
                    found[item.path] = _file(item.path, item.size, sha, item.blob_id)
    return [found.get(file.name, file) for file in files]


def _file(name: object, size: object, sha256: object, blob: object) -> HubFile:
    """Raises ValueError for values that are not what the API documents."""
    if not isinstance(name, str) or not (size is None or (type(size) is int and size >= 0)):
        raise ValueError("no file")
    name.encode()  # raises UnicodeEncodeError, which is a ValueError, for what no address can hold
    sha = sha256.lower() if isinstance(sha256, str) and len(sha256) == 64 else None
    return HubFile(name, size, sha, sha or (blob if isinstance(blob, str) else None))


@contextmanager
def _through(client: Client) -> Iterator[None]:
    """Send what huggingface_hub asks through the guard and budget of `client`."""
    set_client_factory(lambda: client_of(_Current(), follow_redirects=True))
    transport = GuardedTransport(client.policy, client.budget, largest_body=LARGEST_ANSWER)
    token = _transport.set(transport)
    try:
        yield
    finally:
        _transport.reset(token)
        transport.close()


@contextmanager
def _answers(hub: Hub) -> Iterator[None]:
    """Errors of the hub as one sentence each."""
    at = f"{hub.repo}@{hub.revision}" if hub.revision else hub.repo
    try:
        yield
    except GatedRepoError as error:
        why = "asks for an agreement first; fetch it yourself and give its folder"
        raise SourceError(f"{hub.repo} {why}", name=at) from error
    except RepositoryNotFoundError as error:
        raise SourceError(f"{hub.repo} is not on the hub, or is private", name=at) from error
    except RevisionNotFoundError as error:
        raise SourceError(f"{hub.repo} has no revision {hub.revision}", name=at) from error
    except HFValidationError as error:
        raise SourceError(f"{hub.repo} is no name of a repository", name=at) from error
    except HfHubHTTPError as error:
        kind = ForNow if error.response.status_code in PASSES else SourceError
        raise kind(f"the hub answered HTTP {error.response.status_code} for {at}", name=at) from error
    except httpx2.TooManyRedirects as error:
        raise SourceError("the hub redirects without end", name=at) from error
    except httpx2.HTTPError as error:
        raise ForNow(f"the hub cannot be asked: {error}", name=at) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        # an answer that is JSON of another shape, or none
        raise SourceError("the hub's answer is not understood", name=at) from error
