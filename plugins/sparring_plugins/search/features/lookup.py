"""Find the feature spaces that a suite or a command names: files, bundled ones, Python."""

from collections.abc import Sequence
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path

from sparring.discovery.drivers import in_words
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring.suite.policy import require_code_allowed
from sparring_plugins.search.features.files import read_space
from sparring_plugins.search.features.model import FeatureSpace, FeatureSpec, FeatureValue

_TEMPLATES = "-templates.yaml"
_SINGLY = ("word_deletion", "fillers", "homophones")

NAVIQA_11 = "naviqa-11"
"""naviqa with its three perturbations as one feature, so that it has 11,664,000 vectors."""


def list_bundled() -> list[str]:
    """Return the names of the bundled spaces."""
    files_found = [
        item.name
        for item in files("sparring_plugins.search.features").joinpath("library").iterdir()
        if item.name.endswith(".yaml")
    ]
    spaces = [name.removesuffix(".yaml") for name in files_found if not name.endswith(_TEMPLATES)]
    return sorted([*spaces, NAVIQA_11])


def load_bundled(name: str, context: BuildContext) -> FeatureSpace:
    """Return a bundled space by its name; raises KeyError."""
    if name not in list_bundled():
        raise KeyError(name)
    if name == NAVIQA_11:
        return _with_one_perturbation(load_bundled("naviqa", context))
    with as_file(
        files("sparring_plugins.search.features").joinpath("library") / f"{name}.yaml"
    ) as path:
        return read_space(Path(path), context, shown=f"{name}.yaml")


def _with_one_perturbation(space: FeatureSpace) -> FeatureSpace:
    values = [FeatureValue(value="none")]
    for name in _SINGLY:
        applied = space.feature(name).values[-1]
        values.append(applied.model_copy(update={"value": name}))
    words = FeatureSpec(
        name="words",
        group="perturbation",
        values=tuple(values),
        about="what happens to words",
        none=0,
    )
    kept = [feature for feature in space.features if feature.name not in _SINGLY]
    constraints = [
        constraint for constraint in space.constraints if _SINGLY[0] not in constraint.expression
    ]
    return space.model_copy(
        update={
            "name": NAVIQA_11,
            "features": (*kept, words),
            "constraints": tuple(constraints),
        }
    )


def find_spaces(written: Sequence[str], context: BuildContext) -> list[FeatureSpace]:
    """Return the spaces that names stand for, each once; their names must be unique.

    A name is that of a bundled space, an import path ``package.module:SPACE`` of a `FeatureSpace`
    (or of a function that makes one), or a file, folder or glob pattern as elsewhere in a suite.
    Files that a space names are relative to the folder of its own file or module. Raises
    ConfigurationError.
    """
    spaces: list[FeatureSpace] = []
    for name in written:
        spaces += _find(name, context)
    for number, space in enumerate(spaces):
        others = [other for other in spaces[:number] if other.name == space.name]
        if others:
            message = f"{others[0].source or 'a space'} has the same name"
            raise ConfigurationError(Problem(message, space.source, key=f"name: {space.name}"))
    return spaces


def _find(written: str, context: BuildContext) -> list[FeatureSpace]:
    bundled_names = list_bundled()
    if written in bundled_names:
        return [load_bundled(written, context)]
    if _is_import_path(written):
        return [_with_templates(_import_space(written), context)]
    try:
        paths = context.files(written)
    except ConfigurationError as err:
        if any(mark in written for mark in "/\\*."):
            raise
        hint = nearest(written, bundled_names)
        raise ConfigurationError(f"no feature space is called {written!r}.{hint}") from err
    return [_with_templates(read_space(path, context), context) for path in paths]


def _with_templates(space: FeatureSpace, context: BuildContext) -> FeatureSpace:
    """Return the space, and record its templates as an input of the run."""
    if space.templates is not None:
        context.files(str(Path(space.templates).absolute()))
    return space


def _is_import_path(written: str) -> bool:
    module, colon, attribute = written.partition(":")
    return bool(colon) and all(
        part.isidentifier() for part in (*module.split("."), *attribute.split("."))
    )


def _import_space(written: str) -> FeatureSpace:
    require_code_allowed(written)
    module, _, attribute = written.partition(":")
    try:
        value: object = import_module(module)
        home = Path(getattr(value, "__file__", None) or ".").parent
        for part in attribute.split("."):
            value = getattr(value, part)
        space = value if isinstance(value, FeatureSpace) or not callable(value) else value()
    except Exception as err:
        raise ConfigurationError(f"{written} cannot be imported: {in_words(err)}") from err
    if not isinstance(space, FeatureSpace):
        raise ConfigurationError(f"{written} is {type(space).__name__}, and no FeatureSpace")
    absolute = {
        "templates": None if space.templates is None else str(home / space.templates),
        "examples": tuple(str(home / example) for example in space.examples),
    }
    return space.model_copy(update=absolute)
