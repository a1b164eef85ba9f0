"""Values of the user's own variables that the app said back, rightly or wrongly."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sparring_plugins.language.stems import name_concepts
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.extraction.exchanges import Exchange
from sparring_plugins.users.extraction.output_form import Sought


def echoed_value(
    sought: Sought,
    exchanges: Sequence[Exchange],
    inputs: Mapping[str, JsonValue],
    domains: Mapping[str, Sequence[JsonValue]],
) -> tuple[str, Exchange] | None:
    """What the app confirmed of the one variable that the output's name or description names.

    Of all values the variable might have had, those that the app said last count, so that a wrong
    confirmation is found as well. A sentence that lists more values than were chosen is a menu.
    """
    name = _variable(sought, inputs)
    if name is None:
        return None
    chosen = as_texts(inputs[name])
    known = list(
        dict.fromkeys([*chosen, *(one for v in domains.get(name, ()) for one in as_texts(v))])
    )
    done = [one for one in exchanges if has_cue(folded(one.said), "done")]
    for exchange in [*reversed(done), *reversed(exchanges)]:
        said = folded(exchange.said)
        heard = [value for value in known if contains(said, folded(value))]
        heard = [v for v in heard if not any(v != w and folded(v) in folded(w) for w in heard)]
        if heard and len(heard) <= max(1, len(chosen)):
            return ", ".join(_as_said(value, exchange.said) for value in heard), exchange
    return None


def chosen_values(sought: Sought, inputs: Mapping[str, JsonValue]) -> list[str]:
    """The user's values of all variables that the output's name or description names."""
    return [
        text
        for name, value in inputs.items()
        if name_concepts(name) & sought.wanted
        for text in as_texts(value)
    ]


def as_texts(value: JsonValue) -> list[str]:
    """A variable's value or values as texts."""
    if isinstance(value, list):
        return [text for item in value for text in as_texts(item)]
    return [] if value is None or isinstance(value, dict) else [str(value)]


def _variable(sought: Sought, inputs: Mapping[str, JsonValue]) -> str | None:
    names = [
        name
        for name in inputs
        if name_concepts(name)
        and name_concepts(name) <= sought.wanted
        and any(char.isalpha() for text in as_texts(inputs[name]) for char in text)
    ]
    own = [name for name in names if name_concepts(name) <= name_concepts(sought.spec.name)]
    found = own or (names if sought.confirmed else [])
    return found[0] if len(found) == 1 else None


def _as_said(value: str, text: str) -> str:
    place = text.lower().find(value.lower())
    return text[place : place + len(value)] if place >= 0 else value
