"""Functions offered inside rules: the entry-point group `sparring.functions`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, overload, runtime_checkable

from sparring.errors import PluginError
from sparring.interfaces.plugin import BuildContext


@dataclass(frozen=True, slots=True)
class Explained:
    """A value with its reason, for functions that judge: rules see only the `value`.

    `turns` are the 0-based turns of the conversation that show it. A verdict that rests on the
    value quotes the reason and refers to the turns.
    """

    value: Any
    reason: str = ""
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleFunction:
    """A function that rules may call, and what it needs besides its arguments.

    `conversation`: the first parameter is the `Trace` that the rule judges; the rule's author
    does not write it. `model`: it asks a language model: the first parameter (after the
    trace) is an ``ask(ChatRequest) -> ChatReply`` callable; without a model the rule is
    inconclusive. `cost` estimates the work of one call from its arguments, in steps of about
    a microsecond; the rule's budget of work is charged before the call. `prepare` is called
    when a suite chooses the function, before anything runs: it raises MissingExtra for what is
    not installed.
    """

    call: Callable[..., Any]
    conversation: bool = False
    model: bool = False
    cost: Callable[..., int] | None = None
    api_version: int = 1
    prepare: Callable[[], object] | None = None


@runtime_checkable
class RuleContext(Protocol):
    """What the context of a part offers to rules besides what every part needs."""

    #: Names of inputs and outputs of all scenarios, known once a run begins; else empty.
    names: frozenset[str]

    def functions(self) -> Mapping[str, RuleFunction]:
        """The functions that rules may call, by name (entry points `sparring.functions`)."""
        ...


def rule_context(context: BuildContext) -> RuleContext:
    """Return a part's context as one for rules; raises PluginError if it is none."""
    if isinstance(context, RuleContext):
        return context
    raise PluginError(f"{type(context).__name__} offers no functions to rules")


@overload
def rule_function(function: Callable[..., Any], /) -> RuleFunction: ...
@overload
def rule_function(
    *,
    conversation: bool = False,
    model: bool = False,
    cost: Callable[..., int] | None = None,
    prepare: Callable[[], object] | None = None,
) -> Callable[[Callable[..., Any]], RuleFunction]: ...
def rule_function(
    function: Callable[..., Any] | None = None,
    /,
    *,
    conversation: bool = False,
    model: bool = False,
    cost: Callable[..., int] | None = None,
    prepare: Callable[[], object] | None = None,
) -> RuleFunction | Callable[[Callable[..., Any]], RuleFunction]:
    """Offer a function inside rules; the entry point names the decorated function.

    Use it plain for a function of its arguments alone, or with keywords (see `RuleFunction`).
    What it returns must be plain data (texts, numbers, booleans, None, lists, dicts, dates), or
    such data `Explained`. An entry point ``NAME.VARIANT`` offers another implementation of the
    function NAME, which a suite chooses with ``functions: {NAME: VARIANT}`` of the oracle `rules`;
    parameters that can only be given by name are settings that the suite may give beside it.
    """

    def wrap(call: Callable[..., Any]) -> RuleFunction:
        return RuleFunction(
            call, conversation=conversation, model=model, cost=cost, prepare=prepare
        )

    return wrap(function) if function is not None else wrap
