"""Measures which keys and model types a real onnxruntime-genai build accepts in genai_config.json.

    venv/bin/python deploy/probe_genai.py signatures/artifact/genai_schema.json [WORDS]

Candidate words are the strings inside the build's own library, so that no key is missed and none is taken from
documentation; or, far faster, those of a file WORDS and of the table so far. Configurations are parsed, no model is
opened. Each word is tried as a value, an object and an array at every place that turned out to be an object; then every
number is tried with fractions and out of bounds, and every text with a word that means nothing.
"""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

ANY = "*"  # an object that takes any key
SHAPE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-.")
PROBE = "no_such_key_zq"
WORD = "no_such_word_zq"
NUMBERS = ("0.5", "1.5", "3000000000", "-1", "0", "1", "2", "9", "17")  # a rule names those that are refused
MAX_DEPTH = 10
ABORTS = ("engine/static_batching/max_batch_size",)  # any number ends the process in 0.11 to 0.13 at least
# One Identity node: enough for a session to open.
MODEL = bytes.fromhex(
    "08083a390a120a017812017922084964656e746974793a001201675a0f0a0178120a0a08080112040a020801620f0a0179120a0a08080112"
    "040a02080142040a00100d"
)
SECTIONS = ("encoder", "vision", "speech", "embedding", "decoder", "joiner", "vad", "moonshine", "audio_output")
PROVIDERS = (
    "cpu", "cuda", "dml", "webgpu", "js", "qnn", "openvino", "vitisai", "ryzenai", "nvtensorrtrtx", "amdgpu", "rocm",
    "xnnpack", "webnn", "azure", "coreml", "migraphx", "tensorrt", "snpe", "vsinpu", "nnapi", "dnnl", "acl", "cann",
)  # fmt: skip


def strings(path: str) -> set[str]:
    """Printable runs of a library that could be a key."""
    found, run = set(), bytearray()
    with open(path, "rb") as file:
        data = file.read()
    allowed = frozenset(c.encode()[0] for c in SHAPE)
    for byte in data:
        if byte in allowed:
            run.append(byte)
            continue
        if 2 < len(run) < 41 and byte == 0 and 97 <= run[0] <= 122:
            word = run.decode()
            found.add(word)
            # Linkers keep one copy of strings that end alike.
            found.update(word[at + 1 :] for at, char in enumerate(word) if char == "_" and len(word) - at > 3)
        run.clear()
    return found


class Prober:
    """Parses configurations with the real library."""

    def __init__(self) -> None:
        import onnxruntime_genai as og

        self.og = og
        self.folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)  # noqa: S108
        self.file = os.path.join(self.folder, "genai_config.json")

    def parse(self, config: Any) -> str:
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump(config, file)
        try:
            self.og.Config(self.folder)
        except Exception as error:  # what it says is the measurement
            return str(error)
        return ""

    def kind(self, path: tuple[str, ...], word: str) -> list[str]:
        """What the word may be under the path: string, number, bool, object, array."""
        said = self.parse(nest(path, {word: "x"}))
        found = []
        if f'Unknown value "{word}"' not in said:
            expected = said.partition("Expected a ")[2].split(" ")[0] if f"{word} - Expected a" in said else ""
            found.append(expected or "string")
        found += [name for name, value in (("object", {}), ("array", [])) if self.takes(path, word, value)]
        return found

    def takes(self, path: tuple[str, ...], word: str, value: Any) -> bool:
        said = self.parse(nest(path, {word: value}))
        return f'Unknown value "{word}"' not in said and f"{word} - Expected a" not in said

    def array_of(self, path: tuple[str, ...]) -> str:
        """What an array holds: object, number or string."""
        for name, value in (("object", {}), ("number", 1), ("string", "x")):
            said = self.parse(nest((*path, "[]"), value))
            if "Unknown value" not in said and "Expected a" not in said:
                return name
        return "nothing"

    def said(self, path: tuple[str, ...], value: Any) -> str:
        """What parsing says of the value, without its place; @ stands for the keys that lead to it."""
        text = self.parse(nest(path, value)).partition("JSON Error: ")[2].rpartition(" at line")[0]
        keys = ":".join(step for step in path if step != "[]")
        return "@" + text.removeprefix(keys) if text.startswith(keys + ":") else text

    def numbers(self, path: tuple[str, ...]) -> tuple[str, str]:
        """The numbers that a key refuses, and what it says to the first that is whole and small, with {} for it."""
        told = {number: self.said(path, json.loads(number)) for number in NUMBERS}
        text = next((told[number].replace(number, "{}") for number in NUMBERS[3:] if told[number]), "")
        return " ".join(number for number in NUMBERS if told[number]), text

    def word(self, path: tuple[str, ...]) -> str:
        """What a key says to a word that means nothing, with {} for it; empty where it takes any."""
        return self.said(path, WORD).replace(WORD, "{}")


def values(prober: Prober, keys: dict[str, list[str]]) -> dict[str, dict[str, str]]:
    """Which values the found keys take: rules of numbers, their texts, and texts of keys that take some words only."""
    found: dict[str, dict[str, str]] = {"numbers": {}, "bounds": {}, "words": {}}
    for name, kinds in keys.items():
        path = tuple(name.replace(ANY, PROBE).split("/"))
        if "number" in kinds and name not in ABORTS:
            rule, text = prober.numbers(path)
            found["numbers"][name] = rule
            if text:
                found["bounds"][name] = text
        if "string" in kinds and (text := prober.word(path)):
            found["words"][name] = text
    return found


def nest(path: tuple[str, ...], inner: Any) -> Any:
    for step in reversed(path):
        inner = [inner] if step == "[]" else {step: inner}
    return inner


def walk(prober: Prober, words: list[str]) -> dict[str, list[str]]:
    """Path -> kinds, for every key found from the root down."""
    found: dict[str, list[str]] = {}
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        path = waiting.pop()
        if len(path) > MAX_DEPTH:
            continue
        free = prober.kind(path, PROBE)
        text = prober.word((*path, PROBE)) if "string" in free else ""
        if free and path:
            found["/".join((*path, ANY))] = free
            if "object" in free:
                waiting.append((*path, ANY))
            if "string" in free and "object" not in free:
                pass  # such as session_options: named keys with other kinds are still looked for
        for word in words:
            kinds = prober.kind(path, word)
            if not kinds or (kinds == free and ("string" not in kinds or prober.word((*path, word)) == text)):
                continue
            found["/".join((*path, word))] = kinds
            if "object" in kinds and "object" not in free:
                waiting.append((*path, word))
            if "array" in kinds:
                holds = prober.array_of((*path, word))
                found["/".join((*path, word, "[]"))] = [holds]
                if holds == "object":
                    waiting.append((*path, word, "[]"))
    return found


def model_types(words: list[str]) -> list[str]:
    """Words that are not refused as model.type; tried in a child process, since a model is begun to be opened."""
    script = (
        "import json,sys,os,tempfile\nimport onnxruntime_genai as og\nd=tempfile.mkdtemp()\n"
        "for w in json.load(sys.stdin):\n"
        " m={'type':w,'context_length':8,'vocab_size':8,'decoder':{'session_options':{},'filename':'m.onnx'}}\n"
        " json.dump({'model':m,'search':{}},open(d+'/genai_config.json','w'))\n"
        " try:\n  og.Model(d); e=''\n"
        " except Exception as x: e=str(x)\n"
        " print(json.dumps([w,e]),flush=True)\n"
    )
    found, left = [], words
    while left:
        done = subprocess.run(  # noqa: S603  # this interpreter, a fixed script
            [sys.executable, "-c", script], input=json.dumps(left), capture_output=True, text=True, check=False
        )
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        found += [word for word, said in answers if "Unsupported model_type" not in said]
        left = left[len(answers) + 1 :]
    return sorted(set(found))


VALUES = ("numbers", "bounds", "words", "sessions", "providers")


def sessions(types: list[str], keys: dict[str, list[str]]) -> dict[str, str]:
    """The sections whose files each type opens, in its order, as far as they open with a graph of one node."""
    have = [name for name in SECTIONS if f"model/{name}/filename" in keys]
    order: dict[str, list[str]] = {name: [] for name in types}
    going = set(types)
    while going:
        jobs = []
        for name in sorted(going):
            model: dict[str, Any] = {"type": name, "context_length": 8, "vocab_size": 8, "eos_token_id": 0}
            model |= {each: {"filename": f"{each}.onnx"} for each in have}
            model["decoder"]["session_options"] = {}
            jobs.append(({"model": model, "search": {}}, [f"{each}.onnx" for each in order[name]]))
        for name, said in zip(sorted(going), opened(jobs), strict=True):
            missing = [each for each in have if f"{each}.onnx failed" in said and each not in order[name]]
            if missing:
                order[name].append(missing[0])
            else:
                going.discard(name)
    return {name: " ".join(found) for name, found in order.items()}


def providers() -> dict[str, str]:
    """What this build says to each provider without options, lower-case and with the suffix of its full name."""
    jobs = []
    names = [*PROVIDERS, "no_such_provider", *(name + "ExecutionProvider" for name in PROVIDERS)]
    for name in names:
        options = {"provider_options": [{name: {}}]}
        decoder = {"session_options": options, "filename": "decoder.onnx"}
        jobs.append(
            ({"model": {"type": "llama", "context_length": 8, "decoder": decoder}, "search": {}}, ["decoder.onnx"])
        )
    said = dict(zip(names, opened(jobs), strict=True))
    return {name: text.partition(". Currently")[0].partition(": Failed to load")[0] for name, text in said.items()}


_OPEN = """
import json, os, sys, tempfile
import onnxruntime_genai as og
for line in sys.stdin:
    config, files, model = json.loads(line)
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            open(os.path.join(folder, name), "wb").write(bytes.fromhex(model))
        json.dump(config, open(os.path.join(folder, "genai_config.json"), "w"))
        try:
            og.Model(folder)
            said = ""
        except Exception as error:
            said = " ".join(str(error).split())
    print(json.dumps(said), flush=True)
"""


def opened(jobs: list[tuple[dict[str, Any], list[str]]]) -> list[str]:
    """What opening each package says, in child processes, since some end the process."""
    lines = [json.dumps((config, files, MODEL.hex())) + "\n" for config, files in jobs]
    said: list[str] = []
    while len(said) < len(lines):
        done = subprocess.run(  # noqa: S603  # this interpreter, a fixed script
            [sys.executable, "-c", _OPEN],
            input="".join(lines[len(said) :]),
            capture_output=True,
            text=True,
            check=False,
        )
        said += [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]
        if len(said) < len(lines):
            said.append("the process ended")
    return said


def expand(path: str) -> dict[str, Any]:
    """The table by version: keys -> kinds, and types. In the file a key has one mark per version, in the order of
    `versions`, for each set of kinds it was found with."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)
    out: dict[str, Any] = {version: {"keys": {}, "types": [], "values": {}} for version in raw["versions"]}
    for kind, rows in (("keys", raw["keys"]), ("types", {name: {"": marks} for name, marks in raw["types"].items()})):
        for name, sets in rows.items():
            for kinds, marks in sets.items():
                for version, mark in zip(raw["versions"], marks, strict=True):
                    if mark == "1" and kind == "keys":
                        out[version]["keys"][name] = kinds.split("|")
                    elif mark == "1":
                        out[version]["types"].append(name)
    for part in VALUES:
        _expand_values(raw, part, out)
    return out


def _expand_values(raw: dict[str, Any], part: str, out: dict[str, Any]) -> None:
    for name, sets in raw.get(part, {}).items():
        for what, marks in sets.items():
            for version, mark in zip(raw["versions"], marks, strict=True):
                if mark == "1":
                    out[version]["values"].setdefault(part, {})[name] = what


def compact(table: dict[str, Any]) -> dict[str, Any]:
    versions = sorted(table, key=lambda version: [int(part) for part in version.split(".")])
    keys: dict[str, dict[str, str]] = {}
    for name in sorted({name for row in table.values() for name in row["keys"]}):
        kinds = {"|".join(row["keys"][name]) for row in table.values() if name in row["keys"]}
        keys[name] = {
            kind: "".join("1" if "|".join(table[v]["keys"].get(name, ())) == kind else "0" for v in versions)
            for kind in sorted(kinds)
        }
    types = sorted({name for row in table.values() for name in row["types"]})
    told: dict[str, dict[str, dict[str, str]]] = {}
    for part in VALUES:
        rows = {version: table[version]["values"].get(part, {}) for version in versions}
        told[part] = {
            name: {
                what: "".join("1" if rows[v].get(name) == what else "0" for v in versions)
                for what in sorted({row[name] for row in rows.values() if name in row})
            }
            for name in sorted({name for row in rows.values() for name in row})
        }
    return {
        "schema": 1,
        "runtime": "onnxruntime-genai",
        "probe": "deploy/probe_genai.py",
        "versions": versions,
        "keys": keys,
        **told,
        "types": {name: "".join("1" if name in table[v]["types"] else "0" for v in versions) for name in types},
    }


def main() -> None:
    from importlib.metadata import version

    import onnxruntime_genai as og

    path = sys.argv[1]
    table = expand(path)
    words: set[str] = set()
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            words |= set(file.read().split())
    else:
        for library in glob.glob(os.path.join(os.path.dirname(og.__file__), "*.so*")):
            words |= strings(library)
    for keys in table.values():
        words |= {part for key in keys["keys"] for part in key.split("/")} | set(keys["types"])
    words = {word for word in words if word not in (ANY, "[]")}
    keyed = sorted(word for word in words if "." not in word and "-" not in word)
    sys.stderr.write(f"{len(words)} words\n")
    prober = Prober()
    found = walk(prober, keyed)
    types = model_types(sorted(word for word in words if "." not in word))
    table[version("onnxruntime-genai")] = {
        "keys": found,
        "types": types,
        "values": values(prober, found) | {"sessions": sessions(types, found), "providers": providers()},
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(compact(table), file, indent=0)
    sys.stderr.write(f"{len(found)} keys, {len(types)} types\n")


if __name__ == "__main__":
    main()
