"""`sparring browser` finds and installs; a real command with a PATH of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparring_connectors.browser.installation import NoBrowser, find_browser

FAKE_APT = """#!/bin/sh
echo "apt-get $*" >> "{log}"
case "$1" in install) printf '#!/bin/sh\\n' > "{bin}/chromium"; chmod +x "{bin}/chromium";; esac
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder for programs, the only one on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def sparring(programs: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    known = {name: os.environ[name] for name in ("HOME", "SYSTEMROOT") if name in os.environ}
    nowhere = {
        "PLAYWRIGHT_BROWSERS_PATH": str(programs),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
    }
    code = f"from sparring.cli.app import main; main({['browser', *arguments]!r})"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**known, "PATH": str(programs), **nowhere, **more},
    )  # fmt: skip


@pytest.mark.thorough
def test_the_systems_package_is_installed_where_nothing_can_be_downloaded(
    programs: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    for name in ("apt-get", "sudo"):
        text = FAKE_APT.format(log=log, bin=programs)
        if name == "sudo":
            text = f'#!/bin/sh\nshift\nexec "{programs}/$@"\n'
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (programs / "chmod").symlink_to("/bin/chmod")
    done = sparring(programs, "install")
    assert done.returncode == 0, done.stderr
    assert "Playwright's own browser could not be installed" in done.stdout
    assert log.read_text().splitlines() == [
        "apt-get update",
        "apt-get install -y --no-install-recommends chromium fonts-dejavu-core",
    ]
    again = sparring(programs, "install")
    assert f"there is {programs}/chromium already" in again.stdout
    assert sparring(programs, "find").stdout == f"{programs}/chromium (the system's)\n"


@pytest.mark.thorough
def test_it_says_what_to_do_where_nothing_can_be_installed(programs: Path) -> None:
    done = sparring(programs, "install", "--system")
    assert done.returncode == 2
    assert "no chromium could be installed" in done.stderr
    assert "SPARRING_CHROMIUM" in done.stderr
    assert sparring(programs, "find").returncode == 2


def test_a_browser_that_was_asked_for_is_obeyed_or_refused(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = programs / "mine"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert find_browser("chromium", "", str(mine)).path == str(mine)
    monkeypatch.setenv("SPARRING_CHROMIUM", str(mine))
    assert find_browser("chromium", "").source == "SPARRING_CHROMIUM"
    with pytest.raises(NoBrowser, match="names 'no-such-program'"):
        find_browser("chromium", "", "no-such-program")
    with pytest.raises(NoBrowser, match="sparring browser install firefox"):
        find_browser("firefox", "")
    monkeypatch.delenv("SPARRING_CHROMIUM")
    assert find_browser("chromium", str(mine)).path is None
    with pytest.raises(NoBrowser, match="no Chromium is installed"):
        find_browser("chromium", "")
