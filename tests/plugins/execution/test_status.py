"""What a console shows of workers while they play."""

import asyncio

from sparring.model.case import Case
from sparring_plugins.execution import status
from sparring_plugins.execution.cases import AppLimits
from sparring_plugins.execution.status import ExecutionStatus
from sparring_plugins.reporting.console_progress import Progress


def test_workers_and_what_is_waited_for_are_shown_while_they_play() -> None:
    waiting = {"b.example": 1, "api.example": 12, "a worker": 0}
    playing = ExecutionStatus(lambda: 3, lambda: waiting, "http://127.0.0.1:8787/status")
    progress = Progress(expected=10, before=0)
    assert progress.workers() == ""
    status.show(playing)
    try:
        text = "3 workers, 12 cases wait for api.example, 1 case waits for b.example"
        assert progress.workers() == text
        assert text in progress.summary_line()
    finally:
        status.hide(playing)
    status.hide(playing)
    assert status.current() is None


def test_cases_that_wait_for_an_app_are_counted() -> None:
    async def scene() -> None:
        limits = AppLimits({"api.example.com": 1}, {"url": "https://api.example.com/x"})
        case = Case.of("a", {}, run_seed=1)
        release = asyncio.Event()

        async def hold() -> None:
            async with limits.turn(case):
                await release.wait()

        tasks = [asyncio.create_task(hold()) for _ in range(3)]
        while limits.count_waiting() != {"api.example.com": 2}:
            await asyncio.sleep(0)
        release.set()
        await asyncio.gather(*tasks)
        assert limits.count_waiting() == {"api.example.com": 0}

    asyncio.run(scene())
