"""Which value of a variable is its simplest, and how a player says values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sparring.interfaces.agent import Player
from sparring.model.space import Scenario, Variable
from sparring.model.talk import Trace
from sparring_plugins.search.features.model import FeatureSpace, FeatureSpec
from sparring_plugins.search.shrinking.words import Said
from sparring_plugins.search.space.encoding import Indices

PLAIN = ("none", "neutral", "default", "normal", "plain", "standard", "explicit", "off", "no")
"""Names of values that leave a feature out or say nothing special."""


@dataclass(frozen=True)
class Wordings:
    """What is known of how the cases of a scenario are put into words.

    `space` is the feature space behind it; None for players of other kinds.
    """

    scenario: Scenario
    space: FeatureSpace | None

    @classmethod
    def of(cls, player: Player[Any], scenario: Scenario) -> "Wordings":
        """The wordings of a player's scenario."""
        spaces: object = getattr(player, "spaces", None)
        known = cast("dict[str, object]", spaces) if isinstance(spaces, dict) else {}
        space = known.get(scenario.name)
        return cls(scenario, space if isinstance(space, FeatureSpace) else None)

    def simplest(self) -> Indices:
        """The number of the simplest value of each variable.

        That is the one that leaves a feature out; else one whose name says that it is nothing
        special (`PLAIN`); else the first one.
        """
        nones: Mapping[str, int] = {}
        if self.space is not None:
            nones = {one.name: one.none for one in self.space.features if one.none is not None}
        return tuple(nones.get(one.name, _plainest(one)) for one in self.scenario.variables)

    def words(self, name: str, at: int) -> str | None:
        """The usual words for a value of a feature, empty for one that is left out."""
        feature = self._feature(name)
        if feature is None or at >= len(feature.values):
            return None
        if at == feature.none:
            return ""
        value = feature.values[at]
        return value.words[0] if value.words else value.shown

    def said(self, trace: Trace) -> Said | None:
        """The one utterance of a conversation; None where there are several, or none is told."""
        if "goals" in trace.meta:
            return None
        return Said.of(trace.meta, self._mentions(trace))

    def _mentions(self, trace: Trace) -> dict[str, tuple[str, ...]]:
        """Words that may say the content features of a case, as its space has them."""
        found: dict[str, tuple[str, ...]] = {}
        for feature in self.space.features if self.space is not None else ():
            at = feature.at(trace.case.params[feature.name])
            if feature.group == "content" and at != feature.none:
                value = feature.values[at]
                found[feature.name] = (
                    *value.words, *(value.mentions or ()), value.shown, *value.hints,
                )  # fmt: skip
        return found

    def _feature(self, name: str) -> FeatureSpec | None:
        if self.space is None:
            return None
        return next((one for one in self.space.features if one.name == name), None)


def _plainest(variable: Variable) -> int:
    for name in PLAIN:
        for at, value in enumerate(variable.domain):
            if value is None or (isinstance(value, str) and value.casefold() == name):
                return at
    return 0


def label(variable: Variable, at: int) -> str:
    """A value for people."""
    if at < len(variable.labels) and variable.labels[at]:
        return variable.labels[at]
    value = variable.domain[at]
    return value if isinstance(value, str) else str(value)
