"""How much of an app testers saw: sentence and semantic state coverage over turns.

Nobody knows all that an app can say. So the whole is what all testers together saw of it (the
union, as in Vitas' and Elevate's evaluations), and a tester's coverage is its share of that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sparring.model.talk import Listen, Trace
from sparring_plugins.language.text import folded, plain, sentences
from sparring_plugins.voice.outputs.similarity import SAME, likeness

LOOKED_AT = 6_000
"""Characters of an output that are looked at."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one tester saw.

    `seen` are its states, `whole` how many all testers together saw; `after` has the number of
    states seen after each turn of the tester's (inputs that were sent; after 0 turns first).
    """

    seen: frozenset[str]
    whole: int
    after: tuple[int, ...]

    @property
    def share(self) -> float:
        """The share of the whole in [0, 1]; 0 where nobody saw anything."""
        return len(self.seen) / self.whole if self.whole else 0.0

    def share_after(self, turns: int) -> float:
        """The share after so many turns; after more than there were, the last one."""
        if not self.whole or not self.after:
            return 0.0
        return self.after[min(max(turns, 0), len(self.after) - 1)] / self.whole


def sentence_states(text: str) -> list[str]:
    """The sentences of an output as states: each its folded text."""
    found = (folded(one) for one in sentences(plain(text[:LOOKED_AT])))
    return [one for one in dict.fromkeys(found) if one]


class SemanticStates:
    """Outputs as states that do the same, whoever heard them first.

    All outputs are known beforehand and are gone through in a fixed order, so that the states do
    not depend on who heard what when.
    """

    def __init__(self, outputs: Iterable[str], threshold: float = SAME) -> None:
        self._of: dict[str, str] = {}
        kept: list[str] = []
        for text in sorted(set(outputs), key=lambda one: (len(one), one)):
            near = max(kept, key=lambda one: likeness(one, text), default=None)
            if near is None or likeness(near, text) < threshold:
                near = text
                kept.append(text)
            self._of[text] = near
        self.states = tuple(kept)

    def state(self, text: str) -> str:
        """The state of an output that was known beforehand; raises KeyError."""
        return self._of[text]


def sentence_coverage(testers: Mapping[str, Sequence[Trace]]) -> dict[str, Coverage]:
    """The sentence state coverage of each tester of one app, by the tester's name."""
    heard = {
        name: [_each(trace, sentence_states) for trace in found] for name, found in testers.items()
    }
    return _covered(heard)


def semantic_coverage(
    testers: Mapping[str, Sequence[Trace]], threshold: float = SAME
) -> dict[str, Coverage]:
    """The semantic state coverage of each tester of one app, by the tester's name."""
    outputs = {text for found in testers.values() for trace in found for text in _outputs(trace)}
    states = SemanticStates(outputs, threshold)
    heard = {
        name: [_each(trace, lambda text: [states.state(text)]) for trace in found]
        for name, found in testers.items()
    }
    return _covered(heard)


_Heard = Sequence[tuple[bool, Sequence[str]]]
"""For each turn of a conversation whether an input was sent, and the states that were heard."""


def _covered(heard: Mapping[str, Sequence[_Heard]]) -> dict[str, Coverage]:
    whole = {
        state
        for found in heard.values()
        for turns in found
        for _, states in turns
        for state in states
    }
    return {name: _coverage(found, len(whole)) for name, found in heard.items()}


def _coverage(conversations: Sequence[_Heard], whole: int) -> Coverage:
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


def _each(trace: Trace, states: Callable[[str], Sequence[str]]) -> _Heard:
    return [
        (
            not isinstance(turn.act, Listen),
            states(turn.observation.text)
            if turn.observation and turn.observation.text.strip()
            else [],
        )
        for turn in trace.turns
    ]


def _outputs(trace: Trace) -> list[str]:
    found = (turn.observation.text for turn in trace.turns if turn.observation)
    return [text for text in found if text.strip()]
