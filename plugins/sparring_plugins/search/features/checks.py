"""What is wrong with a feature space as a whole: conditions, misspelt values, contradictions."""

import ast
from collections.abc import Callable, Iterator, Sequence

from sparring.documents.checking import nearest
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext
from sparring.model.space import Constraint
from sparring_plugins.search.features.file_model import SpaceEntry
from sparring_plugins.search.features.model import FeatureSpace
from sparring_plugins.search.space import CaseSpace, TooHard

Report = Callable[[str, Sequence[Key]], None]


def check_conditions(
    document: Document,
    entry: SpaceEntry,
    space: FeatureSpace,
    context: BuildContext,
    report: Report,
) -> None:
    """Compile each condition where it stands; name texts in it that are no value of a feature."""
    for text, at in _conditions(entry):
        for told in faults(text, space, context):
            report(told, at)


def faults(text: str, space: FeatureSpace, context: BuildContext) -> Iterator[str]:
    """What is wrong with one condition over the features of a space."""
    names = [feature.name for feature in space.features]
    try:
        context.condition(text, names)
    except ConfigurationError as err:
        yield from (problem.message for problem in err.problems)
        return
    for name, value in _compared(text):
        if name in names and not _has(space, name, value):
            known = [str(one.value) for one in space.feature(name).values]
            yield f"{name} has no value {value!r}.{nearest(str(value), known)}"


def check_possible(
    space: FeatureSpace, context: BuildContext, document: Document, report: Report
) -> None:
    """Name a space without cases, and values that no case has, with the constraints to blame."""
    cases = CaseSpace(space.scenario(), context)
    try:
        conflict = cases.conflict({})
        if conflict:
            report(f"no case satisfies all constraints: {_blamed(conflict)}", ("constraints",))
            return
        for feature in space.features:
            for value in feature.values:
                if not cases.possible(feature.name, value.value):
                    blamed = _blamed(cases.conflict({feature.name: value.value}))
                    told = f"no case has {feature.name} = {value.value!r}: {blamed}"
                    report(told, (feature.group, feature.name, "values"))
    except TooHard as err:
        context.warn(f"{document.file}: contradictions were not looked for: {err}")


def _blamed(constraints: Sequence[Constraint]) -> str:
    """The constraints to blame, each with its line."""
    told = [
        f"line {(one.source or '').rpartition(':')[2]} (`{one.expression}`)" for one in constraints
    ]
    together = " together rule it out" if len(told) > 1 else " rules it out"
    return " and ".join(told) + together


def _conditions(entry: SpaceEntry) -> Iterator[tuple[str, tuple[Key, ...]]]:
    for number, one in enumerate(entry.constraints):
        for key in ("always", "never", "when", "then"):
            text = getattr(one, key)
            if text is not None:
                yield text, ("constraints", number, key)
    for group in ("style", "content", "perturbation"):
        for name, feature in getattr(entry, group).items():
            if isinstance(feature.check, str):
                yield feature.check, (group, name, "check")


def _compared(text: str) -> Iterator[tuple[str, object]]:
    """The constants that names are compared with in an expression that compiles."""
    try:
        tree = ast.parse(f"(\n{text}\n)", mode="eval")
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(op, (ast.Eq, ast.NotEq)):
                yield from _pairs(left, [right])
                yield from _pairs(right, [left])
            elif isinstance(op, (ast.In, ast.NotIn)) and isinstance(
                right, (ast.List, ast.Tuple, ast.Set)
            ):
                yield from _pairs(left, right.elts)


def _pairs(name: ast.expr, values: Sequence[ast.expr]) -> Iterator[tuple[str, object]]:
    if isinstance(name, ast.Name):
        for value in values:
            if isinstance(value, ast.Constant):
                yield name.id, value.value


def _has(space: FeatureSpace, name: str, value: object) -> bool:
    """Whether a feature has a value that equals a constant (as `==` does, so 4 is 4.0)."""
    return any(one.value == value for one in space.feature(name).values)
