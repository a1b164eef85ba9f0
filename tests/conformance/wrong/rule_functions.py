"""Rule functions that break their contract, each in one way."""

import itertools
import time
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sparring.interfaces.rule_function import Explained, RuleFunction, rule_function
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.talk import Trace
from sparring.testing.conformance.rule_function import RuleFunctionKit

NUMBERS = itertools.count()


class Given(RuleFunctionKit):
    wrong: ClassVar[RuleFunction]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def function(self) -> RuleFunction | Callable[..., Any]:
        return self.wrong

    @pytest.fixture
    def arguments(self) -> list[tuple[Any, ...]]:
        return [(["one", "two"],), (["three"],)]


@rule_function(cost=len)
def longest(texts: list[str]) -> int:
    return max(map(len, texts), default=0)


class TestRight(Given):
    wrong = longest
    fails: ClassVar[set[str]] = set()


@rule_function(conversation=True, model=True)
def asked(trace: Trace, ask: Callable[[ChatRequest], ChatReply], texts: list[str]) -> list[Any]:
    message = ChatMessage(role="user", content=str(texts)[:100])
    return [len(trace.turns), ask(ChatRequest(messages=(message,))).text]


class TestRightWithConversationAndModel(Given):
    wrong = asked
    fails: ClassVar[set[str]] = set()


@rule_function(conversation=True)
def explained(trace: Trace, texts: list[str]) -> Explained:
    return Explained(len(texts), "as counted", (0, len(trace.turns) - 1))


class TestRightWithReasons(Given):
    wrong = explained
    fails: ClassVar[set[str]] = set()


@rule_function(conversation=True)
def far(trace: Trace, texts: list[str]) -> Explained:
    return Explained(len(texts), "as counted", (len(trace.turns),))


class TestTurnsThatThereAreNot(Given):
    wrong = far
    fails: ClassVar[set[str]] = {
        "test_its_reasons_are_texts_and_its_turns_those_of_the_conversation"
    }


@rule_function
def explained_badly(texts: list[str]) -> Explained:
    return Explained({1, 2}, "a set")


class TestExplainedButNotPlain(Given):
    wrong = explained_badly
    fails: ClassVar[set[str]] = {
        "test_it_returns_plain_data",
        "test_awkward_arguments_give_an_answer_or_an_ordinary_error",
        "test_large_arguments_take_bounded_time",
    }


@rule_function
def unordered(texts: list[str]) -> set[str]:
    return set(texts)


class TestUnordered(Given):
    wrong = unordered
    fails: ClassVar[set[str]] = {
        "test_it_returns_plain_data",
        "test_awkward_arguments_give_an_answer_or_an_ordinary_error",
        "test_large_arguments_take_bounded_time",
    }


@rule_function
def counted(texts: list[str]) -> int:
    return next(NUMBERS)


class TestCounted(Given):
    wrong = counted
    fails: ClassVar[set[str]] = {"test_equal_arguments_give_equal_answers"}


@rule_function
def emptied(texts: list[str]) -> int:
    size = len(texts)
    texts.clear()
    return size


class TestEmptied(Given):
    wrong = emptied
    fails: ClassVar[set[str]] = {
        "test_arguments_are_left_as_they_are",
        "test_equal_arguments_give_equal_answers",
    }


@rule_function
async def waited(texts: list[str]) -> int:
    return len(texts)


@rule_function
def slow(texts: list[str]) -> int:
    deadline = time.process_time() + min(0.4, len(texts) / 1000)
    while time.process_time() < deadline:
        pass
    return len(texts)


class TestSlow(Given):
    most_seconds = 0.2
    wrong = slow
    fails: ClassVar[set[str]] = {"test_large_arguments_take_bounded_time"}


@rule_function(cost=lambda texts: len(texts) / 2)  # type: ignore[arg-type, return-value]
def priced(texts: list[str]) -> int:
    return len(texts)


class TestPriced(Given):
    wrong = priced
    fails: ClassVar[set[str]] = {"test_its_cost_is_a_whole_number"}


@rule_function
def recursive(texts: Any) -> int:
    return 1 + recursive.call(texts[1:]) if texts else 0


class TestRecursive(Given):
    wrong = recursive
    fails: ClassVar[set[str]] = {"test_large_arguments_take_bounded_time"}
