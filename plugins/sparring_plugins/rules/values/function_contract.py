"""What a library function promises by its annotations, and whether it kept it.

A function that breaks is the tool's fault, not the app's, and not the rule's; one that is called
with values of a wrong type is the rule's. The annotations tell them apart.
"""

import types
from collections.abc import Mapping, Sequence
from functools import cached_property
from inspect import signature
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sparring.blame import described
from sparring.interfaces.rule_function import Explained, RuleFunction
from sparring_plugins.rules.values.errors import BrokenFunction

_OF_ARGUMENTS = (TypeError, ValueError, AttributeError)
"""What functions raise for arguments that they cannot take."""


class Contract:
    """The annotations of one function; whatever it does not annotate may be anything."""

    def __init__(self, name: str, function: RuleFunction) -> None:
        self._name = name
        self._call = function.call

    @cached_property
    def _hints(self) -> dict[str, Any]:
        try:
            return get_type_hints(self._call)
        except Exception:  # noqa: BLE001 - annotations that name what is not there promise nothing
            return {}

    def broke(self, err: Exception, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether an exception is the function's own fault.

        It is unless it is of a kind that complains of arguments. A TypeError or AttributeError
        for arguments of the annotated types is the function's fault, too; a ValueError may say that
        a number is too large.
        """
        if not isinstance(err, _OF_ARGUMENTS):
            return True
        return not isinstance(err, ValueError) and self._takes(args, named)

    def error(self, err: BaseException) -> BrokenFunction:
        """The error that names the function and what it raised."""
        return BrokenFunction(f"the function {self._name}() broke: {described(err)}")

    def require(self, found: Any) -> None:
        """Raise BrokenFunction if a value is not of the annotated type."""
        hint = self._hints.get("return", Any)
        if isinstance(hint, type) and issubclass(hint, Explained):
            kept = isinstance(found, Explained)
        else:
            kept = fits(found.value if isinstance(found, Explained) else found, hint)
        if not kept:
            kind = "None" if found is None else f"a value of type {type(found).__name__}"
            raise BrokenFunction(f"the function {self._name}() returned {kind}")

    def _takes(self, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether arguments are of annotated types; unknown, and so no, without annotations."""
        try:
            given = signature(self._call).bind(*args, **named).arguments
        except (TypeError, ValueError):  # too many, too few, or a function without a signature
            return False
        return all(
            name in self._hints and fits(value, self._hints[name]) for name, value in given.items()
        )


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type, as far as that can be said cheaply.

    The items of a list or map are not looked at; an int is a float, and a truth value no number.
    """
    if hint is None or hint is type(None):
        return value is None
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    kind = origin or hint
    if not isinstance(kind, type) or kind is object:
        return True
    if kind in (int, float) and isinstance(value, bool):
        return False
    try:
        return isinstance(value, (int, float) if kind is float else kind)
    except TypeError:  # a protocol that cannot be looked for at run time
        return True
