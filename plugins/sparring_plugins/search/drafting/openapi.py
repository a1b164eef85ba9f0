"""Features from an OpenAPI description: operations are wishes, their parameters features."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sparring_plugins.search.drafting.features import WISH, Draft, DraftFeature
from sparring_plugins.search.interchange.imports import feature_name

_METHODS = ("get", "post", "put", "patch", "delete")
# A schema may refer to itself: a category has a parent, which is a category.
_DEEP = 8
_LARGEST = 1e15  # "maximum": 1e999 is infinite


def is_openapi(data: Any) -> bool:
    """Whether data is an OpenAPI (or Swagger) description."""
    return isinstance(data, dict) and ("openapi" in data or "swagger" in data) and "paths" in data


def draft_openapi(data: Mapping[str, Any], draft: Draft) -> None:
    """Add the operations and parameters of a description to a draft.

    Parameters with an enumeration, two bounds or a boolean are features; others are noted. A
    feature is left out of requests whose operation does not take it.
    """
    title = str(_mapping(data.get("info")).get("title", ""))
    draft.about = draft.about or title
    takers: dict[str, list[str]] = {}
    wishes: list[str] = []
    for operation in _operations(data):
        wish = str(operation.get("summary") or operation.get("operationId") or "")[:60].strip(" .")
        if not wish:
            continue
        wishes.append(wish.lower())
        for name, schema in _parameters(operation, data):
            feature = _feature(name, schema)
            if feature is None:
                draft.notes.append(f"{wish}: the values of {name!r} are not described")
                continue
            feature.name = feature_name(name, [WISH])
            takers.setdefault(draft.add(feature), []).append(wishes[-1])
    if wishes:
        _add_wishes(wishes, takers, draft)


def _add_wishes(wishes: Sequence[str], takers: Mapping[str, list[str]], draft: Draft) -> None:
    """Add operations as wishes, and leave out of each what it does not take."""
    values = Counter(dict.fromkeys(wishes, 1))
    draft.add(DraftFeature(WISH, values, optional=False, about="operations"))
    shown = draft.features[WISH].data()["values"]
    names = {entry["as"][0]: name for name, entry in shown.items()}
    if len(values) > len(names):
        draft.notes.append(f"{len(names)} of {len(values)} operations are wishes: add what matters")
    for name, taking in takers.items():
        takes = [names[wish] for wish in dict.fromkeys(taking) if wish in names]
        if not takes:
            del draft.features[name]
        elif len(takes) < len(shown):
            draft.constraints.append({"when": f"{WISH} not in {takes!r}", "drop": [name]})


def _operations(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for written in _mapping(data.get("paths")).values():
        item = _mapping(written)
        for method in _METHODS:
            operation = _mapping(item.get(method))
            if operation:
                shared = _listed(item.get("parameters"))
                yield {**operation, "parameters": [*shared, *_listed(operation.get("parameters"))]}


def _listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _parameters(
    operation: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names and schemas of an operation's parameters and of its JSON body."""
    for written in _listed(operation.get("parameters")):
        parameter = _resolved(written, data)
        if isinstance(parameter.get("name"), str) and parameter.get("in") != "header":
            yield parameter["name"], _resolved(parameter.get("schema") or parameter, data)
    body = _resolved(operation.get("requestBody"), data)
    for media in _mapping(body.get("content")).values():
        schema = _resolved(_resolved(media, data).get("schema"), data)
        for name, own in _mapping(schema.get("properties")).items():
            yield name, _resolved(own, data)


def _resolved(value: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping, or the one that its ``$ref`` within the description points to."""
    for _ in range(_DEEP):
        reference = _mapping(value).get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        value = data
        for part in reference[2:].split("/"):
            value = _mapping(value).get(part)
    return _mapping(value)


def _feature(name: str, schema: Mapping[str, Any]) -> DraftFeature | None:
    values = _listed(schema.get("enum"))
    said = name.replace("_", " ").replace("-", " ")
    about = str(schema.get("description") or "")[:100]
    if values:
        return DraftFeature(name, Counter(f"{said} {value}" for value in values), about=about)
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        if -_LARGEST < low < high < _LARGEST:
            return DraftFeature(name, numbers=(low, high, f"{said} {{}}"), about=about)
        return None
    if schema.get("type") == "boolean":
        return DraftFeature(name, Counter([f"with {said}", f"without {said}"]), about=about)
    return None
