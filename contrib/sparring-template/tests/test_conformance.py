"""The kits of Sparring over every part of this package."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sparring import RuleFunction, Trace
from sparring.testing import AppConnectorKit, OracleKit, RuleFunctionKit, trace_of

from sparring_template.connector import CommandConnector
from sparring_template.function import words_per_answer
from sparring_template.oracle import PlainSpeech

BOT = str(Path(__file__).with_name("bot.py"))


class TestCommandConnector(AppConnectorKit):
    @pytest.fixture
    def plugin(self) -> type[CommandConnector]:
        return CommandConnector

    @pytest.fixture(params=[(), ("--greet",), ("--mark",)], ids=["plain", "greeting", "marked"])
    def settings(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        command = [sys.executable, "-I", BOT, *request.param]
        marked = {"end_mark": "."} if "--mark" in request.param else {}
        return {"command": command, "greets": "--greet" in request.param, **marked}

    @pytest.fixture
    def unreachable_settings(self) -> dict[str, Any]:
        return {"command": ["no-such-program-anywhere"]}


class TestPlainSpeech(OracleKit):
    @pytest.fixture
    def plugin(self) -> type[PlainSpeech]:
        return PlainSpeech

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"never_says": ["sorry", "(hm)"], "longest": 40}

    @pytest.fixture
    def traces(self) -> Sequence[Trace]:
        return [
            trace_of([("hi", "Sorry?"), ("hi", "long " * 20)]),
            trace_of([("hi", "hello")], n=1),
        ]


class TestWordsPerAnswer(RuleFunctionKit):
    @pytest.fixture
    def function(self) -> RuleFunction:
        return words_per_answer

    @pytest.fixture
    def arguments(self) -> list[tuple[Any, ...]]:
        return [()]
