"""The way back to a page that the case has seen, where no link in view leads there."""

from urllib.parse import urlsplit

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.deed_parts import Deed
from sparring_plugins.web.grammar.free.words import FREE, split_words, word_similarity
from sparring_plugins.web.pages.weak.page.choosing import WeakPlan
from sparring_plugins.web.roles import PageTask

_EXACT = 0.95
_HALF = 0.5
_BACK = frozenset({"back", "return", "again"})
_SMALL = frozenset(
    {"the", "a", "an", "to", "of", "page", "my", "your", "new", "all", "now", "with"}
)


def return_to(task: PageTask, deed: Deed) -> WeakPlan | None:
    """Return what opens a page of before that is called as a sentence says: "Go back to the lists".

    None unless the sentence says "back" or "return", and has half of its words in the title, the
    headings or the address of a page that was seen.
    """
    goes = bool(deed.verbs) and deed.verbs[0] in FREE.leading
    if not goes or not _BACK & set(deed.words):
        return None
    said = [w for w in deed.words if w not in FREE.leading | _BACK | _SMALL]
    here = task.view.snapshot.url
    best, url = 0.0, ""
    for view in reversed(task.before):
        score = _share(said, view)
        if view.snapshot.url != here and score > best:
            best, url = score, view.snapshot.url
    if best < _HALF or not url.startswith("http"):
        return None
    act = GuiAction(action="open", value=url, described=url)
    return WeakPlan((act,), f"the page {url} was seen before, and is called so (weak reading)")


def _share(said: list[str], view: PageView) -> float:
    """Return the part of the words that a page has in its title, first headings and address."""
    heads = [e.name or e.text for e in view.snapshot.elements if e.role == "heading" and e.visible]
    names = (view.snapshot.title, *heads[:2], urlsplit(view.snapshot.url).path.replace("/", " "))
    shown = [word for text in names for word in split_words(text)]
    held = [w for w in said if any(word_similarity(w, s) >= _EXACT for s in shown)]
    return len(held) / len(said) if said else 0.0
