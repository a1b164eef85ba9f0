"""The option that means the user itself: "me" of "Who is it for, you or somebody else?"."""

from collections.abc import Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.phrase_book import word_lists

_NEAR = 3
"""Words after "for" among which the person is named: "for your younger son"."""


def option_for_whom(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the index of the option that says for whom a thing is; None if none means the user.

    Users want things for themselves, unless their profile names somebody else. A guess here gets
    the service done for the wrong person, which nothing that the app says later shows.

    Args:
        options: two options of which one may mean the user.
        texts: goals, context and role.
    """
    own = [index for index, option in enumerate(options) if means_user(option)]
    if len(options) != 2 or len(own) != 1:
        return None
    return 1 - own[0] if any(map(_is_for_others, texts)) else own[0]


def means_user(option: str) -> bool:
    """Whether an option means the user: "you", "Myself", "for me"."""
    return folded(option) in word_lists().self_options


def _is_for_others(text: str) -> bool:
    """Whether a text wants something for a relative or a friend: "it is for your son Ben"."""
    lists, words = word_lists(), folded(text).split()
    return any(
        word in lists.on_behalf and set(words[index + 1 : index + 1 + _NEAR]) & lists.relatives
        for index, word in enumerate(words)
    )
