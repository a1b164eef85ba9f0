"""The conformance kit of functions offered inside rules (`sparring.functions`)."""

import copy
import inspect
import json
import time
from collections.abc import Callable, Sequence
from datetime import date, datetime
from datetime import time as time_of_day
from typing import Any, ClassVar, cast

import pytest

from sparring.interfaces.rule_function import Explained, RuleFunction
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.talk import Trace
from sparring.testing import hostile
from sparring.testing.answers import answer_to
from sparring.testing.conformance.kit import Kit
from sparring.testing.conversations import trace_of

Call = Callable[[Trace, Sequence[Any]], Any]

_PLAIN = (str, int, float, bool, date, datetime, time_of_day, type(None))

#: What an awkward rule may pass, whatever the function expects.
_AWKWARD: tuple[Any, ...] = (None, "", -1, 0, 1e300, True, [], {}, [None], "x" * 50, hostile.MARK)

#: Steps above which a function's estimated cost counts as refused, so that the call is not made.
_MOST_STEPS = 5e6


class RuleFunctionKit(Kit, kit=True):
    """Tests of a rule function: override the fixtures `function` and `arguments`.

    `function` is the decorated function, or a plain one; `arguments` are examples of what a rule
    passes to it, without the conversation and the model, which the rule's author does not write.
    """

    #: Processor time in seconds that a call may take if its estimated cost allows the call.
    most_seconds: ClassVar[float] = 5.0

    @pytest.fixture
    def function(self) -> RuleFunction | Callable[..., Any]:
        """The function under test."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `function`")

    @pytest.fixture
    def arguments(self) -> Sequence[tuple[Any, ...]]:
        """Examples of arguments, each a call that gives an answer."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `arguments`")

    @pytest.fixture
    def model_says(self) -> str:
        """What the language model answers to a function that asks it in plain words.

        To a question with an `answer_schema` it gives the simplest answer that fits it.
        """
        return "yes"

    @pytest.fixture
    def trace(self) -> Trace:
        """The conversation that a function about conversations gets."""
        price = "That is $12.50. What would you like to drink with it?"
        talk = [("I would like to order a large pizza, please", price), ("bye", "Goodbye!")]
        return trace_of(talk, outputs={"price": 12.5}, size="large")

    @pytest.fixture
    def rule(self, function: RuleFunction | Callable[..., Any]) -> RuleFunction:
        """The function with what it needs."""
        return function if isinstance(function, RuleFunction) else RuleFunction(function)

    @pytest.fixture
    def call(self, rule: RuleFunction, model_says: str) -> Call:
        """Calls the function on a conversation with the arguments that a rule's author writes."""

        def _ask(request: ChatRequest) -> ChatReply:
            if request.answer_schema is None:
                return ChatReply(text=model_says, model="fake")
            data = answer_to(request.answer_schema)
            return ChatReply(text=json.dumps(data), parsed=data, model="fake")

        def _call(trace: Trace, given: Sequence[Any]) -> Any:
            asked = [_ask] if rule.model else []
            return rule.call(*_leading(rule, trace), *asked, *given)

        return _call

    def test_its_reasons_are_texts_and_its_turns_those_of_the_conversation(
        self, call: Call, arguments: Sequence[tuple[Any, ...]], trace: Trace
    ) -> None:
        for given in arguments:
            found = call(trace, given)
            if isinstance(found, Explained):
                reason, turns = cast("Any", found.reason), cast("Any", found.turns)
                assert isinstance(reason, str), (
                    f"{_show_arguments(given)} has the reason {reason!r}"
                )
                assert isinstance(turns, tuple), f"{_show_arguments(given)} has the turns {turns!r}"
                known = range(len(trace.turns))
                wrong = [one for one in cast("tuple[Any, ...]", turns) if one not in known]
                assert not wrong, (
                    f"{_show_arguments(given)} refers to turns that there are not: {wrong}"
                )

    def test_its_api_version_is_supported(self, rule: RuleFunction) -> None:
        assert rule.api_version == 1, f"api_version is {rule.api_version!r}, and 1 is supported"

    def test_it_is_a_plain_call(self, rule: RuleFunction) -> None:
        assert callable(rule.call), f"{rule.call!r} cannot be called"
        assert not inspect.iscoroutinefunction(rule.call), "rules do not wait: it is async"

    def test_it_returns_plain_data(
        self, call: Call, arguments: Sequence[tuple[Any, ...]], trace: Trace
    ) -> None:
        assert arguments, "there is no example of arguments"
        for given in arguments:
            answer = call(trace, given)
            assert _is_plain(answer), (
                f"{_show_arguments(given)} gives {answer!r}, which is no plain data"
            )

    def test_equal_arguments_give_equal_answers(
        self, call: Call, arguments: Sequence[tuple[Any, ...]], trace: Trace
    ) -> None:
        first = [repr(call(trace, given)) for given in arguments]
        again = [repr(call(trace, given)) for given in reversed(arguments)]
        assert again[::-1] == first, "called again, it answers otherwise"

    def test_arguments_are_left_as_they_are(
        self, call: Call, arguments: Sequence[tuple[Any, ...]], trace: Trace
    ) -> None:
        before = trace.model_dump_json()
        for given in arguments:
            kept = copy.deepcopy(given)
            call(trace, given)
            assert given == kept, f"{_show_arguments(kept)} was changed"
        assert trace.model_dump_json() == before, "it changed the conversation"

    def test_its_cost_is_a_whole_number(
        self, rule: RuleFunction, arguments: Sequence[tuple[Any, ...]], trace: Trace
    ) -> None:
        if rule.cost is None:
            pytest.skip("it does not estimate its cost")
        for given in [*arguments, *map(_enlarge, arguments)]:
            cost = rule.cost(*_leading(rule, trace), *given)
            assert isinstance(cost, int), f"the cost of {_show_arguments(given)} is {cost!r}"
            assert cost >= 0, f"the cost of {_show_arguments(given)} is {cost}"

    def test_awkward_arguments_give_an_answer_or_an_ordinary_error(
        self, call: Call, arguments: Sequence[tuple[Any, ...]], trace: Trace
    ) -> None:
        for given in arguments:
            for index in range(len(given)):
                for odd in _AWKWARD:
                    _survive(call, trace, (*given[:index], odd, *given[index + 1 :]))

    def test_large_arguments_take_bounded_time(
        self, rule: RuleFunction, call: Call, arguments: Sequence[tuple[Any, ...]]
    ) -> None:
        long = trace_of([(f"question {n}", f"answer {n} " * 20) for n in range(500)])
        for given in map(_enlarge, arguments):
            if rule.cost and rule.cost(*_leading(rule, long), *given) > _MOST_STEPS:
                continue  # a rule's budget refuses the call before it is made
            started = time.process_time()
            _survive(call, long, given)
            spent = time.process_time() - started
            assert spent < self.most_seconds, (
                f"{_show_arguments(given)} took {spent:.1f} s of processor time"
            )


def _leading(rule: RuleFunction, trace: Trace) -> list[Any]:
    """The conversation, if the function gets it; the rule's author does not write it."""
    return [trace] if rule.conversation else []


def _survive(call: Call, trace: Trace, given: Sequence[Any]) -> None:
    """Call it; an error is fine as long as it is one that a rule can catch."""
    try:
        answer = call(trace, given)
    except (MemoryError, RecursionError) as err:
        pytest.fail(f"{_show_arguments(given)} raised {type(err).__name__}")
    except Exception:  # noqa: BLE001 - any ordinary error becomes an error of that rule
        return
    assert _is_plain(answer), f"{_show_arguments(given)} gives {answer!r}, which is no plain data"


def _enlarge(given: Sequence[Any]) -> tuple[Any, ...]:
    """The same arguments, with long texts and long lists in place of short ones."""
    large: list[Any] = []
    for value in given:
        if isinstance(value, str):
            large.append((value or "word ") * (20_000 // max(1, len(value))))
        elif isinstance(value, list) and value:
            items = cast("list[Any]", value)
            large.append(items * (1_000 // len(items)))
        else:
            large.append(value)
    return tuple(large)


def _is_plain(value: Any) -> bool:
    """Whether a value is what rules can use, or such a value explained."""
    return _is_data(value.value if isinstance(value, Explained) else value)


def _is_data(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_data(item) for item in cast("Sequence[Any]", value))
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value).items()
        return all(isinstance(key, str) and _is_data(item) for key, item in entries)
    return isinstance(value, _PLAIN)


def _show_arguments(given: Any) -> str:
    text = json.dumps(given, default=repr)
    return f"the call with {text[:80]}"
