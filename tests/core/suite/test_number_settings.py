"""Numbers in suites: finite, of the right sign, and no `true`, in every setting that takes one."""

import math
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from sparring.cli.app import main
from sparring.suite.model import Suite

GROUPS = ("connectors", "agents", "oracles", "strategies", "reporters", "llm_backends")

LIMITS = ("_s", "timeout", "deadline", "minutes", "bytes", "messages", "concurrency")
"""Ends of names of settings that bound time or size: a finite limit of theirs is required."""


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _with_nested(roots: list[type[BaseModel]]) -> list[type[BaseModel]]:
    """The models, and those that their fields hold."""
    left, models = list(roots), dict[type[BaseModel], None]()
    while left:
        if (model := left.pop()) not in models:
            models[model] = None
            for field in model.model_fields.values():
                left += _models(field.annotation)
    return list(models)


def _kinds(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [kind for option in get_args(annotation) for kind in _kinds(option)]
    return [annotation]


def _accepted(model: type[BaseModel], name: str, value: object) -> bool:
    alias = model.model_fields[name].alias or name
    try:
        model.model_validate({alias: value})
    except ValidationError as err:
        return not any(problem["loc"][:1] in ((name,), (alias,)) for problem in err.errors())
    except Exception:  # noqa: BLE001 - a check of the whole that takes the value for granted
        return True
    return True


def _wrong_numbers(models: list[type[BaseModel]]) -> Iterator[str]:
    """Each setting with a value that it takes and must not take."""
    for model in _with_nested(models):
        for name, field in model.model_fields.items():
            kinds = _kinds(field.annotation)
            if bool in kinds or not {int, float} & {k for k in kinds if isinstance(k, type)}:
                continue
            # `keep_alive: 10m` of Ollama: what it takes as text is not looked at
            values: list[float] = [] if str in kinds else [math.inf, -math.inf, math.nan, True]
            if name.endswith(LIMITS):
                values += [-1, 1e300]
            for value in values:
                if _accepted(model, name, value):
                    yield f"{model.__module__}.{model.__name__}.{name}: {value}"


def test_no_number_of_a_suite_itself_is_endless_or_a_truth_value() -> None:
    assert list(_wrong_numbers([Suite])) == []


@pytest.mark.thorough
def test_no_number_of_any_installed_part_is_endless_or_a_truth_value() -> None:
    configs = [
        part.load().Config for group in GROUPS for part in entry_points(group=f"sparring.{group}")
    ]
    assert len(configs) > 50
    assert list(_wrong_numbers(configs)) == []


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (".inf", "case_timeout: input should be a finite number, found inf"),
        ("-.inf", "case_timeout: input should be a finite number, found -inf"),
        (".nan", "case_timeout: input should be a finite number, found nan"),
        ("1e400", "case_timeout: input should be a finite number, found inf"),
        ("'inf'", "case_timeout: input should be a finite number, found 'inf'"),
        ("-1", "case_timeout: input should be greater than 0, found -1"),
        ("0", "case_timeout: input should be greater than 0, found 0"),
        ("true", "case_timeout: expected a number, found True"),
        ("1e300", "case_timeout: input should be less than or equal to 31536000, found 1e+300"),
    ],
)
def test_a_time_limit_that_is_none_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str, expected: str
) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "name: shop\napp: echo\nagent: user-simulator\nstrategy: selectors\noracles: []\n"
        f"reporters: []\ncase_timeout: {written}\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(suite)])
    assert ended.value.code == 2
    assert f"suite.yaml:7: {expected}" in capsys.readouterr().err
