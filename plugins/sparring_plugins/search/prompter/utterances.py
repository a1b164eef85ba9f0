"""From the features of a case to its utterance; what models wrote is cached."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from sparring.discovery.catalog import names
from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem, UnknownPlugin
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, Use
from sparring.model.case import Case
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.rules.conditions import Condition, condition_of
from sparring_plugins.search.features.model import FeatureSpace, FeatureValue
from sparring_plugins.search.roles import Perturbed, PerturbTask, Utterance, WriteTask

Writer = Agent[WriteTask, Utterance, Any]
Perturber = Agent[PerturbTask, Perturbed, Any]


@dataclass(frozen=True, slots=True)
class Applied:
    """A perturbation that was applied, for a feature."""

    feature: str
    use: str
    result: Perturbed
    keeps_meaning: bool | None

    def data(self) -> dict[str, JsonValue]:
        """Return it as plain data, for `Trace.meta`."""
        return {
            "feature": self.feature,
            "use": self.use,
            "changes": self.result.changes,
            "places": self.result.places,
            "what": [list(pair) for pair in self.result.what[:_MOST_NAMED]],
            "keeps_meaning": self.keeps_meaning,
        }


# What was changed in a request is listed in each case of the log.
_MOST_NAMED = 50
_ROLE = "perturbation."


@dataclass(frozen=True)
class Perturbations:
    """The perturbations of one space, by feature and number of the value."""

    space: FeatureSpace
    made: Mapping[tuple[str, int], tuple[tuple[Use, Perturber], ...]]

    @classmethod
    def of(cls, space: FeatureSpace, context: BuildContext) -> "Perturbations":
        """Build all perturbations of a space; raises ConfigurationError, PluginError."""
        perturbers: dict[tuple[str, int], tuple[tuple[Use, Perturber], ...]] = {}
        for feature in space.features:
            for number, value in enumerate(feature.values):
                parts = [
                    (use, _spoiler(use, context, space, feature.name, value)) for use in value.apply
                ]
                if parts:
                    perturbers[feature.name, number] = tuple(parts)
        return cls(space, perturbers)

    def chosen(self, params: Mapping[str, JsonValue]) -> list[tuple[str, Use, Perturber]]:
        """Return those of a case, in the order of features."""
        return [
            (feature.name, use, part)
            for feature in self.space.features
            for use, part in self.made.get((feature.name, feature.at(params[feature.name])), ())
        ]

    async def applied(
        self, text: str, params: Mapping[str, JsonValue], protected: Sequence[str], seed: int
    ) -> tuple[str, list[Applied]]:
        """Apply the perturbations of a case to a text, one after the other."""
        log: list[Applied] = []
        for number, (name, use, part) in enumerate(self.chosen(params)):
            task = PerturbTask(
                text=text,
                protected=tuple(protected),
                language=self.space.language,
                seed=_seed(seed, f"{number}/{name}"),
            )
            result = await part.act(task)
            text = result.text
            keeps_meaning = getattr(part, "keeps_meaning", None)
            log.append(Applied(name, use.use, result, keeps_meaning))
        return text, log


def _spoiler(
    use: Use, context: BuildContext, space: FeatureSpace, feature: str, value: FeatureValue
) -> Perturber:
    """Return the perturbation that a value names; raises ConfigurationError with its place."""
    try:
        return context.part(Agent[PerturbTask, Perturbed, Any], use, role="perturbation")
    except UnknownPlugin as err:
        installed = [name for name in names("sparring.agents") if name.startswith(_ROLE)]
        hint = nearest(use.use, [name.removeprefix(_ROLE) for name in installed])
        message = f"no perturbation is called {use.use!r}.{hint}"
        raise ConfigurationError(Problem(message, space.source, value.line, feature)) from err
    except ConfigurationError as err:
        message = "; ".join(problem.message for problem in err.problems)
        raise ConfigurationError(Problem(message, space.source, value.line, feature)) from err


def _seed(seed: int, what: str) -> int:
    return int.from_bytes(sha256(f"{seed}/{what}".encode()).digest()[:6], "big")


@dataclass(frozen=True, slots=True)
class Wording:
    """The utterance of a case: the writer's words, and the result of the perturbations.

    `perturbations` are as in `Trace.meta`, and `examples` were shown to the writer.
    """

    utterance: Utterance
    text: str
    perturbations: tuple[dict[str, JsonValue], ...] = ()
    examples: tuple[str, ...] = ()

    def meta(self) -> dict[str, JsonValue]:
        """Return it as plain data, for `Trace.meta`."""
        return {
            "utterance": self.text,
            "written": self.utterance.text,
            "spoken": {name: list(words) for name, words in self.utterance.spoken.items()},
            "perturbations": list(self.perturbations),
            "examples": list(self.examples),
        }

    @classmethod
    def of(cls, meta: Mapping[str, JsonValue]) -> "Wording | None":
        """Return the wording in a trace's `meta`; None if there is none."""
        text, written = meta.get("utterance"), meta.get("written")
        if not isinstance(text, str) or not text.strip():
            return None
        spoken, changes = meta.get("spoken"), meta.get("perturbations")
        words = spoken.items() if isinstance(spoken, dict) else ()
        return cls(
            Utterance(
                text=written if isinstance(written, str) else text,
                spoken={name: _texts(expressing) for name, expressing in words},
            ),
            text,
            tuple(change for change in changes if isinstance(change, dict))
            if isinstance(changes, list)
            else (),
            _texts(meta.get("examples")),
        )


def _texts(value: JsonValue) -> tuple[str, ...]:
    items = value if isinstance(value, list) else ()
    return tuple(item for item in items if isinstance(item, str))


@dataclass(frozen=True)
class CaseWriter:
    """Puts cases of one space into words."""

    space: FeatureSpace
    writer: Writer
    perturbations: Perturbations
    checks: Mapping[str, Condition]

    def task(self, case: Case) -> WriteTask:
        """Return the task of the writer, without examples."""
        checked = {name: check.holds(case.params) for name, check in self.checks.items()}
        return self.space.task(case.params, seed=case.seed, checked=checked)

    async def word(self, case: Case, examples: Sequence[str] = ()) -> Wording:
        """Return the words for a case; raises ModelError if a model behind an agent fails."""
        task = self.task(case).model_copy(update={"examples": tuple(examples)})
        utterance = await self.writer.act(task)
        protected = [words for expressions in utterance.spoken.values() for words in expressions]
        text, applied = await self.perturbations.applied(
            utterance.text, case.params, protected, case.seed
        )
        data = tuple(perturbation.data() for perturbation in applied)
        return Wording(utterance, text, data, task.examples)

    @property
    def asks(self) -> bool:
        """Whether a model writes the words, which may write others another time."""
        spoilers = (part for parts in self.perturbations.made.values() for _, part in parts)
        return any(isinstance(agent, ModelAgent) for agent in (self.writer, *spoilers))


def checks_of(space: FeatureSpace, context: BuildContext) -> dict[str, Condition]:
    """Return the compiled conditions that say when a feature must be named."""
    names = [feature.name for feature in space.features]
    return {
        feature.name: condition_of(context, feature.check, names)
        for feature in space.features
        if isinstance(feature.check, str)
    }


_KEPT = 4_096
"""Cases that are remembered: as many as a run's screening keeps texts of."""

FoundT = TypeVar("FoundT")


class CaseCache(Generic[FoundT]):
    """Values that belong to the latest cases; a case of another seed is another case."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._found: OrderedDict[tuple[str, int], FoundT] = OrderedDict()

    def get(self, case: Case) -> FoundT | None:
        """Return the value of a case; None if it is not cached any more."""
        return self._found.get((case.id, case.seed))

    def keep(self, case: Case, value: FoundT) -> FoundT:
        """Keep the value of a case, and forget the oldest one."""
        self._found[case.id, case.seed] = value
        self._found.move_to_end((case.id, case.seed))
        while len(self._found) > self._kept:
            self._found.popitem(last=False)
        return value

    def forget(self, case: Case) -> None:
        """Forget the value of a case."""
        self._found.pop((case.id, case.seed), None)
