"""Calibrations written into an empty folder and run in process."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.servers.openai_replies import smallest

from sparring_plugins.judging.calibration.calibrate import Calibrated, CalibrateOptions, calibrate
from sparring_plugins.judging.calibration.file_loading import load_calibration

Measure = Callable[..., Calibrated]


def quoting(schema: Any, request: dict[str, Any]) -> Any:
    """The smallest answer to a schema, with words of what is shown, as a judge has to quote them."""
    shown = request["messages"][1]["content"].split("<data>\n")[1].split("\n</data>")[0]
    data = json.loads(shown)
    turn, words = (1, data[0]["text"]) if isinstance(data, list) else (None, data)
    return {**smallest(schema), "quotations": [{"turn": turn, "words": words}]}


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """``measure(judges, examples, **keys)``: the result; `script` answers for the model."""

    def run(
        judges: list[dict[str, Any]],
        examples: Any,
        *,
        script: list[dict[str, Any]] | None = None,
        options: CalibrateOptions | None = None,
        **keys: Any,
    ) -> Calibrated:
        data = {"name": "test", "judges": judges, "examples": examples, **keys}
        if script is not None:
            prices = {"input": 1.0, "output": 2.0}
            answers = {"model": "pretend", "prices": prices, "answers": script}
            (tmp_path / "script.yaml").write_text(yaml.safe_dump(answers), encoding="utf-8")
            data.setdefault("llm", {"use": "scripted", "script": "script.yaml"})
        path = tmp_path / "calibration.yaml"
        path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
        return calibrate(load_calibration(path), options or CalibrateOptions())

    return run
