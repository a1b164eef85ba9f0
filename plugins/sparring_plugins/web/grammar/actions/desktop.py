"""Steps as on any desktop: tabs, windows, dialogs, hovering, dragging, files, searching."""

from sparring_plugins.web.grammar.actions.click import hover_until
from sparring_plugins.web.grammar.phrases.numbers import is_amount, read_cardinal, read_ordinal
from sparring_plugins.web.grammar.phrases.patterns import ClausePlan, PatternMatch, reader, readings
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, has_quotes
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.step import Target


@reader
def switch_tab(match: PatternMatch) -> ClausePlan | None:
    """Read ``Switch to the new tab``."""
    if match.has("name"):
        return _switch_by_title(match)
    if not match.has("which"):
        return (readings("switch_tab", value="-1"),) if match.tokens[-1].low != "tab" else None
    words = [t.low for t in match.part("which")]
    value = _tab_index(words)
    if value is None:
        return None
    switched = readings("switch_tab", value=value)
    if match.tokens[-1].low == "tab" and (place := read_ordinal(match.part("which")[0])):
        return ((*readings("click", (Target(role="tab", ordinal=place),)), *switched),)
    return (switched,)


def _switch_by_title(match: PatternMatch) -> ClausePlan | None:
    """A browser's tab by its title; a mere "tab" lies on the page."""
    part = match.part("name")
    about_window = any(
        t.low in ("window", "browser", "titled", "title") for t in match.tokens if not t.quoted
    )
    if len(part) != 1 or not part[0].quoted or not about_window:
        return None
    return (readings("switch_tab", value=part[0].text),)


def _tab_index(words: list[str]) -> str | None:
    """The place of a tab, from 0; -1 is the latest."""
    if words and words[0] in WORDS.first_tab_words and len(words) == 1:
        return "0"
    if words and all(w in WORDS.new_tab_words for w in words):
        return "1" if words == ["second"] else "-1"
    place = read_ordinal(Token("word", words[0], 0, 0, words[0])) if len(words) == 1 else None
    return str(place - 1 if place > 0 else place) if place else None


@reader
def close_tab(match: PatternMatch) -> ClausePlan | None:
    """Read ``Close the tab``."""
    del match
    return (readings("close_tab"),)


@reader
def answer_dialog(match: PatternMatch) -> ClausePlan | None:
    """Read ``Accept the alert``."""
    if match.has("value"):
        value = match.value()
        return (readings("answer_dialog", value=value),) if value is not None else None
    refused = match.tokens[0].low in ("dismiss", "cancel", "reject", "decline", "refuse")
    return (readings("answer_dialog", value="dismiss" if refused else "accept"),)


_WAYS = {"right": "right", "left": "left", "up": "up", "down": "down", "upwards": "up",
         "downwards": "down"}  # fmt: skip


@reader
def hover(match: PatternMatch) -> ClausePlan | None:
    """Read ``Hover over 'Products'``."""
    targets = match.targets()
    if match.has("shown"):
        shown = match.targets("shown")
        return (hover_until(targets, shown[0]),) if targets and shown else None
    return (readings("hover", targets),) if targets else None


@reader
def drag(match: PatternMatch) -> ClausePlan | None:
    """Read ``Drag 'Task 1' to 'Done'``."""
    part = match.part("target")
    targets = match.targets()
    if not targets or _is_mouse(part):
        return None
    if match.has("number"):
        return _drag_by(match, targets)
    if not match.has("destination"):
        return (readings("drag", targets, _WAYS[match.tokens[-1].low]),)
    destination = match.targets("destination")
    if not destination or (targets[0].role == "slider" and is_amount(destination[0].text)):
        return None
    if destination[0].role == "columnheader":
        destination = (destination[0].model_copy(update={"role": None}),)
    return (
        tuple(
            reading
            for target in targets[:2]
            for reading in readings("drag", (target,), destination=destination[0])
        ),
    )


def _is_mouse(tokens: Tokens) -> bool:
    return any(t.low in ("mouse", "cursor", "pointer", "focus") for t in tokens if not t.quoted)


def _drag_by(match: PatternMatch, targets: tuple[Target, ...]) -> ClausePlan | None:
    number = match.part("number")
    amount = read_cardinal(number[0]) if len(number) == 1 else None
    direction = next((_WAYS[t.low] for t in match.tokens if t.low in _WAYS and not t.quoted), None)
    if amount is None or direction is None:
        return None
    return (readings("drag", targets, f"{direction} {amount}"),)


@reader
def upload_file(match: PatternMatch) -> ClausePlan | None:
    """Read ``Upload the file 'cv.pdf' to 'Attachment'``."""
    value = match.value()
    part = match.part("value")
    if value is None or not any(t.quoted or "." in t.text for t in part):
        return None
    if not any(t.quoted for t in part):
        # "Attach plan.pdf as a plan": what it serves as is no part of its name
        value = value.split(" as ", maxsplit=1)[0]
    if not match.has("target"):
        return (readings("upload", (None,), value),)
    targets = match.targets()
    return (readings("upload", targets, value),) if targets else None


@reader
def search_for_text(match: PatternMatch) -> ClausePlan | None:
    """Read ``Search for 'iMac'``."""
    part = match.part("value")
    if not has_quotes(part):
        return None
    value = match.value()
    targets: tuple[Target, ...] = (Target(text="search", quoted=False, role="field"),)
    if match.has("target"):
        named = [t for t in match.targets() if t.role]
        if not named:
            return None
        targets = tuple(named)
    if value is None:
        return None
    return (readings("fill", targets, value), readings("press", targets, "Enter"))
