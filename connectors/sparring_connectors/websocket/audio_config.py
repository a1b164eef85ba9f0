"""Settings of voice agents: how sound is sent and taken, who speaks it and who hears it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from sparring.interfaces.plugin import PluginConfig, Use, UseOf
from sparring_connectors.described.reply_config import JsonPath
from sparring_connectors.described.template import SettingPath, Template, texts_in
from sparring_connectors.websocket.sound import Encoding

AUDIO = "audio"
"""The placeholder of a message that carries sound: the bytes in base64."""


class BargeInConfig(PluginConfig):
    """When the user speaks while the app still does."""

    every: int = Field(
        default=3,
        ge=1,
        le=1000,
        description="The answer to every n-th input is interrupted (n = `every`).",
    )
    after_s: float = Field(
        default=0.5, ge=0, le=60, description="Seconds of it that are listened to."
    )


class AudioConfig(PluginConfig):
    """An app that is spoken to, and speaks.

    The user's words are spoken by the agent `speaker`, and the app's are what the agent
    `recogniser` hears.
    """

    speaker: Annotated[Use, UseOf("sparring.agents", role="speaker")] = Field(
        default=Use(use="program"), description="Who speaks the user's words."
    )
    recogniser: Annotated[Use, UseOf("sparring.agents", role="recogniser")] = Field(
        default=Use(use="pocketsphinx"), description="Who hears what the app says."
    )
    rate: int = Field(
        default=16_000, ge=8_000, le=48_000, description="Samples a second, both ways."
    )
    encoding: Encoding = Field(
        default="pcm16",
        description="How samples are written: 16 bit little-endian, mu-law, or WAV files.",
    )
    send: JsonValue = Field(
        default=None,
        description="The message that carries a piece of sound, with `{audio}` in base64; "
        "a binary message without it.",
    )
    at: JsonPath | None = Field(
        default=None,
        description="Where the app's messages have sound in base64; binary ones are sound anyway.",
    )
    chunk_s: float = Field(
        default=0.1, ge=0.01, le=10, description="Seconds of sound that a message carries."
    )
    silence_after_s: float = Field(
        default=0.6,
        ge=0,
        le=10,
        description="Seconds of silence after the words, which end them.",
    )
    after: tuple[JsonValue, ...] = Field(
        default=(), description="Messages that say that the user has spoken."
    )
    pace: Literal["real", "fast"] = Field(
        default="real",
        description="Whether sound is sent as fast as it is spoken, and listened to, or at once.",
    )
    text: Literal["heard", "messages"] = Field(
        default="heard",
        description="What the app's words are: what is heard, or the texts of its messages.",
    )
    understood: JsonPath | None = Field(
        default=None, description="Where the app's messages say what it understood of the user."
    )
    barge_in: BargeInConfig | None = Field(
        default=None, description="When the user interrupts the app; never without it."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> "AudioConfig":
        if self.send is not None and not any(
            slot.name == AUDIO
            for _, text in texts_in(self.send)
            for slot in Template.of(text).slots
        ):
            raise ValueError("send: the sound is nowhere in it: write {audio}")
        if self.barge_in is not None and self.pace == "fast":
            raise ValueError("barge_in: an app cannot be interrupted with pace: fast")
        if self.encoding == "wav" and self.pace == "real" and "pace" in self.model_fields_set:
            raise ValueError("pace: a WAV file is sent at once; drop it")
        if self.encoding == "wav" and self.barge_in is not None:
            raise ValueError("barge_in: an app that is sent WAV files cannot be interrupted")
        return self

    @property
    def is_paced(self) -> bool:
        """Whether sound is sent and listened to in its own time."""
        return self.pace == "real" and self.encoding != "wav"

    def templates(self) -> Iterator[tuple[SettingPath, str]]:
        """Every text that is sent and may hold placeholders, with the path to it."""
        yield from texts_in(self.send, ("audio", "send"))
        for number, body in enumerate(self.after):
            yield from texts_in(body, ("audio", "after", number))
