"""What all kits share: how a part is built, run and left alone."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import pytest
from pydantic import ValidationError

from sparring.discovery.groups import group_of
from sparring.interfaces.plugin import Plugin, PluginConfig
from sparring.testing.fakes import FakeContext

T = TypeVar("T")

Build = Callable[[], Any]
"""Makes a fresh part; parts made by one test share its context."""


def _tests_of(cls: "type[Kit]") -> dict[str, tuple[type, Any]]:
    """The tests that the kits among the bases of a class define, and who does."""
    return {
        name: (base, value)
        for base in reversed(cls.__mro__)
        if base.__dict__.get("_is_kit")
        for name, value in base.__dict__.items()
        if name.startswith("test_")
    }


class Kit:
    """The base of all kits; derive from the kit of an interface, not from this.

    A class of yours named ``Test...`` derives from a kit and says what is tested by overriding
    fixtures::

        class TestMyOracle(OracleKit):
            @pytest.fixture
            def plugin(self) -> type[MyOracle]:
                return MyOracle

            @pytest.fixture
            def settings(self) -> dict[str, object]:
                return {"words": ["sorry"]}

    Fixtures: `plugin` is the class, `settings` are its settings as in a suite, `context` is what
    it is built in (override it to give a language model, functions or other parts), `build`
    makes a new part each time it is called. Tests are never overridden: a class that replaces
    one of the kit's tests is refused when it is defined. Where a test does not hold for good
    reason, name it in `exceptions` with the reason; it is then skipped, visibly.
    """

    #: Tests of the kit that do not hold here, each with the reason.
    exceptions: ClassVar[Mapping[str, str]] = {}
    #: Seconds that one test may take.
    limit_s: ClassVar[float] = 60.0
    _is_kit: ClassVar[bool] = False

    def __init_subclass__(cls, *, kit: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._is_kit = kit
        tests = _tests_of(cls)
        for name, (owner, test) in tests.items():
            if inspect.getattr_static(cls, name) is not test:
                raise TypeError(
                    f"{cls.__qualname__}.{name} replaces a test of {owner.__qualname__}: give "
                    f"yours another name, or say in `exceptions` why {name} does not hold"
                )
        exceptions = cast("object", cls.exceptions)
        if not isinstance(exceptions, Mapping):
            raise TypeError(
                f'{cls.__qualname__}.exceptions has to be a mapping: {{"test_NAME": "the reason"}}'
            )
        for name, reason in cls.exceptions.items():
            if name not in tests or not reason.strip():
                raise TypeError(
                    f"{cls.__qualname__}.exceptions[{name!r}] needs the name of a test of the kit, "
                    f"and a reason"
                )

    @pytest.fixture(autouse=True)
    def _excepted(self, request: pytest.FixtureRequest) -> None:
        name = getattr(request.node, "originalname", "")
        if name in self.exceptions:
            pytest.skip(self.exceptions[name])

    @pytest.fixture(autouse=True)
    def _event_loop(self) -> Iterator[None]:
        with asyncio.Runner() as self._runner:
            yield

    @pytest.fixture
    def plugin(self) -> type[Plugin[Any]]:
        """The class under test."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `plugin`")

    @pytest.fixture
    def settings(self) -> Mapping[str, Any]:
        """Its settings, as in a suite."""
        return {}

    @pytest.fixture
    def context(self, tmp_path: Path) -> FakeContext:
        """What parts are built in; relative files start in `tmp_path`."""
        run_dir = tmp_path / "run"
        return FakeContext(base_dir=tmp_path, run_dir=run_dir, seed=7)

    @pytest.fixture
    def build(
        self,
        _event_loop: None,
        plugin: type[Plugin[Any]],
        settings: Mapping[str, Any],
        context: FakeContext,
    ) -> Iterator[Build]:
        """Makes a new part each time it is called; all are closed at the end."""
        yield lambda: context.build(plugin, **settings)
        problems = self.run(context.close())
        assert not problems, f"parts cannot be closed: {problems}"

    def run(self, work: Awaitable[T]) -> T:
        """Run a test's asynchronous part to its end, or until `limit_s` is over.

        All of one test runs on one event loop, as all of a run does.
        """

        async def limited() -> T:
            async with asyncio.timeout(self.limit_s):
                return await work

        return self._runner.run(limited())


class PluginKit(Kit, kit=True):
    """What holds for the implementations of all six interfaces."""

    def test_its_api_version_is_supported(self, plugin: type[Plugin[Any]]) -> None:
        supported = group_of(plugin).supported_api
        assert plugin.api_version in supported, (
            f"api_version is {plugin.api_version!r}, and one of {sorted(supported)} is supported"
        )

    def test_its_settings_are_a_frozen_plugin_config(
        self, plugin: type[Plugin[Any]], settings: Mapping[str, Any]
    ) -> None:
        assert issubclass(plugin.Config, PluginConfig), "Config is not a subclass of PluginConfig"
        config = plugin.Config.model_validate(dict(settings))
        assert config.model_config.get("frozen"), "settings can be changed: Config is not frozen"

    def test_an_unknown_setting_is_refused(
        self, plugin: type[Plugin[Any]], settings: Mapping[str, Any]
    ) -> None:
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            plugin.Config.model_validate({**settings, "no_such_setting": 1})

    def test_its_settings_have_a_json_schema(self, plugin: type[Plugin[Any]]) -> None:
        schema = plugin.Config.model_json_schema()
        assert schema.get("type") == "object", f"settings are keys and values, not {schema!r}"

    def test_a_part_that_was_never_used_can_be_closed(
        self, build: Build, context: FakeContext
    ) -> None:
        build()
        assert not self.run(context.close()), "closing it raises"

    def test_closing_twice_is_harmless(self, build: Build, context: FakeContext) -> None:
        part = build()
        assert not self.run(context.close()), "closing it raises"
        self.run(part.close())
