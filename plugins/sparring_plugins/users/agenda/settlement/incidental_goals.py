"""What the end of a service shows of the other goals: questions answered, details dealt with.

People do not ask again what they have just been told: "Your report has been sent. It will be looked
at within 24 hours." answers "how soon will somebody look at it?" before it is asked. Nor do they
say again what they answered in the form that was closed: "No, I have no injury."
"""

import re
from collections.abc import Sequence

from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import have_same_root, stance
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes
from sparring_plugins.users.agenda.settlement.service_settlement import (
    closes_form,
    has_other_day,
)
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import is_complaint, leaves_form_open, open_form
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    has_answer,
    is_conditional,
    is_service,
    plans_change,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import idle_words, word_lists


def settle_told(memory: Memory) -> None:
    """Note the goals that the end of a service has met besides.

    A question that the app did not understand is looked up once more in what was told at the end.
    """
    end = _last_end(memory)
    if end is None:
        return
    if end == len(memory.replies) - 1:
        for goal in memory.goals:
            if goal.key not in memory.met and _is_met_by_end(memory, goal, end):
                memory.met.add(goal.key)
        return
    topic = memory.topics[-1]
    asked = next((g for g in memory.goals if g.key == topic and g.asks and not g.is_output), None)
    if (
        asked is not None
        and memory.replies[-1].fallback
        and _is_told(memory, asked, end, asked=True)
    ):
        memory.met.add(asked.key)


def settle_chosen(memory: Memory) -> None:
    """Note the service that an entry of a menu has done at once: "4 New code", the menu again."""
    if len(memory.replies) < _BEFORE_AND_AFTER:
        return
    before, reply = memory.replies[-_BEFORE_AND_AFTER:]
    act = memory.acts[-1]
    if not _is_menu_again(before, reply, act):
        return
    label = names_in(act)
    for goal in memory.goals:
        names = names_in(goal.words) - _of_question()
        # "Prices" alone has done nothing about the bill of last month
        part = len(label) > 1 and _all_among(label, names)
        whole = bool(label and names) and (part or _all_among(names, label))
        if whole and is_service(goal) and goal.key not in memory.met:
            memory.met.add(goal.key)
            return


def _is_menu_again(before: AppReply, reply: AppReply, act: str) -> bool:
    """Whether a menu comes again with something new, right after one of its entries was chosen."""
    labels = [folded(label) for label in before.menu]
    if act not in labels or labels != [folded(label) for label in reply.menu]:
        return False
    if reply.fallback or reply.refusal or is_complaint(reply):
        return False
    return bool(set(_sentences_told(reply)) - set(_sentences_told(before)))


_BEFORE_AND_AFTER = 2


def _last_end(memory: Memory) -> int | None:
    """The turn in which a service was done last; None if none was."""
    served = any(is_service(goal) and goal.key in memory.met for goal in memory.goals)
    if not served:
        return None
    replies = memory.replies
    if not leaves_form_open(replies) and (replies[-1].done or closes_form(memory)):
        return len(replies) - 1
    ends = (at for at in range(len(replies) - 2, 0, -1) if replies[at].done)
    return next(ends, None)


def _is_met_by_end(memory: Memory, goal: UserGoal, end: int) -> bool:
    if goal.is_output or is_conditional(goal) or plans_change(goal):
        return False
    if goal.asks:
        return _is_told(memory, goal, end, asked=False)
    if says(folded(goal.words), "unchanged"):
        return True  # "leave the day as it is": nothing else was changed
    if goal.key in memory.closed or has_other_day(goal, memory.replies[end]):
        return False
    if says(folded(goal.words), "repetition"):
        return False  # "renew my books again" after "renew my books"
    return _was_dealt_with(memory, goal, end)


# --- Questions


def _is_told(memory: Memory, goal: UserGoal, end: int, *, asked: bool) -> bool:
    """Whether what was told at the end of a service answers a question."""
    told = [text for reply in _end_of(memory, end) for text in _sentences_told(reply)]
    names = names_in(goal.words) - _of_question() - names_in(" ".join(word_lists().answer_kinds))
    wants = has_answer(goal, "\n".join(told))
    if wants is False:
        return False
    if names and any(_names_all(names, sentence) for sentence in told):
        return wants is True or asked or len(names) > 1
    words = folded(goal.words)
    if wants is not True or len(names) > 1 or not _ABOUT_THIS.search(words):
        return False
    # "how much data have you used" is not answered by the price at the end
    return bool(_WHEN.search(words)) or (asked and not names)


def _end_of(memory: Memory, end: int) -> Sequence[AppReply]:
    """The reply that ends a service, and the read-back before it."""
    before = memory.replies[end - 1] if end else None
    reads_back = before is not None and before.asks("confirm", "select", "fact")
    return memory.replies[end - 1 : end + 1] if reads_back else memory.replies[end : end + 1]


def _sentences_told(reply: AppReply) -> list[str]:
    menu = {folded(label) for label in reply.menu}
    parts = [part for part in sentences(reply.text) if not part.rstrip().endswith("?")]
    return [part for part in parts if folded(part).lstrip("0123456789 ") not in menu]


def _names_all(names: frozenset[str], sentence: str) -> bool:
    told = names_in(sentence)
    return all(any(have_same_root(name, other) for other in told) for name in names)


def _of_question() -> frozenset[str]:
    return names_in(" ".join(knowledge().of_questions))


_WHEN = re.compile(
    r"\b(?:when|how soon|what time|wann|wie schnell|wie bald|um wie viel uhr|cuando"
    r"|a que hora|quand|a quelle heure|quando|a che ora|a que horas)\b"
)
_ABOUT_THIS = re.compile(
    r"\b(?:it|its|this|that|there|somebody|someone|you|your|he|she|es|das|dort|da|jemand|sie|du|dich"
    r"|ihr|ihnen|lo|la|te|tu|usted|alguien|alli|ce|cela|ca|vous|on|quelqu un|quelquun|esso|isso)\b"
)
"""Words of a question about what is under way: "when somebody will look at it"."""


# --- Details


def _was_dealt_with(memory: Memory, goal: UserGoal, end: int) -> bool:
    """Whether the form that was closed took what a goal wants besides its service."""
    turns = list(_turns_of_form(memory, goal, end))
    texts = goal.texts or [goal.words]
    said = all(_was_answered(text, turns) for text in texts)
    if said and (goal.texts or len(names_in(goal.words)) > 1):
        return True
    # "don't let them charge you automatically" was a no to "Charge automatically?"
    return any(
        (is_yes(act) or is_no(act)) and stance(question, (goal.words,), wished=True) is is_yes(act)
        for question, act, _ in turns
    )


def _turns_of_form(memory: Memory, goal: UserGoal, end: int) -> Sequence[tuple[str, str, bool]]:
    """The questions of the form that ended in a turn, with the answers, and which were options.

    Who only brings a goal up in the middle of another one's form has not answered anything.
    """
    turns: list[tuple[str, str, bool]] = []
    for at in range(end, 0, -1):
        form = open_form(memory.replies[:at])
        if form is None:
            break
        act, reply = memory.acts[at], memory.replies[at]
        if memory.topics[at] == goal.key and goal.form != "statement":
            continue
        if act and act not in idle_words() and not reply.fallback and not is_complaint(reply):
            asked = form.question
            # "By text message" is all that is said of "be told by text message"
            chosen = act in map(folded, asked.options)
            turns.append((asked.text, act, chosen))
    return turns


def _was_answered(text: str, turns: Sequence[tuple[str, str, bool]]) -> bool:
    """Whether an answer said a text of a goal, if need be together with its question."""
    names = names_in(text) - _of_question()
    for question, act, chosen in turns:
        own = names_in(act)
        if contains(act, folded(text)) or (chosen and own and _all_among(own, names)):
            return True
        both = names_in(question) | own
        of_act = any(have_same_root(n, other) for n in names for other in own)
        if names and of_act and _all_among(names, both):
            return True
    return False


def _all_among(names: frozenset[str], others: frozenset[str]) -> bool:
    return all(any(have_same_root(name, other) for other in others) for name in names)
