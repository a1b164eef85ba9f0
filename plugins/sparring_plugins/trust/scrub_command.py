"""``sparring scrub``."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from sparring.documents.reading import Document
from sparring.errors import ConfigurationError, StoredRunError
from sparring.store import StoredRun
from sparring.store.log import LOG, MANIFEST, seal, unseal
from sparring.suite.environment import Redaction, Redactor, expand
from sparring.suite.reading import load_suite
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.output.view_cache import forget_view_index
from sparring_plugins.trust.redaction import VAULT
from sparring_plugins.trust.secrets_of_suites import Secret

HELP_SECTION = "look"

_TEXTS = (".html", ".xml", ".jsonl", ".json", ".csv", ".yaml", ".yml", ".md", ".txt", ".log")
_STRUCTURE = frozenset({"kind", "schema_version", "id", "case_id", "case_ids", "at", "folder"})
"""Keys of events that say what they are and which case they are of: they stay as they are."""


@click.command()
@arguments.run_argument
@click.option("--suite", metavar="SUITE", help="Also take out what is secret in this suite.")
@click.option(
    "--value-of", "variables", multiple=True, metavar="NAME",
    help="Also take out the value of this environment variable.",
)  # fmt: skip
@arguments.runs_option
def scrub(run: str, suite: str | None, variables: tuple[str, ...], runs: Path | None) -> int:
    """Take secrets out of a stored run and its reports, for runs that were stored with them.

    RUN is a stored run: an id, a folder, or 'last' (the default). Secret is what the suite holds
    that the run was made from, as 'sparring run' finds it, and what the environment holds now. The
    run stays readable. Screenshots and archives cannot be searched: they are named.
    """
    stored = find_run(run, runs or Path("runs"))
    _learn(stored, suite, variables)
    redactor = Redactor()
    changed = [path for path in (stored.folder / MANIFEST,) if _scrub_manifest(path, redactor)]
    changed += [path for path in (stored.folder / LOG,) if _scrub_log(path, redactor)]
    unsearched: list[Path] = []
    for path in sorted(stored.folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name in (MANIFEST, LOG):
            continue
        if path.suffix not in _TEXTS:
            unsearched.append(path)
        elif _scrub_text(path, redactor):
            changed.append(path)
    forget_view_index(stored.folder)
    StoredRun(stored.folder)  # which reads the log again, and its seals
    for path in changed:
        click.echo(f"scrubbed {path}")
    for path in unsearched:
        click.echo(f"warning: {path} is no text and was not searched", err=True)
    click.echo(f"{len(changed)} files changed")
    return 0


def _learn(stored: StoredRun, suite: str | None, variables: tuple[str, ...]) -> None:
    """Find out what is secret: in the stored suite, in the one it was made from, and as told."""
    manifest = stored.manifest
    expand(Document(dict(manifest.suite), "the stored suite"))
    overrides: dict[str, Any] = {"app": {}, **_nest_keys(manifest.overrides)}
    expand(Document(overrides, "the stored overrides"))
    path = Path(suite) if suite else Path(manifest.suite_path or "")
    if suite or path.is_file():
        try:
            load_suite(path)
        except ConfigurationError:  # it has been read; it may need a variable that is gone
            if suite:
                raise
    for name in variables:
        if not os.environ.get(name):
            raise ConfigurationError(f"--value-of {name}: it is not set in the environment")
        VAULT.keep(Secret(os.environ[name], name))


def _nest_keys(overrides: dict[str, Any]) -> dict[str, Any]:
    """Dotted keys as the maps that they stand for."""
    data: dict[str, Any] = {}
    for dotted, value in overrides.items():
        *keys, last = dotted.split(".")
        place = data
        for key in keys:
            place = place.setdefault(key, {})
        place[last] = value
    return data


def _scrub_manifest(path: Path, redactor: Redaction) -> bool:
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    clean = {**data, "suite": redactor.suite(data["suite"])}
    clean["overrides"] = redactor.suite(data.get("overrides", {}))
    if clean == data:
        return False
    _replace(path, (json.dumps(clean, indent=2, ensure_ascii=False) + "\n").encode())
    return True


def _scrub_log(path: Path, redactor: Redaction) -> bool:
    lines = [*_scrubbed_lines(path, redactor)]
    if not any(is_changed for _, is_changed in lines):
        return False
    _replace(path, b"".join(line for line, _ in lines))
    return True


def _scrubbed_lines(path: Path, redactor: Redaction) -> Iterator[tuple[bytes, bool]]:
    """Each line with its seal made again, and whether its event is another one now."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                sealed, event = unseal(line)
            except ValueError as err:
                raise StoredRunError(
                    f"{path}:{number}: {err}; a damaged log is not scrubbed"
                ) from err
            clean = event
            if redactor.is_needed(event):
                data = json.loads(event)
                shown = _scrub_event(data, redactor)
                if shown != data:
                    clean = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
            yield (seal(clean, sealed) if sealed else clean + b"\n"), clean != event


def _scrub_event(data: Any, redactor: Redaction) -> Any:
    """An event without secrets; what names it and its cases stays."""
    if isinstance(data, dict):
        return {
            key: value if key in _STRUCTURE else _scrub_event(value, redactor)
            for key, value in data.items()  # pyright: ignore[reportUnknownVariableType]
        }
    if isinstance(data, list):
        return [_scrub_event(item, redactor) for item in data]  # pyright: ignore[reportUnknownVariableType]
    return redactor.cleaned(data)


def _scrub_text(path: Path, redactor: Redaction) -> bool:
    raw = path.read_bytes()
    text = raw.decode("utf-8", "surrogateescape")
    clean = redactor.text(text).encode("utf-8", "surrogateescape")
    if clean == raw:
        return False
    _replace(path, clean)
    return True


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole, or leave it as it is."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.write_bytes(content)
    temporary.replace(path)
