"""The feature spaces that a suite or a command names: files, bundled ones, Python."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from sparring.discovery.drivers import in_words
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring_plugins.search.features.bundled_spaces import bundled, names
from sparring_plugins.search.features.files import read_space
from sparring_plugins.search.features.model import FeatureSpace


def find_spaces(written: Sequence[str], context: BuildContext) -> list[FeatureSpace]:
    """The spaces that names stand for, each once; their names are unique.

    A name is that of a bundled space, an import path ``package.module:SPACE`` of a `FeatureSpace`
    (or of a function that makes one), or a file, folder or glob pattern as elsewhere in a suite.
    Files that a space names start from the folder of its own file or module.
    Raises ConfigurationError.
    """
    found: list[FeatureSpace] = []
    for one in written:
        found += _found(one, context)
    for number, space in enumerate(found):
        others = [other for other in found[:number] if other.name == space.name]
        if others:
            where = f"{others[0].source or 'a space'} has the same name"
            raise ConfigurationError(Problem(where, space.source, key=f"name: {space.name}"))
    return found


def _found(written: str, context: BuildContext) -> list[FeatureSpace]:
    bundled_names = names()
    if written in bundled_names:
        return [bundled(written, context)]
    if _is_import_path(written):
        return [_with_templates(_imported(written), context)]
    try:
        paths = context.files(written)
    except ConfigurationError as err:
        if any(mark in written for mark in "/\\*."):
            raise
        hint = nearest(written, bundled_names)
        raise ConfigurationError(f"no feature space is called {written!r}.{hint}") from err
    return [_with_templates(read_space(path, context), context) for path in paths]


def _with_templates(space: FeatureSpace, context: BuildContext) -> FeatureSpace:
    """The space, its templates noted as an input of the run."""
    if space.templates is not None:
        context.files(str(Path(space.templates).absolute()))
    return space


def _is_import_path(written: str) -> bool:
    module, colon, attribute = written.partition(":")
    return bool(colon) and all(
        part.isidentifier() for part in (*module.split("."), *attribute.split("."))
    )


def _imported(written: str) -> FeatureSpace:
    module, _, attribute = written.partition(":")
    try:
        found: object = import_module(module)
        home = Path(getattr(found, "__file__", None) or ".").parent
        for part in attribute.split("."):
            found = getattr(found, part)
        made = found if isinstance(found, FeatureSpace) or not callable(found) else found()
    except Exception as err:
        raise ConfigurationError(f"{written} cannot be imported: {in_words(err)}") from err
    if not isinstance(made, FeatureSpace):
        raise ConfigurationError(f"{written} is {type(made).__name__}, and no FeatureSpace")
    beside = {
        "templates": None if made.templates is None else str(home / made.templates),
        "examples": tuple(str(home / one) for one in made.examples),
    }
    return made.model_copy(update=beside)
