"""The feature spaces that are ready for use, each with its templates."""

from importlib.resources import as_file, files
from pathlib import Path

from sparring.interfaces.plugin import BuildContext
from sparring_plugins.search.features.files import read_space
from sparring_plugins.search.features.model import FeatureSpace, FeatureSpec, FeatureValue

_TEMPLATES = "-templates.yaml"
_SINGLY = ("word_deletion", "fillers", "homophones")

NAVIQA_11 = "naviqa-11"
"""naviqa with its three perturbations as one feature, so that it has 11,664,000 vectors."""


def names() -> list[str]:
    """The names of the spaces."""
    found = [
        item.name
        for item in files("sparring_plugins.search.features").joinpath("library").iterdir()
        if item.name.endswith(".yaml")
    ]
    own = [name.removesuffix(".yaml") for name in found if not name.endswith(_TEMPLATES)]
    return sorted([*own, NAVIQA_11])


def bundled(name: str, context: BuildContext) -> FeatureSpace:
    """A space by its name; raises KeyError."""
    if name not in names():
        raise KeyError(name)
    if name == NAVIQA_11:
        return _with_one_perturbation(bundled("naviqa", context))
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
    constraints = [one for one in space.constraints if _SINGLY[0] not in one.expression]
    return space.model_copy(
        update={
            "name": NAVIQA_11,
            "features": (*kept, words),
            "constraints": tuple(constraints),
        }
    )
