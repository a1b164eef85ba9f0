"""What is doubtful about test cases, before anything is run."""

from collections.abc import Iterator, Sequence

from sparring_plugins.output.lint_findings import LintFinding, LintKind, Severity
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.examples import nearest_form
from sparring_plugins.web.grammar.steps import AMBIGUOUS, UNCLOSED, UNKNOWN, UNQUOTED
from sparring_plugins.web.grammar.unsupported import nearest_form as unsupported_form
from sparring_plugins.web.step import AllOf, AnyOf, Condition, Counted, Not, Reading, Step
from sparring_plugins.web.suites.case import TestCase, names_in
from sparring_plugins.web.suites.translations import REVIEW, STALE, how_read

#: Actions that may come after the last assertion, because they change nothing in the app.
_HARMLESS = frozenset({"assert", "wait", "scroll"})


def lint_cases(cases: Sequence[TestCase]) -> list[LintFinding]:
    """Return everything that is doubtful about test cases, in their order."""
    return [finding for case in cases for finding in _lint_case(case)]


def _lint_case(case: TestCase) -> Iterator[LintFinding]:
    case = case.with_values({name: values[0] for name, values in case.vary.items()})
    yield from (_lint_note(case, note) for note in case.notes)
    for step in (*case.setup, *case.steps, *case.teardown):
        yield from _lint_step(case, step)
    yield from _lint_order(case)
    yield from _lint_variables(case)


def _finding(
    case: TestCase, kind: LintKind, severity: Severity, message: str, step: Step | None = None,
    readings: tuple[str, ...] = (),
) -> LintFinding:  # fmt: skip
    return LintFinding(
        kind=kind, severity=severity, message=message, case=case.name,
        step=step.number if step else None, text=step.text if step else "", readings=readings,
        file=case.file, line=step.line if step and step.line else case.line,
        read=how_read(step) if step else None,
    )  # fmt: skip


def _lint_note(case: TestCase, note: str) -> LintFinding:
    if "given twice" in note:
        return _finding(case, "duplicate-name", "warning", note)
    if "'expected'" in note:
        return _finding(case, "expected-indexing", "note", note)
    return _finding(case, "dirty", "note", note)


def _lint_step(case: TestCase, step: Step) -> Iterator[LintFinding]:
    for problem in step.problems:
        if problem.startswith(UNCLOSED):
            yield _finding(case, "unclosed-quote", "warning", problem, step)
        elif problem.startswith(UNQUOTED):
            yield _finding(case, "unquoted-target", "warning", problem, step)
        elif problem.startswith("the value is not quoted"):
            yield _finding(case, "unquoted-value", "warning", problem, step)
        elif problem.startswith(AMBIGUOUS):
            yield _ambiguous(case, step)
        elif problem.startswith("holds ") and not step.readings:
            yield _finding(case, "several-steps", "error", problem, step)
        elif problem.startswith(UNKNOWN):
            yield _unknown(case, problem, step)
        elif problem.startswith(STALE):
            yield _finding(case, "stale-translation", "warning", problem, step)
        elif problem.startswith(REVIEW):
            yield _finding(case, "review", "warning", problem, step)
        else:
            yield _finding(case, "empty", "error", problem, step)
    if step.text != step.text.strip() or "  " in step.text.strip():
        yield _finding(case, "dirty", "note", "has blanks too many", step)


def _unknown(case: TestCase, problem: str, step: Step) -> LintFinding:
    """Return the finding on a sentence without a form: weakly read on the page, or not at all."""
    nearest = nearest_form(step.text)
    hint = f"; the nearest known form is: {nearest}" if nearest else ""
    if problem == UNKNOWN and how_read(step) == "weak" and not unsupported_form(step.text):
        # a run may well decide it, on the page that it sees
        message = f"has no known form, and is read weakly, on the page at hand{hint}"
        hint = "" if nearest else ": 'sparring translate' makes it exact"
        return _finding(case, "not-understood", "warning", message + hint, step)
    if problem == UNKNOWN and not nearest:
        hint = "; 'sparring translate' asks a model or you what it means"
    return _finding(case, "not-understood", "error", problem + hint, step)


def stale_translations(case: TestCase) -> Iterator[str]:
    """Yield what a run must not pass over: sentences that changed since they were translated."""
    for step in (*case.setup, *case.steps, *case.teardown):
        for problem in step.problems:
            if problem.startswith(STALE):
                yield f"step {step.number}: '{step.text}' {problem}"


def _ambiguous(case: TestCase, step: Step) -> LintFinding:
    readings = tuple(reading.explanation for reading in step.readings)
    if _differ_in_count(step.readings):
        message = "a bare number: say 'exactly' or 'at least' (it is read as 'exactly')"
        return _finding(case, "exactly-or-at-least", "warning", message, step, readings)
    message = f"can be read in {len(readings)} ways"
    return _finding(case, "two-readings", "warning", message, step, readings)


def _differ_in_count(readings: tuple[Reading, ...]) -> bool:
    """Return whether the readings are the same but for the comparison of a count."""
    shapes = [_without_comparison(r.condition) for r in readings if r.condition]
    return len(shapes) > 1 and shapes[0] is not None and all(s == shapes[0] for s in shapes)


def _without_comparison(condition: Condition) -> Condition | None:
    match condition:
        case Counted():
            return condition.model_copy(update={"comparison": "=="})
        case Not():
            inner = _without_comparison(condition.condition)
            return Not(condition=inner) if inner else None
        case AllOf() | AnyOf():
            parts = [_without_comparison(c) or c for c in condition.conditions]
            return condition.model_copy(update={"conditions": tuple(parts)})
        case _:
            return None


def _lint_order(case: TestCase) -> Iterator[LintFinding]:
    """Find a case that asserts nothing, or an action after the last assertion."""
    assertions = [index for index, step in enumerate(case.steps) if is_assertion(step)]
    if not assertions:
        yield _finding(case, "no-assertion", "warning", "asserts nothing: it cannot fail")
        return
    for step in case.steps[assertions[-1] + 1 :]:
        action = step.reading.action if step.reading else None
        if action not in _HARMLESS:
            message = "comes after the last assertion: nothing looks at what it does"
            yield _finding(case, "action-after-assertions", "warning", message, step)
            return


def _lint_variables(case: TestCase) -> Iterator[LintFinding]:
    names = {*case.variables, *case.secrets, *case.vary}
    for step in (*case.setup, *case.steps, *case.teardown):
        for name in names_in(step.text):
            if name not in names:
                names.add(name)
                message = f"the variable '{name}' is not in the file: the app must give it"
                yield _finding(case, "unknown-variable", "note", message, step)
