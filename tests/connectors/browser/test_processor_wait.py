"""How much of an act's time processes waited for a processor, by the kernel's account."""

from pathlib import Path

import pytest

from sparring_connectors.browser.processor_wait import ProcessorWait

ACCOUNT = "some avg10=95.30 avg60=93.38 avg300=93.30 total={}\nfull avg10=0.00 total=0\n"


def measure(source: Path, monkeypatch: pytest.MonkeyPatch, after: str, seconds: float) -> object:
    """Measure from now to some seconds later, when the account says something else."""
    clock = iter((100.0, 100.0 + seconds))
    monkeypatch.setattr("sparring_connectors.browser.processor_wait.monotonic", lambda: next(clock))
    wait = ProcessorWait(source)
    source.write_text(after)
    return wait.share()


@pytest.mark.parametrize(
    ("after", "seconds", "share"),
    [
        (ACCOUNT.format(9_000_000), 10.0, 0.8),
        (ACCOUNT.format(90_000_000), 10.0, 1.0),
        (ACCOUNT.format(1_000_000), 10.0, 0.0),
        (ACCOUNT.format(1_100_000), 0.1, None),
        ("nothing that is known", 10.0, None),
    ],
)
def test_the_share_is_that_of_the_time_in_which_something_waited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str, seconds: float, share: object
) -> None:
    source = tmp_path / "cpu"
    source.write_text(ACCOUNT.format(1_000_000))
    assert measure(source, monkeypatch, after, seconds) == share


def test_a_system_that_does_not_count_says_nothing(tmp_path: Path) -> None:
    assert ProcessorWait(tmp_path / "none").share() is None
