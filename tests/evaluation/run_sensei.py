"""Runs SENSEI's own checker; called by its own interpreter, not by pytest.

Reads lines of JSON ``[rules folder, conversations folder]`` and answers each with SENSEI's rows, or
with the error that ended it. Files are taken in sorted order; the OpenAI library is replaced by a
stub that refuses every call. The first argument is SENSEI's checkout.
"""

import contextlib
import glob
import importlib.util
import io
import json
import sys
import types
from pathlib import Path
from typing import Any


class _NoModel:
    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("there is no model")


def _module(name: str, **members: Any) -> None:
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


def load(checkout: Path) -> Any:
    """The module of SENSEI's command."""
    sys.path.insert(0, str(checkout / "src"))
    _module("openai", OpenAI=_NoModel)
    _module("user_sim.utils.utilities", check_keys=lambda keys: None)
    spec = importlib.util.spec_from_file_location(
        "sensei_check", checkout / "src" / "sensei-check.py"
    )
    assert spec is not None
    assert spec.loader is not None
    command = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(command)
    unsorted = glob.glob
    glob.glob = lambda *args, **named: sorted(unsorted(*args, **named))
    return command


def rows(command: Any, rules: str, conversations: str) -> dict[str, Any]:
    """What one run of SENSEI's command would write to its table."""
    sys.modules["metamorphic"].filtered_tests.clear()
    found = command.get_rules_from_yaml_files(rules)
    tests = command.get_tests_from_yaml_files(conversations)
    result = command.Result()
    for rule in found:
        result.add(rule.name, rule.test(tests, False))
    command.report_generic_error(result, tests)
    stats: dict[str, Any] = result.stats()
    return stats


def main() -> None:
    """Answer every line."""
    command = load(Path(sys.argv[1]))
    for line in sys.stdin:
        answer: dict[str, Any]
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                answer = {"rows": rows(command, *json.loads(line))}
            except Exception as err:  # noqa: BLE001 - the answer is what went wrong
                answer = {"error": repr(err)}
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
