"""Loads and calls the installed listeners, with pluggy."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any

import pluggy

from sparring.discovery import catalog, groups, hookspecs
from sparring.errors import ConfigurationError
from sparring.format_error import describe_error


@dataclass(slots=True)
class Listeners:
    """The plugin manager and what went wrong while filling or calling it."""

    manager: pluggy.PluginManager
    problems: list[str] = field(default_factory=list[str])
    #: Entered around each call, so that a listener that blocks can be ended.
    limit: Callable[[str], AbstractContextManager[Any]] | None = None

    def implementations(self, hook: str) -> Sequence[pluggy.HookImpl]:
        """Return who implements a hook, in the order in which they are called."""
        caller: pluggy.HookCaller | None = getattr(self.manager.hook, hook, None)
        return caller.get_hookimpls()[::-1] if caller is not None else ()

    def answers(self, hook: str, **arguments: object) -> list[tuple[str, Any]]:
        """Return the answers that are not None with their listeners' names, sorted by these."""
        return sorted(self._answers(hook, arguments), key=lambda pair: pair[0])

    def first(self, hook: str, **arguments: object) -> Any:
        """Return the first answer that is not None; raises ConfigurationError of a listener."""
        answers = self._answers(hook, arguments, passing=ConfigurationError)
        return next((answer for _, answer in answers), None)

    def _answers(
        self,
        hook: str,
        arguments: Mapping[str, object],
        passing: type[BaseException] | tuple[()] = (),
    ) -> Iterator[tuple[str, Any]]:
        """Ask one listener after the other; a failing one is recorded and passed over."""
        for impl in self.implementations(hook):
            try:
                answer = impl.function(*(arguments[name] for name in impl.argnames))
            except passing:  # the listener's word on the user's input
                raise
            except BaseException as err:  # noqa: BLE001 - see the docstring
                self.problems.append(f"{impl.plugin_name}.{hook}: {describe_error(err)}")
                continue
            if answer is not None:
                yield impl.plugin_name, answer


def load(
    disabled: frozenset[str] = frozenset(), specs: Iterable[Callable[..., Any]] = ()
) -> Listeners:
    """Register every installed hook module; a broken one becomes a problem, not a crash.

    `specs` are hooks that the caller itself calls, besides those of the core: functions marked
    with `hookspecs.hookspec`. Listeners are checked against them.
    """
    listeners = Listeners(pluggy.PluginManager("sparring"))
    listeners.manager.add_hookspecs(hookspecs)
    if own := {spec.__name__: spec for spec in specs}:
        listeners.manager.add_hookspecs(type("Specs", (), own))
    for name in disabled:
        listeners.manager.set_blocked(name)
    for ep in sorted(catalog.advertised(groups.HOOKS), key=lambda ep: ep.name):
        try:
            _register(listeners.manager, ep)
        except BaseException as err:  # noqa: BLE001 - see the docstring
            owner = f"{ep.dist.name} {ep.dist.version}" if ep.dist else "unknown package"
            listeners.problems.append(f"{ep.name} ({ep.value}, {owner}): {describe_error(err)}")
    return listeners


def _register(manager: pluggy.PluginManager, ep: EntryPoint) -> None:
    if manager.is_blocked(ep.name):
        return
    if manager.has_plugin(ep.name):
        raise ValueError("another package already registered this name")
    plugin = ep.load()
    declared = catalog.names(groups.HOOKSPECS)
    try:
        manager.register(plugin, name=ep.name)
        for caller in manager.get_hookcallers(plugin) or ():
            mine = [impl for impl in caller.get_hookimpls() if impl.plugin is plugin]
            is_declared = caller.has_spec() or caller.name in declared
            if not is_declared and not all(impl.optionalhook for impl in mine):
                raise ValueError(f"sparring calls no hook named {caller.name!r}")
    except (ValueError, pluggy.PluginValidationError):
        manager.unregister(name=ep.name)  # pluggy before 1.7 keeps a half-registered plugin
        raise
