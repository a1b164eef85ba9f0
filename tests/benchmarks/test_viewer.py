"""What opening and filtering a run of 20,000 conversations costs in the browser.

Both are measured beside a bare page of the same server, in the same browser and minute.
"""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import chromium  # noqa: F401 - a fixture
from tests.plugins.viewer.conftest import (  # noqa: F401 - fixtures
    Serve,
    Served,
    own_cache,
    serve,
)

from sparring.store import StoredRun
from sparring.store.log import LOG, seal
from sparring.testing.conversations import run_events, trace_of, verdict_of

pytestmark = pytest.mark.browser

CASES = 20_000
ROUNDS = 5
OPENS_S, FILTERS_S = 2.0, 0.2
TIMES_BARE = 25
WORDS = [
    "pizza",
    "large",
    "small",
    "price",
    "order",
    "total",
    "cheese",
    "olives",
    "ham",
    "delivery",
    "street",
    "thanks",
    "euro",
]


def large_run(folder: Path) -> StoredRun:
    """A run whose lines are those of a few cases, with other numbers and words in each."""
    text = "I would like one THING of kind NUMBER, please, with WORD and no sugar"
    trace = trace_of([(text, f"Well: {text}.")] * 3, scenario="SCENARIO", nr="NUMBER")
    trace = trace.model_copy(update={"case": trace.case.model_copy(update={"id": "case-NUMBER"})})
    good, bad = (
        [
            event.model_dump_json()
            for event in run_events([trace], [[verdict]])
            if event.kind == "case_judged"
        ]
        for verdict in (
            verdict_of(trace),
            verdict_of(trace, "fail", reason="price NUMBER is wrong"),
        )
    )
    started, *_, finished = run_events([trace])
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(started.run.model_dump_json())  # type: ignore[union-attr]
    with (folder / LOG).open("wb") as log:
        log.write(seal(started.model_dump_json().encode(), 1))
        for nr in range(CASES):
            (line,) = bad if nr % 10 == 3 else good
            line = line.replace("NUMBER", str(nr)).replace("SCENARIO", f"scenario {nr % 7}")
            line = line.replace("WORD", WORDS[nr % len(WORDS)]).replace("THING", WORDS[nr % 5])
            log.write(seal(line.encode(), nr + 2))
        log.write(seal(finished.model_dump_json().encode(), CASES + 2))
    return StoredRun(folder)


def median_s(work: Callable[[], None]) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def test_twenty_thousand_cases_open_and_filter_at_once(
    chromium: Any,  # noqa: F811
    serve: Serve,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    runs = tmp_path_factory.mktemp("large")
    large_run(runs / "large")
    served: Served = serve(runs)
    page = chromium.new_page()
    page.goto(served.address)
    page.wait_for_selector("h1")
    here = f"http://127.0.0.1:{served.port}"

    def bare() -> None:
        page.goto(f"{here}/static/icon.svg")

    def opened() -> None:
        page.goto("about:blank")
        page.goto(f"{here}/#/run/large")
        page.wait_for_selector("#cases li")

    began = time.perf_counter()
    opened()
    first_s = time.perf_counter() - began  # with making the index
    page.get_by_text("The log is being read").wait_for(state="detached", timeout=120_000)
    bare_s, opens_s = median_s(bare), median_s(opened)
    filters = {
        words: filtering_s(page, words) for words in ("olives", "price", "12345", "pizza kind")
    }
    figures = {"first": first_s, "bare": bare_s, "opens": opens_s, **filters}
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))
    assert opens_s < max(OPENS_S, TIMES_BARE * bare_s)
    assert max(filters.values()) < max(FILTERS_S, TIMES_BARE * bare_s)
    page.close()


def filtering_s(page: Any, words: str) -> float:
    """From the answer of the search box to the rows that it leaves, the wait for more keys included."""
    script = """(words) => new Promise((done) => {
      const box = document.getElementById("search"), rows = document.getElementById("cases");
      const began = performance.now();
      const observer = new MutationObserver(() => {
        if (JSON.parse(rows.dataset.filtered).q !== words) return;
        observer.disconnect();
        requestAnimationFrame(() => done((performance.now() - began) / 1000));
      });
      observer.observe(rows, { attributes: true });
      box.value = words;
      box.dispatchEvent(new Event("input"));
    })"""

    def once() -> float:
        page.evaluate(script, "")
        return float(page.evaluate(script, words))

    return statistics.median(once() for _ in range(ROUNDS))
