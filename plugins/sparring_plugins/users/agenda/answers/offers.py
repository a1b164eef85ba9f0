"""What the profile says to what the app offers or proposes besides."""

from collections.abc import Sequence

from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, has_cue, starts_with_cue
from sparring_plugins.users.agenda.answers.remarks import remark_of_goals
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.stated_answers import knows_whether
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import (
    denies,
    own_question,
    stance,
)
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply, is_no, is_yes
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.replies.read_backs import reads_back
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import FITS, best_values
from sparring_plugins.users.agenda.state.open_form import OpenForm, leads_out
from sparring_plugins.users.agenda.state.value_matching import (
    says_value,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge, says, starts_with_any

_WAY_WORDS = 3
"""Words of an option that says what is to be done: "Please send someone"."""


def is_of_goal(state: DialogueState, question: AppQuestion) -> bool:
    """Whether a question names what the user came for: "Shall I book the room?"."""
    active = state.memory.active
    return active is not None and bool(active.concepts & concepts(question.text))


def is_extra(form: OpenForm) -> bool:
    """Whether a button that declines with thanks shows that something is offered besides."""
    return any(says(folded(choice.label), "no_thanks") for choice in form.reply.choices)


def sells_extra(state: DialogueState, form: OpenForm) -> bool:
    """Whether a question offers something at a price that the profile never speaks of.

    "Can I tempt you with a dessert for £4?" and "Our guests love the lobster at £58. Shall we keep
    one?" do; what reads back the user's own order does not.
    """
    question = form.question
    # the price often stands before the question: "Towels are £2. Would you like one?"
    before = [text for text in form.reply.statements if find_money(text)]
    proposes = says(question.words, "proposals") or has_cue(question.words, "wanting")
    priced = find_money(question.text) or (before[-1:] and proposes)
    # "The total is £80. Shall I book it?" is the order itself
    if not priced or _states_whole(form.reply) or _goes_ahead(form):
        return False
    texts = (*(goal.words for goal in state.goals), *state.task.context)
    # "no towel" names towels and wants none
    wanted = names_in("\n".join(text for text in texts if not _declines_all(text)))
    if _names_own_value(state, form):
        return False
    if says(folded(form.reply.text), "additions") and find_money(form.reply.text):
        fresh = _fresh_names(state, form) | names_in(" ".join(question.options))
        fresh |= names_in(own_question(question.text))  # "Do you need a trailer? It is £15 more."
        return not shared_roots(fresh - _MONEY, wanted)
    return _is_unwanted_thing(form, before, wanted)


def _states_whole(reply: AppReply) -> bool:
    """Whether a price is that of the whole order: "To sum up: ... It is £39. Shall I book it?"."""
    return says(folded(reply.text), "totals") or any(map(reads_back, reply.statements))


def _goes_ahead(form: OpenForm) -> bool:
    """Whether a question goes on with what the user came for, at the price that the app names.

    "The call-out is £65. Do you want to go ahead?" sells nothing besides.
    """
    return says(form.question.words, "going_ahead") and not says(form.question.words, "additions")


def _is_unwanted_thing(form: OpenForm, before: Sequence[str], wanted: frozenset[str]) -> bool:
    """Whether what a question or the price before it is about is nothing that is wanted."""
    question = form.question
    asks_wish = not find_money(question.text) and not says(question.words, "proposals")
    if asks_wish and names_in("\n".join(form.reply.statements)) & wanted - _MONEY:
        return False  # "There is a dinner. It costs £30. Would you like a seat?"
    # "Would you like one?" is about what the sentence before it names
    pointing = bool({"it", "that", "this", "them", "one"} & set(question.words.split()))
    thing = before[-1] if pointing and before else own_question(question.text)
    offered = names_in(thing) - _MONEY
    # "Would you like to insure it for £2?" offers what "you want insurance" asks for
    return bool(offered) and not shared_roots(offered, wanted)


def _names_own_value(state: DialogueState, form: OpenForm) -> bool:
    """Whether a reply has a value of the profile in it, but for bare numbers."""
    words = folded(form.reply.text)
    own = (value.text for value in state.values if not value.text.isdigit())
    return any(says_value(words, text) for text in own)


_MONEY = frozenset({"~price", "pound", "euro", "dollar", "value"})


def _declines_all(text: str) -> bool:
    return bool(knowledge().denials & set(folded(text).split()))


def names_besides(state: DialogueState, words: str) -> bool | None:
    """Whether the profile names the thing that is offered besides; None if nothing is.

    "Would you also like to book the way back?" is what a user with "a return ticket, back on
    Sunday" wants, and a user with "a single" does not; that both want to book tells nothing.
    """
    if not says(words, "besides"):
        return None
    goals = [goal.words for goal in state.goals if not goal.asks]
    # "book" is in the goal and in the offer, whatever is booked
    verbs = names_in(" ".join(goal.split()[0] for goal in goals if goal.split()))
    offered = names_in(words) - verbs
    return any(offered & names_in(text) for text in goals)


def wants_thing_before(state: DialogueState, form: OpenForm) -> bool | None:
    """Whether the profile wants what the app has come to in the sentences before an offer.

    "There is a dinner on Thursday. Would you like a seat?" is a yes for whoever registers "with the
    dinner", and a no for somebody with "no workshop, no dinner". Only words count that the app has
    not used before: all that it says at a booking is about the booking.
    """
    if form.question.kind != "offer" or form.reply.choices:
        return None
    fresh = _fresh_names(state, form)
    goals = [goal.words for goal in state.goals if not goal.asks]
    for texts in (goals, state.task.context):
        clauses = [clause for clause in clauses_of(texts) if fresh & names_in(clause)]
        whole = [clause for clause in clauses if not states_condition(clause)]
        # one clause for it and one against it decide nothing
        truths = {not denies(clause, fresh & names_in(clause)) for clause in whole}
        if len(truths) == 1:
            return truths.pop()
    return None


def _fresh_names(state: DialogueState, form: OpenForm) -> frozenset[str]:
    """The names of what the app states with an offer, and has not spoken of before."""
    earlier = names_in("\n".join(reply.text for reply in state.memory.replies[: form.since]))
    fresh = names_in("\n".join(form.reply.statements)) - earlier - _MONEY
    return frozenset(name for name in fresh if len(name) >= _SHORTEST and name[0] not in "~=")


_SHORTEST = 4
"""Least number of letters of a name that shows what an offer is about."""


def names_another(state: DialogueState, form: OpenForm) -> bool:
    """Whether a question names a code, address or number of the user's that is another one.

    "Is it still for the vehicle MV21 ZTE?" is a no for "the new one has the registration YB71 KWN".
    """
    named = [
        (kind, text) for kind, text, _ in values_in(form.question.text) if kind in _IDENTIFYING
    ]
    if len(named) != 1:
        return False
    kind, text = named[0]
    asked = names_in(form.question.text.replace(text, " "))
    own = [value for value in state.values if kind in value.kinds]
    fitting = [value for value in own if asked & (value.names | value.near)]
    same = any(folded(value.text) == folded(text) for value in own)
    # with two codes of the profile it is not clear which one the question means
    return len(fitting) == 1 and not same


_IDENTIFYING = frozenset({"code", "email", "phone", "postcode", "iban"})


def value_if_not(state: DialogueState, form: OpenForm) -> str | None:
    """The datum of the profile that a "no" would have to be followed by, or None.

    "Did you read it today? If not, tell me the day." is answered by the day that the profile says.
    """
    for sentence in sentences(form.reply.text):
        if not starts_with_any(folded(sentence), "if_not"):
            continue
        kinds = asked_kinds(folded(sentence)) or asked_kinds(folded(form.reply.text))
        if not kinds:
            continue
        asked = f"{form.question.text} {sentence}"
        asked = asked if asked_kinds(folded(sentence)) else form.reply.text
        ranked = best_values(asked, state.values, slots=state.slots)
        if ranked and ranked[0][0] >= FITS:
            return ranked[0][1].text
    return None


def text_to_write(state: DialogueState, form: OpenForm) -> str | None:
    """The text of a goal that a question offers to write: "Shall we write something on it?"."""
    writes = knowledge().writing & set(form.question.words.split())
    if form.times or not (writes or "remark" in names_in(form.question.text)):
        return None
    values = (v for v in state.values if "remark" in v.names and "text" in v.kinds)
    # what stands on the cake by now is no answer to "an allergy we should know about"
    fresh = (v.text for v in values if folded(v.text) not in state.memory.acts)
    return next(fresh, None)


def remark_beside_buttons(state: DialogueState, form: OpenForm) -> Answer | None:
    """The remark of a goal, typed beside buttons of which none says yes, or None."""
    choices = form.reply.choices
    if not choices or any(is_yes(choice.label) for choice in choices):
        return None
    text = remark_of_goals(state, form)
    return Answer(text, "says what its goal says", exact=True) if text is not None else None


def denies_all(state: DialogueState, form: OpenForm) -> bool:
    """Whether the profile wants none of the things offered: "neither candles nor sparklers"."""
    options = form.question.options
    texts = (*(goal.words for goal in state.goals if not goal.asks), *state.task.context)
    offered = has_cue(form.question.words, "wanting") and not form.reply.choices
    return offered and all(stance(option, texts) is False for option in options)


def _way_of_handing_over(state: DialogueState, ways: Sequence[str]) -> int | None:
    """The one of two ways, to be brought something or to collect it, that the profile wants."""
    lists = knowledge()
    texts = (*(goal.words for goal in state.goals if not goal.asks), *state.task.context)
    # "nothing needs to be delivered" wants nothing brought
    clauses = [clause for clause in clauses_of(texts) if not _says_no(clause)]
    text = "\n".join(clauses)
    wanted = [words for words in (lists.brought, lists.collected) if _has_any(text, words)]
    if len(wanted) != 1 or len(ways) != len(("brought", "collected")):
        return None
    fitting = [index for index, way in enumerate(ways) if _has_any(way, wanted[0])]
    return fitting[0] if len(fitting) == 1 else None


def _says_no(clause: str) -> bool:
    """Whether a clause says no to having something brought or to collecting it."""
    lists = knowledge()
    words = [w for w in (*lists.brought, *lists.collected) if contains(folded(clause), folded(w))]
    return bool(words) and denies(clause, names_in(" ".join(words)))


def _has_any(text: str, words: Sequence[str]) -> bool:
    return any(contains(folded(text), folded(word)) for word in words)


def way_that_suits(state: DialogueState, ways: Sequence[str]) -> int | None:
    """The one of some ways to go on that the profile speaks for, or speaks not against.

    "it is too far to walk" chooses "Please send someone to me", and not "I can walk to you".
    """
    if not ways or any(is_yes(way) or is_no(way) for way in ways):
        return None
    handed = _way_of_handing_over(state, ways)
    if handed is not None:
        return handed
    # "Cabin" beside "Tent" is a thing, and is chosen by other rules
    are_ways = all(len(way.split()) >= _WAY_WORDS for way in ways)
    texts = (*(goal.words for goal in state.goals if not goal.asks), *state.task.context)
    wanted = [stance(way, texts) for way in ways]
    if wanted.count(True) == 1:
        return wanted.index(True)
    return _only_way_left(ways, wanted) if are_ways else None


def _only_way_left(ways: Sequence[str], wanted: Sequence[bool | None]) -> int | None:
    """The one way that nothing speaks against; "Back to the main menu" is no way to go on."""
    last = wanted.count(False) == len(ways) - 1 and not any(map(leads_out, ways))
    return wanted.index(None) if last and None in wanted else None


def with_subject(form: OpenForm) -> str:
    """Return a question with what it is about, if only the sentence before it says so.

    "A helmet is 3 euros. Would you like one?" asks about the helmet.
    """
    question = form.question
    if names_in(own_question(question.text)) - names_in(" ".join(question.words.split()[:2])):
        return question.text
    before = form.reply.text.partition(question.text)[0]
    sentence = next((text for text in reversed(sentences(before)) if text.strip()), "")
    return f"{own_question(sentence)} {question.text}" if sentence else question.text


_YES_NO_AND_OTHER = 3


def _yes_or_no_among(state: DialogueState, form: OpenForm, chooser: Chooser) -> Answer | None:
    """Yes or no, if the profile says which, beside "Don't know" or "Skip"; None for other options.

    "Has your pet been neutered? Yes, No, Don't know" is answered by "the pet is neutered".
    """
    options = form.question.options
    # "Yes, with breakfast" is more than a yes
    bare = [at for at, option in enumerate(options) if len(option.split()) == 1]
    yes = [at for at in bare if is_yes(options[at])]
    no = [at for at in bare if is_no(options[at])]
    if len(options) < _YES_NO_AND_OTHER or len(yes) != 1 or len(no) != 1:
        return None
    known = knows_whether(state, with_subject(form))
    if known is None:
        return None
    return chooser.take(yes[0] if known else no[0], "is what the profile says")


def decide_on_offer(state: DialogueState, form: OpenForm, chooser: Chooser) -> Answer | None:
    """Take or decline what one button takes and the other declines: "Add it", "No thanks"."""
    options = form.question.options
    answer = _yes_or_no_among(state, form, chooser)
    if answer is not None:
        return answer
    declining = [at for at, option in enumerate(options) if is_no(option)]
    if len(options) != len(("take", "decline")) or len(declining) != 1:
        return None
    # "Which do you prefer? Towel / No thanks" asks for no yes or no
    if not (form.question.text and starts_with_cue(form.question.words, "polar")):
        return None
    if is_extra(form) and sells_extra(state, form):
        return chooser.take(declining[0], "declines what it has no use for")
    known = knows_whether(state, with_subject(form), by_role=False)
    if known is None:
        return None
    place = 1 - declining[0] if known else declining[0]
    return chooser.take(place, "is what the profile says")
