"""Controls of a page: which of them a step's word may mean, and the values that they take."""

import re
from datetime import UTC, datetime
from functools import cache

from pydantic import BaseModel, ConfigDict, TypeAdapter, model_validator

from sparring.model.page import Element
from sparring_plugins.language.yaml_files import bundled_yaml


class ControlVocabulary(BaseModel):
    """The content of ``controls.yaml``: words for controls, and the ARIA roles they may mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sets: dict[str, frozenset[str]]
    families: dict[str, frozenset[str]]
    regions: frozenset[str]
    groups: frozenset[str]
    close_names: frozenset[str]
    grave: frozenset[str]
    written: frozenset[str]
    changing: frozenset[str]
    drawn: frozenset[str]
    characters: dict[str, tuple[str, ...]]
    icons: dict[str, tuple[str, ...]]
    folding: tuple[str, ...]
    date_formats: dict[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _expand_sets(self) -> "ControlVocabulary":
        """Replace the names of sets by their roles; sets may only name those before them."""
        for table in (self.sets, self.families):
            for word, roles in table.items():
                named = [self.sets[name] for name in roles if name.isupper()]
                table[word] = frozenset(r for r in roles if not r.isupper()).union(*named)
        return self


VOCABULARY = ControlVocabulary.model_validate(
    bundled_yaml("sparring_plugins.web.pages", "controls.yaml")
)

_TEXT_FIELDS = VOCABULARY.sets["TEXT"]
_LISTS = VOCABULARY.sets["LIST"]
_BOXES = VOCABULARY.sets["BOX"]
_PRESSED = VOCABULARY.sets["PRESSED"]


_TABBED = frozenset({"link", "button"})


def is_a(element: Element, role: str | None) -> bool:
    """Return whether a step may call `element` a `role`; true if `role` is None."""
    if role is None or role == "text":
        return True
    if role == "textarea":
        return element.tag == "textarea" or (element.role == "textbox" and element.tag != "input")
    # Tabs are often links or buttons that say which of them is selected.
    if role == "tab" and element.role in _TABBED:
        return element.selected is not None
    # "Expand the section 'Billing'": what expands is a section, whatever its role.
    if role == "section" and element.expanded is not None and element.role not in _LISTS:
        return True
    # <span class="btn-archive"> has no text and no role: a person sees an icon.
    if role == "icon" and _is_drawn(element):
        return True
    return element.role in VOCABULARY.families.get(role, frozenset({role})) or (
        role in ("field", "input") and element.editable
    )


def _is_drawn(element: Element) -> bool:
    return element.role == "generic" and element.interactive and not element.text


def resembles(element: Element, role: str | None) -> bool:
    """Return whether people may call `element` a `role` that its markup does not have.

    A link that is drawn as a button, or a piece of text that takes clicks as a link does.
    """
    return (
        role in _PRESSED
        and (element.interactive or element.role in _PRESSED)
        and element.role not in VOCABULARY.sets["FIELD"]
        and not element.editable
    )


def takes_clicks(element: Element) -> bool:
    """Return whether a person would click on it: a control, or what behaves like one.

    A whole part of the page listens to clicks for what is in it, and is no control itself: frames
    of components do so for all of `main`, whose text has every word of a sentence.
    """
    if element.role in VOCABULARY.sets["CLICKABLE"]:
        return True
    return element.interactive and not _is_part_of_page(element)


_PARTS = frozenset(
    {"main", "navigation", "banner", "contentinfo", "complementary", "region", "form", "table",
     "grid", "list", "rowgroup", "document", "application", "search", "feed"}
)  # fmt: skip
# What holds more text than this is a part of the page and not a control.
_MOST_WORDS = 40


def _is_part_of_page(element: Element) -> bool:
    return element.role in _PARTS or len(element.text.split()) > _MOST_WORDS


def takes_text(element: Element) -> bool:
    """Return whether text can be typed into it."""
    return element.role in _TEXT_FIELDS or (
        element.editable and element.role not in _BOXES and element.tag != "select"
    )


def takes_values(element: Element) -> bool:
    """Return whether a value can be put into it: a text field, a slider, a colour field."""
    return takes_text(element) or element.role == "slider" or element.input_type == "color"


def offers_choices(element: Element) -> bool:
    """Return whether it is a list to select from."""
    return element.role in _LISTS or bool(element.options) or element.tag == "select"


def is_a_box(element: Element) -> bool:
    """Return whether it can be checked."""
    return element.role in _BOXES or element.checked is not None


def in_words(element: Element) -> str:
    """Return what a person would call it: ``button 'Sign in'``."""
    names = (element.name, element.label, element.text, element.placeholder, element.adjacent)
    name = " ".join(next((text for text in names if text), element.value or "").split())
    if len(name) > 60:
        name = name[:57] + "..."
    row = f" in the row of '{element.row[:60]}'" if element.row and element.row != name else ""
    return f"{element.role or element.tag} '{name}'{row}" if name else f"{element.role}{row}"


def native_value(value: str, input_type: str | None) -> str:
    """Return `value` as the browser's own date and time fields take it: ``2026-02-25``, ``14:05``.

    Such a field takes nothing else, however it shows it. The value is unchanged if it is no date
    or time. Numbers with slashes are month/day/year if they can be, as in English browsers.
    """
    formats = VOCABULARY.date_formats.get(input_type or "")
    if formats is None:
        return value
    # "March 3rd, 2026" and "3 p.m." are read as "March 3 2026" and "3 pm".
    text = re.sub(r"(?<=\d)(st|nd|rd|th)\b|,", "", " ".join(value.split()))
    text = re.sub(r"(?i)(?<=\d)\s*([ap])\.?m\.?$", r" \1m", text)
    for written in formats:
        try:
            return datetime.strptime(text, written).replace(tzinfo=UTC).strftime(formats[0])
        except ValueError:
            continue
    return value


_SMALLEST = 8
"""Pixels; what is smaller is hidden for good."""
# "30 euros" is entered as 30 in a field for numbers.
_WITH_UNIT = re.compile(
    r"\s*[£$€¥]?\s?(?P<number>-?\d+(?:\.\d+)?)\s?(?:[£$€¥%]|[^\W\d_]+(?: [^\W\d_]+)?)?\s*"
)
_HEX = re.compile(r"(?P<sign>#?)(?P<digits>[0-9A-Fa-f]{6})")


@cache
def _colours() -> dict[str, str]:
    data = bundled_yaml("sparring_plugins.web.pages", "colours.yaml")
    return TypeAdapter(dict[str, str]).validate_python(data)


def entry_value(value: str, element: Element) -> str:
    """Return `value` as a field takes it: dates and times in its form, colours by their numbers.

    A field of the type ``color``, or one that holds ``#AB2567`` or ``AB2567``, takes "maroon" only
    as such a number. A field of numbers takes "60 percent" and "£12.50" without their units.
    """
    if element.input_type in ("number", "range") and (match := _WITH_UNIT.fullmatch(value)):
        return match["number"]
    held = _HEX.fullmatch((element.value or "").strip())
    if held is None and element.input_type != "color":
        return native_value(value, element.input_type)
    number = _colours().get("".join(value.lower().split()))
    if number is None:
        return value
    return number.removeprefix("#") if held is not None and not held["sign"] else number


def is_drawn_box(element: Element) -> bool:
    """Return whether a box to tick is hidden, but has the place of what the page draws for it."""
    if element.input_type != "checkbox" or element.visible or element.disabled or not element.box:
        return False
    return min(element.box.width, element.box.height) >= _SMALLEST


def lies_behind_drawing(element: Element) -> bool:
    """Return whether a slider is hidden, but has the place of what the page draws for it."""
    if element.input_type != "range" or element.visible or element.disabled or not element.box:
        return False
    return min(element.box.width, element.box.height) >= _SMALLEST
