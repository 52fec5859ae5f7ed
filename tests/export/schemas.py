"""What the official schemas of OSV (ossf/osv-schema validation/schema.json, 1.7) and OpenVEX (openvex/spec, 0.2.0)
demand of the keys that are written here, and no key besides; said anew rather than copied."""

from __future__ import annotations

from typing import Any

_MOMENT = {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
_TEXT = {"type": "string", "minLength": 1}
_URI = {"type": "string", "pattern": "^[a-z][a-z0-9+.-]*:[^ ]+$"}
_SHA = "^(0|[0-9a-f]{40})$"
_ECOSYSTEMS = ["PyPI", "npm", "NuGet", "Pub", "crates.io"]


def _object(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": False}


def _one_event(version: dict[str, Any]) -> dict[str, Any]:
    return {
        "oneOf": [_object((word,), **{word: version}) for word in ("introduced", "fixed", "last_affected", "limit")]
    }


def _range(kinds: list[str], version: dict[str, Any], **more: Any) -> dict[str, Any]:
    events = {
        "type": "array",
        "minItems": 1,
        "contains": {"required": ["introduced"]},
        "items": _one_event(version),
    }
    return _object(("type", "events", *more), type={"enum": kinds}, events=events, **more)


OSV = _object(
    ("schema_version", "id", "modified", "summary", "details", "references", "database_specific"),
    schema_version={"const": "1.7.0"},
    id={"type": "string", "pattern": "^x_[A-Z]+-[a-z0-9-]+$"},
    modified=_MOMENT,
    withdrawn=_MOMENT,
    summary=_TEXT,
    details=_TEXT,
    references={
        "type": "array",
        "items": _object(
            ("type", "url"),
            type={"enum": ["FIX", "EVIDENCE", "REPORT", "WEB"]},
            url={"type": "string", "pattern": "^https://[^ ]+$"},
        ),
    },
    database_specific={"type": "object"},
    affected={
        "type": "array",
        "minItems": 1,
        "items": _object(
            (),
            package=_object(("ecosystem", "name"), ecosystem={"enum": _ECOSYSTEMS}, name=_TEXT, purl=_URI),
            ranges={
                "type": "array",
                "items": {
                    "oneOf": [
                        _range(["SEMVER", "ECOSYSTEM"], _TEXT),
                        _range(["GIT"], {"type": "string", "pattern": _SHA}, repo=_URI),
                    ]
                },
            },
            versions={"type": "array", "minItems": 1, "uniqueItems": True, "items": _TEXT},
            database_specific={"type": "object"},
        ),
    },
)

_IDENTIFIERS = _object(("purl",), purl={"type": "string", "pattern": "^pkg:[a-z]+/[^ ]+@[^ ]+$"})
_SUBCOMPONENT = {"@id": _URI, "identifiers": _IDENTIFIERS}
_STATEMENT = _object(
    ("vulnerability", "products", "status"),
    vulnerability=_object(("name",), **{"@id": _URI}, name=_TEXT, description=_TEXT),
    products={
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": _object(
            ("@id",), **_SUBCOMPONENT, subcomponents={"type": "array", "items": _object(("@id",), **_SUBCOMPONENT)}
        ),
    },
    status={"enum": ["not_affected", "affected", "fixed", "under_investigation"]},
    status_notes=_TEXT,
    justification={
        "enum": [
            "component_not_present",
            "vulnerable_code_not_present",
            "vulnerable_code_not_in_execute_path",
            "vulnerable_code_cannot_be_controlled_by_adversary",
            "inline_mitigations_already_exist",
        ]
    },
    action_statement=_TEXT,
)
VEX = _object(
    ("@context", "@id", "author", "timestamp", "version", "statements"),
    **{"@context": {"const": "https://openvex.dev/ns/v0.2.0"}, "@id": _URI},
    author=_TEXT,
    timestamp=_MOMENT,
    last_updated=_MOMENT,
    version={"type": "integer", "minimum": 1},
    tooling=_TEXT,
    statements={
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {
            **_STATEMENT,
            "allOf": [
                {
                    "if": {"properties": {"status": {"const": status}}},
                    "then": {"required": [key]},
                    "else": {"not": {"required": [key]}},
                }
                for status, key in (("not_affected", "justification"), ("affected", "action_statement"))
            ],
        },
    },
)
