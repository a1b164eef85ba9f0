"""The three agents that go by plain rules: navigator, readiness and assertion, each ``strict``.

They read the snapshot and nothing else, so equal pages give equal answers. What they can't tell
they leave open (None) for an agent that asks a language model.
"""

from typing import Literal

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.roles.page_agents import Judged, Navigation, PageTask


class StrictConfig(PluginConfig):
    """Settings of the strict navigator and of strict readiness."""

    twins: Literal["unsure", "first"] = Field(
        "unsure",
        description="Of controls that fit equally well and look the same: take none, or the first.",
    )


class StrictNavigator(Agent[PageTask, Navigation, StrictConfig]):
    """Grounds a step in the snapshot by role, name, label, row, region, position and type.

    Where several elements fit equally well it names them and does nothing.
    """

    role = "navigator"
    Config = StrictConfig

    async def act(self, task: PageTask) -> Navigation:
        plan = Planner(task, self.config.twins).plan()
        return Navigation(acts=plan.acts, candidates=plan.candidates, reason=plan.reason)


class StrictReadiness(Agent[PageTask, Judged, StrictConfig]):
    """Whether a step can be carried out now.

    True: its target is there, and can be used. False: it is there but hidden, disabled or
    covered. Don't know: nothing surely is the target, or several are.
    """

    role = "readiness"
    Config = StrictConfig

    async def act(self, task: PageTask) -> Judged:
        plan = Planner(task, self.config.twins).plan()
        return Judged(truth=plan.truth, reason=plan.reason, elements=plan.elements)


class StrictAssertion(Agent[PageTask, Judged, PluginConfig]):
    """Whether an assertion holds on the page as it is."""

    role = "assertion"

    async def act(self, task: PageTask) -> Judged:
        reading = task.reading
        if reading is None or reading.condition is None:
            return Judged(
                truth=None, reason=f"'{task.step.text}' is no assertion that the grammar knows"
            )
        return holds(reading.condition, task.view)
