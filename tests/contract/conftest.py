"""Wheels of Sparring and of each package under contrib/, installed in a fresh environment."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_TIMEOUT_S = 300

Build = Callable[[Path, str], Path]


@dataclass(frozen=True, slots=True)
class Fresh:
    """An environment in which the wheels are installed as a third party would."""

    python: Path

    def run(
        self, *arguments: str | Path, cwd: Path, code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, or one at an absolute path; `code` is to be expected."""
        program, *rest = map(str, arguments)
        found = self.python.parent / program
        done = subprocess.run(
            [str(found), *rest],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
            env={**os.environ, "PYTHONPATH": "", "VIRTUAL_ENV": ""},
        )
        assert code is None or done.returncode == code, (
            f"{arguments} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
        return done


@pytest.fixture(scope="session")
def contributions(repository: Path) -> Sequence[Path]:
    """The folders of the separate distributions."""
    return sorted(path.parent for path in (repository / "contrib").glob("*/pyproject.toml"))


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds a project: ``build(folder, "wheel")`` or ``"sdist"``; the file is given."""

    def _build(project: Path, kind: str) -> Path:
        target = tmp_path_factory.mktemp("dist")
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
        done = subprocess.run(
            command, cwd=project, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (made,) = target.iterdir()
        return made

    return _build


@pytest.fixture(scope="session")
def wheel(build: Build, repository: Path) -> Path:
    """Sparring's wheel."""
    return build(repository, "wheel")


@pytest.fixture(scope="session")
def fresh(
    wheel: Path,
    build: Build,
    contributions: Sequence[Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Fresh:
    """The wheels in an environment of their own.

    Nothing is downloaded: libraries come from the environment that runs the tests, whose folder
    is put at the end of the path. Sparring itself cannot come from there, for what makes an
    editable installation importable is not read in a folder that is added so.
    """
    folder = tmp_path_factory.mktemp("fresh") / "env"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=_TIMEOUT_S)
    scripts = "Scripts" if os.name == "nt" else "bin"
    found = Fresh(folder / scripts / ("python.exe" if os.name == "nt" else "python"))
    wheels = [wheel, *(build(project, "wheel") for project in contributions)]
    options = ["--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    found.run("python", "-m", "pip", "install", *options, *wheels, cwd=folder)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(found.run("python", "-c", where, cwd=folder).stdout.strip())
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return found
