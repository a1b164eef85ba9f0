"""A context to build plugins in, outside a run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_origin

from sparring.documents.checking import checked
from sparring.documents.reading import Document
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import LLMBackend, Plugin, PluginT, Use
from sparring.interfaces.rule_function import RuleFunction
from sparring.suite.building import SuiteContext


class FakeContext(SuiteContext):
    """What the engine gives to a plugin, made by hand.

    `parts` maps names to plugin classes or finished parts, and goes before what is installed;
    names that are not in it are found as in a run. `functions` are those that rules may call;
    None means those that are installed. `llm` is one model for all who ask, or a model per
    asker. `warnings` collects what plugins warn of, `inputs` the files that they asked for.
    """

    def __init__(
        self,
        *,
        base_dir: Path | None = None,
        run_dir: Path | None = None,
        seed: int = 0,
        llm: LLMBackend[Any] | Mapping[str, LLMBackend[Any]] | None = None,
        functions: Mapping[str, RuleFunction] | None = None,
        parts: Mapping[str, type[Plugin[Any]] | Plugin[Any]] | None = None,
    ) -> None:
        super().__init__(base_dir or Path.cwd(), seed=seed, run_dir=run_dir)
        self._models = llm
        self._offered = functions
        self._parts = dict(parts or {})

    def build(self, plugin: type[PluginT], /, **settings: Any) -> PluginT:
        """Build a plugin from settings as a suite gives them; raises ConfigurationError."""
        document = Document(settings, f"settings of {plugin.__qualname__}")
        part = plugin(checked(plugin.Config, document), self)
        self.built.append(part)
        return part

    def part(self, interface: type[PluginT], use: Use, *, role: str | None = None) -> PluginT:
        """Build the part named by `use`, from `parts` or from what is installed."""
        if use.use not in self._parts:
            return super().part(interface, use, role=role)
        found = self._parts[use.use]
        plain: type[PluginT] = get_origin(interface) or interface
        made = found if isinstance(found, Plugin) else self.build(found, **use.settings)
        actual = getattr(made, "role", None)
        if not isinstance(made, plain) or role not in (None, actual):
            what = f"the role {role!r}" if role else f"a {plain.__name__}"
            raise ConfigurationError(f"{use.use!r} was given for {what}, and is {made!r}")
        return made

    def functions(self) -> Mapping[str, RuleFunction]:
        """The given functions, or else the installed ones."""
        return super().functions() if self._offered is None else self._offered

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """The model for an asker, if one was given."""
        if isinstance(self._models, LLMBackend):
            return self._models
        return (self._models or {}).get(asker)
