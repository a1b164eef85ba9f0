"""A user profile, whatever file shape it was read from, and what shows that its goals are met."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring.documents.checking import nearest, shown
from sparring.interfaces.roles import OutputSpec
from sparring.model.base import Value
from sparring.model.space import Scenario, Space, Variable
from sparring_plugins.users.profiles.profile_source import Parts, Path_, Source, listed, mapping

# --- What shows that goals are met, as a profile names it (`done_when`)


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


# --- The profile


class Unresolved(Value):
    """A value of a variable that could not be worked out when the profile was read.

    `text` stands in the variable's domain in its place. A case that picks it cannot be played:
    if a model or a word list is missing it is inconclusive, if Python is not allowed an
    error of the test; `message` says what is missing.
    """

    variable: str
    text: str
    need: Literal["model", "python"]
    message: str


class Profile(Value):
    """One simulated user's test case (SENSEI, section 3).

    `name` is unique among the profiles of a suite, `test_name` is as written. `goals` are
    templates with ``{{variable}}`` holes. `context` has the persona's sentences first, then the
    profile's own; `persona` is its name, and `traits` are those of its traits that differ from the
    usual ones. `goal_style` and its numbers say when a conversation is over: after `steps`
    user turns, after a random number of them up to `steps`, when all goals are met (at most
    `limit` user turns), or whichever comes first if both are given; and in any case when the
    answers of language models in it are worth `cost` US dollars. `conversation` is the
    block as SENSEI records it with each conversation. `shape` names the file shape that was read.
    ``sparring run -k`` selects by `tags` as by names.
    `llm` has the model settings of the file, `unresolved` the values that need a model.
    """

    name: str
    test_name: str
    source: str
    shape: str
    tags: tuple[str, ...] = ()
    language: str = "English"
    role: str = ""
    context: tuple[str, ...] = ()
    persona: str = ""
    traits: dict[str, JsonValue] = {}
    goals: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    done_when: tuple[Evidence, ...] = ()
    starts: Literal["user", "app"] = "user"
    fallbacks: tuple[str, ...] = ()
    number: int | Literal["all"] | None = None
    sample: float | None = Field(default=None, gt=0, le=1)
    goal_style: Literal["steps", "random steps", "all_answered", "default", "cost"] = "default"
    steps: int | None = Field(default=None, gt=0)
    limit: int = Field(default=30, gt=0)
    export: bool = False
    cost: float | None = Field(default=None, gt=0)
    styles: tuple[JsonValue, ...] = ("default",)
    conversation: tuple[JsonValue, ...] = ()
    warnings: tuple[str, ...] = ()
    llm: dict[str, JsonValue] = {}
    unresolved: tuple[Unresolved, ...] = ()
    compat: Literal["sensei"] | None = None


def scenarios(profiles: Iterable[Profile]) -> Space:
    """The space of all cases of the profiles: one scenario each."""
    return Space(
        scenarios=tuple(
            Scenario(
                name=profile.name,
                variables=profile.variables,
                outputs=tuple(output.name for output in profile.outputs),
                number=profile.number,
                sample=profile.sample,
                description=profile.role,
                source=profile.source,
                tags=(f"shape:{profile.shape}", *profile.tags),
            )
            for profile in profiles
        )
    )


def temperature_of(profile: Profile) -> float | None:
    """What the profile wants a language model to be asked with; None if it does not say."""
    value = profile.llm.get("temperature")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 2:
        return None
    return float(value)


def unresolved_in(profile: Profile, params: Mapping[str, JsonValue]) -> tuple[Unresolved, ...]:
    """Those of a profile's unresolved values that a case has picked."""
    return tuple(
        item for item in profile.unresolved if _is_picked(item.text, params.get(item.variable))
    )


def _is_picked(text: str, value: JsonValue) -> bool:
    if isinstance(value, list):
        return any(_is_picked(text, item) for item in value)
    return value == text
