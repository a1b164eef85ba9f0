"""What goals and options of menus are for: to begin something, change it, cancel it or report it.

A menu's "Book a clean" shares its noun with "complain about the last clean", and leads into a form
that nobody wants.
"""

from functools import lru_cache

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml


@lru_cache(maxsize=1)
def _lists() -> dict[str, tuple[str, ...]]:
    data = bundled_yaml("sparring_plugins.users.agenda", "intents.yaml")
    return {intent: tuple(map(folded, words)) for intent, words in data.items()}


@lru_cache(maxsize=2048)
def intents_of(text: str) -> frozenset[str]:
    """Return what a text is for, of ``begin``, ``change``, ``cancel`` and ``report``; often one."""
    words = folded(text)
    return frozenset(
        intent for intent, cues in _lists().items() if any(contains(words, cue) for cue in cues)
    )


def is_for_another(option: str, goal: str) -> bool:
    """Return whether an option is for something else than a goal; not if either says nothing.

    Args:
        option: The label of an option.
        goal: What the user wants, in words.
    """
    offered, wanted = intents_of(option), intents_of(goal)
    return bool(offered) and bool(wanted) and offered.isdisjoint(wanted)
