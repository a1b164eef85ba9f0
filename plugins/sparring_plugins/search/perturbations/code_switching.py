"""Code-switching: words of another language in the midst of a sentence."""

from functools import cache
from importlib.resources import files
from random import Random
from typing import ClassVar, cast

from pydantic import Field

from sparring.documents.checking import nearest
from sparring.documents.reading import parse
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.perturbations.places import chosen, free_words, like, replaced
from sparring_plugins.search.roles.perturbation import Perturbation, PerturbationConfig
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask


class CodeSwitchingConfig(PerturbationConfig):
    """Settings of the code-switching: `rate` is the share of known words that are switched."""

    rate: float = Field(default=0.3, ge=0, le=1)
    to: str = Field(default="Spanish", description="the other language")


class CodeSwitching(Perturbation[CodeSwitchingConfig]):
    """Says common words in another language, as bilingual people do.

    It knows some hundred everyday words of English, Spanish, French, German, Italian and
    Portuguese. Who speaks both languages knows what is meant.
    """

    Config: ClassVar[type[PluginConfig]] = CodeSwitchingConfig
    keeps_meaning: ClassVar[bool] = True

    def __init__(self, config: CodeSwitchingConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        known = list(next(iter(_words())))
        if config.to.strip().title() not in known:
            raise ConfigurationError(
                f"code-switching to {config.to!r} is not known.{nearest(config.to.title(), known)}"
            )

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        other = _translations(task.language.strip().title(), self.config.to.strip().title())
        words = free_words(task.text, task.protected)
        can = [match for match in words if match[0].lower() in other]
        changes = [
            (match.span(), like(other[match[0].lower()], match[0]))
            for match in chosen(can, self.config.rate, draw)
        ]
        return replaced(task.text, changes, len(can))


@cache
def _words() -> tuple[dict[str, str], ...]:
    """Each entry has a word per language."""
    name = "code_switching.yaml"
    document = parse(
        files("sparring_plugins.search.perturbations").joinpath(name).read_text("utf-8"), name
    )
    languages = cast("list[str]", document.data["languages"])
    rows = cast("list[list[str]]", document.data["words"])
    return tuple(dict(zip(languages, row, strict=True)) for row in rows)


@cache
def _translations(language: str, to: str) -> dict[str, str]:
    if language == to or language not in _words()[0]:
        return {}
    found: dict[str, str] = {}
    for entry in _words():
        if entry[language].lower() != entry[to].lower():
            found.setdefault(entry[language].lower(), entry[to])
    return found
