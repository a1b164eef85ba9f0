"""Several things in one answer, as the app wants them to be listed: "lamp, chair"."""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.replies.answer_formats import format_words, list_separator
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.words.knowledge import knowledge, starts_with_any
from sparring_plugins.users.agenda.words.phrase_book import any_of


def answer_list(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the things of the user's service as a list, if an app asks for these; else None.

    "ITEMS, SEPARATED BY COMMAS?" is answered by "lamp, chair" of "have a lamp and a chair
    repaired", and "Which items?" by "a lamp and a chair".
    """
    if form.times or form.question.options or not _asks_for_items(form):
        return None
    things = next((t for goal in _services(state) if (t := things_in(goal))), ())
    separator = list_separator(form.reply.text)
    if not things or (separator is None and len(things) < _SEVERAL):
        return None
    text = separator.join(map(_bare, things)) if separator is not None else state.join(things)
    return Answer(text, "gives what is asked for", exact=True)


def in_list(text: str, hint: str) -> str:
    """Return a value; one that lists several things as the app wants them to be separated."""
    separator = list_separator(hint)
    parts = _split(text) if separator is not None else []
    return separator.join(map(_bare, parts)) if separator and len(parts) >= _SEVERAL else text


_SEVERAL = 2


def _services(state: DialogueState) -> list[str]:
    """What the user came for, first what the conversation is about."""
    active = state.memory.active
    own = [goal.words for goal in state.goals if not goal.asks]
    first = [active.words] if active is not None and not active.asks else []
    return [*first, *own]


def _asks_for_items(form: OpenForm) -> bool:
    """Whether a question names nothing but things and how they are to be listed."""
    if asked_kinds(form.question.words) or starts_with_any(form.question.words, "where"):
        return False  # "Where will you put the things?"
    words = folded(form.question.text).split()
    rest = names_in(form.question.text) - names_in(" ".join(format_words()))
    items = knowledge().items & set(words)
    return bool(items) and rest <= names_in(" ".join(items))


def things_in(goal: str) -> tuple[str, ...]:
    """Return the things that a goal names: a lamp and a chair of "order a lamp and a chair"."""
    _, colon, rest = goal.partition(": ")
    if not colon:
        match = _first_thing().search(goal)
        rest = match["things"] if match is not None else ""
    return tuple(part for part in _split(rest) if part)


class ListWords(BaseModel):
    """The word lists of lists of things: see the comments of `listed_things.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    leads: tuple[str, ...]
    articles: tuple[str, ...]
    behind: tuple[str, ...]
    joints: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> ListWords:
    data = bundled_yaml("sparring_plugins.users.agenda.answers", "listed_things.yaml")
    return ListWords.model_validate(data)


@lru_cache(maxsize=1)
def _first_thing() -> re.Pattern[str]:
    """From the first article or number on, up to what says when, where, or what is done with it."""
    lists = _words()
    return re.compile(
        rf"\b(?P<things>(?:{any_of(lists.leads)}|\d{{1,3}})\s\w.*?)"
        rf"(?=(?:\s\w+ed)?(?:$|\s{any_of(lists.behind)}\s)|\s\w+en lassen$|[.;])",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _joint() -> re.Pattern[str]:
    joints = any_of(_words().joints)
    return re.compile(rf",\s*(?:{joints}\s)?|\s{joints}\s", re.IGNORECASE)


def _split(text: str) -> list[str]:
    return [part.strip(" .") for part in _joint().split(text.strip())]


def _bare(thing: str) -> str:
    """A thing without its article: "lamp" of "a lamp", but "two lamps"."""
    return _article().sub("", thing)


@lru_cache(maxsize=1)
def _article() -> re.Pattern[str]:
    return re.compile(rf"^{any_of(_words().articles)}\s+", re.IGNORECASE)
