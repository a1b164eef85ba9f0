"""Synthesisers and recognisers that are programs: a text to a WAV file, and back."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from sparring.errors import ConfigurationError, MissingExtra

WAV, TEXT = "{wav}", "{text}"
_TIMEOUT_S = 60.0
_MOST_HEARD = 10_000
_KNOWN = ("espeak-ng", "espeak")


class SpeechFailed(ConfigurationError):
    """A program that speaks or listens did not do so."""


def speaking(command: Sequence[str], voice: str) -> list[str]:
    """The command of a synthesiser: the one that is named, else one that is installed.

    Raises MissingExtra where there is none.
    """
    if command:
        require_program(command, WAV, "synthesiser")
        return list(command)
    found = next((path for name in _KNOWN if (path := shutil.which(name))), None)
    if found is None:
        raise MissingExtra(
            "nothing is spoken: no speech synthesiser is installed. Install espeak-ng (apt install "
            "espeak-ng, brew install espeak-ng), or name a program with 'synthesiser'"
        )
    return [found, "-v", voice, "-w", WAV, "--stdin"]


def require_program(command: Sequence[str], place: str, setting: str) -> None:
    """Raise ConfigurationError for a command without the place of its file, or without program."""
    if not any(place in part for part in command):
        raise ConfigurationError(f"{setting}: the command has no {place}, where the sound lies")
    if shutil.which(command[0]) is None:
        raise ConfigurationError(f"{setting}: there is no program {command[0]!r}")


def speak(command: Sequence[str], text: str, wav: Path) -> None:
    """Speak a text into a file; the program finds it in its arguments, or on standard input."""
    _run(command, {WAV: str(wav), TEXT: text}, text, "synthesiser")
    if not wav.is_file() or not wav.stat().st_size:
        raise SpeechFailed(f"the synthesiser {command[0]!r} wrote no sound for {text[:80]!r}")


def listen(command: Sequence[str], wav: Path) -> str:
    """What a recogniser prints of a file."""
    return _run(command, {WAV: str(wav)}, "", "recogniser")[:_MOST_HEARD]


def _run(command: Sequence[str], places: dict[str, str], given: str, what: str) -> str:
    arguments = list(command)
    for place, value in places.items():
        arguments = [part.replace(place, value) for part in arguments]
    try:
        done = subprocess.run(
            arguments, input=given.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as err:
        raise SpeechFailed(f"the {what} {command[0]!r} cannot be run: {err}") from err
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise SpeechFailed(f"the {what} {command[0]!r} failed ({done.returncode}): {said}")
    return done.stdout.decode("utf-8", "replace")
