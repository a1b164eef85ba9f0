"""Skills of our own, and a way to talk to them."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import SparringError
from sparring.model.case import Case
from sparring.model.talk import Listen, Observation, Press, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector

SKILLS = Path(__file__).parent / "skills"
Heard = Observation | SparringError
Talk = Callable[..., list[Heard]]


def talked(
    skill: str | dict[str, Any], *said: str | Press | None, case: int = 1, **settings: Any
) -> list[Heard]:
    """What is heard to each act (None listens); an error of the app stands for its answer."""

    async def talk() -> list[Heard]:
        context = FakeContext(base_dir=SKILLS)
        connector = context.build(AlexaConnector, skill=skill, **settings)
        found: list[Heard] = []
        try:
            async with connector.open(Case.of("voice", {"n": case}, run_seed=1)) as session:
                for text in said:
                    try:
                        act = Say(text=text) if isinstance(text, str) else text or Listen()
                        found.append(await session.send(act))
                    except SparringError as err:
                        found.append(err)
        finally:
            await context.close()
        return found

    return asyncio.run(talk())


def texts(heard: Sequence[Heard]) -> list[str]:
    return [
        item.text if isinstance(item, Observation) else f"{type(item).__name__}: {item}"
        for item in heard
    ]


def requests_of(heard: Heard) -> list[dict[str, Any]]:
    """The requests that a skill got in a turn, with their envelopes."""
    assert isinstance(heard, Observation)
    payload: Any = heard.payload
    return [item["request"] for item in payload["exchanges"]]


@pytest.fixture(scope="session")
def node() -> str:
    """The program node; the test is skipped without it."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no Node.js here")
    return found


@pytest.fixture(scope="session")
def skills() -> Path:
    return SKILLS
