"""The decorator that offers a function inside rules."""

from sparring import rule_function
from sparring.interfaces.rule_function import RuleFunction
from sparring.model.talk import Trace


def test_plain_it_needs_nothing_but_its_arguments() -> None:
    @rule_function
    def double(number: int) -> int:
        return 2 * number

    assert double == RuleFunction(double.call)
    assert double.call(4) == 8
    assert not double.conversation
    assert not double.model
    assert double.cost is None


def test_with_keywords_it_says_what_it_needs() -> None:
    @rule_function(conversation=True, model=True, cost=lambda trace: len(trace.turns))
    def polite(trace: Trace) -> bool:
        return True

    assert polite.conversation
    assert polite.model
    assert polite.cost is not None


def test_it_says_which_version_of_the_interface_it_is_for() -> None:
    assert rule_function(len).api_version == 1
