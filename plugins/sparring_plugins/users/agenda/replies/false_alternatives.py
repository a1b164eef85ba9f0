"""An "or" that offers no choice: "your member or customer number", "any pets or plants?".

Many questions for one datum have an "or" in them, since their author did not know what it is
called. To take their halves for options makes a user answer "customer number".
"""

from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.words.knowledge import knowledge


class AlternativeWords(BaseModel):
    """The word lists of false alternatives: see the comments of `false_alternatives.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: frozenset[str]
    label_endings: tuple[str, ...]
    parts_of_places: frozenset[str]
    any_of_kind: frozenset[str]
    polite: frozenset[str]
    pronouns: frozenset[str]
    choosing: frozenset[str]
    polar: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> AlternativeWords:
    data = bundled_yaml("sparring_plugins.users.agenda.replies", "false_alternatives.yaml")
    return AlternativeWords.model_validate(data)


def true_options(sentence: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options that a question offers, without what only looks like some.

    Args:
        sentence: The question.
        options: The parts of it that stand beside an "or" or a comma.

    Returns:
        The options; none if the question asks for one datum or for one of any kind.
    """
    labels = [folded(option) for option in options]
    kept = [
        option
        for option, label in zip(options, labels, strict=True)
        if label not in _words().polite
    ]
    if len(kept) < 2 or _labels_datum(sentence, [folded(option) for option in kept]):
        return ()
    if _are_examples(sentence, kept[0]) or _splits_pronouns(sentence, kept):
        return ()
    return () if _asks_for_any(sentence, kept) else tuple(kept)


def _labels_datum(sentence: str, labels: Sequence[str]) -> bool:
    """Whether the options are what one datum is called: "member" and "customer number"."""
    lists = _words()
    if all(label in lists.parts_of_places for label in labels):
        return True  # "Where to? (town, country)"
    last = labels[-1].split()[-1:]
    is_label = bool(last) and (
        last[0] in lists.labels
        or any(last[0].endswith(end) and last[0] != end for end in lists.label_endings)
    )
    short = all(len(label.split()) <= _SHORT for label in labels[1:])  # the first has the verb
    return is_label and short and lists.choosing.isdisjoint(folded(sentence).split())


_SHORT = 4


def _are_examples(sentence: str, first: str) -> bool:
    """Whether the options are only examples: "(e.g. Norbank, Estbank)"."""
    before = folded(sentence.partition(first)[0])[-_NEAR:]
    examples = [folded(word) for word in knowledge().examples]
    return any(folded(first).startswith(f"{word} ") or before.endswith(word) for word in examples)


_NEAR = 20


def _splits_pronouns(sentence: str, options: Sequence[str]) -> bool:
    """Whether the "or" stands between two pronouns: "his or her signature"."""
    words = folded(sentence).split()
    pronouns = _words().pronouns
    joined = any(
        words[at - 1] in pronouns and words[at + 1] in pronouns
        for at, word in enumerate(words[1:-1], 1)
        if word in _OR
    )
    return joined and any(folded(option).split()[0] in pronouns for option in options)


_OR = frozenset({"or", "oder", "o", "ou", "u"})


def _asks_for_any(sentence: str, options: Sequence[str]) -> bool:
    """Whether a yes-or-no question asks for one of any kind: "Do you have any pets or plants?"."""
    words = folded(sentence)
    leads = tuple(f"{lead} " for lead in _words().polar)
    polar = starts_with_cue(words, "polar") or words.startswith(leads)
    at = words.find(folded(options[0]))
    before = words[: at if at >= 0 else 0].split()[-2:] or folded(options[0]).split()
    inside = folded(options[0]).split()[:-1]
    return polar and not _words().any_of_kind.isdisjoint((*before, *inside))
