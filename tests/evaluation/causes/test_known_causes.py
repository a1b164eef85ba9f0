"""The apps with known causes fail for these alone, and lines that name them are told from others."""

import os
import signal
from pathlib import Path
from threading import Event, Thread

import pytest

from sparring_plugins.search.shrinking.run_causes import CauseOfRun, Share

from .compare import Request, a12, named, play, requests_of, table
from .desk import APPS, Desk, desk

NAMES = sorted(path.stem for path in APPS.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_an_app_fails_for_its_known_causes_alone(name: str, tmp_path: Path) -> None:
    own, requests = desk(name), requests_of(play(name, "random", 3, 60, tmp_path))
    assert len(requests) == 60
    assert 0 < sum(bool(item.parts) for item in requests) < 60
    for item in requests:
        assert bool(own.fired(item.params, item.text, item.case)) == bool(item.parts), item


def test_an_interrupted_run_is_not_measured(tmp_path: Path) -> None:
    ended = Event()

    def interrupt() -> None:
        while not ended.wait(0.02):
            logs = [*tmp_path.glob("runs/*/log.jsonl")]
            if any(log.stat().st_size > 50_000 for log in logs):
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="printing, seed 1, was interrupted before 100000"):
            play("printing", "random", 1, 100_000, tmp_path)
    finally:
        ended.set()
        thread.join()


def line(words: tuple[str, ...] = (), **values: str) -> CauseOfRun:
    share = Share.of(1, 1)
    return CauseOfRun(
        values=values, words=words, kinds=("x",), inside=share, outside=share, example="1"
    )


def test_a_cause_is_named_by_lines_that_are_neither_wider_nor_much_narrower() -> None:
    own = Desk("printing")
    requests = [
        Request({"product": product, "size": size, "paper": paper}, "", "1", ())
        for product in ("banner", "flyer")
        for size in ("a6", "a4")
        for paper in ("matt", "glossy", "recycled")
    ]
    assert named(own, [line(product="banner", size="a6")], requests) == ["banner-a6"]
    assert named(own, [line(product="banner")], requests) == []
    one, two = (
        line(product="banner", size="a6", paper="matt"),
        line(product="banner", size="a6", paper="glossy"),
    )
    assert named(own, [one], requests) == []
    assert named(own, [one, two], requests) == ["banner-a6"]


def test_the_table_has_means_and_how_often_surrogate_is_ahead() -> None:
    rows = [
        {"app": "x", "strategy": strategy, "seed": 1, "cases": 9, "named": number}
        for strategy, number in (("random", 1), ("random", 3), ("surrogate", 3))
    ]
    assert a12([3], [1, 3]) == 0.75
    assert table(rows).splitlines() == [
        "app strategy cases runs named",
        "x random 9 2 2",
        "x surrogate 9 1 3",
        "x A12/random 9 - 0.75",
    ]
