"""The nouns that people use for controls and places on a page, and the roles they mean."""

from collections.abc import Sequence
from typing import Final

_CONTROLS = {
    "button": "button|push button|btn",
    "link": "link|hyperlink|anchor|hyper link|web link|text link",
    "field": "field|input field|form field|entry field|entry|date picker|datepicker|time picker"
    "|color picker|picker",
    "input": "input|input box|input control|input element|text input",
    "textbox": "textbox|text box|text field|textfield|text-field|text input field|text entry"
    "|edit box|edit field|text input box|input textbox|input text box|text input textbox",
    "textarea": "textarea|text area|text-area|multiline field",
    "searchbox": "searchbox|search box|search field|search bar|search input|search textbox"
    "|search text box|search input field",
    "spinbutton": "spinbutton|spin button|spinner|stepper|number field|number input",
    "checkbox": "checkbox|check box|check-box|tickbox|tick box|tick-box",
    "radio": "radio|radio button|radiobutton|radio-button|radio box|radio option",
    "switch": "switch|toggle|toggle switch|toggle button",
    "combobox": "combobox|combo box|dropdown|drop-down|drop down|dropdown list|drop-down list"
    "|drop down list|dropdown menu|drop-down menu|drop down menu|select box|select list"
    "|selection box|selection list|select menu|dropdown box|drop-down box|select|selector"
    "|select field|select element|pull-down|pulldown|pull-down menu|choice list|dropdown field",
    "listbox": "listbox|list box|scroll list|multi-select|multiselect|multi select",
    "list": "list",
    "option": "option|choice|list option|list entry|entry of the list",
    "tab": "tab",
    "listitem": "list item|listitem",
    "menuitem": "menu item|menuitem|menu entry|menu option",
    "menu": "menu|context menu",
    "treeitem": "tree item|tree node|treeitem|node",
    "slider": "slider|range slider|range",
    "image": "image|img|picture|photo|logo|avatar|thumbnail|banner image|illustration",
    "icon": "icon|symbol|glyph",
    "heading": "heading|headline|page heading|section heading|subheading",
    "row": "row|table row|line",
    "cell": "cell|table cell",
    "columnheader": "column header|column heading|columnheader|table header|column",
    "table": "table|grid|data table",
    "form": "form|web form",
    "dialog": "dialog|dialogue|dialog box|dialogue box|modal|modal dialog|modal window|popup"
    "|pop-up|pop up|popup window|pop-up window|lightbox|dialog window|overlay",
    "alert": "alert|toast|notification|snackbar|flash message|toast message|alert message"
    "|alert box|error alert",
    "section": "section|panel|accordion|area|collapsible section|accordion section"
    "|accordion panel|fieldset|block",
    "file": "file input|file field|file chooser|file upload|upload field|file picker|upload button"
    "|file upload field",
    "tooltip": "tooltip|tool tip|hint",
    "progressbar": "progress bar|progressbar|loading bar",
    "iframe": "iframe|frame",
}
#: Nouns for a piece of text: any element that shows it will do.
_TEXTS = (
    "text|message|label|word|words|string|term|sentence|paragraph|phrase|title text|content"
    "|error|error message|warning|warning message|success message|confirmation message|caption"
    "|confirmation|info message|validation message|validation error|notice|status message"
    "|status|description|value|name|item|element|control|component|thing|object|page title|product"
    "|header|footer|entry text|greeting|expression|note|hint text|copy"
)
#: Places of a page that go by their role when they have no name of their own.
_LANDMARKS = {
    "dialog": "dialog|dialogue|dialog box|dialogue box|modal|modal dialog|modal window|popup"
    "|pop-up|pop up|popup window|pop-up window|lightbox|overlay|dialog window",
    "form": "form",
    "table": "table|grid|data table",
    "navigation": "navigation|navigation bar|nav|navbar|nav bar|navigation menu|menu bar|menubar"
    "|site navigation|main navigation|main menu|top menu|side menu",
    "banner": "header|page header|banner|top bar|site header",
    "contentinfo": "footer|page footer|site footer",
    "complementary": "sidebar|side bar|aside|side panel",
    "main": "main area|main content|main section|main part|content area",
    "toolbar": "toolbar|tool bar",
    "menu": "menu|context menu|submenu|popup menu|hamburger menu|user menu",
    "list": "list|item list",
    "listbox": "listbox|list box",
    "tabpanel": "tab panel|tabpanel",
    "group": "fieldset|group|button group|radio group",
    "article": "article|post",
    "search": "search form|search area",
    "alert": "alert|notification|toast|snackbar",
    "region": "region",
}
#: Places that must have a name: its words are the region.
_NAMED_PLACES = (
    "section|panel|area|heading|headline|subheading|title|tab|block|box|widget|frame|iframe|column"
    "|card list|pane|accordion|category|chapter|part|paragraph|tile group|view|caption|table of"
    "|window|label|step|wizard|calendar|cart|basket|results|result list|search results|tree|drawer"
)
#: Things that repeat, each with its own controls.
_ROWS = (
    "row|table row|line|item|list item|listitem|card|tile|entry|record|list entry|data row"
    "|table line|line item|row item"
)
_PAGE = (
    "page|web page|webpage|site|website|web site|screen|window|app|application|view|browser"
    "|browser window|viewport|whole page|entire page|current page|document|home page|homepage"
    "|result page|results page|web application|same page|current screen|frontend|ui|interface"
)

Phrase = tuple[str, ...]


def _phrases(written: str) -> list[Phrase]:
    return [tuple(phrase.split()) for phrase in written.split("|")]


CONTROLS: Final[dict[Phrase, str]] = {
    phrase: role for role, written in _CONTROLS.items() for phrase in _phrases(written)
}
TEXTS: Final = frozenset(_phrases(_TEXTS))
LANDMARKS: Final[dict[Phrase, str]] = {
    phrase: role for role, written in _LANDMARKS.items() for phrase in _phrases(written)
}
NAMED_PLACES: Final = frozenset(_phrases(_NAMED_PLACES))
ROWS: Final = frozenset(_phrases(_ROWS))
PAGE: Final = frozenset(_phrases(_PAGE))
#: Roles that people act upon, as opposed to places and texts.
ACTIVE: Final = frozenset(
    {"button", "link", "field", "input", "textbox", "textarea", "checkbox", "radio", "switch",
     "combobox", "tab", "icon", "option", "slider", "menuitem", "spinbutton", "searchbox"}
)  # fmt: skip
FIELDS: Final = frozenset(
    {"field", "input", "textbox", "textarea", "searchbox", "spinbutton", "combobox", "listbox",
     "slider", "file"}
)  # fmt: skip
LISTS: Final = frozenset({"combobox", "listbox", "list", "menu"})
BOXES: Final = frozenset({"checkbox", "radio", "switch"})

_LONGEST = 4


def singular(phrase: Phrase) -> Phrase:
    """A phrase with its last word in the singular."""
    last = phrase[-1]
    if last.endswith(("xes", "ches", "shes", "sses")):
        last = last[:-2]
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return (*phrase[:-1], last)


def known(phrase: Phrase, among: "frozenset[Phrase] | dict[Phrase, str]") -> Phrase | None:
    """The phrase, or its singular, where it is among those."""
    if not phrase or phrase in among:
        return phrase or None
    one = singular(phrase)
    return one if one in among else None


def ending(words: Sequence[str], among: "frozenset[Phrase] | dict[Phrase, str]") -> int:
    """How many words at the end are a phrase of those; 0 where none are."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        if known(tuple(words[-size:]), among):
            return size
    return 0


def beginning(words: Sequence[str], among: "frozenset[Phrase] | dict[Phrase, str]") -> int:
    """How many words at the beginning are a phrase of those; 0 where none are."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        if known(tuple(words[:size]), among):
            return size
    return 0


def role_of(words: Sequence[str]) -> str | None:
    """The role that a noun means; None for a noun of a text."""
    phrase = known(tuple(words), CONTROLS)
    return CONTROLS[phrase] if phrase else None
