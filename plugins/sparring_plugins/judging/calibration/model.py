"""The calibration file as a model (the reference page is made from these docstrings)."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)

from sparring.interfaces.plugin import UseOf
from sparring.suite.model import Budget, ExecutionUse, LLMUse
from sparring_plugins.judging.calibration.measures import label_of
from sparring_plugins.output.remote_runs import local_copy

KINDS = ("role", "function", "oracle")
"""The key that says of what kind a judge is."""


def _text(value: Any) -> Any:
    """A number as people write it for a name."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _applies(budget: Budget) -> Budget:
    limits = budget.model_fields_set & {"cases", "turns", "failures", "unreachable"}
    if limits:
        raise ValueError(
            f"a calibration has no {sorted(limits)[0]}; its budget has minutes, tokens and cost"
        )
    return budget


def _copied(runs: str) -> str:
    """Replace an address by the folder of its copy, as in a suite."""
    return local_copy(runs) if "://" in runs else runs


Name = Annotated[str, BeforeValidator(_text), Field(min_length=1, max_length=200)]
Label = Annotated[str, BeforeValidator(label_of), Field(min_length=1, max_length=200)]


class JudgeUse(BaseModel):
    """A judge that is measured: an agent of any role, a rule function, or an oracle.

    One of three keys says which: ``role: judge`` with ``use: NAME`` for an agent, ``function:
    NAME`` (and ``variant: NAME``, for another implementation of it), ``oracle: NAME``. Settings of
    agents and oracles stand beside, as in a suite.

    `labels` says what its answers are called in the examples, where that differs: an oracle that
    answers `pass` and `fail` is compared with examples that say `yes` and `no` by ``labels: {pass:
    "yes", fail: "no"}``.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    name: Name | None = Field(default=None, description="what reports call it; else what is used")
    role: str | None = Field(default=None, description="of an agent, as `judge` or `extractor`")
    use: str | None = Field(default=None, description="the agent's name, or `package.module:Class`")
    function: str | None = Field(default=None, description="the rule function's name")
    variant: str | None = Field(default=None, description="the implementation of that function")
    oracle: str | None = Field(default=None, description="the oracle's name")
    check: str | None = Field(
        default=None, description="the one check of the oracle that counts; else the worst of all"
    )
    compare: Literal["equal", "is-true"] = Field(
        default="equal",
        description="for functions: `is-true` asks only whether the value is `true`",
    )
    labels: dict[str, Label] = Field(default={}, description="its answers, as examples call them")
    llm: Annotated[LLMUse, UseOf("sparring.llm_backends")] | None = Field(
        default=None, description="its language model, instead of the file's"
    )
    repeats: int | None = Field(
        default=None, ge=1, le=1000, description="how often it is asked, also without a model"
    )
    orders: Literal["both", "given"] = Field(
        default="both",
        description="for judges that choose: whether options are also shown in reverse",
    )

    @model_validator(mode="after")
    def _is_one_thing(self) -> "JudgeUse":
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError(
                "a judge is one of `role: ROLE` with `use: NAME`, `function: NAME`, `oracle: NAME`"
            )
        if (self.use is not None) != (kinds == ["role"]):
            raise ValueError("`role` and `use` belong together: they name an agent")
        only = {"variant": "function", "check": "oracle", "orders": "role"}
        wrong = [key for key in only if key in self.model_fields_set and only[key] != kinds[0]]
        if "compare" in self.model_fields_set and kinds != ["function"]:
            wrong.append("compare")
        if wrong:
            raise ValueError(f"`{wrong[0]}` means nothing for a judge with `{kinds[0]}`")
        return self

    @property
    def target(self) -> str:
        """The name of what is used: a function's with its variant."""
        variant = f".{self.variant}" if self.variant else ""
        return f"{self.function}{variant}" if self.function else self.use or self.oracle or ""

    @property
    def label(self) -> str:
        """What reports call it."""
        return self.name or self.target

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the agent or oracle, as written."""
        return dict(self.model_extra or {})


class Example(BaseModel):
    """A labelled example: what is judged, and what is right.

    An agent is given `task`, whose keys are those of the role's task; a function `args` and
    `kwargs`; an oracle `conversation`. Where a task has `turns`, and a function wants the
    conversation, they are those of `conversation`. An example may have all of them, so that
    different kinds of judges can be compared.

    `expected` is the right answer: one of the options of a judge, `pass` or `fail` for an oracle,
    the value of a function. For other roles it is a map: only the keys that it has are compared.
    Where it is left out, it is what most `people` say, each of whom has a label here.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name | None = Field(default=None, description="else its number, from 1")
    task: dict[str, JsonValue] | None = None
    args: list[JsonValue] = []
    kwargs: dict[str, JsonValue] = {}
    conversation: Any = Field(
        default=None, description="a file, a list of turns, or a map, see below"
    )
    expected: JsonValue = None
    people: dict[Name, JsonValue] = Field(default={}, description="who says what is right")
    note: str = Field(default="", description="for people; not used")

    @property
    def is_labelled(self) -> bool:
        """Whether it says itself what is right."""
        return "expected" in self.model_fields_set


class CalibrationFile(BaseModel):
    """A calibration: judges, and the labelled examples that they are measured on.

    Relative paths start from the file's folder. ``${NAME}`` and ``${NAME:-otherwise}`` are
    replaced from the environment, as in a suite, but not in examples.

    `examples` are a list here, or a file: YAML or JSON (a list), JSON Lines, or CSV. The columns of
    a CSV file are keys; a dot goes deeper, as in `task.subject`, `args.0` and `people.ann`, and an
    empty cell is left out. `task` is what the tasks of all examples have in common.

    Judges that asked a language model are asked `repeats` times; one that asked none is asked
    once, unless it has `repeats` of its own. The first time is just as in a run; for the others,
    seeds and samples differ, so that no cache makes one answer of them.

    `positive` is the class that precision, recall and F1 are about: what a judge is there to find.
    Where it is left out, that is `fail`, else `no`, else `false`, if an example expects it and
    there are two classes; of more classes, the mean over classes is shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=100)
    description: str = ""
    llm: Annotated[LLMUse, UseOf("sparring.llm_backends")] | None = None
    judges: tuple[JudgeUse, ...] = Field(min_length=1)
    examples: str | list[dict[str, Any]]
    task: dict[str, JsonValue] = {}
    positive: Label | None = None
    repeats: int = Field(default=5, ge=1, le=1000)
    seed: int = Field(default=0, ge=0)
    concurrency: int = Field(default=10, ge=1, le=1000, description="answers at once")
    timeout: float = Field(default=120.0, gt=0, description="seconds one answer may take")
    budget: Annotated[Budget, AfterValidator(_applies)] = Budget()
    execution: Annotated[ExecutionUse, UseOf("sparring.executors")] | None = Field(
        default=None, description="who asks: this process, or workers, as in a suite"
    )
    runs: Annotated[str, AfterValidator(_copied)] = Field(
        default="runs", description="the folder, or address, that results are stored in"
    )

    @model_validator(mode="after")
    def _labels_differ(self) -> "CalibrationFile":
        labels = [judge.label for judge in self.judges]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise ValueError(
                f"two judges are called {twice[0]!r}; give one of them a 'name' of its own"
            )
        if "\0" in self.runs:
            raise ValueError("`runs` has a zero byte, which no path can have")
        return self
