"""What is doubtful about test cases and goals before anything is run, for ``sparring lint``."""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from sparring.model.base import Value

LintKind = Literal[
    "not-understood", "empty", "unclosed-quote", "unquoted-target", "unquoted-value",
    "two-readings",
    "exactly-or-at-least", "no-assertion", "action-after-assertions", "several-steps",
    "unknown-variable", "duplicate-name", "expected-indexing", "dirty",
    "stale-translation", "review",
    "goal", "unspeakable-goal",
]  # fmt: skip
Severity = Literal["error", "warning", "note"]
How = Literal["exact", "weak", "unread", "translated"]


class LintFinding(Value):
    """One thing that is doubtful, or worth knowing, about a step, a test case or a goal.

    `kind` is what it is, in a word that stays the same; `readings` are the ways in which a step
    can be read, in plain words, the likeliest first, or the sentences that a goal becomes. `step`
    counts from 1 within the case, as goals do. `read` is how surely a step is read: exactly,
    weakly (on the page at hand), not at all, or as it was translated.
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
    read: How | None = None


@runtime_checkable
class ChecksCases(Protocol):
    """A player that can look at its test cases or goals without running them."""

    def lint(self) -> Sequence[LintFinding]:
        """Return what is doubtful about its test cases or goals, for ``sparring lint``."""
        ...
