"""What ``--help`` costs with forty plugins installed, beside the command-line library alone."""

from pathlib import Path

from .conftest import Measure

GROUPS = ("connectors", "oracles", "strategies", "word_lists")  # the last is listed last


def test_help_costs_little_more_than_its_library(measure: Measure, tmp_path: Path) -> None:
    """The promise is 0.15 processor seconds; the yardstick is what click alone needs."""
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
    yardstick = min(measure("-c", "import click").cpu_s for _ in range(5))
    runs = [measure("-m", "sparring", "--help") for _ in range(5)]
    cost = min(run.cpu_s for run in runs)
    assert runs[0].code == 0
    print(f"--help: {cost:.3f} s, click alone {yardstick:.3f} s")
    # the names of all that is installed are read: 216 distributions here, and the 40 above
    assert cost < yardstick * 2 + 0.045
    listed = measure("-m", "sparring", "plugins")
    assert "extra-39" in listed.out
