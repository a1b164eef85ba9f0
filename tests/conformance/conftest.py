"""What installed parts are tested with: arguments of functions, services that misbehave."""

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.servers.ollama_server import OllamaServer
from tests.servers.openai_server import Manners, OpenAIServer

#: Arguments of each installed rule function, and what a language model says where it asks one.
ARGUMENTS: dict[str, tuple[list[tuple[Any, ...]], str]] = {
    "asked_twice": ([(), (0.5,)], ""),
    "inconsistencies": ([()], ""),
    "before": ([("size", "price"), (["size", "which"], "price", "user")], ""),
    "broken_links": ([()], ""),
    "broken_links.requested": ([()], ""),
    "debris": ([("hello",), (["&amp;nbsp;", "<b>"],)], ""),
    "echoed_data": ([(), ("card",), (["card", "iban"],)], ""),
    "error_traces": ([("hello",), (["Traceback (most recent call last):"],)], ""),
    "index_of": ([("pizza",), (["pizza", "drink"], "user"), ("pizza", "assistant", 2)], ""),
    "insults": ([("hello",), (["you idiot", "fine"],)], ""),
    "leaked_data": ([(), ("email",), (["email"], "a@example.com")], ""),
    "leftovers": ([("hello",), (["{{name}}", "undefined"],)], ""),
    "minutes_of": ([("1 pm",), ("13:00",), ("never",)], ""),
    "personal_data": ([("a@example.com",), (["hello", "+1 202 555 0124"], ["phone"])], ""),
    "shouting": ([("HELLO THERE",), (["hello", "WHAT IS IT"],)], ""),
    "single": ([([3],), ("x",), ([1, 2],)], ""),
    "slang": ([("gonna",), (["hello", "wanna"],)], ""),
    "step_order": ([(["size", "price"],), ([["size", "which"], "price"], "assistant", True)], ""),
    "without": ([({"a": 1, "b": 2}, "a"), ({"a": 1}, ["a", "c"])], ""),
    "chatbot_returns": ([("pizza",), ("12", "sorry")], ""),
    "conversation_length": ([(), ("user",), ("assistant",)], ""),
    "currency": ([("$12",), ("nothing",)], ""),
    "data_collected": ([()], ""),
    "empty_responses": ([()], ""),
    "extract_float": ([("-5",), ("$1,000.50",), (3,)], ""),
    "contradicts": ([(), ("it is $9",), (["it is $9"], "user")], ""),
    "follows": ([("assistant", "be brief"), ("hello", "be brief"), (["a", "b"], "be brief")], ""),
    "language": ([("hello",), (["hello", "you"],)], ""),
    "language.lingua": ([("What is the weather going to be tomorrow?",)], ""),
    "length": ([("hello",), (["hello", "you"], "max"), ([], "average")], ""),
    "missing_outputs": ([()], ""),
    "missing_slots": ([()], ""),
    "not_repeated_answers": ([(), ("tf-idf",), ("jaccard", 0.5), ("sequence-matcher",)], ""),
    "only_talks_about": ([("pizza",), (["pizza", "drinks"], "sorry")], ""),
    "only_talks_about.minilm": (
        [(["prices", "drinks"],), ("prices, drinks", "Goodbye!")],
        "",
    ),
    "quality": ([("helpful",), ("helpful", "hello"), ("helpful", ["hello", "you"])], ""),
    "repeated_answers": ([(), ("tf-idf",), ("jaccard", 0.5), ("sequence-matcher",)], ""),
    "responds_in_same_language": ([()], ""),
    "responds_in_same_language.lingua": ([()], ""),
    "semantic_content": ([("hello", "a greeting"), (3, "a number")], ""),
    "semantic_content.minilm": ([("hello", "hello!"), (3, "the weather tomorrow")], ""),
    "tone": ([("hello",), (["hello", "you"],)], ""),
    "tone.vader": ([("great",), (["I hate it", "fine", ""],)], ""),
    "utterance_index": ([("user", "pizza"), ("assistant", "money")], ""),
    "utterance_index.minilm": ([("user", "I want pizza"), ("user", "rocket science")], ""),
}


def arguments_of(name: str) -> tuple[list[tuple[Any, ...]], str]:
    """Examples of arguments for an installed rule function, and what a model says to it."""
    if name not in ARGUMENTS:
        pytest.fail(
            f"Add arguments of the rule function {name!r} to ARGUMENTS in "
            f"tests/conformance/conftest.py"
        )
    return ARGUMENTS[name]


@pytest.fixture
def installed_arguments() -> Callable[[str], tuple[list[tuple[Any, ...]], str]]:
    """Arguments for the installed rule function of a name."""
    return arguments_of


@dataclass(frozen=True)
class Trouble:
    """Settings under which an installed language-model backend has to fail, as the kit has them."""

    failing: Sequence[Mapping[str, Any]] = ()
    busy: Mapping[str, Any] | None = None
    unavailable: Mapping[str, Any] | None = None
    silent: Mapping[str, Any] | None = None
    calls: Callable[[], int] | None = None


TroubleOf = Callable[[str], Trouble]


def openai_trouble(request: pytest.FixtureRequest) -> Trouble:
    """A server per kind of trouble: the kit may ask for several within one test."""
    made = {"429": {"retry_after": "2"}, "503": {}, "silence": {}, "wrong-shape": {}}
    settings: dict[str, Mapping[str, Any]] = {}
    servers: list[OpenAIServer] = []
    for fault, more in made.items():
        server = OpenAIServer()
        server.manners = Manners(fault=fault, **more)
        request.addfinalizer(server.__enter__().leave)
        servers.append(server)
        settings[fault] = {"model": "tiny", "base_url": server.base_url}
    gone = {"model": "tiny", "base_url": request.getfixturevalue("nobody_there")}
    return Trouble(
        failing=(gone, settings["503"], settings["wrong-shape"]),
        busy=settings["429"],
        unavailable=settings["503"],
        silent=settings["silence"],
        calls=lambda: sum(len(server.requests) for server in servers),
    )


def ollama_trouble(request: pytest.FixtureRequest, *, langchain: bool = False) -> Trouble:
    """A server per kind of trouble, asked by Ollama's client or through LangChain."""
    made: dict[str, dict[str, Any]] = {
        "busy": {"fault": "busy", "retry_after": "2"},
        "crashed": {"fault": "crashed"},
        "silence": {"delay_s": 3600.0},
        "page": {"fault": "page"},
    }
    settings: dict[str, Mapping[str, Any]] = {}
    servers: list[OllamaServer] = []

    def asking(host: str) -> Mapping[str, Any]:
        if langchain:
            return {"model": "ollama:tiny", "settings": {"base_url": host}}
        return {"model": "tiny", "host": host}

    for name, manners in made.items():
        server = OllamaServer(**manners).__enter__()
        request.addfinalizer(functools.partial(server.__exit__, None, None, None))
        servers.append(server)
        settings[name] = asking(server.host)
    gone = asking(request.getfixturevalue("nobody_there").removesuffix("/chat"))
    return Trouble(
        failing=(gone, settings["crashed"], settings["page"]),
        busy=settings["busy"],
        unavailable=settings["crashed"],
        silent=settings["silence"],
        calls=lambda: sum(len(server.requests) for server in servers),
    )


def scripted_trouble(request: pytest.FixtureRequest) -> Trouble:
    """A script per kind of trouble."""
    folder: Path = request.getfixturevalue("tmp_path")
    made = {
        "busy": "{error: busy, retry_after: 2}",
        "unavailable": "{error: unavailable}",
        "other": "{error: other}",
        "silence": "{say: hello, delay: 3600}",
    }
    for name, answer in made.items():
        (folder / f"{name}.yaml").write_text(f"else: {answer}", encoding="utf-8")
    settings = {name: {"script": f"{name}.yaml"} for name in made}
    return Trouble(
        failing=(settings["other"],),
        busy=settings["busy"],
        unavailable=settings["unavailable"],
        silent=settings["silence"],
    )


def terminal_trouble(request: pytest.FixtureRequest) -> Trouble:
    """Nobody there."""
    request.getfixturevalue("monkeypatch").setattr(sys, "stdin", None)
    return Trouble(failing=({},))


#: How each installed backend is brought to fail. One that asks no service needs none.
TROUBLE: dict[str, Callable[[pytest.FixtureRequest], Trouble]] = {
    "langchain": functools.partial(ollama_trouble, langchain=True),
    "ollama": ollama_trouble,
    "openai": openai_trouble,
    "scripted": scripted_trouble,
    "terminal": terminal_trouble,
}


@pytest.fixture
def installed_trouble(request: pytest.FixtureRequest) -> TroubleOf:
    """How the installed backend of a name is brought to fail."""
    return lambda name: TROUBLE[name](request) if name in TROUBLE else Trouble()
