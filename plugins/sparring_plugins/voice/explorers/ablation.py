"""Stand-ins for parts that are switched off, to measure what those parts are worth."""

from random import Random

from sparring_plugins.language.text import plain
from sparring_plugins.voice.outputs.dialogue_acts import is_confused
from sparring_plugins.voice.outputs.quoted_phrases import quoted
from sparring_plugins.voice.roles.explorer import (
    Candidate,
    Generated,
    GenerateTask,
    InputOrigin,
    ObserveTask,
    OutputKind,
    Plan,
    PlanTask,
    Sighting,
)


class ExactObserver:
    """Every different output is a state of its own."""

    async def act(self, task: ObserveTask) -> Sighting:
        """The state with exactly this output."""
        text = task.observation.text
        found = next((state.id for state in task.states if text in state.outputs), None)
        return Sighting(state=found, confused=is_confused(text), reason="equal text")


class PlainGenerator:
    """Nothing but choices on offer and quoted phrases."""

    async def act(self, task: GenerateTask) -> Generated:
        """Candidates that need no understanding."""
        said = [Candidate(text=one) for one in quoted(plain(task.observation.text))]
        offered = [
            Candidate(text=choice.label, origin=InputOrigin.CHOICE)
            for choice in task.observation.choices
        ]
        return Generated(expects=OutputKind.OTHER, candidates=(*offered, *said))


class RandomPlanner:
    """An input by lot."""

    async def act(self, task: PlanTask) -> Plan:
        """Draw with the task's seed."""
        drawn = Random(task.seed).choice(task.inputs)
        return Plan(input=drawn.text, reason="by lot")
