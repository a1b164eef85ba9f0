"""MiniWoB++ by plain rules: twelve tasks that are direct instructions, at the full rate.

SPARRING_MINIWOB names the folder ``html`` of the package ``miniwob``; without it the test is skipped.
``python -m tests.evaluation.web.miniwob`` measures all tasks.
"""

import pytest
from tests.evaluation.web import miniwob
from tests.evaluation.web.conftest import named

TASKS = (
    "click-test-2", "click-button", "click-link", "click-tab", "click-dialog-2", "click-option",
    "click-checkboxes", "choose-list", "enter-text", "enter-password", "login-user",
    "form-sequence-3",
)  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


async def test_every_episode_of_the_direct_tasks_succeeds() -> None:
    folder = named(miniwob.VARIABLE)
    async with miniwob.benchmark(folder) as bench:
        episodes = [one for task in TASKS for one in await bench.episodes(task, range(3))]
    assert [one for one in episodes if one.outcome != "success"] == []
    assert len(episodes) == 3 * len(TASKS)
