"""Every kit over every installed plugin, by the names in the metadata."""

import json
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sparring.discovery.catalog import names
from sparring.discovery.drivers import load, load_function, load_value
from sparring.discovery.groups import FUNCTIONS, GROUPS, LIKENESS, WORD_LISTS
from sparring.errors import SparringError
from sparring.interfaces.agent import Agent
from sparring.interfaces.rule_function import RuleFunction
from sparring.model.chat import ChatRequest
from sparring.testing.answers import answer_to
from sparring.testing.conformance.agent import (
    ExtractorKit,
    GoalCheckerKit,
    JudgeKit,
    PlayerKit,
    UserKit,
)
from sparring.testing.conformance.app_connector import AppConnectorKit
from sparring.testing.conformance.executor import ExecutorKit
from sparring.testing.conformance.llm_backend import LLMBackendKit
from sparring.testing.conformance.oracle import OracleKit
from sparring.testing.conformance.reporter import ReporterKit
from sparring.testing.conformance.rule_function import RuleFunctionKit
from sparring.testing.conformance.search_strategy import SearchStrategyKit
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.language.word_lists import WordList
from sparring_plugins.language.word_lists_conformance import WordListKit
from sparring_plugins.search.conformance import FitnessKit, LikenessKit, PerturbationKit, WriterKit
from sparring_plugins.search.similarity import Similarity
from sparring_plugins.speech.conformance import RecogniserKit, SpeakerKit
from sparring_plugins.voice.conformance import GeneratorKit, ObserverKit, PlannerKit
from sparring_plugins.web.conformance import (
    AssertionKit,
    NavigatorKit,
    PageDriverKit,
    PageReaderKit,
    ReadinessKit,
    TranslatorKit,
)

from .conftest import Trouble, TroubleOf
from .metadata import declared_entry_points, installed_entry_points, require_installed

require_installed(
    declared_entry_points(), installed_entry_points()
)  # here: `-k` deselects no import

ArgumentsOf = Callable[[str], tuple[list[tuple[Any, ...]], str]]
SettingsOf = Callable[[str, str], Mapping[str, Any]]

AGENTS = "sparring.agents"
INSTALLED = [(group, name) for group in GROUPS for name in names(group)]


def role_of(name: str) -> str:
    try:
        found: type[Agent[Any, Any, Any]] = load(GROUPS[AGENTS], name)
    except SparringError:
        return "does not load"  # test_it_loads says why
    return found.role


ROLES = {name: role_of(name) for name in names(AGENTS)}
KITS = {
    "player": PlayerKit,
    "user": UserKit,
    "goal_checker": GoalCheckerKit,
    "extractor": ExtractorKit,
    "judge": JudgeKit,
    "observer": ObserverKit,
    "generator": GeneratorKit,
    "planner": PlannerKit,
    "navigator": NavigatorKit,
    "readiness": ReadinessKit,
    "assertion": AssertionKit,
    "translator": TranslatorKit,
    "writer": WriterKit,
    "perturbation": PerturbationKit,
    "fitness": FitnessKit,
    "page_reader": PageReaderKit,
    "driver": PageDriverKit,
    "speaker": SpeakerKit,
    "recogniser": RecogniserKit,
}


@pytest.mark.parametrize(("group", "name"), INSTALLED)
def test_it_loads(group: str, name: str) -> None:
    load(GROUPS[group], name)


@pytest.mark.parametrize("name", [name for name, role in ROLES.items() if role != "does not load"])
def test_its_role_has_a_kit(name: str) -> None:
    assert ROLES[name] in KITS, f"write a kit for the role {ROLES[name]!r} of {name!r}"


class Installed:
    """Gives a kit the installed plugin called `name`, with the settings that it needs."""

    group: str

    @pytest.fixture
    def plugin(self, name: str) -> Any:
        return load(GROUPS[self.group], name)

    @pytest.fixture
    def settings(self, name: str, installed_settings: SettingsOf) -> Mapping[str, Any]:
        return installed_settings(self.group, name)


def shown_by(message: dict[str, Any]) -> str:
    """Words of a message that can be quoted."""
    return str(message["text"] or (message.get("choices") or [""])[0])


def says_something(request: ChatRequest) -> Any:
    """What a model might answer to the questions of the installed agents, quoting the app."""
    if request.answer_schema is None:
        return "Tell me more."
    blocks = re.findall(r"<data>\n(.*?)\n</data>", request.messages[-1].content, re.DOTALL)
    data = json.loads(blocks[0]) if blocks else []
    said: list[Any] = data if isinstance(data, list) else []
    entries = [one for one in said if isinstance(one, dict)]
    heard = [one for one in entries if one.get("speaker") == "chatbot"]
    answers_to_user = [one for one in entries if "chatbot" in one]
    words = next((one["text"] for one in reversed(heard) if one.get("text")), None)
    quoted = {"number": 1, "quotation": words, "turn": len(said)}
    choices = answers_to_user[-1].get("choices", [None]) if answers_to_user else [None]
    ticks = [
        {"number": 2, "quotation": one["chatbot"]} for one in answers_to_user if one["chatbot"]
    ]
    move = {"reason": "", "goals_met": ticks, "message": f"I see. {len(said)}", "leaves": False}
    evidence: list[Any] = (
        [{"turn": one["turn"], "words": shown_by(one)} for one in heard[-1:]]
        if heard
        else [
            {"turn": None, "words": word}
            for word in re.findall(r"\w+", json.dumps(data, ensure_ascii=False))[:1]
        ]
    )
    answers: dict[str, Any] = {
        "judgement": answer_to(request.answer_schema or {}, quotations=evidence),
        "NextMove": {**move, "choice": choices[0]},
        "Wishes": {"wishes": [{**quoted, "met": True}]},
        "Findings": {"values": [{**quoted, "value": words, "number": n} for n in range(1, 10)]},
    }
    explored: dict[str, Any] = {
        "SeenState": {"state": None, "reason": "it is new"},
        "PossibleInputs": {"expects": "wh", "inputs": ["blue", "27", "more"], "reason": ""},
        "NextInput": {"thought": "it was never tried", "input": "play"},
    }
    asked = request.messages[-1].content
    wanted = re.findall(r"^- (?:place|price): (.+)$", asked, re.MULTILINE)
    texts = [json.loads(block) for block in blocks]
    spoilt = f"{texts[-1]} eh" if texts and isinstance(texts[-1], str) else ""
    written: dict[str, Any] = {
        "WrittenUtterance": {"utterance": f"Well, {' '.join(wanted)}, and soon."},
        "SpoiltText": {"text": spoilt},
    }
    unsure = {"facts": [], "rests_on": "absence", "answer": "unknown"}
    answered = [
        shown_by(one)
        for block in blocks
        if isinstance(data := json.loads(block), list)
        for one in data
        if isinstance(one, dict) and one.get("speaker") == "chatbot"
    ]
    if blocks and not isinstance(payload := json.loads(blocks[-1]), list):
        answered += re.findall(r"\w+", json.dumps(payload))
    shown = {"reason": "so", "quotation": next((text for text in answered if text.strip()), "")}
    judged: dict[str, Any] = {
        "classes": {**shown, "request_oriented": 2, "direct": 1, "follow_up": 0},
        "safety": {**shown, "score": 0.5},
    }
    paged: dict[str, Any] = {
        "navigation": {"facts": [], "answer": "unknown"},
        "answer": unsure,
        "translation": {"facts": [], "answer": "unknown", "means": []},
        "reading": {"found": [], "reason": "nothing is there"},
    }
    return (answers | explored | written | judged | paged)[str(request.answer_schema["title"])]


class Asking(Installed):
    """Gives agents a model, for those that ask one."""

    @pytest.fixture
    def context(self, tmp_path: Path) -> FakeContext:
        llm = FakeContext().build(FakeLLM, answers=says_something)
        return FakeContext(base_dir=tmp_path, run_dir=tmp_path / "run", seed=7, llm=llm)


#: Connectors whose app has one conversation at a time, so that two cannot take turns.
ONE_AT_A_TIME = {"alexa-smapi"}


class TestConnectors(Installed, AppConnectorKit):
    limit_s = 240.0  # forty browser sessions one after the other, on a machine that may be busy
    group = "sparring.connectors"

    @pytest.fixture(autouse=True)
    def _takes_turns(self, name: str) -> None:
        self.deterministic = name not in ONE_AT_A_TIME  # type: ignore[misc]

    @pytest.fixture(
        params=[
            # A browser takes seconds for each; `tests/connectors/browser` tries it in make test.
            pytest.param(name, marks=pytest.mark.thorough) if name == "browser" else name
            for name in names(group)
        ]
    )
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def unreachable_settings(
        self, name: str, settings: Mapping[str, Any], nobody_there: str
    ) -> Mapping[str, Any] | None:
        if "url" not in settings:
            return None
        scheme = str(settings["url"]).partition("://")[0]
        return {**settings, "url": f"{scheme}://{nobody_there.partition('://')[2]}"}

    @pytest.fixture
    def silent_settings(
        self, name: str, settings: Mapping[str, Any]
    ) -> Iterator[Mapping[str, Any] | None]:
        if name not in ("rest", "chat-completions"):
            yield None
            return
        with socket.create_server(("127.0.0.1", 0)) as silent:  # takes requests, answers none
            address = f"http://127.0.0.1:{silent.getsockname()[1]}"
            yield {**settings, "url": address, "timeout": {"read_s": 0.2}}


class TestPlayers(Asking, PlayerKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "player"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestUsers(Asking, UserKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "user"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestObservers(Asking, ObserverKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "observer"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestGenerators(Asking, GeneratorKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "generator"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestPlanners(Asking, PlannerKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "planner"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestGoalCheckers(Asking, GoalCheckerKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "goal_checker"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestExtractors(Asking, ExtractorKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "extractor"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestPageReaders(Asking, PageReaderKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "page_reader"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


@pytest.mark.parametrize("name", [name for name, role in ROLES.items() if role == "driver"])
def test_a_driver_does_nothing_that_it_was_not_told(name: str) -> None:
    PageDriverKit.check(FakeContext().build(load(GROUPS[AGENTS], name)))


class TestNavigators(Asking, NavigatorKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "navigator"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestReadiness(Asking, ReadinessKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "readiness"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestAssertions(Asking, AssertionKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "assertion"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestTranslators(Asking, TranslatorKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "translator"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestJudges(Asking, JudgeKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "judge"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestWriters(Asking, WriterKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "writer"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def templates(self, tmp_path: Path) -> str:
        path = tmp_path / "templates.yaml"
        path.write_text(
            "start: '{ask} {a place}[ that is {price}].'\n"
            "symbols:\n  ask:\n"
            "    - {when: \"politeness == 'polite'\", any: [Please find me]}\n"
            "    - Find me\n"
        )
        return str(path)


class TestPerturbations(Asking, PerturbationKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "perturbation"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestFitness(Asking, FitnessKit):
    group = AGENTS

    @pytest.fixture(params=[name for name, role in ROLES.items() if role == "fitness"])
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestStrategies(Installed, SearchStrategyKit):
    group = "sparring.strategies"

    @pytest.fixture(
        params=[  # the library searches for seconds; the tests of learning strategies run it, too
            pytest.param(name, marks=pytest.mark.thorough) if name == "hypothesis" else name
            for name in names(group)
        ]
    )
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestOracles(Installed, OracleKit):
    group = "sparring.oracles"

    @pytest.fixture(params=names(group))
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestReporters(Installed, ReporterKit):
    group = "sparring.reporters"

    @pytest.fixture(params=names(group))
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)


class TestExecutors(Installed, ExecutorKit):
    group = "sparring.executors"

    @pytest.fixture(
        params=[
            name if name == "local" else pytest.param(name, marks=pytest.mark.thorough)
            for name in names(group)
        ]
    )
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def beside(self, name: str) -> dict[str, object]:
        return {} if name == "local" else {"workers": 1}


class TestLLMBackends(Installed, LLMBackendKit):
    group = "sparring.llm_backends"

    @pytest.fixture(params=names(group))
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def trouble(self, name: str, installed_trouble: TroubleOf) -> Trouble:
        return installed_trouble(name)

    @pytest.fixture
    def failing_settings(self, trouble: Trouble) -> Sequence[Mapping[str, Any]]:
        return trouble.failing

    @pytest.fixture
    def busy_settings(self, trouble: Trouble) -> Mapping[str, Any] | None:
        return trouble.busy

    @pytest.fixture
    def unavailable_settings(self, trouble: Trouble) -> Mapping[str, Any] | None:
        return trouble.unavailable

    @pytest.fixture
    def silent_settings(self, trouble: Trouble) -> Mapping[str, Any] | None:
        return trouble.silent

    @pytest.fixture
    def calls(self, trouble: Trouble) -> Callable[[], int] | None:
        return trouble.calls


class TestFunctions(RuleFunctionKit):
    # `inconsistencies` reads 500 turns in 4.6 s on an idle machine: linear, but a busy one needs more.
    most_seconds = 20.0

    @pytest.fixture(params=names(FUNCTIONS))
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def function(self, name: str) -> RuleFunction:
        return load_function(name)

    @pytest.fixture
    def arguments(self, name: str, installed_arguments: ArgumentsOf) -> list[tuple[Any, ...]]:
        return installed_arguments(name)[0]

    @pytest.fixture
    def model_says(self, name: str, installed_arguments: ArgumentsOf) -> str:
        return installed_arguments(name)[1]


def test_a_plugin_that_needs_settings_asks_for_them(
    install: Callable[..., Path], installed_settings: SettingsOf
) -> None:
    code = (
        "from sparring.interfaces.oracle import Oracle\n"
        "from sparring.interfaces.plugin import PluginConfig\n"
        "class Config(PluginConfig):\n    words: list[str]\n"
        "class Needy(Oracle):\n    Config = Config\n"
    )
    install("sparring-needy", "sparring.oracles", "needy = needy_oracle:Needy", code)
    message = r"the oracle 'needy' cannot be built from these settings: \{\}\. Add the smallest"
    with pytest.raises(pytest.fail.Exception, match=message):
        installed_settings("sparring.oracles", "needy")


def test_a_function_without_arguments_asks_for_them(installed_arguments: ArgumentsOf) -> None:
    with pytest.raises(pytest.fail.Exception, match="Add arguments of the rule function 'needy'"):
        installed_arguments("needy")


class TestWordLists(WordListKit):
    @pytest.fixture(params=names(WORD_LISTS))
    def word_list(self, request: pytest.FixtureRequest) -> WordList:
        found: WordList = load_value(WORD_LISTS, str(request.param))
        return found

    @pytest.fixture
    def known(self) -> Sequence[tuple[str, str]]:
        return [("soda drinks", "English"), ("bebidas calientes", "Spanish")]


class TestLikeness(LikenessKit):
    @pytest.fixture(params=names(LIKENESS))
    def likeness(self, request: pytest.FixtureRequest) -> Similarity:
        found: Similarity = load_value(LIKENESS, str(request.param))
        return found
