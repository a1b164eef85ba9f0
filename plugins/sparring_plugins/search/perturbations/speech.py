"""The perturbation `speech`: a text as a recogniser hears it from a synthesiser.

Both are programs: the synthesiser turns a text into a WAV file, the recogniser the file into a
text. The default recogniser PocketSphinx has its own model of English and needs no network.
"""

import asyncio
from collections import OrderedDict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.roles import Perturbation, PerturbationConfig, Perturbed, PerturbTask
from sparring_plugins.speech.programs import (
    WAV,
    listen,
    require_program,
    speak,
    speakable,
    speech_command,
)
from sparring_plugins.speech.sphinx import Sphinx

# Speaking and recognising takes a second a request, and shrinking asks for the same ones again.
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
        spoken = speakable(task.text)
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
        recognised = self._known[spoken] = speakable(said)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return recognised


def _keeps(said: str, task: PerturbTask) -> bool:
    """Whether every protected word was recognised as often as it was said."""
    recognised, meant = said.casefold(), task.text.casefold()
    return all(
        recognised.count(word.casefold()) == meant.count(word.casefold()) for word in task.protected
    )
