"""Names that say the opposite of what a sentence wants."""

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.words import FREE, plain, split_words, stem

# "Do not send" contradicts "send"; a "not" in the middle of a paragraph says nothing of its link.
_LONGEST_NAME = 8
_LEAVING = frozenset(map(stem, ["out", "off", "logout", "logoff", "signout", "leave", "quit"]))


def contradicts(said: str, element: Element) -> str:
    """Return the word of an element's name that is the opposite of a word said, or "".

    "Show the sidebar" does not mean 'Hide sidebar'.
    """
    asked = frozenset(stem(word) for word in split_words(said))
    name = element.name or element.text or element.value or element.title
    if plain(name) in FREE.log_out and not asked & _LEAVING:
        return plain(name)  # "Sign Ida up" never signs out
    shown = {stem(word): word for word in split_words(name)[:_LONGEST_NAME]}
    for pair in FREE.opposites:
        for one, other in (pair, pair[::-1]):
            clash = shown.keys() & other
            if asked & one and clash and not (asked & other or shown.keys() & one):
                return shown[min(clash)]
    return ""
