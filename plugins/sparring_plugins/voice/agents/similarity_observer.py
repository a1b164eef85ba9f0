"""The observer `similarity`: which state the app is in, by how alike outputs are."""

from typing import ClassVar

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.text import folded
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.outputs.dialogue_acts import gist_of, is_confused
from sparring_plugins.voice.outputs.masking import masked
from sparring_plugins.voice.outputs.meaning_similarity import alike
from sparring_plugins.voice.outputs.similarity import SAME, likeness
from sparring_plugins.voice.roles.explorer import KnownState, ObserveTask, Sighting

_AGREEMENT = frozenset(("yes", "no"))
_AGAIN = 0.15
_EQUAL = 0.99
_LEAST_OF_CHOICES = 0.6
"""How alike outputs are at most that offer nothing in common; with all in common there is no "
"limit."""
_CANDIDATES = 0.1


class SimilarityObserverConfig(PluginConfig):
    """Settings of the observer `similarity`.

    `view` says what a state is: everything that does the same (``function``), every output that
    differs in more than its values (``wording``), or every different text (``text``). `threshold`
    is how alike outputs of one state are. `embeddings` also goes by meaning, where the extra
    ``semantic`` is installed.
    """

    view: str = Field(default="function", pattern="^(function|wording|text)$")
    threshold: float = Field(default=SAME, ge=0, le=1)
    embeddings: bool = False


class SimilarityObserver(Agent[ObserveTask, Sighting, SimilarityObserverConfig]):
    """Role ``observer``: the known state that is most alike, without a language model.

    Outputs are compared with their values masked, by what they ask and what they tell. Where the
    same input led from the same state to a known one before, or where the same inputs are to be
    expected, a little less will do: then it is one state put in other words.
    """

    Config: ClassVar[type[PluginConfig]] = SimilarityObserverConfig
    role: ClassVar[str] = "observer"

    async def act(self, task: ObserveTask) -> Sighting:
        text = task.observation.text
        labels = tuple(choice.label for choice in task.observation.choices)
        best, score = None, 0.0
        for state in task.states:
            found = self._alike(text, labels, state, task)
            if found > score:
                best, score = state, found
        confused = is_confused(text)
        if best is None or score < self.config.threshold:
            return Sighting(state=None, confused=confused, score=min(score, 1.0), reason="new")
        reason = f"as {best.id}, {score:.2f} alike"
        return Sighting(state=best.id, confused=confused, score=min(score, 1.0), reason=reason)

    def _alike(
        self, text: str, labels: tuple[str, ...], state: KnownState, task: ObserveTask
    ) -> float:
        if self.config.view != "function":
            return float(any(self._frame(text) == self._frame(one) for one in state.outputs))
        if bool(labels) != bool(state.choices) and not (text and state.outputs):
            return 0.0
        found = max((likeness(text, one) for one in state.outputs), default=0.0)
        if labels and state.choices:
            found = min(found, _LEAST_OF_CHOICES + _shared(labels, state.choices))
        if found >= _EQUAL:
            return found
        if self.config.embeddings:
            found = max(found, max((alike(text, one) for one in state.outputs), default=0.0))
        if found >= 0.5:
            found += _AGAIN * (state.id in task.led_to and not gist_of(text).specific)
            found += _CANDIDATES * _same_candidates(task, state)
        return found

    def _frame(self, text: str) -> str:
        return gist_of(text).frame if self.config.view == "wording" else folded(text) or text


def _keys(labels: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(input_key, labels))


def _shared(labels: tuple[str, ...], choices: tuple[str, ...]) -> float:
    """The share of choices that both offer, their values masked: other times are no other menu."""
    mine, yours = ({input_key(masked(one)) or one for one in each} for each in (labels, choices))
    return len(mine & yours) / len(mine | yours)


def _same_candidates(task: ObserveTask, state: KnownState) -> bool:
    """Whether both expect the same inputs, and such that not every state expects."""
    expected = frozenset(map(input_key, task.expected))
    return len(expected - _AGREEMENT) >= 2 and expected <= _keys(state.inputs)
