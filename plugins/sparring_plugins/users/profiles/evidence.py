"""What shows that goals are met, as a profile names it (`done_when`)."""

from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue

from sparring.documents.checking import nearest, shown
from sparring_plugins.users.profiles.profile_source import Parts, Path_, Source, listed, mapping

KEYS = ("goals", "says", "output", "state")


class Evidence(BaseModel):
    """One condition under which goals are met; all that is given must hold.

    `goals` are the numbers of the goals from 1 on, all of them if empty. `says` is a phrase that
    the app must say after the user has spoken, ``*`` stands for any text; `output` an output that
    must have a value; `state` what the app's end state must contain. Holes of variables are filled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    goals: tuple[int, ...] = ()
    says: str = ""
    output: str = ""
    state: JsonValue = None


def read_evidence(source: Source, parts: Parts, *, goals: int, outputs: set[str]) -> list[Evidence]:
    """Read `done_when`: a phrase alone, a map, or a list of these; problems go to the source."""
    entries: list[Evidence] = []
    for item, at in listed(parts.value("done_when"), parts.at("done_when")):
        fields = {"says": item} if isinstance(item, str) else mapping(item)
        if fields is None:
            source.error(
                f"expected a phrase, or a map of {', '.join(KEYS)}; found {shown(item)}", at
            )
            continue
        unknown = [str(key) for key in fields if key not in KEYS]
        for key in unknown:
            source.error(f"unknown key.{nearest(key, KEYS)}", (*at, key))
        if not unknown and not any(fields.get(key) for key in KEYS[1:]):
            source.error("expected at least one of says, output and state", at)
        output = source.text(fields.get("output"), (*at, "output"))
        if output and output not in outputs:
            hint = nearest(output, sorted(outputs))
            source.error(f"no output is called {output!r}.{hint}", (*at, "output"))
        entries.append(
            Evidence(
                goals=_numbers(source, fields.get("goals"), (*at, "goals"), goals),
                says=source.text(fields.get("says"), (*at, "says")),
                output=output,
                state=fields.get("state"),
            )
        )
    return entries


def _numbers(source: Source, written: Any, at: Path_, goals: int) -> tuple[int, ...]:
    """The numbers of goals; those that are none become problems."""
    numbers: list[int] = []
    for item, here in listed(written, at):
        if isinstance(item, int) and not isinstance(item, bool) and 1 <= item <= goals:
            numbers.append(item)
        else:
            source.error(f"expected the number of a goal, 1 to {goals}; found {shown(item)}", here)
    return tuple(numbers)
