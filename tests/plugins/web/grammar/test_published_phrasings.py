"""Every phrasing of the published suites, with the reading in full."""

import pytest

from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Condition,
    Counted,
    Displayed,
    Not,
    Reading,
    Target,
)

FIELD = Target(text="User name", role="field")
ACTIONS: dict[str, Reading] = {
    "Click on 'Accept all'": Reading(action="click", target=Target(text="Accept all")),
    "Click on 'MacBook' ": Reading(action="click", target=Target(text="MacBook")),
    "Type in 'toto' in the field 'User name'": Reading(action="type", target=FIELD, value="toto"),
    "Open the website 'http://localhost/shop'": Reading(
        action="open", value="http://localhost/shop"
    ),
    "Open 'https://www.example.org/en'": Reading(action="open", value="https://www.example.org/en"),
    "Go to the website 'https://x.example/start'": Reading(
        action="open", value="https://x.example/start"
    ),
    "Fill the field 'email' with 'a@b.com'": Reading(
        action="fill", target=Target(text="email", role="field"), value="a@b.com"
    ),
    "Type in 'TRUC' in the input 'snippet'": Reading(
        action="type", target=Target(text="snippet", role="input"), value="TRUC"
    ),
    "Type in 'tutu' in the textarea 'snippet'": Reading(
        action="type", target=Target(text="snippet", role="textarea"), value="tutu"
    ),
    "Click on the link 'Cours PHP'": Reading(
        action="click", target=Target(text="Cours PHP", role="link")
    ),
    "Click on Vendors": Reading(action="click", target=Target(text="Vendors", quoted=False)),
    "Click on the 'D' button for Customer 'tutu'": Reading(
        action="click",
        target=Target(text="D", role="button", row="tutu", row_kind="Customer"),
    ),
    "Click on the 'BILL' button for order id '1045'": Reading(
        action="click",
        target=Target(text="BILL", role="button", row="1045", row_kind="order id"),
    ),
    "Click on '+ Add Vendors'": Reading(action="click", target=Target(text="+ Add Vendors")),
    "Select 'France' in the list 'Country'": Reading(
        action="select", target=Target(text="Country", role="list"), value="France"
    ),
    "Check 'I agree'": Reading(action="check", target=Target(text="I agree")),
    "Uncheck the box 'News'": Reading(
        action="uncheck", target=Target(text="News", role="checkbox")
    ),
}


@pytest.mark.parametrize(("text", "reading"), ACTIONS.items(), ids=list(ACTIONS))
def test_an_action_has_the_one_reading(text: str, reading: Reading) -> None:
    step = read_step(text, number=3, line=7)
    assert [r.model_copy(update={"explanation": ""}) for r in step.readings] == [reading]
    assert (step.number, step.line, step.text) == (3, 7, text)


def shown(text: str, role: str | None = None) -> Displayed:
    return Displayed(target=Target(text=text, role=role))


ASSERTIONS: dict[str, Condition] = {
    "Assert that 'Welcome' is displayed on this page": shown("Welcome"),
    "Assert that 'Welcome' is displayed on this page.": shown("Welcome"),
    "Assert that 'Welcome' is displayed in the page": shown("Welcome"),
    "Assert that 'Welcome' is displayed on the page": shown("Welcome"),
    "Assert that the 'Account created' is displayed on this page": shown("Account created"),
    "Assert that 'Bleu d'Auvergne' is displayed on this page.": shown("Bleu d'Auvergne"),
    "Assert that 'Roadmap' is present in the page": shown("Roadmap"),
    "Assert that 'TRUC' is present in the content of the page": shown("TRUC"),
    "Assert that 'ALL NEWS' is present": shown("ALL NEWS"),
    "Assert that 'toto' is not displayed on this page": Not(condition=shown("toto")),
    "Assert that 'toto' is not present in the content of the page": Not(condition=shown("toto")),
    "Assert that the page has links": shown("", "link"),
    "Assert that the page has a link 'Strategy'": shown("Strategy", "link"),
    "Assert that the link 'Reviews (0)' is displayed on the page": shown("Reviews (0)", "link"),
    "Assert that the page has a link with the word 'MVC' in its description": shown("MVC", "link"),
    "Assert that the page has links with the term 'ARTEMIS'": shown("ARTEMIS", "link"),
    "Assert that the page has a button 'ARTEMIS'": shown("ARTEMIS", "button"),
    "Assert that the page has a form": shown("", "form"),
    "Assert that there is a publication with the author 'Jouseau'": shown("Jouseau"),
    "Assert that 'Gruyere' OR 'Cheddar' is displayed on this page.": AnyOf(
        conditions=(shown("Gruyere"), shown("Cheddar"))
    ),
    "Assert that '241.99' and 'Ex Tax: 199.99' are displayed in the page": AllOf(
        conditions=(shown("241.99"), shown("Ex Tax: 199.99"))
    ),
    "Assert that the page has sentences containing the term 'Cours'": Counted(
        target=Target(text="Cours"), comparison=">=", number=1, unit="sentence"
    ),
    "Assert that the page has at least one sentence containing the term 'Cours'": Counted(
        target=Target(text="Cours"), comparison=">=", number=1, unit="sentence"
    ),
    "Assert that the page has more than 3 sentences containing the term 'Cours'": Counted(
        target=Target(text="Cours"), comparison=">", number=3, unit="sentence"
    ),
    "Assert that there is at least one 'Cours' on this page": Counted(
        target=Target(text="Cours"), comparison=">=", number=1
    ),
    "Assert that 'ICSOFT' is displayed at least 3 times in the page": Counted(
        target=Target(text="ICSOFT"), comparison=">=", number=3
    ),
}


@pytest.mark.parametrize(("text", "condition"), ASSERTIONS.items(), ids=list(ASSERTIONS))
def test_an_assertion_has_the_one_condition(text: str, condition: Condition) -> None:
    step = read_step(text, number=1)
    assert step.asserts
    assert [reading.condition for reading in step.readings] == [condition]


def test_a_key_that_may_be_a_button_has_both_readings_and_says_so() -> None:
    step = read_step("Press 'enter'", number=1)
    assert [(r.action, r.value) for r in step.readings] == [("press", "Enter"), ("click", None)]
    assert step.problems == (
        "can be read in 2 ways: (1) Press the key 'Enter'; (2) Click on 'enter'",
    )


def test_times_without_a_word_are_exactly_or_at_least() -> None:
    step = read_step("Assert that the term 'x' is present 4 times", number=1)
    found = [r.condition for r in step.readings]
    assert [c.comparison for c in found if isinstance(c, Counted)] == ["==", ">="]


def test_an_unquoted_target_is_a_problem() -> None:
    assert read_step("Click on Vendors", number=1).problems == (
        "the target is not quoted: 'Vendors'",
    )
