"""Coverage of an app by explorers: sentence and semantic state coverage over turns.

Nobody knows all that an app can say. So the whole is what all explorers together brought it to say
(the union, as in Vitas' and Elevate's evaluations), and an explorer's coverage is its share of
that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sparring.model.talk import Listen, Trace
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.voice.outputs.similarity import SAME, output_similarity
from sparring_plugins.voice.session_view import own_words

MAX_OUTPUT = 6_000
"""Characters of an output that are looked at."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one explorer reached.

    `seen` are its states, `whole` how many all explorers together reached; `after` has the number
    of states after each of the explorer's turns (inputs that were sent; after 0 turns first).
    """

    seen: frozenset[str]
    whole: int
    after: tuple[int, ...]

    @property
    def share(self) -> float:
        """The share of the whole in [0, 1]; 0 if nobody reached anything."""
        return len(self.seen) / self.whole if self.whole else 0.0

    def share_after(self, turns: int) -> float:
        """Return the share after so many turns; after more than there were, the last one."""
        if not self.whole or not self.after:
            return 0.0
        return self.after[min(max(turns, 0), len(self.after) - 1)] / self.whole


def sentence_states(text: str) -> list[str]:
    """Return the sentences of an output as states: each its folded text."""
    states = (folded(sentence) for sentence in sentences(plain(text[:MAX_OUTPUT])))
    return [state for state in dict.fromkeys(states) if state]


class SemanticStates:
    """States of outputs that do the same, whoever brought the app to say them.

    All outputs are known beforehand and are gone through in a fixed order, so that the states do
    not depend on the order of conversations.
    """

    def __init__(self, outputs: Iterable[str], threshold: float = SAME) -> None:
        self._state_of: dict[str, str] = {}
        states: list[str] = []
        for text in sorted(set(outputs), key=lambda output: (len(output), output)):
            nearest = max(states, key=lambda state: output_similarity(state, text), default=None)
            if nearest is None or output_similarity(nearest, text) < threshold:
                nearest = text
                states.append(text)
            self._state_of[text] = nearest
        self.states = tuple(states)

    def state(self, text: str) -> str:
        """Return the state of an output that was known beforehand; raises KeyError."""
        return self._state_of[text]


def sentence_coverage(explorers: Mapping[str, Sequence[Trace]]) -> dict[str, Coverage]:
    """Return the sentence state coverage of each explorer of one app, by its name."""
    return _coverage_by_name(explorers, sentence_states)


def semantic_coverage(
    explorers: Mapping[str, Sequence[Trace]], threshold: float = SAME
) -> dict[str, Coverage]:
    """Return the semantic state coverage of each explorer of one app, by its name."""
    turns = (turn for traces in explorers.values() for trace in traces for turn in trace.turns)
    texts = (own_words(turn.observation) for turn in turns)
    states = SemanticStates((text for text in texts if text.strip()), threshold)
    return _coverage_by_name(explorers, lambda text: [states.state(text)])


_States = Callable[[str], Sequence[str]]
"""Returns the states of an output."""

_Steps = Sequence[tuple[bool, Sequence[str]]]
"""For each turn of a conversation whether an input was sent, and the states of the answer."""


def _coverage_by_name(
    explorers: Mapping[str, Sequence[Trace]], states_of: _States
) -> dict[str, Coverage]:
    steps = {
        name: [_steps(trace, states_of) for trace in traces] for name, traces in explorers.items()
    }
    conversations = [conversation for each in steps.values() for conversation in each]
    whole = {state for turns in conversations for _, states in turns for state in states}
    return {name: _coverage(each, len(whole)) for name, each in steps.items()}


def _coverage(conversations: Sequence[_Steps], whole: int) -> Coverage:
    seen: set[str] = set()
    after = [0]
    for turns in conversations:
        for sent, states in turns:
            seen.update(states)
            if sent:
                after.append(len(seen))
            else:
                after[-1] = len(seen)
    return Coverage(frozenset(seen), whole, tuple(after))


def _steps(trace: Trace, states_of: _States) -> _Steps:
    texts = [own_words(turn.observation) for turn in trace.turns]
    return [
        (not isinstance(turn.act, Listen), states_of(text) if text.strip() else [])
        for turn, text in zip(trace.turns, texts, strict=True)
    ]
