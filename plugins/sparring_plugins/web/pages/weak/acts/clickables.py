"""What a control is, by its name: what it makes, does, closes, or whether it has a name at all."""

from collections.abc import Sequence

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.words import FREE, split_words, word_similarity
from sparring_plugins.web.pages.controls import takes_clicks, takes_text
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.page.naming import proper_words


def any_named(words: Sequence[str], text: str) -> bool:
    """Return whether a text has one of the words, or one that means the same."""
    shown = split_words(text)
    return any(word_similarity(word, other) > 0.7 for word in words for other in shown)


def makes_new(element: Element, said: str) -> bool:
    """Return whether it makes something that a sentence does not ask for: 'New job' for a job."""
    first = next(iter(split_words(element.name or element.text)), "")
    return first in ("new", "add", "create") and first not in split_words(said)


def has_a_name(element: Element) -> bool:
    """Return whether anything says what it is."""
    return any((element.name, element.text, element.title, element.alternative, element.value))


def shows_sign(element: Element) -> bool:
    """Return whether all it shows is a sign that opens a menu."""
    return (element.text or element.name).strip() in FREE.unfolders


def only_takes_clicks(element: Element) -> bool:
    """Return whether it is clicked on, and takes no value."""
    is_control = takes_clicks(element) and not takes_text(element) and not element.options
    return is_control and not _is_prose(element)


def _is_prose(element: Element) -> bool:
    """Return whether it is a sentence, as a label: "Pressing 'Print' makes two copies"."""
    is_text = element.role in ("generic", "text", "label") and not element.row
    return is_text and len(split_words(element.name or element.text)) > _LONGEST_NAME


_LONGEST_NAME = 10


def calls_off(element: Element) -> bool:
    """Return whether a button of a dialog calls off what is asked; one without a name does, too."""
    words = split_words(element.name or element.value or element.text or element.title)
    names = ("cancel", "close", "no", "back", "keep", "not", "never", "cross")
    return not words or any(word_similarity(word, name) >= 0.75 for word in words for name in names)


def has_verb(element: Element, verb: str) -> bool:
    """Return whether a control is called by a verb, or by one that means the same."""
    texts = (element.name, element.value or "", element.title, element.attributes.get("class", ""),
             element.attributes.get("data-testid", ""))  # fmt: skip
    return any(
        word_similarity(verb, word) >= 0.75
        for text in texts
        for word in split_words(text.replace("-", " "))[:8]
    ) and not takes_text(element)


def is_root(url: str) -> bool:
    """Return whether an address is that of the start page."""
    path = url.split("://", 1)[-1].partition("/")[2]
    return path in ("", "index.html")


def closer_of(words: str, closers: Sequence[Element], layout: Layout) -> Element | None:
    """Return the only closing button beside the heading that a sentence names.

    "Close the Heron panel" presses no 'Close' of another part, or of a tab.
    """
    said = f" {plain(words)} "
    heads = [
        e for e in layout.snapshot.elements
        if e.role == "heading" and e.visible and f" {plain(e.name or e.text)} " in said
        and plain(e.name or e.text)
    ]  # fmt: skip
    if len(closers) < 2 or len(heads) != 1:
        return None
    for holder in list(layout.above(heads[0]))[:_MOST_HOLDERS]:
        if inside := [e for e in closers if layout.holds(holder, e)]:
            return inside[0] if len(inside) == 1 else None
    return None


_MOST_HOLDERS = 3


def closes_another(button: Element, words: str, layout: Layout) -> bool:
    """Return whether a sentence closes something else than what has a button to close it.

    "Close the account" presses no 'Dismiss' of a banner; "Close the dialog" names none.
    """
    named = [w for w in proper_words(words) if w not in FREE.dialogs | FREE.messages]
    holders = [*layout.above(button)]
    around = " ".join(f"{e.name} {e.text} {e.title}" for e in (button, *holders[:6]))
    return bool(named) and not any_named(named, around)
