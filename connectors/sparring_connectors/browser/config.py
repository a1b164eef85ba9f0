"""Settings of the connector `browser`, its chat widget, and faults put into pages on purpose.

Faults need no source of the app: what is wrong with an element is done by a script in the page
(`in_page/faults.js`), what is wrong with an answer by a route between browser and app.
"""

import json
import os
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, model_validator

from sparring.interfaces.plugin import PluginConfig

# Settings of a chat widget on a page.


def _selector(text: str) -> str:
    if not text.strip():
        raise ValueError("a selector of CSS is empty")
    return text


Selector = Annotated[str, AfterValidator(_selector)]


class ChatConfig(PluginConfig):
    """A chat on the page; what is not given is found by itself, also in frames.

    All selectors are of CSS.
    """

    launcher: Selector | None = Field(default=None, description="What opens the chat.")
    input: Selector | None = Field(default=None, description="Where one types.")
    send: Selector | None = Field(
        default=None, description="What sends it; the Enter key where there is none."
    )
    bot: Selector | None = Field(default=None, description="Each message of the chatbot's.")
    choices: Selector | None = Field(default=None, description="Each button to choose from.")
    typing: Selector | None = Field(
        default=None, description="What is shown while the chatbot writes."
    )
    ignore: Selector | None = Field(
        default=None, description="What belongs to no answer: times, names, banners."
    )
    quiet_s: float = Field(
        default=0.8, gt=0, le=60,
        description="Seconds without a change after which an answer is complete.",
    )  # fmt: skip
    greeting_s: float = Field(
        default=1.5, ge=0, le=300, description="Seconds to wait for what it says unasked."
    )
    answer_s: float = Field(
        default=60, gt=0, le=3600, description="Seconds that a whole answer may take."
    )
    page: bool = Field(
        default=False, description="Whether every answer holds the page's snapshot, too."
    )


# Faults that are put into pages on purpose: what a suite of tests should notice.

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


def page_faults_json(faults: Sequence[PageFaultConfig | AnswerFaultConfig]) -> str:
    """The faults that the script in the page makes, as JSON; empty if there are none."""
    page_faults: list[dict[str, Any]] = [
        {**fault.model_dump(exclude_none=True), "number": number}
        for number, fault in enumerate(faults)
        if isinstance(fault, PageFaultConfig)
    ]
    return json.dumps(page_faults).replace("<", "\\u003c") if page_faults else ""


def _web_address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https", "file", "about", "data"):
        raise ValueError("write the whole address, with http:// or https://")
    if parts.scheme in ("http", "https") and not parts.hostname:
        raise ValueError(f"{text!r} names no host")
    return text


def _variable_name(name: str) -> str:
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(f"{name!r} is no name of a variable: letters, digits, _ . - only")
    return name


Address = Annotated[str, AfterValidator(_web_address)]
Name = Annotated[str, AfterValidator(_variable_name)]


class ViewportConfig(PluginConfig):
    """The size of the page, in CSS pixels."""

    width: int = Field(default=1280, ge=1, le=10_000)
    height: int = Field(default=800, ge=1, le=10_000)


class CredentialsConfig(PluginConfig):
    """For pages that ask for a user and a password before they are shown (HTTP)."""

    username: str
    password: str = Field(description="Write ${NAME} for the environment variable that holds it.")


class SettleConfig(PluginConfig):
    """When a page counts as quiet after an act."""

    quiet_ms: int = Field(
        default=40, ge=0, le=10_000,
        description="Milliseconds without a change, a request, a short timer or an animation.",
    )  # fmt: skip
    cap_s: float = Field(default=5, gt=0, le=300, description="Seconds to wait at the most.")
    request_s: float = Field(
        default=2, ge=0, le=300,
        description="Seconds after which a request that is still open counts as endless.",
    )  # fmt: skip


class TimeoutConfig(PluginConfig):
    """How long the app may take, in seconds."""

    action_s: float = Field(
        default=5, gt=0, le=600,
        description="Until a target is visible, enabled, at rest and on top.",
    )  # fmt: skip
    wait_s: float = Field(
        default=10, gt=0, le=600, description="Until a text is seen that is waited for."
    )
    navigation_s: float = Field(default=30, gt=0, le=600, description="For a new document.")
    start_s: float = Field(default=60, gt=0, le=600, description="For the browser itself.")


class SnapshotConfig(PluginConfig):
    """How much of a page is told."""

    elements: int = Field(default=4000, ge=10, le=100_000, description="Elements at the most.")
    text: int = Field(default=2000, ge=20, le=100_000, description="Characters of one text.")
    options: int = Field(default=1000, ge=1, le=100_000, description="Options of one list.")
    interactive: bool = Field(
        default=False, description="Only what can be acted on, with headings, dialogs and alerts."
    )


class AccessibilityConfig(PluginConfig):
    """What axe-core examines in each new state of a page."""

    tags: tuple[str, ...] = Field(
        default=("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"),
        min_length=1,
        description="Rules by axe-core's tags: wcag2a, wcag21aa, best-practice, section508 ...",
    )
    exclude: tuple[Selector, ...] = Field(
        default=(), description="What is not examined, by selectors of CSS."
    )
    timeout_s: float = Field(default=20, gt=0, le=600, description="For one state of a page.")


class ResetConfig(PluginConfig):
    """What puts the app's data back before each case: a request, or a command."""

    url: str | None = Field(default=None, description="An address, relative to the suite's.")
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    headers: dict[str, str] = {}
    body: JsonValue = Field(default=None, description="A text, or what is sent as JSON.")
    command: str | tuple[str, ...] | None = Field(
        default=None, description="A program with its arguments, run in the suite's folder."
    )
    timeout_s: float = Field(default=30, gt=0, le=3600)

    @model_validator(mode="after")
    def _one_of_both(self) -> "ResetConfig":
        if (self.url is None) == (self.command is None):
            raise ValueError("write either `url` or `command`")
        if self.command is not None and not self.command:
            raise ValueError("the command is empty")
        return self


class BrowserConfig(PluginConfig):
    """Settings of the connector `browser`."""

    url: Address = Field(description="Where the app is; other addresses are relative to it.")
    engine: Literal["chromium", "firefox", "webkit"] = Field(
        "chromium", description="The browser. Only Chromium is supported; the others are untried."
    )
    executable: str | None = Field(default=None, description="The browser's program, or its path.")
    headless: bool = True
    viewport: ViewportConfig = ViewportConfig()
    locale: str | None = Field(default=None, description="Such as en-GB.")
    timezone: str | None = Field(default=None, description="Such as Europe/Rome.")
    color_scheme: Literal["light", "dark"] | None = None
    user_agent: str | None = None
    headers: dict[str, str] = Field(default={}, description="Sent with every request.")
    credentials: CredentialsConfig | None = None
    storage_state: str | None = Field(
        default=None, description="A file of Playwright's with cookies and storage of a log-in."
    )
    verify_tls: bool = True
    variables: dict[Name, str] = Field(
        default={}, description="What %name% stands for in the values of acts."
    )
    secrets: dict[Name, str] = Field(
        default={}, description="As variables, by the names of environment variables."
    )
    block: Literal["nothing", "outside"] = Field(
        default="nothing", description="outside: requests that leave this machine are refused."
    )
    dialogs: Literal["accept", "dismiss", "ask"] = Field(
        default="accept", description="What is answered to alert, confirm and prompt."
    )
    screenshots: Literal["every", "failures", "never"] = "failures"
    trace: Literal["never", "on-failure", "always"] = "never"
    script_click: bool = Field(
        default=True,
        description="Whether a script clicks what no mouse can reach; it is reported.",
    )
    chat: ChatConfig | None = Field(
        default=None, description="A chat widget on the page; {} where it is to be found by itself."
    )
    accessibility: AccessibilityConfig | None = Field(
        default=None,
        description="Examine each new state of the pages with axe-core, for the oracle of that"
        " name; true for {}.",
    )
    reset: tuple[ResetConfig, ...] = Field(default=(), description="Done before each case.")
    faults: tuple[FaultConfig, ...] = Field(
        default=(), description="Faults put into the pages, to see what a suite notices."
    )
    requests: bool = Field(
        default=False, description="Whether the requests to the app are told among the events."
    )
    settle: SettleConfig = SettleConfig()
    timeout: TimeoutConfig = TimeoutConfig()
    snapshot: SnapshotConfig = SnapshotConfig()

    @model_validator(mode="before")
    @classmethod
    def _flags(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        settings = dict(cast("dict[str, Any]", data))
        if isinstance(settings.get("trace"), bool):
            settings["trace"] = "always" if settings["trace"] else "never"
        for name in ("chat", "accessibility"):
            if isinstance(settings.get(name), bool):
                settings[name] = {} if settings[name] else None
        return settings

    @model_validator(mode="after")
    def _names_once(self) -> "BrowserConfig":
        if both := sorted(self.variables.keys() & self.secrets.keys()):
            raise ValueError(f"{', '.join(both)}: is both a variable and a secret")
        missing = sorted({env for env in self.secrets.values() if not os.environ.get(env)})
        if missing:
            raise ValueError(f"secrets: not set in the environment: {', '.join(missing)}")
        return self
