"""Every package that an extra installs has a licence that goes with ours (Apache-2.0).

Read from the metadata of what is installed, so that it needs no network.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from email.message import Message
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TABLE: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("licences.yaml").read_text())
#: What makes a release is installed for that alone.
EXTRAS = frozenset(PROJECT["optional-dependencies"]) - {"release"}


def installed(name: str, extras: frozenset[str]) -> dict[str, Any]:
    """The metadata of a distribution and of all that it needs here, by name."""
    packages: dict[str, Any] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(name), extras)]
    while waiting:
        package = waiting.pop()
        if package in seen:
            continue
        seen.add(package)
        try:
            found = distribution(package[0])
        except PackageNotFoundError:
            pytest.fail(f"{package[0]} is not installed, so its licence is unknown: .ci/setup dev")
        packages[package[0]] = found.metadata
        for text in found.requires or ():
            need = Requirement(text)
            if need.marker is None or any(
                need.marker.evaluate({"extra": extra}) for extra in ("", *package[1])
            ):
                waiting.append((canonicalize_name(need.name), frozenset(need.extras)))
    return packages


def trouble(name: str, metadata: Any) -> str | None:
    """Why a package may not be used; None if it may."""
    exception = TABLE["exceptions"].get(name)
    stated = list(statements(metadata))
    if exception is not None:
        return None
    refused = [word for word in TABLE["refused"] for text in stated if word in text]
    if refused:
        return f"{name}: {refused[0]} is refused (it says {stated})"
    if not stated:
        return f"{name}: no licence is known; add it to licences.yaml with a reason"
    if not all(is_accepted(text) for text in stated[:1] or stated):
        return f"{name}: {stated[0]!r} is not accepted; see licences.yaml"
    return None


def statements(metadata: Any) -> Iterator[str]:
    """What a package says of its licence, the most exact first; long texts by their first line."""
    if expression := metadata.get("License-Expression"):
        yield expression
    first = (metadata.get("License") or "").strip().splitlines()[:1]
    if first and (is_accepted(first[0]) or any(word in first[0] for word in TABLE["refused"])):
        yield first[0].strip()
    for classifier in metadata.get_all("Classifier") or ():
        if classifier.startswith("License ::") and not classifier.endswith("OSI Approved"):
            yield classifier.rpartition(" :: ")[2]


def is_accepted(text: str) -> bool:
    """Whether a name or an SPDX expression is accepted; of alternatives one suffices."""
    if text in TABLE["spelt"]:
        return True
    tokens = re.findall(r"[()]|[^()\s]+", text.strip())
    words = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    logic = [words.get(token) or str(token in TABLE["accepted"]) for token in tokens]
    try:
        return bool(eval(" ".join(logic) or "False", {"__builtins__": {}}))  # True, False, and, or
    except SyntaxError:  # a sentence
        return False


def test_every_package_of_every_extra_has_an_accepted_licence() -> None:
    packages = installed("sparring", EXTRAS)
    assert len(packages) > 100
    assert [why for name, metadata in packages.items() if (why := trouble(name, metadata))] == []


def test_no_exception_is_left_over() -> None:
    assert set(TABLE["exceptions"]) <= set(installed("sparring", EXTRAS))
    for entry in TABLE["exceptions"].values():
        assert entry["licence"]
        assert len(entry["reason"]) > 20


def test_a_package_that_is_not_installed_cannot_pass() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"is not installed.*\.ci/setup dev"):
        installed("no-such-package-of-ours", frozenset())


def _metadata(fields: Mapping[str, str], *classifiers: str) -> Message:
    message = Message()
    for key, value in fields.items():
        message[key] = value
    for classifier in classifiers:
        message["Classifier"] = f"License :: OSI Approved :: {classifier}"
    return message


@pytest.mark.parametrize(
    ("fields", "classifiers", "why"),
    [
        ({"License-Expression": "MIT"}, (), None),
        ({"License-Expression": "Apache-2.0 OR BSD-2-Clause"}, (), None),
        ({"License-Expression": "MPL-2.0 AND (Apache-2.0 OR MIT)"}, (), None),
        ({"License": "MIT License\n\nCopyright (c) 2022"}, (), None),
        ({"License": "Copyright (c) 2001, all rights"}, ("BSD License",), None),
        ({}, ("Apache Software License",), None),
        ({"License-Expression": "GPL-3.0-or-later"}, (), "GPL is refused"),
        ({"License": "MIT"}, ("GNU General Public License v3 (GPLv3)",), "GPL is refused"),
        ({}, ("GNU Affero General Public License v3",), "GNU Affero is refused"),
        ({"License-Expression": "MIT AND LGPL-3.0-only"}, (), "GPL is refused"),
        ({"License-Expression": "BUSL-1.1"}, (), "'BUSL-1.1' is not accepted"),
        ({"License-Expression": "MIT AND SomethingElse"}, (), "is not accepted"),
        ({"License": "see the file"}, (), "no licence is known"),
        ({}, (), "no licence is known"),
    ],
)
def test_a_licence_is_judged(
    fields: dict[str, str], classifiers: tuple[str, ...], why: str | None
) -> None:
    answer = trouble("package", _metadata(fields, *classifiers))
    assert (answer is None) if why is None else (answer is not None and why in answer)


# Vendored

AXE = ROOT / "connectors/sparring_connectors/browser/axe_core"


def test_what_is_vendored_has_its_licence_beside_it_and_is_in_the_notice() -> None:
    from sparring_connectors.browser.axe_core import VERSION

    head = (AXE / "axe.min.js").read_text(encoding="utf-8")[:800]
    assert f"axe v{VERSION}" in head
    assert "Mozilla Public" in head
    assert "Mozilla Public License, version 2.0" in (AXE / "LICENSE").read_text(encoding="utf-8")
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for text in (f"axe-core {VERSION}", (AXE / "axe.min.js").relative_to(ROOT).as_posix()):
        assert text in notice
    vendored = {p.name for p in ROOT.glob("c*/**/*.min.js") if "node_modules" not in p.parts}
    assert vendored == {"axe.min.js"}, "list it in NOTICE"
    assert "MPL-2.0" in TABLE["accepted"]
    assert "MPL-2.0" in PROJECT["license"]


# Locks


def _pins(path: Path) -> dict[str, list[str]]:
    """Each requirement of a lock with its hashes."""
    pins: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line.startswith(" "):
            pins[next(reversed(pins))].append(line.strip().rstrip(" \\"))
        elif line:
            pins[line.rstrip(" \\")] = []
    return pins


LOCKS = sorted((ROOT / ".ci").glob("*.lock"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_has_a_hash_for_every_version_and_names_no_registry(lock: Path) -> None:
    pins = _pins(lock)
    assert pins
    assert "://" not in lock.read_text()
    for pin, hashes in pins.items():
        assert re.match(r"[a-z0-9][a-z0-9._-]*==\S+( ; .+)?$", pin), pin
        assert hashes, f"{pin}: no hash"
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", text) for text in hashes), pin


def test_constraints_are_the_lock_without_hashes() -> None:
    pinned = set((ROOT / "constraints.txt").read_text().split("\n")) - {""}
    locked = {
        pin for name in ("development", "alone") for pin in _pins(ROOT / ".ci" / f"{name}.lock")
    }
    assert pinned == locked, "run 'make lock'"


def test_the_lock_holds_what_the_project_asks_for() -> None:
    versions = {
        canonicalize_name(pin.split("==")[0])
        for name in ("development", "alone")
        for pin in _pins(ROOT / ".ci" / f"{name}.lock")
    }
    asked = [text for extra in EXTRAS for text in PROJECT["optional-dependencies"][extra]]
    names = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"] + asked}
    assert names - {"sparring"} <= versions, "run 'make lock'"
