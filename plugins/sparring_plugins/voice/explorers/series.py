"""Series: one intent said again and again in one session, until the app runs out of answers.

A quiz has no next question after its last, and a game of six guesses no place for a seventh. What
the app does then shows only if an intent is said more often than a curious user would.
"""

from collections.abc import Sequence

from sparring.model.talk import Observation
from sparring_plugins.voice.behaviour_model import BehaviourModel, Input, State
from sparring_plugins.voice.explorers.definition import PLATFORM, is_unreached, payload_value

LONGEST = 8
"""How often an intent is said again: quizzes of five questions and games of six guesses end."""

_SHARE = 2
"""A series begins when this part of the turns is spent: first comes what was never tried."""

_FEWEST_TURNS_LEFT = 12
_FEWEST_DIFFERENT = 2
_MOST_EQUAL = 2
_GOING_ON = ("YesIntent", "NextIntent")
"""Intents of the platform by which an app goes on to its next answer."""


class SeriesPlanner:
    """Plans the inputs of one series of an exploration.

    It begins at an intent that gets ever other answers in one state, such as a guess: "Wrong, two
    more letters", "Right, one more".
    """

    def __init__(self, model: BehaviourModel, turns: int) -> None:
        self._model = model
        self._turns = turns
        #: The intent of the series that is under way.
        self._running = ""
        self._text = ""
        self._equal = 0

    @property
    def is_running(self) -> bool:
        """Whether a series is under way."""
        return bool(self._running)

    def next_inputs(self, by: Input, target: State, output: Observation) -> Sequence[str] | None:
        """Return the inputs of a series that begins here, none to end one, `None` for no change."""
        # the questions of a form are one intent, and each is another
        elicits = bool(payload_value(output, "elicits"))
        is_open = not (target.confused or target.final or elicits)
        self._equal = self._equal + 1 if output.text == self._text else 0
        self._text = output.text
        if self._running:
            # other words and the same answer, twice: the app has said all that it has
            if is_open and by.part == self._running and self._equal < _MOST_EQUAL:
                return None
            self._running = ""
            return ()
        if not is_open or not self._is_due() or not self._has_varied(by.part, target):
            return None
        self._model.series.append(by.part)
        self._running = by.part
        return self._words(by)

    def _is_due(self) -> bool:
        model = self._model
        spent = model.turns * _SHARE >= self._turns
        is_first = not model.series and self._turns - model.turns >= _FEWEST_TURNS_LEFT
        return spent and is_first and not any(map(self._is_unreached, model.utterances.values()))

    def _is_unreached(self, utterance: tuple[str, str]) -> bool:
        return is_unreached(self._model, utterance[1])

    def _has_varied(self, part: str, target: State) -> bool:
        """Return whether different words of an intent led to different outputs in one state."""
        is_platforms = part.startswith(PLATFORM) and not part.endswith(_GOING_ON)
        if not part or is_platforms or target.different < _FEWEST_DIFFERENT:
            return False
        inputs = (one for state in self._model.states.values() for one in state.inputs.values())
        led_here = {one.text for one in inputs if one.part == part and target.id in one.targets}
        return bool(led_here)

    def _words(self, by: Input) -> list[str]:
        """Return utterances of an intent, in turn, as often as a series takes."""
        utterances = self._model.utterances.values()
        others = [text for part, text in utterances if part == by.part and text != by.text]
        words = [*dict.fromkeys(others), by.text]
        return [words[at % len(words)] for at in range(LONGEST)]
