"""A calibration file, read and checked, with its examples as they are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sparring.discovery import catalog
from sparring.discovery.drivers import load_function
from sparring.discovery.groups import FUNCTIONS
from sparring.documents import reading
from sparring.documents.checking import checked, located, nearest, shown
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, PluginError, Problem
from sparring.interfaces.plugin import UseOf
from sparring.suite import environment
from sparring.suite.checking import check_uses, load_part
from sparring.suite.reading import override
from sparring_plugins.judging.calibration.functions import prepared
from sparring_plugins.judging.calibration.model import CalibrationFile, JudgeUse
from sparring_plugins.judging.calibration.roles import ROLES
from sparring_plugins.judging.calibration.sources import Written, listed, read_examples

VERDICTS = ("pass", "fail")
"""What an oracle answers, where it decides."""


@dataclass(frozen=True, slots=True)
class LoadedCalibration:
    """A valid calibration file, and what is written in it and in the file of its examples."""

    file: CalibrationFile
    path: Path
    written: dict[str, Any]
    document: Document
    examples: tuple[Written, ...]

    @property
    def base_dir(self) -> Path:
        """The folder that relative paths start from."""
        return self.path.parent


def load_calibration(path: Path, overrides: Mapping[str, Any] | None = None) -> LoadedCalibration:
    """Read and check a calibration file; raises ConfigurationError with all problems found.

    `overrides` maps dotted keys (``llm.model``) to values that replace the file's.
    """
    document = reading.read(path)
    raw: Any = document.data
    if not isinstance(raw, dict):
        what = "is empty" if raw is None else f"holds {shown(raw)}"
        raise ConfigurationError(
            document.problem(f"{what}; expected a calibration: keys name, judges and examples")
        )
    data = cast("dict[str, Any]", raw)
    for key, value in (overrides or {}).items():
        override(data, key, value)
    inline = isinstance(data.get("examples"), list)  # they are data, which refers to nothing
    written = {key: data[key] for key in data if not (inline and key == "examples")}
    expansion = environment.expand(Document(written, document.file, document.lines))
    if expansion.problems:
        raise ConfigurationError(*expansion.problems)
    known = cast("dict[str, Any]", expansion.data)
    file = checked(CalibrationFile, document, data={**known, "examples": []} if inline else known)
    problems = [*check_uses(CalibrationFile, document, known), *_judges(document, known, file)]
    if problems:
        raise ConfigurationError(*sorted(problems, key=lambda problem: problem.line or 0))
    return LoadedCalibration(file, path, written, document, _examples(file, path, document))


def _examples(file: CalibrationFile, path: Path, document: Document) -> tuple[Written, ...]:
    if isinstance(file.examples, str):
        return tuple(read_examples(path.parent / file.examples, file.examples))
    return tuple(listed(document, ("examples",)))


def _judges(document: Document, data: Any, file: CalibrationFile) -> list[Problem]:
    """What is wrong with the judges: their names, settings and models."""
    problems: list[Problem] = []
    for index, judge in enumerate(file.judges):
        at: tuple[Key, ...] = ("judges", index)
        problems += check_uses(JudgeUse, document, data["judges"][index], at)
        try:
            problems += _part(document, at, judge)
        except PluginError as err:
            key = "use" if judge.role is not None else "oracle"
            problems.append(document.problem(str(err), (*at, key)))
        except ConfigurationError as err:
            problems += err.problems
    return problems


def _part(document: Document, at: tuple[Key, ...], judge: JudgeUse) -> list[Problem]:
    if judge.function is not None:
        return _function(document, at, judge)
    if judge.role is not None and judge.role not in ROLES:
        message = f"no role {judge.role!r} can be measured.{nearest(judge.role, list(ROLES))}"
        return [document.problem(message, (*at, "role"))]
    wrong = [name for name in judge.labels if judge.oracle and name not in VERDICTS]
    if wrong:
        message = f"an oracle never answers {wrong[0]!r}.{nearest(wrong[0], VERDICTS)}"
        return [document.problem(message, (*at, "labels", wrong[0]))]
    group = "sparring.oracles" if judge.oracle is not None else "sparring.agents"
    found = load_part(UseOf(group, judge.role), judge.oracle or judge.use or "")
    checked(found.Config, document, at, data=judge.settings)
    return check_uses(found.Config, document, judge.settings, at)


def _function(document: Document, at: tuple[Key, ...], judge: JudgeUse) -> list[Problem]:
    known = catalog.names(FUNCTIONS)
    if judge.function not in known:
        plain = [name for name in known if "." not in name]
        hint = nearest(judge.function or "", plain)
        message = f"no function is called {judge.function!r}.{hint}"
        return [document.problem(message, (*at, "function"))]
    name = function_name(judge)
    if name not in known:
        prefix = f"{judge.function}."
        variants = [one.removeprefix(prefix) for one in known if one.startswith(prefix)]
        hint = nearest(judge.variant or "", variants)
        message = f"the function {judge.function!r} has no variant {judge.variant!r}.{hint}"
        return [document.problem(message, (*at, "variant"))]
    with located(document, at):
        prepared(load_function(name), judge.settings)
    return []


def function_name(judge: JudgeUse) -> str:
    """The entry point of a function, or of a variant of it.

    The variant ``model`` of a function that has no such one is the function itself, as in rules.
    """
    plain = judge.function or ""
    full = f"{plain}.{judge.variant}"
    if judge.variant is None or (judge.variant == "model" and full not in catalog.names(FUNCTIONS)):
        return plain
    return full
