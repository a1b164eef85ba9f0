"""Other values than the case's: the user changes its mind, or takes what the app offers instead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pydantic import JsonValue

from sparring.interfaces.roles import UserTask
from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.text import as_texts, folded
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    plans_change,
    revises_value,
    user_goals_of,
)
from sparring_plugins.users.agenda.state.value_matching import mentions
from sparring_plugins.users.agenda.words.phrase_book import LANGUAGES, filled, phrases
from sparring_plugins.users.profiles.goals import revised_goals

MOST_ANNOUNCEMENTS = 2
"""How often the user says that it changed its mind, if it is not understood."""

INSISTS = 2
"""How often the user gives a value that is turned down: at first, and once more."""

INSISTS_UNREFUSED = 3
"""How often it gives one that the app only asks for again, with what is possible."""

# A change of mind is about one of what was said; a long form has more than anybody would change.
_MOST_SLOTS = 12


def with_values(task: UserTask, values: Mapping[str, JsonValue]) -> UserTask:
    """Return a task with other values in its inputs and goals, in the shape of the case's own."""
    if not values:
        return task
    shaped = {name: in_shape_of(task.inputs.get(name), value) for name, value in values.items()}
    return task.model_copy(
        update={
            "inputs": {**task.inputs, **shaped},
            "goals": revised_goals(task.goals, task.inputs, shaped, task.language),
        }
    )


def in_shape_of(before: JsonValue, value: JsonValue) -> JsonValue:
    """Return a value in the shape of the one that it replaces: a list of one, a number."""
    if isinstance(before, list) and not isinstance(value, list):
        return [in_shape_of(before[0] if before else None, value)]
    # a variable that was 3 becomes 4 and not "4", so that templates write it in the same way
    if isinstance(before, int) and isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value


# --- Changing one's mind


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A slot, its new value in the shape of the case's own, and the goal put anew."""

    slot: Slot
    value: JsonValue
    text: str
    goal: UserGoal

    def ways(self, language: str) -> list[str]:
        """Return the ways to say it in a language."""
        book = phrases(language)
        by_form = {"action": book.revise_action, "statement": book.revise_statement}
        ways = by_form.get(self.goal.form, book.revise)
        return [filled(phrase, self.goal.words) for phrase in ways]


def possible_changes(task: UserTask, slots: Sequence[Slot]) -> list[ValueChange]:
    """Return what the user may change its mind about, in the order of its preference.

    Only services: a question that was answered stays answered. The new value is drawn with the
    seed from the variable's other values; of several values the last one is replaced. Contacts
    stay as they are.
    """
    if any(map(plans_change, user_goals_of(task))):
        return []  # "when it is read back, change it to 3 days" is the change that is wanted
    # people change a day or a size, and not their own phone number
    pool = [slot for slot in slots[:_MOST_SLOTS] if not slot.holds]
    drawn = Random(f"{task.seed}/change of mind").sample(pool, len(pool))
    changes = (_change(task, slot) for slot in drawn)
    return [change for change in changes if change is not None]


def _change(task: UserTask, slot: Slot) -> ValueChange | None:
    others = [value for value in task.domains.get(slot.name, ()) if _can_replace(value, slot)]
    if not others:
        return None
    new = Random(f"{task.seed}/{slot.name}").choice(others)
    before = task.inputs.get(slot.name)
    # "ham and olives" becomes "ham and mushrooms", so that the rest can still be checked
    value = [*before[:-1], new] if isinstance(before, list) else new
    goals = user_goals_of(with_values(task, {slot.name: value}))
    goal = next((goal for goal in goals if slot.name in dict(goal.values)), None)
    # no goal uses the variable, or only a question does: nothing would be revised
    if goal is None or goal.asks:
        return None
    return ValueChange(slot, value, as_texts(new)[0], goal)


def _can_replace(value: JsonValue, slot: Slot) -> bool:
    """Whether a value of the domain can replace the slot's last one."""
    texts = as_texts(value)
    if isinstance(value, (list, dict)) or len(texts) != 1 or texts[0].startswith("any("):
        return False
    return folded(texts[0]) not in {folded(own) for own in slot.values}


def announcements(change: ValueChange, memory: Memory) -> list[int]:
    """Return the turns in which the user said that it changed its mind about this."""
    ways = {folded(way) for language in LANGUAGES for way in change.ways(language)}
    return [index for index, act in enumerate(memory.acts) if act in ways]


def accepted_change(
    changes: Sequence[ValueChange], memory: Memory, fallbacks: Fallbacks
) -> dict[str, JsonValue]:
    """Return what the user changed its mind about, if the app took it; empty for nothing."""
    accepted = (change for change in changes if is_accepted(change, memory, fallbacks))
    change = next(accepted, None)
    return {change.slot.name: change.value} if change else {}


def is_accepted(change: ValueChange, memory: Memory, fallbacks: Fallbacks) -> bool:
    """Whether the app has understood that the user changed its mind, and did not refuse.

    A reply that says the same as the one before, word by word, and not the new value, has not
    understood.
    """
    for index in announcements(change, memory):
        reply = memory.replies[index]
        # "We have no cabins in May." has understood the change and does not make it
        if reply.fallback or reply.empty or reply.turns_down or fallbacks.match(reply.text):
            continue
        same = index > 0 and memory.replies[index - 1].words == reply.words
        if not same or mentions(reply.words, change.text):
            return True
    return False


def next_change(
    changes: Sequence[ValueChange], memory: Memory, goals: Sequence[UserGoal], seed: int
) -> ValueChange | None:
    """Return the change that the user announces now, or None if it is not the time for one.

    It is time once a value was given and taken, at the latest when the app asks whether all is
    right, never if it asks for something else that has to be answered, and never after it said
    that it is done.
    """
    if not _is_occasion(memory):
        return None
    announced = [change for change in changes if announcements(change, memory)]
    if announced:
        again = announced[0]
        return again if len(announcements(again, memory)) < MOST_ANNOUNCEMENTS else None
    ready = [
        change
        for change in changes
        if _was_given(change, memory) and not _is_overtaken(change, memory, goals)
    ]
    confirms = memory.last is not None and memory.last.asks("confirm")
    # the later in a form, the likelier: more answers depend on the value then
    likely = 0.4 + 0.2 * len(memory.acts)
    if ready and (confirms or Random(f"{seed}/when").random() < likely):
        return ready[0]
    return None


def _is_occasion(memory: Memory) -> bool:
    """Whether the last reply leaves room for a change of mind."""
    last = memory.last
    if last is None or any(reply.done for reply in memory.replies):
        return False
    # "Which size?" needs its answer first; "Anything else?" or "Is that right?" can wait
    failed = last.fallback or last.empty or last.turns_down
    return not (failed or last.asks("open", "select", "smalltalk"))


def _was_given(change: ValueChange, memory: Memory) -> bool:
    """Whether the app was given the value of the slot, and replied with understanding."""
    return any(
        all(mentions(act, value) for value in change.slot.values)
        and not reply.fallback
        and not reply.empty
        for act, reply in zip(memory.acts, memory.replies, strict=True)
    )


def _is_overtaken(change: ValueChange, memory: Memory, goals: Sequence[UserGoal]) -> bool:
    """Whether a later goal that was brought up changes the slot's own one: ``I would rather``."""
    after = int(change.goal.key.partition(" ")[2]) + 1
    return any(memory.mentioned(goal) and revises_value(goal) for goal in goals[after:])


# --- Taking no for an answer


def is_turned_down(memory: Memory, slot: Slot, until: int | None = None) -> bool:
    """Whether the app refused a value of the user's as often as the user gives one."""
    refused, asked = 0, 0
    for act, reply in list(zip(memory.acts, memory.replies, strict=True))[:until]:
        was_given = any(mentions(act, value) for value in slot.values)
        # "Fully booked on Friday." refuses; "We open on weekdays. Which day?" only asks again
        refused += was_given and reply.turns_down
        asked += was_given and asks_again_for(reply, slot)
    return refused >= INSISTS or asked >= INSISTS_UNREFUSED


def asks_again_for(reply: AppReply, slot: Slot) -> bool:
    """Whether a reply informs about a slot, such as what is possible, and asks for it."""
    return (
        reply.informative
        and not reply.fallback
        and any(
            asked_slots(question.words, [slot])
            for question in reply.questions
            if question.kind in ("open", "select")
        )
    )


def alternatives(reply: AppReply, slot: Slot) -> list[str]:
    """Return the values that a reply names instead of the user's own, in its order."""
    named: list[str] = []
    if "time" in slot.kinds:
        named = [span.text for span in find_times(reply.text)]
    elif "date" in slot.kinds:
        named = [span.text for span in date_spans(reply.text)]
    words = reply.words
    named += [value for value in slot.domain if mentions(words, value)]
    # "Small" and "large" beside a refused "medium" are offers; "1" to "5" may count anything
    if not named and "number" not in slot.kinds:
        named = list(reply.options)
    return [
        text
        for text in dict.fromkeys(named)
        if not any(folded(text) == folded(v) or mentions(folded(text), v) for v in slot.values)
    ]


def conceded_values(memory: Memory, slots: Sequence[Slot]) -> dict[str, str]:
    """Return the values that the user has accepted in place of its own, by variable."""
    conceded: dict[str, str] = {}
    for slot in slots:
        for index, act in enumerate(memory.acts):
            if index and is_turned_down(memory, slot, index):
                offered = alternatives(memory.replies[index - 1], slot)
                text = next((text for text in offered if act == folded(text)), None)
                if text is not None:
                    conceded[slot.name] = text
                    break
    return conceded
