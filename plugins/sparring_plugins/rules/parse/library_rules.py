"""Libraries of general rules, which a suite switches on by name.

A library is a package that holds rule files, named by an entry point of the group
``sparring.rule_libraries``: bundled ones and those of other packages are found alike.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from sparring.discovery import catalog
from sparring.documents.checking import nearest, shown
from sparring.errors import BrokenPlugin, ConfigurationError, Problem
from sparring_plugins.rules.parse.rule_files import InvalidKey, plain_value, read_file
from sparring_plugins.rules.parse.syntax import Rule
from sparring_plugins.users.drafts import RuleListing

GROUP = "sparring.rule_libraries"
"""Entry-point group of the libraries: each names a package that holds rule files."""

_SUFFIXES = (".yaml", ".yml")


class LibraryUse(BaseModel):
    """A library named in a suite; the plain text ``general`` is short for ``{library: general}``.

    Keys beside these are parameters: of all rules of the library that have them, or, in a map
    under the name of a rule, of that rule alone.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    library: str = Field(min_length=1, description="the library's name")
    only: tuple[str, ...] | None = Field(
        default=None, description="these rules alone, also those that are off by default"
    )
    without: tuple[str, ...] = Field(default=(), description="all rules but these")

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"library": value} if isinstance(value, str) else value

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters, as written."""
        return dict(self.model_extra or {})


def library_names() -> list[str]:
    """The names of all installed libraries, sorted."""
    return catalog.names(GROUP)


def library_rules(uses: Iterable[LibraryUse], warn: Callable[[str], None]) -> list[Rule]:
    """The rules that a suite switches on; raises ConfigurationError and PluginError."""
    switched_on: list[Rule] = []
    for use in uses:
        rules = read_library(use.library, warn)
        chosen = _choose(use, rules)
        filled = _fill_parameters(use, rules, chosen)
        switched_on += [rule for rule in filled if _is_complete(rule, use, warn)]
    return switched_on


def read_library(name: str, warn: Callable[[str], None]) -> list[Rule]:
    """All rules of a library, as written; their names get the library's before them.

    Raises UnknownPlugin, AmbiguousPlugin, BrokenPlugin and, for bad rules, ConfigurationError.
    """
    rules: list[Rule] = []
    for resource in _resources(name):
        with as_file(resource) as path:
            called = f"{name}:{resource.name}"
            rules_of_file = read_file(
                path, base=path.parent, sensei=False, warn=warn, called=called
            )
            rules += [_prefix_rule(rule, name) for rule in rules_of_file]
    if not rules:
        raise BrokenPlugin(f"the rule library {name!r} holds no rules")
    return rules


def _resources(name: str) -> list[Traversable]:
    listing = catalog.only(GROUP, name, "rule library")
    try:
        import_module(listing.target)
        inside = list(files(listing.target).iterdir())
    except (Exception, SystemExit) as err:
        raise BrokenPlugin(
            f"the rule library {name!r} of {listing.package} ({listing.target}) cannot be read: "
            f"{type(err).__name__}: {err}"
        ) from err
    rules = (
        resource for resource in inside if resource.name.endswith(_SUFFIXES) and resource.is_file()
    )
    return sorted(rules, key=lambda rule: rule.name)


def _prefix_rule(rule: Rule, library: str) -> Rule:
    """A rule with its library's name before its own."""
    name = f"{library}.{rule.name}"
    return replace(rule, name=name, check=name)


def _short(rule: Rule) -> str:
    return rule.name.partition(".")[2]


def _choose(use: LibraryUse, rules: Sequence[Rule]) -> list[Rule]:
    names_of_library = [_short(rule) for rule in rules]
    for key, names in (("only", use.only or ()), ("without", use.without)):
        for name in names:
            if name not in names_of_library:
                raise _problem(
                    use, f"it has no rule {name!r}.{nearest(name, names_of_library)}", key
                )
    chosen = [
        rule
        for rule in rules
        if (rule.active if use.only is None else _short(rule) in use.only)
        and _short(rule) not in use.without
    ]
    if not chosen:
        raise _problem(use, "no rule of it is left", "only")
    return chosen


def _fill_parameters(use: LibraryUse, rules: Sequence[Rule], chosen: Sequence[Rule]) -> list[Rule]:
    """The chosen rules with the parameters that the suite gives."""
    shared: dict[str, Any] = {}
    own: dict[str, Mapping[str, Any]] = {}
    offered_parameters = {name for rule in rules for name in rule.parameters}
    for key, value in use.parameters.items():
        if isinstance(value, Mapping) and key in map(_short, rules):
            own[key] = cast("Mapping[str, Any]", value)
        elif key in offered_parameters:
            shared[key] = value
        else:
            offered = sorted({*offered_parameters, "only", "without", *map(_short, rules)})
            raise _problem(use, f"it has no parameter {key!r}.{nearest(key, offered)}", key)
    filled: list[Rule] = []
    for rule in chosen:
        alone = own.get(_short(rule), {})
        for key in alone:
            if key not in rule.parameters:
                hint = nearest(key, sorted(rule.parameters))
                where = f"{_short(rule)}.{key}"
                raise _problem(use, f"this rule has no parameter {key!r}.{hint}", where)
        shared_values = {
            name: value_given for name, value_given in shared.items() if name in rule.parameters
        }
        values = {
            name: _parameter_value(use, name, value, rule.parameters[name])
            for name, value in {**shared_values, **alone}.items()
        }
        filled.append(replace(rule, parameters={**rule.parameters, **values}))
    return filled


def _parameter_value(use: LibraryUse, name: str, value: Any, default: JsonValue) -> JsonValue:
    """A parameter's value, of the kind of its default if it has one."""
    try:
        plain = plain_value(name, value)
    except InvalidKey as err:
        raise _problem(use, str(err), name) from err
    if isinstance(default, list) and isinstance(plain, str):
        return [plain]
    kind = _kind(default)
    if default is not None and _kind(plain) != kind:
        raise _problem(use, f"must be {kind}, found {shown(plain)}", name)
    return plain


def _kind(value: JsonValue) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "a map"


def _is_complete(rule: Rule, use: LibraryUse, warn: Callable[[str], None]) -> bool:
    """Whether all parameters have values; a rule that was asked for by name must have them."""
    missing = [name for name, value in rule.parameters.items() if value is None]
    if not missing:
        return True
    needs = f"the rule {_short(rule)!r} needs {' and '.join(f'`{name}`' for name in missing)}"
    if use.only is not None:
        raise _problem(use, needs, missing[0])
    warn(f"rule library {use.library}: {needs}, and is left out")
    return False


def _problem(use: LibraryUse, message: str, key: str) -> ConfigurationError:
    return ConfigurationError(Problem(f"library {use.library}: {message}", key=f"libraries.{key}"))


def library_listings() -> list[RuleListing]:
    """All rules of all libraries; raises ConfigurationError and PluginError."""
    return [
        RuleListing(
            library=name,
            name=_short(rule),
            description=rule.description,
            parameters=dict(rule.parameters),
            active=rule.active,
        )
        for name in library_names()
        for rule in read_library(name, lambda _: None)
    ]
