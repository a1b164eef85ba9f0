"""What a run costs: whole processes, and ratios side by side in one run."""

import sys
from pathlib import Path

import pytest
import yaml

from .conftest import Cost, Measure


def suite(folder: Path, cases: int, **changes: object) -> str:
    path = folder / "suite.yaml"
    data = {
        "name": "benchmark",
        "app": "echo",
        "agent": "parts:Talker",
        "strategy": {"use": "parts:Many", "cases": cases},
        "oracles": ["parts:Content"],
        "reporters": ["console", "html", "junit"],
        **changes,
    }
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return str(path)


HUNDRED_TESTS = """
import pytest

@pytest.mark.parametrize("number", range(100))
def test_echo(number):
    assert str(number) in f"you said {number}"
"""


def test_a_hundred_echo_cases_cost_little_more_than_the_imports(
    measure: Measure, tmp_path: Path
) -> None:
    """The promise is 0.8 processor seconds and 60 MiB; a busy machine counts slower seconds, so
    the time is held against what the same machine needs to make one pydantic model, and against
    pytest with a hundred tests and a JUnit report, without plugins.
    """
    (tmp_path / "test_hundred.py").write_text(HUNDRED_TESTS, encoding="utf-8")
    one_model = "import pydantic\nclass A(pydantic.BaseModel):\n    x: int"
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    models, pytests, runs = [], [], []
    for _ in range(3):  # in turns, so that a busy moment meets all of them
        models.append(measure("-c", one_model))
        pytests.append(
            measure(
                "-m",
                "pytest",
                "-q",
                "--junitxml=tests.xml",
                "test_hundred.py",
                "-p",
                "no:cacheprovider",
                **alone,
            )
        )
        runs.append(measure("-m", "sparring", "run", suite(tmp_path, 100)))
    model, pytested, cost = (
        min(costs, key=lambda run: run.cpu_s) for costs in (models, pytests, runs)
    )
    assert (cost.code, pytested.code) == (0, 0), cost.out + pytested.out
    ratio, to_pytest = cost.cpu_s / model.cpu_s, cost.cpu_s / pytested.cpu_s
    print(
        f"100 echo cases: {cost.cpu_s:.2f} s, {cost.peak_mib:.0f} MiB, {ratio:.1f} yardsticks; "
        f"pytest: {pytested.cpu_s:.2f} s, {pytested.peak_mib:.0f} MiB; {to_pytest:.1f} times"
    )
    assert cost.peak_mib < 60
    assert ratio < 6.5
    assert to_pytest < 3.3


def test_memory_does_not_grow_with_the_number_of_cases(measure: Measure, tmp_path: Path) -> None:
    def peak(cases: int) -> Cost:
        return measure("-m", "sparring", "run", suite(tmp_path, cases, concurrency=50))

    small, large = peak(1_000), peak(20_000)
    assert (small.code, large.code) == (0, 0), large.out
    print(f"peak: {small.peak_mib:.0f} MiB at 1,000 cases, {large.peak_mib:.0f} at 20,000")
    assert large.peak_mib < small.peak_mib * 1.5 + 10
    assert large.cpu_s < small.cpu_s * 40


@pytest.mark.skipif(sys.platform != "linux", reason="memory and open files are read from /proc")
@pytest.mark.parametrize(
    ("cases", "every"),
    [(1_000, 200), pytest.param(50_000, 10_000, marks=pytest.mark.thorough)],
)
def test_memory_and_open_files_stay_flat_while_a_run_goes_on(
    measure: Measure, tmp_path: Path, cases: int, every: int
) -> None:
    strategy = {"use": "parts:Sampled", "cases": cases, "every": every, "samples": "samples.txt"}
    cost = measure("-m", "sparring", "run", suite(tmp_path, 0, concurrency=50, strategy=strategy))
    assert cost.code == 0, cost.out
    lines = (tmp_path / "samples.txt").read_text("utf-8").splitlines()
    samples = [tuple(map(float, line.split())) for line in lines]
    print(f"cases, MiB, open files: {samples}; peak {cost.peak_mib:.0f} MiB")
    assert len(samples) == cases // every
    (_, first_mib, first_files), (_, last_mib, last_files) = samples[0], samples[-1]
    # The log's index takes a few bytes per case; what a conversation itself takes would be seen.
    assert last_mib - first_mib < 1 + (cases - every) * 300 / 2**20
    assert last_files <= first_files
    assert all(files <= first_files + 2 for _, _, files in samples)
