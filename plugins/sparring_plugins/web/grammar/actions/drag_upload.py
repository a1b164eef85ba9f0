"""Steps with the mouse and with files: hover, drag, upload; and searching."""

from sparring_plugins.web.grammar.actions.click import opened
from sparring_plugins.web.grammar.phrases.forms import Match, Plan, form, one
from sparring_plugins.web.grammar.words.numbers import cardinal, is_amount
from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.roles.step import Target

_WAYS = {"right": "right", "left": "left", "up": "up", "down": "down", "upwards": "up",
         "downwards": "down"}  # fmt: skip


@form(
    "Hover",
    "<hover> [on|over|above|onto|across] {target} until {shown} is_displayed|appears|is_shown"
    "|is_visible",
    "<hover> [on|over|above|onto|across] {target}",
    examples=("Hover over 'Products'", "Move the mouse over the menu 'Account'",
              "Hover over 'File' until 'Save as' is displayed"),
)  # fmt: skip
def _hover(match: Match) -> Plan | None:
    targets = match.targets()
    if match.has("shown"):
        shown = match.targets("shown")
        return (opened(targets, shown[0]),) if targets and shown else None
    return (one("hover", targets),) if targets else None


@form(
    "Drag and drop",
    "<drag> {target} and_drop_it|and_drop <to> {destination}",
    "<drag> {target} to_the|to right|left|up|down [by] {number} [pixels|px|pixel]",
    "<drag> {target} by {number} [pixels|px|pixel] to_the|to right|left|up|down",
    "<drag> {target} by {number} [pixels|px|pixel] [to_the|to] right|left|up|down",
    "<drag> {target} {number} [pixels|px|pixel] [to_the|to] right|left|up|down",
    "<drag> {target} to_the right|left|top|bottom of {destination}",
    "<drag> {target} to_the|to right|left",
    "<drag> {target} <to> {destination}",
    "<drag> {target} next_to|below|above|under|before|after|beside|between {destination}",
    examples=("Drag 'Task 1' to 'Done'", "Drag and drop the card 'Bug' onto the column 'Closed'",
              "Drag the slider 'Volume' by 30 pixels to the right"),
)  # fmt: skip
def _drag(match: Match) -> Plan | None:
    part = match.part("target")
    targets = match.targets()
    if not targets or _is_mouse(part):
        return None
    if match.has("number"):
        return _dragged_by(match, targets)
    if not match.has("destination"):
        return (one("drag", targets, _WAYS[match.tokens[-1].low]),)
    destination = match.targets("destination")
    if not destination or (targets[0].role == "slider" and is_amount(destination[0].text)):
        return None
    if destination[0].role == "columnheader":
        destination = (destination[0].model_copy(update={"role": None}),)
    return (
        tuple(
            reading
            for target in targets[:2]
            for reading in one("drag", (target,), destination=destination[0])
        ),
    )


def _is_mouse(tokens: Tokens) -> bool:
    return any(t.low in ("mouse", "cursor", "pointer", "focus") for t in tokens if not t.quoted)


def _dragged_by(match: Match, targets: tuple[Target, ...]) -> Plan | None:
    number = match.part("number")
    amount = cardinal(number[0]) if len(number) == 1 else None
    way = next((_WAYS[t.low] for t in match.tokens if t.low in _WAYS and not t.quoted), None)
    if amount is None or way is None:
        return None
    return (one("drag", targets, f"{way} {amount}"),)


@form(
    "Upload a file",
    "<upload> [the|a] file|files|image|picture|document|photo|attachment {value} <into> {target}",
    "<upload> [the|a] file|files|image|picture|document|photo|attachment {value} <from> {target}",
    "<upload> [the|a] file|files|image|picture|document|photo|attachment {value}",
    "upload|attach {value} <into> {target}",
    "upload|attach {value} <from> {target}",
    "upload|attach {value}",
    examples=("Upload the file 'cv.pdf' to 'Attachment'", "Attach 'cv.pdf'"),
)
def _upload(match: Match) -> Plan | None:
    value = match.value()
    if value is None or not any(t.quoted or "." in t.text for t in match.part("value")):
        return None
    if not match.has("target"):
        return (one("upload", (None,), value),)
    targets = match.targets()
    return (one("upload", targets, value),) if targets else None


@form(
    "Search for a text",
    "<search> [for] {value} in|with|using|on [the] {target}",
    "<search> [the_site|the_page|the_website|the_shop|the_catalogue|the_store] [for] {value}",
    examples=("Search for 'iMac'",),
)
def _search(match: Match) -> Plan | None:
    part = match.part("value")
    if not any(t.quoted for t in part):
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
    return (one("fill", targets, value), one("press", targets, "Enter"))
