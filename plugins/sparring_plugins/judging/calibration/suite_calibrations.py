"""What was measured of the judges of a suite: results of ``sparring calibrate`` named in it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import Use
from sparring.model.base import SCHEMA_VERSION, storable
from sparring.model.run import MeasuredJudge
from sparring.suite.building import SuiteContext
from sparring.suite.model import LLMUse, OracleUse
from sparring_plugins.judging.calibration.results import (
    CALIBRATION,
    Calibration,
    JudgeResult,
    TakesCalibration,
)

# It is read whole; a calibration of 100,000 examples has 200 MB.
MAX_BYTES = 500_000_000
_ASKER = "judge"
_PLAIN: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def suite_calibration(
    use: OracleUse, oracle: Oracle[Any], parts: Sequence[object], context: SuiteContext
) -> MeasuredJudge | None:
    """Return what the calibration that an oracle names says of its judge.

    `None` if the oracle takes it as that of the agents that play. `parts` are the parts that the
    oracle is made of. Warns if another judge or model was measured than the one at work. Raises
    ConfigurationError if there is no such calibration.
    """
    named = use.calibration or ""
    path, name = _place(named, context.base_dir)
    (file,) = context.files(str(path))
    calibration = read_calibration(file, named)
    label, llm = use.label, context.llm_use
    if isinstance(oracle, TakesCalibration) and oracle.calibrated(calibration):
        for result in calibration.judges:
            if differs := _model(result, llm):
                context.warn(f"the oracle {label!r}: {named} measured {result.name}: {differs}")
        return None
    result = _choose_judge(calibration, name or None, use, named)
    differs = _difference(result, use, parts, llm) or _list_changed_files(
        calibration, context.inputs
    )
    if differs:
        context.warn(
            f"the oracle {label!r}: {named} measured another judge ({result.name}): {differs}"
        )
    return result.in_brief(named, calibration.created)


def read_calibration(path: Path, shown: str) -> Calibration:
    """A stored calibration; raises ConfigurationError if the file is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigurationError(f"{shown} is larger than {MAX_BYTES:,} bytes")
        calibration = Calibration.model_validate_json(path.read_bytes())
    except OSError as err:
        raise ConfigurationError(f"{shown} cannot be read: {err.strerror or err}") from err
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(key) for key in first["loc"])
        why = f"{where}: {first['msg']}" if where else first["msg"]
        raise ConfigurationError(f"{shown} is no result of 'sparring calibrate': {why}") from err
    if calibration.schema_version > SCHEMA_VERSION:
        raise ConfigurationError(f"{shown} was written by a newer sparring")
    return calibration


def _place(named: str, base_dir: Path) -> tuple[Path, str]:
    """The file, and the judge in it that is meant: ``FILE#JUDGE``; a folder has one file."""
    for text, judge in ((named, ""), named.rpartition("#")[::2]):
        try:
            path = base_dir / Path(text).expanduser()
            if text and path.is_dir():
                path = path / CALIBRATION
            if text and path.is_file():
                return path, judge
        except (OSError, ValueError, RuntimeError):
            continue
    raise ConfigurationError(
        f"{storable(named)!r} is no file; name the calibration.json that 'sparring calibrate' "
        "wrote, or its folder"
    )


def _choose_judge(
    calibration: Calibration, name: str | None, use: OracleUse, shown: str
) -> JudgeResult:
    """The judge that is named, else the only one, the one of the oracle's label, or of its kind."""
    names = [judge.name for judge in calibration.judges]
    if name is not None:
        if name not in names:
            raise ConfigurationError(f"{shown} measured no {name!r}.{nearest(name, names)}")
        return calibration.judges[names.index(name)]
    same = [
        judge_result
        for judge_result in calibration.judges
        if judge_result.kind == "oracle" and judge_result.use == use.use
    ]
    for few in (
        calibration.judges,
        [judge_result for judge_result in same if judge_result.name == use.label],
        same,
    ):
        if len(few) == 1:
            return few[0]
    called = [judge_result for judge_result in calibration.judges if judge_result.name == use.label]
    if len(called) == 1:
        return called[0]
    listed = ", ".join(names) or "none"
    raise ConfigurationError(
        f"{shown} measured several judges; say which: {shown}#NAME. Known: {listed}."
    )


def _difference(
    result: JudgeResult, use: OracleUse, parts: Sequence[object], llm: LLMUse | None
) -> str:
    """What tells the measured judge from the one at work, in words; empty if nothing does."""
    if result.kind == "oracle" and result.use != use.use:
        return f"the oracle {result.use!r}, not {use.use!r}"
    if result.kind == "oracle":
        differs = _settings(result.settings, use.settings)
        if differs:
            return differs
    if result.kind == "agent" and result.target not in {_path_of(part) for part in parts}:
        return f"the agent {result.use!r}, which this oracle does not use"
    if result.kind == "function":
        variant = _variant(use.settings, result.use.partition(".")[0])
        if variant is not None and variant != result.use.partition(".")[2]:
            return f"{result.use}, while the suite chooses the variant {variant!r}"
    return _model(result, llm)


def _list_changed_files(calibration: Calibration, inputs: Mapping[str, str]) -> str:
    """The files that are other ones since, of those that both have read."""
    measured = calibration.inputs
    changed = [name for name in measured if inputs.get(name, measured[name]) != measured[name]]
    return f"changed since: {', '.join(changed[:5])}" if changed else ""


def _settings(measured: Mapping[str, JsonValue], settings: Mapping[str, Any]) -> str:
    plain = {key: _PLAIN.validate_python(value) for key, value in settings.items()}
    keys = [key for key in {**measured, **plain} if measured.get(key) != plain.get(key)]
    return f"its settings differ: {', '.join(sorted(keys))}" if keys else ""


def _variant(settings: Mapping[str, Any], function: str) -> str | None:
    chosen: Mapping[str, Any] | None = settings.get("functions")
    if not isinstance(chosen, Mapping) or function not in chosen:
        return None
    return Use.model_validate(chosen[function]).use


def _model(result: JudgeResult, llm: LLMUse | None) -> str:
    """Whether another model was asked than the suite asks."""
    if result.llm is None:
        return ""
    measured = LLMUse.model_validate(result.llm).for_role(result.role or _ASKER)
    if llm is None:
        return f"it asked {_describe_model(measured)}, while the suite names no llm"
    here = llm.for_role(result.role or _ASKER)
    same = (measured.use, measured.settings.get("model")) == (here.use, here.settings.get("model"))
    return (
        ""
        if same
        else f"it asked {_describe_model(measured)}, while the suite asks {_describe_model(here)}"
    )


def _describe_model(llm: LLMUse) -> str:
    model = llm.settings.get("model")
    return f"{llm.use} {model}" if model else llm.use


def _path_of(part: object) -> str:
    return f"{type(part).__module__}:{type(part).__qualname__}"
