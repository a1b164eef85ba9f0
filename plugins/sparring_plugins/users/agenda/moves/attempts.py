"""Other answers to a question that comes again, or that nothing in the profile answers.

Which kinds of answers are tried, and in which order, depends on no words of the app: values of the
kinds that it names, values of the shape that it describes, parts of them, its own options, whatever
else of the profile has a word of the question in it, the words that it puts in quotation marks, and
particulars that are made up. None is said twice to one question.
"""

import re
from collections.abc import Iterator, Sequence

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, starts_with_cue
from sparring_plugins.users.agenda.answers.relevant_statements import last_statement
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.conditional_wishes import conditional_wishes
from sparring_plugins.users.agenda.choosing.open_questions import NOTHING_TO_SAY
from sparring_plugins.users.agenda.profile.asked_kinds import accepted_kinds, asked_kinds
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.formats import put_as_asked, shape_fit
from sparring_plugins.users.agenda.profile.personal_details import personal_details
from sparring_plugins.users.agenda.profile.value_parts import part_asked
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes
from sparring_plugins.users.agenda.replies.named_options import shared_roots, split_at_either
from sparring_plugins.users.agenda.replies.question_kinds import typed_no, typed_yes
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import (
    KnownValue,
    best_values,
    is_birthday,
    is_of_other_use,
)
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import (
    OpenForm,
    is_closing,
    leaves_form_open,
    names_way_out,
    skip_word,
)
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.agenda.words.phrase_book import is_word_to_stop, word_lists

# --- Choices that led into a form which the user had to leave
#
# Menus and questions with options are a tree that the user looks through: it goes back from where
# it cannot go on, and takes another way.


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
        if fit == 0 and ("phone" in value.kinds or _counts_things(value)):
            continue  # "for 9 weeks" has no number of a contract
        if fit > 0 or (fit == 0 and not value.kinds & {"date", "time"}):
            return False
        if value.kinds & {"text"} and named & value.names and any(map(str.isdigit, value.text)):
            return False
    return _last_fork(state.memory, len(state.memory.acts), dead_ends(state.memory)) is not None


def _counts_things(value: KnownValue) -> bool:
    """Whether a value is a short number, which counts something."""
    digits = sum(map(str.isdigit, value.text))
    return "number" in value.kinds and "code" not in value.kinds and digits < _CODE_DIGITS


_CODE_DIGITS = 3
"""Digits of a code at least."""


# --- Answers that are tried


_FORMS = 4
"""Forms in which one value is put."""

QUOTED = re.compile(
    r"(?<!e\.g\. )(?<!such as )(?<!example )(?<!example: )(?<!like )"
    r"[\"\u201c\u201e«*]\s?([^\"\u201d\u201c»*\n]{1,30}?)\s?[\"\u201d\u201c»*]"
)
"""Words in quotation marks, but for examples: 'or say "skip"'."""
_CODE_KINDS = frozenset({"code", "number", "phone", "iban"})
_CALLED = frozenset({"name", "first_name", "last_name", "who"})


def next_attempt(state: DialogueState, form: OpenForm, first: Answer) -> Answer | None:
    """Return the next answer to the open question that was not given yet; None if all were tried.

    `first` is what would be said to it for the first time.
    """
    given = set(state.memory.acts[form.since + 1 :])
    return _first_fresh(_attempts(state, form, first), given)


def backed_attempt(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the first such answer that something in the profile backs, or None."""
    given = set(state.memory.acts[form.since + 1 :])
    return _first_fresh(_backed(state, form), given)


def _first_fresh(answers: Iterator[Answer], given: set[str]) -> Answer | None:
    fresh = (answer for answer in answers if folded(answer.label) not in given)
    return next((answer for answer in fresh if folded(answer.label)), None)


def _attempts(state: DialogueState, form: OpenForm, first: Answer) -> Iterator[Answer]:
    if is_yes(first.label) or is_no(first.label):
        yield from _other_words(state, form, yes=is_yes(first.label))
    else:
        yield from _backed(state, form)
    yield from _of_options(state, form)
    yield from _quoted(form)
    yield from _made_up(state, form)


def _backed(state: DialogueState, form: OpenForm) -> Iterator[Answer]:
    """Answers from the profile, those that the question is most likely to mean first."""
    if form.reply.choices:
        return
    asked = _asked_text(state, form)
    ranked = _ranked(state, form, asked)
    request = _reply_to_answer(state, form)
    named = [
        kinds for kinds in (asked_kinds(form.question.words), asked_kinds(folded(request))) if kinds
    ]
    kinds = frozenset[str]().union(*named)
    texts = [
        *_parts(asked, ranked),
        *(text for some in named for text in _of_kinds(state, form, ranked, some)),
        *_of_shape(state, form, asked),
        *(() if kinds else _clauses(state, asked)),
        *(() if kinds else _things(state, form)),
        *_near(ranked, asked, kinds),
    ]
    for text in texts:
        yield Answer(text, "tries what the profile says", exact=True)


def _reply_to_answer(state: DialogueState, form: OpenForm) -> str:
    """The app's reply to the last answer to the question: "That is no e-mail address."."""
    last = state.memory.last
    return last.text if last is not None and last != form.reply else ""


def _asked_text(state: DialogueState, form: OpenForm) -> str:
    """The question with what the app said of the last answer to it."""
    whole = f"{form.question.text} {_reply_to_answer(state, form)}"
    return whole if names_in(form.question.text) else form.hint


def _ranked(state: DialogueState, form: OpenForm, asked: str) -> list[KnownValue]:
    """The values of the profile, the most fitting first, then in their order."""
    active = state.memory.active
    ranked = best_values(
        asked,
        state.values,
        goal=active.key if active is not None else "",
        hint=form.hint,
        given=state.memory.acts,
        slots=state.slots,
    )
    best = [value for _, value in ranked]
    return [*best, *(value for value in state.values if value not in best)]


def _parts(asked: str, ranked: Sequence[KnownValue]) -> Iterator[str]:
    """The part of a code that is asked for, first that of a code with a name of the question."""
    names = names_in(asked)
    codes = [value for value in ranked if value.kinds & _CODE_KINDS]
    for value in sorted(codes, key=lambda value: -len((value.names | value.near) & names)):
        part = part_asked(asked, value.text)
        if part is not None:
            yield part


def _of_kinds(
    state: DialogueState, form: OpenForm, ranked: Sequence[KnownValue], kinds: frozenset[str]
) -> Iterator[str]:
    """Values of the kinds that the question names, each in all its forms before the next."""
    accepted = accepted_kinds(kinds) - {"text"}
    for value in ranked:
        if not value.kinds & accepted or (kinds & _CALLED and not value.text[:1].isupper()):
            continue
        if is_of_other_use(value, kinds):
            continue
        if value.kinds >= _QUANTITY and kinds & {"code", "id"}:
            continue  # "2 days" is no order number
        if "date" in value.kinds and "birth" in kinds and not is_birthday(value):
            continue
        yield from _in_forms(state, form, value)


_QUANTITY = frozenset({"number", "text"})


def _in_forms(state: DialogueState, form: OpenForm, value: KnownValue) -> Iterator[str]:
    for turn in range(_FORMS):
        yield put_as_asked(value.text, value.kinds, form.hint, turn, state.task.language)


def _of_shape(state: DialogueState, form: OpenForm, asked: str) -> Iterator[str]:
    """Codes and numbers that look as the app says that the answer looks."""
    for value in state.values:
        if value.kinds & _CODE_KINDS and shape_fit(value.text, f"{asked} {form.hint}") > 0:
            yield value.text


def _clauses(state: DialogueState, asked: str) -> Iterator[str]:
    """What the profile says in a sentence with a word of the question: "I sat in coach 3"."""
    names = names_in(asked)
    services = [goal.words for goal in state.goals if not goal.asks]
    # "... you join the last session of the day" of a condition answers no "Which tour?"
    parts = (part for text in state.task.context for part in re.split(r"[;.]\s+", text))
    context = [part for part in parts if not conditional_wishes((part,))]
    clauses = clauses_of((*context, *services))
    ranked = sorted(clauses, key=lambda clause: -shared_roots(names_in(clause), names))
    for clause in ranked:
        if shared_roots(names_in(clause), names) and not states_condition(clause):
            yield state.own_words(clause)


def _things(state: DialogueState, form: OpenForm) -> Iterator[str]:
    """What the goals are about, if a bare "what" is asked for: "look for your umbrella".

    What the user owns goes before what a goal ends with: the washing machine of "book a repair of
    your washing machine on a weekday morning". "Which brand is it?" asks for neither.
    """
    words = form.question.words
    if not starts_with_cue(words, "wh") or len(words.split()) > _BARE or says(words, "attributes"):
        return
    for goal in state.goals:
        if goal.asks:
            continue
        thing = _OWN_THING.search(goal.words) or _THING.search(goal.words)
        if thing is not None:
            yield state.own_words(thing[0])


# "What is it about?" asks for the thing; a longer question says which detail it wants.
_BARE = 8
_OWN_THING = re.compile(
    r"\b(?:your|my|deine?[nm]?|ihre?[nm]?|meine?[nm]?|tu|mi|su|votre|ton|ta|mon|ma)"
    r" (?!name\b|own\b)[\w-]+(?: [\w-]+)??"
    r"(?=[,.;]|$| (?:on|at|for|from|to|in|of|with|because|and|that|which|until"
    r"|um|am|an|auf|von|mit|weil|und|el|la|de|para|con|y|pour|le|avec|et)\b)",
    re.IGNORECASE,
)
"""A thing of the user's own in a goal."""
_THING = re.compile(
    r"\b(?:your|my|an?|the|deine?n?|meine?n?|eine?n?|tu|mi|un|una|el|la|votre|ton|ta|mon|ma|une|le)"
    r" [\w-]+(?: [\w-]+)?$",
    re.IGNORECASE,
)
"""The thing that a goal ends with."""


def clause_of_answer(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the clause of the last answer, if that was too short alone, or None.

    "coach 3" is said after "3" was not taken for where somebody sat.
    """
    last = state.memory.acts[-1]
    names = names_in(form.question.text)
    for clause in clauses_of(state.task.context):
        if form.reply.turns_down or states_condition(clause):
            continue
        longer = contains(folded(clause), last) and len(folded(clause).split()) > len(last.split())
        if last and longer and shared_roots(names_in(clause), names):
            return Answer(state.own_words(clause), "says more of it", exact=True)
    return None


def _near(ranked: Sequence[KnownValue], asked: str, kinds: frozenset[str]) -> Iterator[str]:
    """Values that stand near a word of the question, whatever their kind; no days for names."""
    names = names_in(asked)
    for value in ranked:
        if kinds and not value.kinds & (accepted_kinds(kinds) | {"text"}):
            continue
        if shared_roots(value.names | value.near, names):
            yield value.text


# --- Without the profile


def _other_words(state: DialogueState, form: OpenForm, *, yes: bool) -> Iterator[Answer]:
    """Yes or no in other words, and first in one word."""
    book = state.phrases
    typed = typed_yes(form.hint) if yes else typed_no(form.hint)
    words = [*([typed] if typed else ()), *(book.yes if yes else book.no)]
    if yes:
        words[1:1] = QUOTED.findall(form.hint)
    for text in words:
        yield Answer(text, "says it in other words", exact=True)


def _of_options(state: DialogueState, form: OpenForm) -> Iterator[Answer]:
    """The options of the question, the nearest to the profile first; each in words, by its mark."""
    question, last = form.question, state.memory.last
    options = question.options or split_at_either(question.text)
    if last is not None and last != form.reply and not options:
        options = last.options or split_at_either(last.text)
    profile_names = names_in("\n".join((*(goal.words for goal in state.goals), *state.background)))
    order = sorted(
        range(len(options)), key=lambda at: -shared_roots(names_in(options[at]), profile_names)
    )
    order = [at for at in order if not names_way_out(options[at])]
    for at in order:
        if at < len(form.reply.choices) and options == question.options:
            yield Answer("", "tries an option", form.reply.choices[at])
            continue
        yield Answer(options[at], "tries an option", exact=True)
    for at in order:
        if options == question.options and at < len(question.marks):
            yield Chooser(state, question, form.reply).take(at, "tries an option", marked=True)


def _quoted(form: OpenForm) -> Iterator[Answer]:
    """The words that the app puts in quotation marks: 'or say "skip"'."""
    for quoted in QUOTED.findall(form.hint):
        yield Answer(quoted, "says the word that the app names", exact=True)


def _made_up(state: DialogueState, form: OpenForm) -> Iterator[Answer]:
    """A particular of the user that the profile does not say, if its kind is known."""
    task, kinds = state.task, asked_kinds(folded(form.question.text))
    if any(value.kinds & (accepted_kinds(kinds) - {"text"}) for value in state.values):
        return  # a value of the profile that the app turns down is not replaced by an invented one
    details = personal_details(task.seed, task.context, task.language)
    for kind in sorted(kinds):
        if kind in details:
            written = frozenset({"date"} if kind == "birth" else {kind})
            for turn in range(_FORMS):
                text = put_as_asked(details[kind], written, form.hint, turn, task.language)
                yield Answer(text, f"gives {kind}", exact=True)


# --- Answers in place of one that was given before, or that nothing backs
#
# If a question comes again, the last answer was not accepted, in whatever words the app says so.
# In the middle of a form the user does not say again what it came for either.


UNBACKED = (
    NOTHING_TO_SAY,
    "brings up what is next",
    "declines",
    "gives a reason",
    "goes on",
    "has no preference",
    "says it in other words",
    "says what it wants",
)
"""How the reasons of answers begin that nothing in the profile backs."""

LIKELY = ("fits the goal", "is nearest", "declines", "agrees", "takes the offer")
"""How the reasons of answers begin that are only the most likely."""


def vary(state: DialogueState, form: OpenForm, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers to the question of a form, or another one in their place.

    Args:
        state: The conversation.
        form: The question that is open.
        answers: What would be said to it.
    """
    memory = state.memory
    if not any(memory.acts) or not answers:
        return answers
    if is_on_wrong_way(state, form):
        return []
    given = set(memory.acts[form.since + 1 :])
    stale = all(folded(answer.label) in given for answer in answers)
    unbacked = _are_unbacked(form, answers)
    if form.times and (stale or unbacked):
        return _answer_otherwise(state, form, answers)
    if form.times == 1 and _may_say_more(form) and not _is_counted(form):
        more = clause_of_answer(state, form)
        return [more] if more is not None else answers
    if not unbacked:
        return answers
    return _tell(state, form, answers) if _is_general(form) else _back(state, form, answers)


def _tell(state: DialogueState, form: OpenForm, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return what is left to say to a question that names nothing: "What was in it?"."""
    if form.question.options or form.since < 1:
        return answers
    rest = _goal_in_words(state) or (last_statement(state) if form.since > 1 else None)
    return [rest] if rest is not None else answers


def _goal_in_words(state: DialogueState) -> Answer | None:
    """What the user came for, if it has only been chosen in a menu: "What is it about?"."""
    memory = state.memory
    active = memory.active
    if active is None or active.asks:
        return None
    labels = {folded(label) for reply in memory.replies for label in reply.menu}
    turns = zip(memory.acts, memory.topics, strict=False)
    said = any(topic == active.key and act not in labels for act, topic in turns)
    return None if said else Answer(state.phrase(active), "says what it came for", exact=True)


def _are_unbacked(form: OpenForm, answers: Sequence[Answer]) -> bool:
    is_open = form.question.kind in ("open", "select")
    return is_open and all(answer.reason.startswith(UNBACKED) for answer in answers)


def _answer_otherwise(
    state: DialogueState, form: OpenForm, answers: Sequence[Answer]
) -> Sequence[Answer]:
    """Another answer to a question that comes again; none if there is none left."""
    if not any(state.memory.tries.values()):
        words = state.next_words()  # the app may not be asking for anything of a service yet
        return [Answer(words, "brings up what is next")] if words is not None else answers
    other = next_attempt(state, form, answers[0])
    return [other] if other is not None else []


def _may_say_more(form: OpenForm) -> bool:
    is_open = form.question.kind in ("open", "select") and not form.question.options
    return is_open and not _is_typed(form)


def _back(state: DialogueState, form: OpenForm, answers: Sequence[Answer]) -> Sequence[Answer]:
    """An answer that the profile backs, or a button, in place of one that it does not."""
    chooses = len(answers) == 1 and answers[0].press is not None
    if form.question.options and form.reply.choices and not chooses:
        other = next_attempt(state, form, answers[0])  # a button, and not what it came for
    else:
        other = None if form.question.options else backed_attempt(state, form)
    return [other] if other is not None else answers


def _is_counted(form: OpenForm) -> bool:
    """Whether a number is asked for, which no longer words explain."""
    return bool(asked_kinds(form.question.words) & {"number", "how_many", "people", "age", "money"})


def _is_general(form: OpenForm) -> bool:
    """Whether a question names nothing: "What would you like instead?"."""
    return not (concepts(form.question.words) - word_lists().generic_concepts)


def _is_typed(form: OpenForm) -> bool:
    """Whether a question asks for a datum that is written in one way, such as a date."""
    return bool(asked_kinds(form.question.words) - {"place", "number", "how_many", "why"})


def word_to_leave(state: DialogueState, form: OpenForm) -> str | None:
    """Return the word that leaves a form: one that the app names, else a usual one; None if said.

    A user that has nothing left to answer goes back, and tries another way to what it wants.
    """
    said = set(state.memory.acts[form.since + 1 :])
    offered = (*form.reply.menu, *form.reply.options, *QUOTED.findall(form.hint))
    named = [label for label in offered if names_way_out(label)]
    words = [*named, *state.phrases.stop_it]
    return next((word for word in words if folded(word) not in said), None)
