"""Algorithm 1 on pages made by hand, with plain rules and with a scripted model."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.plugins.web.runner.pages import element, page, text

from sparring.errors import AppProtocolError
from sparring.interfaces.app_connector import AppSession
from sparring.model.page import PageEvent, PageEventKind, PageView
from sparring.model.talk import Act, GuiAction, Listen, Observation, Turn
from sparring.model.verdict import Owner
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.web.model_agents import ModelAssertion, ModelNavigator, ModelReadiness
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.frozen_steps import FrozenStep, freeze
from sparring_plugins.web.runner.run_state import Patience, doubt_guesses
from sparring_plugins.web.runner.strict_agents import (
    Agents,
    StrictAssertion,
    StrictNavigator,
    StrictReadiness,
)
from sparring_plugins.web.step import Displayed, Reading, Step, Target

pytestmark = pytest.mark.anyio

Answer = Callable[[Act], PageView | None]

START = page(element("button", "Go", id="go"), element("textbox", "Name", id="name"))
HELLO = page(text("Hello"), element("button", "Go", id="go"))


class Site(AppSession):
    """An app whose pages are made by a function of the act; None leaves the page as it is."""

    def __init__(self, start: PageView, answer: Answer) -> None:
        self.view, self.answer, self.acts = start, answer, list[Act]()

    async def send(self, act: Act) -> Observation:
        self.acts.append(act)
        fresh = {"events": (), "hit": None, "target_changed": None}
        self.view = self.answer(act) or self.view.model_copy(update=fresh)
        return Observation(page=self.view)

    @property
    def done(self) -> list[str]:
        """What was done, but for waiting and looking."""
        gui = [act for act in self.acts if isinstance(act, GuiAction)]
        return [f"{act.action} {act.target}" for act in gui if act.action != "wait"]


def steps(*readings: Reading) -> list[Step]:
    return [Step(number=n, text=f"step {n}", readings=(r,)) for n, r in enumerate(readings, 1)]


CLICK = Reading(action="click", target=Target(text="Go"))
FILL = Reading(action="fill", target=Target(text="Name"), value="Ann")
UNKNOWN = Reading(action="click", target=Target(text="Proceed"))


def shows(words: str) -> Reading:
    return Reading(action="assert", condition=Displayed(target=Target(text=words)))


def agents(llm: FakeLLM | None = None) -> Agents:
    context = FakeContext(llm=llm)
    rules = [context.build(one) for one in (StrictNavigator, StrictReadiness, StrictAssertion)]
    asked = (ModelNavigator, ModelReadiness, ModelAssertion) if llm else ()
    models = [context.build(one) for one in asked]
    lists: list[list[Any]] = [[one] for one in rules]
    for number, one in enumerate(models):
        lists[number].append(one)
    return Agents(lists[0], lists[1], lists[2])


async def played(site: Site, listed: Sequence[Step], **more: Any) -> Run:
    run = Run(site, more.pop("agents", agents()), listed, patience_s=0.0, **more)
    run.verdict = await run.play()  # type: ignore[attr-defined]
    return run


def on_click(view: PageView) -> Answer:
    return lambda act: view if isinstance(act, GuiAction) and act.action == "click" else None


async def test_all_assertions_that_hold_pass() -> None:
    site = Site(START, on_click(HELLO))
    run = await played(site, steps(CLICK, shows("Hello")))
    assert run.verdict == ("pass", "")  # type: ignore[attr-defined]
    assert [one.outcome for one in run.records] == ["done", "true"]
    assert run.records[0].target == "button 'Go'"
    assert run.records[0].observed is not None
    assert "other text" in run.records[0].observed.facts
    assert run.records[1].vacuous is None


FILE = element("menuitem", "File", id="file", text="File", interactive=True)
CLOSED, OPENED = page(FILE), page(FILE, text("Save as"))
MENU = Reading(
    action="hover",
    target=Target(text="File"),
    condition=Displayed(target=Target(text="Save as")),
)


@pytest.mark.parametrize(
    ("opens", "done"),
    [("hover", ["hover file"]), ("click", ["hover file", "click file"])],
)
async def test_a_menu_is_pointed_at_and_clicked_only_where_that_does_not_open_it(
    opens: str, done: list[str]
) -> None:
    site = Site(CLOSED, lambda act: OPENED if getattr(act, "action", "") == opens else None)
    run = await played(site, steps(MENU, shows("Save as")))
    assert run.verdict == ("pass", "")  # type: ignore[attr-defined]
    assert site.done == done


async def test_an_assertion_that_does_not_hold_fails_with_the_reason() -> None:
    run = await played(Site(START, on_click(HELLO)), steps(CLICK, shows("Welcome"), shows("Hello")))
    verdict = run.verdict  # type: ignore[attr-defined]
    assert verdict == ("fail", "step 2: 'Welcome' can't be read anywhere on the page")
    assert [one.outcome for one in run.records] == ["done", "false", "true"]


async def test_after_a_failed_assertion_nothing_more_is_done() -> None:
    site = Site(START, on_click(HELLO))
    run = await played(site, steps(shows("Welcome"), CLICK, shows("Hello")))
    assert [one.outcome for one in run.records] == ["false", "not_reached", "not_reached"]
    assert site.done == []


async def test_what_is_expected_to_be_false_does_not_stop_the_test() -> None:
    site = Site(START, on_click(HELLO))
    run = await played(site, steps(shows("Welcome"), CLICK, shows("Hello")), expected={1: False})
    assert [one.outcome for one in run.records] == ["false", "done", "true"]
    assert run.records[0].expected is False


async def test_a_step_that_is_not_ready_is_inconclusive_and_nothing_is_clicked() -> None:
    site = Site(START, on_click(HELLO))
    run = await played(site, steps(UNKNOWN, shows("Hello")))
    assert run.verdict[0] == "inconclusive"  # type: ignore[attr-defined]
    assert "no control on the page is called 'Proceed'" in run.records[0].reason
    assert site.done == []


async def test_a_value_that_does_not_arrive_is_inconclusive() -> None:
    run = await played(Site(START, lambda _: None), steps(FILL))
    assert run.records[0].outcome == "inconclusive"
    assert run.records[0].reason == "textbox 'Name' is empty instead"


async def test_a_target_that_was_not_hit_is_inconclusive() -> None:
    missed = START.model_copy(update={"hit": False})
    run = await played(Site(START, on_click(missed)), steps(CLICK))
    assert run.records[0].reason == "the target was not hit"


async def test_an_act_that_the_app_refuses_is_inconclusive() -> None:
    def refuse(act: Act) -> PageView | None:
        if isinstance(act, GuiAction) and act.action == "click":
            raise AppProtocolError("the element moves all the time")
        return None

    run = await played(Site(START, refuse), steps(CLICK, shows("Hello")))
    assert run.records[0].reason == "the click could not be done: the element moves all the time"
    assert run.records[0].owner is Owner.APP


async def test_an_assertion_that_was_true_before_the_last_act_is_told() -> None:
    first = page(text("Shop"), text("Offer"), element("button", "Go", id="go"))
    then = page(text("Shop"), text("Hello"), element("button", "Go", id="go"))
    last = page(text("Shop"), text("Hello"), text("Bye"), element("button", "Go", id="go"))
    views = iter([then, last])
    site = Site(first, lambda act: next(views) if isinstance(act, GuiAction) else None)
    run = await played(site, steps(CLICK, CLICK, shows("Shop"), shows("Hello"), shows("Bye")))
    assert [one.vacuous for one in run.records[2:]] == ["everywhere", "before", None]


async def test_a_second_reading_is_taken_where_the_first_cannot_be_carried_out() -> None:
    site = Site(START, on_click(HELLO))
    both = Step(number=1, text="Go", readings=(UNKNOWN, CLICK))
    run = await played(site, [both])
    assert run.records[0].outcome == "done"
    assert site.done == ["click go"]


# Frozen steps


def frozen(view: PageView, target: str = "go") -> dict[int, FrozenStep]:
    step = steps(CLICK)[0]
    act = GuiAction(action="click", target=target)
    return {1: freeze(step, (act,), Layout(view.snapshot), changes=True)}


async def test_a_frozen_step_finds_its_element_among_equal_names() -> None:
    twins = page(
        element("button", "Go", id="a", row="one"), element("button", "Go", id="b", row="two")
    )
    site = Site(twins, on_click(HELLO))
    run = await played(site, steps(CLICK), frozen=frozen(twins, "b"))
    assert site.done == ["click b"]
    assert run.records[0].frozen == "found"


async def test_a_frozen_step_heals_where_its_words_mean_the_same() -> None:
    moved = page(element("button", "Go", id="x", attributes={"id": "new"}, region=("Footer",)))
    site = Site(moved, on_click(HELLO))
    run = await played(site, steps(CLICK), frozen=frozen(START))
    assert (site.done, run.records[0].frozen) == (["click x"], "healed")


async def test_a_frozen_step_never_clicks_on_another_control() -> None:
    other = page(element("button", "Delete everything", id="go"))
    site = Site(other, on_click(HELLO))
    run = await played(site, [steps(UNKNOWN)[0]], frozen=frozen(START))
    assert site.done == []
    assert run.records[0].outcome == "inconclusive"


async def test_a_frozen_step_that_once_changed_the_page_must_change_it_again() -> None:
    site = Site(START, lambda _: None)
    run = await played(site, steps(CLICK), frozen=frozen(START))
    assert "though this step once changed it" in run.records[0].reason


# With a model


def model(*answers: Any) -> FakeLLM:
    llm = FakeContext().build(FakeLLM, answers=answers)
    llm.fallback = "inconclusive"  # as `llm.fallback` in a suite
    return llm


READY = {
    "facts": [{"statement": "there is one button", "elements": ["go"]}],
    "rests_on": "presence",
    "answer": "true",
}
ROUTE = {
    "facts": ["'Go' proceeds"],
    "answer": "act",
    "acts": [{"action": "click", "element": "go", "value": None}],
}


async def test_the_model_is_asked_only_where_plain_rules_do_not_know() -> None:
    llm = model(ROUTE)
    site = Site(START, on_click(HELLO))
    run = await played(site, steps(UNKNOWN, CLICK, shows("Hello")), agents=agents(llm))
    assert run.verdict == ("pass", "")  # type: ignore[attr-defined]
    assert len(llm.requests) == 1
    ready, navigation = run.records[0].readiness, run.records[0].navigation
    assert ready is not None
    assert navigation is not None
    assert (ready.strict, navigation.strict) == (False, False)


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param(["", ""], id="nothing"),
        pytest.param(["Unknown", "Unknown"], id="a word"),
        pytest.param(['{"answer": tru', "{"], id="broken JSON"),
        pytest.param(["Yes, I think it is displayed.", "true"], id="prose"),
        pytest.param([{**READY, "answer": "unknown"}], id="unknown"),
        pytest.param([{**READY, "facts": []}] * 2, id="no facts"),
        pytest.param([{**READY, "facts": [{"statement": "x", "elements": ["no"]}]}] * 2,
                     id="elements that there are not"),
    ],
)  # fmt: skip
async def test_no_answer_but_a_sound_one_makes_a_pass(answers: list[Any]) -> None:
    vague = Step(number=1, text="Assert that the page looks friendly",
                 readings=(Reading(action="assert"),))  # fmt: skip
    run = await played(Site(START, lambda _: None), [vague], agents=agents(model(*answers * 3)))
    assert run.records[0].outcome == "inconclusive"
    assert run.verdict[0] == "inconclusive"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "route",
    [
        pytest.param({**ROUTE, "answer": "unknown", "acts": []}, id="unknown"),
        pytest.param({**ROUTE, "answer": "impossible", "acts": []}, id="impossible"),
        pytest.param({**ROUTE, "answer": "done", "acts": []}, id="done without a quotation"),
        pytest.param({**ROUTE, "answer": "done", "acts": [], "quote": "Thank you"},
                     id="done by an invented quotation"),
        pytest.param({**ROUTE, "acts": []}, id="act without acts"),
        pytest.param({**ROUTE, "acts": [{"action": "click", "element": "zz", "value": None}]},
                     id="an element that there is not"),
        pytest.param({**ROUTE, "acts": [{"action": "fill", "element": "name", "value": "made up"}]},
                     id="an invented value"),
    ],
)  # fmt: skip
async def test_a_route_that_is_not_sound_is_not_taken(route: dict[str, Any]) -> None:
    site = Site(START, on_click(HELLO))
    llm = model(route, route, route, route)
    run = await played(site, steps(UNKNOWN), agents=agents(llm))
    assert (run.records[0].outcome, site.done) == ("inconclusive", [])


async def test_a_navigator_goes_on_until_nothing_is_left() -> None:
    menu = page(element("button", "Go", id="go"), element("button", "Leave", id="leave"))
    first = {**ROUTE, "rest": "press Leave in the menu"}
    second = {**ROUTE, "acts": [{"action": "click", "element": "leave", "value": None}]}
    site = Site(START, on_click(menu))
    llm = model(first, second)
    run = await played(site, steps(UNKNOWN), agents=agents(llm))
    assert (run.records[0].outcome, site.done) == ("done", ["click go", "click leave"])
    assert "Already done for this step" in llm.requests[1].messages[-1].content
    assert run.kept == {}


async def test_half_done_is_not_done() -> None:
    first = {**ROUTE, "rest": "press Leave in the menu"}
    none = {"facts": ["there is no such menu"], "answer": "impossible"}
    site = Site(START, on_click(HELLO))
    run = await played(site, steps(UNKNOWN), agents=agents(model(first, none)))
    assert run.records[0].outcome == "inconclusive"
    assert "only a part was done" in run.records[0].reason


async def test_the_acts_of_a_whole_sentence_are_one_question() -> None:
    sentence = "Nudge it and push it and check that it is well"
    parts = [
        Step(number=1, text="Nudge it", sentence=sentence),
        Step(number=2, text="push it", sentence=sentence),
        Step(number=3, text="check that it is well", sentence=sentence),
    ]
    unsure = {"facts": [], "rests_on": "absence", "answer": "unknown"}
    llm = model(ROUTE, unsure)
    run = await played(Site(START, on_click(HELLO)), parts, agents=agents(llm))
    assert [record.outcome for record in run.records] == ["done", "done", "inconclusive"]
    assert run.records[1].reason == "done together with step 1"
    question = llm.requests[0].messages[-1].content
    assert "The step: Nudge it and then push it\n" in question
    assert "- check that it is well" not in question or "Next steps" in question


async def test_what_a_model_took_for_done_is_not_blamed_on_the_app() -> None:
    done = {"facts": [], "answer": "done", "quote": "Go"}
    site = Site(START, lambda _: None)
    run = await played(site, steps(UNKNOWN, shows("Hello")), agents=agents(model(done)))
    assert [record.outcome for record in run.records] == ["done", "inconclusive"]


BARE = Displayed(target=Target(text="friendly greeting", quoted=False))


@pytest.mark.parametrize(
    ("shown", "answer", "outcome"),
    [
        pytest.param(HELLO, "true", "true", id="the model knows what rules deny"),
        pytest.param(HELLO, "unknown", "inconclusive", id="nobody but rules denies it"),
        pytest.param(page(text("friendly greeting")), "false", "inconclusive", id="they differ"),
    ],
)
async def test_a_rule_has_no_last_word_on_words_without_quotes(
    shown: PageView, answer: str, outcome: str
) -> None:
    quote = shown.snapshot.elements[0].text
    fact = {"statement": "so it is", "elements": [shown.snapshot.elements[0].id], "quote": quote}
    answered = {"facts": [fact], "rests_on": "presence", "answer": answer}
    step = Step(number=1, text="Assert that a friendly greeting is displayed",
                readings=(Reading(action="assert", condition=BARE),))  # fmt: skip
    run = await played(Site(shown, lambda _: None), [step], agents=agents(model(answered)))
    assert run.records[0].outcome == outcome


async def test_a_quoted_denial_of_rules_is_final() -> None:
    llm = model()
    run = await played(Site(START, lambda _: None), steps(shows("Hello")), agents=agents(llm))
    assert run.records[0].outcome == "false"
    assert not llm.requests


async def test_a_feedback_to_the_model_takes_effect() -> None:
    wrong = {**ROUTE, "acts": [{"action": "click", "element": "zz", "value": None}]}
    site = Site(START, on_click(HELLO))
    llm = model(wrong, ROUTE)
    await played(site, steps(UNKNOWN), agents=agents(llm))
    assert site.done == ["click go"]
    assert "There is no element 'zz'" in llm.requests[-1].messages[-1].content


async def test_what_was_not_shown_to_the_model_cannot_be_missing() -> None:
    crowd = page(*(text(f"line {n} of a long page") for n in range(200)))
    none = {
        "facts": [{"statement": "no picture is there", "elements": []}],
        "rests_on": "absence",
        "answer": "false",
    }
    llm = model(none)
    context = FakeContext(llm=llm)
    few = context.build(ModelAssertion, elements=20)
    both = Agents([context.build(StrictNavigator)], [context.build(StrictReadiness)],
                  [context.build(StrictAssertion), few])  # fmt: skip
    vague = Step(number=1, text="Assert that a cat is shown", readings=(Reading(action="assert"),))
    run = await played(Site(crowd, lambda _: None), [vague], agents=both)
    assert run.records[0].outcome == "inconclusive"
    assert "180 elements were not shown" in run.records[0].reason


class Measured(Site):
    """A site whose turns are measured by an engine: `starved_s` of each without processor time."""

    def __init__(self, start: PageView, answer: Answer, starved_s: float) -> None:
        super().__init__(start, answer)
        self.starved_s, self.turns = starved_s, list[Turn]()

    async def send(self, act: Act) -> Observation:
        began_s = 0.1 * len(self.turns)
        turn = Turn(act=act, started_s=began_s, latency_s=0.1, starved_s=self.starved_s)
        self.turns.append(turn)
        return await super().send(act)


async def waited(starved_s: float, *readings: Reading) -> Run:
    site = Measured(START, lambda _: None, starved_s)
    run = Run(site, agents(), steps(*readings), patience_s=0.05, recorded=site.turns)
    await run.play()
    return run


async def test_a_page_that_had_no_processor_time_is_not_said_to_show_nothing() -> None:
    record = (await waited(60.0, shows("Hello"))).records[0]
    assert (record.outcome, record.owner) == ("inconclusive", Owner.ENVIRONMENT)
    assert "the machine gave no processor time" in record.reason
    assert record.starved_s > 0


async def test_a_page_that_had_all_of_its_patience_fails_also_on_a_busy_machine() -> None:
    record = (await waited(0.0, shows("Hello"))).records[0]
    assert (record.outcome, record.owner) == ("false", None)


async def test_a_target_that_is_not_there_is_the_tests_unless_the_machine_was_busy() -> None:
    assert (await waited(0.0, UNKNOWN)).records[0].owner is None
    assert (await waited(60.0, UNKNOWN)).records[0].owner is Owner.ENVIRONMENT


@pytest.mark.parametrize(
    ("details", "owner"),
    [
        ({"why": "timeout", "machine_waited": 0.9}, Owner.ENVIRONMENT),
        ({"why": "timeout", "machine_waited": 0.2}, None),
        ({"why": "timeout"}, None),
        ({"why": "covered", "machine_waited": 0.9}, None),
    ],
)
async def test_a_late_target_is_the_environments_while_processes_waited_for_a_processor(
    details: dict[str, Any], owner: Owner | None
) -> None:
    """The browser may have had no processor time although Sparring, which sleeps, did not wait."""
    words = "click: the target was not ready in time"
    refused = PageEvent(kind=PageEventKind.REFUSED, text=words, details=details)
    late = START.model_copy(update={"events": (refused,), "hit": False})
    (button,) = [e for e in START.snapshot.elements if e.role == "button"][:1]
    reading = Reading(action="click", target=Target(text=button.name))
    record = (await played(Site(START, lambda _: late), steps(reading))).records[0]
    assert (record.outcome, record.owner) == ("inconclusive", owner)
    assert ("wait for a processor in 90%" in record.reason) is (owner is not None)


async def test_a_model_without_a_usable_answer_is_the_simulated_users() -> None:
    llm = FakeContext().build(FakeLLM, answers={"*": "no JSON at all"})
    llm.fallback = "inconclusive"
    run = await played(Site(START, lambda _: None), steps(UNKNOWN), agents=agents(llm))
    assert run.records[0].outcome == "inconclusive"
    assert run.records[0].owner is Owner.SIMULATED_USER


@pytest.mark.parametrize(
    ("kind", "details", "owner"),
    [
        (PageEventKind.REQUEST_FAILED, {"error": "net::ERR_EMPTY_RESPONSE"}, Owner.APP),
        (PageEventKind.REQUEST_FAILED, {"error": "net::ERR_CONNECTION_REFUSED"}, Owner.ENVIRONMENT),
        (PageEventKind.BLOCKED, {"error": "net::ERR_PROXY_CONNECTION_FAILED"}, None),
    ],
)
async def test_a_page_that_cannot_be_loaded_belongs_to_whoever_kept_it_away(
    kind: PageEventKind, details: dict[str, Any], owner: Owner | None
) -> None:
    event = PageEvent(kind=kind, text="http://shop.test/next", details={**details, "main": True})
    gone = page(url="chrome-error://chromewebdata/", events=(event,))
    run = await played(Site(START, on_click(gone)), steps(CLICK))
    assert run.records[0].outcome == "inconclusive"
    assert run.records[0].owner is owner


@pytest.mark.parametrize(("status", "owner"), [(500, Owner.APP), (404, None)])
async def test_an_error_in_the_place_of_a_page_is_the_apps_if_the_server_says_so(
    status: int, owner: Owner | None
) -> None:
    url = "http://shop.test/next"
    told = PageEvent(
        kind=PageEventKind.HTTP_ERROR, text=url, details={"status": status, "main": True}
    )
    site = Site(START, lambda act: page(url=url, events=(told,)))
    run = await played(site, steps(Reading(action="open", value=url)))
    assert (run.records[0].outcome, run.records[0].owner) == ("inconclusive", owner)


@pytest.mark.parametrize(
    ("upcoming", "over", "value"),
    [
        ((GuiAction(action="wait", value=0.17),), False, 0.17),
        ((GuiAction(action="wait", value=2),), True, None),
        ((GuiAction(action="click", target="go"),), True, None),
        ((), True, None),
    ],
)
def test_a_replay_waits_only_if_the_recorded_run_did(
    upcoming: tuple[GuiAction, ...], over: bool, value: float | None
) -> None:
    patience = Patience([], 3600.0, lambda: upcoming)
    assert patience.is_over() is over
    if value is not None:
        assert patience.next_wait().value == value


def test_time_is_that_of_the_turns() -> None:
    """However long this machine takes: 0.5 s have passed when turns of 0.5 s have been taken."""
    turns = [Turn(act=Listen(), started_s=1.0, latency_s=2.0)]
    patience = Patience(turns, 0.5)
    assert patience.left_s() == 0.5
    wait = patience.next_wait()
    assert wait.value == 0.25
    turns.append(Turn(act=wait, started_s=3.0, latency_s=0.25))
    assert (patience.left_s(), patience.is_over()) == (0.25, False)
    turns.append(Turn(act=wait, started_s=3.25, latency_s=0.5, starved_s=0.25))
    assert (patience.left_s(), patience.is_over()) == (0.0, True)
    assert not patience.is_cut


async def test_checks_that_wait_one_after_the_other_end_at_the_same_turns_in_a_replay() -> None:
    """A clock that goes on: what the first check sees last must not be what the second one sees."""
    site = Ticking()
    vague = [
        Step(number=n, text="Assert that a cat is shown", readings=(Reading(action="assert"),))
        for n in (1, 2)
    ]
    run = Run(site, agents(), vague, patience_s=0.5, recorded=site.turns)
    await run.play()
    again = Ticking(site.turns)
    second = Run(again, agents(), vague, patience_s=0.5, recorded=again.turns)
    await second.play()
    assert run.records[0].digest != run.records[1].digest
    assert second.records == run.records


class Ticking(Measured):
    """A page that differs in each look; with `script` it repeats these turns, as a replay does."""

    def __init__(self, script: Sequence[Turn] = ()) -> None:
        super().__init__(START, lambda _: page(text("tick"), digest=str(len(self.turns))), 0.0)
        self.script = tuple(script)

    async def send(self, act: Act) -> Observation:
        if self.script:
            assert act == self.script[len(self.turns)].act
        return await super().send(act)

    def upcoming(self) -> tuple[Act, ...] | None:
        here = self.script[len(self.turns) : len(self.turns) + 1]
        return tuple(turn.act for turn in here) if self.script else None


@pytest.mark.parametrize(("expected", "truth"), [(True, None), (False, False)])
def test_nobody_is_blamed_after_a_guess(expected: bool, truth: bool | None) -> None:
    step = Step(number=1, text="Remove the roses")
    run = Run(Site(START, lambda _: None), agents(), (step,), guesses=[step])
    judged = doubt_guesses(
        Judged(truth=False, reason="it is there"), run.guesses, expected=expected
    )
    assert judged.truth is truth
