"""Deprecation: one decorator, and one warning class per release that removes something.

A deprecated public name is kept for two minor versions: deprecated in 0.N, it still works in
0.N+1, and is removed in 0.N+2. See ``docs/reference/stability.md``.
"""

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

_Callable = TypeVar("_Callable", bound=Callable[..., Any])


class RemovedInSparring04Warning(DeprecationWarning):
    """What is used here works in 0.2 and 0.3, and is removed in 0.4."""


def deprecated(*, instead: str) -> Callable[[_Callable], _Callable]:
    """Mark a function or class as deprecated; calling it warns and names what to use instead.

    Args:
        instead: the replacement, as a user would write it: ``sparring.Owner.ENVIRONMENT``.

    The warning points at the caller's line. A class is marked by wrapping its constructor, so that
    ``isinstance`` and subclasses go on working.
    """

    def mark(target: _Callable) -> _Callable:
        message = f"{target.__module__}.{target.__qualname__} is removed in 0.4: use {instead}"

        def warn() -> None:
            warnings.warn(message, RemovedInSparring04Warning, stacklevel=3)

        if inspect.isclass(target):
            construct = target.__init__

            @wraps(construct)
            def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
                warn()
                construct(self, *args, **kwargs)

            cast("Any", target).__init__ = initialise
            return cast("_Callable", target)
        if inspect.iscoroutinefunction(target):

            @wraps(target)
            async def call_later(*args: Any, **kwargs: Any) -> Any:
                warn()
                return await target(*args, **kwargs)

            return cast("_Callable", call_later)

        @wraps(target)
        def call(*args: Any, **kwargs: Any) -> Any:
            warn()
            return target(*args, **kwargs)

        return cast("_Callable", call)

    return mark
