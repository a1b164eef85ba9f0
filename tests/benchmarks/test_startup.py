"""What ``--help`` costs with forty plugins installed, beside its libraries alone."""

from pathlib import Path

from .conftest import Measure

#: The command-line library, and the list of all that is installed.
LIBRARIES = "import click, importlib.metadata; importlib.metadata.entry_points()"

GROUPS = ("connectors", "oracles", "strategies", "word_lists")  # the last is listed last


def test_help_costs_little_more_than_its_library(measure: Measure, tmp_path: Path) -> None:
    """The promise is 0.15 processor seconds; the yardstick is what the libraries alone need.

    These read the names of all that is installed, as ``--help`` has to, so that a large
    environment or a busy machine changes both. They take turns for the same reason.
    """
    for number in range(40):
        info = tmp_path / f"sparring_extra_{number}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: sparring-extra-{number}\nVersion: 1.0\n"
        )
        group = GROUPS[number % len(GROUPS)]
        (info / "entry_points.txt").write_text(
            f"[sparring.{group}]\nextra-{number} = extra_{number}:Extra\n"
        )
        (tmp_path / f"extra_{number}.py").write_text("import pydantic, httpx2\n")
    alone, runs = [], []
    for _ in range(6):
        alone.append(measure("-c", LIBRARIES))
        runs.append(measure("-m", "sparring", "--help"))
    yardstick, cost = (min(run.cpu_s for run in each) for each in (alone, runs))
    assert {run.code for run in alone + runs} == {0}
    print(f"--help: {cost:.3f} s, its libraries alone {yardstick:.3f} s")
    assert cost < yardstick * 1.6
    listed = measure("-m", "sparring", "plugins")
    assert "extra-39" in listed.out
