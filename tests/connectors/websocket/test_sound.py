"""Sound: encodings that come back, and what can be heard of chunks that come when they like."""

import math
from array import array
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import AppProtocolError
from sparring_connectors.websocket.sound import (
    Chunk,
    Hearing,
    at_rate,
    decode,
    encode,
    hearing,
    is_audible,
    read_wav,
    write_wav,
)

RATE = 8_000
SAMPLES = st.lists(st.integers(-32_768, 32_767), max_size=200).map(
    lambda values: array("h", values)
)


def tone(seconds: float, level: int = 8_000) -> "array[int]":
    """A square wave of so many seconds."""
    return array("h", [level if at // 10 % 2 else -level for at in range(int(seconds * RATE))])


def silence(seconds: float) -> "array[int]":
    return array("h", bytes(2 * int(seconds * RATE)))


@given(SAMPLES, st.sampled_from(["pcm16", "wav"]))
def test_samples_come_back_as_they_were(samples: "array[int]", encoding: str) -> None:
    sent = encode(samples, encoding, RATE)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert decode(sent, encoding, RATE, "app") == samples  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@given(SAMPLES)
def test_telephones_lose_little(samples: "array[int]") -> None:
    back = decode(encode(samples, "mulaw", RATE), "mulaw", RATE, "app")
    for sample, heard in zip(samples, back, strict=True):
        assert abs(sample - heard) <= max(16, abs(sample) / 16, abs(sample) - 32_124)


def test_mulaw_is_that_of_the_standard() -> None:
    """Values of the reference implementation of G.711."""
    assert list(encode(array("h", [0, 1000, -1000, 32_767, -32_768]), "mulaw", RATE)) == [
        0xFF, 0xCE, 0x4E, 0x80, 0x00,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sound", "encoding", "message"),
    [
        (b"abc", "pcm16", "3 bytes of sound, which are no samples of 16 bit"),
        (b"RIFFno", "wav", "the sound of a message is no WAV file"),
    ],
)
def test_what_is_no_sound_is_the_apps_fault(sound: bytes, encoding: str, message: str) -> None:
    with pytest.raises(AppProtocolError) as refused:
        decode(sound, encoding, RATE, "app")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert message in str(refused.value)


def test_a_file_of_another_rate_keeps_its_length_and_its_tone() -> None:
    samples = array(
        "h", [int(8_000 * math.sin(at * 2 * math.pi * 500 / 22_050)) for at in range(22_050)]
    )
    heard = read_wav(write_wav(samples, 22_050), RATE)
    assert abs(len(heard) - RATE) <= 1
    signs = [sample > 0 for sample in heard]
    changes = sum(a != b for a, b in pairwise(signs))
    assert abs(changes - 1_000) <= 2
    assert at_rate(heard, RATE, RATE) is heard


def test_nothing_is_heard_of_silence_and_of_a_hum() -> None:
    assert hearing([], RATE) == Hearing()
    quiet = [Chunk(5.0, silence(1)), Chunk(6.0, tone(1, level=60))]
    heard = hearing(quiet, RATE)
    assert (heard.first_s, heard.sound_s, round(heard.until_s, 3)) == (None, 0.0, 7.0)
    assert not is_audible(tone(1, level=60), RATE)


def test_chunks_that_come_at_once_are_played_one_after_the_other() -> None:
    heard = hearing([Chunk(10.0, tone(0.5)), Chunk(10.0, tone(0.5))], RATE)
    assert heard.first_s == 10.0
    assert (round(heard.until_s, 3), round(heard.sound_s, 3), heard.gap_s) == (11.0, 1.0, 0.0)


def test_a_pause_is_what_the_user_hears_and_not_what_the_network_does() -> None:
    """The second piece comes 0.8 s after the first, which plays for 0.5 s."""
    late = hearing([Chunk(1.0, tone(0.5)), Chunk(1.8, tone(0.2))], RATE)
    assert round(late.gap_s, 3) == 0.3
    inside = hearing([Chunk(1.0, tone(0.5) + silence(0.6) + tone(0.2))], RATE)
    assert round(inside.gap_s, 3) == 0.6


def test_silence_before_the_first_word_counts_as_waiting() -> None:
    heard = hearing([Chunk(1.0, silence(0.4) + tone(0.2))], RATE)
    assert heard.first_s is not None
    assert round(heard.first_s, 3) == 1.4


@given(st.binary(max_size=80), st.sampled_from([0, 1, 2, 3_999, 2**31, 2**32 - 1]))
def test_a_header_that_lies_costs_nothing(rest: bytes, rate: int) -> None:
    sound = bytearray(write_wav(array("h", range(100)), RATE))
    sound[24:28] = rate.to_bytes(4, "little")
    for data in (bytes(sound), bytes(sound[:40]) + rest, bytes(sound[:20]) + rest):
        with pytest.raises(AppProtocolError, match=r"the sound of a message is"):
            decode(data, "wav", RATE, "app")


@given(st.binary(max_size=200))
def test_what_is_no_wav_file_is_a_fault_of_the_app(data: bytes) -> None:
    sound = write_wav(array("h", range(100)), RATE)
    for cut in (data, sound[:12] + data, sound[:36] + data):
        with suppress(AppProtocolError):
            assert len(decode(cut, "wav", RATE, "app")) <= 48 * len(cut)
