"""One JSON Schema of everything installed, so that editors complete and check suite files."""

from typing import Any, cast

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring.errors import PluginError
from sparring.suite.model import Suite
from sparring.suite.reading import OWN

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def suite_schema() -> tuple[dict[str, Any], list[str]]:
    """The schema, and a sentence for each installed plugin that had to be left out."""
    problems: list[str] = []
    root = Suite.model_json_schema()
    definitions: dict[str, Any] = root.pop("$defs", {})
    root["required"] = ["name", "app", "agent"]
    for namespace in GROUPS:
        _add_group(namespace, definitions, problems)
    schema = {"$schema": DIALECT, "title": "Sparring suite", **root, "$defs": definitions}
    return cast("dict[str, Any]", _resolve_markers(schema, definitions)), problems


def _add_group(namespace: str, definitions: dict[str, Any], problems: list[str]) -> None:
    by_role: dict[str | None, list[dict[str, Any]]] = {None: []}
    for name in catalog.names(namespace):
        try:
            part = drivers.load(GROUPS[namespace], name)
        except PluginError as err:
            problems.append(str(err))
            continue
        role: str | None = getattr(part, "role", None)
        entry = _entry(namespace, name, part, definitions)
        by_role.setdefault(role, []).append(entry)
        if role is not None:
            by_role[None].append(entry)
    for role, entries in by_role.items():
        definitions[_key(namespace, role)] = {"anyOf": [*entries, _IMPORT_PATH]}


_PATH_TEXT = {
    "type": "string",
    "pattern": r"^[\w.]+:[\w.]+$",
    "description": "package.module:Class",
}
_IMPORT_PATH = {
    "anyOf": [
        _PATH_TEXT,
        {"type": "object", "properties": {"use": _PATH_TEXT}, "required": ["use"]},
    ]
}


def _entry(namespace: str, name: str, part: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = part.Config.model_json_schema()
    prefix = f"{namespace}.{name}"
    for inner, body in config.pop("$defs", {}).items():
        definitions[f"{prefix}.{inner}"] = _rename_references(body, prefix)
    config = _rename_references(config, prefix)
    name = name.removeprefix(f"{getattr(part, 'role', None)}.")  # as a suite names it in its role
    own: dict[str, Any] = {"use": {"const": name}}
    if namespace in OWN:
        beside = OWN[namespace].model_json_schema()
        for inner, body in beside.pop("$defs", {}).items():
            definitions[inner] = body
        own = {**beside["properties"], **own}
    entry: dict[str, Any] = {
        "type": "object",
        "description": (part.__doc__ or "").strip().split("\n\n")[0],
        "properties": {**own, **config.get("properties", {})},
        "required": ["use", *config.get("required", [])],
        "additionalProperties": False,
    }
    if config.get("required"):
        return entry
    return {"anyOf": [{"const": name}, entry]}


def _rename_references(body: Any, prefix: str) -> Any:
    """References to the definitions of one Config, moved under its own prefix."""
    if isinstance(body, dict):
        items = cast("dict[str, Any]", body).items()
        return {
            key: value.replace("#/$defs/", f"#/$defs/{prefix}.")
            if key == "$ref" and isinstance(value, str)
            else _rename_references(value, prefix)
            for key, value in items
        }
    if isinstance(body, list):
        return [_rename_references(item, prefix) for item in cast("list[Any]", body)]
    return body


def _key(namespace: str, role: str | None) -> str:
    return f"use:{namespace}" + (f":{role}" if role else "")


def _resolve_markers(body: Any, definitions: dict[str, Any]) -> Any:
    """The markers of `UseOf` replaced by references to what is installed."""
    if isinstance(body, dict):
        members = cast("dict[str, Any]", body)
        marker = members.get("x-sparring-use")
        if marker:
            key = _key(marker["group"], marker["role"])
            if key not in definitions:
                key = _key(marker["group"], None)
            return {"$ref": f"#/$defs/{key}"}
        return {key: _resolve_markers(value, definitions) for key, value in members.items()}
    if isinstance(body, list):
        return [_resolve_markers(item, definitions) for item in cast("list[Any]", body)]
    return body
