"""What a read-back has otherwise than the user answered: "Guests: 4" after "How many guests?", "6".

The user's own words in this conversation are the measure, question by question, whether or not the
profile has the value: a tester has to notice each particular that an app has stored wrongly. What
an app puts in other words ("NL" for "Dutch") is left alone: only two values of one kind that cannot
both be right count, such as two dates, two e-mail addresses or two options of one question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.model.talk import meant_by
from sparring_plugins.language.candidates import date_spans, find_emails, find_phones, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.answers.corrections import Correction, is_foreign, proper_names
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.stances import clause_about, denies
from sparring_plugins.users.agenda.replies.app_reply import is_no, is_yes
from sparring_plugins.users.agenda.replies.described_options import usual_option
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import is_complaint, names_way_out
from sparring_plugins.users.agenda.state.value_matching import times_named

_LINE = re.compile(
    r"^[\W_]*(?P<label>[^\W\d_][^:\n]{0,39}?)\s*:\s+(?P<value>\S[^\n]{0,59})$", re.MULTILINE
)
"""A line of a read-back: "Guests: 4"; "Let me repeat: six guests on ..." is running text."""
_NAME = re.compile(r"[^\W\d_][\w'\u2019-]*(?:\s[^\W\d_][\w'\u2019-]*){1,3}")
_COUNT = re.compile(r"\D{0,3}(\d{1,4})(?:\s[^\W\d_]+){0,2}")
_LAST_DIGITS = 6
"""Digits at the end of a phone number that are the same with and without the country's code."""
_SHORTEST_OPTION = 3
_READ = 2
"""Answers of the user that a text states again at least before it is taken for a read-back."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A question of the app, the options it named, and what the user answered."""

    question: str
    options: tuple[str, ...]
    said: str


def misread_answers(state: DialogueState, stated: str) -> list[Correction]:
    """Return what a read-back has otherwise than the user has answered.

    Args:
        state: The conversation.
        stated: What the last reply states.
    """
    given = _answers_given(state)
    if sum(contains(folded(stated), folded(one.said)) for one in given) < _READ:
        return []
    wrong = list(_in_lines(given, stated, state.task.language))
    prose = _LINE.sub(" ", stated)
    wrong += _in_prose(state, given, prose)
    wrong += [] if wrong else _other_thing(state, given, stated)
    return list({correction.wrong: correction for correction in wrong}.values())


def _answers_given(state: DialogueState) -> Sequence[_Given]:
    """The answers that the app took, the last one to each question."""
    memory, turns = state.memory, state.task.turns
    given: dict[str, _Given] = {}
    for at in range(1, len(turns)):
        asking, reply = memory.replies[at - 1], memory.replies[at]
        said = meant_by(turns[at].act).strip()
        if len(asking.questions) != 1 or not said or reply.fallback or is_complaint(reply):
            continue
        question = asking.questions[0]
        if question.kind in ("more", "confirm", "helped", "smalltalk"):
            continue
        options = question.options or tuple(choice.label for choice in asking.choices)
        real = tuple(option for option in options if not names_way_out(option))
        usual = usual_option(real)
        if usual is not None and folded(real[usual]) == folded(said):
            continue  # "No preference" lets the app choose
        given[question.words] = _Given(question.text, real, said)
    return list(given.values())


# --- Lines with a label


def _in_lines(given: Sequence[_Given], text: str, language: str) -> Iterator[Correction]:
    for match in _LINE.finditer(text):
        answer = _asked_for(match["label"], given)
        value = match["value"].strip()
        if answer is None:
            continue
        named = bool(names_in(match["label"]) & names_in(answer.question))
        if _differs(value, answer, language) or (named and _is_other_thing(value, answer.said)):
            yield Correction(answer.said, f"{match['label'].strip()}: {answer.said}")


def _asked_for(label: str, given: Sequence[_Given]) -> _Given | None:
    """The one answer to a question with the words of a label, or for a value of its kind."""
    names, kinds = names_in(label), asked_kinds(folded(label))
    scores = [
        (len(names & names_in(one.question)), len(kinds & asked_kinds(folded(one.question))))
        for one in given
    ]
    best = max(scores, default=(0, 0))
    if best == (0, 0) or scores.count(best) > 1:
        return None
    return given[scores.index(best)]


def _differs(stated: str, given: _Given, language: str) -> bool:
    """Whether a stated value cannot be what the user answered."""
    said = given.said
    if folded(said) in folded(stated) or folded(stated) in folded(said):
        return False
    pairs = (
        (_emails(stated), _emails(said)),
        (days_in(stated, language), days_in(said, language)),
        (_clocks(stated), _clocks(said)),
        (_phones(stated), _phones(said)),
    )
    for here, there in pairs:
        if here and there:
            return not here & there
    if any(find(text) for find in (date_spans, find_times) for text in (stated, said)):
        return False  # "next Friday" may well be the day that is stated
    counts = _count(stated), _count(said)
    if None not in counts:
        return counts[0] != counts[1]
    if (is_yes(folded(said)) and is_no(folded(stated))) or (
        is_no(folded(said)) and is_yes(folded(stated))
    ):
        return True
    return _is_other_option(stated, given) or _is_other_name(stated, said)


def _emails(text: str) -> set[str]:
    return {span.text.lower() for span in find_emails(text)}


def _clocks(text: str) -> set[str]:
    """Times of day by the clock of twelve hours: "1:00" may be 13:00."""
    parts = [time.partition(":") for time in times_named(text)]
    return {f"{int(hour) % 12}:{minute}" for hour, _, minute in parts if hour.isdigit()}


def _phones(text: str) -> set[str]:
    digits = ("".join(filter(str.isdigit, phone.text)) for phone in find_phones(text))
    return {number[-_LAST_DIGITS:] for number in digits if len(number) > _LAST_DIGITS}


def _count(text: str) -> int | None:
    match = _COUNT.fullmatch(text.strip(" ."))
    if match is not None:
        return int(match[1])
    words = folded(text)
    if len(words.split()) > _READ:
        return None
    spelled = spelled_numbers(words)
    whole = len(spelled) == 1 and spelled[0].start == 0
    return int(spelled[0].value) if whole else None


def _is_other_option(stated: str, given: _Given) -> bool:
    """Whether a value is another option of the question than the one that was chosen."""
    options = [folded(option) for option in given.options]
    chosen = [option for option in options if option and contains(folded(given.said), option)]
    others = [
        option
        for option in options
        if option not in chosen
        and len(option) >= _SHORTEST_OPTION
        and not any(option in one or one in option for one in chosen)
    ]
    words = folded(stated)
    return bool(chosen) and any(contains(words, option) for option in others)


def _is_other_name(stated: str, said: str) -> bool:
    """Whether both are names of several words, and one word differs: "Ann Lee" and "Ann Lea".

    "O. Berg" may be "Olga Berg", and "Berg, Olga" has the same words.
    """
    if not (_NAME.fullmatch(stated) and _NAME.fullmatch(said) and stated[0].isupper()):
        return False
    here, there = folded(stated).split(), folded(said).split()
    if len(here) != len(there) or not set(here) & set(there):
        return False
    left, right = sorted(set(here) - set(there)), sorted(set(there) - set(here))
    return any(a[0] != b[0] or min(len(a), len(b)) > 1 for a, b in zip(left, right, strict=False))


def _is_other_thing(stated: str, said: str) -> bool:
    """Whether both are names without a word in common: "Castle Walk" and "Harbour Cruise"."""
    if not (_THING.fullmatch(stated) and _THING.fullmatch(said)):
        return False
    return not set(folded(stated).split()) & set(folded(said).split())


_THING = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'\u2019-]+(?: [A-ZÀ-ÖØ-Þ][\w'\u2019-]+){1,3}")


# --- Running text


def _in_prose(state: DialogueState, given: Sequence[_Given], text: str) -> Iterator[Correction]:
    words = folded(text)
    if sum(contains(words, folded(one.said)) for one in given) < _READ:
        return
    said = " ".join(folded(one.said) for one in given)
    for one in given:
        if contains(words, folded(one.said)):
            continue
        denied = _denied(state, text, one)
        if denied is not None:
            yield Correction(one.said, denied)
        elif (
            _has_other_contact(text, one)
            or _has_other_option(text, one, said)
            or _has_other_name(text, one)
        ):
            yield Correction(one.said, one.said)


def _has_other_name(text: str, given: _Given) -> bool:
    name = _name_beside(text, given.said)
    return name is not None and _is_other_name(name, given.said)


def _has_other_contact(text: str, given: _Given) -> bool:
    """Whether a text has one e-mail address or phone number, and another one than was given."""
    # "50227716" is the number of a policy
    by_phone = "phone" in asked_kinds(folded(given.question))
    for find in (_emails, _phones) if by_phone else (_emails,):
        wanted, stated = find(given.said), find(text)
        if wanted and len(stated) == 1 and not wanted & stated:
            return True
    return False


def _has_other_option(text: str, given: _Given, said: str) -> bool:
    """Whether a text names another option of a question, and no other answer has its words."""
    words = folded(text)
    others = [option for option in map(folded, given.options) if contains(words, option)]
    return any(not contains(said, o) for o in others) and _is_other_option(text, given)


def _denied(state: DialogueState, text: str, given: _Given) -> str | None:
    """What the user wants after all: "no lunch" after a yes to "Would you like lunch on board?"."""
    asked = names_in(given.question)
    if not is_yes(folded(given.said)):
        return None
    if not any(denies(part, asked) for part in _parts_about(text, asked)):
        return None
    clause = clause_about(given.question, clauses_of(state.task.context))
    return state.own_words(clause) if clause else given.said


def _parts_about(text: str, names: frozenset[str]) -> list[str]:
    """The parts of a text between commas and stops that have one of some names."""
    return [part for part in re.split(r"[,;.\n]", text) if names & names_in(part)]


def _name_beside(text: str, said: str) -> str | None:
    """The name in a text that begins as an answer does: "Ann Lea" for "Ann Lee"."""
    parts = said.split()
    if len(parts) != _READ or not _NAME.fullmatch(said):
        return None
    match = re.search(rf"\b{re.escape(parts[0])} [A-ZÀ-ÖØ-Þ][\w'\u2019-]+", text, re.IGNORECASE)
    return match[0] if match is not None and match[0].split()[1][:1].isupper() else None


def _other_thing(state: DialogueState, given: Sequence[_Given], text: str) -> Iterator[Correction]:
    """Correct the only name that a text has in place of the only one that it lacks."""
    lacking = [
        one
        for one in given
        if _THING.fullmatch(one.said) and not contains(folded(text), folded(one.said))
    ]
    foreign = [
        name
        for name, _ in proper_names(text)
        if _THING.fullmatch(name) and is_foreign(name, state.values, state.memory)
    ]
    if len(lacking) == 1 and len(foreign) == 1 and _is_other_thing(foreign[0], lacking[0].said):
        yield Correction(lacking[0].said, lacking[0].said)
