"""Sound as WAV files: reading samples, and changing their rate."""

import io
import wave
from array import array
from pathlib import Path
from sys import byteorder

from sparring.errors import ConfigurationError

RATE = 16_000
"""Samples per second that the model of PocketSphinx was made with."""


_RATES = range(4_000, 192_001)


class SpeechFailed(ConfigurationError):
    """A synthesiser or recogniser failed."""


def read_samples(wav: Path | bytes) -> bytes:
    """Return the sound of a WAV file as 16 bit, one channel, 16,000 samples a second.

    Raises SpeechFailed if it is no such file, or has another number of bits.
    """
    source = io.BytesIO(wav) if isinstance(wav, bytes) else str(wav)
    try:
        with wave.open(source, "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (OSError, EOFError, RuntimeError, ValueError, ZeroDivisionError, wave.Error) as err:
        raise SpeechFailed(f"the synthesiser's sound cannot be read: {err}") from err
    if width != 2:
        raise SpeechFailed(f"the synthesiser's sound has {8 * width} bits a sample, not 16")
    if rate not in _RATES:
        raise SpeechFailed(f"the synthesiser's sound has {rate} samples a second")
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
