"""Going through a conversation turn by turn: which goals each reply meets, and which it closes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Observation, meant_by
from sparring_plugins.language.candidates import find_identifiers
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.similarity import Fallbacks, overlap
from sparring_plugins.language.text import folded, plain
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.choosing.menu_ranking import (
    FITS_TOPIC,
    entry_taken,
    leads_to_page,
    takes_any_question,
    topic_fit,
)
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.slots import Slot
from sparring_plugins.users.agenda.profile.stances import stance, with_same_root
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes, read_app_reply
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.settlement.act_topics import MARK, topic_of_act
from sparring_plugins.users.agenda.settlement.incidental_goals import (
    RECEIPTS,
    settle_at_end,
    settle_menu_entry,
)
from sparring_plugins.users.agenda.settlement.service_reports import (
    is_answered_at_once,
    says_it_is_done,
)
from sparring_plugins.users.agenda.settlement.service_settlement import (
    closes_form,
    is_yes_or_no,
    seeks,
    settle_foreseen,
    settle_service,
)
from sparring_plugins.users.agenda.settlement.told_answers import asks_why, gives_reason, is_told
from sparring_plugins.users.agenda.state.memory import Memory, goals_said_at_once, topic_of
from sparring_plugins.users.agenda.state.open_form import (
    OpenForm,
    is_complaint,
    leaves_form_open,
    open_form,
)
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    decided_subject,
    has_answer,
    is_conditional,
    is_covered,
    is_denial,
    is_service,
    is_yielding,
    reports_figure,
    states_sum,
)
from sparring_plugins.users.agenda.state.value_matching import lies_within
from sparring_plugins.users.agenda.words.direct_questions import is_polar, parts_of_question
from sparring_plugins.users.agenda.words.goal_verbs import begins_with_verb
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import is_goodbye, word_lists
from sparring_plugins.users.extraction.exchanges import has_expected_value

FALLBACK_SIMILARITY = 0.75
"""Least similarity of a reply to a fallback phrase."""


def remember(
    task: UserTask, goals: Sequence[UserGoal], slots: Sequence[Slot], patience: int
) -> Memory:
    """Go through the conversation so far, and settle goals turn by turn."""
    memory = Memory(goals, slots, patience, yielding=is_yielding(task, goals))
    memory.met.update(f"goal {index}" for index in task.goals_met)
    for turn in task.turns:
        text = _chosen_option(folded(plain(meant_by(turn.act))), memory.last)
        topic = _topic(text, memory)
        memory.acts.append(text)
        memory.topics.append(topic)
        if topic is not None:
            memory.tries[topic] += 1
        memory.replies.append(_read(turn.observation, tuple(task.fallbacks)))
        settle_goals(memory)
    for goal in goals:
        given_up = memory.tries[goal.key] >= patience and goal.key not in memory.met
        if given_up and not _is_led_on(memory):
            memory.closed.add(goal.key)
    settle_foreseen(memory)
    return memory


def _read(observation: Observation | None, fallbacks: tuple[str, ...]) -> AppReply:
    """A reply as it reads; one of the app's fallback phrases settles nothing."""
    reply = read_app_reply(observation)
    if reply.fallback or not _is_fallback(reply.text, fallbacks):
        return reply
    return replace(reply, fallback=True, done=False, informative=False)


# All replies of a conversation are read again with each turn.
@lru_cache(maxsize=1024)
def _is_fallback(text: str, phrases: tuple[str, ...]) -> bool:
    return Fallbacks(phrases, FALLBACK_SIMILARITY).match(text)


def _chosen_option(text: str, reply: AppReply | None) -> str:
    """What the user said, in words if it was the number of an option."""
    for question in reply.questions if reply is not None else ():
        if text in question.marks:
            return folded(question.options[question.marks.index(text)])
    return text


def _is_led_on(memory: Memory) -> bool:
    """Whether the app is leading the user on with questions of its own."""
    last = memory.last
    return last is not None and last.asks("select", "open", "confirm") and not last.fallback


# --- What one reply settles


def _topic(text: str, memory: Memory) -> str | None:
    """The goal that an act brings up, by its words or by the option that it chooses."""
    last = memory.last
    if last is not None and (last.menu or last.options or last.fallback or len(text) <= MARK):
        return topic_of_act(text, memory)
    topic = topic_of(text, memory.goals, memory.slots)
    said = goals_said_at_once(text, memory.goals)
    memory.tries.update(key for key in said if key != topic)
    return topic


def settle_goals(memory: Memory) -> None:
    """Note which goals the last reply meets or closes."""
    reply = memory.replies[-1]
    if reply.fallback or reply.empty or is_goodbye(memory.acts[-1]):
        if memory.met:
            settle_at_end(memory)
        return
    _note_agreed_goals(memory)
    _reopen_goals(memory)
    active = memory.active
    for goal in memory.goals:
        if goal.key not in memory.met and not goal.is_output:
            _settle_goal(memory, goal, reply, is_active=goal is active)
    if reply.done and not leaves_form_open(memory.replies):
        # what was thought to be done before is now reported to be so
        memory.reported |= {goal.key for goal in memory.goals if is_service(goal)} & memory.met
    if reply.menu:
        settle_menu_entry(memory)
    if memory.met:
        settle_at_end(memory)


def _reopen_goals(memory: Memory) -> None:
    """Take goals back whose form was thought to be closed and asks its last question again.

    "And how old is the child?" after "Our office opens at 9. Now, where were we?" says that the
    reply in between ended nothing. It does not if the user has asked for another service since.
    """
    form = open_form(memory.replies)
    topic = memory.topics[-1]
    others = (goal for goal in memory.goals if goal.key == topic and goal.key not in memory.met)
    if memory.replies[-1].done or any(is_service(goal) and goal.texts for goal in others):
        memory.closings.clear()
    elif form is not None:
        _reopen_proposed(memory, form)
        again = {key for key, words in memory.closings.items() if words == form.question.words}
        memory.met -= again
        memory.closings = {k: w for k, w in memory.closings.items() if k not in again}
        _reopen_only_service(memory)


def _reopen_only_service(memory: Memory) -> None:
    """Take the only service back that was thought to be done, where its app asks on.

    "It is £46." answers a question in the middle; "Another day or another person: which is it?"
    then shows that nothing was booked. A menu does not: "What about your loans?" leads on from what
    was done, and its "Renew my books" would be pressed twice.
    """
    if memory.replies[-1].menu:
        return
    services = [goal for goal in memory.goals if is_service(goal) and not goal.is_output]
    if len(services) == 1 and services[0].key not in memory.reported:
        memory.met.discard(services[0].key)


def _reopen_proposed(memory: Memory, form: OpenForm) -> None:
    """Take goals back that the app proposes to do only now: "Shall I book this table for you?"."""
    question = form.question
    proposed = question.kind == "confirm" or says(question.words, "proposals")
    if not proposed and not (question.kind == "offer" and question.text):
        return
    asked = concepts(question.text)
    for goal in memory.goals:
        unproven = goal.key in memory.met and goal.key not in memory.reported
        if unproven and not goal.asks and not seeks(goal) and goal.subject & asked:
            memory.met.discard(goal.key)


def _settle_goal(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> None:
    """Note whether the last reply meets or closes one goal, by what kind of goal it is."""
    if _tells_it_all(memory, goal, reply):
        memory.met.add(goal.key)
    elif is_conditional(goal) and not (goal.asks and memory.refused):
        _settle_condition(memory, goal, reply)
    elif goal.asks:
        _settle_question(memory, goal, reply, is_active=is_active)
    elif not memory.mentioned(goal) and (not goal.texts or is_denial(goal)):
        _settle_receipt(memory, goal, reply)
        _settle_covered(memory, goal, reply)
    elif memory.mentioned(goal) and (goal.texts or not memory.misunderstood(goal)):
        settle_service(memory, goal, reply, is_active=is_active)


def _tells_it_all(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether a reply alone, or with those before it, says all that a goal wants."""
    told = states_sum(goal, reply) or says_it_is_done(goal, reply)
    if goal.asks:
        told = told or is_yes_or_no(memory, goal, reply) or _all_parts_told(memory, goal)
        asked_last = memory.topics[-1] == goal.key and not goal.is_output
        told = told or (asked_last and is_told(goal, _new_statements(memory), asked=True))
    return told or _refuses_and_tells(memory, goal, reply)


def _all_parts_told(memory: Memory, goal: UserGoal) -> bool:
    """Whether the replies together have the values that all parts of a question ask for.

    "What does it cost and how long does it take?" is answered by the "ready in five days" at the
    end of the order and by the price list afterwards.
    """
    parts = parts_of_question(goal.words, goal.language)
    if len(parts) == 1 or not memory.tries[goal.key]:
        return False
    asked = memory.topics.index(goal.key) if goal.key in memory.topics else len(memory.topics) - 1
    stated = "\n".join(
        text for reply in memory.replies[max(asked - 1, 0) :] for text in reply.statements
    )
    return all(has_expected_value(part, stated) for part in parts)


def _refuses_and_tells(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether a refusal has in it what the user then wants to know: a number, a day to come.

    "Our vets don't treat birds. The Harbour Clinic does: 0161 555 0142." answers "if they can't
    help, find out who can" unless what is wanted is a value that it does not name.
    """
    if not (is_conditional(goal) and goal.asks):
        return False
    stated = "\n".join(_new_statements(memory))
    expected = has_answer(goal, stated)
    if not reply.turns_down or expected is False or _wants_deed(goal.words):
        return False
    return any(kind in _TOLD for kind, _, _ in values_in(stated))


def _wants_deed(words: str) -> bool:
    """Whether a question goes on with something to be done: "when I can come and book it then"."""
    return any(begins_with_verb(rest) for rest in words.split(" and ")[1:])


_TOLD = frozenset({"phone", "email", "date", "address"})


def _is_mere_complaint(memory: Memory, goal: UserGoal, reply: AppReply, stated: str) -> bool:
    """Whether a reply only turns down an answer: "A card number has 7 digits" is no answer."""
    if not is_complaint(reply):
        return False
    return leaves_form_open(memory.replies) or not overlap(goal.subject, concepts(stated))


def _settle_question(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> None:
    """Note whether a reply answers a question of the user's, or refuses to.

    "How much is it?" is answered by a price; a question that expects no kind of value by any
    statement, if it was just asked.
    """
    stated = "\n".join(_new_statements(memory))
    if _is_mere_complaint(memory, goal, reply, stated):
        return
    if asks_why(goal) and not is_active:
        memory.met |= {goal.key} if gives_reason(_new_statements(memory)) else set()
        return
    topic = _topic_chosen(memory)
    if topic is not None:
        _settle_by_topic(memory, goal, topic, stated)
        return
    if _is_question_answered(memory, goal, reply, stated, is_active=is_active):
        memory.met.add(goal.key)
    elif is_active:
        _settle_by_statement(memory, goal, reply, wants_value=has_answer(goal, stated) is not None)


def _is_question_answered(
    memory: Memory, goal: UserGoal, reply: AppReply, stated: str, *, is_active: bool
) -> bool:
    """Whether what is new in a reply answers a question by a value or by words on its subject."""
    has_value = has_answer(goal, stated)
    related = _is_related(memory, goal, stated)
    decided = _is_decided(goal, stated, has_value=has_value, related=related)
    if decided or _names_receipt(goal, stated):
        return True
    if not memory.mentioned(goal) and not (related and has_value):
        # what was never asked is met only by the app's own words on it
        return _is_answered_unasked(memory, goal, reply, stated)
    if has_value and (related or (is_active and not reply.refusal)):
        return True
    return is_answered_at_once(memory, goal, stated) and reply.informative and not reply.refusal


def _topic_chosen(memory: Memory) -> str | None:
    """The topic whose number the user has just chosen from a list of topics, or None."""
    if not memory.replies[2:]:
        return None
    before = entry_taken(memory.replies[-3], memory.acts[-2])
    if before is None or not (takes_any_question(before) or leads_to_page(before)):
        return None
    return entry_taken(memory.replies[-2], memory.acts[-1])


def _settle_by_topic(memory: Memory, goal: UserGoal, topic: str, stated: str) -> None:
    """Note whether a topic, which was chosen by its number, has answered a question.

    The price of a bag, under a topic that was only tried, answers nothing else.
    """
    fits = not goal.is_output and topic_fit(topic, goal.words) >= FITS_TOPIC
    on_topic = with_same_root(names_in(stated), names_in(goal.words) | names_in(topic))
    related = _is_related(memory, goal, stated) and has_answer(goal, stated) is not False
    if (fits and on_topic) or related:
        memory.met.add(goal.key)


def _is_answered_unasked(memory: Memory, goal: UserGoal, reply: AppReply, stated: str) -> bool:
    """Whether a reply reports what a question that was never asked wants to know."""
    # "62 euros a month" names no day to somebody who asks on which weekday it is
    if reports_figure(goal, stated) and has_answer(goal, stated) is not False:
        return True
    # "How long does it take?" is no question for the price, though the reply has a time of day
    prices = (span.text for text in reply.statements for span in find_money(text))
    return any(has_answer(goal, price) for price in prices) and _names_price_at_end(
        memory, goal, reply
    )


def _names_price_at_end(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether a form ends with the price of all, and a question asks for no other price.

    "Ten chairs for a day are £35.00." answers "find out what it would cost" before it is asked,
    and not "what the parking costs".
    """
    if goal.subject - word_lists().answer_kinds - _OF_ALL or not reply.statements:
        return False
    served = any(is_service(g) and memory.mentioned(g) for g in memory.goals)
    last = reply.questions[-1:]
    ends = reply.done or any(q.kind == "confirm" or says(q.words, "proposals") for q in last)
    return served and ends and any(map(find_money, reply.statements))


_OF_ALL = concepts("in the end, altogether, total, now, pay, all, everything")


def _names_receipt(goal: UserGoal, stated: str) -> bool:
    """Whether a statement has the number that a goal wants to know: "Your hire number is H5003"."""
    if not names_number(goal.words):
        return False
    own = (names_in(goal.words) | concepts(goal.words)) - RECEIPTS - word_lists().generic_concepts
    return any(
        bool(find_identifiers(sentence)) and _is_about_receipt(own, sentence)
        for sentence in stated.split("\n")
    )


def _is_about_receipt(own: frozenset[str], sentence: str) -> bool:
    named = names_in(sentence) | concepts(sentence)
    return bool(named & RECEIPTS) or shared_roots(own, named) > 0


def _is_decided(goal: UserGoal, stated: str, *, has_value: bool | None, related: bool) -> bool:
    """Whether a statement on a yes-or-no question that expects no value decides it."""
    return related and has_value is None and _says_whether(goal, stated)


def _is_related(memory: Memory, goal: UserGoal, stated: str) -> bool:
    """Whether what a reply states is about a question; one not asked yet must be named in full."""
    # "Our insurance starts at 21, so I leave the car out" answers "whether you may have the car"
    hints = any(has_cue(folded(stated), cue) for cue in ("sorry", "free"))
    near = memory.mentioned(goal) or (goal.form == "whether" and hints)
    subject = decided_subject(goal) if goal.form == "whether" else goal.subject
    return overlap(subject, concepts(stated)) >= (0.5 if near else 0.99)


def _says_whether(goal: UserGoal, stated: str) -> bool:
    """Whether a statement decides a yes-or-no question.

    "There is no charge." answers "if there is a charge" before it was asked.
    """
    # "The camellia is out of stock." answers "Do you have a camellia in stock?"
    decisive = ("deny", "affirm", "free", "sorry", "turned_down")
    polar = goal.form == "whether" or is_polar(goal.words, goal.language)
    return polar and any(has_cue(folded(stated), cue) for cue in decisive)


def _settle_by_statement(
    memory: Memory, goal: UserGoal, reply: AppReply, *, wants_value: bool
) -> None:
    """Note that a statement without an expected value answers the question just asked.

    A question that wants a value is content with any statement only when it was asked twice.
    """
    if not reply.informative or _is_stale(memory):
        return
    if reply.refusal:
        memory.closed.add(goal.key)
    elif not wants_value or memory.tries[goal.key] > 1:
        memory.met.add(goal.key)
        memory.closed.discard(goal.key)


def _is_stale(memory: Memory) -> bool:
    """Whether the last reply was given before, to something else: then it is no answer."""
    last = len(memory.replies) - 1
    return any(
        reply.words == memory.replies[last].words and memory.acts[index] != memory.acts[last]
        for index, reply in enumerate(memory.replies[:last])
    )


def _settle_condition(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    """Count "if you can't have it, book anyway" as met once what it depends on is over."""
    if leaves_form_open(memory.replies):
        return
    # "The lamp is sold out. Anything else?" has not noted that somebody wants to be told
    if reply.done or (closes_form(memory) and not reply.turns_down):
        memory.met.add(goal.key)


def _settle_receipt(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    """Count "get the booking reference" as met when the app names one at the end of a service."""
    stated = "\n".join(_new_statements(memory))
    over = reply.done or closes_form(memory)
    if not over or leaves_form_open(memory.replies) or not names_number(goal.words):
        return
    if find_identifiers(stated) and overlap(goal.subject, concepts(stated)) > 0:
        memory.met.add(goal.key)


def _settle_covered(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    """Count a goal without values as met if the form that was just closed was about it.

    "make sure that you know the total" is met by a form that has read the total back.
    """
    if leaves_form_open(memory.replies) or not (reply.done or closes_form(memory)):
        return
    start = len(memory.replies) - 1
    while start > 0 and leaves_form_open(memory.replies[:start]):
        start -= 1
    form = memory.replies[start:]
    said = names_in("\n".join(other.text for other in form))
    names = names_in(goal.words)
    detail = not _stands_alone(goal) and (len(names) > 1 or is_denial(goal))
    moment = any(lies_within(label, goal.words) for label in memory.chosen_labels())
    # "get a confirmation by e-mail" is covered by a form that asks where to send it
    whole = not _is_repeated(memory, goal, names) and _is_said(names, said, _WHOLE)
    covered = _is_said(names, said, _COVERED) if detail else whole
    if moment or covered or is_covered(goal, form):
        memory.met.add(goal.key)


def _is_repeated(memory: Memory, goal: UserGoal, names: frozenset[str]) -> bool:
    """Whether another goal says all that a goal says: "renew my books" of "... again".

    What was said in the form of the one is no sign that the other was dealt with, too.
    """
    return any(names <= names_in(other.words) for other in memory.goals if other is not goal)


def _is_said(names: frozenset[str], said: frozenset[str], least: float) -> bool:
    """Whether so great a share of names was said; one name alone proves no whole goal."""
    return (least < _WHOLE or len(names) > 1) and overlap(names, said) >= least


def _stands_alone(goal: UserGoal) -> bool:
    """Whether a goal is a service of its own, and no detail of another: "choose the first one"."""
    words = folded(goal.words)
    return not any(f"{words} ".startswith(f"{folded(word)} ") for word in knowledge().minor)


# Half of a goal's words in what was said: the rest is wording ("a small room, please").
_COVERED = 0.5
# All of them, where a goal is a thing and no detail: "get a confirmation by e-mail".
_WHOLE = 0.99


def names_number(words: str) -> bool:
    """Whether a goal names a number or a confirmation; German has it in one word with its thing."""
    compound = re.search(r"\w(?:nummer|nr|zeichen|kennung)\b", folded(words)) is not None
    return compound or bool(concepts(words) & RECEIPTS)


def _new_statements(memory: Memory) -> list[str]:
    """What the last reply states that no reply before it has stated: the rest answers nothing."""
    before = {folded(text) for reply in memory.replies[:-1] for text in reply.statements}
    # the entry "4 Opening hours of the yard" does not say when it is open
    before |= {folded(label) for label in memory.replies[-1].menu}
    stated = memory.replies[-1].statements
    return [t for t in stated if not {folded(t), folded(t).lstrip(_MARKS)} & before]


_MARKS = "0123456789 "
"""What stands before an entry of a menu."""


def _note_agreed_goals(memory: Memory) -> None:
    """Count a service as brought up once the user has said yes or no to a question about it.

    "Would you like us to give it a bath?" with a yes brings up the goal to have it bathed.
    """
    if len(memory.replies) < 2:
        return
    act, asking = memory.acts[-1], memory.replies[-2]
    if not (is_yes(act) or is_no(act)):
        return
    for goal in memory.open_goals():
        if goal.asks or memory.tries[goal.key]:
            continue
        for question in asking.questions:
            wanted = stance(question.text, (goal.words,), wished=True)
            if question.kind in ("offer", "fact") and wanted is is_yes(act):
                memory.tries[goal.key] += 1
                memory.agreed.add(goal.key)


# --- What the declared outputs show of the goals: an author says with them what is to be learned
#
# Once a service is done and every output has a value, what the user wanted to know is answered, in
# whatever words the app said it. A service that is refused stays open, whatever the outputs hold by
# then: a refusal meets no goal.


def settle_by_outputs(memory: Memory, outputs: int, missing: Sequence[str]) -> None:
    """Note the questions that are answered by what the declared outputs show.

    Args:
        memory: The conversation so far.
        outputs: How many outputs the profile declares.
        missing: The names of those without a value.
    """
    if not outputs or missing:
        return
    own = [goal for goal in memory.goals if not goal.is_output]
    services = [goal for goal in own if not goal.asks]
    if services and all(goal.key in memory.met for goal in services):
        _settle_questions(memory, [goal for goal in own if goal.asks])


def _settle_questions(memory: Memory, questions: Sequence[UserGoal]) -> None:
    memory.met |= {question.key for question in questions if _is_shown(memory, question)}


def _is_shown(memory: Memory, goal: UserGoal) -> bool:
    """Whether one of the outputs is about what a goal asks, which then needs no asking."""
    own = goal.subject - word_lists().generic_concepts
    outputs = [output.concepts for output in memory.goals if output.is_output]
    return bool(own) and any(overlap(own, named) >= _ABOUT for named in outputs)


# An output called `opening_hours` is what "ask for the opening hours" asks: it needs no asking.
_ABOUT = 0.6
