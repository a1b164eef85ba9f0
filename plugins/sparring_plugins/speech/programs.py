"""Programs that speak a text into a WAV file, and programs that print what they hear in one.

The agents `speaker.program` and `recogniser.program` are given a text and return the bytes of a WAV
file, and the reverse.
"""

import asyncio
import shutil
import subprocess
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from pydantic import Field

from sparring.errors import ConfigurationError, MissingExtra
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.speech.wave_files import SpeechFailed

WAV, TEXT = "{wav}", "{text}"
_TIMEOUT_S = 60.0
_BYTES_A_SECOND = 16_000
"""Of 16 bit at 8,000 samples a second, the least that is spoken with."""
_MOST_HEARD = 10_000
_KNOWN = ("espeak-ng", "espeak")
_REMEMBERED_BYTES = 30_000_000
"""Sound that a speaker keeps to say the same again; about a quarter of an hour of it."""
_MOST_SPOKEN = 2_000


def speech_command(command: Sequence[str], voice: str) -> list[str]:
    """Return the command of a synthesiser: the given one, else one that is installed.

    Raises MissingExtra if there is none.
    """
    if command:
        require_program(command, WAV, "synthesiser")
        return list(command)
    program = next((path for name in _KNOWN if (path := shutil.which(name))), None)
    if program is None:
        raise MissingExtra(
            "nothing is spoken: no speech synthesiser is installed. Install espeak-ng (apt install "
            "espeak-ng, brew install espeak-ng), or name a program with 'synthesiser'"
        )
    return [program, "-v", voice, "-w", WAV, "--stdin"]


def require_program(command: Sequence[str], place: str, setting: str) -> None:
    """Raise ConfigurationError for a command without its placeholder, or without program."""
    if not any(place in part for part in command):
        raise ConfigurationError(f"{setting}: the command has no {place}, where the sound lies")
    if shutil.which(command[0]) is None:
        raise ConfigurationError(f"{setting}: there is no program {command[0]!r}")


def speak(command: Sequence[str], text: str, wav: Path) -> None:
    """Speak a text into a file; the program gets it in its arguments, or on standard input."""
    _run(command, {WAV: str(wav), TEXT: text}, text, "synthesiser")
    if not wav.is_file() or not wav.stat().st_size:
        raise SpeechFailed(f"the synthesiser {command[0]!r} wrote no sound for {text[:80]!r}")


def listen(command: Sequence[str], wav: Path) -> str:
    """Return what a recogniser prints for a file; a longer one may take it longer."""
    longer_s = wav.stat().st_size / _BYTES_A_SECOND if wav.is_file() else 0.0
    return _run(command, {WAV: str(wav)}, "", "recogniser", longer_s)[:_MOST_HEARD]


def _run(
    command: Sequence[str],
    places: dict[str, str],
    standard_input: str,
    what: str,
    longer_s: float = 0.0,
) -> str:
    arguments = list(command)
    for place, value in places.items():
        arguments = [part.replace(place, value) for part in arguments]
    try:
        process = subprocess.run(
            arguments,
            input=standard_input.encode(),
            capture_output=True,
            timeout=_TIMEOUT_S + longer_s,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as err:
        raise SpeechFailed(f"the {what} {command[0]!r} cannot be run: {err}") from err
    if process.returncode:
        message = process.stderr.decode("utf-8", "replace").strip()[-300:]
        raise SpeechFailed(f"the {what} {command[0]!r} failed ({process.returncode}): {message}")
    return process.stdout.decode("utf-8", "replace")


def speakable(text: str) -> str:
    """Return a text on one line without characters that no voice says; empty if none is left."""
    head = text[: 2 * _MOST_SPOKEN].encode("utf-8", "replace").decode()
    shown = "".join(char if char.isprintable() else " " for char in head)
    line = " ".join(shown.split())[:_MOST_SPOKEN]
    return line if any(char.isalnum() for char in line) else ""


class SpeakerConfig(PluginConfig):
    """Settings of the agent `speaker.program`.

    `synthesiser` is a command that speaks: it gets the text on its standard input (or in place of
    ``{text}``) and writes the sound to ``{wav}``; by default espeak-ng with `voice`.
    """

    synthesiser: tuple[str, ...] = ()
    voice: str = Field(default="en-us", pattern=r"^[A-Za-z0-9+-]+$")


class ProgramSpeaker(Agent[str, bytes, SpeakerConfig]):
    """Speaks a text; returns a WAV file's bytes, which are empty if there is nothing to say."""

    role: ClassVar[str] = "speaker"
    Config: ClassVar[type[PluginConfig]] = SpeakerConfig

    def __init__(self, config: SpeakerConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._command = speech_command(config.synthesiser, config.voice)
        self._sounds: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0

    async def act(self, task: str) -> bytes:
        text = speakable(task)
        if not text:
            return b""
        if text not in self._sounds:
            self._keep(text, await asyncio.to_thread(self._spoken, text))
        self._sounds.move_to_end(text)
        return self._sounds[text]

    def _spoken(self, text: str) -> bytes:
        with TemporaryDirectory(prefix="sparring-speech-") as folder:
            wav = Path(folder) / "said.wav"
            speak(self._command, text, wav)
            return wav.read_bytes()

    def _keep(self, text: str, sound: bytes) -> None:
        self._sounds[text] = sound
        self._kept_bytes += len(sound)
        while self._kept_bytes > _REMEMBERED_BYTES and len(self._sounds) > 1:
            _, oldest = self._sounds.popitem(last=False)
            self._kept_bytes -= len(oldest)


class RecogniserConfig(PluginConfig):
    """Settings of the agent `recogniser.program`.

    `recogniser` is a command that prints what it recognises in ``{wav}``.
    """

    recogniser: tuple[str, ...] = Field(min_length=1)


class ProgramRecogniser(Agent[bytes, str, RecogniserConfig]):
    """Returns what a program prints for the bytes of a WAV file."""

    role: ClassVar[str] = "recogniser"
    Config: ClassVar[type[PluginConfig]] = RecogniserConfig

    def __init__(self, config: RecogniserConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        require_program(config.recogniser, WAV, "recogniser")

    async def act(self, task: bytes) -> str:
        return await asyncio.to_thread(self._heard, task)

    def _heard(self, sound: bytes) -> str:
        with TemporaryDirectory(prefix="sparring-speech-") as folder:
            wav = Path(folder) / "heard.wav"
            wav.write_bytes(sound)
            return " ".join(listen(self.config.recogniser, wav).split())
