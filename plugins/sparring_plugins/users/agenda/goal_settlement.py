"""What a reply of the app settles: which goals it meets, and which it closes."""

import re

from sparring_plugins.language.candidates import find_identifiers, find_times
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.app_reply import AppReply, is_no, is_yes, reports_failure
from sparring_plugins.users.agenda.facts import names_in, values_in
from sparring_plugins.users.agenda.formats import days_in
from sparring_plugins.users.agenda.goal_phrases import first_person
from sparring_plugins.users.agenda.goal_topics import goals_said_at_once
from sparring_plugins.users.agenda.goal_verbs import begins_with_verb
from sparring_plugins.users.agenda.knowledge import knowledge, says
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_form import (
    OpenForm,
    comes_to_nothing,
    is_complaint,
    is_main_menu,
    leaves_form_open,
    open_form,
)
from sparring_plugins.users.agenda.own_phrases import idle_words, is_goodbye
from sparring_plugins.users.agenda.phrase_book import phrases
from sparring_plugins.users.agenda.service_reports import assents, is_settled_by, seeks
from sparring_plugins.users.agenda.slots import asked_slots
from sparring_plugins.users.agenda.stances import stance
from sparring_plugins.users.agenda.user_goals import (
    UserGoal,
    decided_subject,
    has_answer,
    is_conditional,
    is_covered,
    is_denial,
    is_service,
    reports_figure,
    states_sum,
)
from sparring_plugins.users.agenda.value_matching import (
    contradicted_slots,
    in_sequence,
    lies_within,
    mentions,
    says_value,
    stated_text,
)


def settle_goals(memory: Memory) -> None:
    """Note which goals the last reply meets or closes."""
    reply = memory.replies[-1]
    if reply.fallback or reply.empty or is_goodbye(memory.acts[-1]):
        return
    _note_agreed_goals(memory)
    _reopen_goals(memory)
    active = memory.active
    for goal in memory.goals:
        if goal.key not in memory.met and not goal.is_output:
            _settle_goal(memory, goal, reply, is_active=goal is active)


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
    if states_sum(goal, reply) or _refuses_and_tells(memory, goal, reply):
        memory.met.add(goal.key)
    elif is_conditional(goal) and not (goal.asks and memory.refused):
        _settle_condition(memory, goal, reply)
    elif goal.asks:
        _settle_question(memory, goal, reply, is_active=is_active)
    elif not memory.mentioned(goal) and (not goal.texts or is_denial(goal)):
        _settle_receipt(memory, goal, reply)
        _settle_covered(memory, goal, reply)
    elif memory.mentioned(goal) and (goal.texts or not memory.misunderstood(goal)):
        _settle_service(memory, goal, reply, is_active=is_active)


def _refuses_and_tells(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Whether a refusal has in it what its user then wants to know: whom to call, when to come.

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
    has_value = has_answer(goal, stated)
    related = _is_related(memory, goal, stated)
    if not memory.mentioned(goal) and not (related and has_value):
        # what was never asked is met only by the app's own words on it
        whether = related and has_value is None and _says_whether(goal, stated)
        if whether or reports_figure(goal, stated):
            memory.met.add(goal.key)
    elif has_value and (related or (is_active and not reply.refusal)):
        memory.met.add(goal.key)
    elif is_active:
        _settle_by_statement(memory, goal, reply, wants_value=has_value is not None)


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
    decisive = ("deny", "affirm", "free", "sorry")
    return goal.form == "whether" and any(has_cue(folded(stated), cue) for cue in decisive)


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


def _settle_service(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> None:
    """Note whether a reply grants or refuses a service that the user asked for."""
    if is_active and goal.form == "statement" and not goal.texts and not reply.refusal:
        if not _is_turned_back(memory):
            memory.met.add(goal.key)
    elif leaves_form_open(memory.replies):
        return  # whatever a reply says, nothing is done while the app still asks for something
    elif is_active and (reply.turns_down or _is_dropped(memory, reply)):
        _note_refusal(memory, goal, reply)
    elif goal.key in memory.closed and memory.refused and not reply.done:
        return  # what was refused is not granted by "Anything else?" after something else
    elif _came_to_nothing(memory, goal):
        return  # "Breakfast is at 7." orders no taxi that the user said no to
    elif _is_service_over(memory, goal, reply, is_active=is_active):
        _settle_end(memory, goal, reply, is_active=is_active)


def _came_to_nothing(memory: Memory, goal: UserGoal) -> bool:
    """Whether the user said no to what was to be confirmed, and agreed to nothing since."""
    ends = (
        index
        for index in range(len(memory.acts) - 1, 0, -1)
        if comes_to_nothing(memory.replies[: index + 1], memory.acts[index])
    )
    last = next(ends, None)
    if last is None or last == len(memory.acts) - 1:
        return False
    again = goal.key in memory.topics[last + 1 :] or any(map(is_yes, memory.acts[last + 1 :]))
    return not again and not any(reply.done for reply in memory.replies[last:])


def _note_refusal(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    if _refuses_outright(reply) or _is_dropped(memory, reply):
        memory.closed.add(goal.key)


def _settle_end(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> None:
    """Note whether a service that is over was done as it was wanted."""
    if _is_unchanged(memory, goal, reply):
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
    if says(reply.words, "dropped"):
        return False
    if _was_interjected(memory, goal):
        return False
    agreed = _follows_agreement(memory) and (is_active or _is_of_form(memory, goal))
    if not agreed and not is_settled_by(reply, goal):
        return False
    if reply.done or comes_to_nothing(memory.replies, memory.acts[-1]):
        return reply.done
    if agreed:
        return True
    if _closes_form(memory) and (is_active or _is_of_form(memory, goal)):
        return True
    return _is_granted(memory, goal, reply, is_active=is_active)


def _was_interjected(memory: Memory, goal: UserGoal) -> bool:
    """Whether a goal was brought up last within the form of another one."""
    places = [at for at, key in enumerate(memory.topics) if key == goal.key]
    return bool(places) and _is_interjected(memory, goal, places[-1])


def _follows_agreement(memory: Memory) -> bool:
    """Whether a reply that asks nothing and reports no failure follows a yes to a read-back.

    "The oven is hot, 45 minutes." says that the order was taken, for it was just confirmed.
    """
    reply, before = memory.replies[-1], open_form(memory.replies[:-1])
    if before is None or not is_yes(memory.acts[-1]) or reply.turns_down or is_complaint(reply):
        return False
    confirms = before.question.kind == "confirm" or _reads_back(memory, before)
    return confirms and bool(reply.statements) and not any(map(reports_failure, reply.statements))


_READ_BACK = 2


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
    if memory.topics[start] is None or any(not _is_interjected(memory, goal, at) for at in led):
        return True
    said = concepts("\n".join(reply.text for reply in memory.replies[start:]))
    return overlap(goal.subject, said) > 0


def _is_interjected(memory: Memory, goal: UserGoal, at: int) -> bool:
    """Whether a goal was said at a turn in the middle of another one's form, which went on with it.

    "Any whole amount from 30 to 300 is possible." after "I also want another tariff." has
    understood nothing of the tariff, whatever the form ends with.
    """
    if goal.form != "action":
        return False  # "2 cans of coke" after "Anything to drink?" is a part of the order
    led = next((place for place in range(at - 1, -1, -1) if memory.topics[place]), None)
    services = {other.key for other in memory.goals if is_service(other)} - {goal.key}
    if led is None or memory.topics[led] not in services:
        return False
    if any(reply.done or reply.asks_what_else for reply in memory.replies[led:at]):
        return False
    told = "\n".join(reply.text for reply in memory.replies[at:])
    if any(says_value(folded(told), text) for text in goal.texts):
        return False
    return not overlap(goal.subject, concepts(told))


def _is_turned_back(memory: Memory) -> bool:
    """Whether the last reply takes what was said for a bad answer, or only repeats itself."""
    reply, before = memory.replies[-1], memory.replies[-2:-1]
    return is_complaint(reply) or any(reply.words == other.words for other in before)


def _settle_condition(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    """Count "if you can't have it, book anyway" as met once what it depends on is over."""
    if not leaves_form_open(memory.replies) and (reply.done or _closes_form(memory)):
        memory.met.add(goal.key)


def _settle_receipt(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    """Count "get the booking reference" as met when the app names one at the end of a service."""
    stated = "\n".join(_new_statements(memory))
    over = reply.done or _closes_form(memory)
    if not over or leaves_form_open(memory.replies) or not concepts(goal.words) & _RECEIPTS:
        return
    if find_identifiers(stated) and overlap(goal.subject, concepts(stated)) > 0:
        memory.met.add(goal.key)


def _settle_covered(memory: Memory, goal: UserGoal, reply: AppReply) -> None:
    """Count a goal without values as met if the form that was just closed was about it.

    "make sure that you know the total" is met by a form that has read the total back.
    """
    if leaves_form_open(memory.replies) or not (reply.done or _closes_form(memory)):
        return
    start = len(memory.replies) - 1
    while start > 0 and leaves_form_open(memory.replies[:start]):
        start -= 1
    form = memory.replies[start:]
    said = names_in("\n".join(other.text for other in form))
    names = names_in(goal.words)
    detail = not _stands_alone(goal) and (len(names) > 1 or is_denial(goal))
    if (detail and overlap(names, said) >= _COVERED) or is_covered(goal, form):
        memory.met.add(goal.key)


def _stands_alone(goal: UserGoal) -> bool:
    """Whether a goal is a service of its own, and no detail of another: "choose the first one"."""
    words = folded(goal.words)
    return not any(f"{words} ".startswith(f"{folded(word)} ") for word in knowledge().minor)


_COVERED = 0.5


_RECEIPTS = frozenset({"~id", "~number", "confirm", "confirmation"})


def _new_statements(memory: Memory) -> list[str]:
    """What the last reply states that no reply before it has stated: the rest answers nothing."""
    before = {folded(text) for reply in memory.replies[:-1] for text in reply.statements}
    return [text for text in memory.replies[-1].statements if folded(text) not in before]


def _closes_form(memory: Memory) -> bool:
    """Whether the last reply ends a form that was open before it, without asking for more."""
    before = open_form(memory.replies[:-1])
    reply = memory.replies[-1]
    if comes_to_nothing(memory.replies, memory.acts[-1]):
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
    excused = (
        memory.yielding and memory.refused
    )  # the app could not do it, and something else will do
    contradicted = contradicted_slots(stated_text(reply), slots) or _has_other_day(goal, reply)
    if contradicted and not excused:
        return False
    if goal.key in memory.agreed:
        return True  # "tell them you do not need a call" was a "no" to "Shall we call you?"
    return all(
        _is_told(memory, text)
        or any(says_value(said.words, text) for said in memory.replies)
        or (memory.yielding and _is_limited(memory, text))
        for text in goal.texts
    )


def _has_other_day(goal: UserGoal, reply: AppReply) -> bool:
    """Whether a reply names days, and none of them is the one that a goal has in plain words."""
    wanted, named = days_in(goal.words, goal.language), days_in(reply.text, goal.language)
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
    if any(says_value(act, words) for words in {text, own} for act in memory.acts):
        return True
    # "Chapel Pharmacy" is "pick it up at Chapel Pharmacy", "12-17" is "in the afternoon"
    return memory.chose(text) or any(lies_within(label, text) for label in memory.chosen_labels())


def _is_chosen(memory: Memory, text: str) -> bool:
    """Whether the user has chosen an option that has a text in it: "Metformin 500 mg"."""
    turns = zip(memory.acts[1:], memory.replies, strict=False)
    return any(contains(act, folded(text)) and act in map(folded, r.menu) for act, r in turns)


_YOUR = re.compile(r"\byour\b", re.IGNORECASE)


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


def _is_granted(memory: Memory, goal: UserGoal, reply: AppReply, *, is_active: bool) -> bool:
    """Whether a reply that does not say "done" still shows that a service was understood.

    It does if the app asks for nothing of it any more, and goes on to what else there is, or has
    said all its values back: "2 cans of Sprite. Anything else?".
    """
    if reply.asks("confirm") or _asks_for_values_of(memory, goal, reply):
        return False
    if reply.asks("more") and (reply.asks_what_else or reply.informative):
        return _goes_on_after(memory, goal, reply, is_active=is_active)
    if is_active and not reply.questions and bool(reply.text):
        return _answers_wish(goal, reply)
    if not goal.texts:
        return is_active and reply.asks("offer", "helped")
    echoed = all(any(mentions(r.words, text) for r in memory.replies) for text in goal.texts)
    return echoed and not reply.asks("open", "select")


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
