"""The suite file as a model (the reference page is made from these docstrings)."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sparring.interfaces.plugin import Use, UseOf


class Budget(BaseModel):
    """What a run may spend; when it is spent no further case is started.

    `cases`, `turns`, `failures` (failed cases), `tokens` and `cost` count for the whole run,
    also over sessions when it is resumed; `minutes` for one session.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cases: int | None = Field(default=None, gt=0)
    turns: int | None = Field(default=None, gt=0)
    minutes: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0, description="in US dollars, as 2 or '2 USD'")
    failures: int | None = Field(default=None, gt=0)

    @field_validator("cost", mode="before")
    @classmethod
    def _money(cls, value: Any) -> Any:
        if isinstance(value, str):
            match = re.fullmatch(r"\s*\$?\s*([0-9]+(?:\.[0-9]+)?)\s*(?:USD|\$)?\s*", value)
            if not match:
                raise ValueError("expected an amount in US dollars such as '2 USD'")
            return float(match[1])
        return value


class OracleUse(Use):
    """An oracle in a suite: its plugin, its label in reports, and whether it gates."""

    name: str | None = None
    gating: bool = True

    @property
    def label(self) -> str:
        """What verdicts and reports call it."""
        return self.name or self.use


class Hooks(BaseModel):
    """Listeners that are switched off although they are installed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    disable: tuple[str, ...] = ()


class Suite(BaseModel):
    """A suite: an app, an agent that plays, a strategy, oracles, reporters.

    Relative paths start from the suite's folder. ``${NAME}`` and ``${NAME:-otherwise}`` in any
    text are replaced from the environment; ``$${`` stands for ``${``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    description: str = ""
    app: Annotated[Use, UseOf("sparring.connectors")]
    agent: Annotated[Use, UseOf("sparring.agents", role="player")]
    strategy: Annotated[Use, UseOf("sparring.strategies")]
    oracles: tuple[Annotated[OracleUse, UseOf("sparring.oracles")], ...]
    reporters: tuple[Annotated[Use, UseOf("sparring.reporters")], ...]
    llm: Annotated[Use, UseOf("sparring.llm_backends")] | None = None
    budget: Budget = Budget()
    concurrency: int = Field(default=10, ge=1, le=1000, description="cases played side by side")
    seed: int = Field(default=0, ge=0, description="the same seed gives the same cases")
    case_timeout: float = Field(default=600.0, gt=0, description="seconds one case may take")
    judge_timeout: float = Field(default=120.0, gt=0, description="seconds one judgement may take")
    runs: str = Field(default="runs", description="the folder that runs are stored in")
    hooks: Hooks = Hooks()

    @field_validator("runs")
    @classmethod
    def _can_be_a_path(cls, value: str) -> str:
        if "\0" in value:
            raise ValueError("has a zero byte, which no path can have")
        return value

    @model_validator(mode="after")
    def _labels_differ(self) -> "Suite":
        labels = [oracle.label for oracle in self.oracles]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise ValueError(
                f"two oracles are called {twice[0]!r}; give one of them a 'name' of its own"
            )
        return self
