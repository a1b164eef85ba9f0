"""How well the entries of a menu lead to a goal, by scores and not by one shared word.

"Send a parcel" shares its noun with everything that people want of a parcel service. An entry
counts by what sets it apart from the others, by what it does (begin, change, cancel, report), by
whether it does anything at all, and by the context and the role.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_durations, find_times
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.held_things import fit_by_holding
from sparring_plugins.users.agenda.choosing.option_wishes import (
    intents_of,
    is_for_another,
    new_one,
)
from sparring_plugins.users.agenda.profile.distinctive_names import (
    distinctive_weights,
    share_of_weight,
)
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import with_same_root
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.value_matching import (
    similarity,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import word_lists

FITS_MENU = 0.6
"""Least fit of an entry: the wrong one leads away, so that more is asked of it."""

APART = 0.1
"""Least distance of an entry to the next one."""

CLEAR = 0.3
"""Least score of an entry that is chosen, and a third of it the least distance to the next one."""

# An entry may share the purpose of a goal (begin, change, cancel, report) and none of its words.
_SAME_PURPOSE = 0.3
# To book and to order share a purpose: alone it says nothing of what is booked.
_BARE_PURPOSE = 0.4
# For "ask for the prices" an entry that informs ("Prices and hours") is better than one that does.
_TELLING = 0.35
# For a question "Book a table" is worse than any entry that only informs: it opens a form.
_DOING = 0.5
# Words of the context help between equals, less than words of the goal itself.
_BACKGROUND = 0.4
# "the screen is cracked" is an event of the kind that "Report damage" is for.
_EVENT = 0.6
_MORE_EVENTS = 0.1


def rank_entries(
    entries: Sequence[str], goal: str, background: Sequence[str] = (), *, asks: bool = False
) -> list[float]:
    """Return a score from about -0.5 to 1.5 for each entry of a menu.

    Args:
        entries: The labels.
        goal: What the user wants, in words.
        background: The context and the role.
        asks: Whether the goal wants an answer, which no form gives.
    """
    named = [names_in(entry) | concepts(entry) for entry in entries]
    wanted, known_names = names_in(goal) | concepts(goal), names_in("\n".join(background))
    events = events_in("\n".join((goal, *background)))
    scores: list[float] = []
    for entry, weights in zip(entries, distinctive_weights(named), strict=True):
        fit = share_of_weight(weights, [n for n in weights if shared_roots({n}, wanted)])
        around = share_of_weight(weights, [n for n in weights if shared_roots({n}, known_names)])
        score = fit + _BACKGROUND * around * (not asks)
        score += _EVENT * bool(events & events_in(entry))
        purpose = _purpose(entry, goal, asks=asks)
        if purpose > 0 and not fit and (asks or not around) and not _is_bare_deed(entry):
            purpose *= _BARE_PURPOSE  # "Book a visit" has nothing of "order the medicine"
        scores.append(score + purpose + fit_by_holding(entry, goal, background, asks=asks))
    return scores


def best_entry(
    entries: Sequence[str], goal: str, background: Sequence[str] = (), *, asks: bool = False
) -> int | None:
    """Return the index of the entry that clearly leads to a goal; None if none does."""
    scores = rank_entries(entries, goal, background, asks=asks)
    ranked = sorted(scores, reverse=True)
    if not ranked or ranked[0] < CLEAR:
        return None
    if len(ranked) > 1 and ranked[0] - ranked[1] < CLEAR / 3:
        return None
    return scores.index(ranked[0])


def tells(entry: str) -> bool:
    """Return whether an entry only informs: "Opening hours", "Prices"."""
    return any(contains(folded(entry), word) for word in menu_words("telling"))


def takes_questions(entry: str) -> bool:
    """Return whether questions are asked under an entry: "Ask a question"."""
    return any(contains(folded(entry), word) for word in menu_words("asking"))


def _purpose(entry: str, goal: str, *, asks: bool) -> float:
    """What an entry gains or loses by what it does."""
    if asks:
        if tells(entry):
            return _TELLING
        return -_DOING if intents_of(entry) else 0.0
    if is_for_another(entry, goal):
        return -_DOING
    if tells(entry):
        return -_TELLING  # "settle the invoice" is not done under "Office hours"
    return _SAME_PURPOSE if intents_of(entry) & intents_of(goal) else 0.0


@lru_cache(maxsize=512)
def _is_bare_deed(entry: str) -> bool:
    """Whether an entry names a deed and nothing that it is done to: "Reschedule", "Cancel it"."""
    words = folded(entry).split()
    return (
        0 < len(words) <= _BARE
        and intents_of(words[0]) == intents_of(entry) != frozenset()
        and (len(words) == 1 or words[1] in menu_words("pronouns"))
    )


_BARE = 2


@lru_cache(maxsize=512)
def events_in(text: str) -> frozenset[int]:
    """The numbers of the events that a text names, whatever their words."""
    words = folded(text)
    return frozenset(at for at, row in enumerate(_events()) if any(contains(words, w) for w in row))


@lru_cache(maxsize=1)
def _events() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(folded(str(word)) for word in row) for row in _lists()["events"])


@lru_cache(maxsize=16)
def menu_words(name: str) -> tuple[str, ...]:
    """Return a list of `menu_ranking.yaml`, folded."""
    return tuple(folded(str(word)) for word in _lists()[name])


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    return dict(bundled_yaml("sparring_plugins.users.agenda.choosing", "menu_ranking.yaml"))


def distinct_option(options: Sequence[str], words: str) -> int | None:
    """The index of the option that a goal's words mean by what sets it apart, or None.

    What options share counts less: of "Book a room" and "Book a taxi", "book a table" means none.
    """
    begun = new_one(options, words)
    if begun is not None:
        return begun
    subject = _without_times(words)
    meant = concepts(subject)
    if _wishes_thing(words):
        meant |= concepts("order")  # "I'd like a pizza" wants to order one
    named = [concepts(option) for option in options]
    weights = distinctive_weights(named)
    scores: list[tuple[float, int]] = []
    for index, option in enumerate(named):
        fit = share_of_weight(weights[index], option & meant)
        if _may_be_meant(options[index], words, named=bool(option & meant)):
            fit = max(fit, similarity(options[index], subject) - 0.2)
            scores.append((fit + 0.3 * overlap(meant, option), -index))
    scores.sort(reverse=True)
    if not scores or scores[0][0] < FITS_MENU:
        return None
    if len(scores) > 1 and scores[0][0] - scores[1][0] < APART:
        return None
    return -scores[0][1]


def _may_be_meant(option: str, words: str, *, named: bool) -> bool:
    """Whether an option is neither for something else than a goal nor mere refusal."""
    return not is_for_another(option, words) and (named or not is_no(option))


def _wishes_thing(words: str) -> bool:
    """Whether a goal begins as one that wants a thing, and so an order: "I'd like a pizza"."""
    lists = word_lists()
    text = f"{folded(words)} "
    leads = (f"{folded(lead)} " for lead in lists.wishes)
    lead = next((lead for lead in leads if text.startswith(lead)), None)
    article = text[len(lead) :].split()[:1] if lead else []
    return bool(article) and (article[0] in lists.wished or article[0].isdigit())


def _without_times(words: str) -> str:
    """A goal's words without dates, times and lengths of time.

    "A room from 11 am for 2 hours" does not mean "Opening hours". Other counted things stay,
    because they are what the user wants: "have 2 towels brought".
    """
    for find in (date_spans, find_times, find_durations):
        for span in reversed(find(words)):
            words = f"{words[: span.start]} {words[span.end :]}"
    return words


def option_fit(option: str, words: str) -> float:
    """How well an option's label fits the words of a goal, from 0 to 1."""
    if is_for_another(option, words):
        return 0.0
    named, generic = concepts(option), word_lists().generic_concepts
    shared = named & concepts(words)
    # to book and to order are one concept, and say nothing of what is booked or ordered
    fit = 0.0 if named - generic and shared <= generic else overlap(named, concepts(words))
    return max(fit, similarity(option, words) - 0.2)


def clear_entry(
    state: DialogueState, options: Sequence[str], is_ruled_out: Callable[[str], bool]
) -> int | None:
    """Return the entry that clearly leads to an open goal, the next one first, or None."""
    goals = state.memory.open_goals() or ([] if state.form is None else list(state.goals))
    fresh = [goal for goal in goals if not state.memory.mentioned(goal)]
    for goal in (*fresh, *goals):
        place = best_entry(options, goal.described, state.background, asks=goal.asks)
        # "Back" is not for "how much I get back"
        leads_on = place is not None and folded(options[place]) not in knowledge().going_back
        if place is not None and leads_on and not is_ruled_out(options[place]):
            return place
    return None


# --- Menus of numbers

FITS_TOPIC = 0.55
"""Least fit of a topic of which the user is told what it asked."""


def topic_fit(label: str, question: str) -> float:
    """Return how well a topic fits a question: what both share, of either of them."""
    asked = names_in(question) - _of_questions()
    named = names_in(label) - _of_questions()
    shared = with_same_root(named, asked)
    events = len(events_in(label) & events_in(question))
    if not shared:
        return _EVENT + _MORE_EVENTS * (events - 1) if events else 0.0
    of_topic = len(shared) / len(named)
    of_goal = len(with_same_root(asked, named)) / len(asked)
    return max((of_topic + of_goal) / 2, overlap(named, asked) / 2)


@lru_cache(maxsize=1)
def _of_questions() -> frozenset[str]:
    """Names that questions and topics share whatever they are about."""
    return frozenset(name for word in menu_words("of_questions") for name in names_in(word))


def menu_screen(reply: AppReply) -> tuple[str, ...]:
    """Return the folded entries of a menu of numbers; none if a reply has no such menu."""
    listed = next((question.options for question in reply.questions if question.numbered), ())
    return tuple(map(folded, listed))


def entry_taken(reply: AppReply, act: str) -> str | None:
    """Return the entry of a menu that an act chooses, by its number or name; None for none."""
    question = next((q for q in reply.questions if q.numbered), None)
    if question is None or not act:
        return None
    if act in question.marks:
        return folded(question.options[question.marks.index(act)])
    return act if act in menu_screen(reply) else None


def takes_any_question(label: str) -> bool:
    """Return whether the topics of questions stand under an entry: "Questions and answers"."""
    return names_any(label, "any_question")


def leads_to_page(label: str) -> bool:
    """Return whether an entry leads to another page of a list: "More topics"."""
    return names_any(label, "pages")


def names_any(label: str, words: str) -> bool:
    """Return whether a folded text has a word of a list of `menu_ranking.yaml`."""
    return any(contains(label, word) for word in menu_words(words))
