"""The recogniser PocketSphinx, which has its own model of English and needs no network."""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportMissingImports=false
# pyright: reportUnknownArgumentType=false

import asyncio
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from sparring.errors import ConfigurationError, MissingExtra
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.speech.wave_files import RATE, read_samples

_NAME = "phrases"
_WORD = re.compile(r"[a-z']+")


class Sphinx:
    """Recognises one file at a time; the model is loaded with the first.

    With `phrases` it knows these alone, which makes it much surer and faster. Raises
    ConfigurationError for a phrase with a word that its dictionary does not have.
    """

    def __init__(self, phrases: Sequence[str] = ()) -> None:
        if find_spec("pocketsphinx") is None:
            raise MissingExtra(
                "nothing is heard: no speech recogniser is installed. "
                "pip install 'sparring[speech]', or name a program with 'recogniser'"
            )
        self._phrases = [" ".join(_WORD.findall(phrase.casefold())) for phrase in phrases]
        self._decoder: Any = None
        self._turn = Lock()

    def heard(self, wav: Path | bytes) -> str:
        """Return the words that it recognises; empty for none."""
        samples = read_samples(wav)
        with self._turn:
            if self._decoder is None:
                self._decoder = self._load()
            self._decoder.start_utt()
            self._decoder.process_raw(samples, full_utt=True)
            self._decoder.end_utt()
            hypothesis: Any = self._decoder.hyp()
        return str(getattr(hypothesis, "hypstr", ""))

    def _load(self) -> Any:
        from pocketsphinx import Decoder

        decoder = Decoder(samprate=RATE, loglevel="FATAL")
        phrases = [phrase for phrase in self._phrases if phrase]
        if phrases:
            unknown = [
                word
                for phrase in phrases
                for word in phrase.split()
                if decoder.lookup_word(word) is None
            ]
            if unknown:
                raise ConfigurationError(
                    f"phrases: the dictionary of PocketSphinx has no word {unknown[0]!r}; "
                    "write it as words that sound like it"
                )
            grammar = f"#JSGF V1.0;\ngrammar {_NAME};\npublic <one> = {' | '.join(phrases)};\n"
            decoder.add_jsgf_string(_NAME, grammar)
            decoder.activate_search(_NAME)
        return decoder


class SphinxConfig(PluginConfig):
    """Settings of the agent `recogniser.pocketsphinx`.

    `phrases` are all that can be heard, if the app says nothing else; without them, any English.
    """

    phrases: tuple[str, ...] = ()


class SphinxRecogniser(Agent[bytes, str, SphinxConfig]):
    """Returns the English words in the bytes of a WAV file; empty for none."""

    role: ClassVar[str] = "recogniser"
    Config: ClassVar[type[PluginConfig]] = SphinxConfig

    def __init__(self, config: SphinxConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._sphinx = Sphinx(config.phrases)

    async def act(self, task: bytes) -> str:
        return await asyncio.to_thread(self._sphinx.heard, task)
