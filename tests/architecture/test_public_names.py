"""What is public: the list, its types, and that examples for authors of plugins need nothing deeper."""

import ast
import inspect
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from sparring import RemovedInSparring04Warning, deprecated

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("public_names.txt")
PACKAGES = (
    "sparring",
    "sparring.roles",
    "sparring.testing",
    "sparring.web",
    "sparring_plugins.search.space",
    "sparring_plugins.search.strategies.sampling",
)
MODULES = (
    "sparring.model.events",
    "sparring_plugins.search.conformance",
    "sparring_plugins.search.roles",
)
"""Modules without `__all__`: public is what they define themselves."""

PYDANTIC = {"model_config", "model_computed_fields", "model_fields", "model_post_init"}

DEEPER_ALLOWED = {
    "sparring.cli.app",  # contrib's tests play the command line
}
"""Modules below the public packages that examples for authors of plugins may import."""


def public_names() -> Iterator[str]:
    for package in PACKAGES:
        module = import_module(package)
        names = getattr(module, "__all__", None) or [
            n for n in vars(module) if not n.startswith("_")
        ]
        yield from with_members(package, names)
    for module_name in MODULES:
        yield from with_members(module_name, own_names(module_name))


def with_members(module_name: str, names: Iterable[str]) -> Iterator[str]:
    """The names of a module, each followed by what the class of that name defines itself."""
    for name in sorted(names):
        yield f"{module_name}.{name}"
        value = getattr(import_module(module_name), name)
        if inspect.isclass(value):
            members = {*vars(value), *inspect.get_annotations(value)} - PYDANTIC
            # a kit may get other tests with any version
            public = sorted(m for m in members if not m.startswith(("_", "test_")))
            yield from (f"{module_name}.{name}.{member}" for member in public)


def own_names(module_name: str) -> Iterator[str]:
    """The public names that a module itself defines, without those that it imports."""
    file = import_module(module_name).__file__
    assert file is not None
    for node in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else ()
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.append(node.name)
        yield from (name for name in names if not name.startswith("_"))


def test_the_public_names_are_the_listed_ones() -> None:
    """A name that is missing here breaks plugins: deprecate it first (docs/reference/stability.md).

    `python tests/architecture/test_public_names.py` writes the list anew.
    """
    assert list(public_names()) == LIST.read_text(encoding="utf-8").split()


@pytest.mark.parametrize("package", [*PACKAGES, *MODULES])
def test_every_public_name_resolves(package: str) -> None:
    for name in public_names():
        if name.startswith(f"{package}.") and name.count(".") == package.count(".") + 1:
            assert getattr(import_module(package), name.rpartition(".")[2]) is not None


@pytest.mark.parametrize("package", ["sparring", "sparring.testing"])
def test_the_names_for_type_checkers_are_those_at_run_time(package: str) -> None:
    module = import_module(package)
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    typed = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes: dict[str, str] = vars(module)["_HOMES"]
    assert typed == {(home, name) for home, names in homes.items() for name in names.split()}


def imports_of(text: str) -> Iterator[str]:
    for match in re.finditer(r"^\s*(?:from|import) (sparring(?:\.\w+)*)\b", text, re.MULTILINE):
        yield match[1]


def examples() -> Iterator[Path]:
    yield from (ROOT / "contrib").rglob("*.py")
    yield from (ROOT / "docs" / "tutorials").glob("*.md")
    yield from (ROOT / "docs" / "contributing").glob("*.md")
    yield from (ROOT / "plugins/sparring_plugins/project/templates").rglob("*.py")
    yield from (ROOT / "plugins/sparring_plugins/project/plugin_templates").rglob("*.py.txt")


def test_packages_and_tutorials_import_public_names_only() -> None:
    deeper = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in examples()
        for module in imports_of(path.read_text(encoding="utf-8"))
        if module not in {*PACKAGES, *MODULES, *DEEPER_ALLOWED}
    ]
    assert deeper == []


@deprecated(instead="sparring.new")
def old(value: int) -> int:
    return value + 1


@deprecated(instead="sparring.New")
class Old:
    def __init__(self, value: int) -> None:
        self.value = value


@deprecated(instead="sparring.new")
async def old_later(value: int) -> int:
    return value + 1


def test_what_is_deprecated_works_and_names_its_replacement() -> None:
    with pytest.warns(
        RemovedInSparring04Warning, match=r"old is removed in 0\.4: use sparring\.new"
    ):
        assert old(1) == 2
    with pytest.warns(
        RemovedInSparring04Warning, match=r"Old is removed in 0\.4: use sparring\.New"
    ):
        made = Old(3)
    assert isinstance(made, Old)
    assert made.value == 3


def test_a_deprecation_points_at_the_callers_line() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        old(1)
    assert caught[0].filename == __file__


@pytest.mark.anyio
async def test_a_deprecated_coroutine_works() -> None:
    with pytest.warns(RemovedInSparring04Warning):
        assert await old_later(1) == 2


def documented_moves() -> list[str]:
    from importlib.metadata import entry_points

    return sorted(point.name for point in entry_points(group="sparring.moved"))


def test_documented_paths_of_0_1_still_import() -> None:
    """In a process of its own: an import leaves its module behind."""
    code = "import importlib, warnings\nwarnings.simplefilter('ignore')\n"
    code += "".join(f"importlib.import_module({name!r})\n" for name in documented_moves())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    LIST.write_text("".join(f"{name}\n" for name in public_names()), encoding="utf-8")
