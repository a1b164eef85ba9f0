"""Entity resolution: which value of a type a spoken value means, as requests tell it."""

from dataclasses import dataclass
from typing import Any

from sparring_connectors.alexa.interaction.model import Entity, Slot
from sparring_connectors.alexa.slots.values import SlotReader, matching_entities

AUTHORITY = "amzn1.er-authority.echo-sdk"


@dataclass(frozen=True, slots=True)
class Filled:
    """A slot with its values, and whether the user confirmed them; no values: not filled."""

    name: str
    values: tuple[str, ...] = ()
    confirmation: str = "NONE"
    is_list: bool = False


def slot_json(filled: Filled, slot: Slot | None, reader: SlotReader, app_id: str) -> dict[str, Any]:
    """A slot as a request has it; without `value` where it is not filled."""
    found: dict[str, Any] = {"name": filled.name, "confirmationStatus": filled.confirmation}
    if not filled.values:
        return found
    found["source"] = "USER"
    values = [_value_json(value, slot, reader, app_id) for value in filled.values]
    if filled.is_list and len(values) > 1:
        found["slotValue"] = {"type": "List", "values": values}
        return found
    found["value"] = filled.values[0]
    if "resolutions" in values[0]:
        found["resolutions"] = values[0]["resolutions"]
    if filled.is_list:
        found["slotValue"] = {"type": "List", "values": values}
    else:
        found["slotValue"] = values[0]
    return found


def _value_json(value: str, slot: Slot | None, reader: SlotReader, app_id: str) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "Simple", "value": value}
    kind = slot.type if slot else ""
    authorities: list[dict[str, Any]] = []
    declared, added = reader.model.types.get(kind), reader.added.get(kind)
    if declared is not None or (kind and not kind.startswith("AMAZON.")):
        known = declared.entities if declared else ()
        authorities.append(_authority(f"{AUTHORITY}.{app_id}.{kind}", value, known))
    if added is not None:
        name = f"{AUTHORITY}.dynamic.{app_id}.{kind}"
        authorities.append(_authority(name, value, added.entities))
    if authorities:
        found["resolutions"] = {"resolutionsPerAuthority": authorities}
    return found


def _authority(name: str, value: str, entities: tuple[Entity, ...]) -> dict[str, Any]:
    matches = matching_entities(value, entities)
    code = "ER_SUCCESS_MATCH" if matches else "ER_SUCCESS_NO_MATCH"
    found: dict[str, Any] = {"authority": name, "status": {"code": code}}
    if matches:
        found["values"] = [{"value": {"name": item.name, "id": item.id}} for item in matches]
    return found


def is_resolved(value: str, kind: str, reader: SlotReader) -> bool:
    """Whether a spoken value means a value of the type (validation hasEntityResolutionMatch)."""
    return bool(matching_entities(value, reader.entities(kind)))
