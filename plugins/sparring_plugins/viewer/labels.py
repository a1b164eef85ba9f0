"""Labels: what people say of verdicts, written as files that ``sparring calibrate`` reads.

There is a file for each check of an oracle, beside the suite, so that the oracle's settings mean
there what they mean in the suite. Each label is an example: the conversation with all of its turns,
what is right (``pass`` or ``fail``), and the note. A label stays what it is if the run is gone.
"""

import os
import re
from pathlib import Path
from threading import Lock
from typing import Any, Literal, cast

import yaml

from sparring.errors import ConfigurationError
from sparring.model.events import CaseJudged
from sparring.model.run import Run
from sparring.model.talk import Observation, Say, Turn
from sparring_plugins.language.text import visible

Right = Literal["pass", "fail"]
"""What a check should have said of a conversation."""

_HEADER = "# Labels from `sparring view`; measure the judge with: sparring calibrate {name}\n"
_OF_SUITES = frozenset({"use", "name", "gating", "calibration"})
"""Keys of an oracle in a suite that are no settings of the oracle."""

_MOST_NOTE = 2000
# A check may be called "answers in <5 s / per turn", and is part of a file's name.
_UNSAFE = re.compile(r"[^a-z0-9]+")


class Labels:
    """The label files of the suites of a folder of runs; `folder` overrides where they lie."""

    def __init__(self, runs: Path, folder: Path | None = None) -> None:
        self._runs = runs.resolve()
        self._folder = folder
        self._lock = Lock()

    def place(self, run: Run) -> Path:
        """The folder of a run's labels: the suite's, if the runs are stored below it.

        A run from elsewhere names a folder of another machine, or one that somebody wants written:
        its labels go next to the folder of runs.
        """
        return self._folder or self.suite_folder(run) or self._runs.parent

    def suite_folder(self, run: Run) -> Path | None:
        """The folder of the suite that a run was made from; None if it was made elsewhere."""
        folder = Path(run.suite_path).resolve().parent if run.suite_path else None
        here = folder is not None and folder.is_dir() and self._runs.is_relative_to(folder)
        return folder if here else None

    def file(self, run: Run, oracle: str, check: str) -> Path:
        """The file of one check."""
        name = _UNSAFE.sub("-", f"{oracle}-{check}".lower()).strip("-")[:80] or "verdicts"
        return self.place(run) / f"labels-{name}.yaml"

    def of_case(self, run: Run, case_id: str, checks: list[tuple[str, str]]) -> dict[str, Any]:
        """The labels of a case, by ``oracle/check``: what is right, and the note."""
        labels: dict[str, Any] = {}
        for oracle, check in dict.fromkeys(checks):
            data = _read(self.file(run, oracle, check))
            for example in data.get("examples", ()) if data else ():
                if example.get("id") == _example_id(run, case_id):
                    labels[f"{oracle}/{check}"] = [example.get("expected"), example.get("note", "")]
        return labels

    def set(
        self, run: Run, judged: CaseJudged, oracle: str, check: str, right: Right | None, note: str
    ) -> Path:
        """Write a label, in the place of an earlier one of the same verdict; None removes it.

        Raises ConfigurationError if the run has no such verdict, or the file is somebody else's.
        """
        named = any((v.oracle, v.check) == (oracle, check) for v in judged.verdicts)
        if not named:
            raise ConfigurationError(f"{judged.trace.case.id} has no verdict {oracle}/{check}")
        path = self.file(run, oracle, check)
        with self._lock:
            data = _read(path)
            if data is None:
                raise ConfigurationError(f"{path} is no file of labels; move it away")
            data = data or self._new(run, oracle, check)
            identity = _example_id(run, judged.trace.case.id)
            examples = [one for one in data["examples"] if one.get("id") != identity]
            if right is not None:
                examples.append(_example(identity, judged, right, note))
            data["examples"] = examples
            _write(path, data)
        return path

    def _new(self, run: Run, oracle: str, check: str) -> dict[str, Any]:
        use, settings = _oracle_of(run, oracle)
        judge: dict[str, Any] = {"name": oracle, "oracle": use, "check": check, **settings}
        return {"name": f"{oracle}: {check}"[:100], "judges": [judge], "examples": []}


def _oracle_of(run: Run, label: str) -> tuple[str, dict[str, Any]]:
    """The plugin and the settings of the oracle that a suite calls `label`."""
    listed: Any = run.suite.get("oracles")
    items = cast("list[Any]", listed) if isinstance(listed, list) else []
    for item in items:
        data: dict[str, Any] = (
            cast("dict[str, Any]", item) if isinstance(item, dict) else {"use": str(item)}
        )
        if label in (data.get("name"), None if data.get("name") else data.get("use")):
            settings = {key: value for key, value in data.items() if key not in _OF_SUITES}
            return str(data.get("use")), settings
    return label, {}


def _example_id(run: Run, case_id: str) -> str:
    return f"{run.id} {case_id}"[:200]


def _example(identity: str, judged: CaseJudged, right: Right, note: str) -> dict[str, Any]:
    trace = judged.trace
    conversation: dict[str, Any] = {
        "turns": [part for turn in trace.turns for part in _turn(turn)],
        "inputs": trace.inputs,
        "outputs": {o.name: o.model_dump(mode="json")["value"] for o in trace.outputs},
        "meta": trace.meta,
        "ended": trace.ended.value,
        "seconds": trace.duration_s,
    }
    kept = {key: value for key, value in conversation.items() if value not in ({}, 0.0)}
    example = {"id": identity, "conversation": kept, "expected": right}
    return example | ({"note": visible(note[:_MOST_NOTE])} if note.strip() else {})


def _turn(turn: Turn) -> list[dict[str, Any]]:
    """A turn as people write it, or whole if that would lose something."""
    said, seen = turn.act, turn.observation
    if isinstance(said, Say) and seen is not None and seen == Observation(text=seen.text):
        user: str = said.text
        app: str = seen.text
        return [{"user": user}, {"app": app}]
    return [turn.model_dump(mode="json")]


def _read(path: Path) -> dict[str, Any] | None:
    """The data of a file of labels: empty if there is none, None if it is something else."""
    if path.is_symlink():
        return None
    try:
        data: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, yaml.YAMLError):
        return None
    if not isinstance(data, dict):
        return None
    labels = cast("dict[str, Any]", data)
    return labels if "judges" in labels and isinstance(labels.get("examples"), list) else None


def _write(path: Path, data: dict[str, Any]) -> None:
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=100)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        temporary.write_text(_HEADER.format(name=path.name) + text, encoding="utf-8")
        temporary.replace(path)
    except OSError as err:
        temporary.unlink(missing_ok=True)
        raise ConfigurationError(f"{path} cannot be written: {err.strerror or err}") from err
