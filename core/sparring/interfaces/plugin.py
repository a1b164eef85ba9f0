"""What all six interfaces share: settings, the door to other parts, the API version."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

if TYPE_CHECKING:
    from sparring.interfaces.condition import Condition
    from sparring.interfaces.llm_backend import LLMBackend
    from sparring.interfaces.rule_function import RuleFunction

PluginT = TypeVar("PluginT", bound="Plugin[Any]")


class PluginConfig(BaseModel):
    """The base of every plugin's settings: immutable, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)


class Use(BaseModel):
    """A plugin named in a suite, with its settings beside it: ``{use: agenda, typos: 0.1}``.

    In a suite, the plain text ``agenda`` is short for ``{use: agenda}``. `use` is an
    installed plugin's name or an import path ``package.module:Class``.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    use: str

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"use": value} if isinstance(value, str) else value

    @property
    def settings(self) -> dict[str, Any]:
        """The settings beside `use`, as written."""
        return dict(self.model_extra or {})


@dataclass(frozen=True, slots=True)
class UseOf:
    """Marks a `Use` field of a Config with what it takes, for checks and for the schema.

    Write ``user: Annotated[Use, UseOf("sparring.agents", role="user")]``.
    """

    group: str
    role: str | None = None

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A marker that `sparring schema` replaces by the plugins installed."""
        return {"x-sparring-use": {"group": self.group, "role": self.role}}


class BuildContext(ABC):
    """What a plugin may ask for while it is built. The engine makes it; fakes are in testing."""

    #: Folder that relative paths in the suite start from.
    base_dir: Path
    #: Folder of the run, for artifacts; None outside a run (validate, check).
    run_dir: Path | None
    #: The run's seed.
    seed: int
    #: Names of inputs and outputs of all scenarios, known once a run begins; else empty.
    names: frozenset[str] = frozenset()

    @abstractmethod
    def part(self, interface: type[PluginT], use: Use, *, role: str | None = None) -> PluginT:
        """Build the part named by `use`; raises PluginError or ConfigurationError.

        For agents, `role` is checked against the class.
        """

    @abstractmethod
    def files(self, patterns: str | Sequence[str]) -> list[Path]:
        """The files that paths, folders or glob patterns name, sorted, each once.

        Relative ones start from `base_dir`; a folder means the YAML files below it. Every
        file is recorded in the run's manifest. Raises ConfigurationError where a pattern
        matches nothing.
        """

    @abstractmethod
    def functions(self) -> Mapping[str, "RuleFunction"]:
        """The functions that rules may call, by name (entry points `sparring.functions`)."""

    def condition(
        self, expression: str, names: Collection[str], *, language: str = "rules"
    ) -> "Condition":
        """Compile a condition over variables called `names`, such as a constraint of a space.

        `language` is an entry point of ``sparring.conditions``; ``rules`` is the expression
        language of rules. Raises ConfigurationError for an expression that is wrong, naming the
        nearest name; UnknownPlugin where nobody knows the language.
        """
        raise NotImplementedError

    @abstractmethod
    def llm(self, asker: str) -> "LLMBackend[Any] | None":
        """The suite's language model for a role, metered and logged; None where there is none."""

    @abstractmethod
    def warn(self, message: str) -> None:
        """Tell the user something that does not stop the run."""

    def note(self, message: str) -> None:
        """Tell the user at once, and once, of what a part waits for while a run goes on."""
        self.warn(message)


ConfigT = TypeVar("ConfigT", bound=PluginConfig)


class Plugin(ABC, Generic[ConfigT]):
    """The base of the six interfaces.

    A class declares its `Config`; the suite's settings are validated against it before the
    class is instantiated. `api_version` is the version of the interface that it implements.
    """

    api_version: ClassVar[int] = 1
    #: The pydantic class of the settings; an instance arrives as `self.config`.
    Config: ClassVar[type[PluginConfig]] = PluginConfig

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        self.config = config
        self.context = context

    async def close(self) -> None:
        """Give back what the part holds; called once, when the run ends however it ends."""
