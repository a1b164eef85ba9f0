"""Answers to the questions of a reply, kind by kind; yes and no to confirmations and offers."""

from collections.abc import Sequence
from dataclasses import replace

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue, starts_with_cue
from sparring_plugins.users.agenda.answers.alternatives_offered import takes_alternative, way_named
from sparring_plugins.users.agenda.answers.confirmations import (
    agreement,
    answer_confirmation,
    is_unwanted,
    refusal,
    repeats_user,
    summarises,
)
from sparring_plugins.users.agenda.answers.context_answers import dash_asked_for, heading_of
from sparring_plugins.users.agenda.answers.counts_offered import count_chosen
from sparring_plugins.users.agenda.answers.form_answers import (
    answer_open_form,
    offered_value,
    yields,
)
from sparring_plugins.users.agenda.answers.joint_answers import (
    self_describing,
    whole_moment,
    without_idle_cases,
    without_unmet_cases,
)
from sparring_plugins.users.agenda.answers.next_entries import (
    deed_offered,
    end_by_number,
    press_way_to,
)
from sparring_plugins.users.agenda.answers.offers import (
    decide_on_offer,
    denies_all,
    is_extra,
    is_of_goal,
    names_another,
    names_besides,
    remark_beside_buttons,
    sells_extra,
    text_to_write,
    value_if_not,
    wants_thing_before,
    way_that_suits,
    with_subject,
)
from sparring_plugins.users.agenda.answers.particulars_of_people import particular_of_somebody
from sparring_plugins.users.agenda.answers.relevant_statements import relevant_statement
from sparring_plugins.users.agenda.answers.remarks import told_remark
from sparring_plugins.users.agenda.answers.rewritten_answers import rewritten_answer
from sparring_plugins.users.agenda.answers.sending_menus import answer_sending_menu
from sparring_plugins.users.agenda.answers.several_questions import (
    without_contained,
    without_counts_again,
    without_repeats,
)
from sparring_plugins.users.agenda.answers.unknown_particulars import lacks_particular
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.conditional_wishes import wished_offer
from sparring_plugins.users.agenda.choosing.open_questions import (
    NOTHING_TO_SAY,
    answer_if_so,
    answer_open_question,
    description,
    listed_extras,
    values_in_words,
)
from sparring_plugins.users.agenda.choosing.stated_answers import (
    knows_whether,
    names_own_value,
    proposes_deed,
    sending_option,
)
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.slots import asked_slots
from sparring_plugins.users.agenda.replies.app_reply import (
    AppQuestion,
    AppReply,
    is_no,
    is_yes,
)
from sparring_plugins.users.agenda.replies.asked_clauses import asks_for_any
from sparring_plugins.users.agenda.replies.question_kinds import finishing_word, typed_yes
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import best_values
from sparring_plugins.users.agenda.state.open_form import (
    FORM_KINDS,
    OpenForm,
    is_closing,
    is_instruction,
    is_optional,
    skip_word,
)
from sparring_plugins.users.agenda.state.user_goals import UserGoal
from sparring_plugins.users.agenda.state.value_matching import (
    mentions,
    says_value,
)
from sparring_plugins.users.agenda.words.knowledge import says, starts_with_any
from sparring_plugins.users.agenda.words.phrase_book import stop

_SAYS_NOTHING = (NOTHING_TO_SAY, "declines", "has no preference", "gives a reason")
_NO_ANSWER = (NOTHING_TO_SAY, "has no preference")
# "Anything else?" has too few words to repeat a value; "A table for four?" does.
_READ_BACK = 3
_SUMMARY = 2
"""Values of the user in a reply from which on it reads back what was said."""

_NEXT = "brings up what is next"
_WISH = "says what it wants"


def answer_questions(state: DialogueState, reply: AppReply) -> list[Answer]:
    """Answers to all questions of a reply, in order.

    Among several, courtesies such as "How are you?" and "What else?" are passed over; an answer
    that another one contains is left out.
    """
    questions = _questions_to_answer(_asked_by(reply), in_form=state.form is not None)
    pairs = [(question, _answer(state, question, reply)) for question in questions]
    pairs = without_unmet_cases(without_idle_cases(without_counts_again(pairs)))
    answers = self_describing(state, pairs, reply)
    aside = (_NEXT, _WISH, *_NO_ANSWER)
    if state.form is not None and any(answer.reason not in aside for answer in answers):
        # "I miss the number. Where do you live?": nothing but the address is to be stored
        answers = [answer for answer in answers if answer.exact or answer.reason not in aside]
    what_else = next((question for question in reply.questions if question.kind == "more"), None)
    if what_else is not None and all(answer.reason in _SAYS_NOTHING for answer in answers):
        answers = [_answer_what_else(state, what_else, reply)]
    return without_contained(_without_idle_ones(answers))


def _asked_by(reply: AppReply) -> Sequence[AppQuestion]:
    """The questions of a reply; of one that reports something done, those with a mark.

    "Ordered. Depot: West Quay, most often by Friday. Anything else?" asks one thing.
    """
    marked = [question for question in reply.questions if "?" in question.text]
    return marked if reply.done and marked else reply.questions


def _without_idle_ones(answers: list[Answer]) -> list[Answer]:
    """The answers that say something; all if none does.

    "Who is the owner? First name and surname, please." is answered by the name alone.
    """
    return [answer for answer in answers if answer.reason != "has no preference"] or answers


def _questions_to_answer(
    questions: Sequence[AppQuestion], *, in_form: bool
) -> Sequence[AppQuestion]:
    """The questions that want an answer: of several, no courtesies, instructions and repeats."""
    if len(questions) < 2:
        return questions
    if in_form:
        asking = [question for question in questions if not is_instruction(question)]
        questions = without_repeats(asking or questions)
        if len(questions) < 2:
            return questions
    # 'Type "menu" for all options.' beside "Anything else?" asks nothing
    serious = [
        question
        for question in questions
        if question.kind not in ("more", "smalltalk") and not is_instruction(question)
    ]
    asking = [question for question in questions if not is_instruction(question)]
    return serious or asking[-1:] or questions[-1:]


def answer_form(state: DialogueState, form: OpenForm) -> list[Answer]:
    """Answers to the questions that a form leaves open, also after a complaint about an answer."""
    if form.reply == state.memory.last:
        return answer_questions(state, form.reply)
    return [_answer(state, form.question, form.reply)]


def _answer_form(state: DialogueState, form: OpenForm) -> Answer | None:
    """What the profile answers to the open question of a form; None if it says nothing of it."""
    question = form.question
    again = rewritten_answer(state)
    if again is not None:
        return again
    sending = sending_option(question.options)
    if sending is not None:
        return answer_sending_menu(state, form, sending)
    if _follows_summary(state, form):
        return answer_confirmation(state, question, form.reply)
    is_offer = question.kind in ("confirm", "offer", "fact")
    extra = _confirms_extra(state, form) or (is_offer and sells_extra(state, form))
    if extra and knows_whether(state, question.text, by_role=False) is not True:
        return refusal(state, form, "declines what it has no use for")
    if question.kind != "open" and typed_yes(question.text) and not form.reply.choices:
        return answer_confirmation(state, question, form.reply)
    return _answer_by_kind(state, form)


def _follows_summary(state: DialogueState, form: OpenForm) -> bool:
    """Whether a question goes on from a summary of what was said: "Shall the oven be lit?"."""
    if (
        not starts_with_any(form.question.words, "going_on")
        or form.reply.choices
        or form.question.marks
        or len(form.question.options) > 1
    ):
        return False
    stated = folded("\n".join(form.reply.statements))
    said = {folded(value.text) for value in state.values if says_value(stated, value.text)}
    said |= {act for act in state.memory.acts if len(act) > 1 and contains(stated, act)}
    return len(said) > _SUMMARY


def _confirms_extra(state: DialogueState, form: OpenForm) -> bool:
    """Whether a confirmation is for something that nobody asked for: "Shall I add it?"."""
    question = form.question
    if question.kind != "confirm" or not is_extra(form) or _reads_back(state, form):
        return False
    return knows_whether(state, question.text) is not True and not is_of_goal(state, question)


def _answer_by_kind(state: DialogueState, form: OpenForm) -> Answer | None:
    """What the profile answers to a question of a form by what it asks for."""
    question = form.question
    particular = None if form.reply.choices else particular_of_somebody(state, form)
    if particular is not None and question.kind in ("open", "select"):
        return particular
    first = way_named(state, form) or whole_moment(state, question, form.reply)
    if first is not None:
        return first
    match question.kind:
        case "open" if _asks_whether(state, question):
            return answer_confirmation(state, question, form.reply)
        case "open":
            described = description(state, form)
            return described or answer_open_form(state, form) or _answer_unknown(state, form)
        case "select":
            return _answer_select(state, form)
        case "offer" | "fact" if not _named_slots(state, question):
            remark = told_remark(state, form) or listed_extras(state, form)
            remark = remark or remark_beside_buttons(state, form)
            return remark or _answer_polar(state, form)
        case _:
            return None


def _named_slots(state: DialogueState, question: AppQuestion) -> bool:
    """Whether a question names a value of the user's variables, or one that it might have had."""
    return any(
        mentions(question.words, value)
        for slot in state.slots
        for value in (*slot.values, *slot.domain)
    )


def _answer_polar(state: DialogueState, form: OpenForm) -> Answer | None:
    """Yes or no by what the profile says; a particular that is asked for beside it."""
    if names_own_value(state, form):
        return agreement(state, form, "is what the profile says")
    if _asks_for_particular(state, form):
        return answer_open_form(state, form)
    if _reads_back(state, form):
        return answer_confirmation(state, form.question, form.reply)
    instead = wished_offer(state, form.question.text, form.reply)
    instead = takes_alternative(state, form) if instead is None else instead
    if instead is not None:
        return _answer_known(state, form, instead)
    if names_another(state, form):
        return refusal(state, form, "names another value")
    fitting = value_if_not(state, form)
    if fitting is not None:
        return Answer(fitting, "says what is true instead", exact=True)
    written = text_to_write(state, form) if not form.reply.choices else None
    if written is not None:
        return Answer(written, "says what is to be written", exact=True)
    known = knows_whether(state, with_subject(form), by_role=form.question.kind == "fact")
    known = wants_thing_before(state, form) if known is None else known
    return _answer_unbacked(state, form) if known is None else _answer_known(state, form, known)


def _asks_for_particular(state: DialogueState, form: OpenForm) -> bool:
    """Whether a yes-or-no question wants a datum, or a remark that the profile does not deny."""
    words = form.question.words
    choices = form.reply.choices
    if choices and not (
        says(words, "anything") and all(is_no(c.label) or is_closing(c.label) for c in choices)
    ):
        return False  # "Nothing" alone beside "Is there anything we should know?" leaves room
    if asked_kinds(words):
        return not proposes_deed(words)
    # "nobody has any allergies" is a no, "your dog must not eat chicken" is what there is to say
    asked = names_in(form.question.text)
    lacking = any(
        asked & names_in(clause) and says(folded(clause), "lacking")
        for clause in clauses_of(state.task.context)
    )
    anything = says(words, "anything") or asks_for_any(form.question.text)
    return anything and not lacking


def _answer_unbacked(state: DialogueState, form: OpenForm) -> Answer | None:
    """Yes to what leads to the goal, no to extras; None if a question is neither."""
    if is_extra(form):
        return refusal(state, form, "declines what it has no use for")
    if summarises(state, form.reply) and not has_cue(form.question.words, "wanting"):
        return answer_confirmation(state, form.question, form.reply)
    if says(form.question.words, "proposals") and state.is_collecting():
        return agreement(state, form, "agrees to what leads to its goal")
    return None


def _answer_known(state: DialogueState, form: OpenForm, known: bool) -> Answer | None:
    """Yes or no as the profile says."""
    choices = form.reply.choices
    answer = answer_if_so(state, form) if known else None
    asks_it = (
        known and says(form.question.words, "knowing") and not any(map(is_yes, form.reply.options))
    )
    if answer is None and asks_it:
        answer = relevant_statement(state, form, form.question.text)  # "Do you know where you sat?"
    if answer is not None:
        return answer
    # "Would you like any other toppings?" is no question about the toppings that were ordered;
    # "Shall I add insurance?" is one about the insurance that nobody spoke of yet
    said = names_in(" ".join(state.memory.acts))
    if known and has_cue(form.question.words, "further") and names_in(form.question.text) & said:
        return None
    if not known:
        return refusal(state, form, "is what the profile says")
    if not choices and not form.question.options and _is_about_new_goal(state, form):
        return None  # the goal itself is said with the yes: "Yes, please. Two cans of water."
    return agreement(state, form, "is what the profile says")


def _is_about_new_goal(state: DialogueState, form: OpenForm) -> bool:
    """Whether a question or its reply offers what the user wants and has not brought up."""
    goal = state.goal_about(form.question.words) or state.goal_offered(form.reply)
    return goal is not None and not state.memory.mentioned(goal)


def _reads_back(state: DialogueState, form: OpenForm) -> bool:
    """Whether a question follows a summary of what the user said: at least two of its values."""
    return summarises(state, form.reply) and says(form.question.words, "proposals")


def _asks_whether(state: DialogueState, question: AppQuestion) -> bool:
    """Whether a question without a question word reads values back: "Renew both until Friday?"."""
    is_polar = starts_with_cue(question.words, "polar")  # "Is your surname Miller?"
    if not question.text.rstrip().endswith("?") or (asked_kinds(question.words) and not is_polar):
        return False
    if starts_with_cue(question.words, "wh") or len(question.words.split()) < _READ_BACK:
        return False
    return any(
        mentions(question.words, value.text)
        for value in state.values
        if value.kinds != frozenset({"number"})
    )


def _answer_select(state: DialogueState, form: OpenForm) -> Answer | None:
    """The option that the profile names; the one that declines what the profile denies."""
    chooser = Chooser(state, form.question, form.reply)
    decided = decide_on_offer(state, form, chooser)
    if decided is not None:
        return decided
    known = count_chosen(state, form) or chooser.known_choice()
    if known is not None:
        return known
    declined = _decline_all(state, form, chooser)
    if declined is not None:
        return declined
    lacking = chooser.lacking_moment()
    if lacking is not None:
        return lacking
    place = way_that_suits(state, form.question.options)
    if place is not None:
        return chooser.take(place, "is what the profile says")
    if denies_all(state, form):
        return refusal(state, form, "is what the profile says")
    return description(state, form) if not form.reply.choices else None


def _decline_all(state: DialogueState, form: OpenForm, chooser: Chooser) -> Answer | None:
    """What declines or skips a choice that the profile denies: "no workshop", or None."""
    heading = form.question.text.partition(":")[0] or heading_of(form.reply)
    declining = [index for index, option in enumerate(form.question.options) if is_no(option)]
    skips = is_optional(form) and not form.reply.choices
    if not (skips or len(declining) == 1) or knows_whether(state, heading) is not False:
        return None
    if skips:
        skip = skip_word(form) or dash_asked_for(state) or state.phrases.no[0]
        return Answer(skip, "skips what is optional", exact=True)
    return chooser.take(declining[0], "is what the profile says")


def _answer_unknown(state: DialogueState, form: OpenForm) -> Answer | None:
    """What the user says to a question of a form that nothing in the profile answers.

    What the app itself offers goes before inventions: "14:00 is the latest". What belongs to
    another goal is not said in place of an answer.
    """
    lacking = lacks_particular(state, form)
    if lacking is not None:
        return lacking
    own = best_values(form.question.text, state.values, slots=state.slots)
    if own and not yields(state):
        return None  # a value that the app turns down is not given away
    offered = offered_value(form)
    kinds = asked_kinds(form.question.words)
    if offered is not None and kinds & {"time", "date"} and not kinds & {"birth"}:
        return Answer(offered, "takes what the app offers", exact=True)
    return None


def _answer(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer:
    form = state.form
    if form is not None and question.text == form.question.text:
        question = form.question  # "What is it about?" within a form
    if form is not None and question.kind in FORM_KINDS:
        known = _answer_form(state, replace(form, question=question))
        if known is not None:
            return known
    match question.kind:
        case "more":
            return _answer_what_else(state, question, reply)
        case "helped" if summarises(state, reply):
            return answer_confirmation(state, question, reply)
        case "helped":
            return _answer_helped(state, reply)
        case "smalltalk":
            words = state.next_words() or ""
            return Answer(f"{state.say('smalltalk')} {words}".strip(), "small talk")
        case "confirm":
            return answer_confirmation(state, question, reply)
        case "offer" | "fact":
            return _answer_yes_or_no(state, question, reply)
        case "select":
            return Chooser(state, question, reply).answer()
        case "open":
            return answer_open_question(state, question)


def _answer_what_else(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer:
    """What the user wants next, pressed if a choice leads there; else that this was all."""
    way_on = Chooser(state, question, reply).way_on()
    if way_on is not None:
        return way_on
    words = state.next_goal()
    if not reply.asks_what_else:
        words = state.reworded_question() or words
        unanswered = state.unanswered_goal() if words is None else None
        if unanswered is not None:
            return Answer(unanswered, "says again what it wants")
    decided = _finish(state, question, reply) or _decide_on_more(
        state, question, reply, more=words is not None
    )
    if decided is not None:
        return decided
    if words is None:
        # "Cancel a booking" declines nothing, though it begins with "cancel"
        ends = state.press(reply, is_closing) or end_by_number(state, question, reply)
        return ends or Answer(state.say("thats_all"), "wants nothing more")
    return (
        press_way_to(state, question, reply, words)
        or deed_offered(state, question, reply)
        or Answer(words, _NEXT)
    )


def _finish(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer | None:
    """The word that ends an order, once all services are said; None if the app names none."""
    word = finishing_word(question.text) or finishing_word(reply.text)
    if word is None or state.memory.said(word) or not _has_said_services(state):
        return None
    return Answer(word, "has said all that it wants", exact=True)


def _decide_on_more(
    state: DialogueState, question: AppQuestion, reply: AppReply, *, more: bool
) -> Answer | None:
    """Yes or no by its number to "Anything else? 1. Yes 2. No"; None if nothing is numbered."""
    options = question.options
    if reply.choices or not question.marks or not all(is_yes(o) or is_no(o) for o in options):
        return None
    place = next((at for at, option in enumerate(options) if is_yes(option) is more), None)
    if place is None:
        return None
    reason = "wants something else" if more else "wants nothing more"
    return Chooser(state, question, reply).take(place, reason, marked=True)


def _has_said_services(state: DialogueState) -> bool:
    """Whether every service that the user came for was brought up."""
    services = (goal for goal in state.memory.open_goals() if not goal.asks)
    return all(state.memory.mentioned(goal) for goal in services)


def _answer_helped(state: DialogueState, reply: AppReply) -> Answer:
    """Say whether the reply helped, and go on."""
    active = state.memory.active
    helped = active is None or active.key in state.memory.met
    pressed = state.press(reply, is_yes if helped else is_no)
    text = f"{stop(state.say('yes' if helped else 'no'))} {state.next_words() or ''}".strip()
    return pressed or Answer(text, "says whether it helped")


# --- Offers, and questions about the user


def _answer_yes_or_no(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer:
    """Take an offer up or decline it; say yes or no to a question about the user."""
    words = question.words
    if repeats_user(state, words):
        return state.agree(reply, "is what it said")
    for slot in state.slots:
        if any(mentions(words, value) for value in slot.values):
            return state.agree(reply, "is what it wants", offered=question.kind == "offer")
        if any(mentions(words, value) for value in slot.domain):
            own = f"{stop(state.say('no'))} {state.join(slot.values)}"
            return state.press(reply, is_no) or Answer(own, "wants another value")
    if is_unwanted(state, words):
        return state.decline(reply, "declines")
    return _answer_by_goals(state, question, reply)


def _answer_by_goals(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer:
    """Answer a question that names no value: yes if it is about something that the user wants."""
    words, offered = question.words, question.kind == "offer"
    goal = state.goal_about(words) or state.goal_offered(reply)
    if goal is not None and not state.memory.mentioned(goal):
        text = f"{stop(state.say('yes_please'))} {state.phrase(goal)}"
        return state.press(reply, is_yes) or Answer(text, "takes the offer up")
    # "Would you like any other toppings?" is declined, though toppings are wanted.
    besides = names_besides(state, words)
    further = has_cue(words, "further") if besides is None else not besides
    if goal is not None and not further and _is_wanted_still(state, goal):
        return state.press(reply, is_yes) or _agreement(state, words, offered=offered)
    if not offered:
        return _answer_about_user(state, words, reply)
    more = None if further or state.is_collecting() else state.next_goal()
    if more is None:
        return state.decline(reply, "declines")
    text = f"{stop(state.say('no'))} {more}"
    return state.press(reply, is_no) or Answer(text, "wants something else")


def _agreement(state: DialogueState, words: str, *, offered: bool) -> Answer:
    """Yes, and of what is offered the values that the question is about."""
    asked = asked_slots(words, state.slots) if offered else []
    value = f" {values_in_words(state, asked)}" if asked else ""
    return Answer(f"{stop(state.say('yes_please'))}{value}", "agrees")


def _is_wanted_still(state: DialogueState, goal: UserGoal) -> bool:
    """Whether a goal is not met, or is a service that is not done yet."""
    return goal.key not in state.memory.met or (not goal.asks and state.memory.being_served())


def _answer_about_user(state: DialogueState, words: str, reply: AppReply) -> Answer:
    """Yes to what the profile says of the user, else no: "Are you vegan?"."""
    if _is_true_of_user(state, words):
        return state.agree(reply, "is true of the user")
    if not reply.choices and not (state.is_collecting() or state.awaits_answer()):
        return state.idly("no", "declines")
    return state.decline(reply, "declines", offered=False)


def _is_true_of_user(state: DialogueState, words: str) -> bool:
    """Whether the context says of the user what a question asks: "you are vegan"."""
    asked = concepts(words)
    return any(
        asked and overlap(asked, concepts(sentence)) >= 0.99
        for sentence in state.task.context
        if not has_cue(folded(sentence), "deny")
    )
