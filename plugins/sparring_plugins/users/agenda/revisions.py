"""Changing one's mind: another value in the place of one that was given already."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pydantic import JsonValue

from sparring.interfaces.roles import UserTask
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.frame_text import filled
from sparring_plugins.users.agenda.frames import LANGUAGES, frames
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.user_goals import Want, wants_of
from sparring_plugins.users.agenda.value_matching import mentions
from sparring_plugins.users.extraction.echoes import as_texts
from sparring_plugins.users.profiles.goal_templates import revised_goals

ATTEMPTS = 2
"""How often the user says that it changed its mind, where it is not understood."""

_MOST_SLOTS = 12


@dataclass(frozen=True, slots=True)
class Change:
    """A slot, its new value in the shape of the case's own, and the goal put anew."""

    slot: Slot
    value: JsonValue
    text: str
    want: Want

    def ways(self, language: str) -> list[str]:
        """The ways to say it in a language."""
        known = frames(language)
        listed = {"action": known.revise_action, "statement": known.revise_statement}.get(
            self.want.frame, known.revise
        )
        return [filled(frame, self.want.words) for frame in listed]


def with_values(task: UserTask, values: Mapping[str, JsonValue]) -> UserTask:
    """The task with other values in its inputs and goals, each in the shape of the case's own."""
    if not values:
        return task
    shaped = {name: reshaped(task.inputs.get(name), value) for name, value in values.items()}
    return task.model_copy(
        update={
            "inputs": {**task.inputs, **shaped},
            "goals": revised_goals(task.goals, task.inputs, shaped, task.language),
        }
    )


def reshaped(before: JsonValue, value: JsonValue) -> JsonValue:
    """A value in the shape of the one that it replaces: a list of one, a number."""
    if isinstance(before, list) and not isinstance(value, list):
        return [reshaped(before[0] if before else None, value)]
    if isinstance(before, int) and isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value


def changes(task: UserTask, slots: Sequence[Slot]) -> list[Change]:
    """What the user may change its mind about, in the order of its preference.

    Only services: a question that was answered stays answered. The new value is drawn with the
    seed from the variable's other values; of several values the last one is replaced. Contacts
    stay as they are.
    """
    pool = [slot for slot in slots[:_MOST_SLOTS] if not slot.holds]
    drawn = Random(f"{task.seed}/change of mind").sample(pool, len(pool))
    found = [_change(task, slot) for slot in drawn]
    return [one for one in found if one is not None]


def _change(task: UserTask, slot: Slot) -> Change | None:
    others = [value for value in task.domains.get(slot.name, ()) if _fits(value, slot)]
    if not others:
        return None
    new = Random(f"{task.seed}/{slot.name}").choice(others)
    before = task.inputs.get(slot.name)
    value = [*before[:-1], new] if isinstance(before, list) else new
    changed = wants_of(with_values(task, {slot.name: value}))
    want = next((one for one in changed if slot.name in dict(one.values)), None)
    if want is None or want.asks:
        return None
    return Change(slot, value, as_texts(new)[0], want)


def _fits(value: JsonValue, slot: Slot) -> bool:
    """Whether a value of the domain can replace the slot's last one."""
    texts = as_texts(value)
    if isinstance(value, (list, dict)) or len(texts) != 1 or texts[0].startswith("any("):
        return False
    return not {folded(one) for one in slot.values} & {folded(texts[0])}


def attempts(change: Change, memory: Memory) -> list[int]:
    """The turns in which the user said that it changed its mind about this."""
    known = {folded(way) for language in LANGUAGES for way in change.ways(language)}
    return [index for index, act in enumerate(memory.acts) if act in known]


def taken(change: Change, memory: Memory, fallbacks: Fallbacks) -> bool:
    """Whether the app has understood that the user changed its mind, and did not refuse.

    An answer that says the same as the one before, word by word, and not the new value, has not
    understood.
    """
    for index in attempts(change, memory):
        reading = memory.readings[index]
        if reading.fallback or reading.empty or reading.turns_down:
            continue
        if fallbacks.match(reading.text):
            continue
        same = index > 0 and memory.readings[index - 1].words == reading.words
        if not same or mentions(reading.words, change.text):
            return True
    return False


def next_change(
    found: Sequence[Change], memory: Memory, goals: Sequence[Want], seed: int
) -> Change | None:
    """What to change one's mind about now; None where it is not the time for it.

    That is once a value was given and taken, at the latest when the app asks whether all is
    right, never where it asks for something else that has to be answered, and never after it said
    that it is done.
    """
    last = memory.last
    if last is None or any(reading.done for reading in memory.readings):
        return None
    if last.fallback or last.empty or last.turns_down or last.asks("open", "select", "smalltalk"):
        return None
    tried = [change for change in found if attempts(change, memory)]
    if tried:
        again = tried[0]
        return again if len(attempts(again, memory)) < ATTEMPTS else None
    ready = [one for one in found if _given(one, memory) and not _overtaken(one, memory, goals)]
    late = last.asks("confirm") or Random(f"{seed}/when").random() < _soon(memory)
    return ready[0] if ready and late else None


def _soon(memory: Memory) -> float:
    """How likely it is to change one's mind after so many turns."""
    return 0.4 + 0.2 * len(memory.acts)


def _given(change: Change, memory: Memory) -> bool:
    """Whether the app was given the value of the slot, and answered with understanding."""
    return any(
        all(mentions(act, value) for value in change.slot.values)
        and not reading.fallback
        and not reading.empty
        for act, reading in zip(memory.acts, memory.readings, strict=True)
    )


def _overtaken(change: Change, memory: Memory, goals: Sequence[Want]) -> bool:
    """Whether a later goal that was brought up changes the slot's own one: ``I would rather``."""
    after = int(change.want.key.partition(" ")[2]) + 1
    return any(memory.mentioned(goal) and rethinks(goal) for goal in goals[after:])


def rethinks(goal: Want) -> bool:
    """Whether a goal of the author's is itself to change something: ``I would rather``."""
    words = folded(goal.words)
    return any(contains(words, cue) for cue in _cues(goal.language))


def _cues(language: str) -> Iterator[str]:
    return (folded(cue) for cue in frames(language).rethinking)
