"""Goals that the end of another service has met: questions answered, details dealt with.

People do not ask what they were just informed of: "Your claim is filed. A colleague calls you
within two days." answers "when will somebody call you?" before it is asked. Nor do they repeat
what they answered in the form that was closed: "No, I don't smoke."
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from sparring_plugins.language.candidates import date_spans, find_identifiers
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.choosing.menu_ranking import distinct_option
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of
from sparring_plugins.users.agenda.profile.conditions import without_condition
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.stances import stance, weak_stance, with_same_root
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes
from sparring_plugins.users.agenda.replies.described_options import described_option
from sparring_plugins.users.agenda.settlement.service_reports import clauses_told, is_announced
from sparring_plugins.users.agenda.settlement.service_settlement import (
    closes_form,
    has_other_day,
)
from sparring_plugins.users.agenda.settlement.told_answers import is_told, parts_told
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import is_complaint, leaves_form_open, open_form
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    has_answer,
    is_conditional,
    is_service,
    named_moments,
    plans_change,
)
from sparring_plugins.users.agenda.state.value_matching import lies_within, says_value
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import bare_decisions, idle_words, word_lists


def settle_at_end(memory: Memory) -> None:
    """Mark the goals that the end of a service has met besides the service itself.

    A question that the app does not understand later is looked up once more in that end.
    """
    end = _last_end(memory)
    if end is None:
        return
    last = len(memory.replies) - 1
    for goal in memory.goals:
        if goal.key in memory.met:
            continue
        if end == last:
            is_met = _is_met_by_end(memory, goal, end)
        else:
            is_asked = goal.key == memory.topics[-1] and goal.asks and not goal.is_output
            is_unheard = memory.replies[-1].fallback or not memory.replies[-1].informative
            is_met = is_asked and is_unheard and _is_answered(memory, goal, end, asked=True)
        if is_met:
            memory.met.add(goal.key)


def settle_menu_entry(memory: Memory) -> None:
    """Mark the service that a menu entry has done at once: "3 Send my badge", the menu again."""
    if len(memory.replies) < _BEFORE_AND_AFTER:
        return
    before, reply = memory.replies[-_BEFORE_AND_AFTER:]
    act = memory.acts[-1]
    if not _is_menu_again(before, reply, act):
        return
    label = names_in(act)
    for goal in memory.goals:
        names = _subject_of(goal.words)
        # "Prices" alone has done nothing about the bill of last month
        is_part = len(label) > 1 and _all_among(label, names)
        is_whole = bool(label and names) and (is_part or _all_among(names, label))
        if is_whole and is_service(goal) and goal.key not in memory.met:
            memory.met.add(goal.key)
            return


def _is_menu_again(before: AppReply, reply: AppReply, act: str) -> bool:
    """Whether a menu comes again with something new, right after one of its entries was chosen."""
    labels = [folded(label) for label in before.menu]
    if act not in labels or labels != [folded(label) for label in reply.menu]:
        return False
    if reply.fallback or reply.refusal or is_complaint(reply):
        return False
    return bool(set(_stated_sentences(reply)) - set(_stated_sentences(before)))


_BEFORE_AND_AFTER = 2


def _last_end(memory: Memory) -> int | None:
    """The turn in which a service was done last; None if none was."""
    if not any(is_service(goal) and goal.key in memory.met for goal in memory.goals):
        return None
    replies = memory.replies
    if not leaves_form_open(replies) and (replies[-1].done or closes_form(memory)):
        return len(replies) - 1
    ends = (at for at in range(len(replies) - 2, 0, -1) if _is_end(memory, at))
    return next(ends, None)


def _is_end(memory: Memory, at: int) -> bool:
    """Whether a reply says that something is done, or goes on to what else there is after a yes."""
    reply = memory.replies[at]
    agreed = is_yes(memory.acts[at]) and reply.asks("more", "helped") and bool(reply.statements)
    return reply.done or (agreed and not reply.turns_down)


def _is_met_by_end(memory: Memory, goal: UserGoal, end: int) -> bool:
    if goal.is_output or is_conditional(goal) or plans_change(goal):
        return False
    if goal.asks:
        return _is_answered(memory, goal, end, asked=False)
    if _undoes(goal) - _undoes_any(memory, end):
        return False  # "please cancel my order" is not done by the end of the order itself
    if _is_thing_told(memory, goal, end):
        return True
    if says(folded(goal.words), "unchanged"):
        return True  # "leave the day as it is": nothing else was changed
    if goal.key in memory.closed or has_other_day(goal, memory.replies[end]):
        return False
    if says(folded(goal.words), "repetition"):
        return False  # "renew the pass again" after "renew the pass"
    if is_announced(goal):
        # a yes to "A letter for Leo: is this correct?" does not report that Leo is ill
        return _was_told(goal, _turns_of_form(memory, goal, end))
    return _was_dealt_with(memory, goal, end)


# --- Questions


def _is_answered(memory: Memory, goal: UserGoal, end: int, *, asked: bool) -> bool:
    """Whether the end of a service answers a question, which the user may have asked already."""
    stated = [text for reply in _end_of(memory, end) for text in _stated_sentences(reply)]
    if is_told(goal, stated, _service_of(memory, end), asked=asked):
        return True
    names = _subject_of(goal.words) - names_in(" ".join(word_lists().answer_kinds))
    has_value = has_answer(goal, "\n".join(stated))
    if has_value is False:
        return False
    if names and any(_all_among(names, names_in(sentence)) for sentence in stated):
        return has_value is True or asked or len(names) > 1
    words = folded(goal.words)
    if has_value is not True or len(names) > 1 or not says(words, "under_way"):
        return False
    # "how many miles have you left" is not answered by the price at the end
    return says(words, "asking_time") or (asked and not names)


def _undoes(goal: UserGoal) -> frozenset[str]:
    """Whether a goal cancels or changes what was done."""
    return intents_of(goal.words) & {"cancel", "change"}


def _undoes_any(memory: Memory, end: int) -> frozenset[str]:
    """What the services cancel or change that the user had spoken of when one was done."""
    return intents_of(_service_of(memory, end)) & {"cancel", "change"}


def _is_thing_told(memory: Memory, goal: UserGoal, end: int) -> bool:
    """Whether the end of a service has the number and the answer that a goal wants together."""
    parts = parts_told(goal)
    if parts is None or not concepts(parts[0]) & RECEIPTS:
        return False
    question = replace(goal, form="question", words=parts[1], values=())
    stated = [text for reply in _end_of(memory, end) for text in _stated_sentences(reply)]
    names_receipt = any(find_identifiers(text) or _CODE.search(text) for text in stated)
    return names_receipt and is_told(question, stated, _service_of(memory, end), asked=True)


_CODE = re.compile(r"\b[A-Z]{1,4}-?\d{2,}\b")
"""A number of a case: "C5601"."""
RECEIPTS = frozenset({"~id", "~number", "confirm", "confirmation"})


def _service_of(memory: Memory, end: int) -> str:
    """The words of the services that the user had spoken of when one was done."""
    topics = {topic for topic in memory.topics[: end + 1] if topic}
    return " ".join(g.words for g in memory.goals if is_service(g) and g.key in topics)


def _end_of(memory: Memory, end: int) -> Sequence[AppReply]:
    """The reply that ends a service, and the read-back before it."""
    before = memory.replies[end - 1] if end else None
    reads_back = before is not None and before.asks("confirm", "select", "fact")
    return memory.replies[end - 1 : end + 1] if reads_back else memory.replies[end : end + 1]


def _stated_sentences(reply: AppReply) -> list[str]:
    """The sentences of a reply without its questions and the entries of its menu."""
    menu = {folded(label) for label in reply.menu}
    parts = [part for part in sentences(reply.text) if not part.rstrip().endswith("?")]
    return [part for part in parts if folded(part).lstrip("0123456789 ") not in menu]


def _subject_of(text: str) -> frozenset[str]:
    """The names of a goal without the words that only ask: "find out how soon"."""
    return names_in(text) - names_in(" ".join(knowledge().of_questions))


# --- Details


_Answered = tuple[str, str, tuple[str, ...]]
"""A question, what was answered, and the options if the answer is one of them."""


def _was_dealt_with(memory: Memory, goal: UserGoal, end: int) -> bool:
    """Whether the form that was closed took what a goal wants besides its service."""
    turns = _turns_of_form(memory, goal, end)
    clauses = clauses_told(goal.words, goal.language) if goal.form == "statement" else []
    if len(clauses) > 1:
        parts = [replace(goal, words=clause, values=()) for clause in clauses]
        return all(_was_dealt_with_in(memory, part, turns) for part in parts)
    return _was_dealt_with_in(memory, goal, turns)


def _was_dealt_with_in(memory: Memory, goal: UserGoal, turns: Sequence[_Answered]) -> bool:
    if goal.form == "statement" and _was_day_told(goal, turns):
        return True
    if _was_told(goal, turns) or any(_was_chosen_for(goal, turn) for turn in turns):
        return True
    if not goal.texts and any(_was_agreed_to(memory, goal, turn) for turn in turns):
        return True
    # "do not renew it by itself" was a no to "Renew by itself?"
    return any(
        (is_yes(act) or is_no(act)) and stance(question, (goal.words,), wished=True) is is_yes(act)
        for question, act, _ in turns
    )


def _was_day_told(goal: UserGoal, turns: Sequence[_Answered]) -> bool:
    """Whether an answer is the one day that a statement names: "I move on 2 May"."""
    if len(days_in(goal.words, goal.language)) != 1:
        return False
    return any(says_value(act, day) for day in named_moments(goal) for _, act, _ in turns)


def _was_told(goal: UserGoal, turns: Sequence[_Answered]) -> bool:
    """Whether the answers have the values of a goal, or all that it says."""
    quoted = _quoted(goal)
    texts = goal.texts or ([quoted] if quoted else [without_condition(goal.words)])
    is_enough = bool(goal.texts or quoted) or len(names_in(goal.words)) > 1
    return is_enough and all(_was_answered(text, turns) for text in texts)


def _was_agreed_to(memory: Memory, goal: UserGoal, turn: _Answered) -> bool:
    """Whether a yes was to what only this goal is about: "Shall we put the wardrobe together?"."""
    question, act, _ = turn
    if not is_yes(act):
        return False
    others = names_in("\n".join(other.words for other in memory.goals if other is not goal))
    return weak_stance(question, (goal.words,), others) is True


def _quoted(goal: UserGoal) -> str:
    """The text that a goal wants to be written: "have it read: Welcome home"; or nothing."""
    return goal.words.partition(": ")[2]


def _was_chosen_for(goal: UserGoal, turn: _Answered) -> bool:
    """Whether the answer is the option that a goal means: "Refund" for "get your money back".

    The question may say so: "Shall we send the money back, or a new lamp? [Refund] [New lamp]".
    """
    question, act, options = turn
    if len(options) < _TWO:
        return False
    place = distinct_option(options, goal.words)
    if place is None:
        place = described_option(options, question, (goal.words,))
    return place is not None and folded(options[place]) == act


_TWO = 2


def _turns_of_form(memory: Memory, goal: UserGoal, end: int) -> Sequence[_Answered]:
    """The questions of the form that ended in a turn, the answers and the options.

    A turn in which the goal itself was brought up answers nothing of another goal's form.
    """
    turns: list[_Answered] = []
    for at in range(end, 0, -1):
        form = open_form(memory.replies[:at])
        if form is None:
            break
        act, reply = memory.acts[at], memory.replies[at]
        question = form.question
        chosen = act in map(folded, question.options)
        brought_up = memory.topics[at] == goal.key and goal.form != "statement" and not chosen
        if brought_up and act != folded(_quoted(goal)):
            continue
        says_something = act not in idle_words() or act in bare_decisions()
        if act and says_something and not reply.fallback and not is_complaint(reply):
            turns.append((question.text, act, tuple(question.options) if chosen else ()))
    return turns


def _was_answered(text: str, turns: Sequence[_Answered]) -> bool:
    """Whether an answer contained a text of a goal, if need be together with its question."""
    if date_spans(text) and folded(text) == folded(date_spans(text)[0].text):
        # "rita.marchetti@example.net" is no day in March
        return any(says_value(act, text) for _, act, _ in turns)
    names = _subject_of(text)
    for question, act, options in turns:
        own = names_in(act)
        # "16-20 Uhr" is the answer that "abends" wants
        if any(folded(option) == act and lies_within(option, text) for option in options):
            return True
        # "By letter" is all that the answer has of "be informed by letter"
        if contains(act, folded(text)) or (options and own and _all_among(own, names)):
            return True
        if with_same_root(names, own) and _all_among(names, names_in(question) | own):
            return True
    return False


def _all_among(names: frozenset[str], others: frozenset[str]) -> bool:
    return with_same_root(names, others) == names
