"""The perturbation `speech`: a text as a recogniser hears what a synthesiser says."""

import asyncio
from collections import OrderedDict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.roles.perturbation import Perturbation, PerturbationConfig
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask
from sparring_plugins.search.speech.programs import WAV, listen, require_program, speak, speaking
from sparring_plugins.search.speech.sphinx import Sphinx

_MOST_SPOKEN = 2_000
_REMEMBERED = 10_000


class SpeechConfig(PerturbationConfig):
    """Settings of the perturbation `speech`.

    `synthesiser` is a command that speaks: it finds the text on its standard input (or where
    ``{text}`` stands) and writes the sound to ``{wav}``; left out, espeak-ng with `voice`.
    `recogniser` is a command that prints what it hears in ``{wav}``; left out, PocketSphinx. With
    `spare`, a text of which a protected word was misheard stays as it was. Nothing is left to
    chance, and `rate` means nothing here.
    """

    synthesiser: tuple[str, ...] = ()
    recogniser: tuple[str, ...] = ()
    voice: str = Field(default="en-us", pattern=r"^[A-Za-z0-9+-]+$")
    spare: bool = False


class Speech(Perturbation[SpeechConfig]):
    """Says a text aloud into a file and takes what is heard of it.

    What a voice assistant gets of its users is never what they said; this is the real thing,
    unlike `asr-noise`, which only imitates it.
    """

    Config: ClassVar[type[PluginConfig]] = SpeechConfig
    keeps_meaning: ClassVar[bool] = False

    def __init__(self, config: SpeechConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._speaking = speaking(config.synthesiser, config.voice)
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
        said = self._heard(spoken)
        if not said or (self.config.spare and not _keeps(said, task)):
            return Perturbed(text=task.text, places=1)
        changed = said.casefold() != spoken.casefold()
        what = ((spoken, said),) if changed else ()
        return Perturbed(text=said, changes=int(changed), places=1, what=what)

    def _heard(self, spoken: str) -> str:
        known = self._known.get(spoken)
        if known is not None:
            return known
        with TemporaryDirectory(prefix="sparring-speech-") as folder:
            wav = Path(folder) / "said.wav"
            speak(self._speaking, spoken, wav)
            if self._sphinx is not None:
                said = self._sphinx.heard(wav)
            else:
                said = listen(self.config.recogniser, wav)
        found = self._known[spoken] = _speakable(said)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found


def _speakable(text: str) -> str:
    """A text on one line without what no voice says."""
    head = text[: 2 * _MOST_SPOKEN].encode("utf-8", "replace").decode()
    shown = "".join(char if char.isprintable() else " " for char in head)
    found = " ".join(shown.split())[:_MOST_SPOKEN]
    return found if any(char.isalnum() for char in found) else ""


def _keeps(said: str, task: PerturbTask) -> bool:
    """Whether every protected word was heard as often as it was said."""
    heard, meant = said.casefold(), task.text.casefold()
    return all(
        heard.count(word.casefold()) == meant.count(word.casefold()) for word in task.protected
    )
