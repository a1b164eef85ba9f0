"""One intent is said on and on, once, when the app has been seen."""

from typing import Any

import pytest

from sparring.model.talk import Observation
from sparring_plugins.voice.behaviour_model import BehaviourModel, Input, State
from sparring_plugins.voice.explorers.series import LONGEST, SeriesPlanner

TURNS = 60


class Game:
    """A game that answers each guess in one state, and its explorer's series."""

    def __init__(self, part: str = "Guess") -> None:
        self.model = BehaviourModel(turns=TURNS // 2, reached=[part, "Help"])
        self.model.utterances = {
            "is it rose": (part, "is it rose"),
            "is it lily": (part, "is it lily"),
            "help": ("Help", "help"),
        }
        self.state: State = self.model.add_state()
        self.planner = SeriesPlanner(self.model, TURNS)
        self.part = part

    def say(self, text: str, answer: str, part: str = "", **payload: Any) -> Any:
        by = self.state.add_input(Input(text=text, part=part or self.part))
        self.state.add_output(answer)
        self.model.count_transition(self.state, by, self.state)
        return self.planner.next_inputs(by, self.state, Observation(text=answer, payload=payload))

    def begin(self) -> Any:
        assert self.say("is it rose", "Not rose.") is None, "nothing has varied yet"
        return self.say("is it lily", "Not lily.")


def test_a_series_says_all_utterances_in_turn() -> None:
    game = Game()
    assert game.begin() == ["is it rose", "is it lily"] * (LONGEST // 2)
    assert game.planner.is_running
    assert game.say("is it rose", "Not rose.") is None
    assert game.say("is it lily", "Not lily, again.") is None


def test_a_series_ends_where_the_app_has_no_other_answer() -> None:
    game = Game()
    game.begin()
    assert game.say("is it rose", "It is over.") is None
    assert game.say("is it lily", "It is over.") is None
    assert game.say("is it rose", "It is over.") == ()
    assert not game.planner.is_running
    assert game.say("is it lily", "Not lily, once more.") is None, "there is one of an exploration"


def test_a_series_ends_with_confusion_and_another_intent() -> None:
    for said, part, confused in (("help", "Help", False), ("is it rose", "", True)):
        game = Game()
        game.begin()
        game.state.confused = confused
        assert game.say(said, "Pardon?", part) == ()


@pytest.mark.parametrize("why", ["early", "late", "unreached", "platform", "form"])
def test_a_series_waits_for_what_was_never_tried(why: str) -> None:
    game = Game("AMAZON.HelpIntent" if why == "platform" else "Guess")
    payload: dict[str, Any] = {"elicits": "Guess.word"} if why == "form" else {}
    if why in ("early", "late"):
        game.model.turns = 5 if why == "early" else TURNS - 1
    if why == "unreached":
        game.model.reached.remove("Help")
    game.say("is it rose", "Not rose.", **payload)
    assert game.say("is it lily", "Not lily.", **payload) is None
    assert game.model.series == []


@pytest.mark.parametrize("part", ["AMAZON.YesIntent", "AMAZON.NextIntent"])
def test_yes_and_next_go_on_too(part: str) -> None:
    assert Game(part).begin()
