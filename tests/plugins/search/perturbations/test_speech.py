"""A text that is really spoken into a file and heard again, by whatever programs there are."""

import sys
import wave
from array import array
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import SPEECH

from sparring.errors import ConfigurationError, MissingExtra
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.perturbations.speech import Speech
from sparring_plugins.search.roles import Perturbed, PerturbTask
from sparring_plugins.speech.wave_files import RATE, read_samples, resample

pytestmark = pytest.mark.anyio


async def spoken(text: str, *protected: str, **settings: Any) -> Perturbed:
    part = FakeContext().build(Speech, **{**SPEECH, **settings})
    return await part.act(PerturbTask(text=text, protected=protected))


def program(source: str) -> list[str]:
    return [sys.executable, "-ISc", f"import sys; {source}", "{wav}"]


async def test_what_is_heard_takes_the_place_of_what_was_said() -> None:
    found = await spoken("Tell me a Fact")
    assert (found.text, found.changes, found.places) == ("tell me a fact", 0, 1)
    found = await spoken("two cats", recogniser=program("print('to cuts')"))
    assert (found.text, found.what) == ("to cuts", (("two cats", "to cuts"),))


async def test_a_protected_word_that_was_misheard_keeps_the_text_as_it_was() -> None:
    heard = program("print('to cuts')")
    assert (await spoken("two cats", "cats", recogniser=heard)).text == "to cuts"
    assert (await spoken("two cats", "cats", recogniser=heard, spare=True)).text == "two cats"


@pytest.mark.parametrize("text", ["", "  ", "?!", "\x1b\u202e", "😀"])
async def test_what_no_voice_says_stays(text: str) -> None:
    assert await spoken(text) == Perturbed(text=text)


async def test_where_nothing_is_heard_the_text_stays() -> None:
    assert (await spoken("hello", recogniser=program("pass"))).text == "hello"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"recogniser": ["nobody-listens", "{wav}"]}, "there is no program 'nobody-listens'"),
        ({"recogniser": [sys.executable]}, "recogniser: the command has no {wav}"),
        ({"synthesiser": [sys.executable, "{text}"]}, "synthesiser: the command has no {wav}"),
    ],
)
async def test_wrong_programs_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        await spoken("hello", **settings)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"synthesiser": program("pass")}, "wrote no sound"),
        ({"synthesiser": program("sys.exit('out of breath')")}, "failed (1): out of breath"),
        ({"recogniser": program("sys.exit(3)")}, "failed (3)"),
    ],
)
async def test_a_program_that_fails_says_how(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as failed:
        await spoken("hello", **settings)
    assert message in str(failed.value)


def test_without_a_synthesiser_or_a_recogniser_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match="Install espeak-ng"):
        FakeContext().build(Speech)
    try:
        import pocketsphinx  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtra, match=r"pip install 'sparring\[speech\]'"):
            FakeContext().build(Speech, synthesiser=SPEECH["synthesiser"])


def test_a_sound_of_any_rate_is_heard_at_that_of_the_model(tmp_path: Path) -> None:
    samples = array("h", [0, 1000, 2000, 3000] * 200)
    path = tmp_path / "two.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(samples.tobytes())
    assert abs(len(read_samples(path)) // 2 - len(samples) // 2 * RATE // 8000) <= 2
    assert resample(array("h", [0, 100, 200]), 8000).tolist() == [0, 50, 100, 150]


@pytest.mark.parametrize("data", [b"", b"no sound", b"RIFF\x24\0\0\0WAVE"])
def test_what_is_no_sound_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.wav").write_bytes(data)
    with pytest.raises(ConfigurationError, match="sound cannot be read"):
        read_samples(tmp_path / "x.wav")
