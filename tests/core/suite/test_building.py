"""From a suite's names to live parts."""

from pathlib import Path
from typing import Annotated, ClassVar

import pytest

from sparring.documents.reading import parse
from sparring.errors import ConfigurationError, PluginError
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig, Use, UseOf
from sparring.suite.building import Functions, SuiteContext
from sparring.suite.model import Budget, Suite
from sparring.suite.reading import check_uses, load_suite

FAKES = "sparring.testing.fakes:"


class BlockConfig(PluginConfig):
    judge: Annotated[Use, UseOf("sparring.oracles")] = Use(use=f"{FAKES}FakeOracle")


class NestedConfig(PluginConfig):
    block: BlockConfig | None = None
    user: Annotated[Use, UseOf("sparring.agents", role="user")] = Use(use=f"{FAKES}FakeUser")
    more: tuple[Annotated[Use, UseOf("sparring.oracles")], ...] = ()
    named: dict[str, Annotated[Use, UseOf("sparring.oracles")]] = {}


class Nested(Oracle[NestedConfig]):
    Config: ClassVar[type[PluginConfig]] = NestedConfig


class Unbuildable(Oracle[PluginConfig]):
    def __init__(self, config: PluginConfig, context: SuiteContext) -> None:
        raise OSError("no disk")


def problems(text: str) -> list[str]:
    document = parse(text, "s.yaml")
    return [str(problem) for problem in check_uses(Suite, document, document.data)]


def test_settings_of_nested_plugins_are_checked_with_their_place() -> None:
    found = problems(
        f"""\
oracles:
  - use: "{__name__}:Nested"
    name: mine
    user:
      use: "{FAKES}FakeUser"
      linse: [a]
    more:
      - rulez
      - use: "{FAKES}FakeOracle"
        check: 3
    named:
      first: {{use: "{FAKES}FakeOracle"}}
      second:
        use: "{FAKES}FakeOracle"
        chek: x
"""
    )
    assert [line.split(":")[1] for line in found] == ["6", "8", "10", "15"]
    assert "unknown key. Did you mean 'lines'?" in found[0]
    assert "Did you mean 'rules'?" in found[1]
    assert "oracles[0].more[1].check" in found[2]
    assert "oracles[0].named.second.chek" in found[3]


def test_plugins_in_a_block_of_settings_are_checked_with_their_place() -> None:
    (found,) = problems(
        f"""\
oracles:
  - use: "{__name__}:Nested"
    block:
      judge: rulez
"""
    )
    assert found.startswith("s.yaml:4: oracles[0].block.judge.use: no oracle is called 'rulez'.")
    assert "Did you mean 'rules'?" in found


def test_a_nested_agent_of_the_wrong_role_is_refused() -> None:
    (found,) = problems(f'oracles: [{{use: "{__name__}:Nested", user: "{FAKES}FakePlayer"}}]')
    assert "has the role 'player', not 'user'" in found


def test_files_are_found_sorted_once_and_remembered(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "deep/c.yaml", "d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    context = SuiteContext(tmp_path)
    names = [path.relative_to(tmp_path).as_posix() for path in context.files(["b.yaml", "."])]
    assert names == ["b.yaml", "a.yml", "deep/c.yaml"]
    assert [path.name for path in context.files("**/*.y*ml")] == ["a.yml", "b.yaml", "c.yaml"]
    assert context.files(str(tmp_path / "*.txt")) == [tmp_path / "d.txt"]
    assert set(context.inputs) == {"a.yml", "b.yaml", "deep/c.yaml", "d.txt"}
    with pytest.raises(ConfigurationError, match="no file matches 'none/'"):
        context.files("none/")


def test_a_part_that_cannot_be_built_is_named(tmp_path: Path) -> None:
    context = SuiteContext(tmp_path)
    with pytest.raises(PluginError, match="constructor: OSError: no disk"):
        context.part(Oracle, Use(use=f"{__name__}:Unbuildable"))  # type: ignore[type-abstract]


def test_functions_are_loaded_when_they_are_asked_for() -> None:
    functions = Functions()
    assert len(functions) == len(list(functions))
    with pytest.raises(KeyError):
        functions["no_such_function"]


@pytest.mark.parametrize(("text", "dollars"), [("2 USD", 2), ("$ 0.50", 0.5), (3, 3), ("1.5", 1.5)])
def test_a_budget_in_dollars(text: object, dollars: float) -> None:
    assert Budget.model_validate({"cost": text}).cost == dollars


def test_where_a_module_lies_that_is_not_found_is_told(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "suite.yaml").write_text(
        "name: it\napp: {use: 'beside_it:App'}\nagent: {use: user-simulator, profiles: x}\n"
    )
    for folder in (tmp_path, tmp_path / "suites"):
        (folder / "beside_it.py").write_text("")
        with pytest.raises(ConfigurationError) as caught:
            load_suite(tmp_path / "suites" / "suite.yaml", {})
        assert f"; it is in {folder}: run 'python -m sparring' there" in str(caught.value)
