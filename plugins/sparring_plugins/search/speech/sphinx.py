"""The recogniser PocketSphinx, which brings its own model of English and needs no network."""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportMissingImports=false, reportUnknownArgumentType=false

import wave
from array import array
from importlib.util import find_spec
from pathlib import Path
from sys import byteorder
from threading import Lock
from typing import Any

from sparring.errors import MissingExtra
from sparring_plugins.search.speech.programs import SpeechFailed

RATE = 16_000
"""Samples per second that its model was made with."""


class Sphinx:
    """Hears one file at a time; the model is loaded with the first."""

    def __init__(self) -> None:
        if find_spec("pocketsphinx") is None:
            raise MissingExtra(
                "nothing is heard: no speech recogniser is installed. "
                "pip install 'sparring[speech]', or name a program with 'recogniser'"
            )
        self._decoder: Any = None
        self._turn = Lock()

    def heard(self, wav: Path) -> str:
        """The words that it hears; empty for none."""
        samples = read_samples(wav)
        with self._turn:
            if self._decoder is None:
                from pocketsphinx import Decoder

                self._decoder = Decoder(samprate=RATE, loglevel="FATAL")
            self._decoder.start_utt()
            self._decoder.process_raw(samples, full_utt=True)
            self._decoder.end_utt()
            found: Any = self._decoder.hyp()
        return str(getattr(found, "hypstr", ""))


def read_samples(wav: Path) -> bytes:
    """The sound of a WAV file as 16 bit, one channel, 16,000 samples a second."""
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
    return resampled(samples[::channels], rate).tobytes()


def resampled(samples: "array[int]", rate: int) -> "array[int]":
    """Samples at RATE, by straight lines between those that are there."""
    if rate == RATE or len(samples) < 2:
        return samples
    last = len(samples) - 1
    found = array("h")
    for number in range(last * RATE // rate):
        at, left = divmod(number * rate, RATE)
        one, other = samples[at], samples[at + 1]
        found.append(one + (other - one) * left // RATE)
    return found
