"""Our requests against the example requests that Amazon publishes with its sample skills.

The variable SPARRING_VOICE_SKILLS names a folder with the skills of ``skills.yaml``, as
``python -m tests.evaluation.voice.fetch FOLDER`` makes it.
"""

import asyncio
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.model.case import Case
from sparring.model.talk import Listen, Observation, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector
from sparring_connectors.alexa.responses import read_response

VARIABLE = "SPARRING_VOICE_SKILLS"
TRIP = "V30"
PORCH = Path(__file__).parents[3] / "examples" / "skills" / "star-porch"

#: Which published file tells of which request.
REQUESTS = {
    "AlexaStartSession.json": ("LaunchRequest", None),
    "RequestStarted.json": ("IntentRequest", "STARTED"),
    "RequestInProgress.json": ("IntentRequest", "IN_PROGRESS"),
    "RequestCompleted.json": ("IntentRequest", "COMPLETED"),
}


@pytest.fixture(scope="module")
def skills() -> Path:
    value = os.environ.get(VARIABLE)
    if not value:
        pytest.skip(f"{VARIABLE} is not set")
    return Path(value)


def published(path: Path) -> dict[str, Any]:
    """An example, which is a module of JavaScript or plain JSON."""
    text = re.sub(r"^\s*//.*$|module\.exports\s*=", "", path.read_text("utf-8"), flags=re.MULTILINE)
    found: dict[str, Any] = yaml.safe_load(text.replace("\t", " ").rstrip().rstrip(";"))
    return found


@pytest.fixture(scope="module")
def sent(skills: Path) -> list[dict[str, Any]]:
    """Requests that skills get from us: of a dialog that Alexa leads, and of one led by the skill."""
    trip = ("", "plan a trip", "boston", "seattle", "tomorrow", "driving", "skiing", "yes")
    planet = ("", "find a planet", "mars", "find jupiter")
    return [*_requests(skills / TRIP, trip), *_requests(PORCH, planet)]


def _requests(skill: Path, said: Sequence[str]) -> list[dict[str, Any]]:
    async def talk() -> list[dict[str, Any]]:
        context = FakeContext(base_dir=skill)
        connector = context.build(AlexaConnector, skill=str(skill), locale="en-US")
        found: list[dict[str, Any]] = []
        async with connector.open(Case.of("examples", {}, run_seed=1)) as session:
            for text in said:
                seen: Observation = await session.send(Say(text=text) if text else Listen())
                payload: Any = seen.payload
                found += [one["request"] for one in payload["exchanges"]]
        await context.close()
        return found

    return asyncio.run(talk())


def paths(value: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], type]]:
    """The keys of an example with the type of each value; slots go by no name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*at, "*" if at[-1:] == ("slots",) else str(key)))
    else:
        yield at, type(value)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_published_request_has_nothing_that_ours_lack(
    name: str, skills: Path, sent: list[dict[str, Any]]
) -> None:
    kind, state = REQUESTS[name]
    example = published(skills / TRIP / "lambda/tests" / name)
    wanted = set(
        paths({key: example[key] for key in ("session", "context", "request") if key in example})
    )
    ours = [
        set(paths(one))
        for one in sent
        if (one["request"]["type"], one["request"].get("dialogState")) == (kind, state)
    ]
    assert ours, f"no {kind} {state or ''} was sent"
    together = set().union(*ours)
    lacking = {path for path in wanted - together if path[0] != ("session", "attributes")}
    assert lacking == set(), "keys, or types of values, that ours have not"


@pytest.mark.parametrize("name", ["elicit.json", "confirm.json"])
def test_a_published_response_is_read(name: str, skills: Path) -> None:
    example = published(skills / TRIP / "lambda/tests" / name)
    response = read_response(
        {key: example[key] for key in ("version", "sessionAttributes", "response")}
    )
    assert response.speech == example["response"]["outputSpeech"]["text"]
    assert response.dialog is not None
    assert response.should_end is False
