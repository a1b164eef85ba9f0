"""What kind of control a step's word may mean, by the roles of the page's elements."""

from sparring.model.page import Element

TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
LISTS = frozenset({"combobox", "listbox"})
BOXES = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"})
CHOICES = frozenset({"option", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem"})
CLICKABLE = frozenset({"button", "link", "tab", "gridcell", "slider"}) | BOXES | CHOICES | LISTS
FIELDS = TEXT_FIELDS | LISTS | BOXES | {"slider", "file", "date", "color"}

_PRESSED = frozenset({"button", "link", "tab", "menuitem"})

#: The words of steps, and what else an element with this role may be called.
_FAMILIES: dict[str, frozenset[str]] = {
    "field": FIELDS,
    "input": FIELDS,
    "textbox": TEXT_FIELDS | {"combobox"},
    "textarea": frozenset({"textbox"}),
    "searchbox": frozenset({"searchbox", "textbox", "combobox"}),
    "spinbutton": frozenset({"spinbutton", "textbox"}),
    "combobox": LISTS,
    "listbox": LISTS | {"list"},
    "list": LISTS | {"list"},
    "menu": frozenset({"menu", "menubar", "combobox", "listbox", "button"}),
    "checkbox": frozenset({"checkbox", "switch", "menuitemcheckbox"}),
    "switch": frozenset({"switch", "checkbox"}),
    "radio": frozenset({"radio", "menuitemradio"}),
    "option": CHOICES | {"radio"},
    "menuitem": CHOICES | {"link", "button"},
    "tab": frozenset({"tab"}),
    "image": frozenset({"img", "image"}),
    "img": frozenset({"img", "image"}),
    "icon": frozenset({"img", "image", "button", "link"}),
    "dialog": frozenset({"dialog", "alertdialog"}),
    "alert": frozenset({"alert", "alertdialog", "status"}),
    "cell": frozenset({"cell", "gridcell", "columnheader", "rowheader"}),
    "table": frozenset({"table", "grid", "treegrid"}),
    "section": frozenset({"region", "group", "article", "section"}),
    "text": frozenset(),
}


def is_a(element: Element, role: str | None) -> bool:
    """Whether `element` may be called `role` in a step; any element where that is None."""
    if role is None or role == "text":
        return True
    if role == "textarea":
        return element.tag == "textarea" or (element.role == "textbox" and element.tag != "input")
    if role == "tab" and element.role in ("link", "button"):
        return element.selected is not None
    if role == "section" and element.expanded is not None and element.role not in LISTS:
        return True
    return element.role in _FAMILIES.get(role, frozenset({role})) or (
        role in ("field", "input") and element.editable
    )


def resembles(element: Element, role: str | None) -> bool:
    """Whether people may call `element` a `role` that its markup does not say.

    A link that is drawn as a button, a piece of text that takes clicks as a link does.
    """
    return (
        role in _PRESSED
        and (element.interactive or element.role in _PRESSED)
        and element.role not in FIELDS
        and not element.editable
    )


def takes_clicks(element: Element) -> bool:
    """Whether a person would click on it: a control, or something that behaves like one."""
    return element.role in CLICKABLE or element.interactive


def takes_text(element: Element) -> bool:
    """Whether text can be typed into it."""
    return element.role in TEXT_FIELDS or (
        element.editable and element.role not in BOXES and element.tag != "select"
    )


def takes_values(element: Element) -> bool:
    """Whether a value can be put into it: a field for text, a slider, a field for colours."""
    return takes_text(element) or element.role == "slider" or element.input_type == "color"


def offers_choices(element: Element) -> bool:
    """Whether it is a list to select from."""
    return element.role in LISTS or bool(element.options) or element.tag == "select"


def is_a_box(element: Element) -> bool:
    """Whether it can be checked."""
    return element.role in BOXES or element.checked is not None


def in_words(element: Element) -> str:
    """What a person would call it: ``button 'Sign in'``."""
    names = (element.name, element.label, element.text, element.placeholder, element.adjacent)
    shown = " ".join(next((name for name in names if name), element.value or "").split())
    if len(shown) > 60:
        shown = shown[:57] + "..."
    where = f" in the row of '{element.row[:60]}'" if element.row and element.row != shown else ""
    return f"{element.role or element.tag} '{shown}'{where}" if shown else f"{element.role}{where}"
