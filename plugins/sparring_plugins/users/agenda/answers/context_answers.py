"""Answers from the sentences of the context: a place, an absence, a concession, a reason."""

import re
from collections.abc import Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.users.agenda.choosing.second_choices import nearest_named, second_choices
from sparring_plugins.users.agenda.choosing.stated_answers import knows_whether
from sparring_plugins.users.agenda.profile.asked_kinds import accepted_kinds, asked_kinds
from sparring_plugins.users.agenda.profile.conditions import takes_extreme
from sparring_plugins.users.agenda.profile.facts import facts_of, names_in
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.profile.relative_days import day_by_another
from sparring_plugins.users.agenda.profile.roles import BEGIN, roles_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import KnownValue, known_value
from sparring_plugins.users.agenda.state.open_form import OpenForm, skip_word, types_dash
from sparring_plugins.users.agenda.state.user_goals import plans_change
from sparring_plugins.users.agenda.words.goal_verbs import changes_something
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import filled


def stated_spot(state: DialogueState, form: OpenForm) -> str | None:
    """Return the sentence of the context that names a place, if an app asks for one; else None.

    "it is close to the bus stop" answers "Where exactly? A landmark helps.", and "you will leave
    everything by the gate" answers "Where will you put the things?".
    """
    words = form.question.words
    if asked_kinds(words) != frozenset({"place"}) or not says(words, "where"):
        return None
    if says(words, "sent"):
        return None  # "Where shall we send it?"
    # of two places in the context the one on the subject: "the bike" and not "the shed"
    asked = names_in(form.question.text)
    spots = (text for text in state.task.context if _states_spot(state, text))
    best = max(spots, key=lambda text: len(names_in(text) & asked), default="")
    return state.own_words(best) if best else None


def _states_spot(state: DialogueState, text: str) -> bool:
    """Whether a sentence names a place that is not the user's home, and was not said yet."""
    words = folded(text)
    said = folded(state.own_words(text)) in state.memory.acts
    return says(words, "spots") and not says(words, "lives") and not said


def skip_denied(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """Return the word that skips a question which the profile says has no answer, or None.

    "The chip number? You can skip this." is skipped for "you have no chip number at hand".
    """
    skip = skip_word(form)
    if skip is None or says(folded(question), "anything"):
        return None
    if knows_whether(state, form.question.text, by_role=False) is not False:
        return None
    pressed = state.press(form.reply, lambda label: folded(label) == folded(skip))
    return pressed or Answer(skip, "skips what is optional", exact=True)


def says_none(text: str, question: str) -> bool:
    """Return whether a remark only denies what an optional question names.

    "I am a private customer without a reference" is no reference; "no nuts, please" is a remark.
    """
    named = names_in(question) & names_in(text)
    return bool(named) and not says(folded(question), "anything") and denies(text, named)


def changed_first(
    state: DialogueState, ranked: list[tuple[float, KnownValue]]
) -> list[tuple[float, KnownValue]]:
    """Return the values that may be asked for, the new one first during a change.

    "On which day?" after "Change" at a read-back asks for the day that the goal changes to.
    """
    active = state.memory.active
    if active is None or not plans_change(active) or active.key in state.memory.met:
        return ranked
    new = [(score, value) for score, value in ranked if value.goal == active.key]
    best = ranked[0][0] if ranked else 0.0
    return [*((best, value) for _, value in new), *(r for r in ranked if r not in new)]


def new_first(
    state: DialogueState, question: str, ranked: list[tuple[float, KnownValue]]
) -> list[tuple[float, KnownValue]]:
    """Return the values that may be meant, the moment last that a goal changes from.

    "What should be the new date?" asks for the second of "move it from 2 March to 9 March".
    """
    active = state.memory.active
    if active is None or not changes_something(active.words) or BEGIN in roles_in(question):
        return ranked
    return sorted(
        ranked,
        key=lambda pair: (
            pair[1].goal == active.key and BEGIN in pair[1].roles and bool(pair[1].kinds & _MOMENTS)
        ),
    )


_MOMENTS = frozenset({"date", "time"})


def heading_of(reply: AppReply) -> str:
    """Return the line above a list: "There are four workshops:"; empty if there is none."""
    lines = (line.strip() for line in reply.text.split("\n"))
    return next((line.rstrip(":") for line in lines if line.endswith(":")), "")


def dash_asked_for(state: DialogueState) -> str | None:
    """Return a dash, if the app has ever accepted one for an empty answer; else None."""
    return "-" if any(types_dash(reply.text) for reply in state.memory.replies) else None


def conceded(state: DialogueState, question: str, form: OpenForm) -> str | None:
    """Return what the profile accepts in place of what the app turned down, or None.

    "if the practice is closed then, Saturday at 11:15 is fine" answers "We are closed on Sundays.
    Which day would work instead?"; "you accept the lowest amount" accepts the one in the reply.
    """
    if not _is_turned_down(state, question, form):
        return None
    # a goal with a condition is a wish for this case: "if it is full, take Saturday"
    own = [goal.words for goal in state.goals if goal.condition and not goal.asks]
    texts = [*own, *second_choices(state)]
    other_day = _day_instead(state, question, texts)
    if other_day is not None:
        language = state.task.language
        return put_as_asked(other_day, frozenset({"date"}), form.hint, form.times, language)
    values = [known_value(fact) for fact in facts_of(texts)]
    kinds = asked_kinds(folded(question))
    wanted = [value.text for value in values if value.kinds & accepted_kinds(kinds)]
    # the second choice was turned down as well once it was said
    fresh = [text for text in wanted if folded(text) not in state.memory.acts]
    if fresh:
        return put_as_asked(fresh[0], frozenset(kinds), form.hint, form.times, state.task.language)
    return _extreme_named(state, form, kinds, texts)


def _extreme_named(
    state: DialogueState, form: OpenForm, kinds: frozenset[str], wishes: Sequence[str]
) -> str | None:
    """The nearest value that the app accepts, if a wish takes that; else None."""
    extreme = next((wish for wish in wishes if takes_extreme(wish)), None)
    if extreme is None:
        return None
    accepted = accepted_kinds(kinds)
    # "Until when?" may want a day or a time; "19:00" was turned down, so that a time is meant
    given = frozenset(kind for kind, _, _ in values_in(" ".join(state.memory.acts[-1:])))
    return nearest_named(
        state, state.memory.last or form.reply, accepted & given or accepted, extreme
    )


def _is_turned_down(state: DialogueState, question: str, form: OpenForm) -> bool:
    """Whether an app turns something down, or asks again for a kind of value that it just got."""
    last_reply = state.memory.last
    if form.reply.turns_down or (last_reply is not None and last_reply.turns_down):
        return True
    kinds = accepted_kinds(asked_kinds(folded(question))) - {"text"}
    last = state.memory.acts[-1] if state.memory.acts else ""
    # "4 May" was an answer to "Which day?"; "I want a cabin on 4 May, please" was none yet
    given = any(kind in kinds for kind, text, _ in values_in(last) if len(text) * 2 >= len(last))
    return bool(last) and (form.times > 0 or given)


def _day_instead(state: DialogueState, question: str, wishes: Sequence[str]) -> str | None:
    """The day that a wish names by the one that was turned down: "the day before would do"."""
    if not {"date", "time"} & asked_kinds(folded(question)):
        return None
    # the day after is counted from the day of a goal, not from one that the context mentions
    days = [value.text for value in state.values if "date" in value.kinds and not value.rank]
    last = state.memory.last.text if state.memory.last is not None else ""
    for wish in wishes:
        for day in days:
            other = day_by_another(wish, day, last, state.task.language)
            if other is not None:
                return other
    return None


def reason_in_profile(state: DialogueState) -> str | None:
    """Return the reason in a goal or the context: "return the lamp because it is broken"."""
    starts = "|".join(re.escape(start) for start in knowledge().reasons)
    for text in (*(goal.words for goal in state.goals), *state.task.context):
        # "because" alone is no reason; three letters after it may be one: "because of me"
        given = re.search(rf"\b(?:{starts})\b.{{3,}}", text, re.IGNORECASE)
        if given is not None:
            reason = in_own_person(state, given[0].rstrip(" ."))
            return f"{reason[:1].upper()}{reason[1:]}."
    return None


def whether_name_is(state: DialogueState, question: str) -> Answer | None:
    """Return yes or no to "Is your surname Miller?"; None if the question has no name in it."""
    words = folded(question)
    if not starts_with_cue(words, "polar") or not set(asked_kinds(words)) & _NAME_KINDS:
        return None
    # the first word of a question has a capital, too, and is no name
    named = [folded(word) for word in re.findall(r"(?<=\s)[A-ZÀ-Þ][\w'-]+", question)]
    own = next((value.text for value in state.values if "name" in value.kinds), None)
    if not named or own is None:
        return None
    if set(named) <= set(folded(own).split()):
        return Answer(state.say("yes"), "is its name")
    return Answer(filled(state.phrases.correction[0], own), "corrects its name")


_NAME_KINDS = frozenset({"name", "first_name", "last_name"})


def in_own_person(state: DialogueState, text: str) -> str:
    """Return a text of the profile in the first person: "insuring my wife too"."""
    if not state.phrases.verbs or not _SPOKEN_TO.search(text):
        return text
    own = _YOUR.sub("my", state.own_words(text))
    # a noun phrase such as "insuring your wife" goes on from a yes in small letters
    return own if text[:1].isupper() else own[:1].lower() + own[1:]


_SPOKEN_TO = re.compile(r"\byou(?:r|'re)?\b", re.IGNORECASE)
_YOUR = re.compile(r"\byour\b")


def contact_to_send_to(state: DialogueState, question: str) -> str | None:
    """Return the e-mail address or phone number to which things are to be sent, or None."""
    if asked_kinds(folded(question)) != frozenset({"place"}) or not says(folded(question), "sent"):
        return None
    for kind in ("address", "email", "phone"):
        held = [value.text for value in state.values if kind in value.kinds]
        if held:
            return held[0]
    return None
