"""From the JSON of an interaction model to values, in every shape that real files have.

Newer files have ``interactionModel`` around ``languageModel``, older ones only the inner part,
the oldest ones ``intents`` with ``intent`` for the name and their samples in a text file. Missing
synonyms, slots without a type, byte-order marks and other oddities are taken as they come.
"""

import json
from hashlib import md5
from pathlib import Path
from typing import Any

from sparring.errors import ConfigurationError, Problem
from sparring_connectors.alexa.interaction.model import (
    DialogIntent,
    DialogSlot,
    Entity,
    Intent,
    InteractionModel,
    Sensitivity,
    Slot,
    SlotType,
    Strategy,
    Validation,
)
from sparring_connectors.alexa.shapes import mapping, mappings, named, text, texts

MOST_BYTES = 20_000_000


def loaded(path: Path) -> Any:
    """The JSON of a file; raises ConfigurationError where it cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigurationError(Problem("is larger than 20 MB", str(path)))
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as err:
        raise ConfigurationError(
            Problem(f"cannot be read: {err.strerror or err}", str(path))
        ) from err
    except UnicodeDecodeError as err:
        raise ConfigurationError(Problem("is not UTF-8", str(path))) from err
    except json.JSONDecodeError as err:
        raise ConfigurationError(
            Problem(f"is no valid JSON: {err.msg}", str(path), line=err.lineno)
        ) from err
    except RecursionError as err:
        raise ConfigurationError(Problem("is nested too deeply", str(path))) from err


def language_part(data: object) -> dict[str, Any]:
    """The part of a file that holds the intents; empty where it is no interaction model."""
    outer = mapping(mapping(data).get("interactionModel")) or mapping(data)
    inner = mapping(outer.get("languageModel")) or outer
    return inner if isinstance(inner.get("intents"), list) else {}


def read_model(path: Path, locale: str) -> InteractionModel:
    """Read the interaction model of a file; raises ConfigurationError where it is none."""
    data = loaded(path)
    inner = language_part(data)
    if not inner:
        raise ConfigurationError(
            Problem("is no interaction model: there is no list 'intents'", str(path))
        )
    outer = mapping(mapping(data).get("interactionModel")) or mapping(data)
    return model_of(inner, outer, locale, spoken_samples(path))


def model_of(
    inner: dict[str, Any],
    outer: dict[str, Any],
    locale: str,
    samples: dict[str, list[str]] | None = None,
) -> InteractionModel:
    """The model of its language part and of what is around that part."""
    notes: list[str] = []
    intents = {item.name: item for item in _intents(inner, samples or {}, notes)}
    dialog = mapping(outer.get("dialog")) or mapping(inner.get("dialog"))
    level = mapping(mapping(inner.get("modelConfiguration")).get("fallbackIntentSensitivity"))
    wanted = text(level.get("level")).upper()
    return InteractionModel(
        locale=locale,
        invocation=" ".join(text(inner.get("invocationName")).lower().split()),
        intents=intents,
        types={item.name: item for item in _types(inner)},
        sensitivity=Sensitivity(wanted) if wanted in set(Sensitivity) else Sensitivity.MEDIUM,
        dialogs={item.name: item for item in _dialogs(dialog)},
        prompts=_prompts(outer, inner),
        notes=tuple(notes),
    )


def spoken_samples(path: Path) -> dict[str, list[str]]:
    """The samples of the oldest format: ``SampleUtterances`` beside the intents, a line each."""
    found: dict[str, list[str]] = {}
    for near in sorted(path.parent.glob("*[uU]tterances*.txt"))[:1]:
        for line in near.read_text(encoding="utf-8-sig", errors="replace").splitlines():
            intent, _, sample = line.strip().partition(" ")
            if sample:
                found.setdefault(intent, []).append(sample.strip())
    return found


def _intents(
    inner: dict[str, Any], samples: dict[str, list[str]], notes: list[str]
) -> list[Intent]:
    found: list[Intent] = []
    for item in mappings(inner.get("intents")):
        name = text(item.get("name")) or text(item.get("intent"))
        if not name:
            notes.append("an intent has no name and is left out")
            continue
        slots = tuple(slot for slot in map(_slot, mappings(item.get("slots"))) if slot.name)
        notes += [f"slot {slot.name} of {name} has no type" for slot in slots if not slot.type]
        said = (*texts(item.get("samples")), *samples.get(name, ()))
        found.append(Intent(name, slots, said))
    return found


def _slot(item: dict[str, Any]) -> Slot:
    return Slot(
        name=text(item.get("name")),
        type=text(item.get("type")),
        samples=texts(item.get("samples")),
        multiple=mapping(item.get("multipleValues")).get("enabled") is True,
    )


def _types(inner: dict[str, Any]) -> list[SlotType]:
    return [
        SlotType(text(item.get("name")), tuple(entities_of(item.get("values"))))
        for item in mappings(inner.get("types"))
        if item.get("name")
    ]


def entities_of(values: object) -> list[Entity]:
    """The values of a type, as a model or a dynamic-entities directive gives them."""
    found: list[Entity] = []
    for item in mappings(values):
        inner = item.get("name")
        shape = mapping(inner) or {"value": named(inner) or named(item.get("value"))}
        name = named(shape.get("value"))
        if name.strip():
            synonyms = tuple(word for word in texts(shape.get("synonyms")) if word.strip())
            found.append(Entity(name, named(item.get("id")) or hashed(name), synonyms))
    return found


def hashed(name: str) -> str:
    """The id that Alexa makes for a value whose author gave none: a digest of its name."""
    return md5(name.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def _dialogs(dialog: dict[str, Any]) -> list[DialogIntent]:
    default = _strategy(dialog.get("delegationStrategy"), Strategy.ALWAYS)
    return [
        DialogIntent(
            name=text(item.get("name")),
            strategy=_strategy(item.get("delegationStrategy"), default),
            confirmed=item.get("confirmationRequired") is True,
            confirmation=text(mapping(item.get("prompts")).get("confirmation")),
            slots=tuple(map(_dialog_slot, mappings(item.get("slots")))),
        )
        for item in mappings(dialog.get("intents"))
        if item.get("name")
    ]


def _strategy(value: object, default: Strategy) -> Strategy:
    name = text(value)
    return Strategy(name) if name in set(Strategy) else default


def _dialog_slot(item: dict[str, Any]) -> DialogSlot:
    prompts = mapping(item.get("prompts"))
    return DialogSlot(
        name=text(item.get("name")),
        elicited=item.get("elicitationRequired") is True,
        confirmed=item.get("confirmationRequired") is True,
        elicitation=text(prompts.get("elicitation")),
        confirmation=text(prompts.get("confirmation")),
        validations=tuple(map(_validation, mappings(item.get("validations")))),
    )


def _validation(item: dict[str, Any]) -> Validation:
    return Validation(
        kind=text(item.get("type")),
        prompt=text(item.get("prompt")),
        values=texts(item.get("values")),
        value=named(item.get("value")),
        start=named(item.get("start")),
        end=named(item.get("end")),
    )


def _prompts(outer: dict[str, Any], inner: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    listed = outer.get("prompts") or inner.get("prompts")
    return {
        text(item.get("id")): tuple(
            text(variation.get("value")) for variation in mappings(item.get("variations"))
        )
        for item in mappings(listed)
        if item.get("id")
    }
