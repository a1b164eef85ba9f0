"""Wraps every call of every part, so that no part can end a run or hide in it.

`contained` makes a subclass of a part's class in which each method of the interface is wrapped:
whatever the part raises that is no `SparringError` (also ``SystemExit``, ``KeyboardInterrupt``
and a ``CancelledError`` that nobody asked for) and every value of a wrong type becomes a
`PartError` that names the part and the method. Parts are built in one place
(`sparring.suite.building`), so that roles inside of players are wrapped as well.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutine, iscoroutinefunction
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast, get_args, get_origin

from sparring.errors import PartError, SparringError
from sparring.format_error import describe_error
from sparring.interfaces import abilities
from sparring.interfaces.agent import Agent, Player
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, Plugin
from sparring.interfaces.reporter import Reporter
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.chat import ChatReply
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.time_limits import limited, limited_steps

PluginT = TypeVar("PluginT", bound=Plugin[Any])

Limit = Callable[[str], AbstractContextManager[Any]]
"""Makes the time limit for one synchronous call; takes what is called, for the message."""

Steps = Callable[[Coroutine[Any, Any, Any], str], Awaitable[Any]]
"""Puts a time limit on each step of a coroutine; takes what is called, for the message."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How calls of parts that block are ended: synchronous ones, and steps of asynchronous ones."""

    call: Limit
    steps: Steps


def part_limits(seconds: float) -> Limits:
    """Limits that end any call, or step of a call, in which a part blocks for so long."""
    return Limits(
        call=lambda what: limited(seconds, what),
        steps=lambda work, what: limited_steps(work, seconds, what),
    )


_INTERFACES = (Player, Agent, AppConnector, LLMBackend, Oracle, Reporter, SearchStrategy)

_LABELS = {"AppConnector": "connector", "SearchStrategy": "strategy", "LLMBackend": "LLM backend"}

_ABILITIES: Mapping[type, tuple[type, ...]] = {
    Player: abilities.ABILITIES_OF_PLAYERS,
    SearchStrategy: abilities.ABILITIES_OF_STRATEGIES,
    AppConnector: abilities.ABILITIES_OF_CONNECTORS,
}
"""The optional protocols whose methods are contained besides those of an interface."""

_MOST_ASKED = 1_000_000
"""Cases that one `ask` may return: a part that returns an endless iterable must not fill memory."""


def part_error(part: object, call: str, err: BaseException) -> PartError:
    """Return the error that says which part broke, in which call, and how."""
    group, name = part_name(part)
    return PartError(group, name, call, describe_error(err))


def part_name(part: object) -> tuple[str, str]:
    """Return the kind of a part (``connector``, ``strategy`` ...) and how the suite names it."""
    name: tuple[str, str] | None = getattr(type(part), "_sparring_part", None)
    if name is not None:
        return name
    kind = next((base.__name__ for base in _INTERFACES if _is_a(part, base)), "part")
    return _LABELS.get(kind, kind.lower()), type(part).__name__


def is_requested() -> bool:
    """Return whether somebody asked for the current task's cancellation.

    A ``CancelledError`` in a task that nobody cancelled comes from a part, for example because it
    waits for a task of its own that was cancelled.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def may_pass(err: BaseException) -> bool:
    """Return whether an exception out of an asynchronous call is not the part's fault.

    That is one of Sparring's own errors, the requested cancellation of the task, or the
    ``GeneratorExit`` of a coroutine that is thrown away because no task runs it any more.
    """
    if isinstance(err, asyncio.CancelledError):
        return is_requested()
    return isinstance(err, SparringError | GeneratorExit)


def contained(
    plugin: type[PluginT], group: str, name: str, limits: Limits | None = None
) -> type[PluginT]:
    """Return a subclass of `plugin` in which all calls of the interface's methods are contained.

    `group` and `name` are what messages call the part. `limits` end calls that block. What the
    class inherits from the interface itself is left as it is.
    """
    limit = limits.call if limits is not None else None
    steps = limits.steps if limits is not None else None
    space: dict[str, Any] = {
        "_sparring_part": (group, name),
        "__module__": plugin.__module__,
        "__qualname__": plugin.__qualname__,
        "__doc__": plugin.__doc__,
        "__slots__": (),
    }
    for method, declared in _methods(plugin).items():
        own = getattr(plugin, method, None)
        if own is None or own is declared:
            continue
        if isinstance(own, property):
            space[method] = property(_synchronous(own.fget, method, limit))
        elif iscoroutinefunction(declared or own):
            space[method] = _asynchronous(
                own, method, None if _is_limited(plugin, method) else steps
            )
        elif callable(own):
            space[method] = _synchronous(own, method, limit)
    metaclass: Any = cast("Any", type)(plugin)
    subclass: type[PluginT] = metaclass(plugin.__name__, (plugin,), space)
    return subclass


def _methods(plugin: type) -> dict[str, Any]:
    """The public methods and properties of a class's interface, with how the interface has them."""
    methods: dict[str, Any] = {}
    own = [base for base in plugin.__mro__ if base in _INTERFACES]
    optional = [ability for base in own for ability in _ABILITIES.get(base, ())]
    for interface in (*own, Plugin, *optional):
        for name, value in vars(interface).items():
            if not name.startswith("_") and (callable(value) or isinstance(value, property)):
                methods.setdefault(name, value)
    methods.pop("Config", None)
    return methods


def _is_limited(plugin: type, call: str) -> bool:
    """Whether the engine limits the steps of a call itself, by the suite's own time limits."""
    if issubclass(plugin, Player):
        return call == "act"
    return issubclass(plugin, Oracle) and call in ("judge", "conclude")


def _synchronous(own: Any, call: str, limit: Limit | None) -> Callable[..., Any]:
    @wraps(own)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        group, name = self._sparring_part
        bound = limit(f"{group} {name!r}: {call}") if limit is not None else nullcontext()
        try:
            with bound:
                return _check_value(self, call, own(self, *args, **kwargs))
        except SparringError:
            raise
        except BaseException as err:
            raise part_error(self, call, err) from err

    return wrapper


def _asynchronous(own: Any, call: str, steps: Steps | None) -> Callable[..., Awaitable[Any]]:
    @wraps(own)
    async def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            answer = own(self, *args, **kwargs)
            if not hasattr(cast("object", answer), "__await__"):
                _wrong(self, call, answer, "something to await")
            if steps is not None and iscoroutine(answer):
                group, name = part_name(self)
                answer = steps(answer, f"{group} {name!r}: {call}")
            return _check_value(self, call, await answer)
        except BaseException as err:
            if may_pass(err):
                raise
            raise part_error(self, call, err) from err

    return wrapper


def _wrong(part: object, call: str, value: object, expected: str) -> NoReturn:
    group, name = part_name(part)
    raise PartError(group, name, call, f"returned {_describe_type(value)}, not {expected}")


def _describe_type(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _is_a(part: object, interface: Any) -> bool:
    """`isinstance` for generic interfaces, of whose arguments nothing is known here."""
    return isinstance(part, interface)


def _check_value(part: Any, call: str, value: Any) -> Any:
    """Return a value of the type that the interface promises; raises PartError for any other."""
    if _is_a(part, Player) or not _is_a(part, Agent):
        check = _CHECKS.get(call)
        return value if check is None else check(part, call, value)
    if call != "act":
        return value
    expected = _answer_type(cast("object", part).__class__)
    if expected is not None and not isinstance(value, expected):
        _wrong(part, call, value, f"{expected.__name__} (role {part.role})")
    return value


def _answer_type(agent: type) -> type | None:
    """The class of a role's answers, as its base class states it; `None` if it states none."""
    for base in agent.__mro__:
        for generic in getattr(base, "__orig_bases__", ()):
            arguments = get_args(generic)
            if get_origin(generic) is Agent and len(arguments) > 1:
                answer = get_origin(arguments[1]) or arguments[1]
                return answer if isinstance(answer, type) else None
    return None


def _is(expected: type | tuple[type, ...], words: str) -> Callable[[object, str, Any], Any]:
    def check(part: object, call: str, value: Any) -> Any:
        if not isinstance(value, expected):
            _wrong(part, call, value, words)
        return value

    return check


def _each(item: type, words: str) -> Callable[[object, str, Any], Any]:
    def check(part: object, call: str, value: Any) -> Any:
        if _is_a(value, (str, bytes, Mapping)) or not _is_a(value, Sequence):
            _wrong(part, call, value, f"a sequence of {words}")
        if len(value) > _MOST_ASKED:
            _wrong(part, call, value, f"a sequence of at most {_MOST_ASKED:,} {words}")
        elements: Sequence[object] = value
        for element in elements:
            if not isinstance(element, item):
                _wrong(part, call, element, f"a {item.__name__} (as an element of its sequence)")
        return value

    return check


def _session(part: object, call: str, value: Any) -> Any:
    if not (hasattr(value, "__aenter__") and hasattr(value, "__aexit__")):
        _wrong(part, call, value, "an asynchronous context manager")
    return value


def _learning(part: object, call: str, value: Any) -> Any:
    if value not in ("never", "per-batch", "per-case"):
        _wrong(part, call, value, "'never', 'per-batch' or 'per-case'")
    return value


_SPACE = cast("Any", Player).space.__name__
"""Written so, as a command of a plugin has the same name."""

_CHECKS: Mapping[str, Callable[[object, str, Any], Any]] = {
    "ask": _each(Case, "cases"),
    "done": _is(bool, "bool"),
    "learning": _learning,
    "open_ended": _is(bool, "bool"),
    "expected": _is((int, type(None)), "int or None"),
    "drafts": _each(Case, "cases"),
    "population": _is((Sequence, type(None)), "a sequence of ids or None"),
    _SPACE: _is(Space, "Space"),
    "meta": _is(dict, "a dict"),
    "open": _session,
    "apps": _each(str, "names"),
    "recorded": _is((Trace, type(None)), "Trace or None"),
    "complete": _is(ChatReply, "ChatReply"),
    "identity": _is(str, "str"),
    "model": _is((str, type(None)), "str or None"),
    "checks": _is((frozenset, set, type(None)), "a set of names or None"),
    "written": _each(Path, "paths"),
}
