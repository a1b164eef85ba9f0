"""Nine operators for Rasa's domain, training data, stories and rules.

Eight are those whose mutants the SENSEI paper's data have (DA, DCS, DF, DIP, DPR, DSYN, K2TP, SO),
by their names in the catalogue of chatbot operators that they come from; DPP is of that catalogue,
too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pydantic import JsonValue

from sparring_plugins.mutation.model import (
    Change,
    Definition,
    Delete,
    Edit,
    Mutator,
    Operator,
    Place,
    Replace,
    Swap,
)
from sparring_plugins.mutation.mutators.plain_data import (
    at,
    change_at,
    mapping,
    sequence,
    short,
    without_holes,
)

# Rasa's own names: the intent that its classifier predicts for what the bot did not understand.
_FALLBACK = "nlu_fallback"
_CLASSIFIER = "FallbackClassifier"
# Rasa warns of an intent with a single example, and one without any cannot be trained.
_KEPT = 2
# Rasa listens after each turn by itself: without a written `action_listen` nothing that the user
# hears is different.
_NO_ANSWER = ("action_listen",)


def _flows(definition: Definition) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    """Every story and rule."""
    for file, data in definition.items():
        for key in ("rules", "stories"):
            for index, flow in enumerate(sequence(mapping(data).get(key))):
                if sequence(mapping(flow).get("steps")):
                    yield file, (key, index), mapping(flow)


def _name(flow: dict[str, Any]) -> str:
    return short(flow.get("rule", flow.get("story", "?")))


def _steps(flow: dict[str, Any]) -> list[dict[str, Any]]:
    return [mapping(step) for step in sequence(flow.get("steps"))]


def _is_turn(step: dict[str, Any]) -> bool:
    """Whether a step is something that the user says, be it one of several things."""
    return "intent" in step or "user" in step or "or" in step


def delete_action(definition: Definition) -> Iterator[Change]:
    """An action of a story or rule."""
    for file, place, flow in _flows(definition):
        for index, step in enumerate(_steps(flow)):
            action = step.get("action")
            # The only step stays: a story without steps is none.
            if isinstance(action, str) and action not in _NO_ANSWER and len(_steps(flow)) > 1:
                at_ = (*place, "steps", index)
                yield change_at(
                    file, place, f"{_name(flow)}: {action} deleted ({index})", Delete(at_)
                )


def delete_conversation_step(definition: Definition) -> Iterator[Change]:
    """A turn of a story: what the user says, and what is done about it."""
    for file, place, flow in _flows(definition):
        turns = _turns(_steps(flow))
        for number, (begin, end) in enumerate(turns if len(turns) > 1 else (), 1):
            # From the last to the first, so that the numbers of those before stay as they are.
            edits = [Delete((*place, "steps", index)) for index in reversed(range(begin, end))]
            yield change_at(file, place, f"{_name(flow)}: turn {number} deleted", *edits)


def _turns(steps: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Where the turns of a flow begin and end."""
    begins = [index for index, step in enumerate(steps) if _is_turn(step)]
    return list(zip(begins, [*begins[1:], len(steps)], strict=False))


def delete_fallback(definition: Definition) -> Iterator[Change]:
    """What is done when nothing was understood: its rule, or the classifier that notices it."""
    for file, place, flow in _flows(definition):
        if any(step.get("intent") == _FALLBACK for step in _steps(flow)):
            yield change_at(file, place, f"{_name(flow)} deleted", Delete(place))
    for file, data in definition.items():
        for index, part in enumerate(sequence(mapping(data).get("pipeline"))):
            if mapping(part).get("name") == _CLASSIFIER or part == _CLASSIFIER:
                at_ = ("pipeline", index)
                yield change_at(file, ("pipeline",), f"{_CLASSIFIER} deleted", Delete(at_))


def delete_intent_parameter(definition: Definition) -> Iterator[Change]:
    """A slot that a form requires."""
    for file, place, required in _iterate_required_slots(definition):
        slots = _slots(required)
        for slot, key in slots.items() if len(slots) > 1 else ():
            yield change_at(
                file, place, f"{short(slot)} no longer asked for", Delete((*place, key))
            )


def _iterate_required_slots(definition: Definition) -> Iterator[tuple[str, Place, Any]]:
    for file, data in definition.items():
        for name, form in mapping(mapping(data).get("forms")).items():
            yield file, ("forms", name, "required_slots"), mapping(form).get("required_slots")


def _slots(required: Any) -> dict[str, str | int]:
    """The slots that a form requires, and where each stands: a list, or a mapping as of old."""
    listed = {str(slot): index for index, slot in enumerate(sequence(required))}
    return {**listed, **{slot: slot for slot in mapping(required)}}


def delete_parameter_prompt(definition: Definition) -> Iterator[Change]:
    """The question for a slot of a form."""
    slots = {
        (place[1], slot)
        for _, place, required in _iterate_required_slots(definition)
        for slot in _slots(required)
    }
    questions = {f"utter_ask_{slot}" for _, slot in slots}
    # A form may have a question of its own for a slot that others ask for, too.
    questions |= {f"utter_ask_{form}_{slot}" for form, slot in slots}
    for file, data in definition.items():
        for name in mapping(mapping(data).get("responses")):
            if name in questions:
                place = ("responses", name)
                yield change_at(file, place, "deleted", Delete(place))


def _texts(definition: Definition) -> Iterator[tuple[str, Place, str]]:
    """The texts of all responses."""
    for file, data in definition.items():
        for name, variants in mapping(mapping(data).get("responses")).items():
            for index, variant in enumerate(sequence(variants)):
                text = mapping(variant).get("text")
                if isinstance(text, str):
                    yield file, ("responses", name, index, "text"), text


def delete_parameter_in_response(definition: Definition) -> Iterator[Change]:
    """A slot that a response tells."""
    for file, place, text in _texts(definition):
        for hole, number, rest in without_holes(text):
            yield change_at(file, place, f"{hole} not told ({number})", Replace(place, rest))


@dataclass(frozen=True, slots=True)
class _Examples:
    """The examples of an intent, synonym or lookup table: lines of a text, or a list."""

    file: str
    place: Place
    name: str
    items: Sequence[JsonValue]
    listed: bool

    def only(self, kept: Sequence[JsonValue]) -> JsonValue:
        """Some of the examples, written as all of them were."""
        return list(kept) if self.listed else "".join(f"{line}\n" for line in kept)


def _examples(definition: Definition, key: str) -> Iterator[_Examples]:
    for file, data in definition.items():
        for index, part in enumerate(sequence(mapping(data).get("nlu"))):
            name, text = mapping(part).get(key), mapping(part).get("examples")
            place = ("nlu", index, "examples")
            if name is not None and isinstance(text, str):
                lines = [line for line in text.splitlines() if line.strip()]
                yield _Examples(file, place, short(name), lines, listed=False)
            elif name is not None and sequence(text):
                yield _Examples(file, place, short(name), sequence(text), listed=True)


def delete_synonym(definition: Definition) -> Iterator[Change]:
    """A synonym of a value, or a value of a lookup table."""
    for key in ("synonym", "lookup"):
        for example in _examples(definition, key):
            for index, item in enumerate(example.items):
                rest = [*example.items[:index], *example.items[index + 1 :]]
                whole = example.place[:-1]
                # With the last word of a synonym its whole entry goes.
                edit: Edit = Replace(example.place, example.only(rest)) if rest else Delete(whole)
                what = f"{key} {example.name}: {_shorten_example(item)} deleted"
                yield change_at(example.file, whole, what, edit)


def _shorten_example(item: JsonValue) -> str:
    """An example in a few words."""
    return short(str(mapping(item).get("text", item)).strip(" -"))


def keep_two_phrases(definition: Definition) -> Iterator[Change]:
    """All training phrases of an intent but two."""
    for example in _examples(definition, "intent"):
        if len(example.items) > _KEPT:
            edit = Replace(example.place, example.only(example.items[:_KEPT]))
            what = f"two phrases of {example.name} kept"
            yield change_at(example.file, example.place[:-1], what, edit)


def swap_outputs(definition: Definition) -> Iterator[Change]:
    """What is done in two places that follow one another: in a story, or in two rules."""
    for file in definition:
        actions = [
            ((*place, "steps", index, "action"), _name(flow))
            for where, place, flow in _flows(definition)
            for index, step in enumerate(_steps(flow))
            if where == file and isinstance(step.get("action"), str)
            and step["action"] not in _NO_ANSWER
        ]  # fmt: skip
        for (first_place, first), (other, second) in pairwise(actions):
            names = [str(at(definition[file], place)) for place in (first_place, other)]
            if names[0] != names[1]:
                where = first if first == second else f"{first} and {second}"
                # With the number of the step, since a story may have the same two actions in
                # several places.
                what = f"{where}: {names[0]} and {names[1]} swapped ({first_place[-2]})"
                yield change_at(file, first_place[:2], what, Swap(first_place, other))


RASA = Mutator(
    about="Rasa's domain, training data, stories and rules.",
    operators=(
        Operator("DA", "an action of a story or rule", delete_action),
        Operator("DCS", "a turn of a story", delete_conversation_step),
        Operator("DF", "the fallback", delete_fallback),
        Operator("DIP", "a slot that a form requires", delete_intent_parameter),
        Operator("DPP", "the question for a slot", delete_parameter_prompt),
        Operator("DPR", "a slot that a response tells", delete_parameter_in_response),
        Operator("DSYN", "a synonym, or a value of a lookup table", delete_synonym),
        Operator("K2TP", "all training phrases of an intent but two", keep_two_phrases),
        Operator("SO", "what is done in two places", swap_outputs),
    ),
)
