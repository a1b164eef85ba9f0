"""Suites in the published tool's JSON: ``[{"name", "actions", "expected"}]``.

Dirty data is survived and noted: names written twice, blanks around a step, values of `expected`
by assertion or by action, keys that are not known.
"""

from collections.abc import Iterator
from typing import Any, cast

from sparring.documents.checking import shown
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.roles.step import Step
from sparring_plugins.web.suites.case import TestCase, aligned

_KEYS = frozenset({"name", "actions", "expected"})


def published_cases(document: Document) -> list[TestCase]:
    """The test cases of a document; raises ConfigurationError with a problem per fault."""
    data: Any = document.data
    at: tuple[Key, ...] = ()
    if isinstance(data, dict) and isinstance(cast("dict[str, Any]", data).get("tests"), list):
        data, at = cast("dict[str, Any]", data)["tests"], ("tests",)
    if not isinstance(data, list):
        what = "expected a list of test cases, each with 'name' and 'actions'"
        raise ConfigurationError(document.problem(f"{what}, found {shown(data)}", at))
    problems: list[Problem] = []
    found: list[TestCase] = []
    for index, item in enumerate(cast("list[Any]", data)):
        case = _case(document, (*at, index), item, problems)
        if case is not None:
            found.append(case)
    if not found and not problems:
        problems.append(document.problem("holds no test cases", at))
    if problems:
        raise ConfigurationError(*problems)
    return found


def _case(
    document: Document, at: tuple[Key, ...], item: Any, problems: list[Problem]
) -> TestCase | None:
    if not isinstance(item, dict):
        what = f"expected a test case with 'name' and 'actions', found {shown(item)}"
        problems.append(document.problem(what, at))
        return None
    given = cast("dict[str, Any]", item)
    steps = _steps(document, (*at, "actions"), given.get("actions"), problems)
    if steps is None:
        return None
    written: Any = given.get("name")
    title = str(written).strip() if isinstance(written, (str, int, float)) else ""
    name = " ".join(title.split()) or f"test {int(cast('int', at[-1])) + 1}"
    expected, indexing, notes = _expected(document, at, given.get("expected"), steps, problems)
    notes += [f"the key '{key}' is not known" for key in given if key not in _KEYS]
    notes += [] if title else ["has no name"]
    return TestCase(
        name=name, title=title, steps=steps, expected=expected, indexing=indexing,
        notes=tuple(notes), file=document.file, line=document.line(at),
    )  # fmt: skip


def _steps(
    document: Document, at: tuple[Key, ...], given: Any, problems: list[Problem]
) -> tuple[Step, ...] | None:
    if not isinstance(given, list) or not given:
        problems.append(document.problem(f"expected a list of steps, found {shown(given)}", at))
        return None
    found: list[Step] = []
    for index, text in enumerate(cast("list[Any]", given)):
        if isinstance(text, str):
            found.append(read_step(text, number=index + 1, line=document.line((*at, index))))
        else:
            what = f"expected a step as a text, found {shown(text)}"
            problems.append(document.problem(what, (*at, index)))
    return tuple(found) if len(found) == len(cast("list[Any]", given)) else None


def _expected(
    document: Document, at: tuple[Key, ...], given: Any, steps: tuple[Step, ...],
    problems: list[Problem],
) -> tuple[tuple[bool | None, ...], Any, list[str]]:  # fmt: skip
    """What is expected of each step, how it was given, and notes on it."""
    nothing = tuple(None for _ in steps)
    if given is None:
        everything = tuple(True if is_assertion(step) else None for step in steps)
        return everything, None, ["has no 'expected': every assertion is expected to hold"]
    values = list(_truths(given))
    if not values or None in values:
        what = f"expected a list of 0 and 1, found {shown(given)}"
        problems.append(document.problem(what, (*at, "expected")))
        return nothing, None, []
    found = aligned(tuple(bool(value) for value in values), steps)
    if found is None:
        asserting = sum(is_assertion(step) for step in steps)
        what = (
            f"has {len(values)} values, which fits neither the {len(steps)} actions "
            f"nor the {asserting} assertions"
        )
        problems.append(document.problem(what, (*at, "expected")))
        return nothing, None, []
    by = "action" if found[1] == "step" else "assertion"
    return found[0], found[1], [f"'expected' is read as one value per {by}"]


def _truths(given: Any) -> Iterator[bool | None]:
    if not isinstance(given, list):
        return
    for value in cast("list[Any]", given):
        yield bool(value) if value in (0, 1) and not isinstance(value, str) else None
