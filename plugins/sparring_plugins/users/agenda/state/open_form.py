"""What the app is collecting: the question that waits for an answer, and how often it was asked.

A form is open as long as the app asks for data, an optional remark or a confirmation. A complaint
about an answer ("Please use DD/MM/YYYY.") leaves the question open that it complains about. Some
forms are implied by a statement, some questions need no answer, and some forms nobody wanted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, has_cue, starts_with_cue
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import goes_on_if_so, with_same_root
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply, is_no, is_yes
from sparring_plugins.users.agenda.replies.question_kinds import QuestionKind, asks_what_to_do
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.value_matching import says_value
from sparring_plugins.users.agenda.words.knowledge import knowledge, says, starts_with_any
from sparring_plugins.users.agenda.words.phrase_book import is_word_to_stop

FORM_KINDS = frozenset({"open", "select", "confirm", "offer", "fact"})
"""The kinds of questions that a form consists of."""

_MENU = 2
"""Options of a yes-or-no question, "Yes" and "No": more than these are a menu."""

_SAME = 0.6
"""Least share of names that two wordings of one question have in common."""


@dataclass(frozen=True, slots=True)
class OpenForm:
    """The open question with the reply that asked it.

    `hint` is what the app has said about the answer since, `times` how often the user answered in
    vain, `since` the turn in which the question was asked first.
    """

    question: AppQuestion
    reply: AppReply
    hint: str
    times: int
    since: int


def open_form(replies: Sequence[AppReply]) -> OpenForm | None:
    """Return the form that the last reply leaves open; None if it asks for nothing of one."""
    return _open_form(tuple(replies)) if replies else None


@lru_cache(maxsize=1024)  # each turn settles all turns before it again, each of them goal by goal
def _open_form(replies: tuple[AppReply, ...]) -> OpenForm | None:
    place = _asking_place(replies)
    if place is None:
        return None
    reply = replies[place]
    question = form_question(reply, replies)
    if question is None:
        return None
    first = place
    for index in range(place - 1, -1, -1):
        earlier = _asking_place(replies[: index + 1])
        other = form_question(replies[earlier], replies) if earlier is not None else None
        if other is None or not _is_same(other, question):
            break
        first = index
    hint = "\n".join(reply.text for reply in replies[first:])
    return OpenForm(question, reply, hint, len(replies) - 1 - first, first)


def leaves_form_open(replies: Sequence[AppReply]) -> bool:
    """Whether the last reply asks for something of a form, or complains about an answer to it."""
    return open_form(replies) is not None


def form_question(reply: AppReply, replies: Sequence[AppReply]) -> AppQuestion | None:
    """The question of a form that a reply asks, the last one of several, or None."""
    if reply.asks_what_else or is_main_menu(reply, replies) or _is_hub(reply, replies):
        return None
    if reply.questions and says(reply.questions[-1].words, "begins_anew"):
        return None
    if _names_services(reply, replies[0]):
        return None
    asking = [question for question in reply.questions if question.kind in FORM_KINDS]
    if asking:
        # "On which date? Please write it as YYYY-MM-DD." asks for a date, and "Do you take any
        # medicine? If so, which?" whether there is any
        subjects = _subjects(asking)
        return (subjects or asking)[-1]
    # "What is it about?" opens a conversation, but asks for a subject in the middle of one
    is_later = reply != replies[0] and is_form_like(replies[0])
    return _subject_question(reply) if is_later else None


def _subjects(asking: Sequence[AppQuestion]) -> list[AppQuestion]:
    """The questions that ask for something by themselves."""
    return [
        question
        for at, question in enumerate(asking)
        if not is_instruction(question) and not (at and _is_for_some_case(question))
    ]


def _is_for_some_case(question: AppQuestion) -> bool:
    """Whether a question only goes on from another: "If something is wrong, tell me which"."""
    is_condition = states_condition(question.text) and "?" not in question.text
    return is_condition or goes_on_if_so(question.text)


def _subject_question(reply: AppReply) -> AppQuestion | None:
    """The question of a reply for the subject of a form, "What is it about?", or None."""
    general = [question for question in reply.questions if question.kind == "more"]
    if not general or has_cue(general[-1].words, "more"):
        return None
    question = general[-1]
    kind: QuestionKind = "select" if question.options else "open"
    return AppQuestion(question.text, kind, question.options, question.marks)


def is_instruction(question: AppQuestion) -> bool:
    """Whether a question only says how to answer another one: "Please write it as ..."."""
    # "Write it here, or press Skip." names no option beside the way past the question
    if "?" in question.text or not all(map(is_no, question.options)):
        return False
    return starts_with_cue(_without_please(question.words), "imperative") and (
        says(question.words, "manner")
        or not names_in(question.text)
        or bool(_COUNTED_MARKS.search(question.text))
    )


_COUNTED_MARKS = re.compile(
    r"\b(?:all|the|just|only|alle|nur|todos|solo|tous)?\s?(?:\d{1,2}|\w+)[ -]"
    r"(?:digits?|characters?|figures|ziffern|stellen|zeichen|d[ií]gitos|cifras|caracteres|chiffres)\b",
    re.IGNORECASE,
)
"""How long an answer may be: "Please type all 11 digits."."""


def _without_please(words: str) -> str:
    return words.removeprefix("please ").removeprefix("just ")


def is_form_like(reply: AppReply) -> bool:
    """Whether a reply greets, offers help or asks anything at all."""
    return bool(reply.questions or reply.text)


def is_main_menu(reply: AppReply, replies: Sequence[AppReply]) -> bool:
    """Whether a reply shows the menu that the conversation began with, or asks what else."""
    return _was_menu_shown(reply.menu, replies[:1])


def _names_services(reply: AppReply, greeting: AppReply) -> bool:
    """Whether a reply only asks which of the app's services is wanted, as its greeting does.

    "Hire something, extend a hire or get a quote: what can I do for you?" is no form, nor is "Do
    you want to hire something, extend a hire or get a quote?" after it.
    """
    first, own = greeting.questions[-1:], reply.questions[-1:]
    if not first or not own or len(first[0].options) <= _MENU:
        return False
    same = set(map(folded, own[0].options)) == set(map(folded, first[0].options))
    return same and asks_what_to_do(first[0].text)


def _is_hub(reply: AppReply, replies: Sequence[AppReply]) -> bool:
    """Whether a reply reports something done and shows a menu again that was shown before.

    "Your comment has been added. Would you like to add a comment, close it, or nothing?" A menu
    that offers "nothing" ends what was under way with any report: "The alarm is now on."
    """
    if not reply.menu:
        return False
    ends = len(reply.menu) > _MENU and any(is_closing(label) for label in reply.menu)
    reports = ends and reply.informative and not reply.turns_down and not is_complaint(reply)
    if not (reply.done or reports):
        return False
    return _was_menu_shown(reply.menu, [other for other in replies if other != reply])


def _was_menu_shown(menu: Sequence[str], replies: Sequence[AppReply]) -> bool:
    """Whether one of some replies shows a menu with these labels, in any order."""
    labels = set(map(folded, menu))
    return bool(labels) and any(set(map(folded, reply.menu)) == labels for reply in replies)


def leads_out(label: str) -> bool:
    """Whether an option leaves what is under way: "Cancel", "Back to the main menu"."""
    words = folded(label)
    return starts_with_any(words, "dropping") or says(words, "main_menu")


def names_way_out(label: str) -> bool:
    """Return whether an option leaves what is under way: "Cancel", "Main menu"."""
    lists = knowledge()
    return folded(label) in map(folded, (*lists.dropping, *lists.main_menu))


def is_closing(label: str) -> bool:
    """Whether an option ends the conversation, or wants nothing more: "Nothing", "No, thanks"."""
    return folded(label) in _closing_labels()


@lru_cache(maxsize=1)
def _closing_labels() -> frozenset[str]:
    return frozenset(folded(label) for label in knowledge().closing)


def is_complaint(reply: AppReply) -> bool:
    """Whether a reply says what is wrong with an answer, and neither asks nor reports anything."""
    if reply.done or reply.farewell:
        return False
    if reply.fallback or reply.empty:
        return True
    # what a menu or a question says about numbers and examples complains about nothing
    stated = " ".join(reply.statements) if reply.questions else reply.text
    return tells_manner(stated)


def _asking_place(replies: Sequence[AppReply]) -> int | None:
    """The index of the reply whose question the last one leaves open; None if there is none."""
    repeated: int | None = None
    for index in range(len(replies) - 1, -1, -1):
        reply = replies[index]
        if reply.fallback and index:
            continue  # "Sorry, I did not get that. A stay or a visit?" leaves open what was asked
        question = form_question(reply, replies)
        if question is not None and index and _only_tells_how(question, replies[:index]):
            repeated = index if repeated is None else repeated
            continue  # "Please use the international format." says how to answer what was asked
        if question is not None:
            return index
        if reply.questions or not (is_complaint(reply) or _asks_again(replies[: index + 1])):
            return repeated
    return repeated


def _asks_again(replies: Sequence[AppReply]) -> bool:
    """Whether the last reply only says again what was asked for, and neither that it was taken.

    "First AND last name, else nobody will find you." after "Your first and last name, please."
    leaves the question open, in whatever words; "The book is out until Friday." does not.
    """
    reply = replies[-1]
    goes_on = reply.done or reply.farewell or bool(reply.menu) or len(reply.words.split()) > _BRIEF
    if goes_on or len(replies) < 2 or any(kind in _TOLD for kind, _, _ in values_in(reply.text)):
        return False
    before = form_question(replies[-2], replies[:-1])
    if before is None or before.kind != "open" or reply.words == replies[-2].words:
        return False
    asked = names_in(before.text)
    return bool(with_same_root(names_in(reply.text), asked))


_BRIEF = 20
"""Greatest number of words of a complaint; a longer reply informs of something."""
_TOLD = frozenset({"date", "time", "money", "code", "phone", "email"})


def _only_tells_how(question: AppQuestion, replies: Sequence[AppReply]) -> bool:
    """Whether a question only asks that the answer to an earlier one be given in another form.

    "Please enter your date of birth in the format DD/MM/YYYY." after a question for the surname
    asks for something else.
    """
    if says(question.words, "try_again"):
        return True  # "27 is lower than the last reading. Would you look again?"
    if "?" in question.text or question.marks or not tells_manner(question.text):
        return False  # "Please choose an insurance." with a menu of its own asks for one
    kinds = asked_kinds(question.words)
    before = next((form_question(r, replies) for r in reversed(replies) if r.questions), None)
    if before is None:
        return is_instruction(question)
    datum = _GIVE_DATUM.search(question.text)
    own = names_in(datum[1]) - names_in(before.text) - _FORMATS if datum is not None else None
    if is_instruction(question):
        return not own and (not kinds or bool(kinds & asked_kinds(before.words)))
    # "Digits only, no spaces please." after "Phone?" names nothing that could be asked for
    other = kinds - asked_kinds(before.words) - _COUNTS
    return not own and not other and _is_manner_of(question, before)


def _is_manner_of(question: AppQuestion, before: AppQuestion) -> bool:
    """Whether a question is short enough to say only how an open one before it is answered."""
    tells = len(question.words.split()) <= _BRIEF // 2 and not says(question.words, "descriptive")
    return tells and before.kind == "open" and not before.options


_COUNTS = frozenset({"number", "how_many", "digits", "date", "time", "country", "code", "id"})
"""Kinds that examples and formats name besides: "with the country code, e.g. +44 20 7946"."""


def tells_manner(text: str) -> bool:
    """Return whether a text says how an answer is written, or what was wrong with one."""
    words = folded(text)
    return says(words, "complaints") or bool(_MANNER.search(text))


_MANNER = re.compile(
    r"\b(?:[DTJGMYA]{2,4}[-/. ]){1,2}[DTJGMYA]{2,4}\b|\bHH:MM\b"
    r"|\b(?:like|as|wie|como|comme|come) [\"'\u201c]?(?:\d|[A-Z]{1,3}-?\d|\+\d)"
)
""""I need it as DD.MM.YYYY", "write it like 1975-12-31", "like AB-12"."""


_GIVE_DATUM = re.compile(
    r"\b(?:enter|type|give|provide|tell|write|send)(?: me| us)? (?:the|your|its|their) "
    r"((?:[\w'-]+ ?){1,3})",
    re.IGNORECASE,
)
""""Type the age, or 'cancel'.", "Please give me your e-mail"."""
_FORMATS = frozenset({"~number", "~size", "format", "digit", "answer", "value", "amount", "option"})
"""Names of how an answer is written: "Please write the number without spaces."."""


def _is_same(other: AppQuestion, question: AppQuestion) -> bool:
    """Whether two questions ask for the same: in the same words, or with the same names."""
    if other.words == question.words and other.options == question.options:
        return True
    if other.options or question.options:
        return bool(other.options) and set(other.options) == set(question.options)
    asked, before = names_in(question.text), names_in(other.text)
    if not asked or not before:
        return _is_brief(question)  # "Again?" asks what was asked before
    return len(asked & before) >= _SAME * max(len(asked), len(before))


def _is_brief(question: AppQuestion) -> bool:
    """Whether a question has nothing in it that says what is asked for."""
    if starts_with_cue(question.words, "wh"):
        return False
    return len(question.words.split()) <= 3 and not concepts(question.text) - {"again"}


def _proposes(reply: AppReply) -> bool:
    """Whether a reply ends by proposing to do what the user came for: "Shall I really cancel it?".

    "Shall I add a towel?" is an offer in the middle of a form, whose next question follows.
    """
    last = reply.questions[-1:]
    return any(
        question.kind in ("offer", "fact") and says(question.words, "proposals")
        for question in last
    )


def comes_to_nothing(replies: Sequence[AppReply], act: str) -> bool:
    """Return whether a user ended a form without sending it.

    It says no to what is to be confirmed, or chooses to leave: "0. Back to the main menu".
    `replies` are those up to the one that came of the `act`, a folded text.
    """
    before = replies[-2:-1]
    if is_word_to_stop(act) and leaves_form_open(replies[:-1]):
        return True
    if is_no(act) and any(reply.asks("confirm") or _proposes(reply) for reply in before):
        return True
    offered = {folded(o) for reply in before for o in (*reply.menu, *reply.options)}
    return act in offered and act != "no" and starts_with_any(act, "dropping")


# --- Statements in the middle of a form that want an answer, though they ask nothing
#
# "For your safety, the 2nd and 5th digits of your key." may or may not be read as a question.
# What comes after an answer, reports nothing and ends nothing wants to be answered by a fact.


def implied_form(memory: Memory) -> OpenForm | None:
    """Return the last reply as an open question of a form; None if it is none, or ends one."""
    last = memory.last
    if last is None or len(memory.replies) < 2 or last.questions or last.menu or not last.text:
        return None
    if last.done or last.farewell or last.fallback or last.turns_down:
        return None
    first = len(memory.replies) - 1
    while first > 0 and _asks_nothing(memory.replies[first - 1]):
        first -= 1
    services = any(not goal.asks for goal in memory.open_goals())
    if not services or open_form(memory.replies[:first]) is None:
        return None
    question = AppQuestion(last.text, "open")
    return OpenForm(question, last, last.text, len(memory.replies) - 1 - first, first)


def _asks_nothing(reply: AppReply) -> bool:
    ends = reply.done or reply.farewell or bool(reply.menu)
    return bool(reply.text) and not reply.questions and not ends


# --- What is still offered after the app has turned down what was typed beside its buttons


def offers_still(memory: Memory) -> AppReply | None:
    """Return the reply whose buttons are still to be pressed; None if there is none.

    "We are not there on that day." after a day that was typed beside two buttons leaves these.
    """
    if len(memory.replies) < 2 or memory.last is None:
        return None
    last, before = memory.last, memory.replies[-2]
    typed = bool(memory.acts[-1]) and memory.acts[-1] not in map(folded, before.menu)
    refused = last.turns_down and not last.questions and not last.choices and not last.done
    return before if before.choices and typed and refused else None


# --- Forms that the user did not want


def is_restarted(memory: Memory, form: OpenForm) -> bool:
    """Return whether a question for a missing output, after the end, was taken for a new order."""
    if _repeats_finished_form(memory, form):
        return True
    if memory.open_goals():
        return False
    index = form.since
    while index > 0 and leaves_form_open(memory.replies[:index]):
        index -= 1
    topic = memory.topics[index]
    return topic is not None and topic.startswith("output") and index > 0


def _repeats_finished_form(memory: Memory, form: OpenForm) -> bool:
    """Whether a form that the user has finished asks its questions again.

    Then the app took what was asked afterwards, such as "How much is it in total?", for another
    order. It is none if an open goal has a value that the user never gave.
    """
    done = [index for index in range(1, len(memory.replies)) if _is_finished(memory, index)]
    words = form.question.words
    if not done or not words or form.question.kind == "more":
        return False
    asked = [
        index
        for index, reply in enumerate(memory.replies[: done[-1]])
        if any(question.words == words for question in reply.questions)
    ]
    if not asked or form.since <= done[-1]:
        return False
    texts = [text for goal in memory.open_goals() for text in goal.texts]
    said = " ".join(memory.acts[: done[-1] + 1])
    return all(says_value(said, text) for text in texts)


def _is_finished(memory: Memory, index: int) -> bool:
    """Whether a reply reports something done, or asks what else after a yes to a read-back."""
    reply = memory.replies[index]
    if reply.done:
        return True
    before = open_form(memory.replies[:index])
    agreed = before is not None and is_yes(memory.acts[index]) and not reply.turns_down
    return agreed and reply.asks_what_else


def is_misled(
    memory: Memory, form: OpenForm, reasons: Sequence[str], guesses: tuple[str, ...]
) -> bool:
    """Return whether a question of the user's was taken for a service that nobody asked for.

    "How long is the gate open?" is not answered by "What size do you need?": the
    user has no value for it, and must not rent anything by guessing.

    Args:
        memory: The conversation so far.
        form: The question that is open.
        reasons: Why each of the answers to it would be given.
        guesses: How the reasons of answers begin that nothing in the profile backs.
    """
    active = memory.active
    if active is None or not active.asks or active.key in memory.met:
        return False
    start = form.since
    while start > 0 and leaves_form_open(memory.replies[:start]):
        start -= 1
    if memory.topics[start] != active.key:
        return False
    about = overlap(active.subject, concepts(memory.replies[start].text))
    return about < _ABOUT_IT and all(reason.startswith(guesses) for reason in reasons)


_ABOUT_IT = 0.5
"""Least share of a question's subject in a reply that answers it by a question of its own."""


def says_nothing_new(
    memory: Memory, form: OpenForm, reasons: Sequence[str], guessing: tuple[str, ...]
) -> bool:
    """Return whether the goal is better said at first than answers that are mere guesses.

    "When, and with how many?" of a greeting is no question to somebody who wants to cancel.

    Args:
        memory: The conversation so far.
        form: The question that is open.
        reasons: Why each of the answers to it would be given.
        guessing: How the reasons of answers begin that nothing in the profile backs.
    """
    if any(memory.tries.values()) or any(memory.acts):
        return False
    if offers_in_words(form.reply):
        return True
    guesses = any(reason.startswith(guessing) for reason in reasons)
    return guesses and not form.reply.choices and not form.question.marks


def offers_in_words(reply: AppReply) -> bool:
    """Return whether a greeting only says in a sentence what the app does, for others to choose.

    "Would you like to order a cake, change an order or book a workshop? Or is anything wrong?" is
    answered by what the user came for, in its own words.
    """
    if reply.choices or any(question.marks for question in reply.questions):
        return False
    named = sum(len(question.options) for question in reply.questions)
    either = len(reply.questions) > 1 and has_cue(reply.questions[-1].words, "or")
    return named > _MENU or either


# --- Questions that need no answer


# "Type 'none' if you have no code": the word that passes an optional question.
_QUOTED = re.compile(r"[\"'\u201c\u2018*]([^\"'\u201d\u2019*]{1,20})[\"'\u201d\u2019*]")

_NUMBER_TO_SKIP = re.compile(r"\b(\d) (?:for no|for none|to leave|to skip)\b")
"""The number that skips a question: "Your mobile, or 0 for no reminder."."""

_DASH = "-"
_SIGN = re.compile(r"[(\"'\u201c]\s?[-\u2013]\s?[)\"'\u201d]")
"""A dash that an app shows by itself: 'a dash (-) leaves it empty'."""


def is_optional(form: OpenForm) -> bool:
    """Return whether the app says that its question needs no answer."""
    if _NUMBER_TO_SKIP.search(folded(form.reply.text)) or types_dash(form.reply.text):
        return True  # "A note for us? Type it, or 0 to leave it out."
    words = form.question.words or folded(form.reply.text)
    return says(words, "anything") or says(words, "optional")


def types_dash(text: str) -> bool:
    """Return whether a dash is to be typed for nothing: "enter the code; otherwise a dash"."""
    if not says(folded(text), "dashes"):
        return bool(_SIGN.search(text)) and says(folded(text), "optional")
    return says(folded(text), "optional") or says(folded(text), "otherwise")


_SAY_NO = re.compile(
    r"\b(?:say|type|answer|enter|reply|write) no$|\b(?:say|type|answer|enter|reply) no\b(?! \w)"
)
"""How a folded text wants a "no" for what somebody does not have."""


def skip_word(form: OpenForm) -> str | None:
    """Return the word that skips an optional question, as the app names it; None if it is not."""
    words = folded(form.hint)
    number = _NUMBER_TO_SKIP.search(words)
    if number is not None:
        return number[1]
    if types_dash(form.hint):
        return _DASH
    if not says(words, "optional"):
        return None
    for match in _QUOTED.finditer(form.hint):
        if folded(match[1]) in map(folded, knowledge().skips):
            return match[1]
    named = (word for word in knowledge().skips if f" {folded(word)} " in f" {words} ")
    told = next((word for word in named if word != "no"), None)
    # "otherwise just say no": of "If there is no code, skip this" the "no" is none
    return told or ("no" if _SAY_NO.search(words) else None)
