"""Perturbations of attackers: encodings that filters do not read, and dialogues that set a pattern.

They disguise a request whole, so that words that carry content do not stay as they are unless
`spare` is set.
"""

import base64
import codecs
from collections.abc import Callable
from functools import cache
from random import Random
from typing import ClassVar, Literal

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.search.perturbations.texts import (
    LONGEST,
    PACKAGE,
    Span,
    choose,
    free_words,
    protected_spans,
    replace_spans,
)
from sparring_plugins.search.roles import Perturbation, PerturbationConfig, Perturbed, PerturbTask

Encoding = Literal["base64", "rot13", "leetspeak", "zero-width", "homoglyphs", "spaced"]

_ZERO_WIDTH = "\u200b"


@cache
def _lists() -> dict[str, dict[str, str]]:
    """Return the look-alikes and the sentences around encoded texts, read once."""
    lists: dict[str, dict[str, str]] = bundled_yaml(PACKAGE, "disguises.yaml")
    return lists


class EncodingConfig(PerturbationConfig):
    """Settings of encodings; `rate` is the share of letters changed by those that change letters.

    base64 and rot13 encode the whole text, with a sentence before it that says so.
    """

    rate: float = Field(default=1.0, ge=0, le=1, description="share of letters changed")
    spare: bool = Field(
        default=False, description="whether words that carry content stay as they are"
    )
    by: Encoding = Field(default="base64", description="how the text is encoded")
    introduced: bool = Field(
        default=True, description="whether base64 and rot13 come with a sentence that says so"
    )


class EncodingPerturbation(Perturbation[EncodingConfig]):
    """Encodes a text: base64, rot13, leetspeak, zero-width marks, homoglyphs, or letter by letter.

    A filter that looks for words does not find them; a language model often reads them all the
    same.
    """

    Config: ClassVar[type[PluginConfig]] = EncodingConfig
    keeps_meaning: ClassVar[bool] = False

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        if self.config.by in ("base64", "rot13"):
            return self._whole(task)
        return self._letters(task, draw)

    def _whole(self, task: PerturbTask) -> Perturbed:
        """Encode all of a text; protected words are said again after it."""
        if not task.text.strip():
            return Perturbed(text=task.text)
        encoded = _encode(task.text, self.config.by)
        words = _lists()["introductions"][self.config.by]
        text = f"{words} {encoded}" if self.config.introduced else encoded
        kept = [task.text[slice(*span)] for span in protected_spans(task.text, task.protected)]
        text = " ".join([text, *kept])
        return Perturbed(text=text, changes=1, places=1, what=((task.text, text),))

    def _letters(self, task: PerturbTask, draw: Random) -> Perturbed:
        change = _changes_of(self.config.by)
        words = free_words(task.text, task.protected)
        places = [at for match in words for at in range(*match.span())]
        changeable = [at for at in places if change(task.text[at]) != task.text[at]]
        changes: list[tuple[Span, str]] = [
            ((at, at + 1), change(task.text[at]))
            for at in choose(changeable, self.config.rate, draw)
        ]
        return replace_spans(task.text, changes, len(changeable))


def _encode(text: str, by: str) -> str:
    if by == "rot13":
        return codecs.encode(text, "rot13")
    return base64.b64encode(text[:LONGEST].encode("utf-8", "surrogatepass")).decode()


def _changes_of(by: str) -> Callable[[str], str]:
    """Return what becomes of a letter."""
    if by in ("leetspeak", "homoglyphs"):
        look_alikes = _lists()[by]
        return lambda letter: look_alikes.get(letter, look_alikes.get(letter.lower(), letter))
    mark = _ZERO_WIDTH if by == "zero-width" else " "
    return lambda letter: f"{letter}{mark}"


class ManyShotConfig(PerturbationConfig):
    """Settings of many-shot; `rate` has no meaning for it."""

    shots: int = Field(default=8, ge=1, le=200, description="made-up exchanges before the request")
    exchanges: tuple[tuple[str, str], ...] = Field(
        default=(), description="what is asked and answered in them; else harmless ones"
    )


class ManyShot(Perturbation[ManyShotConfig]):
    """Puts a made-up dialogue before a text, in which an assistant does all that it is asked.

    A model that goes on with a pattern may comply (many-shot jailbreaking, Anil et al. 2024). The
    bundled exchanges are harmless; replace them by ones about your policy.
    """

    Config: ClassVar[type[PluginConfig]] = ManyShotConfig
    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        known = self.config.exchanges or tuple(_lists()["exchanges"].items())
        shots = [known[draw.randrange(len(known))] for _ in range(self.config.shots)]
        lines = [f"User: {asked}\nAssistant: {answer}" for asked, answer in shots]
        text = "\n".join([*lines, f"User: {task.text}", "Assistant:"])
        return Perturbed(text=text, changes=1, places=1)
