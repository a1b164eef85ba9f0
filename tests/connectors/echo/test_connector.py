"""The app that needs nothing."""

import subprocess
import sys
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.case import Case
from sparring.model.talk import Choice, Listen, Observation, Press, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.echo.connector import EchoConnector

CASE = Case.of("echo", {}, run_seed=0)


async def told(settings: dict[str, Any], *acts: Any) -> list[Observation]:
    connector = FakeContext().build(EchoConnector, **settings)
    async with connector.open(CASE) as session:
        return [await session.send(Say(text=a) if isinstance(a, str) else a) for a in acts]


@pytest.mark.anyio
async def test_it_repeats_what_it_is_told() -> None:
    assert await told({}, "hello", "") == [Observation(text="hello"), Observation()]


@pytest.mark.anyio
async def test_it_can_greet_once_offer_choices_and_end() -> None:
    settings = {
        "prefix": "You said: ",
        "greeting": "Hi!",
        "choices": ["Yes", "No"],
        "end_on": ["bye", "see you"],
    }
    acts = [Listen(), Listen(), "goodbye", Press(label="Yes", value="/y"), "So, SEE YOU!"]
    seen = await told(settings, *acts)
    offered = (Choice(label="Yes"), Choice(label="No"))
    assert seen == [
        Observation(text="Hi!", choices=offered),
        Observation(),
        Observation(text="You said: goodbye", choices=offered),
        Observation(text="You said: /y", choices=offered),
        Observation(text="You said: So, SEE YOU!", choices=offered, ended=True),
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prefx": "a"}, "prefx: unknown key. Did you mean 'prefix'?"),
        ({"delay_s": -1}, "delay_s: input should be greater than or equal to 0"),
        ({"choices": ["a", " "]}, "choices: an empty text cannot be pressed or recognised"),
        ({"end_on": [""]}, "end_on: an empty text"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=r".") as caught:
        FakeContext().build(EchoConnector, **settings)
    assert message in str(caught.value)


def test_it_imports_nothing_heavy() -> None:
    code = (
        "import sys; import sparring_connectors.echo.connector\n"
        "print(*{'httpx2', 'jinja2', 'jsonpath_ng', 'stamina', 'rich', 'yaml'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_checking_a_suite_with_rest_imports_no_http_client() -> None:
    code = (
        "import sys; from sparring_connectors.rest.connector import RestConnector as R\n"
        "R.Config.model_validate({'url': 'http://bot', 'preset': 'rasa'})\n"
        "print(*{'httpx2', 'stamina', 'rich', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
