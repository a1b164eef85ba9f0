"""The suite file as a model (the reference page is made from these docstrings)."""

import re
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.interfaces.plugin import Fallback, Settings, Use, UseOf
from sparring.model.run import Inconclusive

Seconds = Annotated[float, Field(gt=0, le=31_536_000)]
"""A time limit of at most a year: longer ones overflow the timers of some systems."""

Minutes = Annotated[float, Field(gt=0, le=525_600)]


class Budget(Settings):
    """What a run may spend; when it is spent no further case is started.

    `cases`, `turns`, `failures` (failed cases), `tokens` and `cost` count for the whole run,
    also over sessions when it is resumed; `minutes` for one session. `unreachable` are cases in a
    row: an app that is down is not asked for all the others. Each of several apps counts by
    itself, and the run goes on as long as one of them is there.
    """

    cases: int | None = Field(default=None, gt=0)
    turns: int | None = Field(default=None, gt=0)
    minutes: Minutes | None = None
    tokens: int | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0, description="in US dollars, as 2 or '2 USD'")
    failures: int | None = Field(default=None, gt=0)
    unreachable: int | None = Field(
        default=20, gt=0, description="cases in a row that do not reach the app"
    )

    @field_validator("cost", mode="before")
    @classmethod
    def _money(cls, value: Any) -> Any:
        if isinstance(value, str):
            match = re.fullmatch(r"\s*+\$?\s*+([0-9]+(?:\.[0-9]+)?)\s*+(?:USD|\$)?\s*+", value)
            if not match:
                raise ValueError("expected an amount in US dollars such as '2 USD'")
            return float(match[1])
        return value


class Confirm(Settings):
    """How faults are played again at the end of a run, from fresh sessions.

    That is beside the run's `budget`: of each fault at most `conversations` are played, of the run
    `faults` faults at most, and none is begun after `minutes`. What models cost counts in the
    budget all the same.
    """

    replays: int = Field(
        default=3, ge=1, le=100, description="how often the shortest conversation is played"
    )
    minimise: bool = Field(
        default=True, description="look for the fewest inputs that show the same fault"
    )
    conversations: int = Field(default=60, ge=1, description="played for one fault at most")
    faults: int = Field(default=100, ge=1, description="faults that are played again at most")
    minutes: Minutes | None = Field(
        default=None, description="after which no further fault is begun"
    )


class OracleUse(Use):
    """An oracle in a suite: its plugin, its label in reports, and whether it gates.

    `calibration` names a result of ``sparring calibrate``: what was measured of this judge is
    then shown beside its verdicts.
    """

    name: str | None = None
    gating: bool = True
    calibration: str | None = None

    @property
    def label(self) -> str:
        """What verdicts and reports call it."""
        return self.name or self.use


class Duplicates(Settings):
    """Which cases are refused before they are played, for what they would say.

    A case whose first words are at least as alike as `threshold` to those of a case before is not
    played; the strategy proposes another one in its place. It is in the log, and counted. Alone,
    `archive`, `population` or `none` is `against`.
    """

    threshold: float = Field(default=0.8, gt=0, le=1, description="cosine of the two vectors")
    against: Literal["archive", "population", "none"] | None = Field(
        default=None,
        description="all cases before, or those of the strategy's present population; else what "
        "suits the strategy",
    )
    by: str = Field(
        default="auto",
        description="what likeness is measured by (entry points sparring.likeness); auto takes the "
        "best that is installed",
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if value is False:
            return {"against": "none"}
        return {"against": value} if isinstance(value, str) else value


class StrategyUse(Use):
    """A strategy in a suite: its plugin, and which duplicates are refused."""

    duplicates: Duplicates | None = None


class Price(Settings):
    """What a model costs, in US dollars for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(
        default=None, ge=0, description="tokens that the service had read before; else as input"
    )


class LLMRole(Settings):
    """What one role asks instead: any key of `llm` but roles, prices and cache.

    Keys that are not given are those of `llm`; if `use` names another backend, its settings
    stand alone.
    """

    model_config = ConfigDict(extra="allow")

    use: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    timeout: Seconds | None = None
    deadline: Seconds | None = None
    attempts: int | None = Field(default=None, ge=1, le=100)
    concurrency: int | None = Field(default=None, ge=1, le=1000)
    repairs: int | None = Field(default=None, ge=0, le=10)
    fallback: Fallback | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"model": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_its_own_only(self) -> "LLMRole":
        shared = sorted({"roles", "prices", "cache"} & set(self.model_extra or {}))
        if shared:
            raise ValueError(f"{shared[0]!r} belongs to all roles: write it in 'llm' itself")
        return self


class LLMUse(Use):
    """The language model of a suite: its backend, and how it is asked.

    `roles` gives single roles (user, extractor, judge ...) another model or other settings: a
    name alone is the model's. In a suite, backend settings stand beside these keys.
    """

    temperature: float | None = Field(
        default=None, ge=0, le=2, description="else what each part asks for"
    )
    seed: int | None = Field(
        default=None, description="sent with every question; else one derived from the case"
    )
    max_tokens: int | None = Field(
        default=None, gt=0, description="of an answer; else what each part asks for"
    )
    timeout: Seconds = Field(default=60.0, description="seconds one attempt may take")
    deadline: Seconds = Field(
        default=300.0,
        description="seconds one answer may take, attempts and waiting included",
    )
    attempts: int = Field(default=6, ge=1, le=100, description="how often one question is asked")
    concurrency: int = Field(
        default=64,
        ge=1,
        le=1000,
        description="questions at once at most; fewer as soon as the service asks for patience",
    )
    repairs: int = Field(
        default=1, ge=0, le=10, description="how often an answer of the wrong form is sent back"
    )
    fallback: Fallback = Field(
        default="model-free",
        description="what a role does if its answer stays unusable: its twin that asks no model "
        "answers, what depends on it is inconclusive, or the case ends as an error",
    )
    cache: bool | str = Field(
        default=False,
        description="keep answers for later runs: true, or the file to keep them in",
    )
    prices: dict[str, Price] = Field(
        default={}, description="prices by model, if the price list is wrong or silent"
    )
    roles: dict[str, LLMRole] = Field(default={}, description="other models for single roles")

    def for_role(self, role: str) -> "LLMUse":
        """What a role asks: these settings with those of its own instead."""
        own = self.roles.get(role)
        if own is None:
            return self
        overridden = own.model_dump(exclude_unset=True)
        here = self.model_dump(exclude_unset=True)
        if own.use is not None and own.use != self.use:
            here = {key: here[key] for key in here if key in LLMUse.model_fields}
        return LLMUse.model_validate({**here, **overridden})


class ExecutionUse(Use):
    """Who plays the cases: this process, all cores of this machine, or a cluster.

    Verdicts are the same, whoever plays. Environment variables that the suite reads are taken from
    the worker's own environment, but for those of `forward_env`.
    """

    workers: int | None = Field(
        default=None, ge=1, le=10_000, description="processes that play; all cores by default"
    )
    limits: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default={},
        description="cases at once, over all workers, of an app by its name or its host",
    )
    forward_env: tuple[str, ...] = Field(
        default=(), description="variables of this environment that workers get"
    )
    deterministic: bool = Field(
        default=False,
        description="let a strategy that learns from each case learn in the order in which it "
        "proposed them, so that workers change nothing",
    )


class Hooks(Settings):
    """Listeners that are switched off although they are installed."""

    disable: tuple[str, ...] = ()


class Gate(Settings):
    """What decides a run's exit code beside the verdicts themselves."""

    inconclusive: Inconclusive = Field(
        default="error",
        description="what a gating check that could not be decided is: an error (exit code 3), "
        "allowed, or a failure (exit code 1)",
    )
    baseline: str | None = Field(
        default=None,
        min_length=1,
        description="a file that 'sparring bless' wrote: only what is worse than it is a failure",
    )
    min_rate: float = Field(
        default=0.9, gt=0, le=1, description="of repeats: how often a check has to pass at least"
    )
    confidence: float = Field(
        default=0.95, ge=0.5, lt=1, description="how sure it has to be that a rate is too low"
    )
    flaky: Literal["warn", "fail"] = Field(
        default="warn",
        description="what a repeated check is that sometimes fails, if its rate is not known to be "
        "too low",
    )


def _allow_short(schema: dict[str, Any]) -> None:
    """Let the schema of a mapping take the short forms, a number or a text, as well."""
    mapping = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "integer", "minimum": 1}, {"type": "string"}, mapping]


class Repeats(Settings):
    """How often each case is played, each time with a seed of its own.

    A number alone is `times`, and a text such as ``±5 %`` is `until`: each case is then played
    until the rate of each of its checks is known so closely, or is known to be too low or high
    enough for the gate, at most `most` times.
    """

    model_config = ConfigDict(json_schema_extra=_allow_short)

    times: int = Field(default=1, ge=1, le=10_000)
    until: float | None = Field(
        default=None, gt=0, lt=0.5, description="half the width of the interval, as '±5 %' or 0.05"
    )
    most: int = Field(default=200, ge=2, le=10_000, description="plays of a case at most")
    halving: bool = Field(default=False, description="play on only what fails most, half by half")

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        key = "times" if isinstance(value, int) else "until"
        return {key: value} if isinstance(value, (int, float, str)) else value

    @field_validator("until", mode="before")
    @classmethod
    def _share(cls, value: Any) -> Any:
        match = re.fullmatch(r"\s*(?:±|\+-|\+/-)?\s*([0-9.]{1,9})\s*%\s*", str(value))
        try:
            return float(match[1]) / 100 if match else value
        except ValueError:
            raise ValueError("expected a share such as '±5 %'") from None


class Suite(Settings):
    """A suite: an app, an agent that plays, a strategy, oracles, reporters.

    Relative paths start from the suite's folder. ``${NAME}`` and ``${NAME:-otherwise}`` in any
    text are replaced from the environment; ``$${`` stands for ``${``.
    """

    name: str = Field(min_length=1, max_length=100)
    description: str = ""
    app: Annotated[Use, UseOf("sparring.connectors")]
    agent: Annotated[Use, UseOf("sparring.agents", role="player")]
    strategy: Annotated[StrategyUse, UseOf("sparring.strategies")]
    oracles: tuple[Annotated[OracleUse, UseOf("sparring.oracles")], ...]
    reporters: tuple[Annotated[Use, UseOf("sparring.reporters")], ...]
    llm: Annotated[LLMUse, UseOf("sparring.llm_backends")] | None = None
    execution: Annotated[ExecutionUse, UseOf("sparring.executors")]
    budget: Budget = Budget()
    gate: Gate = Gate()
    repeats: Repeats = Field(
        default=Repeats(), description="how often each case is played: a number, or until when"
    )
    vary: dict[str, Annotated[tuple[JsonValue, ...], Field(min_length=1)]] = Field(
        default={}, description="values of dotted keys; 'sparring run' plays each combination"
    )
    confirm: bool | Confirm = Field(
        default=False,
        description="play each fault again from fresh sessions, and minimise it: true, or how",
    )
    concurrency: int = Field(default=10, ge=1, le=1000, description="cases played side by side")
    seed: int = Field(default=0, ge=0, description="the same seed gives the same cases")
    case_timeout: Seconds = Field(default=600.0, description="seconds one case may take")
    judge_timeout: Seconds = Field(default=120.0, description="seconds one judgement may take")
    part_timeout: Seconds = Field(
        default=600.0,
        description="seconds that one call of a part may block, such as a strategy's 'ask', a "
        "reporter's writing, or a player's preparation",
    )
    runs: str = Field(default="runs", description="the folder, or address, of runs")
    hooks: Hooks = Hooks()

    @field_validator("runs")
    @classmethod
    def _can_be_a_path(cls, value: str) -> str:
        if "\0" in value:
            raise ValueError("has a zero byte, which no path can have")
        return drivers.load_value(SERVICES, "remote-runs")(value) if "://" in value else value

    @property
    def confirming(self) -> Confirm | None:
        """How faults are played again; None if they are not."""
        if isinstance(self.confirm, Confirm):
            return self.confirm
        return Confirm() if self.confirm else None

    @model_validator(mode="after")
    def _labels_differ(self) -> "Suite":
        labels = [oracle.label for oracle in self.oracles]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise ValueError(
                f"two oracles are called {twice[0]!r}; give one of them a 'name' of its own"
            )
        return self
