"""Choices that led into a form which the user had to leave: they are not made again.

Menus and questions with options are a tree that the user looks through: it goes back from where it
cannot go on, and takes another way.
"""

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.app_reply import AppReply, is_no, is_yes
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.facts import names_in
from sparring_plugins.users.agenda.formats import shape_fit
from sparring_plugins.users.agenda.knowledge import knowledge
from sparring_plugins.users.agenda.known_values import asked_kinds
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_form import OpenForm, is_closing, leaves_form_open
from sparring_plugins.users.agenda.option_words import shared_roots
from sparring_plugins.users.agenda.optional_questions import skip_word
from sparring_plugins.users.agenda.own_phrases import is_word_to_stop

Fork = tuple[frozenset[str], str]
"""The folded options of a reply, and which of them was chosen."""

_CODES = frozenset({"code", "id", "digits"})
_WRITTEN = frozenset({"code", "number", "phone", "iban"})


def dead_ends(memory: Memory) -> set[Fork]:
    """Return the choices after which the user left a form that it could not answer."""
    ends: set[Fork] = set()
    for index, act in enumerate(memory.acts):
        # "Main menu" beside "Anything else?" leaves no form
        if is_word_to_stop(act) and leaves_form_open(memory.replies[:index]):
            fork = _last_fork(memory, index, ends)
            ends |= {fork} if fork is not None else set[Fork]()
    return ends


def _last_fork(memory: Memory, until: int, ends: set[Fork]) -> Fork | None:
    """The last choice before a turn that is no dead end yet; None if there was none."""
    for index in range(until - 1, 0, -1):
        options = _options_of(memory.replies[index - 1])
        fork = (options, memory.acts[index])
        if is_word_to_stop(memory.acts[index]) or memory.replies[index].done:
            return None
        if memory.acts[index] in options and len(options) > 1 and fork not in ends:
            return fork
    return None


def _options_of(reply: AppReply) -> frozenset[str]:
    asked = reply.questions[-1].options if reply.questions else ()
    return frozenset(map(folded, reply.menu or asked))


def other_way(state: DialogueState, answer: Answer) -> Answer | None:
    """Return another option than one that led nowhere before; None if the answer is none such."""
    memory = state.memory
    if memory.last is None:
        return None
    ends, options = dead_ends(memory), _options_of(memory.last)
    label = _label(memory.last, answer)
    if (options, label) not in ends:
        return None
    goals = names_in("\n".join(goal.words for goal in memory.open_goals()))
    labels = _labels(memory.last)
    left = [
        at
        for at, text in enumerate(labels)
        if (options, folded(text)) not in ends and not (is_closing(text) and not _decides(labels))
    ]
    if not left:
        return None
    best = max(left, key=lambda at: (shared_roots(names_in(labels[at]), goals), -at))
    return _choose(memory.last, best, labels)


def _labels(reply: AppReply) -> tuple[str, ...]:
    return reply.menu or (reply.questions[-1].options if reply.questions else ())


def _choose(reply: AppReply, place: int, labels: tuple[str, ...]) -> Answer:
    if place < len(reply.choices):
        return Answer("", "takes another way", reply.choices[place])
    marks = next((question.marks for question in reply.questions if question.marks), ())
    text = marks[place] if place < len(marks) else labels[place]
    return Answer(text, "takes another way", exact=True)


def _decides(labels: tuple[str, ...]) -> bool:
    return all(is_yes(label) or is_no(label) for label in labels)


def _label(reply: AppReply, answer: Answer) -> str:
    """The folded option that an answer chooses, in words if it is chosen by its number."""
    for question in reply.questions:
        if answer.text and answer.text in question.marks:
            return folded(question.options[question.marks.index(answer.text)])
    return folded(answer.label)


def is_on_wrong_way(state: DialogueState, form: OpenForm) -> bool:
    """Return whether a question asks for a code that the profile does not have.

    Who is asked for a member number and has none has chosen what is for members. It goes back,
    if it has chosen anything before.
    """
    kinds = asked_kinds(form.question.words)
    if not kinds & _CODES or kinds - _CODES - {"number"} or skip_word(form) is not None:
        return False
    named = names_in(form.question.text) - {"~number", "~id"}
    for value in state.values:
        fit = shape_fit(value.text, form.hint) if value.kinds & _WRITTEN else -1.0
        if fit > 0 or (fit == 0 and not value.kinds & {"date", "time"}):
            return False
        if value.kinds & {"text"} and named & value.names and any(map(str.isdigit, value.text)):
            return False
    return _last_fork(state.memory, len(state.memory.acts), dead_ends(state.memory)) is not None


def names_way_out(label: str) -> bool:
    """Return whether an option leaves what is under way: "Cancel", "Main menu"."""
    lists = knowledge()
    return folded(label) in map(folded, (*lists.dropping, *lists.main_menu))
