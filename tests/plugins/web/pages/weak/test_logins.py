"""Logging in on forms that differ: a code alone, two forms, a field that is filled already."""

from tests.plugins.web.runner.pages import element, page

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.intents import read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.weak.acts.acting import WeakPlanner
from sparring_plugins.web.roles import PageTask


def acts(sentence: str, *elements: Element) -> list[list[str]]:
    """The acts of each intent of a sentence, all planned on the same page."""
    task = PageTask(step=read_step(sentence, number=1), reading=None, view=page(*elements))
    intents = [i for clause in split_sentence(sentence) for i in read_intents(clause)]
    plans = [WeakPlanner(task, 0).plan(intent) for intent in intents]
    return [
        [f"{act.action} {act.target}{f'={act.value}' if act.value else ''}" for act in plan.acts]
        for plan in plans
    ]


def form(name: str, button: str, **values: str) -> list[Element]:
    holder = element("form", name, id=name)
    return [
        holder,
        element("textbox", "Club", id=f"{name}-club", parent=name, **values),
        element("textbox", "Private code", id=f"{name}-code", parent=name, input_type="password"),
        element("button", button, id=f"{name}-go", parent=name, input_type="submit", tag="button"),
    ]


def test_a_code_alone_goes_to_the_field_for_the_secret() -> None:
    filled = form("in", "submit", value="rowers")
    assert acts("Log in with the code otter", *filled) == [["fill in-code=otter"], ["click in-go"]]
    assert acts("Log in with otter", *filled) == [["fill in-code=otter"], ["click in-go"]]


def test_one_value_for_two_empty_fields_is_not_guessed() -> None:
    assert acts("Log in with otter", *form("in", "Log in"))[0] == []


def test_of_two_forms_the_one_whose_button_logs_in_is_taken() -> None:
    both = [*form("new", "Create"), *form("in", "Log in")]
    assert acts("Log in to the club rowers with the private code otter", *both) == [
        ["fill in-club=rowers"], ["fill in-code=otter"], ["click in-go"],
    ]  # fmt: skip


def test_an_empty_form_is_not_sent_where_the_form_is_not_known() -> None:
    both = [*form("new", "Continue"), *form("in", "Go on")]
    assert acts("Log in", *both) == [[]]
