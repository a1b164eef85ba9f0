"""The oracle `page-health`: what fails, what is noted, and what does not count."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.plugins.web.runner.pages import page, text

from sparring.model.case import Case
from sparring.model.page import PageEvent, PageEventKind
from sparring.model.talk import Ended, GuiAction, Observation, Trace, Turn
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.fakes import FakeContext
from sparring_plugins.web.page_health import PageHealth, PageHealthConfig

HOST = "http://shop.test"


def event(kind: str, said: str, **details: Any) -> PageEvent:
    return PageEvent(kind=PageEventKind(kind), text=said, details=details)


def answer(status: int, path: str, resource: str = "fetch", host: str = HOST) -> PageEvent:
    return event("http_error", f"{host}{path}", status=status, resource=resource)


def verdicts(*events: PageEvent, **config: Any) -> list[Verdict]:
    view = page(text("Depot"), url=f"{HOST}/depot").model_copy(update={"events": events})
    act = GuiAction(action="click", target="1", described="button 'Order'")
    turn = Turn(act=act, observation=Observation(page=view), started_s=0.0, latency_s=0.1)
    case = Case.of("a case", {}, run_seed=1)
    began = datetime(2026, 11, 23, tzinfo=UTC)
    trace = Trace(case=case, turns=(turn,), ended=Ended.SCRIPT_DONE, started=began)
    oracle = PageHealth(PageHealthConfig.model_validate(config), FakeContext())
    return list(asyncio.run(oracle.judge(trace)))


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        (event("page_error", "TypeError: x is not a function"), Outcome.FAIL),
        (event("page_error", "boom", source=f"{HOST}/app.js:3:1"), Outcome.FAIL),
        (event("page_error", "boom", source="https://ads.test/tag.js:1:1"), None),
        (event("page_error", "ResizeObserver loop limit exceeded"), None),
        (answer(500, "/api/order"), Outcome.FAIL),
        (answer(503, "/api/order", host="http://api.shop.test"), Outcome.FAIL),
        (answer(500, "/pixel", host="https://ads.test"), None),
        (answer(404, "/gone", "document"), Outcome.FAIL),
        (answer(404, "/app.js", "script"), Outcome.FAIL),
        (answer(404, "/cover.png", "image"), Outcome.PASS),
        (answer(401, "/login", "document"), Outcome.PASS),
        (answer(404, "/favicon.ico", "image"), None),
        (event("console_error", "Warning: a key is missing"), Outcome.PASS),
        (event("console_error", "Failed to load resource: 404"), None),
        (event("request_failed", f"{HOST}/a.js", error="net::ERR_FAILED"), Outcome.PASS),
        (event("message", "Saved"), None),
    ],
)  # fmt: skip
def test_what_a_page_does_is_a_failure_a_note_or_nothing(
    seen: PageEvent, outcome: Outcome | None
) -> None:
    judged = verdicts(seen)
    assert [verdict.outcome for verdict in judged] == ([outcome] if outcome else [])
    if outcome is Outcome.FAIL:
        assert judged[0].owner is Owner.APP
        assert "after click button 'Order'" in judged[0].reason


def test_settings_say_what_counts() -> None:
    error = event("page_error", "boom", source="https://cdn.test/lib.js")
    assert verdicts(error, first_party=["cdn.test"])[0].outcome is Outcome.FAIL
    assert verdicts(error, first_party=["*.test"])[0].outcome is Outcome.FAIL
    assert verdicts(event("page_error", "boom"), ignore=["bo+m"]) == []
    noted = verdicts(event("page_error", "boom"), fail_on=[])
    assert noted[0].outcome is Outcome.PASS
    assert noted[0].details["notes"] == [
        "page health: an uncaught error 'boom' after click button 'Order'"
    ]
    with pytest.raises(ValueError, match="no regular expression"):
        PageHealthConfig.model_validate({"ignore": ["("]})


def test_words_are_equal_in_runs_on_other_ports() -> None:
    said = [
        verdicts(event("console_error", f"bad answer from http://127.0.0.1:{port}/api"))[0].reason
        for port in (4711, 4712)
    ]
    assert said[0] == said[1]
