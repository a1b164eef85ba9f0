"""The settings of the connector `alexa-smapi`."""

import re
from typing import Literal

from pydantic import Field, field_validator

from sparring.interfaces.plugin import PluginConfig


class SmapiConfig(PluginConfig):
    """A skill of your own that is enabled, asked through Amazon's simulation API."""

    skill_id: str = Field(description="such as amzn1.ask.skill.…")
    name: str = Field(description="the invocation name")
    client_id: str = Field(description="of a security profile of Login with Amazon")
    client_secret: str = Field(description="of that profile; from the environment as ${NAME}")
    refresh_token: str = Field(description="of a developer; from the environment as ${NAME}")
    stage: Literal["development", "live"] = "development"
    locale: str = "en-US"
    start: Literal["launch", "nothing"] = Field(
        default="launch",
        description="whether the skill is opened before the first words, or the user does that",
    )
    opening: str = Field(default="open {name}", description="the words that open the skill")
    isolated: bool = Field(
        default=False, description="simulate without other skills (NFI_ISOLATED_SIMULATION)"
    )
    poll_s: float = Field(default=1.0, gt=0, le=60, description="between two looks at a result")
    timeout_s: float = Field(default=60.0, gt=0, le=600, description="for one turn, in seconds")
    busy_s: float = Field(
        default=60.0, ge=0, le=3600,
        description="how long to try again while another simulation runs or too many were made",
    )  # fmt: skip
    endpoint: str = Field(default="https://api.amazonalexa.com", description="of SMAPI")
    auth_endpoint: str = Field(default="https://api.amazon.com", description="of Login with Amazon")

    @field_validator("endpoint", "auth_endpoint")
    @classmethod
    def _is_address(cls, value: str) -> str:
        near = re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])(:|/|$)", value)
        if not value.startswith("https://") and not near:
            raise ValueError("an address begins with https:// (http:// only on this machine)")
        return value.rstrip("/")

    @field_validator("client_id", "client_secret", "refresh_token", "skill_id", "name")
    @classmethod
    def _is_given(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be empty")
        return value
