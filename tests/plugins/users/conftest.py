"""Small chatbots in process, and the real player let loose on them."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.interfaces.agent import PlayTask
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, Choice, Listen, Observation, Say, Trace, Turn, act_text
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.player import UserSimulator

Bot = Callable[[str], Observation | str]
Converse = Callable[..., Trace]

STARTED = datetime(2024, 10, 28, 9, 0, tzinfo=UTC)


class BotSession(AppSession):
    """Lets a plain function be the app, and records turns as the engine does."""

    def __init__(self, bot: Bot, turns: list[Turn], greeting: str = "") -> None:
        self.bot, self.turns, self.greeting = bot, turns, greeting

    async def send(self, act: Act) -> Observation:
        observation: Observation | None = None
        try:
            if isinstance(act, Listen):
                answer: Observation | str = self.greeting
            else:
                answer = self.bot(act_text(act))
            observation = Observation(text=answer) if isinstance(answer, str) else answer
            return observation
        finally:
            self.turns.append(Turn(act=act, observation=observation))


@pytest.fixture
def profile_of(tmp_path: Path) -> Callable[..., Path]:
    """Write a profile: goals as in a file, outputs as `name: (type, description)`."""

    def write(
        goals: list[Any],
        outputs: dict[str, tuple[str, str]] | None = None,
        name: str = "customer",
        **changes: Any,
    ) -> Path:
        data = {
            "test_name": name,
            "user": {
                "language": changes.pop("language", "English"),
                "role": "you are a customer",
                "context": changes.pop("context", []),
                "goals": goals,
            },
            "chatbot": {
                "is_starter": changes.pop("app_starts", False),
                "fallback": changes.pop("fallback", "I'm sorry, I did not get what you said."),
                "output": [
                    {key: {"type": kind, "description": text}}
                    for key, (kind, text) in (outputs or {}).items()
                ],
            },
            "conversation": {
                "number": 1,
                "goal_style": changes.pop(
                    "goal_style", {"all_answered": {"export": False, "limit": 20}}
                ),
                "interaction_style": ["default"],
            },
        }
        assert not changes
        path = tmp_path / f"{name}.yml"
        path.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
        return path

    return write


@pytest.fixture
def converse() -> Converse:
    """Play one case of a profile against a bot and return the trace."""

    def play(
        bot: Bot,
        profile: Path,
        params: dict[str, Any] | None = None,
        *,
        seed: int = 1,
        greeting: str = "",
        base_dir: Path | None = None,
        parts: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Trace:
        player = FakeContext(base_dir=base_dir, parts=parts).build(
            UserSimulator, profiles=str(profile), **settings
        )
        case = Case.of(next(iter(player.profiles)), params or {}, run_seed=seed)
        turns: list[Turn] = []
        task = PlayTask(case, BotSession(bot, turns, greeting), turns, STARTED)
        return asyncio.run(player.act(task))

    return play


def said(trace: Trace) -> list[str]:
    """What the user said or pressed, in order."""
    return [act_text(turn.act) for turn in trace.turns if not isinstance(turn.act, Listen)]


def choices(*labels: str) -> tuple[Choice, ...]:
    """Buttons whose payload is not their label."""
    return tuple(Choice(label=label, value=f"/{label.lower()}") for label in labels)


def turns_of(*lines: tuple[str, str | None]) -> tuple[Turn, ...]:
    """Turns from what the user said and the app answered."""
    return tuple(
        Turn(
            act=Say(text=asked) if asked else Listen(),
            observation=None if answer is None else Observation(text=answer),
        )
        for asked, answer in lines
    )


def outputs(trace: Trace) -> dict[str, Any]:
    return {output.name: output.value for output in trace.outputs}


def kinds(trace: Trace) -> list[str]:
    return [incident.kind.value for incident in trace.incidents]


def answering(answers: Iterable[tuple[str, str]], otherwise: str) -> Bot:
    """A bot that answers by keyword."""
    pairs = list(answers)

    def bot(text: str) -> str:
        low = text.lower()
        return next((answer for word, answer in pairs if word in low), otherwise)

    return bot


@pytest.fixture
def tools() -> Any:
    """The helpers of this module, for test modules that cannot import it."""

    class Tools:
        said = staticmethod(said)
        choices = staticmethod(choices)
        turns_of = staticmethod(turns_of)
        outputs = staticmethod(outputs)
        kinds = staticmethod(kinds)
        answering = staticmethod(answering)

    return Tools
