"""Options among which the user's own day or time of day is not."""

from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.app_reply import AppQuestion
from sparring_plugins.users.agenda.dialogue_state import DialogueState
from sparring_plugins.users.agenda.formats import days_in
from sparring_plugins.users.agenda.known_values import KnownValue, asked_kinds
from sparring_plugins.users.agenda.value_matching import best_option, clock_times, says_value


def moment_not_offered(state: DialogueState, question: AppQuestion) -> KnownValue | None:
    """Return the day or time of day of a goal that a question asks for and does not offer.

    "When should it start? Today, Tomorrow" has not the 8th of March; None if it has, or if no goal
    names a moment, or if the app has turned the user's own down.
    """
    options = question.options
    kind = _kind_of(question)
    if kind is None or not options or state.memory.refused:
        return None
    own = [value for value in state.values if kind in value.kinds and value.goal]
    if len({folded(value.text) for value in own}) != 1:
        return None
    value, language = own[0], state.task.language
    if any(act == folded(value.text) for act in state.memory.acts):
        return None  # it was given before, and the app offers something else
    return None if any(_says(option, value.text, kind, language) for option in options) else value


def _kind_of(question: AppQuestion) -> str | None:
    """Whether days or times of day are asked for, by the words or by the options."""
    options = question.options
    for kind, find in (("date", date_spans), ("time", find_times)):
        if sum(bool(find(option)) for option in options) >= max(2, len(options) - 1):
            return kind
    asked = asked_kinds(question.words)
    # "When is a good time for you: morning or afternoon?" asks for no day
    finders = {"date": date_spans, "time": find_times}
    return next(
        (k for k, find in finders.items() if asked == frozenset({k}) and any(map(find, options))),
        None,
    )


def _says(option: str, value: str, kind: str, language: str) -> bool:
    if says_value(folded(option), value) or best_option([option], value) is not None:
        return True
    if kind == "date":
        wanted, named = days_in(value, language), days_in(option, language)
        # a weekday alone may be any of these days
        return not wanted or bool(wanted & named)
    return bool(clock_times(value) & {t for s in find_times(option) for t in clock_times(s.text)})


def option_leading_on(options: Sequence[str]) -> int | None:
    """Return the index of the one option that shows more of them: "Other times"; None for none."""
    places = [at for at, option in enumerate(options) if _words() & set(folded(option).split())]
    return places[0] if len(places) == 1 else None


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    data = bundled_yaml("sparring_plugins.users.agenda", "lacking_options.yaml")
    return frozenset(folded(str(word)) for word in data["leading_on"])
