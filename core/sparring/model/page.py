"""A page as a person meets it: its elements with values and states, and what happened on it."""

from enum import StrEnum
from typing import Literal

from pydantic import JsonValue

from sparring.model.base import AppText, Value


class Box(Value):
    """A rectangle in CSS pixels, from the top left corner of the page's viewport."""

    x: float
    y: float
    width: float
    height: float


class Option(Value):
    """An option of a list of choices."""

    label: AppText
    value: AppText = ""
    selected: bool = False
    disabled: bool = False


class Element(Value):
    """Something on a page that has a role, or a piece of its text (role ``text``).

    `id` is the same for the same node as long as its document lives. `role` is the ARIA role,
    explicit or implied (``link``, ``button``, ``textbox``, ``checkbox``, ``combobox``,
    ``heading``, ``row``, ``cell``, ``dialog``, ``alert`` ...); `name` the accessible name. `text`
    is what can be seen of its own and its descendants' text, `adjacent` the visible text just
    before or after a field that has no label. `value` is what a field holds; a secret's value is
    its variable's name (``%password%``).

    The states that only some elements have are None elsewhere. `visible` is false for what has no
    box, no opacity or is hidden by style or by an ancestor; `covered` means that something else
    would take a click in its middle. `row` and `column` are the texts of the table row (or list
    item) and of the column's heading that it lies in; `region` the names of the landmarks,
    dialogs, groups, forms and headings above it, outermost first.
    """

    id: str
    role: str
    name: AppText = ""
    tag: str = ""
    parent: str | None = None
    frame: int = 0
    text: AppText = ""
    value: AppText | None = None
    label: AppText = ""
    placeholder: AppText = ""
    title: AppText = ""
    description: AppText = ""
    alternative: AppText = ""
    attributes: dict[str, AppText] = {}
    adjacent: AppText = ""
    row: AppText = ""
    column: AppText = ""
    region: tuple[AppText, ...] = ()
    level: int | None = None
    url: AppText | None = None
    input_type: str | None = None
    options: tuple[Option, ...] = ()
    visible: bool = True
    covered: bool = False
    in_viewport: bool = True
    interactive: bool = False
    editable: bool = False
    disabled: bool = False
    focused: bool = False
    readonly: bool | None = None
    required: bool | None = None
    invalid: bool | None = None
    multiple: bool | None = None
    checked: Literal[True, False, "mixed"] | None = None
    selected: bool | None = None
    pressed: Literal[True, False, "mixed"] | None = None
    expanded: bool | None = None
    box: Box | None = None


class PageSnapshot(Value):
    """What a page shows at one moment: its elements in reading order, over all frames.

    Hidden elements are among them with ``visible=False`` as far as the budget of `size` allows;
    `truncated` says how many elements were left out. `document` counts the documents that the tab
    has committed, also identical ones; `tab` the tabs of the case. `digest` is the same for equal
    pages: it is taken over everything but boxes, ids and `document`.
    """

    url: AppText
    title: AppText = ""
    elements: tuple[Element, ...] = ()
    document: int = 0
    tab: int = 0
    tabs: int = 1
    frames: tuple[AppText, ...] = ()
    scroll_y: float = 0.0
    scroll_height: float = 0.0
    viewport_height: float = 0.0
    truncated: int = 0
    digest: str = ""

    def element(self, identifier: str) -> Element | None:
        """The element with the id `identifier`, or None."""
        return next((element for element in self.elements if element.id == identifier), None)


class PageEventKind(StrEnum):
    """What kind of thing happened on a page."""

    DOCUMENT = "document"
    URL = "url"
    MESSAGE = "message"
    DIALOG = "dialog"
    POPUP = "popup"
    TAB_CLOSED = "tab_closed"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    CONSOLE_ERROR = "console_error"
    PAGE_ERROR = "page_error"
    REQUEST_FAILED = "request_failed"
    HTTP_ERROR = "http_error"
    SCRIPT_CLICK = "script_click"
    NOT_SETTLED = "not_settled"
    CRASH = "crash"
    BLOCKED = "blocked"
    REFUSED = "refused"
    REQUEST = "request"
    FAULT = "fault"
    EXAMINED = "examined"


class PageEvent(Value):
    """Something that happened on a page between two snapshots.

    `at_s` is in seconds since the session began; a message that went again has `gone_s`. `text`
    is the message, the dialog's text, the file's name, the URL or the error. `details` has more
    by kind: a dialog's `type` and `answer`, a download's `artifact` and `bytes`, an HTTP `status`.
    An act that was not carried out is ``refused``: `details` say `why` (``stale``, ``disabled``,
    ``covered``, ``hidden`` ...). A ``request`` to the app (its path; `method`, `resource`) and a
    ``fault`` that a mutation test put in, if it took effect, are told only if they are asked
    for, as is a state that was ``examined`` for accessibility (`violations`, or an `error`).
    """

    kind: PageEventKind
    text: AppText = ""
    at_s: float = 0.0
    gone_s: float | None = None
    details: dict[str, JsonValue] = {}


class PageView(Value):
    """What came of one act on a page: the page after it settled, and what happened meanwhile.

    `messages` are all messages that were shown since the session began, or since the document
    that showed them, even those that are gone by now. `hit` says whether the act reached its
    target with a real input event; None if it had none. `target_changed` compares the pixels
    or the markup of the target's surroundings before and after. `settle_s` is how long the page
    took to become quiet, in seconds. `screenshot` is the path of a picture in the run's folder.
    """

    snapshot: PageSnapshot
    events: tuple[PageEvent, ...] = ()
    messages: tuple[PageEvent, ...] = ()
    hit: bool | None = None
    target_changed: bool | None = None
    settle_s: float = 0.0
    screenshot: str | None = None
