"""The typed tasks and answers of the explorer's agents: observer, generator, planner.

The explorer talks to an app it knows nothing of. After each answer the observer decides in which
state the app is, the generator proposes inputs, and the planner chooses one (Elevate, section 3).
"""

from enum import StrEnum

from pydantic import Field

from sparring.model.base import AppText, Value
from sparring.model.talk import Observation


class OutputKind(StrEnum):
    """What an app's output expects of the user.

    ``yes_no``: agreement or not. ``selection``: one of the things it names. ``instruction``: what
    it says can be said. ``wh``: a piece of information. ``mixed``: several of these. ``other``:
    nothing in particular.
    """

    YES_NO = "yes_no"
    SELECTION = "selection"
    INSTRUCTION = "instruction"
    WH = "wh"
    MIXED = "mixed"
    OTHER = "other"


class InputOrigin(StrEnum):
    """The origin of an input.

    ``context``: from the output that it answers. ``choice``: a choice on offer, to be pressed.
    ``help``: from what the app says it can do. ``document``: from the app's description.
    ``sample``: from its own definition, which is no black box any more. ``system``: words that
    every app should know, such as help and stop.
    """

    CONTEXT = "context"
    CHOICE = "choice"
    HELP = "help"
    DOCUMENT = "document"
    SAMPLE = "sample"
    SYSTEM = "system"


class Effect(StrEnum):
    """What an input is known to do in its state.

    ``unknown``: it was never tried. ``new``: it leads to another state. ``same``: it changes
    nothing. ``confused``: the app does not understand it. ``ended``: the conversation is over after
    it. ``failed``: the app crashed, or gave no answer.
    """

    UNKNOWN = "unknown"
    NEW = "new"
    SAME = "same"
    CONFUSED = "confused"
    ENDED = "ended"
    FAILED = "failed"


class KnownInput(Value):
    """An input of a state, with how often it was tried there (`count`) and what it did.

    `target` is the state that it led to last. `distance` is how many inputs, this one included,
    lead to something that was never tried, if that is known. `elsewhere` is how often it was tried
    in other states, `without_effect` how often of these it changed nothing, was not understood or
    broke the app. `news` means that it brought sentences that had not occurred before, the last
    time it was tried here. `slot` is as in `Candidate`. `unreached` means that the app's definition
    has it as an example of something that was never reached, `probe` that a handler may fail at it:
    at words that no slot type knows, at none, or at an intent of the platform deeper in the app.
    `varies` means that it led to different states elsewhere, so that the answer depends on what was
    said before.
    """

    text: AppText
    origin: InputOrigin
    slot: str | None = None
    unreached: bool = False
    probe: bool = False
    varies: bool = False
    count: int = 0
    elsewhere: int = 0
    without_effect: int = 0
    effect: Effect = Effect.UNKNOWN
    news: bool = False
    target: str | None = None
    distance: int | None = None


class KnownState(Value):
    """A state of the behaviour model: the outputs of the app in it, the oldest first.

    `inputs` are those of the context, those of the system left out; `expects` is what the outputs
    expect, as far as it is known. `parts` are the intents that it answered, if the app's definition
    is known.
    """

    id: str
    outputs: tuple[AppText, ...]
    choices: tuple[AppText, ...] = ()
    inputs: tuple[AppText, ...] = ()
    expects: OutputKind | None = None
    parts: tuple[str, ...] = ()


class ObserveTask(Value):
    """Role ``observer``: which of the known states the app is in after `observation`.

    `expected` are the inputs that the output itself suggests, `came_from` and `by` the state and
    the input that led here, `led_to` the states that the same input led to from there before.
    `part` is the intent that the input was understood as, if that is known.
    """

    observation: Observation
    states: tuple[KnownState, ...] = ()
    expected: tuple[AppText, ...] = ()
    came_from: str | None = None
    by: AppText = ""
    led_to: tuple[str, ...] = ()
    part: str = ""
    seed: int = 0


class Sighting(Value):
    """Role ``observer``: the id of a known state, or `None` if the app is in a new one.

    `confused` means that the app did not understand its input. `score` in [0, 1] is the similarity
    of the output and the state, if the observer measures that.
    """

    state: str | None
    confused: bool = False
    score: float | None = Field(default=None, ge=0, le=1)
    reason: str = ""


class FailedInput(Value):
    """An input that was tried in a state in vain, and what it did."""

    text: AppText
    effect: Effect


class GenerateTask(Value):
    """Role ``generator``: possible inputs of a state.

    `known` are the inputs that the state has already: they stay, so that only others are asked for.
    `failed` has those of them that were tried in vain. `document` is the app's own description,
    `samples` are phrases of its definition, if the author lets the explorer see them. `everything`
    means that the output lists what the app can do, so that whatever it names may be an input.
    """

    observation: Observation
    known: tuple[AppText, ...] = ()
    failed: tuple[FailedInput, ...] = ()
    document: str = ""
    samples: tuple[str, ...] = ()
    everything: bool = False
    language: str = "English"
    seed: int = 0


class Candidate(Value):
    """A possible input, and its origin.

    `slot` says of a made-up answer what it is an answer to: ``name``, ``date``, ``number`` ...
    """

    text: AppText
    origin: InputOrigin = InputOrigin.CONTEXT
    slot: str | None = None


class Generated(Value):
    """Role ``generator``: what the output expects, and the inputs, the most promising first."""

    expects: OutputKind
    candidates: tuple[Candidate, ...] = ()
    reason: str = ""


class PlanTask(Value):
    """Role ``planner``: which of the inputs to choose, to see more of the app.

    `state` is that of the app, `output` the last one, `inputs` the possible ones of the state, with
    what is known of each. `expects` is what the output expects, as far as it is known. `turns_left`
    is how many turns the exploration still has, if that is known.
    """

    state: str
    output: AppText
    inputs: tuple[KnownInput, ...]
    expects: OutputKind = OutputKind.OTHER
    recent: tuple[AppText, ...] = ()
    turns_left: int | None = None
    seed: int = 0


class Plan(Value):
    """Role ``planner``: the chosen input, one of those of the task."""

    input: AppText
    reason: str = ""
