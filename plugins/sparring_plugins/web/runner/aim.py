"""Where a click lands: on the link in a heading, and not beside it."""

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import in_words, takes_clicks
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged, Navigation
from sparring_plugins.web.step import Step


def aim_at_links(navigation: Navigation, layout: Layout) -> Navigation:
    """Return acts that click on the link in a text instead of on the text around it.

    A heading is as wide as the page, so that a click on its middle misses the short link in it.
    """
    acts = tuple(_aim(act, layout) for act in navigation.acts)
    return navigation if acts == navigation.acts else navigation.model_copy(update={"acts": acts})


def guessed_steps(
    step: Step, navigation: Navigation, layout: Layout, observed: Judged
) -> tuple[Step, ...]:
    """Return the step if it only clicked on what is no control, and nothing changed after it.

    "Open the Oak" on a text 'Oak' that nobody can click: what is not so then is no fault of the
    app.
    """
    if observed.facts:
        return ()
    texts = [_text_clicked(act, layout) for act in navigation.acts]
    misses = [text is not None and not _lies_in_control(text, layout) for text in texts]
    return (step,) if misses and all(misses) else ()


def _aim(act: GuiAction, layout: Layout) -> GuiAction:
    text = _text_clicked(act, layout)
    link = _link_in(text, layout) if text else None
    if link is None:
        return act
    return act.model_copy(update={"target": link.id, "described": in_words(link)})


def _text_clicked(act: GuiAction, layout: Layout) -> Element | None:
    element = layout.by_id.get(act.target or "") if act.action == "click" else None
    return element if element is not None and not takes_clicks(element) else None


def _lies_in_control(text: Element, layout: Layout) -> bool:
    """Return whether a click on a text may reach something around it that takes clicks."""
    return any(holder.interactive or takes_clicks(holder) for holder in layout.above(text))


def _link_in(text: Element, layout: Layout) -> Element | None:
    """Return the link that a text begins with, if it has no other with a text of its own.

    Several with one address are one: a title may be split so that an icon stays with its last word.
    """
    shown = plain(text.text)
    links = [
        e for e in layout.snapshot.elements
        if e.visible and e.role == "link" and plain(e.text) and layout.holds(text, e)
    ]  # fmt: skip
    begins = bool(links) and f"{shown} ".startswith(f"{plain(links[0].text)} ")
    covers = " ".join(plain(e.text) for e in links) == shown
    return links[0] if begins and covers and len({e.url or e.id for e in links}) == 1 else None
