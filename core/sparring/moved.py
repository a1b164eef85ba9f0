"""Modules under the names that they had in 0.1: entry points of the group ``sparring.moved``."""

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

GROUP = "sparring.moved"
"""Entry-point group of modules that moved: the old path names the new one."""


class _Forward:
    """Loads a module by the name that it has now."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the import system: `exec_module` puts another in its place."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module that is meant into `sys.modules`."""
        sys.modules[module.__name__] = import_module(self._target)


def spec_of(name: str) -> ModuleSpec | None:
    """How to import a module by an old name; None for other names."""
    from importlib.metadata import entry_points

    targets = {point.name: point.value for point in entry_points(group=GROUP)}
    if name in targets:
        if name.count(".") > 1:  # `sparring.web` is a public name that stays
            message = f"{name} is now {targets[name]}; the old name is removed in 0.4"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _Forward(targets[name]))  # type: ignore[arg-type]
    if any(old.startswith(f"{name}.") for old in targets):
        return ModuleSpec(name, None, is_package=True)
    return None
