"""Whether a service that the user wants was done, was refused, or goes on.

"I've put that through." and "See you on Friday!" end what the user came for; "There is a bus at 9
for £12." and "The Crown is a nice hotel in York." sell no ticket and book no room.
"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from sparring_plugins.language.candidates import find_identifiers, find_times
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of, is_still_offered
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.relative_days import without_later_events
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots
from sparring_plugins.users.agenda.replies.app_reply import (
    AppReply,
    is_no,
    is_yes,
    reports_failure,
)
from sparring_plugins.users.agenda.settlement.service_reports import (
    asked_in_between,
    assents,
    clauses_told,
    is_announced,
    is_end_of_other,
    is_interjected,
    only_describes,
    only_offers,
    opposite_report,
    reports_other_code,
    says_done,
    was_passed_over,
)
from sparring_plugins.users.agenda.state.memory import Memory, goals_said_at_once
from sparring_plugins.users.agenda.state.open_form import (
    OpenForm,
    comes_to_nothing,
    is_complaint,
    is_main_menu,
    leaves_form_open,
    open_form,
)
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    waits_for_question,
)
from sparring_plugins.users.agenda.state.value_matching import (
    contradicted_slots,
    in_sequence,
    lies_within,
    mentions,
    says_value,
    stated_text,
)
from sparring_plugins.users.agenda.words.direct_questions import is_polar
from sparring_plugins.users.agenda.words.knowledge import knowledge, says, starts_with_any
from sparring_plugins.users.agenda.words.persons import first_person
from sparring_plugins.users.agenda.words.phrase_book import idle_words, phrases

_BRIEF = 4
"""Words of a brief sentence: "Yes, of course."."""


@lru_cache(maxsize=256)
def _begins_by_seeking(phrase: str) -> bool:
    return starts_with_any(folded(phrase), "seeking")


def is_yes_or_no(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Return whether a reply begins with a yes or a no to the question just asked: "No, sorry."."""
    if memory.topics[-1] != goal.key or not is_polar(goal.words, goal.language):
        return False
    first = folded(next(iter(sentences(reply.text)), ""))
    brief = len(first.split()) <= _BRIEF and any(has_cue(first, c) for c in ("affirm", "deny"))
    return brief or is_yes(first) or is_no(first)


def seeks(goal: UserGoal) -> bool:
    """Return whether a goal wants something found, and nothing done with it."""
    return _begins_by_seeking(goal.phrase or goal.words)


def is_settled_by(reply: AppReply, goal: UserGoal) -> bool:
    """Return whether a reply may be the end of the service that a goal wants."""
    if seeks(goal):
        return True
    # "1 small pizza, that is $12. Anything else?" has taken the order
    return not only_offers(reply) and (reply.asks_what_else or not only_describes(reply))


# --- What a reply settles of a service


def settle_service(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> None:
    """Note whether a reply grants or refuses a service that the user asked for."""
    if is_active and not reply.refusal and _is_particular_said(memory, goal):
        memory.met |= set() if _is_turned_back(memory) else {goal.key}
    elif _is_said_in_part(memory, goal):
        return  # the form that takes its parts one by one decides
    elif _is_still_open(memory, goal, reply):
        return  # whatever a reply says, nothing is done while the app still asks for something
    elif is_active and _is_refused(memory, reply):
        _note_refusal(memory, goal, reply)
    elif was_passed_over(memory, goal, reply):
        return  # "We are at 14 Quay Street." answers "Where are you? I'd like to be called back."
    elif goal.key in memory.closed and memory.refused and not reply.done:
        return  # what was refused is not granted by "Anything else?" after something else
    elif _came_to_nothing(memory, goal):
        return  # "Breakfast is at 7." orders no taxi that the user said no to
    elif _is_service_over(memory, goal, reply, is_active=is_active):
        _settle_end(memory, goal, reply, is_active=is_active)


def _is_still_open(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    new = bool(reply.menu) and not _follows_agreement(memory)
    if leaves_form_open(memory.replies) or (new and is_still_offered(memory, goal, reply)):
        return True
    if reports_other_code(goal.words, reply.statements):
        return True
    return opposite_report(goal.words, reply.statements) is not None


def _is_particular(goal: UserGoal) -> bool:
    """Whether a goal only informs the app, so that it is met once it was said and understood."""
    return goal.form == "statement" and not goal.texts and not is_announced(goal)


def _is_particular_said(memory: Memory, goal: UserGoal) -> bool:
    return _is_particular(goal) and _was_said(memory, goal)


def _was_said(memory: Memory, goal: UserGoal) -> bool:
    """Whether the user typed a statement; "Change my address" of a menu tells no new address."""
    labels = {folded(label) for label in memory.chosen_labels()}
    labels |= {folded(label) for reply in memory.replies for label in reply.menu}
    typed = any(act not in labels for act in _acts_on(memory, goal))
    return typed and not _is_said_in_part(memory, goal)


def _is_said_in_part(memory: Memory, goal: UserGoal) -> bool:
    """Whether the user has given only one of the several particulars that a statement has.

    "2 May" as an answer does not say "you move on 2 May, and there is a dog in the house".
    """
    if goal.form != "statement" or len(clauses_told(goal.words, goal.language)) == 1:
        return False
    return not any(overlap(goal.concepts, concepts(act)) >= _TOLD for act in _acts_on(memory, goal))


def _acts_on(memory: Memory, goal: UserGoal) -> list[str]:
    turns = zip(memory.acts, memory.topics, strict=True)
    return [act for act, topic in turns if topic == goal.key]


_TOLD = 0.6
"""Share of a statement's concepts in an act from which on it was said."""


def _is_refused(memory: Memory, reply: AppReply) -> bool:
    return _refuses(memory, reply) or _is_dropped(memory, reply)


def _refuses(memory: Memory, reply: AppReply) -> bool:
    """Whether a reply turns down what was asked for.

    "I am sorry for the trouble. It is settled." after a yes to a read-back regrets something else.
    """
    return reply.turns_down and not (_follows_agreement(memory) and says_done(reply))


def _came_to_nothing(memory: Memory, goal: UserGoal) -> bool:
    """Whether the user said no to what was to be confirmed, and agreed to nothing since."""
    ends = (
        index
        for index in range(len(memory.acts) - 1, 0, -1)
        if comes_to_nothing(memory.replies[: index + 1], memory.acts[index])
        and not _cancels(goal, memory.acts[index])
    )
    last = next(ends, len(memory.acts) - 1)
    since = memory.acts[last + 1 :]
    again = not since or goal.key in memory.topics[last + 1 :] or any(map(is_yes, since))
    return not again and not any(reply.done for reply in memory.replies[last:])


def _note_refusal(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    if _refuses_outright(reply) or _is_dropped(memory, reply):
        memory.closed.add(goal.key)


def _settle_end(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> None:
    """Note whether a service that is over was done as it was wanted."""
    if _is_unchanged(memory, goal, reply) and not _gave_in(memory):
        memory.met.add(goal.key)
        if reply.done or _follows_agreement(memory):
            memory.reported.add(goal.key)
        before = open_form(memory.replies[:-1])
        if not reply.done and before is not None:
            memory.closings[goal.key] = before.question.words
    elif (is_active or reply.done or _follows_agreement(memory)) and _is_given(memory, goal):
        memory.closed.add(goal.key)  # it is over, though not as it was wanted


def _refuses_outright(reply: AppReply) -> bool:
    """Whether a reply refuses, and neither asks anything nor offers something else."""
    offers_other = reply.options or (find_times(reply.text) and not reply.asks_what_else)
    asks = any(question.kind != "more" for question in reply.questions)
    return (reply.refusal or reply.declines) and not asks and not offers_other


def _is_dropped(memory: Memory, reply: AppReply) -> bool:
    """Whether an app that had refused says in the end that nothing came of it."""
    return says(reply.words, "dropped") and memory.refused


def _is_service_over(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> bool:
    """Whether a reply ends a service: it reports it done, closes its form or grants it."""
    if says(reply.words, "dropped") or is_end_of_other(memory, goal):
        return False
    agreed = _follows_agreement(memory) and (is_active or _is_of_form(memory, goal))
    if not agreed and not is_settled_by(reply, goal):
        return False
    if reply.done or (
        comes_to_nothing(memory.replies, memory.acts[-1]) and not _cancels(goal, memory.acts[-1])
    ):
        return reply.done
    if agreed:
        return True
    of_form = is_active or (not asked_in_between(memory) and _is_of_form(memory, goal))
    closed = of_form and closes_form(memory)
    return closed or _is_granted(memory, goal, reply, is_active=is_active)


def _cancels(goal: UserGoal, act: str) -> bool:
    """Whether an act cancels what a goal wants cancelled: then "Cancel it" is no way out."""
    return "cancel" in intents_of(goal.words) & intents_of(act)


def _follows_agreement(memory: Memory) -> bool:
    """Whether a reply that asks nothing and reports no failure follows a yes to a read-back.

    "The oven is hot, 45 minutes." says that the order was taken, for it was just confirmed.
    """
    reply, before = memory.replies[-1], open_form(memory.replies[:-1])
    if before is None or not is_yes(memory.acts[-1]) or is_complaint(reply):
        return False
    if reply.turns_down and (reply.refusal or reply.declines or not says_done(reply)):
        return False
    confirms = before.question.kind == "confirm" or _reads_back(memory, before)
    return confirms and bool(reply.statements) and not any(map(reports_failure, reply.statements))


_READ_BACK = 2
"""Acts of the user that a reply states again before it reads them back."""


def _reads_back(memory: Memory, form: OpenForm) -> bool:
    """Whether a reply states again what the user said in at least two acts."""
    stated = folded("\n".join(form.reply.statements))
    said = set(memory.acts[:-1])
    return sum(len(act) > 1 and contains(stated, act) for act in said) >= _READ_BACK


def _is_of_form(memory: Memory, goal: UserGoal) -> bool:
    """Whether the form that ends was about a goal: it led there, or the form named it."""
    start = len(memory.replies) - 1
    while start > 0 and leaves_form_open(memory.replies[:start]):
        start -= 1
    led = (at for at in range(start, len(memory.topics)) if memory.topics[at] == goal.key)
    if memory.topics[start] is None or any(not is_interjected(memory, goal, at) for at in led):
        return True
    said = concepts("\n".join(reply.text for reply in memory.replies[start:]))
    return overlap(goal.subject, said) > 0


def _is_turned_back(memory: Memory) -> bool:
    """Whether the last reply takes what was said for a bad answer, or only repeats itself."""
    reply, before = memory.replies[-1], memory.replies[-2:-1]
    return is_complaint(reply) or any(reply.words == other.words for other in before)


def closes_form(memory: Memory) -> bool:
    """Whether the last reply ends a form that was open before it, without asking for more."""
    before = open_form(memory.replies[:-1])
    reply = memory.replies[-1]
    cancels = any(_cancels(goal, memory.acts[-1]) for goal in memory.open_goals())
    if comes_to_nothing(memory.replies, memory.acts[-1]) and not cancels:
        return False
    if memory.idle and before is not None and before.question.kind == "open" and not reply.done:
        return False  # "The age in years." after "I don't know." asks again what was asked
    again = is_complaint(reply) and not is_main_menu(reply, memory.replies)
    ends = before is not None and (before.question.kind == "confirm" or _shows_end(reply))
    return ends and not again and bool(reply.statements)


def _shows_end(reply: AppReply) -> bool:
    """Whether a reply has a sign of an end in it: a report, a question for more, a new value.

    "Ann would be free, or you take another evening." ends nothing.
    """
    if reply.menu and reply.turns_down and not reply.done:
        return False  # "All are sold out. How shall we go on? 1 Leave later 2 Waiting list"
    if reply.done or reply.asks("more", "helped") or reply.farewell or reply.menu:
        return True
    if any(map(assents, reply.statements)):
        return True
    return bool(find_identifiers(reply.text) or find_times(reply.text) or find_money(reply.text))


def _is_unchanged(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether the app knows all values of a goal, and states none otherwise in the end."""
    names = {name for name, _ in goal.values}
    slots = [slot for slot in memory.slots if slot.name in names]
    if _is_nonsense_stored(memory):
        return False
    if not _is_excused(memory, goal, reply) and _contradicts(goal, slots, reply):
        return False
    if _is_moment_stated(memory, goal) or goal.key in memory.agreed:
        return True  # "tell them you do not need a call" was a "no" to "Shall we call you?"
    return all(
        _is_told(memory, text)
        or any(says_value(said.words, text) for said in memory.replies)
        or (memory.yielding and _is_limited(memory, text))
        for text in goal.texts
    )


def _gave_in(memory: Memory) -> bool:
    """Whether the user confirmed in the end what it had objected to, word for word.

    After two corrections that an app ignores the user says yes, to see what the app does next:
    what is booked then is not what the user came for.
    """
    confirmed = memory.replies[-2] if len(memory.replies) > 1 else None
    if confirmed is None or _objects(memory.acts[-1]):
        return False
    answered = zip(memory.replies[:-2], memory.acts[1:-1], strict=True)
    return any(reply.words == confirmed.words and _objects(act) for reply, act in answered)


def _objects(act: str) -> bool:
    """Whether an act says no, or presses "Change"."""
    first = act.partition(" ")[0]
    return first in knowledge().no_words or starts_with_any(act, "changing")


def _contradicts(goal: UserGoal, slots: Sequence[Slot], reply: AppReply) -> bool:
    """Whether a reply states another value or day than a goal has.

    "Your course is on Sunday at 10. Done, it is now on Sunday at 14." states in the end what was
    wanted.
    """
    texts = goal.texts
    if reply.done and texts and any(_says_all(part, texts) for part in reply.statements[1:]):
        return False
    stated = without_later_events(stated_text(reply), goal.words)
    return bool(contradicted_slots(stated, slots)) or has_other_day(goal, reply)


def _is_excused(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether the app could not do what was wanted, and the user takes something else."""
    return memory.yielding and (memory.refused or _took_other_day(memory, goal, reply))


def _took_other_day(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether the user said itself the day that a reply states instead of the one of a goal.

    "The earliest day is Monday 15 March. Which day shall it be?" is answered with that day by a
    user whose profile says to take the earliest one.
    """
    stated = days_in(reply.text, goal.language)
    said = {day for act in memory.chosen_or_said() for day in days_in(act, goal.language)}
    return bool(stated & said)


def _says_all(sentence: str, texts: Sequence[str]) -> bool:
    return all(says_value(folded(sentence), text) for text in texts)


def _is_moment_stated(memory: Memory, goal: UserGoal) -> bool:
    """Whether the user has said the day of a particular: "on 1 May" was chosen as 01.05.2027."""
    return goal.form == "statement" and memory.states_moment(goal)


def has_other_day(goal: UserGoal, reply: AppReply) -> bool:
    """Whether a reply names days, and none of them is the one that a goal has in plain words."""
    stated = without_later_events(reply.text, goal.words)
    wanted, named = days_in(goal.words, goal.language), days_in(stated, goal.language)
    return len(wanted) == 1 and bool(named) and not wanted & named


def _is_nonsense_stored(memory: Memory) -> bool:
    """Whether the app has taken an empty answer for a value: "Name: Whatever you recommend"."""
    idle = [(at, act) for at, act in enumerate(memory.acts) if act in idle_words() and " " in act]
    return any(contains(reply.words, act) for at, act in idle for reply in memory.replies[at:])


def _is_limited(memory: Memory, text: str) -> bool:
    """Whether the user has taken as many as the app allows, which are fewer than it wanted."""
    turns = zip(memory.acts[1:], memory.replies, strict=False)
    return text.isdigit() and any(
        act.isdigit() and int(act) < int(text) and says(reply.words, "limits")
        for act, reply in turns
    )


def _is_given(memory: Memory, goal: UserGoal) -> bool:
    """Whether the user has given the app any value of a goal."""
    return any(_is_told(memory, text) for text in goal.texts)


def _is_told(memory: Memory, text: str) -> bool:
    """Whether the user has said a value, also in its own person: "my father fell ill"."""
    one_by_one = in_sequence(text)
    if len(one_by_one) > 1:
        return all(_is_told(memory, part) or _is_chosen(memory, part) for part in one_by_one)
    own = first_person(text, phrases("English").persons, english=True)
    own = _YOUR.sub("my", own)
    # what the app did not understand does not count as said
    turns = zip(memory.acts, memory.replies, strict=False)
    understood = [act for act, reply in turns if not reply.fallback]
    if any(says_value(act, words) for words in {text, own} for act in understood):
        return True
    # "Chapel Pharmacy" is "pick it up at Chapel Pharmacy", "12-17" is "in the afternoon"
    return memory.chose(text) or any(lies_within(label, text) for label in memory.chosen_labels())


def _is_chosen(memory: Memory, text: str) -> bool:
    """Whether the user has chosen an option that has a text in it: "Metformin 500 mg"."""
    turns = zip(memory.acts[1:], memory.replies, strict=False)
    return any(contains(act, folded(text)) and act in map(folded, r.menu) for act, r in turns)


_YOUR = re.compile(r"\byour\b", re.IGNORECASE)


def _is_granted(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> bool:
    """Whether a reply that does not say "done" still shows that a service was understood.

    It does if the app asks for nothing of it any more, and goes on to what else there is, or has
    said all its values back: "2 cans of Sprite. Anything else?".
    """
    if reply.asks("confirm") or _asks_for_values_of(memory, goal, reply):
        return False
    if not is_active and asked_in_between(memory):
        return False  # "A lesson costs £8. Anything else?" answers the question just asked
    if reply.asks("more") and (reply.asks_what_else or reply.informative):
        return _goes_on_after(memory, goal, reply, is_active=is_active)
    if is_active and not reply.questions and bool(reply.text):
        return _answers_wish(goal, reply)
    if not goal.texts:
        return is_active and reply.asks("offer", "helped")
    return _is_echoed(memory, goal) and not reply.asks("open", "select")


def _is_echoed(memory: Memory, goal: UserGoal) -> bool:
    return all(any(mentions(r.words, text) for r in memory.replies) for text in goal.texts)


def _goes_on_after(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> bool:
    """Whether "Anything else?" follows what a goal wanted, and not only a statement about it."""
    granted = reply.asks_what_else or _answers_wish(goal, reply)
    return granted and (is_active or not _is_one_of_several(memory, goal, reply))


def _is_one_of_several(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether a goal was said in one act with others, and the reply has nothing to do with it."""
    at_once = goals_said_at_once(memory.acts[-1], memory.goals)
    return goal.key in at_once and not overlap(goal.subject, concepts(reply.text))


def _answers_wish(goal: UserGoal, reply: AppReply) -> bool:
    """Whether a statement may answer a wish: "Very well.", but not "A lesson is £9."."""
    if not reply.informative or has_cue(reply.words, "affirm"):
        return True
    named = all(says_value(reply.words, text) for text in goal.texts)
    return named and overlap(goal.subject, concepts(reply.text)) > 0


def _asks_for_values_of(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether a reply asks for a value that a goal uses."""
    names = {name for name, _ in goal.values}
    return any(
        slot.name in names
        for question in reply.questions
        if question.kind in ("open", "select")
        for slot in asked_slots(question.words, memory.slots)
    )


# --- Goals for some case


def settle_foreseen(memory: Memory) -> None:
    """Count what the app refused as settled if the profile says what to do then, and that is done.

    "if they can't help, find out who can" foresees that no appointment is made.
    """
    awaited = _settle_cases(memory)
    foreseen = [goal for goal in memory.goals if goal.condition and goal.key not in awaited]
    services = {goal.key for goal in memory.goals if not goal.asks and not goal.condition}
    if services & memory.met:
        # "if that is not possible take Saturday": something was taken in the end
        memory.met |= {goal.key for goal in foreseen if not goal.asks}
    if memory.refused and foreseen and all(goal.key in memory.met for goal in foreseen):
        memory.met |= services & memory.closed


def _settle_cases(memory: Memory) -> Set[str]:
    """Count goals of a case that has not come as met, and those of questions that nobody asked.

    Returns those that wait for a question of the app.
    """
    awaited = {goal.key for goal in memory.goals if waits_for_question(goal)}
    for goal in memory.goals:
        if goal.follows in memory.met and memory.case_has_come(goal) is False:
            memory.met.add(goal.key)  # "if it has no nuts, order it": it has
    if all(goal.key in memory.met | awaited for goal in memory.goals if not goal.is_output):
        memory.met |= awaited
    return awaited
