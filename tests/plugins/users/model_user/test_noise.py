"""Models that answer noise: every case still ends cleanly, and the app is not to blame."""

import asyncio
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.cli.app import invoke
from sparring.errors import AnswerInvalid
from sparring.interfaces.roles import ExtractTask, Goal, GoalTask, OutputSpec, UserTask
from sparring.model.talk import Choice, IncidentKind, Observation
from sparring.model.verdict import Outcome, Owner
from sparring.store import find_run
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.users.model_user.extractor import ModelExtractor
from sparring_plugins.users.model_user.goal_checker import ModelGoalChecker
from sparring_plugins.users.model_user.user import ModelUser

from ....servers.llama_server import LlamaServer  # noqa: TID252

SEEN = Observation(text="It is $5 at 9 am. Which size?", choices=(Choice(label="Small"),))
TURNS = trace_of([(None, "Hello"), ("a pizza", SEEN), ("small", None), ("Hm", SEEN)]).turns
GOALS = (Goal(phrase="a small pizza", template="a {{x}} pizza", inputs=("x",)),)
OUTPUTS = tuple(
    OutputSpec(name=kind, type=kind) for kind in ("money", "time", "int", "str", "bool")
)

TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["$5", "9 am", "5", "Small", "Which size?", "It is $5 at 9 am.", "true", "[name]"]
    ),
)
NUMBERS = st.one_of(st.integers(-2, 6), st.integers())
MOVES = st.fixed_dictionaries(
    {
        "reason": TEXTS,
        "goals_met": st.lists(
            st.fixed_dictionaries({"number": NUMBERS, "quotation": TEXTS}), max_size=4
        ),
        "goals_undone": st.lists(NUMBERS, max_size=2),
        "message": TEXTS,
        "choice": st.none() | TEXTS,
        "leaves": st.booleans(),
    }
)
QUOTED = {"number": NUMBERS, "quotation": st.none() | TEXTS, "turn": st.none() | NUMBERS}
WISHES = st.lists(st.fixed_dictionaries({**QUOTED, "met": st.booleans()}), max_size=4)
VALUES = st.lists(st.fixed_dictionaries({**QUOTED, "value": st.none() | TEXTS}), max_size=8)


def answered(agent: Any, task: Any, answers: list[Any]) -> Any:
    """What an agent makes of a model's answers; None where nothing can be made of them."""
    numbered = iter([*answers, *[answers[-1]] * 5])
    llm = FakeContext().build(FakeLLM, answers=lambda request: json.dumps(next(numbered)))
    try:
        return asyncio.run(FakeContext(llm=llm).build(agent).act(task))
    except AnswerInvalid:
        return None


@given(st.lists(MOVES, min_size=1, max_size=3), st.integers(0, 4), st.integers())
def test_any_move_is_made_or_refused(answers: list[Any], count: int, seed: int) -> None:
    style = ({"random": ["long phrases", {"change language": ["French"]}]},)
    task = UserTask(goals=GOALS, inputs={"x": "small"}, turns=TURNS[:count], seed=seed, style=style)
    move = answered(ModelUser, task, answers)
    assert move is None or set(move.goals_met) <= {0}
    assert move is None or move.act is None or (getattr(move.act, "text", None) or move.act.label)


@given(st.lists(WISHES, min_size=1, max_size=2))
def test_any_word_on_goals_counts_only_with_what_the_app_said(answers: list[Any]) -> None:
    check = answered(
        ModelGoalChecker, GoalTask(goals=GOALS, turns=TURNS), [{"wishes": one} for one in answers]
    )
    for one in check.met:
        heard = TURNS[one.turn].observation
        assert heard is not None
        assert one.quotation in "Hello It is $5 at 9 am. Which size? Small"


@given(st.lists(VALUES, min_size=1, max_size=2))
def test_no_value_is_found_that_the_app_did_not_say(answers: list[Any]) -> None:
    task = ExtractTask(turns=TURNS, outputs=OUTPUTS, today=date(2027, 1, 2))
    found = answered(ModelExtractor, task, [{"values": one} for one in answers])
    money, time, number, text, truth = (one.value for one in found.outputs)
    assert money in (None, "$5")
    assert time in (None, "9 am")
    assert number in (None, 5, 9)
    assert text is None or text in "Hello It is $5 at 9 am. Which size? Small"
    assert truth in (None, True, False)


PROFILE = {
    "test_name": "customer",
    "user": {"role": "you are a customer", "goals": ["a pizza", "the opening hours"]},
    "chatbot": {
        "is_starter": False,
        "fallback": "I did not get that.",
        "output": [{"price": {"type": "money", "description": "the price"}}],
    },
    "conversation": {
        "number": 3,
        "goal_style": {"all_answered": {"limit": 3}},
        "interaction_style": ["default"],
    },
}


@pytest.mark.parametrize(
    ("context", "tokens"), [(2048, 300), pytest.param(16384, 120, marks=pytest.mark.slow)]
)
def test_a_real_server_with_a_random_model_ends_in_errors_that_are_not_the_apps(
    context: int, tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "profile.yml").write_text(yaml.safe_dump(PROFILE), "utf-8")
    with LlamaServer(tmp_path, context=context, layers=1) as server:
        suite = {
            "name": "noise",
            "app": {"use": "sparring.testing.fakes:FakeConnector", "replies": ["It is $5."]},
            "agent": {
                "use": "user-simulator",
                "profiles": "profile.yml",
                "user": "model",
                "extractor": "model",
                "goal_checker": "model",
            },
            "oracles": ["generic-failures"],
            "reporters": ["jsonl"],
            "llm": {
                "use": "openai",
                "model": "tiny",
                "base_url": server.base_url,
                "max_tokens": tokens,
                "attempts": 1,
                "fallback": "error",  # else the twins that ask no model would finish it
            },
        }
        (tmp_path / "suite.yaml").write_text(yaml.safe_dump(suite), "utf-8")
        assert invoke(["run", str(tmp_path / "suite.yaml")]) == 3
    judged = list(find_run("last", tmp_path / "runs").judged())
    assert len(judged) == 3
    for one in judged:
        assert [incident.kind for incident in one.trace.incidents] == [IncidentKind.MODEL_ERROR]
        verdicts = {verdict.check: verdict for verdict in one.verdicts}
        assert verdicts["model_error"].outcome is Outcome.ERROR
        assert verdicts["goal_not_completed"].outcome is Outcome.SKIPPED  # nothing was ever said
        assert all(verdict.owner is not Owner.APP for verdict in one.verdicts)
