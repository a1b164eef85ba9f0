"""Answers to the questions of one answer of the app."""

from collections.abc import Sequence

from sparring_plugins.users.agenda.app_reply import Question, Reading, is_no
from sparring_plugins.users.agenda.choices import Chooser
from sparring_plugins.users.agenda.confirmations import confirm, consider, helped
from sparring_plugins.users.agenda.dialogue_state import Reply, Scene
from sparring_plugins.users.agenda.open_questions import NOTHING_TO_SAY, inform

_EMPTY = (NOTHING_TO_SAY, "declines", "has no preference", "gives a reason")


def replies(scene: Scene, reading: Reading) -> list[Reply]:
    """Replies to all questions of an answer, in order.

    Among several, courtesies such as "How are you?" and "What else?" are passed over; a reply
    that another one contains is left out.
    """
    asked: Sequence[Question] = reading.questions
    if len(asked) > 1:
        asked = [one for one in asked if one.kind not in ("more", "smalltalk")] or asked[-1:]
    found = [_reply(scene, question, reading) for question in asked]
    what_else = next((one for one in reading.questions if one.kind == "more"), None)
    if what_else is not None and all(reply.reason in _EMPTY for reply in found):
        found = [_more(scene, what_else, reading)]
    return [
        reply
        for index, reply in enumerate(found)
        if not any(
            reply.text and (reply.text in other.text)
            for place, other in enumerate(found)
            if place != index and (len(other.text) > len(reply.text) or place < index)
        )
    ]


def _reply(scene: Scene, question: Question, reading: Reading) -> Reply:
    match question.kind:
        case "more":
            return _more(scene, question, reading)
        case "helped":
            return helped(scene, reading)
        case "smalltalk":
            words = scene.next_words() or ""
            return Reply(f"{scene.say('smalltalk')} {words}".strip(), "small talk")
        case "confirm":
            return confirm(scene, question, reading)
        case "offer" | "fact":
            return consider(scene, question, reading)
        case "select":
            return Chooser(scene, question, reading).reply()
        case "open":
            return inform(scene, question)


def _more(scene: Scene, question: Question, reading: Reading) -> Reply:
    """What the user wants next, pressed where a choice leads there; else that this was all."""
    words = (not reading.goes_on and scene.asks_again()) or scene.next_goal()
    unheard = scene.unheard()
    if words is None and unheard is not None and not reading.goes_on:
        return Reply(unheard, "says again what it wants")
    if words is None:
        return scene.press(reading, is_no) or Reply(scene.say("thats_all"), "wants nothing more")
    if question.options and reading.choices:
        chooser = Chooser(scene, question, reading)
        index = chooser.way_to(words)
        if index is not None:
            return chooser.take(index, "fits the goal")
    return Reply(words, "brings up what is next")
