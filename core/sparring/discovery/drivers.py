"""Loading one named implementation of an interface. The only file that imports stevedore."""

import inspect
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TypeVar

from stevedore.driver import DriverManager
from stevedore.extension import ExtensionManager

from sparring.discovery import catalog
from sparring.discovery.groups import FUNCTIONS, VALUES, Group
from sparring.errors import BrokenPlugin, IncompatiblePlugin, MissingExtra
from sparring.interfaces.plugin import Plugin
from sparring.interfaces.rule_function import RuleFunction

T = TypeVar("T", bound=Plugin[Any])


def load(group: Group[T], name: str) -> type[T]:
    """Return the class registered as `name`, or at the import path ``package.module:Class``.

    Raises UnknownPlugin, AmbiguousPlugin, BrokenPlugin or IncompatiblePlugin.
    """
    if ":" in name:
        listing = catalog.Listing(name, name, "an import path in the suite", "")
        return _check_driver(group, listing, _by_path(group, listing))
    listing = catalog.only(group.namespace, name, group.label)
    return _check_driver(group, listing, _by_name(group.namespace, group.label, listing))


def load_function(name: str) -> RuleFunction:
    """Return the rule function registered as `name`; the same errors as `load`."""
    listing = catalog.only(FUNCTIONS, name, "function")
    function = _by_name(FUNCTIONS, "function", listing)
    if isinstance(function, RuleFunction):
        return function
    if callable(function):
        return RuleFunction(function)
    raise BrokenPlugin(f"{listing.target} is neither a function nor made by @rule_function")


def load_value(namespace: str, name: str, kind: type | None = None) -> Any:
    """Return the value registered as `name` in a group of `VALUES`; the same errors as `load`.

    `kind` is the class that it must be of, for groups whose class the core does not know.
    """
    types, label = VALUES[namespace]
    kind = kind or types
    listing = catalog.only(namespace, name, label)
    value = _by_name(namespace, label, listing)
    if not isinstance(value, kind):
        raise BrokenPlugin(f"{listing.target} is no {kind.__module__}.{kind.__qualname__}")
    return value


def _by_name(namespace: str, label: str, listing: catalog.Listing) -> Any:
    # stevedore's disk cache can be two minutes stale after a reinstall; this is the fresh answer.
    fresh = [ep for ep in catalog.advertised(namespace) if ep.name == listing.name]
    ExtensionManager.ENTRY_POINT_CACHE[namespace] = fresh

    def fail(manager: Any, ep: EntryPoint, err: BaseException) -> None:
        raise _broken(label, listing, err) from err

    try:
        manager: Any = DriverManager(namespace, listing.name, on_load_failure_callback=fail)
    except (AssertionError, SystemExit) as err:  # stevedore does not hand these to the callback
        raise _broken(label, listing, err) from err
    return manager.extensions[0].plugin


def _by_path(group: Group[T], listing: catalog.Listing) -> Any:
    module, _, attribute = listing.target.partition(":")
    if "/" in module or module.endswith(".py"):
        dotted = module.removesuffix(".py").strip("./").replace("/", ".")
        raise BrokenPlugin(
            f"{group.label} {listing.name!r} names a file: an import path is the module's name "
            f"with dots, a colon and the class; try '{dotted}:{attribute}'"
        )
    try:
        target: Any = import_module(module)
        for part in attribute.split("."):
            target = getattr(target, part)
    except (Exception, SystemExit) as err:
        raise _broken(group.label, listing, err) from err
    return target


def _check_driver(group: Group[T], listing: catalog.Listing, loaded: Any) -> type[T]:
    interface = group.interface
    if not (isinstance(loaded, type) and issubclass(loaded, interface)):
        raise BrokenPlugin(
            f"{listing.target} is not a subclass of {interface.__module__}.{interface.__qualname__}"
        )
    version = getattr(loaded, "api_version", None)
    if version not in group.supported_api:
        raise IncompatiblePlugin(
            f"{listing.package} {listing.version} implements version {version} of "
            f"{interface.__name__}; this sparring supports {sorted(group.supported_api)}"
        )
    if inspect.isabstract(loaded):
        missing = ", ".join(sorted(loaded.__abstractmethods__))
        raise BrokenPlugin(f"{listing.target} does not implement {missing}")
    return loaded


def _broken(
    label: str, listing: catalog.Listing, err: BaseException
) -> BrokenPlugin | MissingExtra:
    kind = MissingExtra if isinstance(err, MissingExtra) else BrokenPlugin
    owner = f"{listing.package} {listing.version}".strip()
    what = str(err) if isinstance(err, MissingExtra) else in_words(err)
    return kind(
        f"{label} {listing.name!r} ({listing.target}, from {owner}) does not import: {what}"
    )


def in_words(err: BaseException) -> str:
    """Why an import failed, and what finds a module that lies in the current folder."""
    text = f"{type(err).__name__}: {err}"
    if found_in(err, [Path()]):
        text += "; it is in this folder, where 'python -m sparring' looks and 'sparring' does not"
    return text


def found_in(err: BaseException | None, folders: Iterable[Path]) -> Path | None:
    """The first folder with the module that an import did not find; None if there is none."""
    name = (err.name or "") if isinstance(err, ModuleNotFoundError) else ""
    if not name.isidentifier():
        return None
    return next((f for f in folders if (f / f"{name}.py").is_file() or (f / name).is_dir()), None)
