"""Answers to open questions: values of the user's variables, and particulars."""

from collections.abc import Sequence

from sparring_plugins.language.stems import concepts
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda import goal_literals as literals
from sparring_plugins.users.agenda.app_reply import Question
from sparring_plugins.users.agenda.dialogue_state import GENERIC, Reply, Scene
from sparring_plugins.users.agenda.frame_text import filled
from sparring_plugins.users.agenda.personal_details import asked_for, particulars, personal
from sparring_plugins.users.agenda.slots import Slot, asked_slots

NOTHING_TO_SAY = "has nothing to say to it"
"""Why the user says that it has no preference or does not know."""

_MOST = 4
_WHOLE = ("request", "action")
_CERTAIN = ("email", "phone", "digits")


def inform(scene: Scene, question: Question) -> Reply:
    """Answer an open question or instruction.

    With the variables it asks for; else with particulars of the user's; else by bringing up the
    next goal, unless the app is collecting data; at last by having nothing to say.
    """
    words = question.words
    asked, kinds = asked_slots(words, scene.slots), asked_for(words)
    held = [slot for kind in kinds for slot in scene.slots if kind in slot.holds]
    if held and not has_cue(words, "more"):
        return value_reply(scene, held[:1])
    named = any(slot.own & concepts(words) for slot in asked)
    own = personal(words)
    certain = any(kind in _CERTAIN for kind in own) and not any(
        slot.own & {"~phone", "~email"} for slot in asked
    )
    if asked and not certain and (named or not own):
        return value_reply(scene, asked)
    if own != ["why"] and (own or (kinds and scene.collecting() and kinds != ["why"])):
        return _particulars(scene, own or kinds)
    more = scene.next_goal()
    general = not concepts(words) - GENERIC or scene.times > 0
    if more is not None and general:
        return Reply(more, "brings up what is next")
    again = scene.asks_again() if has_cue(words, "elaborate") else None
    if again is not None:
        return Reply(again, "says it in other words")
    if kinds == ["why"]:
        what = "why_service" if scene.collecting() else "why"
        return scene.idly(what, "gives a reason")
    if kinds:
        return _particulars(scene, kinds)
    active = scene.memory.active
    if active is not None and active.texts and not scene.memory.said(active.words):
        return Reply(active.words, "says what it wants")
    if more is not None and (has_cue(words, "more") or has_cue(words, "help")):
        return Reply(more, "brings up what is next")
    if more is not None and not any(scene.memory.tries.values()):
        return Reply(more, "brings up what is next")
    if not scene.collecting():
        return scene.idly("unknown", NOTHING_TO_SAY)
    what = ("indifferent", "unknown")[scene.times % 2]
    text = scene.fresh(what) or scene.say(what, scene.times)
    if more is not None and scene.memory.idle:
        return Reply(more, "brings up what is next")
    return Reply(text, NOTHING_TO_SAY)


def value_reply(scene: Scene, asked: Sequence[Slot]) -> Reply:
    """The values asked for: bare at first, then in a sentence, then as the whole goal."""
    value = values_said(scene, asked)
    ways = [value, *(filled(frame, value) for frame in scene.frames.value[1:])]
    names = {slot.name for slot in asked}
    ways += [want.words for want in scene.goals if names & {name for name, _ in want.values}]
    return Reply(ways[min(scene.times, len(ways) - 1)], f"gives {', '.join(sorted(names))}")


def values_said(scene: Scene, asked: Sequence[Slot]) -> str:
    """The values of slots: in the words of the goal that has them all, if there is one."""
    if len(asked) > 1:
        names = {slot.name for slot in asked}
        for want in scene.goals:
            if names <= {name for name, _ in want.values} and want.frame in _WHOLE:
                return want.words
    return ", ".join(scene.join(slot.values) for slot in asked)


def _particulars(scene: Scene, kinds: Sequence[str]) -> Reply:
    task = scene.task
    known = particulars(task.seed, task.context, task.language)
    asked = kinds[:_MOST]
    if asked == ["phone"] and scene.times % 2:
        prefix = "+34" if task.language.lower() == "spanish" else "+1"
        digits = "".join(char for char in known["phone"] if char.isdigit())
        known = {**known, "phone": f"{prefix}{digits}"}
    told = {kind: literals.particular(kind, scene.goals) or known[kind] for kind in asked}
    return Reply(", ".join(told.values()), f"gives {', '.join(asked)}")
