"""Look-ahead: equal candidates are tried in a copy of the page."""

from dataclasses import dataclass, field

import pytest
from tests.plugins.web.runner.pages import element, page, text
from tests.plugins.web.runner.test_algorithm import agents, shows

from sparring.interfaces.app_connector import AppSession
from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction, Observation, Turn
from sparring_plugins.web.rehearsals import without_rehearsals
from sparring_plugins.web.runner.algorithm import Run
from sparring_plugins.web.runner.look_ahead import LookAhead, Trial, decide, is_harmless
from sparring_plugins.web.step import Reading, Step, Target

pytestmark = pytest.mark.anyio

MORE = Reading(action="click", target=Target(text="More", quoted=True))
SEND = Reading(action="click", target=Target(text="Send", quoted=True))


def _list(kind: str = "link") -> PageView:
    return page(
        element(kind, "More", id="first", row="Maple", url="/maple"),
        element(kind, "More", id="second", row="Birch", url="/birch"),
    )


@dataclass
class Shop(AppSession):
    """An app with a page for each of two links; `rehearse` opens a copy of it."""

    answers: dict[str, PageView]
    start: PageView = field(default_factory=_list)
    acts: list[str] = field(default_factory=list[str])
    turns: list[Turn] = field(default_factory=list[Turn])
    copies: bool = True

    def __post_init__(self) -> None:
        self.view, self.left = self.start, self.start

    async def send(self, act: Act) -> Observation:
        if isinstance(act, GuiAction):
            self._answer(act)
        return Observation(page=self.view)

    def _answer(self, act: GuiAction) -> None:
        if act.action == "rehearse":
            self.acts.append(f"rehearse {act.value}")
            if not self.copies:
                self.view = self.view.model_copy(update={"hit": False})
            elif act.value == "end":
                self.view = self.left
            elif act.value != "stay":
                self.left, self.view = self.view, self.start
        elif act.action != "wait":
            self.acts.append(f"{act.action} {act.target}")
            self.view = self.answers.get(act.target or "", self.view)


async def _play(shop: Shop, *readings: Reading, mode: str = "harmless") -> Run:
    listed = [Step(number=n, text=f"step {n}", readings=(r,)) for n, r in enumerate(readings, 1)]
    run = Run(shop, agents(), listed, patience_s=0, look_ahead=LookAhead(mode))  # type: ignore[arg-type]
    await run.play()
    return run


MAPLE, BIRCH = page(text("Leaves of the maple")), page(text("Leaves of the birch"))


async def test_the_candidate_with_which_the_case_goes_on_is_taken() -> None:
    form = page(element("link", "Next", id="next", url="/n"))
    shop = Shop({"first": MAPLE, "second": form, "next": BIRCH})
    step = Reading(action="click", target=Target(text="Next", quoted=True))
    run = await _play(shop, MORE, step, shows("Leaves of the birch"))
    assert [record.outcome for record in run.records] == ["done", "done", "true"]
    assert "the only one of 2 with which the case goes on" in run.records[0].navigation.reason  # type: ignore[union-attr]
    assert shop.acts == [
        "rehearse begin", "click first", "rehearse end",
        "rehearse begin", "click second", "click next", "rehearse end",
        "click second", "click next",
    ]  # fmt: skip


async def test_candidates_that_lead_to_one_verdict_give_that_verdict() -> None:
    run = await _play(Shop({"first": MAPLE, "second": BIRCH}), MORE, shows("Roots"))
    assert [record.outcome for record in run.records] == ["done", "false"]
    assert "each of the 2 leads to the same verdict" in run.records[0].navigation.reason  # type: ignore[union-attr]


@pytest.mark.parametrize("expected", ["Leaves of the maple", "Leaves of the birch"])
async def test_verdicts_that_differ_leave_the_step_open(expected: str) -> None:
    unsure = await _play(Shop({"first": MAPLE, "second": BIRCH}), MORE, shows(expected))
    assert unsure.records[0].outcome == "inconclusive"
    assert "the verdict depends on which is meant" in unsure.records[0].reason


async def test_what_may_change_something_is_not_tried_out() -> None:
    """Buttons may send something, so nothing is clicked and the step stays undecided."""
    shop = Shop({"first": MAPLE, "second": BIRCH}, start=_list("button"))
    run = await _play(shop, MORE, shows("Leaves of the maple"))
    assert run.records[0].outcome == "inconclusive"
    assert not any(act.startswith("click") for act in shop.acts)


async def test_trials_that_teach_nothing_leave_the_step_to_weaker_readings() -> None:
    """A form with a button and a link of one name: what its button sends is not tried."""
    form = page(
        element("form", id="f"),
        element("textbox", "Name", id="name", parent="f"),
        element("link", "More", id="link", parent="f", url="/more"),
        element("button", "More", id="button", parent="f"),
    )
    fill = Reading(action="fill", target=Target(text="Name"), value="Ann")
    shop = Shop({"link": BIRCH, "button": MAPLE}, start=form)
    shown = shows("Leaves of the maple")
    listed = [
        Step(number=1, text="Type 'Ann' into 'Name'", readings=(fill,)),
        Step(number=2, text="Click on 'More'", readings=(MORE,)),
        Step(number=3, text="Assert that 'Leaves of the maple' is displayed", readings=(shown,)),
    ]
    run = Run(shop, agents(), listed, patience_s=0, look_ahead=LookAhead())
    await run.play()
    alone = Run(Shop({"link": BIRCH, "button": MAPLE}, start=form), agents(), listed, patience_s=0)
    await alone.play()
    assert [r.outcome for r in run.records] == [r.outcome for r in alone.records]


async def test_a_case_that_sent_something_before_is_not_played_again() -> None:
    form = page(element("button", "Send", id="send"))
    shop = Shop({"send": _list(), "first": MAPLE, "second": MAPLE}, start=form)
    run = await _play(shop, SEND, MORE, shows("Leaves of the maple"))
    assert run.records[1].outcome == "inconclusive"
    assert shop.acts == ["click send"]


async def test_where_the_data_are_put_back_anything_is_tried_and_the_case_starts_over() -> None:
    shop = Shop({"first": MAPLE, "second": MAPLE}, start=_list("button"))
    run = await _play(shop, MORE, shows("Leaves of the maple"), mode="any")
    assert [record.outcome for record in run.records] == ["done", "true"]
    assert shop.acts[-3:] == ["rehearse afresh", "rehearse stay", "click first"]


@pytest.mark.parametrize("mode", ["off", "harmless"])
async def test_nothing_is_tried_where_it_is_off_or_there_are_no_copies(mode: str) -> None:
    shop = Shop({"first": MAPLE, "second": MAPLE}, copies=False)
    run = await _play(shop, MORE, shows("Leaves of the maple"), mode=mode)
    assert run.records[0].outcome == "inconclusive"
    assert not any(act.startswith("click") for act in shop.acts)


def test_nothing_is_chosen_because_of_the_verdict_that_it_leads_to() -> None:
    trials = [Trial(0, "link a", "fail", True), Trial(1, "link b", "pass", True)]
    for order in (trials, trials[::-1]):
        decision = decide(order)
        assert decision.trial is None
        assert "the verdict depends on which is meant" in decision.note
    assert decide([trials[0], Trial(1, "link b", "fail", True)]).trial == trials[0]
    assert decide([Trial(0, "link a", None, True), Trial(1, "link b", "pass", True)]).trial is None
    assert decide([Trial(0, "link a", "inconclusive", False)]).trial is None


@pytest.mark.parametrize(
    ("url", "name", "harmless"),
    [
        ("/trees?page=2", "Next", True),
        ("/trees/3/delete", "Maple", False),
        ("/trees/3", "Remove", False),
        ("javascript:go()", "Next", False),
        (None, "Next", False),
    ],
)
def test_links_are_harmless_unless_they_say_otherwise(
    url: str | None, name: str, harmless: bool
) -> None:
    view = page(element("link", name, id="a", url=url))
    assert is_harmless(GuiAction(action="click", target="a"), view.snapshot) is harmless


def test_the_turns_of_trials_are_not_the_cases_own() -> None:
    def turn(action: str, value: str | None = None) -> Turn:
        return Turn(act=GuiAction(action=action, value=value), observation=None)

    turns = [turn("open"), turn("rehearse", "begin"), turn("click"), turn("rehearse", "end"),
             turn("wait")]  # fmt: skip
    assert [number for number, _ in without_rehearsals(turns)] == [0, 4]
