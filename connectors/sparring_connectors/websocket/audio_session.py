"""One conversation by voice: what the user says is spoken, what the app says is heard."""

import asyncio
import base64
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext
from sparring.model.talk import Observation
from sparring_connectors.described.extraction import first_value
from sparring_connectors.described.reply import join_observations
from sparring_connectors.described.template import to_text
from sparring_connectors.websocket.audio_config import AUDIO, AudioConfig
from sparring_connectors.websocket.connection import ConnectionEnded
from sparring_connectors.websocket.messages import AnswerCollector, IncomingMessage
from sparring_connectors.websocket.plan import WebSocketPlan
from sparring_connectors.websocket.session import WebSocketSession
from sparring_connectors.websocket.sound import (
    Chunk,
    encode,
    hearing,
    is_audible,
    joined,
    read_wav,
    write_wav,
)


class Voice:
    """Speaks the user's words, and hears the app's."""

    def __init__(self, config: AudioConfig, context: BuildContext) -> None:
        self.config = config
        self._speaker: Agent[str, bytes, Any] = context.part(Agent, config.speaker, role="speaker")
        self._recogniser: Agent[bytes, str, Any] = context.part(
            Agent, config.recogniser, role="recogniser"
        )

    async def speak(self, text: str) -> "array[int]":
        """The samples of a text; none if there is nothing to say."""
        sound = await self._speaker.act(text)
        try:
            return await asyncio.to_thread(read_wav, sound, self.config.rate)
        except ValueError as err:
            raise ConfigurationError(f"audio.speaker: what it returned is {err}") from err

    async def hear(self, samples: "array[int]") -> str:
        """The words in samples; the recogniser is not asked about silence."""
        if not is_audible(samples, self.config.rate):
            return ""
        return await self._recogniser.act(write_wav(samples, self.config.rate))


@dataclass(frozen=True, slots=True)
class _Spoken:
    """When the user spoke: from `began_s` to `ended_s` by the event loop's clock.

    `interrupts` says that the app was still speaking, `over` is what it said meanwhile.
    """

    began_s: float
    ended_s: float
    interrupts: bool
    over: tuple[Chunk, ...] = ()


class SpokenAnswer(AnswerCollector):
    """Collects the sound of one answer; the user interrupts it after `cut_s` seconds, if given."""

    def __init__(
        self, plan: WebSocketPlan, silence_s: float | None, rate: int, cut_s: float | None
    ) -> None:
        super().__init__(plan, silence_s)
        self.chunks: list[Chunk] = []
        self.understood = ""
        self.is_cut = False
        self._rate = rate
        self._cut_s = cut_s
        self._cut_at: float | None = None

    def note(self, item: IncomingMessage) -> bool:
        belongs = super().note(item)
        self.understood = understood_in(item, self._plan) or self.understood
        if item.sound is not None:
            self.chunks.append(Chunk(item.arrived_s, item.sound))
            if (
                self._cut_s is not None
                and self._cut_at is None
                and is_audible(item.sound, self._rate)
            ):
                self._cut_at = item.arrived_s + self._cut_s
        self._cut()
        return belongs

    def wait_is_over(self) -> None:
        self._cut()
        if not self.is_over:
            super().wait_is_over()

    def _cut(self) -> None:
        now = asyncio.get_running_loop().time()
        if not self.is_over and self._cut_at is not None and now >= self._cut_at:
            self.is_over = self.is_cut = True

    def _next_deadline(self) -> float:
        deadline = super()._next_deadline()
        return deadline if self._cut_at is None else min(deadline, self._cut_at)


def understood_in(item: IncomingMessage, plan: WebSocketPlan) -> str:
    """What a message says that the app understood; empty if it says nothing of it."""
    audio = plan.config.audio
    if audio is None or audio.understood is None or item.sound is not None:
        return ""
    value = first_value((audio.understood,), item.data)
    return "" if value is None else to_text(value)


class AudioSession(WebSocketSession):
    """A conversation by voice, over one connection.

    The payload of an observation has ``audio``: when and how long the app was heard, what it did
    while the user spoke, and what it understood if it says so.
    """

    def __init__(self, voice: Voice, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._voice = voice
        self._audio = voice.config
        self._utterance = array("h")
        self._spoken: _Spoken | None = None
        self._collected: SpokenAnswer | None = None
        self._was_cut = False

    async def _say(self, text: str) -> Observation:
        self._utterance = await self._voice.speak(text)
        return await self._speak(None, text, text)

    async def _press(self, label: str, value: str) -> Observation:
        return await self._say(label)

    async def _take_late_messages(self) -> Observation:
        """What has come since the last answer; nothing of one that the user interrupted."""
        items = await self._late_items()
        late = join_observations([one.reading.observation for one in items if one.reading])
        chunks = [Chunk(one.arrived_s, one.sound) for one in items if one.sound is not None]
        if self._was_cut or not chunks or self._audio.text == "messages":
            return late
        text = await self._voice.hear(joined(chunks))
        return join_observations([late, Observation(text=text)])

    async def _ask(self, body: Any) -> Observation:
        assert self._connection is not None
        self._spoken = await self._speak_aloud()
        for message in self._plan.after_speech:
            await self._connection.send(message)
        self._clock.start()
        return await self._answer(self._config.over.silence_s)

    async def _speak_aloud(self) -> _Spoken:
        """Send what is said, and the silence after it; returns when that was."""
        audio, began = self._audio, _now()
        interrupts, self._was_cut = self._was_cut, False
        await self._send_sound(self._utterance, began)
        words_s = len(self._utterance) / audio.rate
        ended = began + words_s if audio.is_paced else _now()
        silence = array("h", bytes(2 * int(audio.silence_after_s * audio.rate)))
        if audio.encoding != "wav":
            await self._send_sound(silence, ended)
        over: list[Chunk] = []
        for item in await self._items_so_far():
            is_over = item.sound is not None and item.arrived_s < ended
            if is_over and item.sound is not None:
                over.append(Chunk(item.arrived_s, item.sound))
            # What the app still says of an answer that was interrupted, and that this is over,
            # belongs to no answer.
            if not (interrupts and item.arrived_s < ended):
                self._early.append(item)
        return _Spoken(began, ended, interrupts, tuple(over))

    async def _items_so_far(self) -> list[IncomingMessage]:
        """What has come and was not looked at; the end of the connection is found again later."""
        assert self._connection is not None
        await asyncio.sleep(0)  # let what has arrived be read
        items: list[IncomingMessage] = []
        try:
            while self._connection.is_waiting():
                items.append(await self._take())
        except ConnectionEnded:
            pass
        return items

    async def _send_sound(self, samples: "array[int]", began_s: float) -> None:
        """Send samples in pieces, in their own time if that is wanted."""
        assert self._connection is not None
        audio = self._audio
        size = max(1, int(audio.chunk_s * audio.rate))
        size = max(1, len(samples)) if audio.encoding == "wav" else size
        sent = 0
        for start in range(0, len(samples), size):
            piece = samples[start : start + size]
            sound = encode(piece, audio.encoding, audio.rate)
            if self._plan.sound is None:
                await self._connection.send_bytes(sound)
            else:
                self._values[AUDIO] = base64.b64encode(sound).decode()
                await self._connection.send(self._plan.sound)
            sent += len(piece)
            if audio.is_paced:
                await asyncio.sleep(max(0.0, began_s + sent / audio.rate - _now()))
        self._values.pop(AUDIO, None)

    async def _answer(self, silence_s: float | None) -> Observation:
        observation = await super()._answer(silence_s)
        self._clock.stop()
        assert self._collected is not None
        return await self._describe(observation, self._collected)

    def _collector(self, silence_s: float | None) -> AnswerCollector:
        barge_in, turn = self._audio.barge_in, self._values["turn"]
        cuts = barge_in is not None and turn > 0 and turn % barge_in.every == 0
        cut_s = barge_in.after_s if barge_in is not None and cuts else None
        self._collected = SpokenAnswer(self._plan, silence_s, self._audio.rate, cut_s)
        return self._collected

    async def _describe(self, observation: Observation, answer: SpokenAnswer) -> Observation:
        """Add what was heard and when; waits until the answer has been listened to."""
        heard = hearing(answer.chunks, self._audio.rate)
        text = observation.text
        if self._audio.text == "heard":
            text = await self._voice.hear(joined(answer.chunks))
        self._was_cut = answer.is_cut
        if self._audio.is_paced and not answer.is_cut:
            await asyncio.sleep(max(0.0, heard.until_s - _now()))
        spoken, self._spoken = self._spoken, None
        is_silent = heard.first_s is None and not text and not observation.choices
        report: dict[str, JsonValue] = {
            "first_sound_s": _since(heard.first_s, spoken),
            "sound_s": round(heard.sound_s, 3),
            "longest_gap_s": round(heard.gap_s, 3),
            "silent": is_silent and not observation.ended,
            "interrupted": answer.is_cut,
            **self._while_speaking(spoken),
            **({"understood": answer.understood} if answer.understood else {}),
        }
        payload = observation.payload
        kept = payload if isinstance(payload, dict) else {}
        if payload is not None and not kept:
            kept = {"data": payload}
        return observation.model_copy(update={"text": text, "payload": {**kept, "audio": report}})

    def _while_speaking(self, spoken: _Spoken | None) -> dict[str, JsonValue]:
        """What the app said while the user spoke; unknown if sound is sent at once."""
        if spoken is None:
            return {}
        said = {"said_s": round(len(self._utterance) / self._audio.rate, 3)}
        if not self._audio.is_paced:
            return {**said}
        if spoken.interrupts:
            return {**said, "went_on_s": round(_went_on_s(spoken, self._audio.rate), 3)}
        sound_s = hearing(spoken.over, self._audio.rate).sound_s
        return {**said, "spoke_over_s": round(sound_s, 3)}


def _went_on_s(spoken: _Spoken, rate: int) -> float:
    """How long after the user began to speak the app still sent sound."""
    audible: Sequence[Chunk] = [one for one in spoken.over if is_audible(one.samples, rate)]
    return max((one.arrived_s - spoken.began_s for one in audible), default=0.0)


def _since(moment_s: float | None, spoken: _Spoken | None) -> float | None:
    """Seconds from the user's last word; `None` if nothing was heard, or nothing was said."""
    if moment_s is None or spoken is None:
        return None
    return round(max(0.0, moment_s - spoken.ended_s), 3)


def _now() -> float:
    return asyncio.get_running_loop().time()
