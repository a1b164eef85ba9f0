"""A voice agent on this machine, and a "voice" that is quick and never misheard.

The voice is a modem: each letter is two bursts of 10 ms, told apart by how often the sign changes
in them, so that it survives other rates and telephone encodings. The agent listens for the silence
after the user's words, as voice agents do, and streams what it says.
"""

import asyncio
import json
import threading
from array import array
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring_connectors.websocket.sound import (
    Encoding,
    decode,
    encode,
    is_audible,
    read_wav,
    write_wav,
)

RATE = 8_000
_LEVEL = 8_000


def tones(text: str, rate: int = RATE) -> "array[int]":
    """The samples of a text."""
    samples = array("h")
    for byte in text.encode("ascii", "replace"):
        for nibble in (byte >> 4, byte & 15):
            samples.extend(_burst(nibble + 2, rate // 100))
    return samples


def _burst(halves: int, size: int) -> Iterator[int]:
    """As many half periods of a square wave in a burst."""
    for at in range(size):
        yield -_LEVEL if at * halves // size % 2 else _LEVEL


def words(samples: "array[int]", rate: int = RATE) -> str:
    """The texts in samples, with a blank for each silence between two."""
    size, heard = rate // 100, bytearray()
    nibbles: list[int] = []
    samples = samples + array("h", bytes(2 * size))
    at = next((n for n, sample in enumerate(samples) if abs(sample) > 1_000), len(samples))
    while at + size <= len(samples):
        burst = samples[at : at + size]
        if max(map(abs, burst)) < 1_000:
            if heard and not heard.endswith(b" "):
                heard += b" "
            nibbles.clear()
            at += 1
            continue
        signs = [sample > 0 for sample in burst if abs(sample) > 1_000]
        nibbles.append(sum(a != b for a, b in pairwise(signs)) - 1)
        at += size
        if len(nibbles) == 2:
            heard.append(max(0, nibbles[0]) << 4 & 0xF0 | max(0, nibbles[1]) & 15)
            nibbles.clear()
    return heard.decode("ascii", "replace").strip()


class ModemSpeaker(Agent[str, bytes, PluginConfig]):
    role: ClassVar[str] = "speaker"

    async def act(self, task: str) -> bytes:
        return write_wav(tones(task), RATE)


class ModemRecogniser(Agent[bytes, str, PluginConfig]):
    role: ClassVar[str] = "recogniser"

    async def act(self, task: bytes) -> str:
        return words(read_wav(task, RATE))


MODEM = {"speaker": "tests.voice_agent:ModemSpeaker",
         "recogniser": "tests.voice_agent:ModemRecogniser"}  # fmt: skip


@dataclass
class Said:
    """What the agent does for something that it heard: `parts` are spoken with pauses between."""

    parts: tuple[str, ...] = ()
    pause_s: float = 0.0
    hangs_up: bool = False
    crashes: bool = False
    is_patient: bool = True
    """Whether it goes on speaking when the user interrupts it."""


Script = Callable[[str], Said]


@dataclass
class VoiceAgent:
    """An agent behind a WebSocket in a thread of its own; `heard` is what users said to it."""

    script: Script
    rate: int = RATE
    encoding: Encoding = "pcm16"
    greeting: str = ""
    as_json: bool = False
    paced: bool = False
    hasty: bool = False
    """Whether it answers as soon as it hears anything."""
    speak: Callable[[str], "array[int]"] = tones
    understand: Callable[["array[int]"], str] = words
    ends_after_s: float = 0.3
    heard: list[str] = field(default_factory=list[str])
    url: str = ""
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def __enter__(self) -> "VoiceAgent":
        ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
        self._loop.close()

    def _run(self, ready: threading.Event) -> None:
        async def main() -> None:
            async with serve(self._talk, "127.0.0.1", 0, close_timeout=1) as server:
                port = next(iter(server.sockets)).getsockname()[1]
                self.url = f"ws://127.0.0.1:{port}/talk"
                ready.set()
                await self._stop.wait()

        self._loop.run_until_complete(main())

    async def _talk(self, connection: ServerConnection) -> None:
        talk = _Talk(self, connection)
        with suppress(ConnectionClosed):
            await talk.run()
        talk.hush()


class _Talk:
    """One conversation."""

    def __init__(self, agent: VoiceAgent, connection: ServerConnection) -> None:
        self._agent, self._connection = agent, connection
        self._samples = array("h")
        self._quiet = 0
        self._speaking: asyncio.Task[None] | None = None
        self._yields = True

    def hush(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()

    async def run(self) -> None:
        if self._agent.greeting:
            self._begin(Said((self._agent.greeting,)))
        async for sound in self._incoming():
            if is_audible(sound, self._agent.rate):
                if self._speaking is not None and self._yields and not self._agent.hasty:
                    self.hush()
                self._quiet = 0
                self._samples.extend(sound)
                if self._agent.hasty and self._speaking is None:
                    self._begin(self._agent.script(""))
            elif self._samples:
                self._samples.extend(sound)
                self._quiet += len(sound)
            if self._samples and self._quiet >= self._agent.ends_after_s * self._agent.rate:
                said = self._agent.understand(self._samples)
                self._samples = array("h")
                self._agent.heard.append(said)
                if self._agent.as_json:
                    await self._connection.send(json.dumps({"type": "heard", "text": said}))
                self._begin(self._agent.script(said))

    async def _incoming(self) -> AsyncIterator["array[int]"]:
        import base64

        agent = self._agent
        async for message in self._connection:
            if isinstance(message, bytes):
                yield decode(message, agent.encoding, agent.rate, "agent")
                if agent.encoding == "wav":
                    yield array("h", bytes(2 * agent.rate))
            else:
                data: Any = json.loads(message)
                if data.get("type") == "sound":
                    sound = base64.b64decode(data["audio"])
                    yield decode(sound, agent.encoding, agent.rate, "agent")

    def _begin(self, said: Said) -> None:
        self.hush()
        self._yields = said.is_patient
        self._speaking = asyncio.create_task(self._say(said))

    async def _say(self, said: Said) -> None:
        import base64

        agent = self._agent
        if said.crashes:
            await self._connection.close(1011, "internal error")
            return
        for number, part in enumerate(said.parts):
            if number:
                await asyncio.sleep(said.pause_s)
            samples = agent.speak(part)
            size = len(samples) if agent.encoding == "wav" else agent.rate // 10
            for start in range(0, len(samples), size):
                piece = samples[start : start + size]
                sound = encode(piece, agent.encoding, agent.rate)
                if agent.as_json:
                    audio = base64.b64encode(sound).decode()
                    await self._connection.send(json.dumps({"type": "sound", "audio": audio}))
                else:
                    await self._connection.send(sound)
                if agent.paced:
                    await asyncio.sleep(len(piece) / agent.rate)
        await self._connection.send(json.dumps({"type": "done"}))
        if said.hangs_up:
            await self._connection.close()
