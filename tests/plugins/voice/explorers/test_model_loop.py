"""The whole loop with three scripted models: what each checker sends back, and what becomes of it."""

import json
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.voice.behaviour_model import BehaviourModel, State
from sparring_plugins.voice.roles import Effect

TEA = "Which tea would you like, green or black?"
SIZE = "Which size would you like, small or large?"
CONFUSED = "Sorry, I did not understand that."

#: What the app says, turn by turn, whatever it is told.
REPLIES = [TEA, SIZE, "Green or black: which tea do you prefer?", "And the size, small or large?",
           CONFUSED, SIZE, CONFUSED]  # fmt: skip


def seen(state: str | None) -> dict[str, Any]:
    return {"state": state, "reason": "as it is"}


def inputs(*texts: str, expects: str = "selection") -> dict[str, Any]:
    return {"expects": expects, "inputs": list(texts), "reason": ""}


def choice(text: str) -> dict[str, Any]:
    return {"thought": "one step after the other", "input": text}


OBSERVER = [
    seen(None),  # the tea question
    seen("s2"), seen(None),  # the size, first merged with the tea
    seen("s2"),  # the tea question, in other words
    seen(None), seen("s3"),  # the size in other words, first taken for something new
    seen("s88"), seen(None),  # confusion, first by a state that there is not
]  # fmt: skip
GENERATOR = [
    inputs(), inputs("hello"), inputs("tea", "sizes", expects="instruction"),  # the greeting
    inputs("green", "black"),
    inputs("small", "large"),
    inputs("green"),  # other words of the tea question bring nothing new
    inputs("large"),  # nor those of the size
    inputs("help me", expects="other"),  # confusion
    inputs("small"), inputs("medium"),  # the size, after both were in vain
]  # fmt: skip
PLANNER = [
    choice("cocoa"), choice("tea"),
    choice("help"), choice("green"),
    choice("small"),
    choice("green"), choice("green"), choice("green"),  # stubborn, and that is its right
    choice("small"), choice("large"),
    choice("tea"),
    choice("large"), choice("small"),
]  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    folder = tmp_path_factory.mktemp("loop")
    answers = [
        {"when": {"asker": asker}, "sequence": [{"data": one} for one in found]}
        for asker, found in (("observer", OBSERVER), ("generator", GENERATOR), ("planner", PLANNER))
    ]
    suite = {
        "name": "tea",
        "app": {
            "use": "sparring.testing.fakes:FakeConnector",
            "greeting": "Welcome. You can say tea or sizes.",
            "replies": REPLIES,
        },
        "agent": {
            "use": "explorer",
            "turns": len(REPLIES),
            "system_inputs": ["help"],
            **{
                role: {"use": "model", "rounds": 2} for role in ("observer", "generator", "planner")
            },
        },
        "strategy": "sessions",
        "oracles": [],
        "reporters": [],
        "llm": {"use": "scripted", "script": "answers.yaml"},
    }
    (folder / "answers.yaml").write_text(yaml.safe_dump({"answers": answers}), encoding="utf-8")
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    done = conduct(load_suite(folder / "suite.yaml"), RunOptions())
    assert done.folder is not None
    return StoredRun(done.folder)


@pytest.fixture(scope="module")
def model(run: StoredRun) -> BehaviourModel:
    path = run.folder / "models" / "exploration.model.json"
    return BehaviourModel.from_json(path.read_text("utf-8"))


def told(run: StoredRun, asker: str) -> list[str]:
    """What a model was told when it was asked again, from the run's log."""
    lines = (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    requests = [
        one["request"] for one in events
        if one["kind"] == "model_called" and one["request"]["asker"] == asker
    ]  # fmt: skip
    lasts = [request["messages"][-1]["content"] for request in requests]
    return [text for text in lasts if "cannot be used as it is" in text]


def state(model: BehaviourModel, output: str) -> State:
    return next(one for one in model.states.values() if output in one.outputs)


def said(run: StoredRun) -> list[str]:
    turns = [turn for one in run.judged() for turn in one.trace.turns]
    return [turn.act.text for turn in turns if turn.act.kind == "say"]


def test_what_was_said_is_what_the_planner_chose_in_the_end(run: StoredRun) -> None:
    assert said(run) == ["tea", "green", "small", "green", "large", "tea", "small"]


def test_the_observer_heeds_its_checkers(run: StoredRun, model: BehaviourModel) -> None:
    consistency, transition, availability = told(run, "observer")
    assert "no input is the same, so that these are two states" in consistency
    assert state(model, TEA) is not state(model, SIZE)
    assert "led from the same state to s3 before" in transition
    assert "And the size, small or large?" in state(model, SIZE).outputs
    assert state(model, TEA).inputs["green"].targets == {"s3": 2}, "δ stays deterministic"
    assert "'s88' is no state of the list" in availability
    assert state(model, CONFUSED).confused


def test_the_generator_heeds_its_checkers(run: StoredRun, model: BehaviourModel) -> None:
    empty, of_type, vain = told(run, "generator")
    assert "no input at all" in empty
    assert "None of the inputs is one that the output asks for" in of_type
    greeting = state(model, "Welcome. You can say tea or sizes.")
    assert list(greeting.inputs)[:2] == ["tea", "sizes"]
    assert "did not lead on when they were said" in vain
    assert "'small', 'large'" in vain
    size = state(model, SIZE)
    assert "medium" in size.inputs
    assert {"small", "large"} <= set(size.inputs), "nothing is dropped"
    assert size.inputs["small"].count == 2, "and no count begins anew"


def test_the_planner_heeds_its_checkers(run: StoredRun, model: BehaviourModel) -> None:
    availability, system, *often, again, vain = told(run, "planner")
    assert "'cocoa' is not in the list" in availability
    assert "'help' was tried 0 times" in system
    assert all(
        "'green' was tried 1 times, and these less often or never: 'black'" in one for one in often
    )
    assert len(often) == 2, "as many rounds as configured; an input of the list stands then"
    assert "'small' was tried 1 times" in again
    assert "'large' is known to lead nowhere (confused)" in vain
    size = state(model, SIZE)
    assert model.effect(size, size.inputs["large"]) is Effect.CONFUSED


def test_no_feedback_cost_more_than_it_had_to(run: StoredRun) -> None:
    lines = (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    calls = [one for one in map(json.loads, lines) if one["kind"] == "model_called"]
    assert len(calls) == len(OBSERVER) + len(GENERATOR) + len(PLANNER), "all answers were asked for"
