"""An app that needs nothing: it repeats what it is told."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.plugin import PluginConfig
from sparring.model.case import Case
from sparring.model.talk import Act, Choice, Listen, Observation, Press, act_text

ShortText = Annotated[str, Field(max_length=10_000)]


class EchoConfig(PluginConfig):
    """Settings of the echo app."""

    prefix: ShortText = Field(default="", description="Put before everything it repeats.")
    greeting: ShortText | None = Field(
        default=None,
        description="What it says of its own accord, once, when it is listened to first.",
    )
    delay_s: float = Field(
        default=0.0, ge=0, le=3600, description="Seconds it takes for an answer."
    )
    choices: tuple[ShortText, ...] = Field(
        default=(), description="Choices that every answer offers to press."
    )
    end_on: tuple[ShortText, ...] = Field(
        default=(), description="Words or phrases that make it end the conversation, in any case."
    )

    @field_validator("choices", "end_on", mode="after")
    @classmethod
    def _no_blanks(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        if any(not text.strip() for text in texts):
            raise ValueError("an empty text cannot be pressed or recognised")
        return texts


class EchoSession(AppSession):
    """One conversation with the echo app."""

    def __init__(self, config: EchoConfig) -> None:
        self._config = config
        self._greeting = config.greeting
        self._choices = tuple(Choice(label=label) for label in config.choices)
        words = "|".join(re.escape(word.strip()) for word in config.end_on)
        self._farewell = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    async def send(self, act: Act) -> Observation:
        await asyncio.sleep(self._config.delay_s)
        if isinstance(act, Listen):
            greeting, self._greeting = self._greeting, None
            return Observation(text=greeting or "", choices=self._choices if greeting else ())
        text = (act.value or act.label) if isinstance(act, Press) else act_text(act)
        ended = bool(self._farewell and self._farewell.search(text))
        return Observation(text=self._config.prefix + text, choices=self._choices, ended=ended)


class EchoConnector(AppConnector[EchoConfig]):
    """Repeats what it is told: the app of the first run, and of tests of everything else."""

    Config = EchoConfig
    offers: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.TEXT, Capability.CHOICES, Capability.SESSIONS}
    )

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        yield EchoSession(self.config)
