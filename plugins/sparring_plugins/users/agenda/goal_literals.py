"""What goals say in plain words, where no variable holds it: "an appointment on Friday at ten"."""

from collections.abc import Sequence

from sparring_plugins.language.dates import date_spans, find_times
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.frames import frames
from sparring_plugins.users.agenda.user_goals import Want

_FINDERS = {"date": date_spans, "time": find_times}


def particular(kind: str, goals: Sequence[Want]) -> str | None:
    """The day or time of day that the first service among the goals names; None for none."""
    find = _FINDERS.get(kind)
    found = (one.text for want in goals if not want.asks and find for one in find(want.words))
    return next(found, None)


def moments(want: Want) -> list[str]:
    """The days and times of day that a goal names."""
    return [one.text for find in _FINDERS.values() for one in find(want.words)]


def serves(want: Want) -> bool:
    """Whether a goal wants something done; "I am sad" only tells something."""
    if want.asks or want.frame != "statement" or want.language == "Other":
        return not want.asks
    known = frames(want.language)
    words = f"{folded(want.words)} "
    if known.finite and words.startswith(folded(known.telling.partition("{")[0])):
        return False
    leads = (*known.wishing, *known.polite, *known.orders)
    begins = any(words.startswith(f"{folded(lead)} ") for lead in leads)
    return begins or bool(want.texts or moments(want))


def named_option(options: Sequence[str], goals: Sequence[Want]) -> int | None:
    """The one option that a service among the goals names; None for none or several."""
    words = [folded(want.words) for want in goals if not want.asks]
    whole = [
        index
        for index, option in enumerate(options)
        if len(folded(option).split()) > 1 and any(contains(one, folded(option)) for one in words)
    ]
    if len(whole) == 1:
        return whole[0]
    meant = [concepts(option) for option in options]
    shared = frozenset[str].intersection(*meant) if meant else frozenset[str]()
    told = [want.concepts for want in goals if not want.asks]
    fitting = [
        index
        for index, option in enumerate(meant)
        if option - shared and any(option - shared <= one for one in told)
    ]
    return fitting[0] if len(fitting) == 1 else None
