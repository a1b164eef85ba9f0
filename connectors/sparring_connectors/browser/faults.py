"""Faults that are put into pages on purpose: what a suite of tests should notice.

They need no source of the app: what is wrong with an element is done by a script in the page
(`in_page/faults.js`), what is wrong with an answer by a route between browser and app.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from sparring.interfaces.plugin import PluginConfig

_ON_TEXT = frozenset({"text", "message_missing"})
_ON_PAGE = frozenset({"page_error", "native_dialog_missing"})
_VALUED = frozenset({"text", "link_elsewhere"})


class PlaceConfig(PluginConfig):
    """An element, by what a person and its author call it."""

    tag: str | None = None
    role: str | None = Field(default=None, description="Its ARIA role.")
    name: str | None = Field(default=None, description="Its accessible name, whole.")
    attributes: dict[str, str] = {}
    nth: int | None = Field(
        default=None, ge=1, description="Which of several that fit, from 1; all where left out."
    )


class PageFaultConfig(PluginConfig):
    """Something wrong with an element or a text of a page."""

    kind: Literal[
        "dead", "submit_dropped", "value_lost", "value_altered", "option_swapped", "box_ignored",
        "text", "removed", "hidden", "disabled", "covered", "duplicated", "link_elsewhere",
        "message_missing", "dialog_missing", "native_dialog_missing", "page_error",
    ]  # fmt: skip
    on: PlaceConfig | None = Field(default=None, description="The element.")
    text: str | None = Field(default=None, description="The text, of a message or dialog, too.")
    value: str | None = Field(default=None, description="The text or address in its place.")
    page: str | None = Field(
        default=None, description="Only on pages with this path; * stands for a part of it."
    )

    @model_validator(mode="after")
    def _complete(self) -> "PageFaultConfig":
        if self.kind in _ON_TEXT and not (self.text and self.text.strip()):
            raise ValueError(f"{self.kind} needs a `text`")
        if self.kind not in _ON_TEXT | _ON_PAGE and self.on is None:
            raise ValueError(f"{self.kind} needs an element: `on`")
        if self.kind in _VALUED and self.value is None:
            raise ValueError(f"{self.kind} needs a `value`")
        return self


class AnswerFaultConfig(PluginConfig):
    """Something wrong with the answer to a request."""

    kind: Literal["status", "empty", "slow"]
    path: str = Field(description="The path of the address; * stands for a part of it.")
    method: str = Field(default="GET", description="GET, POST ...")
    status: int = Field(default=500, ge=400, le=599, description="For the kind status.")
    seconds: float = Field(default=6.0, gt=0, le=300, description="For the kind slow.")


FaultConfig = Annotated[PageFaultConfig | AnswerFaultConfig, Field(discriminator="kind")]


def in_page(faults: Sequence[PageFaultConfig | AnswerFaultConfig]) -> str:
    """The faults that the script in the page makes, as JSON; empty where there are none."""
    told: list[dict[str, Any]] = [
        {**fault.model_dump(exclude_none=True), "number": number}
        for number, fault in enumerate(faults)
        if isinstance(fault, PageFaultConfig)
    ]
    return json.dumps(told).replace("<", "\\u003c") if told else ""
