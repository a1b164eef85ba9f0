"""Faults for chatbots in the format of ``examples/botkit``: intents, menus, forms, answers."""

from collections.abc import Iterator
from itertools import pairwise
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
    every,
    mapping,
    sequence,
    short,
    without_holes,
)

# Keys by which a field turns values down: at most 3 hours (`most: 3`), not on Sundays (`closed:
# [sunday]`).
_LIMITS = ("least", "most", "digits", "closed", "first", "last")
# One has to stay: an intent without phrases is the mutant "intent deleted".
_KEPT_PHRASES = 1


def _bots(definition: Definition) -> Iterator[tuple[str, Any]]:
    """The files that hold a bot of this format, or a part of one."""
    for file, data in definition.items():
        if {"intents", "menus", "forms", "entities", "fallback"} & set(mapping(data)):
            yield file, data


def _parts(data: Any, key: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The named parts below a key: intents, menus, forms."""
    for name, part in mapping(mapping(data).get(key)).items():
        yield (key, name), mapping(part)


def _fields(data: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    for place, form in _parts(data, "forms"):
        for name, field in mapping(form.get("fields")).items():
            yield (*place, "fields", name), mapping(field)


def _step_lists(data: Any) -> Iterator[tuple[Place, list[Any]]]:
    """Every list of steps: of the greeting, of intents, buttons and forms."""
    for place, value in every(data):
        if place and place[-1] in ("do", "done", "greeting") and isinstance(value, list):
            yield place, sequence(value)


def _says(data: Any) -> Iterator[tuple[Place, str]]:
    """Every text of the bot: in steps, in menus, in summaries."""
    for place, value in every(data):
        is_spoken = place and place[-1] in ("say", "unknown", "summary", "opening")
        menu = len(place) == 3 and place[0] == "menus" and place[2] == "text"
        if (is_spoken or menu) and isinstance(value, str):
            yield place, value


def delete_phrases(definition: Definition) -> Iterator[Change]:
    """All training phrases of an intent but the first."""
    for file, data in _bots(definition):
        for place, intent in _parts(data, "intents"):
            phrases = sequence(intent.get("phrases"))
            if len(phrases) > _KEPT_PHRASES:
                at_ = (*place, "phrases")
                yield change_at(
                    file, at_, "all phrases but the first deleted",
                    Replace(at_, phrases[:_KEPT_PHRASES]),
                )  # fmt: skip


def delete_intent(definition: Definition) -> Iterator[Change]:
    """An intent, phrases and all."""
    for file, data in _bots(definition):
        for place, _ in _parts(data, "intents"):
            yield change_at(file, place, "intent deleted", Delete(place))


def swap_answers(definition: Definition) -> Iterator[Change]:
    """What two intents do, exchanged."""
    for file, data in _bots(definition):
        for (first_place, _), (other, _) in pairwise(list(_parts(data, "intents"))):
            places = (*first_place, "do"), (*other, "do")
            # Two intents that do the same would be exchanged without any effect.
            if at(data, places[0]) != at(data, places[1]):
                yield change_at(
                    file, first_place, f"answers as {other[-1]}, and the reverse", Swap(*places)
                )


def delete_remembering(definition: Definition) -> Iterator[Change]:
    """A slot that an intent remembers."""
    for file, data in _bots(definition):
        for place, intent in _parts(data, "intents"):
            if intent.get("remembers"):
                at_ = (*place, "remembers")
                yield change_at(file, at_, "no longer remembered", Delete(at_))


def delete_synonyms(definition: Definition) -> Iterator[Change]:
    """The synonyms of a value of an entity."""
    for file, data in _bots(definition):
        for place, entity in _parts(data, "entities"):
            for value, synonyms in entity.items():
                if synonyms:
                    at_ = (*place, value)
                    yield change_at(file, at_, "synonyms deleted", Replace(at_, []))


def delete_value(definition: Definition) -> Iterator[Change]:
    """A value of an entity."""
    for file, data in _bots(definition):
        for place, entity in _parts(data, "entities"):
            for value in entity if len(entity) > 1 else ():
                yield change_at(file, (*place, value), "value deleted", Delete((*place, value)))


def delete_fallback(definition: Definition) -> Iterator[Change]:
    """The fallback deleted: the bot no longer says that it did not understand."""
    for file, data in _bots(definition):
        if sequence(mapping(data).get("fallback")):
            yield change_at(file, ("fallback",), "deleted", Replace(("fallback",), []))


def swap_fields(definition: Definition) -> Iterator[Change]:
    """The order of two fields of a form that follow one another."""
    for file, data in _bots(definition):
        for place, form in _parts(data, "forms"):
            at_ = (*place, "fields")
            for first_name, other in pairwise(list(mapping(form.get("fields")))):
                what = f"{first_name} and {other} asked the other way round"
                yield change_at(file, at_, what, Swap((*at_, first_name), (*at_, other), keys=True))


def delete_field(definition: Definition) -> Iterator[Change]:
    """A field of a form: it is never asked for."""
    for file, data in _bots(definition):
        for place, _ in _fields(data):
            if len(mapping(at(data, place[:-1]))) > 1:
                yield change_at(file, place, "field deleted", Delete(place))


def delete_limit(definition: Definition) -> Iterator[Change]:
    """A limit of a field: what it would turn down is taken."""
    for file, data in _bots(definition):
        for place, field in _fields(data):
            for key in _LIMITS:
                if key in field:
                    yield change_at(file, (*place, key), "not checked", Delete((*place, key)))


def swap_questions(definition: Definition) -> Iterator[Change]:
    """The questions of two fields of a form, exchanged."""
    for file, data in _bots(definition):
        for place, form in _parts(data, "forms"):
            for first_name, other in pairwise(list(mapping(form.get("fields")))):
                places = (*place, "fields", first_name, "ask"), (*place, "fields", other, "ask")
                what = f"questions for {first_name} and {other} exchanged"
                yield change_at(file, place, what, Swap(*places))


def skip_confirmation(definition: Definition) -> Iterator[Change]:
    """The summary of a form: what is done is not confirmed first."""
    for file, data in _bots(definition):
        for place, form in _parts(data, "forms"):
            if form.get("summary"):
                at_ = (*place, "summary")
                yield change_at(file, at_, "nothing has to be confirmed", Delete(at_))


def change_price(definition: Definition) -> Iterator[Change]:
    """A number of a table, made half as much more."""
    for file, data in _bots(definition):
        for place, value in every(mapping(data).get("tables"), ("tables",)):
            # `true` is a number for Python, and no price.
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                # Half as much more is seen in any sum; 1 becomes 2, since half of it is nothing.
                other = value + max(1, value // 2)
                yield change_at(file, place, f"{value:g} is {other:g}", Replace(place, other))


def swap_values(definition: Definition) -> Iterator[Change]:
    """Two numbers of a table that follow one another, exchanged."""
    for file, data in _bots(definition):
        for place, table in _parts(data, "tables"):
            for first_key, other in pairwise(list(table)):
                if table[first_key] != table[other]:
                    edit = Swap((*place, first_key), (*place, other))
                    yield change_at(file, place, f"{first_key} and {other} exchanged", edit)


def delete_term(definition: Definition) -> Iterator[Change]:
    """A term of an amount, or what it is multiplied by."""
    for file, data in _bots(definition):
        for place, amount in _parts(data, "amounts"):
            terms = sequence(amount.get("sum"))
            for index in range(len(terms) if len(terms) > 1 else 0):
                at_ = (*place, "sum", index)
                yield change_at(file, at_, "not added", Delete(at_))
            if "times" in amount:
                at_ = (*place, "times")
                yield change_at(file, at_, "not multiplied", Delete(at_))


def delete_placeholder(definition: Definition) -> Iterator[Change]:
    """One thing that a text would tell: a price, a day, a name."""
    for file, data in _bots(definition):
        for place, text in _says(data):
            for hole, number, rest in without_holes(text):
                yield change_at(file, place, f"{hole} not told ({number})", Replace(place, rest))


def swap_steps(definition: Definition) -> Iterator[Change]:
    """The order of two steps that follow one another."""
    for file, data in _bots(definition):
        for place, steps in _step_lists(data):
            for first_index, other in pairwise(range(len(steps))):
                if steps[first_index] != steps[other]:
                    edit = Swap((*place, first_index), (*place, other))
                    what = f"steps {first_index + 1} and {other + 1} exchanged"
                    yield change_at(file, place, what, edit)


def delete_step(definition: Definition) -> Iterator[Change]:
    """A step: something is not said, not opened, not remembered, not ended."""
    for file, data in _bots(definition):
        for place, steps in _step_lists(data):
            # An intent with one step would do nothing at all: that is the mutant "intent deleted".
            for index, step in enumerate(steps if len(steps) > 1 else ()):
                what = f"step deleted: {short(step)}"
                yield change_at(file, (*place, index), what, Delete((*place, index)))


def delete_condition(definition: Definition) -> Iterator[Change]:
    """The condition of a step: it is always done."""
    for file, data in _bots(definition):
        for place, value in every(data):
            if place and place[-1] == "when" and isinstance(value, dict):
                yield change_at(file, place, "condition deleted", Delete(place))


def wrong_target(definition: Definition) -> Iterator[Change]:
    """Where a button or an intent leads: to another menu or form."""
    for file, data in _bots(definition):
        for key, kind in (("menus", "menu"), ("forms", "form")):
            names = list(mapping(mapping(data).get(key)))
            for place, value in every(data):
                if len(names) > 1 and place and place[-1] == kind and value in names:
                    # The next in the file, after the last the first: the same mutant in each run.
                    other = names[(names.index(value) + 1) % len(names)]
                    what = f"{value} is {other}"
                    yield change_at(file, place, what, Replace(place, other))


def swap_buttons(definition: Definition) -> Iterator[Change]:
    """What two buttons of a menu do, exchanged."""
    for file, data in _bots(definition):
        for place, menu in _parts(data, "menus"):
            buttons = sequence(menu.get("buttons"))
            for first_index, other in pairwise(range(len(buttons))):
                labels = [
                    short(mapping(buttons[index]).get("label")) for index in (first_index, other)
                ]
                at_ = (*place, "buttons")
                edit = Swap((*at_, first_index, "do"), (*at_, other, "do"))
                what = f"{labels[0]} does what {labels[1]} should, and the reverse"
                yield change_at(file, at_, what, edit)


def delete_button(definition: Definition) -> Iterator[Change]:
    """A button of a menu."""
    for file, data in _bots(definition):
        for place, menu in _parts(data, "menus"):
            buttons = sequence(menu.get("buttons"))
            for index, button in enumerate(buttons if len(buttons) > 1 else ()):
                at_ = (*place, "buttons", index)
                label = short(mapping(button).get("label"))
                yield change_at(file, place, f"button {label!r} deleted", Delete(at_))


BOTKIT = Mutator(
    about="Chatbots of examples/botkit: intents, menus, forms, tables and texts.",
    operators=(
        Operator("DeletePhrases", "the training phrases of an intent but one", delete_phrases),
        Operator("DeleteIntent", "an intent", delete_intent),
        Operator("SwapAnswers", "the answers of two intents", swap_answers),
        Operator("ForgetSlot", "a slot that an intent remembers", delete_remembering),
        Operator("DeleteSynonyms", "the synonyms of a value", delete_synonyms),
        Operator("DeleteValue", "a value that the bot knows", delete_value),
        Operator("DeleteFallback", "the fallback", delete_fallback),
        Operator("SwapFields", "the order of two fields", swap_fields),
        Operator("DeleteField", "a field of a form", delete_field),
        Operator("DropValidation", "a limit of a field", delete_limit),
        Operator("SwapQuestions", "the questions for two fields", swap_questions),
        Operator("SkipConfirmation", "the summary to confirm", skip_confirmation),
        Operator("ChangePrice", "a number of a table", change_price),
        Operator("SwapPrices", "two numbers of a table", swap_values),
        Operator("DeleteTerm", "a part of an amount", delete_term),
        Operator("DeleteDataFromText", "one thing that a text tells", delete_placeholder),
        Operator("SwapSteps", "the order of two steps", swap_steps),
        Operator("DeleteStep", "a step", delete_step),
        Operator("DeleteCondition", "the condition of a step", delete_condition),
        Operator("WrongTarget", "the menu or form that is opened", wrong_target),
        Operator("SwapButtons", "what two buttons do", swap_buttons),
        Operator("DeleteButton", "a button", delete_button),
    ),
)
