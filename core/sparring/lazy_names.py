"""Public names of a package that are imported when they are first used."""

import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], *more: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__all__``, ``__getattr__`` and ``__dir__``.

    Args:
        package: the package's own name, for messages.
        homes: for each module, the names that it defines, separated by spaces.
        more: names that the package defines itself.
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def resolve(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(modules[name]), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return sorted([*more, *modules]), resolve, names
