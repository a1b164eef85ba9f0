"""What is doubtful about a step, for ``sparring lint``."""

from collections.abc import Iterator

from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.roles.step import AllOf, AnyOf, Condition, Not, Reading, Target

UNCLOSED = "a quote is not closed"
UNQUOTED = "the target is not quoted"
AMBIGUOUS = "can be read in"
UNKNOWN = "is not understood"


def problems_of(readings: tuple[Reading, ...], tokens: Tokens) -> tuple[str, ...]:
    """The problems of a step that is understood."""
    found: list[str] = []
    for token in tokens:
        if not token.closed:
            found.append(f"{UNCLOSED}: read as '{token.text}'")
    bare = dict.fromkeys(t.text for t in targets_of(readings[0]) if t.text and not t.quoted)
    found += [f"{UNQUOTED}: '{text}'" for text in bare]
    quoted = {token.text for token in tokens if token.quoted}
    value = readings[0].value
    if readings[0].action in ("fill", "type", "select") and value and " " in value:
        found += [f"the value is not quoted: '{value}'"] if value not in quoted else []
    if len(readings) > 1:
        ways = "; ".join(f"({n}) {r.explanation}" for n, r in enumerate(readings, 1))
        found.append(f"{AMBIGUOUS} {len(readings)} ways: {ways}")
    return tuple(found)


def unknown(text: str) -> tuple[str, ...]:
    """The problem of a text that is not understood."""
    if not text.strip():
        return ("is empty",)
    first = text.split(maxsplit=1)[0].casefold().strip(",")
    if first in ("if", "unless", "otherwise", "else"):
        return (f"{UNKNOWN}: steps cannot depend on a condition",)
    return (UNKNOWN,)


def targets_of(reading: Reading) -> Iterator[Target]:
    """Everything on the page that a reading names."""
    for target in (reading.target, reading.destination):
        if target is not None:
            yield target
    if reading.condition is not None:
        yield from _targets(reading.condition)


def _targets(condition: Condition) -> Iterator[Target]:
    match condition:
        case Not():
            yield from _targets(condition.condition)
        case AllOf() | AnyOf():
            for part in condition.conditions:
                yield from _targets(part)
        case _:
            target = getattr(condition, "target", None)
            other = getattr(condition, "other", None)
            yield from (one for one in (target, other) if isinstance(one, Target))
