"""Sound as a voice agent sends and takes it: samples, encodings, and what can be heard of it when.

Samples are 16 bit, one channel. Nothing here waits or speaks to anybody.
"""

import io
import struct
import sys
import wave
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sparring.errors import AppProtocolError

Encoding = Literal["pcm16", "mulaw", "wav"]
"""How samples are written: little-endian 16 bit, 8 bit as telephones send them (G.711), or each
message a WAV file of its own."""

# Speech is judged in frames of 20 ms, as telephony codecs cut it.
_FRAME_S = 0.02
_AUDIBLE = 200
"""Mean level of 20 ms from which they count as sound, of 32,767: -44 dB.

Room noise and comfort noise of telephones lie near -60 dB, quiet syllables above -40 dB.
"""
_BIAS, _CLIP = 0x84, 32_635
_MISREAD = (wave.Error, EOFError, RuntimeError, ValueError, ZeroDivisionError, struct.error)
"""What the standard library raises for WAV files whose headers are wrong."""
_RATES = range(4_000, 192_001)
"""Samples a second that a WAV file may have: telephones have 8,000, studios 192,000."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Samples that came in one message, and when, in seconds of the event loop's clock."""

    arrived_s: float
    samples: "array[int]"


@dataclass(frozen=True, slots=True)
class Hearing:
    """What can be heard of an answer that is played as it comes, in seconds.

    `first_s` is when the first sound is audible, `until_s` when all has been played, both by the
    event loop's clock; `sound_s` is how long there is something to hear, `gap_s` the longest pause
    between two sounds. Without any sound `first_s` is `None`.
    """

    first_s: float | None = None
    until_s: float = 0.0
    sound_s: float = 0.0
    gap_s: float = 0.0


def hearing(chunks: Iterable[Chunk], rate: int) -> Hearing:
    """Play chunks, each as soon as it has come and those before it are over."""
    first: float | None = None
    cursor = sound_s = gap_s = last = 0.0
    for chunk in chunks:
        cursor = max(cursor, chunk.arrived_s)
        for seconds, is_audible in _frames(chunk.samples, rate):
            if is_audible:
                if first is None:
                    first = cursor
                else:
                    gap_s = max(gap_s, cursor - last)
                sound_s += seconds
                last = cursor + seconds
            cursor += seconds
    return Hearing(first, cursor, sound_s, gap_s)


def is_audible(samples: "array[int]", rate: int) -> bool:
    """Whether there is anything to hear in samples."""
    return any(audible for _, audible in _frames(samples, rate))


def _frames(samples: "array[int]", rate: int) -> Iterator[tuple[float, bool]]:
    """The length of each stretch of 20 ms, and whether it can be heard."""
    size = max(1, int(rate * _FRAME_S))
    for start in range(0, len(samples), size):
        frame = samples[start : start + size]
        yield len(frame) / rate, sum(map(abs, frame)) > _AUDIBLE * len(frame)


def joined(chunks: Iterable[Chunk]) -> "array[int]":
    """All samples of chunks in one."""
    samples = array("h")
    for chunk in chunks:
        samples.extend(chunk.samples)
    return samples


def read_wav(sound: bytes, rate: int) -> "array[int]":
    """The samples of a WAV file at another rate; raises ValueError if it is none of 16 bit."""
    if not sound:
        return array("h")
    try:
        with wave.open(io.BytesIO(sound), "rb") as file:
            width, channels, own = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except _MISREAD as err:
        raise ValueError(f"no WAV file: {str(err) or 'its header is wrong'}") from err
    if width != 2:
        raise ValueError(f"a WAV file with {8 * width} bits a sample, not 16")
    if own not in _RATES:  # one second of "1 Hz" would become 16,000
        raise ValueError(f"a WAV file with {own} samples a second, not {_RATES[0]} to {_RATES[-1]}")
    return at_rate(_native(frames)[::channels], own, rate)


def write_wav(samples: "array[int]", rate: int) -> bytes:
    """Samples as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", "not compressed"))
        sound.writeframes(_little_endian(samples))
    return file.getvalue()


def at_rate(samples: "array[int]", own: int, rate: int) -> "array[int]":
    """Samples at another rate, by linear interpolation."""
    if own == rate or len(samples) < 2:
        return samples
    last = len(samples) - 1
    interpolated = array("h")
    for number in range(last * rate // own):
        at, rest = divmod(number * own, rate)
        left, right = samples[at], samples[at + 1]
        interpolated.append(left + (right - left) * rest // rate)
    return interpolated


def encode(samples: "array[int]", encoding: Encoding, rate: int) -> bytes:
    """Samples as the bytes of a message."""
    if encoding == "wav":
        return write_wav(samples, rate)
    if encoding == "mulaw":
        return bytes(map(_mulaw_byte, samples))
    return _little_endian(samples)


def decode(sound: bytes, encoding: Encoding, rate: int, label: str) -> "array[int]":
    """The samples of a message; raises AppProtocolError if it is no such sound."""
    if encoding == "wav":
        try:
            return read_wav(sound, rate)
        except ValueError as err:
            raise AppProtocolError(f"{label}: the sound of a message is {err}") from err
    if encoding == "mulaw":
        values = _mulaw_values()
        return array("h", [values[byte] for byte in sound])
    if len(sound) % 2:
        raise AppProtocolError(
            f"{label}: a message has {len(sound)} bytes of sound, which are no samples of 16 bit"
        )
    return _native(sound)


def _native(frames: bytes) -> "array[int]":
    samples = array("h", frames[: len(frames) // 2 * 2])
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def _little_endian(samples: "array[int]") -> bytes:
    if sys.byteorder == "little":
        return samples.tobytes()
    swapped = array("h", samples)
    swapped.byteswap()
    return swapped.tobytes()


def _mulaw_byte(sample: int) -> int:
    """A sample in 8 bits (ITU-T G.711, mu-law)."""
    sign = 0x80 if sample < 0 else 0
    magnitude = min(abs(sample), _CLIP) + _BIAS
    exponent = magnitude.bit_length() - 8
    return ~(sign | exponent << 4 | (magnitude >> exponent + 3) & 0x0F) & 0xFF


@cache
def _mulaw_values() -> tuple[int, ...]:
    return tuple(_mulaw_sample(byte) for byte in range(256))


def _mulaw_sample(byte: int) -> int:
    flipped = ~byte & 0xFF
    magnitude = (((flipped & 0x0F) << 3) + _BIAS << (flipped >> 4 & 0x07)) - _BIAS
    return -magnitude if flipped & 0x80 else magnitude
