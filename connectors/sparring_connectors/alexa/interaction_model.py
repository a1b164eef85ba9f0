"""An interaction model as values, and how it is read (facts: Amazon's interaction model schema).

Newer files have ``interactionModel`` around ``languageModel``, older ones only the inner part,
the oldest ones ``intents`` with ``intent`` for the name and their samples in a text file. Missing
synonyms, slots without a type, byte-order marks and other oddities are taken as they come.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import md5
from pathlib import Path
from typing import Any

from sparring.errors import ConfigurationError, Problem
from sparring_connectors.alexa.shapes import mapping, mappings, named, text, texts

FALLBACK = "AMAZON.FallbackIntent"


class Strategy(StrEnum):
    """Who leads a dialog: Alexa alone, or the skill turn by turn."""

    ALWAYS = "ALWAYS"
    SKILL_RESPONSE = "SKILL_RESPONSE"


class Sensitivity(StrEnum):
    """How readily text counts as foreign and goes to the fallback intent."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


@dataclass(frozen=True, slots=True)
class Entity:
    """A value of a slot type: its canonical name, other names for it, its id."""

    name: str
    id: str
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotType:
    """A slot type of the skill, or a built-in one that the skill extends."""

    name: str
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of an intent; `samples` are what users say when they are asked for it alone."""

    name: str
    type: str = ""
    samples: tuple[str, ...] = ()
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """An intent with its slots and sample utterances."""

    name: str
    slots: tuple[Slot, ...] = ()
    samples: tuple[str, ...] = ()

    @property
    def is_builtin(self) -> bool:
        """Whether Amazon brings the phrases."""
        return self.name.startswith("AMAZON.")

    def slot(self, name: str) -> Slot | None:
        """The slot of that name."""
        return next((slot for slot in self.slots if slot.name == name), None)


@dataclass(frozen=True, slots=True)
class Validation:
    """What a slot's value must fulfil; `prompt` is asked if it does not."""

    kind: str
    prompt: str = ""
    values: tuple[str, ...] = ()
    value: str = ""
    start: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class DialogSlot:
    """How a slot is asked for, checked and confirmed; prompts are named by id."""

    name: str
    elicited: bool = False
    confirmed: bool = False
    elicitation: str = ""
    confirmation: str = ""
    validations: tuple[Validation, ...] = ()


@dataclass(frozen=True, slots=True)
class DialogIntent:
    """How an intent's slots are collected."""

    name: str
    strategy: Strategy = Strategy.ALWAYS
    confirmed: bool = False
    confirmation: str = ""
    slots: tuple[DialogSlot, ...] = ()

    def slot(self, name: str) -> DialogSlot | None:
        """The slot of that name."""
        return next((slot for slot in self.slots if slot.name == name), None)


@dataclass(frozen=True, slots=True)
class InteractionModel:
    """Everything a skill declares of how it is spoken to, in one locale.

    `notes` are what is odd about the file, for the user.
    """

    locale: str
    invocation: str
    intents: Mapping[str, Intent] = field(default_factory=dict[str, Intent])
    types: Mapping[str, SlotType] = field(default_factory=dict[str, SlotType])
    sensitivity: Sensitivity = Sensitivity.MEDIUM
    dialogs: Mapping[str, DialogIntent] = field(default_factory=dict[str, DialogIntent])
    prompts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    notes: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        """The language of the locale, such as ``en``."""
        return self.locale.split("-")[0].lower()

    def declares(self, intent: str) -> bool:
        """Whether the skill has the intent."""
        return intent in self.intents


MOST_BYTES = 20_000_000


def load_json(path: Path) -> Any:
    """The JSON of a file; raises ConfigurationError if it cannot be read."""
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
    """The part of a file that holds the intents; empty if it is no interaction model."""
    outer = mapping(mapping(data).get("interactionModel")) or mapping(data)
    inner = mapping(outer.get("languageModel")) or outer
    return inner if isinstance(inner.get("intents"), list) else {}


def read_model(path: Path, locale: str) -> InteractionModel:
    """Read the interaction model of a file; raises ConfigurationError if it is none."""
    data = load_json(path)
    inner = language_part(data)
    if not inner:
        raise ConfigurationError(
            Problem("is no interaction model: there is no list 'intents'", str(path))
        )
    outer = mapping(mapping(data).get("interactionModel")) or mapping(data)
    return build_model(inner, outer, locale, read_utterances_file(path))


def build_model(
    inner: dict[str, Any],
    outer: dict[str, Any],
    locale: str,
    samples: dict[str, list[str]] | None = None,
) -> InteractionModel:
    """The model of its language part and of what is around that part."""
    notes: list[str] = []
    intents = {item.name: item for item in _read_intents(inner, samples or {}, notes)}
    dialog = mapping(outer.get("dialog")) or mapping(inner.get("dialog"))
    level = mapping(mapping(inner.get("modelConfiguration")).get("fallbackIntentSensitivity"))
    wanted = text(level.get("level")).upper()
    return InteractionModel(
        locale=locale,
        invocation=" ".join(text(inner.get("invocationName")).lower().split()),
        intents=intents,
        types={item.name: item for item in _read_types(inner)},
        sensitivity=Sensitivity(wanted) if wanted in set(Sensitivity) else Sensitivity.MEDIUM,
        dialogs={item.name: item for item in _read_dialogs(dialog)},
        prompts=_read_prompts(outer, inner),
        notes=tuple(notes),
    )


def read_utterances_file(path: Path) -> dict[str, list[str]]:
    """The samples of the oldest format: ``SampleUtterances`` beside the intents, a line each."""
    samples: dict[str, list[str]] = {}
    for near in sorted(path.parent.glob("*[uU]tterances*.txt"))[:1]:
        for line in near.read_text(encoding="utf-8-sig", errors="replace").splitlines():
            intent, _, sample = line.strip().partition(" ")
            if sample:
                samples.setdefault(intent, []).append(sample.strip())
    return samples


def _read_intents(
    inner: dict[str, Any], samples: dict[str, list[str]], notes: list[str]
) -> list[Intent]:
    intents: list[Intent] = []
    for item in mappings(inner.get("intents")):
        name = text(item.get("name")) or text(item.get("intent"))
        if not name:
            notes.append("an intent has no name and is left out")
            continue
        slots = tuple(slot for slot in map(_read_slot, mappings(item.get("slots"))) if slot.name)
        notes += [f"slot {slot.name} of {name} has no type" for slot in slots if not slot.type]
        utterances = (*texts(item.get("samples")), *samples.get(name, ()))
        intents.append(Intent(name, slots, utterances))
    return intents


def _read_slot(item: dict[str, Any]) -> Slot:
    return Slot(
        name=text(item.get("name")),
        type=text(item.get("type")),
        samples=texts(item.get("samples")),
        multiple=mapping(item.get("multipleValues")).get("enabled") is True,
    )


def _read_types(inner: dict[str, Any]) -> list[SlotType]:
    return [
        SlotType(text(item.get("name")), tuple(read_entities(item.get("values"))))
        for item in mappings(inner.get("types"))
        if item.get("name")
    ]


def read_entities(values: object) -> list[Entity]:
    """The values of a type, as a model or a dynamic-entities directive gives them."""
    entities: list[Entity] = []
    for item in mappings(values):
        inner = item.get("name")
        shape = mapping(inner) or {"value": named(inner) or named(item.get("value"))}
        name = named(shape.get("value"))
        if name.strip():
            synonyms = tuple(word for word in texts(shape.get("synonyms")) if word.strip())
            entities.append(Entity(name, named(item.get("id")) or hash_name(name), synonyms))
    return entities


def hash_name(name: str) -> str:
    """The id that Alexa makes for a value whose author gave none: a digest of its name."""
    return md5(name.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def _read_dialogs(dialog: dict[str, Any]) -> list[DialogIntent]:
    default = _read_strategy(dialog.get("delegationStrategy"), Strategy.ALWAYS)
    return [
        DialogIntent(
            name=text(item.get("name")),
            strategy=_read_strategy(item.get("delegationStrategy"), default),
            confirmed=item.get("confirmationRequired") is True,
            confirmation=text(mapping(item.get("prompts")).get("confirmation")),
            slots=tuple(map(_read_dialog_slot, mappings(item.get("slots")))),
        )
        for item in mappings(dialog.get("intents"))
        if item.get("name")
    ]


def _read_strategy(value: object, default: Strategy) -> Strategy:
    name = text(value)
    return Strategy(name) if name in set(Strategy) else default


def _read_dialog_slot(item: dict[str, Any]) -> DialogSlot:
    prompts = mapping(item.get("prompts"))
    return DialogSlot(
        name=text(item.get("name")),
        elicited=item.get("elicitationRequired") is True,
        confirmed=item.get("confirmationRequired") is True,
        elicitation=text(prompts.get("elicitation")),
        confirmation=text(prompts.get("confirmation")),
        validations=tuple(map(_read_validation, mappings(item.get("validations")))),
    )


def _read_validation(item: dict[str, Any]) -> Validation:
    return Validation(
        kind=text(item.get("type")),
        prompt=text(item.get("prompt")),
        values=texts(item.get("values")),
        value=named(item.get("value")),
        start=named(item.get("start")),
        end=named(item.get("end")),
    )


def _read_prompts(outer: dict[str, Any], inner: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    listed = outer.get("prompts") or inner.get("prompts")
    return {
        text(item.get("id")): tuple(
            text(variation.get("value")) for variation in mappings(item.get("variations"))
        )
        for item in mappings(listed)
        if item.get("id")
    }
