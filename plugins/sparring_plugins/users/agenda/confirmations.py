"""Answers to yes-or-no questions: confirmations, offers, questions about the user."""

from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.agreement import contradicted, stated
from sparring_plugins.users.agenda.app_reply import Question, Reading, asks_for_yes, is_no, is_yes
from sparring_plugins.users.agenda.dialogue_state import Reply, Scene, stop
from sparring_plugins.users.agenda.frame_text import filled
from sparring_plugins.users.agenda.frames import LANGUAGES, frames
from sparring_plugins.users.agenda.open_questions import values_said
from sparring_plugins.users.agenda.revisions import rethinks
from sparring_plugins.users.agenda.slots import Slot, asked_slots
from sparring_plugins.users.agenda.value_matching import mentions

_CORRECTIONS = 2


def confirm(scene: Scene, question: Question, reading: Reading) -> Reply:
    """Yes where what the app states agrees with the user's values, else a correction.

    After two corrections the user gives in, so that the app's mistake comes to light in what it
    does next.
    """
    words = question.words
    if has_cue(words, "all"):
        more = scene.next_words()
        if more is not None:
            return Reply(f"{stop(scene.say('no'))} {more}", "wants more")
    missing = _left_out(scene, reading)
    if missing is not None:
        return Reply(missing, "adds what was left out")
    wrong = contradicted(stated(reading), _settled(scene))
    corrected = _corrections(scene)
    if wrong and corrected < _CORRECTIONS:
        return _correct(scene, wrong, reading, corrected)
    if wrong and not reading.choices:
        return Reply(scene.say("accept"), "gives in")
    if asks_for_yes(words):
        return Reply(scene.frames.yes[0], "confirms as told")
    if has_cue(words, "no_thanks") and not _wanted(scene, words) and not _echoes(scene, words):
        return scene.decline(reading, "declines")
    return scene.agree(reading, "confirms")


def consider(scene: Scene, question: Question, reading: Reading) -> Reply:
    """Take an offer up or decline it; say yes or no to a question about the user."""
    words = question.words
    if _echoes(scene, words):
        return scene.agree(reading, "is what it said")
    for slot in scene.slots:
        if any(mentions(words, value) for value in slot.values):
            return scene.agree(reading, "is what it wants", offered=question.kind == "offer")
        if any(mentions(words, value) for value in slot.domain):
            own = f"{stop(scene.say('no'))} {scene.join(slot.values)}"
            return scene.press(reading, is_no) or Reply(own, "wants another value")
    if has_cue(words, "no_thanks") and not _wanted(scene, words):
        return scene.decline(reading, "declines")
    return _weigh(scene, question, reading)


def helped(scene: Scene, reading: Reading) -> Reply:
    """Say whether the answer helped, and go on."""
    active = scene.memory.active
    fine = active is None or active.key in scene.memory.met
    pressed = scene.press(reading, is_yes if fine else is_no)
    answer = stop(scene.say("yes" if fine else "no"))
    return pressed or Reply(
        f"{answer} {scene.next_words() or ''}".strip(), "says whether it helped"
    )


def _weigh(scene: Scene, question: Question, reading: Reading) -> Reply:
    """Whether a question that names no value is about something that the user wants."""
    words, offered = question.words, question.kind == "offer"
    want = scene.want_in(words) or scene.want_offered(reading)
    if want is not None and not scene.memory.mentioned(want):
        text = f"{stop(scene.say('yes_please'))} {scene.phrase(want)}"
        return scene.press(reading, is_yes) or Reply(text, "takes the offer up")
    further = has_cue(words, "further")
    wanted = want is not None and (
        want.key not in scene.memory.met or (not want.asks and scene.memory.being_served())
    )
    if wanted and not further:
        asked = asked_slots(words, scene.slots) if offered else []
        value = f" {values_said(scene, asked)}" if asked else ""
        answer = f"{stop(scene.say('yes_please'))}{value}"
        return scene.press(reading, is_yes) or Reply(answer, "agrees")
    if not offered and _true_of_user(scene, words):
        return scene.agree(reading, "is true of the user")
    more = None if scene.collecting() else scene.next_goal()
    if more is not None and not further and offered:
        text = f"{stop(scene.say('no'))} {more}"
        return scene.press(reading, is_no) or Reply(text, "wants something else")
    if not offered and not reading.choices and not (scene.collecting() or scene.waiting()):
        return scene.idly("no", "declines")
    return scene.decline(reading, "declines", offered=offered)


def _echoes(scene: Scene, words: str) -> bool:
    """Whether a question says again what the user just said."""
    said = scene.memory.acts[-1] if scene.memory.acts else ""
    return (
        len(said) > 1 and words.startswith(("did", "you", "so", "is it")) and contains(words, said)
    )


def _left_out(scene: Scene, reading: Reading) -> str | None:
    """What is yet to be told of the service that is to be confirmed: "it needs new brakes"."""
    for want in scene.memory.open_wants():
        tells = want.frame == "statement" and bool(want.texts) and not rethinks(want)
        if tells and not want.asks and not scene.memory.mentioned(want):
            heard = all(mentions(reading.words, text) for text in want.texts)
            return None if heard or reading.done else scene.phrase(want)
    return None


def _settled(scene: Scene) -> list[Slot]:
    """The slots that the app can know of: those of wants brought up, all where none was."""
    known = {name for w in scene.goals if scene.memory.mentioned(w) for name, _ in w.values}
    return [slot for slot in scene.slots if not known or slot.name in known]


def _correct(scene: Scene, wrong: Sequence[Slot], reading: Reading, before: int) -> Reply:
    pressed = scene.press(reading, is_no)
    if pressed is not None:
        return pressed
    said = scene.frames
    want = scene.want_of({slot.name for slot in wrong})
    if want is not None and want.frame in ("request", "action"):
        listed = said.correction if want.frame == "request" else said.correction_action
        return Reply(filled(listed[before], want.words), "corrects what was understood")
    words = scene.join([value for slot in wrong for value in slot.values])
    return Reply(filled(said.correction[before], words), "corrects what was understood")


def _corrections(scene: Scene) -> int:
    starts = _correcting()
    memory = scene.memory
    refused = [
        is_no(act) and memory.readings[index - 1].asks("confirm")
        for index, act in enumerate(memory.acts)
        if index
    ]
    return sum(refused) + sum(
        any(act.startswith(start) and act != start for start in starts) for act in memory.acts
    )


@lru_cache(maxsize=1)
def _correcting() -> frozenset[str]:
    """How corrections begin, folded, in all languages."""
    listed = [frames(language) for language in LANGUAGES]
    texts = [text for known in listed for text in (*known.correction, *known.correction_action)]
    return frozenset(folded(text.split("{x}")[0]) for text in texts)


def _wanted(scene: Scene, words: str) -> bool:
    """Whether something that users mostly decline is a goal of this one: to cancel, say."""
    return any(
        has_cue(folded(want.words), "no_thanks") and concepts(words) & want.concepts
        for want in scene.goals
    )


def _true_of_user(scene: Scene, words: str) -> bool:
    """Whether the context says of the user what a question asks: "you are vegan"."""
    asked = concepts(words)
    return any(
        asked and overlap(asked, concepts(sentence)) >= 0.99
        for sentence in scene.task.context
        if not has_cue(folded(sentence), "deny")
    )
