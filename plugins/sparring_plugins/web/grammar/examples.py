"""Examples of every form that the grammar knows, and which of them is nearest to a sentence."""

import re
from dataclasses import dataclass
from functools import cache

from pydantic import ConfigDict, TypeAdapter
from rapidfuzz import fuzz

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.actions.forms import Form, Lines, forms
from sparring_plugins.web.grammar.everyday.sentences import EverydayForm, everyday_forms
from sparring_plugins.web.grammar.free.words import FREE


@dataclass(frozen=True)
class ExampleGroup:
    """A form of assertions or waits: a title, and sentences of the form."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    title: str
    examples: Lines


@cache
def condition_examples() -> tuple[ExampleGroup, ...]:
    """The forms of waits, which come first, and of assertions."""
    groups = bundled_yaml("sparring_plugins.web.grammar", "examples.yaml")
    return TypeAdapter(tuple[ExampleGroup, ...]).validate_python(groups)


def all_examples() -> tuple[str, ...]:
    """The examples of all forms."""
    waits, *assertions = condition_examples()
    groups: tuple[Form | EverydayForm | ExampleGroup, ...]
    groups = (*forms(), *everyday_forms(), *assertions, waits)
    return tuple(example for group in groups for example in group.examples)


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^“”]*”|«[^«»]*»|`[^`]*`")
# Below it the nearest form is no help: "Dance" is near to nothing that can be done.
_ENOUGH = 55.0
_LONGEST = 200
_NEGATIONS = frozenset({"not", "no", "neither", "false"})


def nearest_form(text: str) -> str | None:
    """Return an example of the nearest known form; `None` if none is near."""
    shape = _reduce_to_shape(text[:_LONGEST])
    if not shape:
        return None
    related = [known for known in _examples_by_shape() if _shares_words(shape, known)]
    if not related:
        return None
    best = max(related, key=lambda known: _similarity(shape, known))
    return _examples_by_shape()[best] if _similarity(shape, best) >= _ENOUGH else None


def _shares_words(shape: str, example: str) -> bool:
    """Return whether a form has a third of the words of a sentence behind its verb.

    "Check the box 'I agree'" is no help for "check that the first row is Ada".
    """
    said, known = _words_behind_verb(shape), _words_behind_verb(example)
    shared = sum(any(fuzz.ratio(a, b) >= _SAME_WORD for b in known) for a in said)
    return 3 * shared >= len(said)


def _words_behind_verb(shape: str) -> list[str]:
    words = (word.strip(",.:;") for word in shape.split()[1:])
    return [word for word in words if word.strip("'") and word not in _JOINING]


#: "buton" is 'button'
_SAME_WORD = 80.0
_JOINING = FREE.stop - {"down", "up", "first", "last", "displayed", "visible", "shown", "back"}


def _similarity(shape: str, example: str) -> float:
    """Return the similarity of two sentences, 0 to 100: the verb counts as much as all the rest."""
    verb = fuzz.ratio(shape.split(" ", 1)[0], example.split(" ", 1)[0])
    opposite = ("not" in shape.split()) != bool(_NEGATIONS & set(example.split()))
    return 0.5 * verb + 0.5 * fuzz.token_sort_ratio(shape, example) - (10 if opposite else 0)


@cache
def _examples_by_shape() -> dict[str, str]:
    return {_reduce_to_shape(example): example for example in all_examples()}


def _reduce_to_shape(text: str) -> str:
    words = _QUOTED.sub("''", text).casefold().strip(" .").split()
    return " ".join(word for word in words if word not in ("the", "a", "an", "that"))
