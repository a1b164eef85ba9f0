"""The parts behind a wrapped page: who attaches to it, who drives it, the model that is asked."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from sparring.discovery import hooks
from sparring.engine.budget import Spending
from sparring.engine.metering import Meter
from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import Use
from sparring.suite.building import SuiteContext
from sparring.suite.model import Budget, LLMUse
from sparring_plugins.web.roles.driver import PageDriver

ResultT = TypeVar("ResultT")
Model = LLMBackend[Any] | Mapping[str, Any] | str | None
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@dataclass(frozen=True)
class Settings:
    """What `wrap` was given, checked; see there."""

    llm: Model = None
    cache: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    heal: bool = True
    timeout_s: float = 30.0
    patience_s: float = 2.0
    scope: object = None
    ignore: tuple[object, ...] = ()
    app: Mapping[str, Any] = field(default_factory=dict[str, Any])
    agent: Mapping[str, Any] = field(default_factory=dict[str, Any])
    folder: Path | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.timeout_s <= 0 or self.patience_s < 0:
            raise ConfigurationError("timeout_s must be more than 0 s, patience_s 0 s or more")


class ScriptContext(SuiteContext):
    """Builds the parts for one page; the model may be one that the script has made."""

    def __init__(self, settings: Settings) -> None:
        self._meter = Meter(Spending(Budget()))
        self._own = settings.llm if isinstance(settings.llm, LLMBackend) else None
        super().__init__(
            Path.cwd(),
            seed=settings.seed,
            run_dir=settings.folder,
            llm=None if self._own is not None else _named(settings.llm),
            wrap=self._meter.wrap,
        )

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """See `BuildContext.llm`."""
        return self._own if self._own is not None else super().llm(asker)

    async def close(self) -> list[str]:
        """Close the parts, and the cache of answers."""
        problems = await super().close()
        self._meter.close()
        return problems


def _named(model: Any) -> LLMUse | None:
    if model is None:
        return None
    if not isinstance(model, str | Mapping):
        raise ConfigurationError(
            "llm is a backend, its name, or a map as in a suite: "
            "llm={'use': 'openai', 'model': 'gpt-4o-mini'}"
        )
    try:
        return LLMUse.model_validate(model)
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(key) for key in first["loc"])
        raise ConfigurationError(f"llm: {where}: {first['msg']}") from err


@dataclass(frozen=True)
class Parts:
    """The parts of one page. `run` runs a coroutine to its end, where the page is synchronous."""

    context: ScriptContext
    connector: AppConnector[Any]
    driver: PageDriver[Any]
    run: Run | None


def parts_for(page: object, settings: Settings) -> Parts:
    """Find and build the parts; raises ConfigurationError or PluginError."""
    listeners = hooks.load()
    found = listeners.manager.hook.sparring_page_parts(page=page)
    if found is None:
        raise ConfigurationError(
            f"nothing that is installed drives a {type(page).__name__}; "
            "sparring.web.wrap takes a page of Playwright's"
        )
    context = ScriptContext(settings)
    own = {"variables": dict(settings.variables), "secrets": dict(settings.secrets)}
    given = {name: value for name, value in own.items() if value}
    app = Use.model_validate({**found["app"], **given, **settings.app})
    agent = Use.model_validate({**found["agent"], **settings.agent})
    connector = context.part(AppConnector[Any], app)
    driver = context.part(Agent[Any, Any, Any], agent, role="driver")
    if not isinstance(driver, PageDriver):
        raise ConfigurationError(f"the agent {agent.use!r} is no PageDriver")
    return Parts(context, connector, driver, found.get("run"))
