"""A step of a test case in plain language, as the grammar reads it."""

from typing import Annotated, Literal

from pydantic import Field

from sparring.model.base import Value

Comparison = Literal["==", "!=", ">=", ">", "<=", "<"]
Locator = Literal["css", "test id", "label", "placeholder", "title", "alt"]
"""The ways to name one element to the letter; several that fit, or none, are an error."""


def _is_none(value: object) -> bool:
    return value is None


def _is_empty(value: object) -> bool:
    return value == ""


class Target(Value):
    """What a step names on a page: "the second 'Add' button in the row of 'Groups'".

    `text` is what was quoted, or the bare words; `quoted` says which. `role` is the kind of
    control that the words name, as an ARIA role or ``field``, ``input`` for any that takes
    values; None if any kind is meant. `ordinal` counts from 1, and from -1 at the end. `row` is the
    text that the row (or list item, card) must hold and `row_kind` what the words call it
    ("Customer"); `region` names the dialog, form, section or heading that it lies in. `exact`
    asks for the whole text and not a part of it. `every` means all that fit, one after the other.
    `row_number` is the row of the page's table of data that it lies in, counted as `ordinal` is.
    `by` says that `text` is no text to read but the one attribute named, to the letter.
    """

    text: str = ""
    quoted: bool = True
    role: str | None = None
    ordinal: int | None = None
    row: str | None = None
    row_kind: str | None = None
    row_number: int | None = Field(default=None, exclude_if=_is_none)
    by: Locator | None = Field(default=None, exclude_if=_is_none)
    region: str | None = None
    exact: bool = False
    every: bool = False


class Displayed(Value):
    """The target is visible, or was in a message since the last act."""

    kind: Literal["displayed"] = "displayed"
    target: Target


class Counted(Value):
    """The number of visible targets; `unit` says what is counted if not the text."""

    kind: Literal["counted"] = "counted"
    target: Target
    comparison: Comparison
    number: int
    unit: Literal["element", "text", "sentence"] = "text"


class InState(Value):
    """The target is in a state."""

    kind: Literal["in_state"] = "in_state"
    target: Target
    state: Literal[
        "checked", "selected", "enabled", "disabled", "focused", "expanded", "collapsed",
        "required", "readonly", "editable", "invalid", "empty", "pressed",
    ]  # fmt: skip


class FieldHolds(Value):
    """A field's value equals or contains a text."""

    kind: Literal["field_holds"] = "field_holds"
    target: Target
    text: str
    mode: Literal["equals", "contains"] = "equals"


class PageIs(Value):
    """The page's address or title compared with a text."""

    kind: Literal["page_is"] = "page_is"
    property: Literal["url", "title"]
    text: str
    mode: Literal["equals", "contains", "starts", "ends"] = "contains"


class Compared(Value):
    """The number or amount beside or in the target, compared with one or with another target's.

    `by_place` says that places may be meant as well: "'Call Ada' is above 'Buy milk'".
    """

    kind: Literal["compared"] = "compared"
    target: Target
    comparison: Comparison
    number: str | None = None
    other: Target | None = None
    by_place: bool = False


class Ordered(Value):
    """The target stands before the other one, in reading order."""

    kind: Literal["ordered"] = "ordered"
    target: Target
    other: Target


class CellHolds(Value):
    """The cell of a column in a row equals or contains a text, or compares with a number.

    The row is the one with the text `row`, or the n-th of the table's data (`row_number`).
    """

    kind: Literal["cell_holds"] = "cell_holds"
    column: str
    row: str = ""
    row_number: int | None = None
    text: str
    mode: Literal["equals", "contains"] = "equals"
    comparison: Comparison = "=="


class ColumnTotal(Value):
    """The sum, average, smallest or largest number of a table's column, compared with one."""

    kind: Literal["column_total"] = "column_total"
    column: str
    of: Literal["sum", "average", "smallest", "largest"]
    comparison: Comparison = "=="
    number: str


class SortedBy(Value):
    """The rows of a table are sorted by a column: as numbers, dates or words."""

    kind: Literal["sorted_by"] = "sorted_by"
    column: str
    descending: bool = False


class LeadsTo(Value):
    """The address of a link equals or contains an address."""

    kind: Literal["leads_to"] = "leads_to"
    target: Target
    address: str
    mode: Literal["equals", "contains"] = "equals"


class Matching(Value):
    """A visible text, if a `target` is named one of it or beside it, matches a pattern."""

    kind: Literal["matching"] = "matching"
    pattern: str
    target: Target | None = None


class Measured(Value):
    """A number with a unit, in a text with the words: "12 kg of seeds"."""

    kind: Literal["measured"] = "measured"
    words: str
    comparison: Comparison = "=="
    number: str
    unit: str


class Downloaded(Value):
    """A file was downloaded since the case began: its name, a text in it, its number of rows."""

    kind: Literal["downloaded"] = "downloaded"
    name: str = ""
    text: str = ""
    rows: int | None = None


class PageSound(Value):
    """All pictures are loaded, or scripts reported no errors since the case began."""

    kind: Literal["page_sound"] = "page_sound"
    part: Literal["images", "console"]


class Recalled(Value):
    """The number or text at the target, compared with what was remembered, plus a number."""

    kind: Literal["recalled"] = "recalled"
    target: Target
    comparison: Comparison = "=="
    name: str = ""
    plus: float = 0.0


class Not(Value):
    """The opposite of a condition."""

    kind: Literal["not"] = "not"
    condition: "Condition"


class AllOf(Value):
    """All of several conditions."""

    kind: Literal["all_of"] = "all_of"
    conditions: tuple["Condition", ...]


class AnyOf(Value):
    """At least one of several conditions."""

    kind: Literal["any_of"] = "any_of"
    conditions: tuple["Condition", ...]


Condition = Annotated[
    Displayed
    | Counted
    | InState
    | FieldHolds
    | PageIs
    | Compared
    | Ordered
    | CellHolds
    | ColumnTotal
    | SortedBy
    | LeadsTo
    | Matching
    | Measured
    | Downloaded
    | PageSound
    | Recalled
    | Not
    | AllOf
    | AnyOf,
    Field(discriminator="kind"),
]

StepAction = Literal[
    "open", "click", "double_click", "right_click", "fill", "type", "append", "press", "select",
    "check", "uncheck", "hover", "scroll", "drag", "upload", "wait", "back", "forward", "reload",
    "assert", "switch_tab", "close_tab", "answer_dialog",
    "new_tab", "screenshot", "remember", "switch_frame",
]  # fmt: skip


class Reading(Value):
    """One way to read a step.

    `value` is the text to enter, the option to select, the key to press, the address to open
    (None for the start page), the file to upload or the seconds to wait; of ``scroll`` and
    ``drag`` the way and perhaps the pixels (``down``, ``right 30``, ``bottom``); of ``switch_tab``
    and ``close_tab`` the place from 0 or a title; of ``answer_dialog`` ``accept``, ``dismiss`` or
    a text. `destination` is where something is dragged to. `condition` is what an assertion
    asserts, what a wait waits for (with the seconds it may take as `value`), and what a click is
    to bring about ("Expand the section": expanded). `only_if` is what must hold on the page for
    the step to be carried out at all. `value` of ``remember`` is the name of what is remembered,
    of ``switch_frame`` the frame (None for the page around all frames).
    """

    action: StepAction
    target: Target | None = None
    value: str | None = None
    destination: Target | None = None
    condition: Condition | None = None
    only_if: Condition | None = Field(default=None, exclude_if=_is_none)
    explanation: str = ""


class Step(Value):
    """A line of a test case: its text, and how it can be read, the likeliest first.

    No reading means that the grammar does not know the sentence. `problems` are what
    ``sparring lint`` says of it: an unclosed quote, an unquoted target, an ambiguity.
    `number` counts from 1.

    `sentence` is the whole sentence as it is written, if it gives several steps or is translated.
    `by` is who translated it: then plain rules alone carry it out. `written` is the text of such a
    step in the file if that has names of variables.
    """

    number: int
    text: str
    readings: tuple[Reading, ...] = ()
    problems: tuple[str, ...] = ()
    line: int | None = None
    sentence: str = Field(default="", exclude_if=_is_empty)
    by: str = Field(default="", exclude_if=_is_empty)
    written: str = Field(default="", exclude_if=_is_empty)

    @property
    def reading(self) -> Reading | None:
        """The likeliest reading."""
        return self.readings[0] if self.readings else None

    @property
    def asserts(self) -> bool:
        """Whether it is an assertion."""
        return self.reading is not None and self.reading.action == "assert"


Not.model_rebuild()
AllOf.model_rebuild()
AnyOf.model_rebuild()
Reading.model_rebuild()
