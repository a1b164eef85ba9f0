"""What is imported, and when: nothing before it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    *("pydantic", "httpx2", "rich", "asyncio", "stevedore", "pluggy", "importlib.metadata"),
    *("yaml", "jinja2", "dateparser", "jsonpath_ng", "rapidfuzz", "stamina", "phonenumbers"),
}


def imported(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running `code`."""
    code = f"import sys; before = set(sys.modules)\n{code}\n"
    code += "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("line", [["--help"], ["--version"], ["-h"]], ids=str)
def test_help_imports_nothing_heavy(line: list[str]) -> None:
    modules = imported(f"from sparring.cli.app import invoke; invoke({line!r})")
    assert not (HEAVY - {"importlib.metadata"}) & modules  # names of plugins' commands
    assert not {name for name in modules if name.startswith(("sparring_plugins", "sparring.model"))}


def test_importing_sparring_imports_nothing_else() -> None:
    assert not HEAVY & imported("import sparring; sparring.__version__")


def test_every_public_name_resolves() -> None:
    import sparring

    for name in sparring.__all__:
        assert getattr(sparring, name) is not None
    with pytest.raises(AttributeError):
        sparring.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    "plugin", ["sparring.testing.pytest_plugin", "sparring_plugins.execution.pytest_plugin"]
)
def test_a_pytest_plugin_imports_only_itself(plugin: str) -> None:
    modules = imported(f"import pytest; before |= set(sys.modules)\nimport {plugin}")
    ours = {name for name in modules if name.startswith("sparring")}
    parents = {plugin.rsplit(".", depth)[0] for depth in range(3)}
    assert ours <= {"sparring.lazy_names", *parents}
    assert not HEAVY & modules


def test_listing_plugins_imports_none_of_them() -> None:
    modules = imported("from sparring.cli.app import invoke; invoke(['plugins'])")
    # The room of the command itself, and the options that commands share.
    rooms = ("sparring_plugins.project", "sparring_plugins.output")
    assert not {
        name
        for name in modules
        if name.startswith(("sparring_plugins.", "sparring_connectors."))
        and not name.startswith(rooms)
    }


def test_a_run_with_the_echo_app_loads_no_http_library() -> None:
    modules = imported(
        "import sparring_connectors.echo.connector, sparring.engine.conduct, sparring.suite.reading"
    )
    assert not {"httpx2", "rich", "jinja2", "dateparser"} & modules


def test_a_run_in_one_process_loads_nothing_of_other_executors(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(
        "name: s\napp: echo\nagent: {use: 'sparring.testing.fakes:FakePlayer'}\n"
        "strategy: exhaustive\nreporters: []\n"
    )
    path = str(tmp_path / "suite.yaml")
    modules = imported(f"from sparring.cli.app import invoke; invoke(['run', {path!r}])")
    assert "sparring_plugins.execution.local" in modules
    others = {"dask", "distributed", "tornado", "pyarrow", "cloudpickle"}
    assert not others & {name.partition(".")[0] for name in modules}
    workers = ("sparring_plugins.execution.worker", "sparring_plugins.execution.cluster")
    assert not {name for name in modules if name.startswith(workers)}
