"""Brings the public skills of ``skills.yaml`` to a folder, each at its commit, with its packages.

Run it with ``python -m tests.evaluation.voice.fetch FOLDER``. It needs git, and npm for the skills
in JavaScript; those in Python want ``ask-sdk`` and ``boto3`` in the Python that runs them
(``--python`` of `compare`). Where clones are at hand already, ``--from`` names their folder: a
repository OWNER/NAME lies there as OWNER+NAME, its git directory in ``repo`` or itself.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

LISTED = Path(__file__).with_name("skills.yaml")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="clones", type=Path, help="a folder of clones")
    options = parser.parse_args(arguments)
    for row in yaml.safe_load(LISTED.read_text("utf-8")):
        target = options.folder / row["id"]
        if not target.exists():
            _bring(row, target, options.clones)
        handler = target / row["handler"]
        sys.stdout.write(f"{row['id']} {'ok' if handler.is_file() else 'HAS NO HANDLER'}\n")
        packages = handler.parent / "package.json"
        if packages.is_file() and not (handler.parent / "node_modules").exists():
            command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(command, cwd=handler.parent, check=False)


def _bring(row: dict[str, Any], target: Path, clones: Path | None) -> None:
    with tempfile.TemporaryDirectory() as place:
        git_dir = _git_dir(row["repository"], clones) or _cloned(row["repository"], Path(place))
        tree = row["commit"] + (f":{row['folder']}" if "folder" in row else "")
        target.mkdir(parents=True)
        archive = subprocess.run(
            ["git", "--git-dir", str(git_dir), "archive", tree], check=True, capture_output=True
        )
        subprocess.run(["tar", "x", "-C", str(target)], input=archive.stdout, check=True)


def _git_dir(repository: str, clones: Path | None) -> Path | None:
    if clones is None:
        return None
    base = clones / repository.replace("/", "+") / "repo"
    return next((one for one in (base / ".git", base) if (one / "HEAD").is_file()), None)


def _cloned(repository: str, place: Path) -> Path:
    address = f"https://github.com/{repository}.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", address, str(place / "clone")], check=True)
    return place / "clone"


if __name__ == "__main__":
    main()
