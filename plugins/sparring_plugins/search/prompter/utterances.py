"""From the features of a case to the words that are said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import JsonValue

from sparring.discovery.catalog import names
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem, UnknownPlugin
from sparring.interfaces.agent import Agent
from sparring.interfaces.condition import Condition
from sparring.interfaces.plugin import BuildContext, Use
from sparring.model.case import Case
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.search.features.model import FeatureSpace, FeatureValue
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask, Utterance, WriteTask

Writer = Agent[WriteTask, Utterance, Any]
Spoiler = Agent[PerturbTask, Perturbed, Any]


@dataclass(frozen=True, slots=True)
class Applied:
    """A perturbation that was applied, for a feature."""

    feature: str
    use: str
    result: Perturbed
    keeps_meaning: bool | None

    def data(self) -> dict[str, JsonValue]:
        """It as plain data, for `Trace.meta`."""
        return {
            "feature": self.feature,
            "use": self.use,
            "changes": self.result.changes,
            "places": self.result.places,
            "what": [list(pair) for pair in self.result.what[:_MOST_NAMED]],
            "keeps_meaning": self.keeps_meaning,
        }


_MOST_NAMED = 50
_ROLE = "perturbation."


@dataclass(frozen=True)
class Perturbations:
    """The perturbations of one space, by feature and number of the value."""

    space: FeatureSpace
    made: Mapping[tuple[str, int], tuple[tuple[Use, Spoiler], ...]]

    @classmethod
    def of(cls, space: FeatureSpace, context: BuildContext) -> "Perturbations":
        """Build all that a space names; raises ConfigurationError, PluginError."""
        made: dict[tuple[str, int], tuple[tuple[Use, Spoiler], ...]] = {}
        for feature in space.features:
            for number, value in enumerate(feature.values):
                parts = [
                    (use, _spoiler(use, context, space, feature.name, value)) for use in value.apply
                ]
                if parts:
                    made[feature.name, number] = tuple(parts)
        return cls(space, made)

    def chosen(self, params: Mapping[str, JsonValue]) -> list[tuple[str, Use, Spoiler]]:
        """Those of a case, in the order of features."""
        return [
            (feature.name, use, part)
            for feature in self.space.features
            for use, part in self.made.get((feature.name, feature.at(params[feature.name])), ())
        ]

    async def applied(
        self, text: str, params: Mapping[str, JsonValue], protected: Sequence[str], seed: int
    ) -> tuple[str, list[Applied]]:
        """A text with the perturbations of a case, one after the other."""
        found: list[Applied] = []
        for number, (name, use, part) in enumerate(self.chosen(params)):
            task = PerturbTask(
                text=text,
                protected=tuple(protected),
                language=self.space.language,
                seed=_seed(seed, f"{number}/{name}"),
            )
            result = await part.act(task)
            text = result.text
            keeps = getattr(part, "keeps_meaning", None)
            found.append(Applied(name, use.use, result, keeps))
        return text, found


def _spoiler(
    use: Use, context: BuildContext, space: FeatureSpace, feature: str, value: FeatureValue
) -> Spoiler:
    """The perturbation that a value names; raises ConfigurationError with its place."""
    try:
        return context.part(Agent[PerturbTask, Perturbed, Any], use, role="perturbation")
    except UnknownPlugin as err:
        known = [name for name in names("sparring.agents") if name.startswith(_ROLE)]
        hint = nearest(use.use, [name.removeprefix(_ROLE) for name in known])
        told = f"no perturbation is called {use.use!r}.{hint}"
        raise ConfigurationError(Problem(told, space.source, value.line, feature)) from err
    except ConfigurationError as err:
        told = "; ".join(problem.message for problem in err.problems)
        raise ConfigurationError(Problem(told, space.source, value.line, feature)) from err


def _seed(seed: int, what: str) -> int:
    return int.from_bytes(sha256(f"{seed}/{what}".encode()).digest()[:6], "big")


@dataclass(frozen=True, slots=True)
class Wording:
    """What is said for a case: the writer's words, and what perturbations made of them.

    `perturbations` are as in `Trace.meta`, and `examples` what the writer was shown.
    """

    utterance: Utterance
    text: str
    perturbations: tuple[dict[str, JsonValue], ...] = ()
    examples: tuple[str, ...] = ()

    def meta(self) -> dict[str, JsonValue]:
        """It as plain data, for `Trace.meta`."""
        return {
            "utterance": self.text,
            "written": self.utterance.text,
            "spoken": {name: list(words) for name, words in self.utterance.spoken.items()},
            "perturbations": list(self.perturbations),
            "examples": list(self.examples),
        }

    @classmethod
    def of(cls, meta: Mapping[str, JsonValue]) -> "Wording | None":
        """The wording in a trace's `meta`; None where there is none."""
        text, written = meta.get("utterance"), meta.get("written")
        if not isinstance(text, str) or not text.strip():
            return None
        spoken, changes = meta.get("spoken"), meta.get("perturbations")
        words = spoken.items() if isinstance(spoken, dict) else ()
        return cls(
            Utterance(
                text=written if isinstance(written, str) else text,
                spoken={name: _texts(told) for name, told in words},
            ),
            text,
            tuple(one for one in changes if isinstance(one, dict))
            if isinstance(changes, list)
            else (),
            _texts(meta.get("examples")),
        )


def _texts(told: JsonValue) -> tuple[str, ...]:
    listed = told if isinstance(told, list) else ()
    return tuple(one for one in listed if isinstance(one, str))


@dataclass(frozen=True)
class Worder:
    """Puts cases of one space into words."""

    space: FeatureSpace
    writer: Writer
    perturbations: Perturbations
    checks: Mapping[str, Condition]

    def task(self, case: Case) -> WriteTask:
        """What the writer is given, examples left aside."""
        checked = {name: one.holds(case.params) for name, one in self.checks.items()}
        return self.space.task(case.params, seed=case.seed, checked=checked)

    async def word(self, case: Case, examples: Sequence[str] = ()) -> Wording:
        """The words for a case; raises ModelError where a model behind an agent fails."""
        task = self.task(case).model_copy(update={"examples": tuple(examples)})
        utterance = await self.writer.act(task)
        protected = [words for several in utterance.spoken.values() for words in several]
        text, applied = await self.perturbations.applied(
            utterance.text, case.params, protected, case.seed
        )
        told = tuple(one.data() for one in applied)
        return Wording(utterance, text, told, task.examples)

    @property
    def asks(self) -> bool:
        """Whether a model finds the words, which may find others another time."""
        spoilers = (part for parts in self.perturbations.made.values() for _, part in parts)
        return any(isinstance(one, ModelAgent) for one in (self.writer, *spoilers))


def checks_of(space: FeatureSpace, context: BuildContext) -> dict[str, Condition]:
    """The compiled conditions that say when a feature must be named."""
    names = [feature.name for feature in space.features]
    return {
        feature.name: context.condition(feature.check, names)
        for feature in space.features
        if isinstance(feature.check, str)
    }
