"""Measures which keys and model types a real onnxruntime-genai build accepts in genai_config.json.

    venv/bin/python deploy/probe_genai.py signatures/artifact/genai_schema.json [WORDS]

Candidate words are the strings inside the build's own library, so that no key is missed and none is taken from
documentation; or, far faster, those of a file WORDS and of the table so far. Configurations are parsed, no model is
opened. Each word is tried as a value, an object and an array at every place that turned out to be an object.
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
        if len(path) > 9:
            continue
        free = prober.kind(path, PROBE)
        if free and path:
            found["/".join((*path, ANY))] = free
            if "object" in free:
                waiting.append((*path, ANY))
            if "string" in free and "object" not in free:
                pass  # such as session_options: named keys with other kinds are still looked for
        for word in words:
            kinds = prober.kind(path, word)
            if not kinds or kinds == free:
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


def expand(path: str) -> dict[str, Any]:
    """The table by version: keys -> kinds, and types. In the file a key has one mark per version, in the order of
    `versions`, for each set of kinds it was found with."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)
    out: dict[str, Any] = {version: {"keys": {}, "types": []} for version in raw["versions"]}
    for kind, rows in (("keys", raw["keys"]), ("types", {name: {"": marks} for name, marks in raw["types"].items()})):
        for name, sets in rows.items():
            for kinds, marks in sets.items():
                for version, mark in zip(raw["versions"], marks, strict=True):
                    if mark == "1" and kind == "keys":
                        out[version]["keys"][name] = kinds.split("|")
                    elif mark == "1":
                        out[version]["types"].append(name)
    return out


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
    return {
        "schema": 1,
        "runtime": "onnxruntime-genai",
        "probe": "deploy/probe_genai.py",
        "versions": versions,
        "keys": keys,
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
    found = walk(Prober(), keyed)
    types = model_types(sorted(word for word in words if "." not in word))
    table[version("onnxruntime-genai")] = {"keys": found, "types": types}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(compact(table), file, indent=0)
    sys.stderr.write(f"{len(found)} keys, {len(types)} types\n")


if __name__ == "__main__":
    main()
