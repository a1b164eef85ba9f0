from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from sparring.errors import ConfigurationError
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig

Write = Callable[..., Path]


class Number(BaseModel):
    number: int


def agent_in(folder: Path) -> type[ModelAgent[str, int, ModelAgentConfig]]:
    class Counter(ModelAgent[str, int, ModelAgentConfig]):
        role: ClassVar[str] = "counter"
        temperature: ClassVar[float | None] = 0.3
        max_tokens: ClassVar[int | None] = 77

        async def act(self, task: str) -> int:
            values = {"question": task, "options": [], "conversation": [], "mood": ""}
            return (await self.asker.ask(Question("ask", Number, values))).value.number

    Counter.folder = folder
    return Counter


def model(*answers: Any) -> FakeLLM:
    return FakeContext().build(FakeLLM, answers=answers)


@pytest.mark.anyio
async def test_it_asks_the_model_of_its_role_with_its_own_settings(ours: Path) -> None:
    llm = model({"number": 3})
    agent = FakeContext(llm={"counter": llm}).build(agent_in(ours))
    assert await agent.act("How many?") == 3
    request = llm.requests[0]
    assert (request.asker, request.temperature, request.max_tokens) == ("counter", 0.3, 77)


@pytest.mark.anyio
async def test_settings_of_the_suite_go_before_its_own(ours: Path, write: Write) -> None:
    theirs = write("theirs", ask='{% extends "ask.jinja" %}{% block system %}Count!{% endblock %}')
    llm = model({"number": "x"}, {"number": 1})
    context = FakeContext(llm={"cheap": llm}, base_dir=ours.parent)
    settings: dict[str, Any] = {"temperature": 0, "max_tokens": 5, "llm_role": "cheap"}
    agent = context.build(agent_in(ours), prompts="theirs", **settings)
    assert await agent.act("How many?") == 1
    request = llm.requests[0]
    assert (request.asker, request.temperature, request.max_tokens) == ("cheap", 0, 5)
    assert request.messages[0].content == "Count!"
    assert context.inputs.keys() == {str(Path(theirs.name) / "ask.jinja")}


def test_a_suite_without_a_model_is_told_what_to_add(ours: Path) -> None:
    message = r"the counter Counter asks a language model.*add for example `llm: \{use: openai"
    with pytest.raises(ConfigurationError, match=message):
        FakeContext().build(agent_in(ours))


def test_wrong_prompts_are_told_of_when_it_is_built(ours: Path, write: Write) -> None:
    write("theirs", ask="{% block user %}{{ quesiton }}")
    with pytest.raises(ConfigurationError, match=r"ask\.jinja:1: "):
        FakeContext(llm=model(), base_dir=ours.parent).build(agent_in(ours), prompts="theirs")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 3}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"rounds": 11}, "rounds"),
        ({"llm_role": ""}, "llm_role"),
        ({"prompt": "x"}, "prompts"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(ours: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        FakeContext(llm=model()).build(agent_in(ours), **settings)
