"""The settings of the connector `alexa`."""

import re
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from sparring.interfaces.plugin import PluginConfig, Settings
from sparring_connectors.described.tls import TlsConfig

IsolationChoice = Literal["auto", "required", "bubblewrap", "namespaces", "none"]


class SkillConfig(Settings):
    """A skill: its folder, and what is not to be found there by itself.

    A plain text is short for `folder`.
    """

    folder: str = Field(description="the skill's folder, from where the suite lies")
    model: str | None = Field(
        default=None, description="its interaction model, from the folder; else found there"
    )
    handler: str | None = Field(
        default=None,
        description="its handler, from the folder: a file, or file.function; else found there",
    )
    endpoint: str | None = Field(
        default=None, description="an address that answers instead of a handler in the folder"
    )
    headers: dict[str, str] = Field(default={}, description="sent to the endpoint")
    tls: TlsConfig = TlsConfig()
    invocation: str | None = Field(default=None, description="instead of the model's name for it")
    application_id: str | None = Field(
        default=None, description="for skills that refuse others than their own"
    )
    python: str | None = Field(
        default=None, description="the Python that has the skill's libraries; else this one"
    )
    node: str | None = Field(default=None, description="the Node.js to use; else the one on PATH")
    environment: dict[str, str] = Field(
        default={}, description="variables of the environment that the handler gets"
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"folder": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Editors are told of the short form, too."""
        return {"anyOf": [{"type": "string"}, handler(core_schema)]}

    @field_validator("endpoint")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("https://", "http://")):
            raise ValueError("an endpoint begins with https:// or http://")
        return value


class DeviceConfig(Settings):
    """The device that is spoken to."""

    profile: Literal["headless", "screen"] = Field(
        default="headless", description="whether there is a screen"
    )
    buttons: int = Field(
        default=0, ge=0, le=4, description="how many Echo buttons are paired with it"
    )
    id: str | None = Field(default=None, description="else one per conversation")
    interfaces: dict[str, dict[str, JsonValue]] | None = Field(
        default=None, description="supportedInterfaces, instead of the profile's"
    )
    timezone: str = Field(default="UTC", description="an IANA name such as Europe/Madrid")

    @field_validator("timezone")
    @classmethod
    def _is_zone(cls, value: str) -> str:
        try:
            return value if value == "UTC" else ZoneInfo(value).key
        except (ValueError, OSError, ZoneInfoNotFoundError):
            raise ValueError(f"there is no time zone {value!r}") from None


class UserConfig(Settings):
    """The user who speaks."""

    kind: Literal["fresh", "returning"] = Field(
        default="fresh",
        description="whether each conversation has a user of its own who never met the skill",
    )
    id: str | None = Field(default=None, description="else one per conversation")
    warm_up: tuple[str, ...] = Field(
        default=("open {name}", "stop"),
        description="what a returning user said the last time; {name} is the skill's",
    )
    attributes: dict[str, JsonValue] = Field(
        default={}, description="persistent attributes that the skill finds stored"
    )
    access_token: str | None = Field(default=None, description="of a linked account")
    person_id: str | None = Field(default=None, description="of a recognised voice")


class ServicesConfig(Settings):
    """What the stand-in for Alexa's service API knows and may return."""

    granted: tuple[str, ...] | Literal["all"] = Field(
        default=(), description="permissions that the user has given, by scope, or all"
    )
    address: dict[str, JsonValue] = {
        "addressLine1": "1 Example Street",
        "addressLine2": "",
        "addressLine3": "",
        "districtOrCounty": "",
        "stateOrRegion": "WA",
        "city": "Seattle",
        "countryCode": "US",
        "postalCode": "98109",
    }
    name: str = "Jo Doe"
    given_name: str = "Jo"
    email: str = "jo@example.com"
    mobile: str = "2025550123"
    distance_unit: Literal["METRIC", "IMPERIAL"] = "METRIC"
    temperature_unit: Literal["CELSIUS", "FAHRENHEIT"] = "CELSIUS"
    products: tuple[dict[str, JsonValue], ...] = Field(
        default=(), description="in-skill products as the service describes them"
    )
    cards: Literal["ignore", "accept"] = Field(
        default="ignore",
        description="whether the user gives what a card asks for: permissions, a linked account",
    )

    @field_validator("granted")
    @classmethod
    def _all_of_a_list(
        cls, value: tuple[str, ...] | Literal["all"]
    ) -> tuple[str, ...] | Literal["all"]:
        """``[all]`` means what ``all`` means."""
        return "all" if "all" in value else value


class AlexaConfig(PluginConfig):
    """A skill on a local simulator of Alexa, or many skills, each on one of its own."""

    skill: SkillConfig | None = None
    skills: str | None = Field(
        default=None,
        min_length=1,
        description="instead of `skill`: a folder of skills' folders, or a CSV or YAML list of "
        "skills; each is tested on its own",
    )
    others: tuple[SkillConfig, ...] = Field(
        default=(), description="other skills that the user has enabled"
    )
    locale: str | None = Field(
        default=None, description="such as en-GB; else en-US, another English, or the first"
    )
    start: Literal["launch", "nothing"] = Field(
        default="launch",
        description="whether the skill is opened before the first words, or the user does that",
    )
    opening: str | None = Field(
        default=None, description="the words that open the skill, with {name}; else 'open {name}'"
    )
    device: DeviceConfig = DeviceConfig()
    user: UserConfig = UserConfig()
    services: ServicesConfig = ServicesConfig()
    timeout_s: float = Field(default=8.0, gt=0, le=600, description="for one response, in seconds")
    start_timeout_s: float = Field(
        default=30.0, gt=0, le=600, description="for loading the handler, in seconds"
    )
    process: Literal["session", "new", "run"] = Field(
        default="session",
        description="whether each conversation loads the handler anew, in a process that is used "
        "again if all that the skill did there can be undone (session), or always in a new one "
        "(new), or all conversations share one (run)",
    )
    network: Literal["allow", "cut", "stub", "record", "replay"] = Field(
        default="allow",
        description="whether handlers reach other hosts, none, what `answers` has instead (stub), "
        "the same in the order of its entries (replay), or hosts whose answers are added there "
        "(record)",
    )
    answers: str | None = Field(
        default=None,
        description="with `network: stub`, `record` and `replay`: a YAML of what other hosts "
        "answer, from where the suite lies",
    )
    isolation: IsolationChoice = Field(
        default="auto",
        description="what keeps handlers from this machine: the best that there is, with a warning "
        "if there is none (auto); that, or an error (required); one by name; nothing (none)",
    )
    memory_mb: int = Field(
        default=2048, ge=64, le=1_000_000,
        description="memory of a handler and all that it starts, in MiB (on Linux)",
    )  # fmt: skip
    readable: tuple[str, ...] = Field(
        default=(),
        description="files and folders that isolated handlers may read beside their skill and "
        "their libraries, from where the suite lies",
    )
    seeded: bool = Field(
        default=True, description="whether a handler's chance comes from the case's seed"
    )
    now: datetime | None = Field(
        default=None, description="the time that device and handlers believe it is"
    )
    clock: Literal["steady", "real"] = Field(
        default="steady",
        description="whether requests tell a time that only turns move on, or the real one",
    )
    failures: Literal["raise", "speak"] = Field(
        default="raise",
        description="whether a failing skill is an error, or what the device says of it",
    )
    time_in_session: Literal["skill", "platform"] = Field(
        default="skill", description="who is asked for the time while a skill is open"
    )
    coverage: Literal["none", "model", "lines"] = Field(
        default="model",
        description="what is kept count of: intents, slots and samples that are reached (model), "
        "and also handlers and lines, which takes time (lines)",
    )
    trace: Literal["full", "short"] = Field(
        default="full", description="whether turns keep whole requests and responses"
    )

    @model_validator(mode="after")
    def _one_or_many(self) -> "AlexaConfig":
        if (self.skill is None) == (self.skills is None):
            raise ValueError("give either 'skill', or 'skills' (a folder or a CSV of many)")
        is_stubbed = self.network in ("stub", "record", "replay")
        if is_stubbed != (self.answers is not None) and not (is_stubbed and self.skills):
            raise ValueError(
                "'network: stub' (or record, replay) and 'answers' (a YAML file) go together"
            )
        return self

    @field_validator("locale")
    @classmethod
    def _is_locale(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[a-z]{2}-[A-Z]{2}", value):
            raise ValueError("a locale looks like en-US")
        return value
