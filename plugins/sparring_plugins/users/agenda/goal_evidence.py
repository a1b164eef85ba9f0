"""What shows that a goal is met though the user never asked for it in words."""

from collections.abc import Sequence

from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts, overlap
from sparring_plugins.users.agenda.app_reply import AppReply
from sparring_plugins.users.agenda.facts import denies, knowledge, names_in, says
from sparring_plugins.users.agenda.phrase_book import word_lists
from sparring_plugins.users.agenda.user_goals import UserGoal

_ALL = 0.75
_FUNCTION_WORDS = frozenset({"whether", "although", "though", "becaus", "anyway", "if"})


def states_total(goal: UserGoal, reply: AppReply) -> bool:
    """Whether a goal wants to know the sum of everything, and a reply names it.

    "make sure you know what it costs in total" is met by "Total: 31.90 euros.".
    """
    if not says(folded(goal.words), "totals") or goal.texts:
        return False
    stated = (*reply.statements, *(question.text for question in reply.questions))
    return any(
        says(folded(sentence), "totals") and find_money(sentence)
        for text in stated
        for sentence in sentences(text)
    )


def is_denial(goal: UserGoal) -> bool:
    """Whether a goal only says what the user does not want: "no snacks", "without a bag"."""
    first = folded(goal.words).split()[:1]
    return bool(first) and first[0] in knowledge().denials and not goal.asks


def is_covered(goal: UserGoal, form: Sequence[AppReply]) -> bool:
    """Whether a form that was closed well has dealt with a detail that a goal names.

    What the app states and asks counts, the labels of its menus do not: "Cancel a booking" among
    them cancels none.
    """
    texts = [*(text for reply in form for text in reply.statements)]
    texts += [question.text for reply in form for question in reply.questions]
    said = concepts("\n".join(texts))
    own = goal.subject - _FUNCTION_WORDS
    return bool(own) and overlap(own, said) >= _ALL


def names_value(act: str, text: str) -> bool:
    """Whether an act chooses a thing that a value tells the user to take.

    "Robe and slippers ($9)" is "add a robe and slippers".
    """
    meant = concepts(text) - word_lists().generic_concepts
    return len(text.split()) > 1 and len(meant) > 1 and meant <= concepts(act)


def decided_subject(goal: UserGoal) -> frozenset[str]:
    """What a yes-or-no question is about: its concepts without numbers and function words.

    "Our insurance starts at 21, so I leave the car out" answers "whether you may have the car
    although you are 19".
    """
    words = folded(goal.words).split()
    cut = next((at for at, word in enumerate(words) if word in ("although", "though")), len(words))
    subject = concepts(" ".join(words[:cut])) & goal.subject
    return (subject - _FUNCTION_WORDS) or goal.subject


def denied_names(goal: UserGoal) -> frozenset[str]:
    """The names of what a goal denies."""
    names = names_in(goal.words)
    return names if denies(goal.words, names) else frozenset()
