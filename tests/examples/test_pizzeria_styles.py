"""Customers of every style and persona at the pizzeria: they get what they came for."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from pizzeria_bot.dialogue import Conversation
from pizzeria_bot.weak_spots import NONE
from tests.sampling import sample

from sparring.interfaces.agent import PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import (
    Act,
    Choice,
    Ended,
    Listen,
    Observation,
    Press,
    Say,
    Trace,
    Turn,
    act_text,
)
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.player import UserSimulator
from sparring_plugins.users.profiles.character import persona_names

STYLES: tuple[Any, ...] = (
    "default",
    "long phrases",
    "short phrases",
    "make spelling mistakes",
    "single question",
    "all questions",
    "change your mind",
    {"change language": ["Spanish", "English"]},  # the bot knows no other
)
PROFILES = ("predefined", "custom_step_by_step", "curious", "spanish", "change_of_mind")
PRICES = {"small": 10.0, "medium": 15.0, "big": 20.0}
PIZZAS = {"margarita": 0.0, "carbonara": 2.5, "marinera": 2.0, "hawaiian": 2.0,
          "four cheese": 2.0, "vegetarian": 2.0}  # fmt: skip
DRINKS = {"sprite": 1.5, "coca-cola": 1.5, "orange fanta": 1.5, "water": 1.0}


class Counter(AppSession):
    """The pizzeria's bot in this process, with all its mistakes repaired."""

    def __init__(self, turns: list[Turn]) -> None:
        self.bot, self.turns = Conversation("customer", NONE), turns

    async def send(self, act: Act) -> Observation:
        found = self.answer(act)
        self.turns.append(Turn(act=act, observation=found))
        return found

    def answer(self, act: Act) -> Observation:
        if isinstance(act, Listen):
            return Observation(text=self.bot.greet())
        said = act.value or act.label if isinstance(act, Press) else act_text(act)
        reply = self.bot.answer(said)
        choices = [
            Choice(label=button.label, value=button.value)
            for message in reply.messages
            for button in message.buttons
        ]
        text = "\n".join(message.text for message in reply.messages)
        return Observation(text=text, choices=tuple(choices), ended=reply.ended)


def visits(pizzeria: Path, tmp_path: Path, count: int = 4, **changes: Any) -> list[Trace]:
    """Conversations of the example's profiles, in a style or as a persona."""
    traces: list[Trace] = []
    for name in PROFILES:
        data = yaml.safe_load((pizzeria / "profiles" / f"{name}.yml").read_text("utf-8"))
        if "style" in changes:
            data["conversation"]["interaction_style"] = [changes["style"]]
        if "persona" in changes:
            data["user"]["context"] = {"personality": changes["persona"]}
        path = tmp_path / f"{name}.yml"
        path.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
        player = FakeContext().build(UserSimulator, profiles=str(path))
        variables = {one.name: one for one in player.profiles[name].variables}
        for seed in range(count):
            params: dict[str, Any] = {
                key: [one.domain[(seed + place) % len(one.domain)]]
                for place, (key, one) in enumerate(variables.items())
            }
            turns: list[Turn] = []
            case = Case.of(name, params, run_seed=seed)
            task = PlayTask(case, Counter(turns), turns, datetime(2027, 1, 4, tzinfo=UTC))
            traces.append(asyncio.run(player.act(task)))
    return traces


def count(trace: Trace, key: str) -> int:
    """How many goals the trace lists under a key of its meta data."""
    listed = trace.meta[key]
    assert isinstance(listed, list)
    return len(listed)


def assert_served(traces: list[Trace]) -> None:
    for trace in traces:
        shown = [(act_text(turn.act), turn.observation) for turn in trace.turns]
        assert trace.meta["goals_unmet"] == [], shown
        assert not trace.incidents, shown
        assert trace.ended in (Ended.GOALS_REACHED, Ended.APP_ENDED), shown
        assert len(trace.turns) <= 16, shown


@pytest.mark.parametrize("style", sample(STYLES, 3))
def test_in_every_style_customers_get_what_they_want(
    style: Any, pizzeria: Path, tmp_path: Path
) -> None:
    assert_served(visits(pizzeria, tmp_path, style=style))


@pytest.mark.parametrize("persona", sample(persona_names(), 8))
def test_customers_of_every_character_get_what_they_want(
    persona: str, pizzeria: Path, tmp_path: Path
) -> None:
    traces = visits(pizzeria, tmp_path, persona=persona)
    assert_served(traces)
    assert all(trace.meta["persona"] == persona for trace in traces)


@pytest.mark.parametrize("profile", ["predefined", "change_of_mind"])
@pytest.mark.thorough
def test_who_changes_its_mind_pays_for_what_it_wanted_in_the_end(
    profile: str, pizzeria: Path, tmp_path: Path
) -> None:
    traces = visits(pizzeria, tmp_path, count=12, style="change your mind")
    played = [trace for trace in traces if trace.case.scenario == profile]
    revised = [trace for trace in played if "revised" in trace.meta]
    assert len(revised) >= 10
    for trace in revised:
        wanted = {name: value[0] for name, value in trace.inputs.items() if isinstance(value, list)}
        pizza = str(wanted.get("second", wanted.get("pizza")))
        due = PRICES[str(wanted["size"])] + PIZZAS[pizza]
        due += int(str(wanted["cans"])) * DRINKS[str(wanted["drink"]).lower()]
        price = next(one.value for one in trace.outputs if one.name == "price")
        assert price == f"${due:.2f}", [act_text(turn.act) for turn in trace.turns]


def test_spelling_mistakes_and_remarks_are_really_made(pizzeria: Path, tmp_path: Path) -> None:
    misspelt = visits(pizzeria, tmp_path, style="make spelling mistakes")
    for traces in (misspelt, visits(pizzeria, tmp_path, persona="elderly")):
        acts = [turn.act for trace in traces for turn in trace.turns]
        put = [act for act in acts if isinstance(act, Say) and act.meant is not None]
        assert len(put) > 0.3 * len([act for act in acts if isinstance(act, Say)])


def test_languages_that_the_bot_does_not_know_end_in_no_loop(
    pizzeria: Path, tmp_path: Path
) -> None:
    style = {"change language": ["French", "German", "Italian", "Portuguese"]}
    traces = visits(pizzeria, tmp_path, count=6, style=style)
    met, unmet = (
        sum(count(trace, key) for trace in traces) for key in ("goals_met", "goals_unmet")
    )
    assert met / (met + unmet) >= 0.9
    assert all(trace.ended is not Ended.LOOP for trace in traces)
    assert all(len(trace.turns) <= 16 for trace in traces)
