"""What all six interfaces share: settings, the build context, the API version.

The interface `LLMBackend` is here too, as that door gives a part its language model.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from sparring.model.chat import ChatReply, ChatRequest

PluginT = TypeVar("PluginT", bound="Plugin[Any]")


class Settings(BaseModel):
    """The base of settings: immutable, unknown keys are errors, numbers are finite.

    Pydantic takes `true` for 1: a number is no `true` here unless the setting takes both.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _no_truth_values(cls, data: Any) -> Any:
        written: Any = data
        values: dict[str, Any] = written if isinstance(written, dict) else {}  # pyright: ignore[reportUnknownVariableType]
        numbers = (name for name, field in cls.model_fields.items() if _is_number(field.annotation))
        wrong = [
            InitErrorDetails(type=_NO_NUMBER, loc=(name,), input=values[name])
            for name in numbers
            if isinstance(values.get(name), bool)
        ]
        if wrong:
            raise ValidationError.from_exception_data(cls.__name__, wrong)
        return data


_NO_NUMBER = PydanticCustomError("number", "expected a number")


def _is_number(annotation: Any) -> bool:
    options = [annotation, *get_args(annotation)]
    kinds = [kind for option in options for kind in (option, *get_args(option)[:1])]
    return (int in kinds or float in kinds) and bool not in kinds


class PluginConfig(Settings):
    """The base of every plugin's settings."""


class Use(Settings):
    """A plugin named in a suite, with its settings beside it: ``{use: agenda, typos: 0.1}``.

    In a suite, the plain text ``agenda`` is short for ``{use: agenda}``. `use` is an
    installed plugin's name or an import path ``package.module:Class``.
    """

    model_config = ConfigDict(extra="allow")

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

    @abstractmethod
    def part(self, interface: type[PluginT], use: Use, *, role: str | None = None) -> PluginT:
        """Build the part named by `use`; raises PluginError or ConfigurationError.

        For agents, `role` is checked against the class.
        """

    @abstractmethod
    def files(self, patterns: str | Sequence[str]) -> list[Path]:
        """The files that paths, folders or glob patterns name, sorted, each once.

        Relative ones start from `base_dir`; a folder means the YAML files below it. Every
        file is recorded in the run's manifest. Raises ConfigurationError if a pattern
        matches nothing.
        """

    @abstractmethod
    def llm(self, asker: str) -> "LLMBackend[Any] | None":
        """The suite's language model for a role, metered and logged; None if there is none."""

    @abstractmethod
    def warn(self, message: str) -> None:
        """Tell the user something that does not stop the run."""

    def note(self, message: str) -> None:
        """Tell the user at once, and once, of what a part waits for while a run goes on."""
        self.warn(message)


ConfigT = TypeVar("ConfigT", bound=PluginConfig)


Fallback = Literal["model-free", "inconclusive", "error"]
"""What a role does if a model's answer stays unusable: ask its twin that needs no model, leave open
what depends on it, or end the case as an error."""


class Plugin(ABC, Generic[ConfigT]):
    """The base of the six interfaces.

    A class declares its `Config`; the suite's settings are validated against it before the
    class is instantiated. `api_version` is the version of the interface that it implements.

    A part is built by ``__init__(config, context)``; one that needs more there calls this one
    first. `self.config` are its settings, `self.context` is what it is built in (`BuildContext`).
    A setting that is a path counts from the suite's folder: ``self.context.base_dir / path``, or
    ``self.context.files(patterns)`` for several files.
    """

    api_version: ClassVar[int] = 1
    #: The pydantic class of the settings; an instance arrives as `self.config`.
    Config: ClassVar[type[PluginConfig]] = PluginConfig

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        self.config = config
        self.context = context

    async def close(self) -> None:
        """Give back what the part holds; called once, when the run ends however it ends."""


class LLMBackend(Plugin[ConfigT]):
    """Speaks to one service or library that answers prompts. One call is one attempt.

    Retries, deadlines, the number of calls at once, prices, the cache and the log are the
    engine's; a backend switches off those of its SDK. What is missing for good (a key, a
    library) is a ConfigurationError or MissingExtra when it is built.

    It sends `ChatRequest.answer_schema` the way the service supports (response format, tool
    call, or as words in the prompt) and may leave `ChatReply.parsed` alone: if it is None, the
    engine reads the JSON in `text`; what does not satisfy the schema never gets to the asker.
    """

    @abstractmethod
    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once and wait for the answer.

        Raises ModelBusy if the service asks for patience, ModelUnavailable for what may pass
        (no answer within `request.timeout_s`, too), and ModelError for all else.
        """

    def identity(self) -> str:
        """The settings that shape its answers, in one line without secrets, for cache and log."""
        return f"{type(self).__module__}.{type(self).__qualname__}"

    def model(self) -> str | None:
        """The model that is asked, to look its price up before anything runs; None if unknown."""
        name = getattr(self.config, "model", None)
        return name if isinstance(name, str) else None

    #: How often an answer without the wanted form is sent back (`llm.repairs` of the suite).
    repairs: int = 1
    #: What a role does if its answer stays unusable: in a run what `llm.fallback` says.
    fallback: Fallback = "error"
    #: Tokens that the model may spend on reasoning besides an answer; more if that is cut off.
    reasoning_tokens: int = 0
    #: Whether answers cost nothing by nature (a script, a recording, a person).
    free: bool = False
    #: Whether its replies say themselves what they cost.
    tells_cost: bool = False
    #: Where its answers come from; only those of a service count as spent.
    source: Literal["service", "recording"] = "service"
    #: Whether it speaks to a service whose prices are public, as price lists have them: a server
    #: of one's own may call its model by a name in the list.
    listed: bool = True
