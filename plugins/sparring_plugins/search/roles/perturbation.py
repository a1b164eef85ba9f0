"""The role ``perturbation``: spoils a text as people, keyboards and microphones do."""

from abc import abstractmethod
from random import Random
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import ConfigT, PluginConfig
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask


class PerturbationConfig(PluginConfig):
    """Settings of every perturbation.

    `rate` is the share of the places where something can be changed that are changed; at least one
    is, where the rate is not 0 and there is one. `spare` says whether the words that carry the
    content of a request stay.
    """

    rate: float = Field(default=0.2, ge=0, le=1, description="share of the places changed")
    spare: bool = Field(
        default=True, description="whether words that carry content stay as they are"
    )


class Perturbation(Agent[PerturbTask, Perturbed, ConfigT]):
    """The role ``perturbation`` (`PerturbTask` to `Perturbed`).

    A class declares whether a reader still knows what is meant (`keeps_meaning`) and implements
    `perturb`. With the setting `spare`, each of the task's protected words stands in the result as
    often as in the task, letter for letter but for their case. Chance comes from the seed alone.
    """

    role: ClassVar[str] = "perturbation"
    Config: ClassVar[type[PluginConfig]] = PerturbationConfig
    #: Whether what is said still means the same.
    keeps_meaning: ClassVar[bool]

    @property
    def keeps_protected(self) -> bool:
        """Whether protected words stay, as the settings have it."""
        return getattr(self.config, "spare", True) is not False

    @abstractmethod
    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        """The spoiled text; `draw` is seeded with the task's seed."""

    async def act(self, task: PerturbTask) -> Perturbed:
        """Spoil a text."""
        spared = task if self.keeps_protected else task.model_copy(update={"protected": ()})
        return self.perturb(spared, Random(task.seed))
