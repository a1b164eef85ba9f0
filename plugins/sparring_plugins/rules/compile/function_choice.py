"""Which implementation of each function the rules of a suite call."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from sparring.documents.checking import nearest, shown
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import Use
from sparring.interfaces.rule_function import RuleFunction

MODEL = "model"
"""The variant that a suite may name for the function as it is, where that asks a model."""


def chosen(functions: Mapping[str, RuleFunction], uses: Mapping[str, Use]) -> "Chosen":
    """The functions, with the variants that `uses` names in place of their plain ones.

    What a variant needs is looked for at once. Raises ConfigurationError for a function, a variant
    or a setting that there is not, and MissingExtra.
    """
    return Chosen(functions, {name: _variant(functions, name, use) for name, use in uses.items()})


class Chosen(Mapping[str, RuleFunction]):
    """Functions of which some are replaced; each other is loaded when it is asked for.

    With `names` it has no others than those and the replaced ones.
    """

    def __init__(
        self,
        functions: Mapping[str, RuleFunction],
        replaced: Mapping[str, RuleFunction],
        names: Iterable[str] | None = None,
    ) -> None:
        self._functions = functions
        self._replaced = dict(replaced)
        self._names = dict.fromkeys([*(functions if names is None else names), *replaced])

    def __getitem__(self, name: str) -> RuleFunction:
        if name not in self._names:
            raise KeyError(name)
        return self._replaced[name] if name in self._replaced else self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def variants(functions: Mapping[str, RuleFunction], name: str) -> list[str]:
    """The variants of a function, sorted."""
    prefix = f"{name}."
    return sorted(one.removeprefix(prefix) for one in functions if one.startswith(prefix))


def _variant(functions: Mapping[str, RuleFunction], name: str, use: Use) -> RuleFunction:
    known = variants(functions, name)
    plain = name in functions and "." not in name
    if not known and not plain:
        possible = sorted({one.partition(".")[0] for one in functions if "." in one})
        raise _problem(name, f"no function is called {name!r}.{nearest(name, possible)}")
    if use.use == MODEL and MODEL not in known and plain and functions[name].model:
        return _with_settings(functions[name], name, use)
    if not known:
        raise _problem(name, f"the function {name!r} has no variants to choose from")
    if use.use not in known:
        offered = [*known, MODEL] if plain and functions[name].model else known
        raise _problem(name, f"{name}() has no variant {use.use!r}.{nearest(use.use, offered)}")
    found = functions[f"{name}.{use.use}"]
    if found.prepare is not None:
        found.prepare()
    return _with_settings(found, name, use)


def _with_settings(function: RuleFunction, name: str, use: Use) -> RuleFunction:
    """The function with its settings given; they are its parameters that need their names."""
    if not use.settings:
        return function
    known = _settings_of(function.call)
    given: dict[str, Any] = {}
    for key, value in use.settings.items():
        if key not in known:
            message = f"{name}.{use.use} has no setting {key!r}.{nearest(key, list(known))}"
            raise _problem(name, message)
        try:
            given[key] = TypeAdapter(known[key]).validate_python(value)
        except ValidationError as err:
            said = err.errors(include_url=False)[0]["msg"]
            message = f"{key}: {said[:1].lower()}{said[1:]}, found {shown(value)}"
            raise _problem(name, message) from err
    return replace(function, call=partial(function.call, **given))


def _settings_of(call: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(call, include_extras=True)
    parameters = inspect.signature(call).parameters.values()
    return {
        one.name: hints.get(one.name, Any) for one in parameters if one.kind is one.KEYWORD_ONLY
    }


def _problem(name: str, message: str) -> ConfigurationError:
    return ConfigurationError(Problem(message, key=f"functions.{name}"))
