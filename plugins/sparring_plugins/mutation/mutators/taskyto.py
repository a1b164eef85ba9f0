"""The eleven operators for Taskyto's YAML modules.

They are those of the SENSEI paper's mutation study, by the names in its published data.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from sparring_plugins.mutation.model import (
    Change,
    Definition,
    Delete,
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

# `{pizza}` or `{{pizza}}`: a value in the text of a response, which a mutant leaves out.
_HOLE = re.compile(r"\{\{.{0,200}?\}\}|\{.{0,200}?\}")
_REPHRASE = ("direct", "simple")
# Two spellings of one way: a definition uses one of them, and so do its mutants.
_BY_CALLER = ("in-caller", "on-caller")
# A step has a memory of its own (individual), or shares one with all others (full).
_SCOPES = {"individual": "full", "full": "individual"}
_GATHERING = ("data_gathering", "action")


def _modules(definition: Definition) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    """Every module: a file itself, those below its `modules`, and menus inside menus."""
    for file, data in definition.items():
        top = mapping(data)
        if "kind" in top:
            yield from _with_inner(file, (), top)
        for index, module in enumerate(sequence(top.get("modules"))):
            yield from _with_inner(file, ("modules", index), mapping(module))


def _with_inner(
    file: str, place: Place, module: dict[str, Any]
) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    yield file, place, module
    for index, item in enumerate(sequence(module.get("items"))):
        inner = mapping(item)
        # By an anchor of YAML a menu may contain itself.
        if inner.get("kind") == "menu" and len(place) < 20:
            yield from _with_inner(file, (*place, "items", index), inner)


def _of_kind(definition: Definition, *kinds: str) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    return (module for module in _modules(definition) if module[2].get("kind") in kinds)


def _data(definition: Definition) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    """Every datum that is asked for and described in more than a word."""
    for file, place, module in _of_kind(definition, *_GATHERING):
        for index, item in enumerate(sequence(module.get("data"))):
            for name, datum in mapping(item).items():
                # `size: size of the pizza` says no more than what it is: nothing of it can be
                # changed.
                if mapping(datum):
                    yield file, (*place, "data", index, name), mapping(datum)


def delete_enum_data_value(definition: Definition) -> Iterator[Change]:
    """A value of an enumeration."""
    for file, place, datum in _data(definition):
        if datum.get("type") == "enum":
            at_ = (*place, "values")
            for index, value in enumerate(sequence(datum.get("values"))):
                what = f"value {short(_value_name(value))} deleted"
                yield change_at(file, at_, what, Delete((*at_, index)))


def _value_name(value: Any) -> Any:
    """A value, or the name of one that has synonyms."""
    return next(iter(mapping(value)), value)


def change_required_data(definition: Definition) -> Iterator[Change]:
    """Whether a datum is required."""
    for file, place, datum in _data(definition):
        if isinstance(datum.get("required"), bool):
            at_ = (*place, "required")
            other = not datum["required"]
            yield change_at(file, at_, f"is {str(other).lower()}", Replace(at_, other))


def _questions(definition: Definition) -> Iterator[tuple[str, Place, list[Any]]]:
    for file, place, module in _of_kind(definition, "question_answering"):
        yield file, (*place, "questions"), sequence(module.get("questions"))


def _question_text(question: Any) -> str:
    return short(mapping(question).get("question"))


def delete_question_answer(definition: Definition) -> Iterator[Change]:
    """A question with its answer."""
    for file, place, questions in _questions(definition):
        for index, question in enumerate(questions):
            what = f"{_question_text(question)!r} deleted"
            yield change_at(file, place, what, Delete((*place, index)))


def swap_question_answer(definition: Definition) -> Iterator[Change]:
    """The answers of two questions."""
    for file, place, questions in _questions(definition):
        for first_index, other in combinations(range(len(questions)), 2):
            edit = Swap((*place, first_index, "answer"), (*place, other, "answer"))
            if at(questions, (first_index, "answer")) != at(questions, (other, "answer")):
                both = (_question_text(questions[first_index]), _question_text(questions[other]))
                what = f"answers of {both[0]!r} and {both[1]!r}"
                yield change_at(file, place, f"{what} swapped", edit)


def delete_fallback(definition: Definition) -> Iterator[Change]:
    """The fallback of a menu."""
    for file, place, module in _of_kind(definition, "menu"):
        if module.get("fallback"):
            at_ = (*place, "fallback")
            yield change_at(file, at_, "deleted", Delete(at_))


def delete_item_top_module(definition: Definition) -> Iterator[Change]:
    """An item of a menu."""
    for file, place, module in _of_kind(definition, "menu"):
        at_ = (*place, "items")
        for index, item in enumerate(sequence(module.get("items"))):
            what = f"{short(mapping(item).get('title'))!r} deleted"
            yield change_at(file, at_, what, Delete((*at_, index)))


def _sequences(definition: Definition) -> Iterator[tuple[str, Place, list[Any]]]:
    """The steps of every sequence: items of menus, and modules."""
    for file, place, _ in _with_memory(definition):
        yield file, (*place, "references"), sequence(at(definition[file], (*place, "references")))


def _with_memory(definition: Definition) -> Iterator[tuple[str, Place, dict[str, Any]]]:
    yield from _of_kind(definition, "sequence")
    for file, place, module in _of_kind(definition, "menu"):
        for index, item in enumerate(sequence(module.get("items"))):
            if mapping(item).get("kind") == "sequence":
                yield file, (*place, "items", index), mapping(item)


def delete_sequence_step(definition: Definition) -> Iterator[Change]:
    """A step of a sequence."""
    for file, place, steps in _sequences(definition):
        for index, step in enumerate(steps):
            yield change_at(file, place, f"step {short(step)} deleted", Delete((*place, index)))


def swap_sequence_step(definition: Definition) -> Iterator[Change]:
    """Two steps of a sequence."""
    for file, place, steps in _sequences(definition):
        for first_index, other in combinations(range(len(steps)), 2):
            if steps[first_index] != steps[other]:
                what = f"steps {short(steps[first_index])} and {short(steps[other])} swapped"
                yield change_at(file, place, what, Swap((*place, first_index), (*place, other)))


def _responses(definition: Definition) -> Iterator[tuple[str, Place, Any]]:
    """The answer when a module succeeds: a text, or a text and how to rephrase it."""
    kinds: Sequence[str] = (*_GATHERING, "question_answering")
    for file, place, module in _of_kind(definition, *kinds):
        # Modules are written with either spelling.
        for key in ("on-success", "on_success"):
            action = mapping(module.get(key))
            if "response" in action:
                yield file, (*place, key, "response"), action["response"]


def delete_data_from_response(definition: Definition) -> Iterator[Change]:
    """An expression in braces of a response."""
    for file, place, response in _responses(definition):
        at_ = place if isinstance(response, str) else (*place, "text")
        text = response if isinstance(response, str) else mapping(response).get("text")
        if not isinstance(text, str):
            continue
        for hole, number, rest in without_holes(text, _HOLE):
            yield change_at(file, at_, f"{short(hole)} deleted ({number})", Replace(at_, rest))


def change_rephrase(definition: Definition) -> Iterator[Change]:
    """How a response is rephrased; by the caller under the name that the modules use for it."""
    used = {
        str(mapping(response_place[2]).get("rephrase")).replace("_", "-")
        for response_place in _responses(definition)
    }
    by_caller = next((caller for caller in _BY_CALLER if caller in used), _BY_CALLER[0])
    for file, place, response in _responses(definition):
        if not mapping(response):
            continue
        now = str(mapping(response).get("rephrase", "direct")).replace("_", "-")
        at_ = (*place, "rephrase")
        for other in (*_REPHRASE, by_caller):
            if other != now:
                yield change_at(file, at_, f"{now} is {other}", Replace(at_, other))


def change_memory_scope(definition: Definition) -> Iterator[Change]:
    """What the steps of a sequence remember: each its own, or all the whole."""
    for file, place, module in _with_memory(definition):
        memory = module.get("memory")
        if isinstance(memory, str) and memory:
            at_ = (*place, "memory")
            other = _SCOPES.get(memory, "individual")
            yield change_at(file, at_, f"{memory} is {other}", Replace(at_, other))


TASKYTO = Mutator(
    about="Taskyto's modules: menus, sequences, data gathering, questions, responses.",
    operators=(
        Operator("DeleteEnumDataValue", "a value of an enumeration", delete_enum_data_value),
        Operator("ChangeRequiredData", "whether a datum is required", change_required_data),
        Operator("DeleteQuestionAnswer", "a question with its answer", delete_question_answer),
        Operator("SwapQuestionAnswer", "the answers of two questions", swap_question_answer),
        Operator("DeleteFallback", "the fallback of a menu", delete_fallback),
        Operator("DeleteItemTopModule", "an item of a menu", delete_item_top_module),
        Operator("DeleteSequenceStep", "a step of a sequence", delete_sequence_step),
        Operator("SwapSequenceStep", "two steps of a sequence", swap_sequence_step),
        Operator(
            "DeleteDataFromResponse", "an expression of a response", delete_data_from_response
        ),
        Operator("ChangeRephrase", "how a response is rephrased", change_rephrase),
        Operator("ChangeMemoryScope", "what steps remember", change_memory_scope),
    ),
)
