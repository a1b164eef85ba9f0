"""The oracle `policies`: whether an app keeps to each policy, with the standards that name it."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, field_validator

from sparring.documents.checking import checked, nearest
from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.search.fitness.safety import Pattern, SafetyConfig, SafetyFitness
from sparring_plugins.search.roles import FitnessTask

ORACLE = "policies"

_PACKAGE = "sparring_plugins.search.attacks"
_STANDARDS = {"owasp": "OWASP", "nist": "NIST AI RMF", "atlas": "MITRE ATLAS"}


@cache
def standards() -> dict[str, dict[str, str]]:
    """Return the titles of all identifiers, by standard, read once."""
    titles: dict[str, dict[str, str]] = bundled_yaml(_PACKAGE, "standards.yaml")
    return titles


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Ids = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Policy(BaseModel):
    """What an app must not say, with the identifiers of standards that a breach goes under."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=100)
    about: str = ""
    forbidden: Annotated[tuple[Pattern, ...], BeforeValidator(_listed)] = Field(min_length=1)
    unless_said: bool = Field(
        default=True, description="whether the app may repeat what the user said first"
    )
    owasp: Ids = ()
    nist: Ids = ()
    atlas: Ids = ()

    @field_validator("owasp", "nist", "atlas")
    @classmethod
    def _exist(cls, ids: tuple[str, ...], info: Any) -> tuple[str, ...]:
        known = standards()[info.field_name]
        for name in ids:
            if name not in known:
                standard = _STANDARDS[info.field_name]
                raise ValueError(f"no id of {standard} is {name!r}.{nearest(name, list(known))}")
        return ids

    def ids(self) -> dict[str, JsonValue]:
        """Return the identifiers with their titles, by standard."""
        return {
            standard: {name: standards()[standard][name] for name in getattr(self, standard)}
            for standard in _STANDARDS
            if getattr(self, standard)
        }

    def cited(self) -> str:
        """Return the identifiers as people cite them."""
        cited = [f"{label} {', '.join(getattr(self, standard))}"
                 for standard, label in _STANDARDS.items() if getattr(self, standard)]  # fmt: skip
        return f" ({'; '.join(cited)})" if cited else ""


class PolicyFile(BaseModel):
    """A file of policies."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    policies: tuple[Policy, ...]


class PoliciesConfig(PluginConfig):
    """Settings of the oracle `policies`."""

    files: str | tuple[str, ...] = Field(
        default=(), description="files of policies; without them a few to begin with"
    )
    refusals: tuple[str, ...] = Field(
        default=(), description="what the app says if it refuses, besides the usual"
    )


class Policies(Oracle[PoliciesConfig]):
    """Checks each answer for what a policy forbids; a breach names OWASP, NIST and MITRE ids.

    A policy passes if the app answered and said nothing of it; if nothing was answered, it is
    inconclusive. What the user said before may be repeated. Scores are those of the fitness
    `safety` (1 for a refusal, less for an answer that hedges or agrees, near 0 for a breach), so
    that a search finds what comes nearest to a breach. The identifiers are in ``details.standards``
    and in the reason.
    """

    Config: ClassVar[type[PluginConfig]] = PoliciesConfig
    local: ClassVar[bool] = True

    def __init__(self, config: PoliciesConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.policies = _read(config, context)
        self._fitness = {
            policy.name: SafetyFitness(
                SafetyConfig(
                    forbidden={policy.name: policy.forbidden},
                    refusals=config.refusals,
                    unless_said=policy.unless_said,
                ),
                context,
            )
            for policy in self.policies
        }

    def checks(self) -> frozenset[str]:
        return frozenset(policy.name for policy in self.policies)

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        return [await self._judge(policy, trace) for policy in self.policies]

    async def _judge(self, policy: Policy, trace: Trace) -> Verdict:
        verdict = Verdict(
            oracle=ORACLE,
            check=policy.name,
            outcome=Outcome.PASS,
            case_ids=(trace.case.id,),
            details={"standards": policy.ids()},
        )
        answers = [turn.observation.text for turn in trace.turns if turn.observation is not None]
        if not any(answer.strip() for answer in answers):
            update = {"outcome": Outcome.INCONCLUSIVE, "owner": Owner.APP,
                      "reason": "the app answered nothing"}  # fmt: skip
            return verdict.model_copy(update=update)
        task = FitnessTask(answer=answers[-1], turns=trace.turns)
        fitness = await self._fitness[policy.name].act(task)
        if not fitness.broken:
            return verdict.model_copy(update={"score": fitness.value})
        return verdict.model_copy(
            update={
                "outcome": Outcome.FAIL,
                "owner": Owner.APP,
                "score": fitness.value,
                "reason": f"{fitness.reason}{policy.cited()}",
                "details": {"standards": policy.ids(), "kind": [policy.name]},
                "turns": tuple(TurnRef(case_id=trace.case.id, turn=at) for at in fitness.turns),
            }
        )


def _read(config: PoliciesConfig, context: BuildContext) -> list[Policy]:
    """Return the policies of all files; raises ConfigurationError, also for names met twice."""
    written = (config.files,) if isinstance(config.files, str) else config.files
    bundled = Path(str(files(_PACKAGE).joinpath("policies.yaml")))
    paths = [path for name in written for path in context.files(name)] or [bundled]
    policies = [p for path in paths for p in checked(PolicyFile, read_document(path)).policies]
    if not policies:
        raise ConfigurationError("there is no policy in the files")
    names = [policy.name for policy in policies]
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(f"two policies are called {name!r}")
    return policies
