"""What the agents that ask a model show it, what they make of its answers, and what they refuse.

Models are scripted; among their answers are those of small ones: wrapped, in prose, half, with ids
that are not there.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.plugins.web.runner.pages import element, message, options, page, text

from sparring.model.page import PageView
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.web import model_agents
from sparring_plugins.web.model_agents import (
    Answer,
    ModelAssertion,
    ModelNavigator,
    PageAgentConfig,
    Route,
)
from sparring_plugins.web.page_text import page_data
from sparring_plugins.web.roles import Judged, Navigation, PageTask
from sparring_plugins.web.runner.model_steps import (
    is_left_undone,
    sentence_task,
    tried_in_words,
)
from sparring_plugins.web.runner.records import StepRecord
from sparring_plugins.web.step import Step
from sparring_plugins.web.translation.model_translator import ModelTranslator

pytestmark = pytest.mark.anyio

PROMPTS = Path(model_agents.__file__).with_name("prompts")
FORMS: dict[str, type[BaseModel]] = {"assertion": Answer, "readiness": Answer, "navigator": Route}


@pytest.mark.parametrize("name", FORMS)
def test_the_examples_of_a_prompt_satisfy_their_own_schema(name: str) -> None:
    template = (PROMPTS / f"{name}.jinja").read_text()
    examples = re.findall(r'\{"facts".*\}', template)
    lines = re.search(r"Example page:\n(.*?)\n(?:Step|Assertion) ", template, re.DOTALL)
    assert lines is not None
    assert len(examples) >= 3
    for example in examples:
        answer = FORMS[name].model_validate_json(example, strict=True)
        assert set(answer.model_dump()) == set(json.loads(example)), "an example has every key"
        named = [fact.elements for fact in answer.facts] if isinstance(answer, Answer) else []
        acts = answer.acts if isinstance(answer, Route) else []
        for id_ in [*(id_ for ids in named for id_ in ids), *(act.element or "" for act in acts)]:
            assert id_ in lines[1], f"the example page has no {id_}"


def task(view: PageView, words: str, **more: Any) -> PageTask:
    return PageTask(step=Step(number=3, text=words), reading=None, view=view, **more)


def model(*answers: Any) -> FakeLLM:
    llm = FakeContext().build(FakeLLM, answers=answers)
    llm.fallback = "inconclusive"
    return llm


async def navigate(asked: PageTask, *answers: Any) -> tuple[Navigation, FakeLLM]:
    llm = model(*answers)
    return await FakeContext(llm=llm).build(ModelNavigator).act(asked), llm


async def judge(asked: PageTask, *answers: Any) -> tuple[Judged, FakeLLM]:
    llm = model(*answers)
    return await FakeContext(llm=llm).build(ModelAssertion).act(asked), llm


KENNEL = page(
    element("heading", "Kennel", id="1.1"),
    element("textbox", "Dog", id="1.4"),
    element("combobox", "Size", id="1.5", options=options("small dog", "big dog")),
    element("button", "Book", id="1.6"),
    element("button", "Pay", id="1.7", disabled=True),
    element("button", "Photo", id="1.8", input_type="file", tag="input"),
    text("Rex", row="Rex 3 nights"),
    text("3 nights", row="Rex 3 nights"),
    events=(message("Saved for later"),),
)  # fmt: skip


def act(action: str, element: str | None, value: str | None = None) -> dict[str, Any]:
    return {"action": action, "element": element, "value": value}


def route(*acts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"facts": ["so it is"], "answer": "act", "acts": list(acts), **more}


async def test_a_prompt_holds_what_an_honest_answerer_needs() -> None:
    done = (Step(number=1, text="open it"), Step(number=2, text="log in", sentence="Log in as ann"))
    asked = task(
        KENNEL, "book Rex", sentence="Book Rex and check the price", done=done,
        tried=("fill Dog Rex -> done: a field's value",), following=("Dismiss the question",),
    )  # fmt: skip
    _, llm = await navigate(asked, route(act("click", "1.6")))
    system, prompt = (message.content for message in llm.requests[0].messages)
    for words in ("The step: book Rex", "Book Rex and check the price", "- open it",
                  "- Log in as ann", "a field's value", "- Dismiss the question",
                  "1.4 textbox 'Dog'", "of small dog, big dog", "1.7 button 'Pay' disabled",
                  "1.8 button 'Photo' for a file", "'Rex | 3 nights'",
                  "m1 message 'Saved for later' (gone by now)"):  # fmt: skip
        assert words in prompt, words
    for word in ("hover", "upload", "answer_dialog", "rest", "quote"):
        assert word in system, word
    assert len(system) + len(prompt) < 6_000, "1,500 tokens of four characters"


async def test_an_assertion_is_shown_what_the_last_act_removed() -> None:
    before = page(text("Rex"), text("Bello"))
    now = page(text("Bello"))
    missing = {"facts": [{"statement": "Rex is gone", "elements": [], "quote": "Rex"}],
               "rests_on": "absence", "answer": "true"}  # fmt: skip
    judged, llm = await judge(task(now, "Check that Rex is gone", before=(before,)), missing)
    assert judged.truth is True
    assert '"no_longer_shown": [\n"Rex"\n]' in llm.requests[0].messages[-1].content


async def test_the_same_question_is_asked_once_per_page_state() -> None:
    llm = model({"facts": [], "rests_on": "absence", "answer": "unknown"})
    agent = FakeContext(llm=llm).build(ModelAssertion)
    asked = task(KENNEL, "Check that the dog is happy")
    assert [(await agent.act(asked)).truth for _ in range(3)] == [None] * 3
    assert len(llm.requests) == 1


SURVIVED: dict[str, Any] = {
    "in a fence": "Sure!\n```json\n" + json.dumps(route(act("click", "1.6"))) + "\n```",
    "wrapped": {"navigation": route(act("click", "1.6"))},
    "an id in brackets": route(act("click", "[1.6]")),
    "a whole line for an id": route(act("click", "1.6 button 'Book'")),
    "keys left out": {"facts": [], "answer": "act", "acts": [{"action": "click", "element": "1.6"}]},
}  # fmt: skip


@pytest.mark.parametrize("name", SURVIVED)
async def test_an_answer_of_a_small_model_is_read_without_asking_again(name: str) -> None:
    navigation, llm = await navigate(task(KENNEL, "Book it"), SURVIVED[name])
    assert [(a.action, a.target) for a in navigation.acts] == [("click", "1.6")]
    assert len(llm.requests) == 1


SENT_BACK: dict[str, tuple[Any, str]] = {
    "prose": ("I would click the Book button.", ""),
    "half": ('{"facts": ["the button"], "answer": "act", "acts": [', ""),
    "a wrong id": (route(act("click", "7.77")), "There is no element '7.77'"),
    "disabled": (route(act("click", "1.7")), "1.7 is disabled"),
    "an invented value": (route(act("fill", "1.4", "Fido")), "never invent a value"),
    "no value": (route(act("fill", "1.4")), "needs a value"),
    "done without a quotation": ({"facts": [], "answer": "done"}, "Nothing was done yet"),
    "done by an invented quotation": (
        {"facts": [], "answer": "done", "quote": "Booked!"}, "Nothing was done yet"),
}  # fmt: skip


@pytest.mark.parametrize("name", SENT_BACK)
async def test_an_unsound_answer_is_asked_again(name: str) -> None:
    answer, reason = SENT_BACK[name]
    navigation, llm = await navigate(task(KENNEL, "Book it"), answer, route(act("click", "1.6")))
    assert [a.target for a in navigation.acts] == ["1.6"]
    assert reason in llm.requests[1].messages[-1].content.replace('\\"', '"')


TAKEN: Sequence[tuple[str, dict[str, Any], tuple[Any, ...]]] = (
    ("Attach files/rex.png", act("upload", "1.8", "files/rex.png"),
     ("upload", "1.8", "files/rex.png")),
    ("Empty the field Dog", act("clear", "1.4"), ("fill", "1.4", "")),
    ("Leave it with the escape key", act("press", None, "Escape"), ("press", None, "Escape")),
    ("Say no to the question", act("answer_dialog", None, "dismiss"),
     ("answer_dialog", None, "dismiss")),
    ("Take the larger size", act("select", "1.5", "big dog"), ("select", "1.5", "big dog")),
    ("Enter the same dog again", act("fill", "1.4", "Rex"), ("fill", "1.4", "Rex")),
)  # fmt: skip


@pytest.mark.parametrize(("sentence", "proposed", "expected"), TAKEN)
async def test_values_come_from_steps_options_and_keys(
    sentence: str, proposed: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    earlier = (Step(number=1, text="Type 'Rex' into Dog"),)
    navigation, llm = await navigate(task(KENNEL, sentence, done=earlier), route(proposed))
    (taken,) = navigation.acts
    assert (taken.action, taken.target, taken.value) == expected
    assert len(llm.requests) == 1


async def test_done_with_a_quotation_needs_no_acts() -> None:
    answer = {"facts": [], "answer": "done", "quote": "3 nights"}
    navigation, _ = await navigate(task(KENNEL, "Make sure Rex stays 3 nights"), answer)
    assert (navigation.acts, navigation.accomplished) == ((), True)


def fact(quote: str = "", *elements: str) -> dict[str, Any]:
    return {"statement": "so it is", "elements": list(elements), "quote": quote}


JUDGED: dict[str, tuple[str, str, list[dict[str, Any]], bool | None]] = {
    "a message by its id": ("true", "presence", [fact("Saved for later", "m1")], True),
    "a quotation over cells": ("true", "presence", [fact("Rex 3 nights", "1.1")], True),
    "a quotation with dots in it": ("true", "presence", [fact("Rex ... nights")], True),
    "a wrong id beside a right quotation": ("true", "presence", [fact("3 nights", "8.8")], True),
    "an invented quotation": ("true", "presence", [fact("4 nights", "1.1")], None),
    "no quotation": ("true", "presence", [fact("", "1.1")], None),
    "missing, but there": ("true", "absence", [fact("Rex")], None),
    "one there and one missing": (
        "true",
        "presence",
        [fact("3 nights", "1.1"), fact("Bello")],
        True,
    ),
    "missing": ("false", "absence", [fact("Bello")], False),
}


@pytest.mark.parametrize("name", JUDGED)
async def test_an_answer_is_believed_for_what_the_page_shows(name: str) -> None:
    answer, rests_on, facts, truth = JUDGED[name]
    data = {"facts": facts, "rests_on": rests_on, "answer": answer}
    unknown = {"facts": [], "rests_on": "absence", "answer": "unknown"}
    judged, llm = await judge(task(KENNEL, "Check that Rex stays 3 nights"), data, unknown)
    assert judged.truth is truth
    assert len(llm.requests) == (1 if truth is not None else 2)


async def test_a_page_that_was_cut_is_shown_wider_before_nobody_knows() -> None:
    crowd = page(*(text(f"Notice {n} of the parish council of Upper Wallop") for n in range(90)))
    unknown = {"facts": [], "rests_on": "absence", "answer": "unknown"}
    agent = FakeContext(llm=model(unknown, unknown)).build(ModelAssertion, elements=20)
    assert (await agent.act(task(crowd, "Check that the fair is cancelled"))).truth is None
    llm = model(unknown, unknown)
    agent = FakeContext(llm=llm).build(ModelAssertion, characters=500, list_characters=900)
    await agent.act(task(page(*crowd.snapshot.elements[:7], text("x" * 400)), "Check the fair"))
    sizes = [len(request.messages[-1].content) for request in llm.requests]
    assert len(sizes) == 2
    assert sizes[0] < sizes[1] < 1_500


def test_a_page_takes_2500_characters_and_a_long_list_6000() -> None:
    config = PageAgentConfig()
    rows = [
        part
        for n in range(300)
        for part in (
            text(f"Kite {n}", row=f"Kite {n} {n}.00"),
            element("button", "Fly", id=f"2.{n}", row=f"Kite {n} {n}.00"),
        )
    ]
    mixed = [element("button", f"Button number {n} " + "of many " * (n % 5)) for n in range(7)] + [
        part for n in range(60) for part in (text(f"{'word ' * (n % 9 + 1)}{n}"),)
    ]
    sizes: list[int] = []
    for parts in (rows, mixed):
        shown = page_data(
            page(*parts), "Fly 'Kite 250'", elements=config.elements,
            characters=config.characters, list_characters=config.list_characters,
        )  # fmt: skip
        sizes.append(len(json.dumps(shown.page, indent=1)))
    assert 4_000 < sizes[0] <= 6_000
    assert sizes[1] <= 2_500


def test_what_a_large_container_shows_is_not_lost_in_its_name() -> None:
    story = "The ferry leaves at noon. " * 12
    board = element(
        "article", story, id="3.1", text=f"{story} Seats 41", interactive=True, tag="article"
    )
    view = page(board, text(story.strip(), parent="3.1"), text("Seats 41", parent="3.1"))
    shown = page_data(view, "", elements=400, characters=2_500)
    assert "Seats 41" in shown.words


def test_a_form_is_shown_whole_on_a_page_that_has_no_room() -> None:
    """A field for a password has no words; "Sign in" and a button 'Send' share none."""
    rows = [
        element("link", f"Report {n} of the year, signed by Ada", row=str(n)) for n in range(60)
    ]
    form = [element("textbox", "Member", editable=True), element("textbox", "", editable=True),
            element("button", "Send")]  # fmt: skip
    view = page(*rows, *form)
    shown = page_data(view, "Sign in as Ada with the password tea", elements=200, characters=1_500)
    assert shown.left_out > 20
    assert {member.id for member in form} <= shown.ids


def test_words_that_a_page_writes_as_one_are_relevant() -> None:
    rows = [element("link", f"Log of the voyage in the year {1800 + n}") for n in range(60)]
    button = element("button", "Login")
    shown = page_data(page(*rows, button), "Log in", elements=200, characters=1_200)
    assert button.id in shown.ids


def parts(sentence: str, *texts: str) -> list[Step]:
    return [Step(number=n, text=text, sentence=sentence) for n, text in enumerate(texts, 1)]


def test_a_check_behind_the_acts_of_a_sentence_is_named_by_itself() -> None:
    whole = "Open the last page and check that only Rex is left"
    first, check = parts(whole, "open the last page", "check that only Rex is left")
    asked = sentence_task(task(KENNEL, first.text), [first], [check], None, ("click 'Last' -> no",))
    assert asked.following == ("check that only Rex is left",)
    assert asked.tried == ("click 'Last' -> no",)


LEFT = {
    "no way led on": ({"outcome": "inconclusive"}, True),
    "done": ({"outcome": "done"}, False),
    "lost": ({"outcome": "inconclusive", "frozen": "lost"}, False),
    "the app refused": ({"outcome": "inconclusive", "owner": Owner.APP}, False),
}


@pytest.mark.parametrize(("record", "left"), LEFT.values(), ids=list(LEFT))
def test_what_plain_rules_did_in_vain_is_left_to_a_model(record: Any, left: bool) -> None:
    step = Step(number=1, text="Unfold the folder 'Drafts'")
    tried = StepRecord(step=step, target="text 'Drafts'", reason="no change", turns=(4,), **record)
    assert is_left_undone(tried) is left
    assert tried_in_words(tried) == ("text 'Drafts' -> no change",)
    by_hand = tried.model_copy(update={"step": step.model_copy(update={"by": "a person"})})
    assert not is_left_undone(by_hand)


async def test_a_translator_looks_wider_before_it_does_not_know() -> None:
    notices = (text(f"Notice {n} of the parish council of Upper Wallop") for n in range(90))
    unknown = {"facts": [], "answer": "unknown", "means": []}
    known = {"facts": [], "answer": "true", "means": ["'Notice 80' is displayed"]}
    llm = model(unknown, known)
    translator = FakeContext(llm=llm).build(
        ModelTranslator, characters=500, list_characters=9_000, elements=20
    )
    await translator.act(task(page(*notices), "Check that the fair is announced"))
    assert len(llm.requests) == 1, "no more elements may be shown"
    llm = model(unknown, known)
    crowd = page(
        *(text(f"Notice {n} of the parish council, page {n % 7 * 'x'}") for n in range(90))
    )
    translator = FakeContext(llm=llm).build(ModelTranslator, characters=500, list_characters=900)
    answer = await translator.act(task(crowd, "Check that the fair is announced"))
    assert answer.means == ("Assert that 'Notice 80' is displayed",)
    sizes = [len(request.messages[-1].content) for request in llm.requests]
    assert sizes[0] < sizes[1]
