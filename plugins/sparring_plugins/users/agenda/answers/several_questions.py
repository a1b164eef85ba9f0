"""Several questions in one reply: those that ask for the same, and answers that hold each other."""

from collections.abc import Sequence
from dataclasses import replace

from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.names_of_others import asks_name_of_other
from sparring_plugins.users.agenda.profile.value_kinds import kinds_of
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion
from sparring_plugins.users.agenda.state.dialogue_state import Answer
from sparring_plugins.users.agenda.words.knowledge import starts_with_any


def without_contained(answers: Sequence[Answer]) -> list[Answer]:
    """The answers without those that another one contains."""
    return [
        answer
        for place, answer in enumerate(answers)
        if not any(
            _contains(other, answer, earlier=at < place)
            for at, other in enumerate(answers)
            if at != place
        )
    ]


def without_repeats(questions: Sequence[AppQuestion]) -> list[AppQuestion]:
    """The questions without those that ask for the same as a later one: "Who is it? Your name?".

    The later one keeps the words of the one before it: "Who gets it? First name and surname." asks
    for the names of somebody else.
    """
    kinds = [asked_kinds(question.words) | _asked_person(question) for question in questions]
    kept: list[AppQuestion] = []
    before: list[str] = []
    for place, question in enumerate(questions):
        later = frozenset[str]().union(*kinds[place + 1 :])
        if kinds[place] == frozenset({"place"}) and later & _REACHED_AT:
            before.append(question.text)
            continue  # "Where should we send it? An e-mail address, please."
        if kinds[place] and any(kinds[place] & later for later in kinds[place + 1 :]):
            before.append(question.text)
            continue
        text = " ".join((*before, question.text)) if kinds[place] else question.text
        kept.append(replace(question, text=text))
        before = before if not kinds[place] else []
    return kept


def without_counts_again(
    pairs: Sequence[tuple[AppQuestion, Answer]],
) -> list[tuple[AppQuestion, Answer]]:
    """Questions with their answers, without a bare "How many?" after an answer with the number.

    "And are there any children? How many?" is answered by "two".
    """
    kept: list[tuple[AppQuestion, Answer]] = []
    for question, answer in pairs:
        before = kept[-1][1].text if kept else ""
        counts = asked_kinds(question.words) & {"number", "how_many"}
        bare = not names_in(question.text) - {"~number"}
        if not (counts and bare and "number" in kinds_of(before)):
            kept.append((question, answer))
    return kept


_REACHED_AT = frozenset({"email", "phone", "address"})


def _asked_person(question: AppQuestion) -> frozenset[str]:
    """The kind of a question for somebody: "Who comes in their place? Full name and e-mail."."""
    who = starts_with_any(question.words, "asking_who") or "who" in asked_kinds(question.words)
    who = who or asks_name_of_other(question.words)
    return frozenset({"name"}) if who else frozenset()


def _contains(other: Answer, answer: Answer, *, earlier: bool) -> bool:
    """Whether an answer is a part of another one, or the same as an earlier one."""
    longer = len(other.text) > len(answer.text)
    return bool(answer.text) and answer.text in other.text and (longer or earlier)
