"""What the prompt says of a user: its style in words, and particulars it has ready."""

from collections.abc import Iterable

from sparring.interfaces.roles import UserTask
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.personal_details import asked_for, particulars
from sparring_plugins.users.agenda.slots import slots_of
from sparring_plugins.users.model_user.transcript import spoken_turns
from sparring_plugins.users.profiles.interaction_styles import (
    language_of_turn,
    names_of,
    styles_of_case,
)

_DEFAULT = "Bring up one or two things at a time; do not ask for everything in one message."
_STYLES = {
    "default": _DEFAULT,
    "long phrases": "Use long, wordy sentences for everything, longer than they need to be.",
    "short phrases": "Use as few words as you can.",
    "make spelling mistakes": "Make many spelling mistakes, about five in a sentence where there is"
    " room; leave numbers, dates and codes right.",
    "single question": "Ask for one single thing in each message.",
    "all questions": "Ask for everything that you want in one message.",
    "change your mind": "At some point, change your mind about something that you asked for before,"
    " and say so.",
}
_SITUATIONS = {
    "rephrase": "The chatbot did not understand your last message. Say the same in other words.",
    "change_topic": "The chatbot has not understood you several times in a row. Give this matter up"
    " and go on with something else that you want, in the same conversation.",
}
_PARTICULARS = {
    "name": "your name",
    "email": "your e-mail address",
    "phone": "your phone number",
    "address": "your street and house number",
    "city": "your town",
    "postcode": "your postcode",
    "birth": "your date of birth",
}


def styles_in_words(names: frozenset[str]) -> list[str]:
    """How the user writes, one sentence per style; the default one where no style is known."""
    return [words for name, words in _STYLES.items() if name in names] or [_DEFAULT]


def situation_in_words(task: UserTask) -> str:
    """What the user should make of the last answer; empty where it goes on as it likes."""
    return _SITUATIONS.get(task.situation, "")


def style_names(task: UserTask) -> frozenset[str]:
    """The names of the styles in which the case is played."""
    return names_of(styles_of_case(task.style, task.seed))


def language_now(task: UserTask) -> str:
    """The language that the user speaks next."""
    styles = styles_of_case(task.style, task.seed)
    own = on_one_line(task.language) or "English"
    return language_of_turn(styles, own, task.seed, spoken_turns(task.turns))


def particulars_of(task: UserTask) -> list[tuple[str, str]]:
    """What the user says of itself if asked: from the context, else made up with the seed.

    What a goal gives a value for is left out.
    """
    known = particulars(task.seed, task.context, task.language)
    given = {kind for goal in task.goals if goal.inputs for kind in asked_for(folded(goal.phrase))}
    given |= {kind for slot in slots_of(task) for kind in slot.holds}
    return [(words, known[kind]) for kind, words in _PARTICULARS.items() if kind not in given]


def outputs_in_words(task: UserTask) -> list[str]:
    """What the user wants to learn, one phrase per output."""
    return lines(one.description or one.name.replace("_", " ") for one in task.outputs)


def lines(texts: Iterable[str]) -> list[str]:
    """Texts of the author, each on a line of its own in the prompt; empty ones left out."""
    return [line for text in texts if (line := on_one_line(text))]


def on_one_line(text: str) -> str:
    """A text without line breaks."""
    return " ".join(text.split())
