"""The file of test cases that a recording is written to, after each step."""

from pathlib import Path
from typing import Any, cast

import yaml

from sparring.documents.reading import parse
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.web.recording.recorder import Recording
from sparring_plugins.web.runner.frozen_steps import FrozenFiles
from sparring_plugins.web.suites.whole_file import write_whole

# A sentence stays in one line, so that a difference in a review is that line alone.
_NO_WRAP = 1_000_000


class RecordedFile:
    """Writes a recording as a test case of a file, new or with other test cases before it.

    Raises ConfigurationError if there is a file already and it is not to be added to, if it has a
    test case of this name, or if it does not end with its list of test cases.
    """

    def __init__(self, path: Path, name: str, *, append: bool) -> None:
        self._path = path
        self._name = name
        self._frozen = FrozenFiles()
        self._before = ""
        if path.exists():
            if not append:
                message = "is there already: --append adds a test case to it"
                raise ConfigurationError(Problem(message, str(path)))
            self._before = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
            self._check()

    def _check(self) -> None:
        data: Any = parse(self._before, str(self._path)).data
        about = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        tests: Any = about.get("tests")
        if not isinstance(tests, list):
            raise ConfigurationError(Problem("has no list of tests to add to", str(self._path)))
        own = cast("list[Any]", tests)
        names = [cast("dict[str, Any]", t).get("name") for t in own if isinstance(t, dict)]
        if self._name in names:
            message = f"has a test case {self._name!r} already: choose another name with --name"
            raise ConfigurationError(Problem(message, str(self._path)))
        if not self._is_extended_by_a_block({**about, "tests": [*own, {"name": self._name}]}):
            message = "does not end with its list of tests, so that none can be added at its end"
            raise ConfigurationError(Problem(message, str(self._path)))

    def _is_extended_by_a_block(self, meant: dict[str, Any]) -> bool:
        """Return whether the file with one more test at its end reads as what is meant."""
        try:
            return bool(parse(self._before + self._block({"name": self._name}), "").data == meant)
        except ConfigurationError:
            return False

    def _block(self, test: dict[str, Any]) -> str:
        text = yaml.safe_dump([test], sort_keys=False, allow_unicode=True, width=_NO_WRAP)
        return "".join(f"  {line}\n" for line in text.splitlines())

    def write(self, recording: Recording) -> None:
        """Write what is recorded so far: a whole file at every moment."""
        steps = [step.text for step in recording.steps]
        test: dict[str, Any] = {"name": self._name}
        head = self._before
        if not head:
            about: dict[str, Any] = {"name": self._path.stem, "start": recording.start}
            if recording.secrets:
                about["secrets"] = recording.secrets
            head = yaml.safe_dump(about, sort_keys=False, allow_unicode=True, width=_NO_WRAP)
            head += "tests:\n"
        elif recording.start:
            test["start"] = recording.start
        text = head + self._block({**test, "steps": steps})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, text)
        except OSError as err:
            message = f"cannot be written: {err.strerror}"
            raise ConfigurationError(Problem(message, str(self._path))) from err
        frozen = {
            number: step.frozen for number, step in enumerate(recording.steps, 1) if step.frozen
        }
        self._frozen.keep(self._path, self._name, frozen)
        self._frozen.write()
