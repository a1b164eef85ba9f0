"""The perturbation `speech`: a text as a recogniser hears it from a synthesiser.

Both are programs: the synthesiser turns a text into a WAV file, the recogniser the file into a
text. The default recogniser PocketSphinx has its own model of English and needs no network.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportMissingImports=false
# pyright: reportUnknownArgumentType=false

import asyncio
import shutil
import subprocess
import wave
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from sys import byteorder
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, ClassVar

from pydantic import Field

from sparring.errors import ConfigurationError, MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.roles import Perturbation, PerturbationConfig, Perturbed, PerturbTask

WAV, TEXT = "{wav}", "{text}"
_TIMEOUT_S = 60.0
_MOST_HEARD = 10_000
_KNOWN = ("espeak-ng", "espeak")


class SpeechFailed(ConfigurationError):
    """A synthesiser or recogniser failed."""


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
    """Return what a recogniser prints for a file."""
    return _run(command, {WAV: str(wav)}, "", "recogniser")[:_MOST_HEARD]


def _run(command: Sequence[str], places: dict[str, str], standard_input: str, what: str) -> str:
    arguments = list(command)
    for place, value in places.items():
        arguments = [part.replace(place, value) for part in arguments]
    try:
        process = subprocess.run(
            arguments,
            input=standard_input.encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as err:
        raise SpeechFailed(f"the {what} {command[0]!r} cannot be run: {err}") from err
    if process.returncode:
        message = process.stderr.decode("utf-8", "replace").strip()[-300:]
        raise SpeechFailed(f"the {what} {command[0]!r} failed ({process.returncode}): {message}")
    return process.stdout.decode("utf-8", "replace")


RATE = 16_000
"""Samples per second that the model of PocketSphinx was made with."""


class Sphinx:
    """Recognises one file at a time; the model is loaded with the first."""

    def __init__(self) -> None:
        if find_spec("pocketsphinx") is None:
            raise MissingExtra(
                "nothing is heard: no speech recogniser is installed. "
                "pip install 'sparring[speech]', or name a program with 'recogniser'"
            )
        self._decoder: Any = None
        self._turn = Lock()

    def heard(self, wav: Path) -> str:
        """Return the words that it recognises; empty for none."""
        samples = read_samples(wav)
        with self._turn:
            if self._decoder is None:
                from pocketsphinx import Decoder

                self._decoder = Decoder(samprate=RATE, loglevel="FATAL")
            self._decoder.start_utt()
            self._decoder.process_raw(samples, full_utt=True)
            self._decoder.end_utt()
            hypothesis: Any = self._decoder.hyp()
        return str(getattr(hypothesis, "hypstr", ""))


def read_samples(wav: Path) -> bytes:
    """Return the sound of a WAV file as 16 bit, one channel, 16,000 samples a second."""
    try:
        with wave.open(str(wav), "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as err:
        raise SpeechFailed(f"the synthesiser's sound cannot be read: {err}") from err
    if width != 2:
        raise SpeechFailed(f"the synthesiser's sound has {8 * width} bits a sample, not 16")
    samples = array("h", frames[: len(frames) // 2 * 2])
    if byteorder == "big":
        samples.byteswap()
    return resample(samples[::channels], rate).tobytes()


def resample(samples: "array[int]", rate: int) -> "array[int]":
    """Return samples at RATE, by linear interpolation."""
    if rate == RATE or len(samples) < 2:
        return samples
    last = len(samples) - 1
    interpolated = array("h")
    for number in range(last * RATE // rate):
        at, rest = divmod(number * rate, RATE)
        left, right = samples[at], samples[at + 1]
        interpolated.append(left + (right - left) * rest // RATE)
    return interpolated


_MOST_SPOKEN = 2_000
_REMEMBERED = 10_000


class SpeechConfig(PerturbationConfig):
    """Settings of the perturbation `speech`.

    `synthesiser` is a command that speaks: it gets the text on its standard input (or in place of
    ``{text}``) and writes the sound to ``{wav}``; by default espeak-ng with `voice`. `recogniser`
    is a command that prints what it recognises in ``{wav}``; by default PocketSphinx. With `spare`,
    a text of which a protected word was misheard stays as it was. Nothing is random, and `rate` has
    no effect.
    """

    synthesiser: tuple[str, ...] = ()
    recogniser: tuple[str, ...] = ()
    voice: str = Field(default="en-us", pattern=r"^[A-Za-z0-9+-]+$")
    spare: bool = False


class Speech(Perturbation[SpeechConfig]):
    """Speaks a text into a file and returns what is recognised.

    What a voice assistant receives is never exactly what its users said; this is the real thing,
    unlike `asr-noise`, which only imitates it.
    """

    Config: ClassVar[type[PluginConfig]] = SpeechConfig
    keeps_meaning: ClassVar[bool] = False

    def __init__(self, config: SpeechConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._speaking = speech_command(config.synthesiser, config.voice)
        self._sphinx: Sphinx | None = None
        if config.recogniser:
            require_program(config.recogniser, WAV, "recogniser")
        else:
            self._sphinx = Sphinx()
        self._known: OrderedDict[str, str] = OrderedDict()

    async def act(self, task: PerturbTask) -> Perturbed:
        return await asyncio.to_thread(self.perturb, task, Random(task.seed))

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        spoken = _speakable(task.text)
        if not spoken:
            return Perturbed(text=task.text)
        said = self._recognise(spoken)
        if not said or (self.config.spare and not _keeps(said, task)):
            return Perturbed(text=task.text, places=1)
        changed = said.casefold() != spoken.casefold()
        what = ((spoken, said),) if changed else ()
        return Perturbed(text=said, changes=int(changed), places=1, what=what)

    def _recognise(self, spoken: str) -> str:
        cached = self._known.get(spoken)
        if cached is not None:
            return cached
        with TemporaryDirectory(prefix="sparring-speech-") as folder:
            wav = Path(folder) / "said.wav"
            speak(self._speaking, spoken, wav)
            if self._sphinx is not None:
                said = self._sphinx.heard(wav)
            else:
                said = listen(self.config.recogniser, wav)
        recognised = self._known[spoken] = _speakable(said)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return recognised


def _speakable(text: str) -> str:
    """Return a text on one line without characters that no voice says."""
    head = text[: 2 * _MOST_SPOKEN].encode("utf-8", "replace").decode()
    shown = "".join(char if char.isprintable() else " " for char in head)
    line = " ".join(shown.split())[:_MOST_SPOKEN]
    return line if any(char.isalnum() for char in line) else ""


def _keeps(said: str, task: PerturbTask) -> bool:
    """Whether every protected word was recognised as often as it was said."""
    recognised, meant = said.casefold(), task.text.casefold()
    return all(
        recognised.count(word.casefold()) == meant.count(word.casefold()) for word in task.protected
    )
