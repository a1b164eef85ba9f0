"""What the tutorial of the first connector claims beyond its commands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_FILE = re.compile(r"^```\w+\n# file: (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def package(repository: Path, tmp_path: Path) -> Path:
    """The files of the page, in a folder."""
    page = (repository / "docs/tutorials/first-connector.md").read_text(encoding="utf-8")
    for name, text in _FILE.findall(page):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return tmp_path


def python(folder: Path, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.thorough
def test_the_kit_notices_that_probe_is_missing(package: Path) -> None:
    module = package / "src/sparring_lines/connector.py"
    text = module.read_text(encoding="utf-8")
    shorter = text[: text.index("    async def probe")]
    assert len(shorter) < len(text)
    module.write_text(shorter, encoding="utf-8")
    done = python(package, "-m", "pytest", "-q", "tests", path="src")
    assert done.returncode == 1, done.stdout
    assert "1 failed" in done.stdout
    assert "test_an_app_that_is_not_there_is_unreachable" in done.stdout


@pytest.mark.thorough
def test_the_package_is_found_by_its_name_once_it_is_installed(package: Path) -> None:
    pytest.importorskip("hatchling")
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    done = python(package, "-m", "pip", "install", *options, "--target", "here", ".", path="")
    if "No module named pip" in done.stderr:
        pytest.skip("this environment has no pip")
    assert done.returncode == 0, done.stderr
    listed = python(package, "-m", "sparring", "plugins", path="here")
    assert re.search(r"^ +lines +sparring-lines 0\.1\.0 ", listed.stdout, re.MULTILINE)
    suite = package / "suite.yaml"
    text = suite.read_text(encoding="utf-8")
    named = text.replace("sparring_lines.connector:LinesConnector", "lines")
    suite.write_text(named.replace("port: 8643", "prot: 8643"), encoding="utf-8")
    refused = python(package, "-m", "sparring", "validate", path="here")
    assert refused.returncode == 2
    assert "suite.yaml:4: app.prot: unknown key. Did you mean 'port'?" in refused.stderr
    suite.write_text(named, encoding="utf-8")
    assert python(package, "-m", "sparring", "validate", path="here").returncode == 0
