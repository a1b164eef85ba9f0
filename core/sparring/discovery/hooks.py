"""Asking all installed listeners, with pluggy."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any

import pluggy

from sparring.blame import described
from sparring.discovery import catalog, groups, hookspecs
from sparring.errors import ConfigurationError


@dataclass(slots=True)
class Listeners:
    """The plugin manager and what went wrong while filling or calling it."""

    manager: pluggy.PluginManager
    problems: list[str] = field(default_factory=list[str])
    #: Entered around each call, so that a listener that blocks can be ended.
    limit: Callable[[str], AbstractContextManager[Any]] | None = None

    def notify(self, hook: str, **arguments: object) -> None:
        """Call every implementation; a failing one is recorded and does not stop the others."""
        for impl in reversed(getattr(self.manager.hook, hook).get_hookimpls()):
            what = f"{impl.plugin_name}.{hook}"
            try:
                with self.limit(what) if self.limit else nullcontext():
                    impl.function(*(arguments[name] for name in impl.argnames))
            except KeyboardInterrupt:  # the user's, who has pressed Ctrl-C twice
                raise
            except BaseException as err:  # noqa: BLE001 - a listener must not stop the run
                self.problems.append(f"{what}: {described(err)}")

    def answers(self, hook: str, **arguments: object) -> list[tuple[str, Any]]:
        """The answers that are not None, each with its listener's name, in the order of names."""
        found: list[tuple[str, Any]] = []
        for impl in reversed(getattr(self.manager.hook, hook).get_hookimpls()):
            try:
                answer = impl.function(*(arguments[name] for name in impl.argnames))
            except BaseException as err:  # noqa: BLE001 - a listener must not stop the others
                self.problems.append(f"{impl.plugin_name}.{hook}: {described(err)}")
                continue
            if answer is not None:
                found.append((impl.plugin_name, answer))
        return sorted(found, key=lambda pair: pair[0])

    def first(self, hook: str, **arguments: object) -> Any:
        """The first answer that is not None; a failing listener is recorded and passed over."""
        for impl in reversed(getattr(self.manager.hook, hook).get_hookimpls()):
            try:
                answer = impl.function(*(arguments[name] for name in impl.argnames))
            except ConfigurationError:  # the listener's word on the user's input
                raise
            except BaseException as err:  # noqa: BLE001 - see the docstring
                self.problems.append(f"{impl.plugin_name}.{hook}: {described(err)}")
                continue
            if answer is not None:
                return answer
        return None


def load(disabled: frozenset[str] = frozenset()) -> Listeners:
    """Register every installed hook module; a broken one becomes a problem, not a crash."""
    listeners = Listeners(pluggy.PluginManager("sparring"))
    listeners.manager.add_hookspecs(hookspecs)
    for name in disabled:
        listeners.manager.set_blocked(name)
    for ep in sorted(catalog.advertised(groups.HOOKS), key=lambda ep: ep.name):
        try:
            _register(listeners.manager, ep)
        except BaseException as err:  # noqa: BLE001 - see the docstring
            owner = f"{ep.dist.name} {ep.dist.version}" if ep.dist else "unknown package"
            listeners.problems.append(f"{ep.name} ({ep.value}, {owner}): {described(err)}")
    return listeners


def _register(manager: pluggy.PluginManager, ep: EntryPoint) -> None:
    if manager.is_blocked(ep.name):
        return
    if manager.has_plugin(ep.name):
        raise ValueError("another package already registered this name")
    plugin = ep.load()
    try:
        manager.register(plugin, name=ep.name)
        for caller in manager.get_hookcallers(plugin) or ():
            mine = [impl for impl in caller.get_hookimpls() if impl.plugin is plugin]
            if not caller.has_spec() and not all(impl.optionalhook for impl in mine):
                raise ValueError(f"sparring calls no hook named {caller.name!r}")
    except (ValueError, pluggy.PluginValidationError):
        manager.unregister(name=ep.name)  # pluggy before 1.7 keeps a half-registered plugin
        raise
