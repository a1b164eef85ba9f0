"""Messages that serve no goal: what an adversarial persona sends between its wishes."""

from collections.abc import Sequence
from random import Random

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Listen, Say, Turn
from sparring_plugins.users.agenda.app_reply import read_answer
from sparring_plugins.users.agenda.style import Manner
from sparring_plugins.users.personas.remarks import manners
from sparring_plugins.users.personas.traits import Attack

MOST = 3
"""Attacks of one conversation at most, so that the goals are still pursued."""

FLOOD = 3_000
"""Characters of a very long message, at least."""


def is_attack(turn: Turn) -> bool:
    """Whether the user's act in a turn served no goal."""
    return isinstance(turn.act, Say) and turn.act.meant == ""


def attack(task: UserTask, manner: Manner) -> Say | None:
    """A message to throw the app off course; None where there is none now.

    Never twice in a row, and never in the place of an answer to a question that only the user can
    answer: whatever was said there would be taken for the answer.
    """
    traits = manner.traits
    made = [turn for turn in task.turns if is_attack(turn)]
    if not traits.attacks or len(made) >= MOST or not _occasion(task.turns):
        return None
    draw = Random(f"{task.seed}/attack/{manner.turn}")
    if draw.random() >= traits.attacks:
        return None
    start = Random(f"{task.seed}/attacks").randrange(len(traits.attack_kinds))
    kind = traits.attack_kinds[(start + len(made)) % len(traits.attack_kinds)]
    return Say(text=_text(kind, manner.language, draw), meant="")


def _occasion(turns: Sequence[Turn]) -> bool:
    spoken = [turn for turn in turns if not isinstance(turn.act, Listen)]
    if not spoken or is_attack(spoken[-1]):
        return False
    reading = read_answer(spoken[-1].observation)
    return not (reading.fallback or reading.empty or reading.asks("open", "confirm", "select"))


def _text(kind: Attack, language: str, draw: Random) -> str:
    known = manners(language)
    match kind:
        case "injection":
            return draw.choice(known.injections)
        case "contradiction":
            return draw.choice(known.contradictions)
        case "flood":
            return (known.flood * (FLOOD // len(known.flood) + 1)).strip()
        case "nonsense":
            return " ".join(_letters(draw) for _ in range(draw.randint(3, 8)))


def _letters(draw: Random) -> str:
    return "".join(draw.choice("bcdfghjklmpqrstvwxz") for _ in range(draw.randint(3, 9)))


def heeded(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns as the user remembers them: without attacks.

    Where the app answered an attack with something else than that it did not understand, that is
    what the user goes on from.
    """
    found: list[Turn] = []
    for turn in turns:
        if not is_attack(turn):
            found.append(turn)
            continue
        reading = read_answer(turn.observation)
        if found and not reading.fallback and not reading.empty:
            found[-1] = found[-1].model_copy(update={"observation": turn.observation})
    return tuple(found)
