"""A role whose model gives no usable answer: its twin answers, or what it would is left open."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring.errors import AnswerInvalid, ModelUnavailable
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import Fallback, Use
from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.llm.ledger import NOTE_FALLBACK
from sparring.model.talk import ModelFallback
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.users.model_user.extractor import ModelExtractor

pytestmark = pytest.mark.anyio

AGENTS = GROUPS["sparring.agents"]
FALLING_BACK = [
    "user",
    "goal_checker",
    "extractor",
    "observer",
    "generator",
    "planner",
    "navigator",
    "readiness",
    "assertion",
    "page_reader",
]


@pytest.fixture
def noted() -> Iterator[list[ModelFallback]]:
    """What is noted in the trace of the case that is being played."""
    notes: list[ModelFallback] = []
    token = NOTE_FALLBACK.set(notes.append)
    yield notes
    NOTE_FALLBACK.reset(token)


def extractor(fallback: Fallback, *answers: Any) -> tuple[ModelExtractor, FakeLLM]:
    llm = FakeContext().build(FakeLLM, answers=answers)
    llm.fallback = fallback
    return FakeContext(llm=llm).build(ModelExtractor), llm


TASK = ExtractTask(
    turns=trace_of([("How much is it?", "It costs $13.50.")]).turns,
    outputs=(OutputSpec(name="price", type="money"),),
    today=date(2027, 1, 2),
)


@pytest.mark.parametrize("role", FALLING_BACK)
def test_each_role_has_a_twin_of_its_role_that_asks_no_model(role: str) -> None:
    agent = drivers.load(AGENTS, f"{role}.model")
    assert issubclass(agent, ModelAgent)
    twin = FakeContext().part(Agent[Any, Any, Any], Use(use=str(agent.twin)), role=role)
    assert twin.role == role
    assert not isinstance(twin, ModelAgent)
    assert any(name == f"{role}.model" for name in catalog.names(AGENTS.namespace))


async def test_the_twin_answers_and_the_trace_says_so(noted: list[ModelFallback]) -> None:
    agent, llm = extractor("model-free", "It was cheap.", "Really cheap.")
    answer = await agent.act(TASK)
    assert [output.value for output in answer.outputs] == ["$13.50"]
    assert len(llm.requests) == 2
    (fallback,) = noted
    assert (fallback.role, fallback.instead) == ("extractor", "patterns")
    assert "the extractor's model gave no usable answer" in fallback.reason


@pytest.mark.parametrize(("fallback", "undecided"), [("inconclusive", True), ("error", False)])
async def test_without_the_twin_the_error_says_whether_the_case_is_left_open(
    fallback: Fallback, undecided: bool, noted: list[ModelFallback]
) -> None:
    agent, _ = extractor(fallback, "no", "no")
    with pytest.raises(AnswerInvalid) as caught:
        await agent.act(TASK)
    assert caught.value.undecided is undecided
    assert noted == []


async def test_a_service_that_cannot_be_asked_is_no_matter_of_the_twin(
    noted: list[ModelFallback],
) -> None:
    agent, _ = extractor("model-free", ModelUnavailable("down"))
    with pytest.raises(ModelUnavailable):
        await agent.act(TASK)
    assert noted == []


@pytest.mark.parametrize("repairs", [0, 1, 3])
async def test_an_answer_is_sent_back_as_often_as_the_suite_says(repairs: int) -> None:
    agent, llm = extractor("model-free", *["no"] * 9)
    llm.repairs = repairs
    await agent.act(TASK)
    assert len(llm.requests) == repairs + 1
