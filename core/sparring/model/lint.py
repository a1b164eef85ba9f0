"""What a look at test cases finds before anything is run."""

from typing import Literal

from sparring.model.base import Value

LintKind = Literal[
    "not-understood", "empty", "unclosed-quote", "unquoted-target", "unquoted-value",
    "two-readings",
    "exactly-or-at-least", "no-assertion", "action-after-assertions", "several-steps",
    "unknown-variable", "duplicate-name", "expected-indexing", "dirty",
]  # fmt: skip
Severity = Literal["error", "warning", "note"]


class LintFinding(Value):
    """One thing that is doubtful about a step or a test case.

    `kind` is what it is, in a word that stays the same; `readings` are the ways in which the step
    can be read, in plain words, the likeliest first. `step` counts from 1 within the case.
    """

    kind: LintKind
    severity: Severity
    message: str
    case: str = ""
    step: int | None = None
    text: str = ""
    readings: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None
