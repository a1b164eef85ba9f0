"""Yes, or a correction, to what an app wants confirmed; yes and no by word, button or number."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from sparring.model.talk import meant_by
from sparring_plugins.language.candidates import find_times
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.answers.corrections import corrections
from sparring_plugins.users.agenda.answers.form_answers import yields
from sparring_plugins.users.agenda.answers.misread_answers import misread_answers
from sparring_plugins.users.agenda.answers.unsaid_particulars import unsaid_particulars
from sparring_plugins.users.agenda.choosing.changed_lines import mark_of_line, without_marks
from sparring_plugins.users.agenda.choosing.conditional_wishes import is_case_of_wish
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of
from sparring_plugins.users.agenda.choosing.stated_answers import changing_option, knows_whether
from sparring_plugins.users.agenda.profile.facts import clauses_of
from sparring_plugins.users.agenda.profile.slots import Slot
from sparring_plugins.users.agenda.profile.stances import clause_about
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply, is_no, is_yes
from sparring_plugins.users.agenda.replies.named_options import hour_of, hours_named
from sparring_plugins.users.agenda.replies.question_kinds import asks_for_yes, typed_no, typed_yes
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    plans_change,
    revises_value,
    waits_for_moment,
)
from sparring_plugins.users.agenda.state.value_matching import (
    contradicted_slots,
    is_in_words,
    mentions,
    says_value,
    stated_text,
)
from sparring_plugins.users.agenda.words.phrase_book import (
    LANGUAGES,
    announces,
    filled,
    phrases,
    stop,
)

MOST_CORRECTIONS = 2
"""Corrections of one read-back after which the user gives in."""


def agreement(state: DialogueState, form: OpenForm, reason: str) -> Answer:
    """Return a yes: by a button, by the word or number that the app wants, else in words."""
    return _decide(state, form, reason, yes=True)


def refusal(state: DialogueState, form: OpenForm, reason: str) -> Answer:
    """Return a no: by a button, by the number that the app wants, else in words."""
    return _decide(state, form, reason, yes=False)


def _decide(state: DialogueState, form: OpenForm, reason: str, *, yes: bool) -> Answer:
    pressed = state.press(form.reply, is_yes if yes else is_no)
    typed = typed_yes(form.hint) if yes else typed_no(form.hint)
    if pressed is None and typed is not None:
        return Answer(typed, "confirms as told" if yes else "declines as told", exact=True)
    shown = state.shown_decision(form.reply, reason, yes=yes)
    return pressed or shown or Answer(state.say("yes" if yes else "no", form.times), reason)


def answer_confirmation(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer:
    """Return a yes if what the app states agrees with the user's values, else a correction.

    After two corrections the user gives in, so that the app's mistake comes to light in what it
    does next.
    """
    words = question.words
    if has_cue(words, "all") and "all right" not in words:  # which asks for consent
        more = state.next_words()
        if more is not None:
            return Answer(f"{stop(state.say('no'))} {more}", "wants more")
    # a change goes before corrections: the old value in the read-back is no mistake of the app
    changed = _change_of_read_back(state, reply)
    if changed is not None:
        return changed
    left_out = _left_out_statement(state, reply) if summarises(state, reply) else None
    if left_out is not None:
        return Answer(left_out, "adds what was left out")
    misread = _misread_fact(state, reply)
    if misread is not None:
        return misread
    wrong = _wrong_slots(state, _without_quotations(state, stated_text(reply)))
    response = _answer_mistake(state, wrong, reply) if wrong else put_right(state, reply)
    if response is not None:
        return response
    # "Please answer yes to confirm." takes this very word and no "That's right."
    if asks_for_yes(words) and not reply.choices:
        return Answer(state.phrases.yes[0], "confirms as told")
    if _asks_to_drop(state, words, reply):
        return state.decline(reply, "declines")
    form = state.form
    if form is not None and form.reply == reply:
        return agreement(state, form, "confirms")
    return state.agree(reply, "confirms")


def _wrong_slots(state: DialogueState, stated: str) -> Sequence[Slot]:
    """The variables that what an app states contradicts.

    A day may be put in other words ("in April"); of things from a list one may be too many, as in
    "cheese, ham and olives".
    """
    in_words = {
        slot.name
        for slot in state.slots
        if slot.kinds & _TYPED
        and (is_in_words(slot.values, stated) or _is_in_part_of_day(slot.values, stated))
    }
    said = [slot for slot in _slots_said(state) if slot.name not in in_words]
    return contradicted_slots(stated, said)


def _is_in_part_of_day(values: Sequence[str], stated: str) -> bool:
    """Whether a time in a read-back lies in the part of the day that was said: "nachmittags"."""
    parts = [part for value in values for part in hours_named(folded(value))]
    hours = [hour_of(time.text) for time in find_times(stated)]
    return bool(parts) and any(hour in part for part in parts for hour in hours if hour is not None)


_TYPED = frozenset({"date", "time", "number", "money"})


def _asks_to_drop(state: DialogueState, words: str, reply: AppReply) -> bool:
    """Whether a question is about what users decline; "Reply Y to confirm, N to cancel" is not."""
    # "Do you want to cancel?" is declined; "CANCEL or YES?" asks for the order itself
    unwanted = typed_yes(reply.text) is None and is_unwanted(state, words)
    return unwanted and not repeats_user(state, words)


_SUMMARY = 2
"""Values of the user in a reply from which on it reads back what was said."""


def summarises(state: DialogueState, reply: AppReply) -> bool:
    """Return whether a reply states at least two of the user's values, as a summary does."""
    stated = folded("\n".join(reply.statements))
    return len({v.text for v in state.values if says_value(stated, v.text)}) >= _SUMMARY


def _answer_mistake(state: DialogueState, wrong: Sequence[Slot], reply: AppReply) -> Answer | None:
    """Yield to the app, correct it or give in; None if it is to be confirmed by a button."""
    if yields(state):
        return state.agree(reply, "takes what the app offers instead")
    return _object(state, reply, lambda count: _correction_of_slots(state, wrong, count))


def _object(state: DialogueState, reply: AppReply, correct: Callable[[int], str]) -> Answer | None:
    """Say no by a button, else what is right; None if it is to be confirmed by a button.

    A user who has corrected twice gives in. `correct` makes the words of a correction from how many
    there were before.
    """
    count = corrections_made(state)
    # a form that ignores corrections would go round for ever
    if count >= MOST_CORRECTIONS:
        return None if reply.choices else Answer(state.say("accept"), "gives in")
    return state.press(reply, is_no) or Answer(correct(count), "corrects what was understood")


def _misread_fact(state: DialogueState, reply: AppReply) -> Answer | None:
    """Correct a line that says yes or no otherwise than the profile: "Pets: no" for a cat."""
    clauses = (_clause_against(state, *line) for line in _YES_OR_NO_LINE.findall(reply.text))
    clause = next((clause for clause in clauses if clause is not None), None)
    if clause is None:
        return None
    right = f"{stop(state.phrases.no[0])} {state.own_words(clause)}"
    return _object(state, reply, lambda _: right)


def _clause_against(state: DialogueState, label: str, said: str) -> str | None:
    """The clause of the context that says the contrary of a line; None if none does."""
    known = knows_whether(state, f"{label}?")
    # "Pets: none" agrees with "you have no pets"
    if known is None or known is is_yes(said):
        return None
    return clause_about(label, clauses_of(state.task.context))


_YES_OR_NO_LINE = re.compile(
    r"^\W*([^\W\d][\w ]{1,30}):\s*(yes|no|none|ja|nein|s[ií]|oui|non|sim|n[aã]o)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a read-back that says yes or no of a thing: "Pets: no"."""


def _correction_of_slots(state: DialogueState, wrong: Sequence[Slot], count: int) -> str:
    """What is right, as the goal puts it, or the values alone."""
    book = state.phrases
    goal = state.goal_using({slot.name for slot in wrong})
    # "No, I want a cabin for three." says more than "No, three."
    if goal is not None and goal.form in ("request", "action"):
        ways = book.correction if goal.form == "request" else book.correction_action
        return filled(ways[count], goal.words)
    return filled(book.correction[count], state.join([v for slot in wrong for v in slot.values]))


def _change_of_read_back(state: DialogueState, reply: AppReply) -> Answer | None:
    """The change that a goal wants of what is read back, if that has not got it yet.

    "when they read it back, change the branch to Elm Street" is said in place of the yes.
    """
    if state.times or corrections_made(state) or is_case_of_wish(state):
        return None
    goal = pending_change(state, reply)
    if goal is None:
        return None
    # "Which line is wrong? 1 Day 2 Size" takes the number of the line
    mark = mark_of_line(reply, goal.words, goal.texts) if plans_change(goal) else None
    if mark is not None:
        return Answer(mark, "names the line to change", exact=True)
    place = changing_option([choice.label for choice in reply.choices])
    if place is not None:
        return Answer("", "changes what is read back", reply.choices[place])
    if reply.choices and not waits_for_moment(goal):
        return None
    if reply.choices:
        # "All as you want it? [Yes] [No]": what is not is asked for after the no
        denial = next((choice for choice in reply.choices if is_no(choice.label)), None)
        return Answer("", "changes what is read back", denial) if denial is not None else None
    return Answer(f"{stop(state.phrases.no[0])} {state.phrase(goal)}", "changes it")


def pending_change(state: DialogueState, reply: AppReply) -> UserGoal | None:
    """Return the goal that wants what is read back to be changed, and is not in it yet."""
    for goal in state.memory.open_goals():
        changes = (revises_value(goal) or waits_for_moment(goal)) and not goal.asks
        if any(intents_of(goal.words) & intents_of(q.text) & {"cancel"} for q in reply.questions):
            continue  # "Shall I cancel it?" is what "cancel the course" wants
        # the new value of a goal without variables stands in its words
        texts = goal.texts or [text for _, text, _ in values_in(goal.words)]
        if changes and not all(mentions(reply.words, text) for text in texts):
            return goal
    return None


def put_right(state: DialogueState, reply: AppReply) -> Answer | None:
    """Return what corrects a read-back that differs from what the user said; None if none does."""
    language = state.task.language
    stated = _without_quotations(state, without_marks(stated_text(reply)))
    wrong = corrections(stated, state.values, state.memory, language, state.task.context)
    wrong = wrong or misread_answers(state, stated) or unsaid_particulars(state, stated)
    if not wrong or yields(state):
        return None
    values = state.join([correction.text for correction in wrong])
    return _object(state, reply, lambda count: filled(state.phrases.correction[count], values))


def _without_quotations(state: DialogueState, text: str) -> str:
    """A read-back without what it repeats of the user's own sentences, which is never wrong.

    "Three of eight glasses were cracked" has another count of glasses in it than the three that are
    meant.
    """
    said = (meant_by(turn.act).strip(" .") for turn in state.task.turns)
    for words in said:
        if len(words.split()) >= _SENTENCE:
            text = re.sub(re.escape(words), " ", text, flags=re.IGNORECASE)
    return text


_SENTENCE = 5
"""Words of an answer that is a sentence, and no value."""


def _left_out_statement(state: DialogueState, reply: AppReply) -> str | None:
    """A statement on the service that its read-back leaves out: "it needs new brakes"."""
    for goal in state.memory.open_goals():
        tells = goal.form == "statement" and bool(goal.texts) and not revises_value(goal)
        if tells and announces(goal.phrase, goal.language):
            continue  # "report that Leo is ill" is a service of its own
        if tells and not goal.asks and not state.memory.mentioned(goal):
            responded = all(mentions(reply.words, text) for text in goal.texts)
            return None if responded or reply.done else state.phrase(goal)
    return None


def _slots_said(state: DialogueState) -> list[Slot]:
    """The slots that the app can know of: those of goals brought up, all if none was.

    A taxi for 7:15 does not contradict the wake-up call at 5:45 that was arranged before it.
    """
    memory = state.memory
    brought_up = [goal for goal in state.goals if memory.mentioned(goal)]
    # what is done already is not read back again
    open_ones = [goal for goal in brought_up if goal.key not in memory.met]
    said = {name for goal in open_ones or brought_up for name, _ in goal.values}
    if brought_up and not said:
        return _slots_given(state)
    return [slot for slot in state.slots if not said or slot.name in said]


def _slots_given(state: DialogueState) -> list[Slot]:
    """The slots with a value that was said.

    "It was serviced on 3 July." does not contradict the day that nobody has spoken of yet.
    """
    return [slot for slot in state.slots if any(map(state.memory.said, slot.values))]


def corrections_made(state: DialogueState) -> int:
    """Return how often the user has corrected the app, or said no to a confirmation."""
    memory = state.memory
    refusals = sum(
        is_no(act) and reply.asks("confirm")
        for act, reply in zip(memory.acts[1:], memory.replies, strict=False)
    )
    starts = _correction_starts()
    # "No, thanks." to an offer corrects nothing
    return refusals + sum(
        any(act.startswith(start) and act != start for start in starts)
        and (reply.asks("confirm") or summarises(state, reply))
        for act, reply in zip(memory.acts[1:], memory.replies, strict=False)
    )


@lru_cache(maxsize=1)
def _correction_starts() -> frozenset[str]:
    """How corrections begin, folded, in all languages."""
    books = [phrases(language) for language in LANGUAGES]
    texts = [text for book in books for text in (*book.correction, *book.correction_action)]
    return frozenset(folded(text.split("{x}")[0]) for text in texts)


def repeats_user(state: DialogueState, words: str) -> bool:
    """Whether a question says again what the user just said."""
    said = state.memory.acts[-1] if state.memory.acts else ""
    return (
        len(said) > 1 and words.startswith(("did", "you", "so", "is it")) and contains(words, said)
    )


def is_unwanted(state: DialogueState, words: str) -> bool:
    """Whether a question is about what users mostly decline, such as to cancel, and no goal is."""
    return has_cue(words, "no_thanks") and not any(
        has_cue(folded(goal.words), "no_thanks") and concepts(words) & goal.concepts
        for goal in state.goals
    )
