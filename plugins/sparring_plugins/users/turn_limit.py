"""When a conversation of a simulated user is over."""

from dataclasses import dataclass
from random import Random

from sparring_plugins.users.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class TurnLimit:
    """At most `turns` turns of the user; `by_goals` says that it ends early with the goals met."""

    turns: int
    by_goals: bool


def turn_limit(profile: Profile, seed: int, max_turns: int) -> TurnLimit:
    """The limit that a profile's goal style sets for one case (SENSEI, ``goal_style``).

    ``steps`` is a number of user turns, ``random steps`` a number up to it drawn with the case's
    seed; ``all_answered`` ends with the goals, at the latest after its limit; where steps are
    given besides, whichever comes first. A limit of cost alone leaves the turns to `max_turns`.
    """
    steps = profile.steps or max_turns
    match profile.goal_style:
        case "steps":
            return TurnLimit(min(steps, max_turns), by_goals=False)
        case "cost":
            return TurnLimit(max_turns, by_goals=False)
        case "random steps":
            return TurnLimit(min(Random(seed).randint(1, steps), max_turns), by_goals=False)
        case _:
            return TurnLimit(min(steps, profile.limit, max_turns), by_goals=True)
