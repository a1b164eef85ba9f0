"""Echo buttons: the input handler that a skill starts, and which of its events a press meets.

What the interface `GameEngine` describes: recognizers look at the history of presses, events are
met by recognizers, and a met event is sent to the skill.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparring_connectors.alexa.shapes import mapping, mappings, named, sequence, text

START, STOP = "GameEngine.StartInputHandler", "GameEngine.StopInputHandler"
SET_LIGHT = "GadgetController.SetLight"
INPUT = "GameEngine.InputHandlerEvent"
INTERFACES: Mapping[str, Any] = {"GameEngine": {}, "GadgetController": {}}
"""What a device with buttons says that it can do."""

TIMED_OUT = "timed out"
_DARK = "000000"
# A recognizer may ask for any number of presses, and a press is compared with all before it.
_MOST_HISTORY = 512
_MOST_NAMED = 32
"""Events and recognizers of one input handler that Alexa takes."""


@dataclass(frozen=True, slots=True)
class ButtonEvent:
    """A button that went down or up, and the colour that it had."""

    gadget: str
    action: str
    color: str
    moment: str

    def to_json(self) -> dict[str, Any]:
        """Return the event as a request has it."""
        return {
            "gadgetId": self.gadget,
            "timestamp": self.moment,
            "action": self.action,
            "color": self.color,
            "feature": "press",
        }


@dataclass(frozen=True, slots=True)
class MetEvent:
    """An event of the input handler that is sent to the skill."""

    name: str
    inputs: tuple[ButtonEvent, ...]
    ends: bool

    def to_json(self) -> dict[str, Any]:
        """Return the event as a request has it."""
        return {"name": self.name, "inputEvents": [one.to_json() for one in self.inputs]}


@dataclass(frozen=True, slots=True)
class Button:
    """A button that can be pressed; `label` is how a person calls it."""

    gadget: str
    number: int

    @property
    def label(self) -> str:
        """What a tester presses."""
        return f"button {self.number}"


@dataclass(slots=True)
class Lights:
    """The colours that a skill gave to buttons, which outlive input handlers."""

    colors: dict[str, str] = field(default_factory=dict[str, str])

    def set(self, directive: Mapping[str, Any], gadgets: Sequence[str]) -> None:
        """Follow a SetLight directive: the last colour of its animation stays."""
        parameters = mapping(directive.get("parameters"))
        if text(parameters.get("triggerEvent")) not in ("", "none"):
            return  # a light of the press itself, over before the next one
        steps = [
            step
            for animation in mappings(parameters.get("animations"))
            for step in mappings(animation.get("sequence"))
        ]
        if not steps:
            return
        targets = [one for one in sequence(directive.get("targetGadgets")) if one in gadgets]
        color = named(steps[-1].get("color")).casefold() or _DARK
        self.colors |= dict.fromkeys(map(str, targets) if targets else gadgets, color)

    def of(self, gadget: str) -> str:
        """Return the colour of a button."""
        return self.colors.get(gadget, _DARK)


class InputHandler:
    """What a skill waits for until one of its events ends it, or the time is over."""

    def __init__(self, directive: Mapping[str, Any], request_id: str) -> None:
        self.request_id = request_id
        self._recognizers = dict(list(mapping(directive.get("recognizers")).items())[:_MOST_NAMED])
        self._events = dict(list(mapping(directive.get("events")).items())[:_MOST_NAMED])
        self._proxies = [one for one in sequence(directive.get("proxies")) if isinstance(one, str)]
        self._bound: dict[str, str] = {}
        self._history: list[ButtonEvent] = []
        self._sent: dict[str, int] = {}
        self._met: dict[str, object] = {}

    def press(self, gadget: str, color: str, moment: str) -> tuple[MetEvent, ...]:
        """Press a button and let it go; returns the events that this meets, each once."""
        met: list[MetEvent] = []
        for action in ("down", "up"):
            self._history = [
                *self._history[1 - _MOST_HISTORY :],
                ButtonEvent(gadget, action, color, moment),
            ]
            met += self._newly_met(is_over=False)
            if any(one.ends for one in met):
                break
        return tuple(met)

    def time_out(self) -> tuple[MetEvent, ...]:
        """Let the time be over; returns the events that wait for that."""
        return tuple(self._newly_met(is_over=True))

    def _newly_met(self, *, is_over: bool) -> list[MetEvent]:
        true = {
            name: events
            for name in self._recognizers
            if (events := self._recognized(name, frozenset())) is not None
        }
        if is_over:
            true[TIMED_OUT] = ()
        met: list[MetEvent] = []
        holds: dict[str, object] = {}
        for name, described in self._events.items():
            event = mapping(described)
            needed, refused = sequence(event.get("meets")), sequence(event.get("fails"))
            if not needed or not all(one in true for one in needed):
                continue
            if any(one in true for one in refused):
                continue
            matches = [true[one] for one in needed]
            holds[name] = matches
            if self._met.get(name) == matches and not is_over:
                continue  # the same presses as before: the release of a button is no second press
            if self._is_used_up(name, event):
                continue
            self._sent[name] = self._sent.get(name, 0) + 1
            inputs = self._reported(text(event.get("reports")), matches)
            met.append(MetEvent(name, inputs, bool(event.get("shouldEndInputHandler"))))
            if met[-1].ends:
                break
        self._met = holds
        return met

    def _is_used_up(self, name: str, event: Mapping[str, Any]) -> bool:
        most = event.get("maximumInvocations")
        return isinstance(most, int) and self._sent.get(name, 0) >= most

    def _reported(
        self, reports: str, matches: Sequence[Sequence[ButtonEvent]]
    ) -> tuple[ButtonEvent, ...]:
        if reports == "history":
            return tuple(self._history)
        if reports == "matches":
            return tuple(dict.fromkeys(one for events in matches for one in events))
        return ()

    def _recognized(self, name: object, above: frozenset[str]) -> tuple[ButtonEvent, ...] | None:
        """Return what a recognizer recognised, empty for one that tells of none; else None."""
        recognizer = mapping(self._recognizers.get(str(name)))
        if not recognizer or str(name) in above:
            return None
        within = above | {str(name)}
        match recognizer.get("type"):
            case "match":
                steps = _steps(recognizer)
                matched = self._match(recognizer, steps)
                return tuple(matched) if steps and len(matched) == len(steps) else None
            case "deviation":
                return self._deviation(recognizer, within)
            case "progress":
                return self._progress(recognizer)
            case _:
                return None

    def _deviation(
        self, recognizer: Mapping[str, Any], above: frozenset[str]
    ) -> tuple[ButtonEvent, ...] | None:
        """A press that the other recognizer, anchored at the start, can never come back from."""
        other_name = recognizer.get("recognizer")
        other = mapping(self._recognizers.get(str(other_name)))
        if other.get("type") != "match" or self._recognized(other_name, above) is not None:
            return None
        steps = _steps(other)
        relevant = self._relevant(other, steps)
        if other.get("fuzzy") or text(other.get("anchor")) not in ("", "start"):
            return None
        return () if len(self._match(other, steps)) < len(relevant) else None

    def _progress(self, recognizer: Mapping[str, Any]) -> tuple[ButtonEvent, ...] | None:
        other = mapping(self._recognizers.get(str(recognizer.get("recognizer"))))
        completion = recognizer.get("completion")
        steps = _steps(other)
        if not steps or not isinstance(completion, int | float):
            return None
        matched = self._match(other, steps)
        return () if 100 * len(matched) >= completion * len(steps) else None

    def _relevant(
        self, recognizer: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]
    ) -> list[ButtonEvent]:
        """The history as a recognizer sees it: its buttons, and its actions.

        A pattern that says only "down" does not see the releases between two presses.
        """
        gadgets, actions = (sequence(recognizer.get(key)) for key in ("gadgetIds", "actions"))
        wanted = {text(step.get("action")) for step in steps}
        if not actions and "" not in wanted and len(wanted) == 1:
            actions = list(wanted)
        return [
            one
            for one in self._history
            if (not gadgets or self._is_among(one.gadget, gadgets))
            and (not actions or one.action in actions)
        ]

    def _match(
        self, recognizer: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]
    ) -> list[ButtonEvent]:
        """Return the longest run of events that fits a pattern from its first step on."""
        relevant = self._relevant(recognizer, steps)
        anchor = text(recognizer.get("anchor")) or "start"
        if anchor == "end":
            relevant = relevant[len(relevant) - len(steps) :] if steps else []
        starts = range(len(relevant)) if anchor == "anywhere" else range(1)
        best: list[ButtonEvent] = []
        for start in starts:
            found = self._run(relevant[start:], steps, is_fuzzy=bool(recognizer.get("fuzzy")))
            best = max(best, found, key=len)
            if len(best) == len(steps):
                break
        return best

    def _run(
        self, events: Sequence[ButtonEvent], steps: Sequence[Mapping[str, Any]], *, is_fuzzy: bool
    ) -> list[ButtonEvent]:
        matched: list[ButtonEvent] = []
        for event in events:
            if len(matched) == len(steps):
                break
            if self._fits(event, steps[len(matched)]):
                matched.append(event)
            elif not is_fuzzy:
                break
        return matched

    def _fits(self, event: ButtonEvent, step: Mapping[str, Any]) -> bool:
        action, gadgets = text(step.get("action")), sequence(step.get("gadgetIds"))
        colors = [named(one).casefold() for one in sequence(step.get("colors"))]
        if action and event.action != action:
            return False
        if colors and event.color not in colors:
            return False
        return not gadgets or self._is_among(event.gadget, gadgets, binds=True)

    def _is_among(self, gadget: str, names: Sequence[object], *, binds: bool = False) -> bool:
        """Whether a button is one of those named, by its id or by a proxy that stands for it.

        A proxy stands for the button that is first pressed where it is expected.
        """
        own = next((proxy for proxy, bound in self._bound.items() if bound == gadget), None)
        if gadget in names or (own is not None and own in names):
            return True
        free = [one for one in self._proxies if one in names and one not in self._bound]
        if own is not None or not free:
            return False
        if binds:
            self._bound[free[0]] = gadget
        return True


def _steps(recognizer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the steps of a pattern, repeated ones as often as they are to be seen."""
    steps: list[Mapping[str, Any]] = []
    for step in mappings(recognizer.get("pattern")):
        times = step.get("repeat")
        steps += [step] * (min(max(times, 1), _MOST_HISTORY) if isinstance(times, int) else 1)
    return steps[:_MOST_HISTORY]
