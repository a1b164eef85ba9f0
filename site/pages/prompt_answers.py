"""The form of the answers that agents ask for, by prompt: for the page on prompts."""

from pydantic import BaseModel

from sparring_plugins.judging.model_judge import Verdict
from sparring_plugins.search.fitness.model_fitness import STELLAR, Safety, classes_type
from sparring_plugins.search.prompter.model_writer import SpoiltText, WrittenUtterance
from sparring_plugins.users.model_user.extractor import Findings
from sparring_plugins.users.model_user.goal_checker import Wishes
from sparring_plugins.users.model_user.move_checks import NextMove
from sparring_plugins.users.profiles.any_values import Values
from sparring_plugins.voice.model_agents import NextInput, PossibleInputs, SeenState
from sparring_plugins.web.model_agents import Answer, Route
from sparring_plugins.web.model_reader import Answer as PageAnswer
from sparring_plugins.web.translation.model_translator import ProposedCheck

ANSWERS: dict[str, type[BaseModel]] = {
    "assertion": Answer,
    "dimensions": classes_type(tuple((name, len(one.classes)) for name, one in STELLAR.items())),
    "generate": PossibleInputs,
    "goals": Wishes,
    "judge": Verdict,
    "navigator": Route,
    "observe": SeenState,
    "outputs": Findings,
    "page_reader": PageAnswer,
    "perturb": SpoiltText,
    "plan": NextInput,
    "readiness": Answer,
    "safety": Safety,
    "translator": ProposedCheck,
    "user": NextMove,
    "values": Values,
    "write": WrittenUtterance,
}
"""The pydantic class of the answer to each prompt of an agent."""


def described(model: type[BaseModel]) -> list[str]:
    """A table of the keys of an answer, those of parts below their owners."""
    schema = model.model_json_schema()
    rows = ["| key of the answer | type | |", "| --- | --- | --- |"]
    rows += _rows(schema, schema.get("$defs", {}), "")
    return rows


def _rows(schema: dict[str, object], known: dict[str, object], above: str) -> list[str]:
    rows: list[str] = []
    properties = schema.get("properties")
    for key, field in properties.items() if isinstance(properties, dict) else ():
        inner = _inner(field, known)
        about = " ".join(str(field.get("description", "")).split())
        rows.append(f"| `{above}{key}` | {_type(field, known)} | {about} |")
        if inner is not None:
            rows += _rows(inner, known, f"{above}{key}.")
    return rows


def _inner(field: dict[str, object], known: dict[str, object]) -> dict[str, object] | None:
    """The object below a field: itself, or the items of a list."""
    items = field.get("items", field)
    name = str(items.get("$ref", "")).rsplit("/", 1)[-1] if isinstance(items, dict) else ""
    found = known.get(name)
    return found if isinstance(found, dict) and "properties" in found else None


def _type(field: dict[str, object], known: dict[str, object]) -> str:
    if "enum" in field or "const" in field:
        values = field.get("enum", [field.get("const")])
        return ", ".join(f"`{value}`" for value in values) if isinstance(values, list) else ""
    if "anyOf" in field:
        options = field["anyOf"]
        return (
            " or ".join(_type(one, known) for one in options) if isinstance(options, list) else ""
        )
    if "$ref" in field:
        found = known.get(str(field["$ref"]).rsplit("/", 1)[-1], {})
        return _type(found, known) if isinstance(found, dict) else "object"
    if field.get("type") == "array":
        items = field.get("items", {})
        return f"list of {_type(items, known)}" if isinstance(items, dict) else "list"
    return str(field.get("type", "any"))
