"""What is in the wheel and in the source distribution."""

import configparser
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sparring_plugins.project.docs_command import FOLDERS

PAGES = "sparring_plugins/project/pages/"

pytestmark = pytest.mark.slow

PACKAGES = {"sparring": "core", "sparring_plugins": "plugins", "sparring_connectors": "connectors"}


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_the_three_packages_and_nothing_else(names: list[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES.keys()


def test_every_source_file_is_in_the_wheel(names: list[str], repository: Path) -> None:
    missing = [
        path
        for package, root in PACKAGES.items()
        for path in (repository / root / package).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", "")
        if "__pycache__" not in path.parts  # compiled templates are kept there, too
        if path.relative_to(repository / root).as_posix() not in names
    ]
    assert not missing


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_says_that_it_is_typed(names: list[str], package: str) -> None:
    assert f"{package}/py.typed" in names


def test_the_licence_is_in_the_wheel(names: list[str]) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_advertises_what_pyproject_does(wheel: Path, repository: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (file,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        parser = configparser.ConfigParser(delimiters=("=",))
        parser.optionxform = str  # type: ignore[assignment, method-assign]
        parser.read_string(archive.read(file).decode())
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {group: items for group, items in project["entry-points"].items() if items}
    declared["console_scripts"] = project["scripts"]
    assert {name: dict(parser[name]) for name in parser.sections()} == declared


@pytest.mark.thorough
def test_a_wheel_from_the_source_distribution_is_the_same(
    wheel: Path, build: Callable[[Path, str], Path], repository: Path, tmp_path: Path
) -> None:
    with tarfile.open(build(repository, "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    with zipfile.ZipFile(build(source, "wheel")) as archive:
        again = {name: archive.read(name) for name in archive.namelist()}
    assert again.keys() == set(zipfile.ZipFile(wheel).namelist())
    for name, data in again.items():
        root = PACKAGES.get(name.partition("/")[0])
        assert root is None or (source / _source(root, name)).read_bytes() == data


def _source(root: str, name: str) -> str:
    """Where a file of the wheel lies in the repository."""
    inside = name.removeprefix(PAGES)
    return f"{root}/{name}" if inside == name else f"docs/{inside}"


def test_the_pages_that_messages_name_are_in_the_wheel(names: list[str], repository: Path) -> None:
    pages = {name.removeprefix(PAGES) for name in names if name.startswith(PAGES)}
    docs = repository / "docs"
    assert pages == {
        path.relative_to(docs).as_posix()
        for folder in FOLDERS
        for path in (docs / folder).rglob("*")
        if path.is_file()
    }


def test_a_contribution_holds_its_own_package_only(
    build: Callable[[Path, str], Path], contributions: list[Path]
) -> None:
    for project in contributions:
        package = project.name.replace("-", "_")
        names = zipfile.ZipFile(build(project, "wheel")).namelist()
        tops = {name.partition("/")[0] for name in names}
        assert {top for top in tops if not top.endswith(".dist-info")} == {package}
        assert f"{package}/py.typed" in names
