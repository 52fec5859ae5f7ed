"""Why a diagnosis is as sure as it is, in words for people.

What recognises and what knows give short reasons by key and source, such as `runtime is litert (prose)`; here they
become sentences. A reason of another shape stays as it is.
"""

from __future__ import annotations

from bot.terminal import one_line
from bot.wording import Names, short_version
from signatures.extract.redact import redact

_LONGEST = 300  # characters of one reason
_LABELS = {
    "os": "operating system",
    "os_version": "version of the operating system",
    "arch": "processor architecture",
    "gpu": "GPU",
    "gpu_vendor": "GPU vendor",
    "gpu_line": "product line of the GPU",
    "driver": "GPU driver",
    "ep": "execution provider",
    "adapter": "graphics adapter",
    "adapter_type": "type of the graphics adapter",
    "api": "API",
}
_SAID = {
    "given": "as given for this run",
    "log": "as the log shows",
    "manifest": "as a package pin says",
    "diagnostics": "as the product's diagnostics say",
    "form": "as the form says",
    "prose": "as the text says",
}
# Keys of which one report states several values without a contradiction: a runtime loads another one
_LAYERED = ("runtime",)
_NOT_FOUND = " is not in the words found"
_DECISIVE = ", which makes the problem what it is, is not in the words found"


def reasons_words(reasons: tuple[str, ...], names: Names, captures: tuple[tuple[str, str], ...] = ()) -> list[str]:
    """Each reason as a clause without a full stop; what is no reason for a person is left out."""
    said = (_words(reason.rstrip("."), names, dict(captures)) for reason in reasons)
    return [one_line(redact(words), _LONGEST) for words in said if words]


def ruled_out_words(why: str, names: Names) -> str:
    """The reasons against a problem, which stand in one text."""
    return "; ".join(reasons_words(tuple(why.split("; ")), names)) or one_line(redact(why), _LONGEST)


def _words(reason: str, names: Names, captures: dict[str, str]) -> str:
    if reason.startswith("the report states "):
        key, _, values = reason.removeprefix("the report states ").partition(" as ")
        return (
            "" if key in _LAYERED else f"the report states the {_label(key, names)} in several ways: {_stated(values)}"
        )
    for ending in (_DECISIVE, _NOT_FOUND):
        if reason.endswith(ending):
            return f"the words found do not name the {_label(reason.removesuffix(ending), names)}"
    key, verb, rest = reason.partition(" is ")
    if not verb or " " in key:
        return reason
    if rest == "not stated":
        return f"the report does not state the {_label(key, names)}"
    if rest.startswith("contradictory: "):
        values = rest.removeprefix("contradictory: ")
        return f"the report states the {_label(key, names)} in several ways: {_stated(values)}"
    if _sources(rest):
        return f"{_subject(key, names)} is {_stated(rest)}"
    value = captures.get(key, rest)
    return f"the words found name {value}" if key == "ep" else f"the words found name the {_label(key, names)} {value}"


def _label(key: str, names: Names) -> str:
    return _LABELS.get(key) or (names[key] if names[key] != key else key.replace("_", " "))


def _subject(key: str, names: Names) -> str:
    """A product is called by its name, anything else needs an article."""
    return names[key] if names[key] != key else f"the {_label(key, names)}"


def _sources(text: str) -> bool:
    return any(text.endswith(f"({source})") for source in _SAID)


def _stated(text: str) -> str:
    """Values with their sources, as in `litert (prose) and litert-lm (log)`, in words."""
    said = []
    for value in text.split(" and "):
        head, bracket, source = value.rpartition(" (")
        known = _SAID.get(source.removesuffix(")")) if bracket else None
        said.append(f"{short_version(head)}, {known}" if known else value)
    return "; ".join(said)
