"""What may be wrong around the bot: its account and what that may do, its store, its work; each with what to do."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from bot.forge import Threads
from bot.forge.access import App
from bot.service.desk import NO_FAULTS, UNSIGNED
from bot.service.opening import Account
from bot.service.pacing import called_wrong
from bot.watched.policy import FILE, read_policy
from bot.watching.told import told
from kb.model import Knowledge
from kb.store import Store
from kb.store.troubled import SOON, Stuck

GOOD, NOTE, WRONG = "good", "note", "wrong"
_SKEW = 60  # seconds that a clock may be off: an App's tokens are refused beyond that
_SHOWN = 5  # errors of one kind
_WRITES = ("public_repo", "repo")
# https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
_KINDS = {
    "ghp_": "a classic token",
    "github_pat_": "a fine-grained token",
    "ghs_": "a token of an App's installation or a workflow",
    "gho_": "a token of an OAuth app",
    "ghu_": "a token that an App got for a person",
}
_NEEDED = "Issues: read and write, Contents: read"


class Look(NamedTuple):
    """`state`: good, note (works, but worth knowing) or wrong."""

    state: str
    words: str


def clock(threads: Threads, now: datetime) -> Look:
    date = threads.server_date()
    if date is None:
        return Look(NOTE, "GitHub did not say what time it is")
    off = (now - date).total_seconds()
    if abs(off) > _SKEW:
        way = "ahead of" if off > 0 else "behind"
        words = f"this computer's clock is {abs(off):.0f} seconds {way} GitHub's, so an App's tokens are refused"
        return Look(WRONG, f"{words}; have it set by a time service")
    return Look(GOOD, f"{abs(off):.0f} seconds from GitHub's")


def account(who: Account, token: str | None) -> Look:
    """The account, and whether what it holds is enough as far as GitHub tells without a repository."""
    if who.app is not None:
        lacking = who.app.settings_lack()
        if lacking:
            how = "add them in the App's settings, under Permissions & events; each owner then accepts that"
            return Look(WRONG, f"the App {who.login}; its settings lack {', '.join(lacking)}: {how}")
        return Look(GOOD, f"the App {who.login}")
    if not who.login or token is None:
        return Look(NOTE, "nobody: issues can be read, and nothing can be written; TRIAGE_GITHUB_TOKEN holds a token")
    kind = next((words for prefix, words in _KINDS.items() if token.startswith(prefix)), "a token")
    scopes = who.threads("", None).scopes()
    words = f"{who.login}, by {kind}"
    if scopes is None:
        return Look(GOOD, f"{words}; it needs {_NEEDED}, which GitHub does not tell of it")
    if not set(scopes) & set(_WRITES):
        has = ", ".join(scopes) or "none"
        return Look(WRONG, f"{words}; its scopes are {has}: it needs public_repo, or repo for private repositories")
    return Look(GOOD, f"{words}; its scopes are {', '.join(scopes)}")


def repository(who: Account, repo: str) -> Look:
    threads = who.threads(repo, None)
    found = threads.repository(repo)
    if found.archived:
        return Look(NOTE, f"{found.full_name} is archived: nothing can be written there")
    lacking = who.app.lacks(found.full_name) if who.app is not None else ()
    if lacking:
        how = "the App's settings grant them, and an owner accepts that"
        return Look(WRONG, f"the App lacks there: {', '.join(lacking)}; {how}")
    if who.app is None and who.login and not threads.may_write(found.full_name, who.login):
        return Look(NOTE, f"{who.login} has no role in {found.full_name}: comments can be written, labels cannot")
    return Look(GOOD, f"{found.full_name}{'' if found.full_name == repo else f', which was called {repo}'}")


def policy(who: Account, repo: str, products: frozenset[str]) -> Look:
    text = who.threads(repo, None).file(repo, FILE)
    if text is None:
        return Look(NOTE, f"there is no {FILE} in the default branch: the mode is shadow, so that nothing is posted")
    read = read_policy(text, products)
    if read.faults:
        return Look(WRONG, f"{' '.join(read.faults)} Until that is mended the mode is {read.policy.mode}.")
    return Look(GOOD, f"mode {read.policy.mode}")


def events(store: Store, now: datetime) -> Look:
    found = store.stuck_events(now)
    lost = [stuck for stuck in found if stuck.lost]
    idle = [stuck for stuck in found if not stuck.error]
    if lost:
        return Look(WRONG, f"{_told(lost)}; `triage db retry` has them tried again")
    if idle:
        since = f"{idle[0].since:%Y-%m-%d %H:%M} UTC"
        return Look(WRONG, f"{len(idle)} wait since {since}, and nobody works; run `triage serve`, or `triage poll`")
    return Look(NOTE, f"{_told(found)}; they are tried again") if found else Look(GOOD, "none failed")


def comments(store: Store, now: datetime) -> Look:
    found = store.stuck_comments(now)
    lost = [stuck for stuck in found if stuck.lost]
    if lost:
        return Look(WRONG, f"{_told(lost)}; `triage db retry` has them tried again")
    if any(now - stuck.since > timedelta(days=1) for stuck in found):
        return Look(WRONG, f"{_told(found)}; `triage activity OWNER/REPO#N` says more")
    return Look(NOTE, f"{_told(found)}; they are tried again") if found else Look(GOOD, "none waits")


def deeds(store: Store, repo: str | None, now: datetime) -> Look:
    """Answers that were called wrong of late: three in a day stop the writing in a repository."""
    wrong = Counter(called_wrong(store, repo, now).values())
    if not wrong:
        return Look(GOOD, "no answer was called wrong within a day")
    counts = ", ".join(f"{name}: {count}" for name, count in wrong.most_common(_SHOWN))
    return Look(NOTE, f"answers called wrong within a day: {counts}; three stop the writing there until that is over")


def hook(app: App) -> Look:
    """How the App's webhook was answered last, as GitHub tells it."""
    last = next(iter(app.deliveries()), None)
    if last is None:
        return Look(NOTE, "GitHub shows nothing that it has sent to the App's webhook")
    sent = f"what GitHub sent to the App's webhook at {last.delivered_at:%Y-%m-%d %H:%M} UTC"
    if last.status_code == 401:
        how = "put the same secret into the App's settings and TRIAGE_WEBHOOK_SECRET, and start `triage serve` again"
        return Look(WRONG, f"{sent} was answered with 401: it is signed with another secret than `serve` has; {how}")
    if not 200 <= last.status_code < 300:
        was = f"answered with {last.status_code}" if last.status_code else f"not answered: {last.status[:100]}"
        how = "look at the webhook's URL in the App's settings, the proxy in front of `triage serve`, and its log"
        return Look(WRONG, f"{sent} was {was}; {how}")
    return Look(GOOD, f"{sent} was taken")


def deliveries(store: Store, now: datetime) -> Look:
    """Whether a webhook was refused of late for its signature. Anybody can send one, so that nothing is sure of it."""
    last = next((d.at for d in store.deeds(what=UNSIGNED, most=1) if now - d.at < timedelta(days=1)), None)
    if last is None:
        return Look(GOOD, "none was refused for its signature within a day")
    words = f"one was refused at {last:%Y-%m-%d %H:%M} UTC: it was not signed with a secret that is set here"
    how = "where the App shows it under Advanced, Recent Deliveries, its secret and TRIAGE_WEBHOOK_SECRET differ"
    return Look(NOTE, f"{words}; {how}")


def policies(store: Store, now: datetime) -> Look:
    """Faults of policy files that were met of late, and not mended since."""
    newest: dict[str, str] = {}
    for deed in store.deeds(what="policy", most=100):
        if now - deed.at < timedelta(days=7):
            newest.setdefault(deed.repo, deed.detail)
    met = [f"{repo}: {detail}" for repo, detail in newest.items() if detail != NO_FAULTS]
    if not met:
        return Look(GOOD, "no fault was met within a week")
    faults = " ".join(met[:_SHOWN])
    return Look(NOTE, f"{faults} `triage doctor OWNER/REPO` looks at a file as it is now")


def releases(store: Store, knowledge: Knowledge, now: datetime) -> Look:
    """Releases that GitHub told of, and that nobody has looked at."""
    waiting: list[str] = []
    for repo in sorted({p.repo for p in knowledge.products if p.repo}):
        since = told(store, repo)
        if since is None or now - since < SOON:
            continue
        looks = store.job_runs(f"look {repo}", most=1)
        waiting += [] if looks and looks[0].started_at >= since else [repo]
    if waiting:
        return Look(WRONG, f"GitHub told of releases of {', '.join(waiting)}, and nobody looks; run `triage watch`")
    return Look(GOOD, "none waits to be looked at")


def _told(found: tuple[Stuck, ...] | list[Stuck]) -> str:
    lines = [f"{s.what}: {s.error or 'not tried'} ({s.tries} tries)" for s in found[-_SHOWN:]]
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{'; '.join(lines)}{more}"


def now() -> datetime:
    return datetime.now(UTC)
