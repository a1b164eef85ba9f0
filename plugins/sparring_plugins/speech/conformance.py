"""The conformance kits of the roles ``speaker`` and ``recogniser``."""

from collections.abc import Sequence
from typing import Any

import pytest

from sparring.interfaces.agent import Agent
from sparring.testing.conformance.agent import AgentKit
from sparring.testing.conformance.kit import Build


class SpeakerKit(AgentKit, kit=True):
    """Tests of an agent with the role ``speaker``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[str]:
        """Words, and nothing that could be said."""
        return ["hello", "two cats", ""]

    def test_the_role_is_speaker(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "speaker"

    def test_words_are_sound(self, build: Build, tasks: Sequence[str]) -> None:
        answers = self._answers(build(), tasks)
        assert all(isinstance(answer, bytes) for answer in answers)
        assert answers[0], "nothing was spoken"


class RecogniserKit(AgentKit, kit=True):
    """Tests of an agent with the role ``recogniser``: override `plugin` and `settings`."""

    @pytest.fixture
    def tasks(self) -> Sequence[bytes]:
        """A WAV file of silence."""
        head = "524946462408000057415645666d742010000000010001"
        head += "00803e0000007d0000020010006461746100080000"
        return [bytes.fromhex(head) + bytes(2048)]

    def test_the_role_is_recogniser(self, plugin: type[Agent[Any, Any, Any]]) -> None:
        assert plugin.role == "recogniser"

    def test_it_returns_text(self, build: Build, tasks: Sequence[bytes]) -> None:
        assert all(isinstance(answer, str) for answer in self._answers(build(), tasks))
