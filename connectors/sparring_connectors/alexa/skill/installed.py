"""A skill that the user has enabled: everything about it that was read from its folder."""

from dataclasses import dataclass, replace
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from sparring.errors import ConfigurationError, Problem
from sparring_connectors.alexa.config import SkillConfig
from sparring_connectors.alexa.interaction.model import InteractionModel
from sparring_connectors.alexa.interaction.reading import read_model
from sparring_connectors.alexa.nlu.understanding import Nlu
from sparring_connectors.alexa.skill.folder import (
    Handler,
    chosen_locale,
    handler_of,
    locale_of,
    manifest_in,
    models_in,
)
from sparring_connectors.alexa.skill.manifest import Manifest, read_manifest


@dataclass(frozen=True, slots=True)
class InstalledSkill:
    """A skill with its model, its understanding and where its handler is.

    `handler` is None where an endpoint answers. `files` are those that were read.
    """

    config: SkillConfig
    folder: Path
    model: InteractionModel
    nlu: Nlu
    manifest: Manifest
    handler: Handler | None
    application_id: str
    files: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """The name that opens it."""
        return self.model.invocation

    @property
    def title(self) -> str:
        """The name that Alexa calls it by."""
        return self.manifest.name or self.model.invocation


def installed(config: SkillConfig, base_dir: Path, locale: str | None) -> InstalledSkill:
    """Read a skill's folder; raises ConfigurationError where something is missing."""
    folder = base_dir / Path(config.folder).expanduser()
    if not folder.is_dir():
        raise ConfigurationError(Problem("there is no such folder", str(folder)))
    path, chosen = _model_file(config, folder, locale)
    model = read_model(path, chosen)
    if config.invocation is not None:
        model = replace(model, invocation=" ".join(config.invocation.lower().split()))
    if not model.invocation:
        raise ConfigurationError(
            Problem("has no invocationName; give one with 'invocation'", str(path))
        )
    manifest_path = manifest_in(folder)
    manifest = read_manifest(manifest_path, chosen) if manifest_path else Manifest()
    handler = None
    if config.endpoint is None:
        handler = handler_of(folder, config.handler, manifest.source)
    made = f"amzn1.ask.skill.{uuid5(NAMESPACE_URL, f'skill:{model.invocation}')}"
    read = [path, *([manifest_path] if manifest_path else []), *([handler.file] if handler else [])]
    return InstalledSkill(
        config, folder, model, Nlu(model), manifest, handler, config.application_id or made,
        tuple(read),
    )  # fmt: skip


def _model_file(config: SkillConfig, folder: Path, locale: str | None) -> tuple[Path, str]:
    if config.model is not None:
        path = folder / config.model
        if not path.is_file():
            raise ConfigurationError(Problem("there is no such interaction model", str(path)))
        return path, locale or locale_of(path)
    found = models_in(folder)
    chosen = chosen_locale(found, locale, folder)
    return found[chosen], chosen
