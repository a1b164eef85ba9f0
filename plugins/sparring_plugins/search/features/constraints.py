"""From a file's constraints to conditions that every case satisfies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sparring.documents.checking import nearest
from sparring.documents.reading import Document, Key
from sparring.model.space import Constraint
from sparring_plugins.search.features.file_model import ConstraintEntry
from sparring_plugins.search.features.model import FeatureSpec

Report = Callable[[str, Sequence[Key]], None]
Features = Mapping[str, FeatureSpec]


def constraints_of(
    entries: Sequence[ConstraintEntry], features: Features, document: Document, report: Report
) -> tuple[Constraint, ...]:
    """The constraints of a file; an entry may make several."""
    found: list[Constraint] = []
    for number, entry in enumerate(entries):
        at = ("constraints", number)
        source = f"{document.file}:{document.line(at)}"
        for expression, assign in _conditions(entry, features, at, report):
            found.append(
                Constraint(
                    expression=expression,
                    description=entry.about,
                    when=entry.when,
                    assign=assign,
                    source=source,
                )
            )
    return tuple(found)


def _conditions(
    entry: ConstraintEntry, features: Features, at: tuple[Key, ...], report: Report
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each condition with the values that a repair assigns."""
    if entry.always is not None:
        yield entry.always, {}
    if entry.never is not None:
        yield f"not ({entry.never})", {}
    for name in entry.drop:
        spec = _spec(name, features, (*at, "drop"), report)
        if spec is not None and spec.none is None:
            message = f"{name} cannot be dropped: it has no value that leaves it out; add `none`"
            report(message, (*at, "drop"))
        elif spec is not None and spec.none is not None:
            none = spec.values[spec.none].value
            yield _implied(entry.when, f"{name} == {none!r}"), {name: none}
    for name, value in entry.assign.items():
        if _knows(name, value, features, (*at, "set", name), report):
            yield _implied(entry.when, f"{name} == {value!r}"), {name: value}
    for name, values in entry.forbid.items():
        place = (*at, "forbid", name)
        known = [_knows(name, value, features, place, report) for value in values]
        if all(known):  # each unknown one is reported
            yield _implied(entry.when, f"{name} not in {list(values)!r}"), {}
    if entry.then is not None:
        yield _implied(entry.when, f"({entry.then})"), {}


def _implied(when: str | None, conclusion: str) -> str:
    return conclusion if when is None else f"not ({when}) or {conclusion}"


def _spec(name: str, features: Features, at: tuple[Key, ...], report: Report) -> FeatureSpec | None:
    if name not in features:
        report(f"no feature is called {name!r}.{nearest(name, list(features))}", at)
    return features.get(name)


def _knows(name: str, value: Any, features: Features, at: tuple[Key, ...], report: Report) -> bool:
    spec = _spec(name, features, at, report)
    if spec is None:
        return False
    try:
        spec.at(value)
    except KeyError:
        known = [str(one.value) for one in spec.values]
        report(f"{name} has no value {value!r}.{nearest(str(value), known)}", at)
        return False
    return True
