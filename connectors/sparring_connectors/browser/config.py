"""Settings of the connector `browser`."""

import os
import re
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, model_validator

from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.browser.chat_config import ChatConfig
from sparring_connectors.browser.faults import FaultConfig


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
    engine: Literal["chromium", "firefox", "webkit"] = "chromium"
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
        given = dict(cast("dict[str, Any]", data))
        if isinstance(given.get("trace"), bool):
            given["trace"] = "always" if given["trace"] else "never"
        if isinstance(given.get("chat"), bool):
            given["chat"] = {} if given["chat"] else None
        return given

    @model_validator(mode="after")
    def _names_once(self) -> "BrowserConfig":
        if both := sorted(self.variables.keys() & self.secrets.keys()):
            raise ValueError(f"{', '.join(both)}: is both a variable and a secret")
        missing = sorted({env for env in self.secrets.values() if not os.environ.get(env)})
        if missing:
            raise ValueError(f"secrets: not set in the environment: {', '.join(missing)}")
        return self
