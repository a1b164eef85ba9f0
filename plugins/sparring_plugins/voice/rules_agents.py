"""The explorer's agents without a language model: the observer, generator and planner by rules."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Observation
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of, is_confused
from sparring_plugins.voice.outputs.named_inputs import (
    HELP_REQUESTS,
    capabilities,
    choices_in,
    instructed,
    quoted,
)
from sparring_plugins.voice.outputs.similarity import SAME, output_similarity, semantic_similarity
from sparring_plugins.voice.outputs.suggested_inputs import (
    EXPECTED,
    UNKNOWN,
    UNUSUAL,
    never_mind,
    read_output,
)
from sparring_plugins.voice.outputs.words import MAX_INPUT, input_key, masked, significant
from sparring_plugins.voice.roles import (
    Candidate,
    Effect,
    Generated,
    GenerateTask,
    InputOrigin,
    KnownInput,
    KnownState,
    ObserveTask,
    OutputKind,
    Plan,
    PlanTask,
    Sighting,
)

WORDS = "words"
"""The slot of inputs that are only words of the output."""

OWN_ORIGINS = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
"""The origins of inputs that the output of a state itself suggests."""

USELESS_EFFECTS = (Effect.SAME, Effect.CONFUSED, Effect.FAILED)
"""The effects of inputs that were tried in vain."""

MAX_FAILURES_OF_SLOT = 2
"""After so many useless answers, further values for the same question wait."""

# The observer

# Every question for agreement expects these: that two outputs do shows nothing.
_AGREEMENT = frozenset(("yes", "no"))
_SAME_TRANSITION_BONUS = 0.15
_SAME_INPUTS_BONUS = 0.1
# Outputs with less than half in common are two states, whatever led to them: the same answer may be
# right in a quiz today and wrong tomorrow.
_MIN_FOR_BONUS = 0.5
_EQUAL = 0.99
_SIMILARITY_WITHOUT_SHARED_CHOICES = 0.6
"""The most similarity of outputs that offer no choice in common; each shared choice raises it."""
_SIMILARITY_OF_OTHER_INTENTS = 0.5
"""The most similarity of statements that answer different intents in other words."""


class SimilarityObserverConfig(PluginConfig):
    """Settings of the observer `similarity`.

    `view` says what a state is: everything that does the same (``function``), every output that
    differs in more than its values (``wording``), or every different text (``text``). `threshold`
    is how alike outputs of one state are. `embeddings` also goes by meaning, if the extra
    ``semantic`` is installed.
    """

    view: str = Field(default="function", pattern="^(function|wording|text)$")
    threshold: float = Field(default=SAME, ge=0, le=1)
    embeddings: bool = False


class SimilarityObserver(Agent[ObserveTask, Sighting, SimilarityObserverConfig]):
    """Role ``observer``: the known state that is most similar, without a language model.

    Outputs are compared with their values masked, by what they request and what they state. If the
    same input led from the same state to a known one before, or if the same inputs are expected, a
    lower similarity suffices: it is one state put in other words.
    """

    Config: ClassVar[type[PluginConfig]] = SimilarityObserverConfig
    role: ClassVar[str] = "observer"

    async def act(self, task: ObserveTask) -> Sighting:
        """Return the most similar state that is similar enough, or a new one."""
        text = task.observation.text
        labels = tuple(choice.label for choice in task.observation.choices)
        best, best_score = None, 0.0
        for state in task.states:
            score = self._score(text, labels, state, task)
            if score > best_score:
                best, best_score = state, score
        confused = is_confused(text)
        shown = min(best_score, 1.0)
        if best is None or best_score < self.config.threshold:
            return Sighting(state=None, confused=confused, score=shown, reason="new")
        reason = f"as {best.id}, {best_score:.2f} alike"
        return Sighting(state=best.id, confused=confused, score=shown, reason=reason)

    def _score(
        self, text: str, labels: tuple[str, ...], state: KnownState, task: ObserveTask
    ) -> float:
        if self.config.view != "function":
            frame = self._frame(text)
            return float(any(frame == self._frame(output) for output in state.outputs))
        if bool(labels) != bool(state.choices) and not (text and state.outputs):
            return 0.0
        score = max((output_similarity(text, output) for output in state.outputs), default=0.0)
        if labels and state.choices:
            shared = _shared_choices(labels, state.choices)
            score = min(score, _SIMILARITY_WITHOUT_SHARED_CHOICES + shared)
        if score >= _EQUAL:
            return score
        if _answers_another_intent(task, state):
            return min(score, _SIMILARITY_OF_OTHER_INTENTS)
        if self.config.embeddings:
            meaning = (semantic_similarity(text, output) for output in state.outputs)
            score = max(score, *meaning, 0.0)
        if score >= _MIN_FOR_BONUS:
            specific = bool(dialogue_acts_of(text).specific_requests)
            score += _SAME_TRANSITION_BONUS * (state.id in task.led_to and not specific)
            score += _SAME_INPUTS_BONUS * _expects_same_inputs(task, state)
        return score

    def _frame(self, text: str) -> str:
        if self.config.view == "wording":
            return dialogue_acts_of(text).frame
        return folded(text) or text


def _answers_another_intent(task: ObserveTask, state: KnownState) -> bool:
    """Return whether an output is a mere statement that answers another intent than a state did.

    "Removed tea from your list. You have 0 items" is much like "I added tea to your list. You have
    1 item", and is another state. What asks something is the state of that question, but for "What
    would you like to do?", which ends the greeting and the last answer of a form alike.
    """
    if not task.part or not state.parts or task.part in state.parts:
        return False
    outputs = (task.observation.text, *state.outputs[:1])
    return not any(dialogue_acts_of(output).specific_requests for output in outputs)


def _shared_choices(labels: tuple[str, ...], choices: tuple[str, ...]) -> float:
    """Return the share of common choices, values masked: other times make no other menu."""
    mine, theirs = (
        {input_key(masked(label)) or label for label in offered} for offered in (labels, choices)
    )
    return len(mine & theirs) / len(mine | theirs)


def _expects_same_inputs(task: ObserveTask, state: KnownState) -> bool:
    """Return whether both expect the same inputs, other than those of every yes-no question."""
    expected = frozenset(map(input_key, task.expected))
    return len(expected - _AGREEMENT) >= 2 and expected <= frozenset(map(input_key, state.inputs))


# The generator

# "say blue" may be meant whole where an output has it so; before a whole sentence it is not.
_MAX_COMMAND_WORDS = 3
_MAX_OPTION_WORDS = 4
_MAX_OUTPUT_WORDS = 8


# The language in which cues before phrases are known.
_CUES_LANGUAGE = "English"


class RulesGeneratorConfig(PluginConfig):
    """Settings of the generator `rules`: `most` inputs of one state."""

    most: int = Field(default=24, ge=1, le=200)


class RulesGenerator(Agent[GenerateTask, Generated, RulesGeneratorConfig]):
    """Role ``generator``: inputs by the type of the output, without a language model.

    Yes and no if the app asks for agreement; the things it names if it wants a choice; the phrases
    it says can be said; plausible values if it wants to know something. An output may be of several
    types at once. Inputs that were tried in vain are not proposed again: further values are, if
    there are any, and the words of the question.
    """

    Config: ClassVar[type[PluginConfig]] = RulesGeneratorConfig
    role: ClassVar[str] = "generator"

    async def act(self, task: GenerateTask) -> Generated:
        """Return inputs that are not known yet, at most `most`."""
        expects, candidates = read_output(task.observation, task.seed, task.language)
        if task.language != _CUES_LANGUAGE:
            expects, candidates = _with_quoted(task.observation, expects, candidates)
        if task.everything or expects is OutputKind.OTHER:
            candidates += _named_elsewhere(task.observation, candidates)
        candidates += _from_document(task.document)
        candidates += [Candidate(text=text, origin=InputOrigin.SAMPLE) for text in task.samples]
        if task.failed:
            candidates += _second_thoughts(task)
        known_keys = {input_key(text) for text in task.known}
        fresh: dict[str, Candidate] = {}
        for candidate in candidates:
            key = input_key(candidate.text)
            if key and key not in known_keys and len(candidate.text) <= MAX_INPUT:
                fresh.setdefault(key, candidate)
        reason = f"an output of the type {expects.value.replace('_', ' ')}"
        return Generated(
            expects=expects, candidates=tuple(fresh.values())[: self.config.most], reason=reason
        )


def _with_quoted(
    observation: Observation, expects: OutputKind, candidates: list[Candidate]
) -> tuple[OutputKind, list[Candidate]]:
    """Add the phrases in quotation marks to what an output suggests.

    In English they stand behind a "say"; "di "dame mi plan"" means the same to a Spanish user.
    """
    phrases = [Candidate(text=text) for text in quoted(plain(observation.text))]
    if phrases and expects is OutputKind.OTHER:
        expects = OutputKind.INSTRUCTION
    return expects, [*phrases, *candidates]


def _named_elsewhere(observation: Observation, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return what else an app names: quoted phrases, and what it says it can do."""
    text = plain(observation.text)
    inputs = quoted(text)
    for sentence in sentences(text):
        if not sentence.endswith("?"):
            inputs += capabilities(sentence)
    keys = {input_key(candidate.text) for candidate in candidates}
    return [
        Candidate(text=text, origin=InputOrigin.HELP)
        for text in inputs
        if input_key(text) not in keys
    ]


def _from_document(document: str) -> list[Candidate]:
    """Return the phrases of the app's own description: quoted, or named as what can be said."""
    text = plain(document)
    inputs = quoted(text)
    for sentence in sentences(text):
        inputs += [*instructed(sentence), *capabilities(sentence)]
    return [Candidate(text=one, origin=InputOrigin.DOCUMENT) for one in dict.fromkeys(inputs)]


def _second_thoughts(task: GenerateTask) -> list[Candidate]:
    """Return what else may be said after failures: other values, and words of the output."""
    candidates: list[Candidate] = []
    for step in (1, 2):
        candidates += read_output(task.observation, task.seed + 100 * step, task.language)[1]
    reply = read_app_reply(task.observation)
    texts = [text for one in reply.questions for text in choices_in(one.text, asking=False)]
    texts += [text for text in reply.options if len(text.split()) <= _MAX_OPTION_WORDS]
    candidates += [Candidate(text=text) for text in texts]
    commands = [one.text for one in task.failed if len(one.text.split()) <= _MAX_COMMAND_WORDS]
    candidates += [
        Candidate(text=f"say {text}", slot=WORDS) for text in commands if _is_quoting(task, text)
    ]
    candidates.append(never_mind(task.seed, task.language))
    candidates += [Candidate(text=text, slot=WORDS) for text in words_of(task.observation.text)]
    return candidates


def _is_quoting(task: GenerateTask, phrase: str) -> bool:
    """Return whether an output says "say" before a phrase: some apps want to hear the verb, too."""
    return contains(folded(plain(task.observation.text)), f"say {folded(phrase)}")


def words_of(output: str) -> list[str]:
    """Return the significant words of an output, those outside of its questions first."""
    stated: list[str] = []
    asked: list[str] = []
    for sentence in sentences(plain(output)):
        head, comma, tail = sentence.rpartition(", ")
        if not sentence.endswith("?"):
            parts = [(sentence, stated)]
        elif comma:
            parts = [(tail, asked), (head, stated)]
        else:
            parts = [(sentence, asked)]
        for text, into in parts:
            into += [word for word in folded(text).split() if len(word) > 2 and significant(word)]
    return list(dict.fromkeys([*stated, *asked]))[:_MAX_OUTPUT_WORDS]


# The planner

# Further than any way through a model: nothing untried is known to be reached by it.
_FAR = 99
# The next question of a quiz is gone on with, but not for ever: a skill that tells random facts
# always has a new one.
_MAX_NEWS = 6
# Skills forget to end in some of their questions: "stop" is said in six states before it is the
# last resort.
_MAX_STOPS = 6
# A way that was gone four times and did not get there is chosen after what is untried here.
_MAX_WAY_USES = 4
_MIN_ALIKE = 3
# After the ways on (2.5): other intents are tried where no form is open.
_LEAST_IN_FORM = 2.55
# "Show my list" depends on what was said before: it is tried in the first states that are new.
_MAX_VARIED = 6
# Each question of a quiz has new answers: they never run out.
_FEWEST_BEFORE_PROBE = 2
_STOPS = ("stop", "cancel")


class RulesPlanner(Agent[PlanTask, Plan, PluginConfig]):
    """Role ``planner``: never tried before least tried, and useful before useless, by rules.

    First comes what was never tried and answers the output, then what is known to lead on to
    something that was never tried, the nearest first, then what else was never tried, and last what
    was tried least. Further values for one and the same question, words of the system, and what
    ends the conversation wait their turn.
    """

    Config: ClassVar[type[PluginConfig]] = PluginConfig
    role: ClassVar[str] = "planner"

    async def act(self, task: PlanTask) -> Plan:
        """Return the input of the best rank."""
        best = best_of(task)
        return Plan(input=best.text, reason=_reason(best))


def best_of(task: PlanTask) -> KnownInput:
    """Return the input that the rules choose; of equal ones the first in the list."""
    return min(task.inputs, key=_Ranking(task).rank)


def all_alike(targets: Sequence[str | None]) -> bool:
    """Return whether at least three inputs of a state all led to the same: more tell little."""
    return len(targets) >= _MIN_ALIKE and len(set(targets)) == 1


class _Ranking:
    """The ranks of the inputs of a state: a class, the lower the better, and what decides in it.

    ===== ===========================================================
    class inputs
    ===== ===========================================================
    0.9   words that no slot type knows, or no slot, once, after two of the output's own; intents of
          the platform that no state beyond the first got
    1     never tried, suggested by the output itself (1.1 if a handler may fail at it, 1.2 for not
          knowing the answer); in a form other intents come after the ways on (2.55)
    1.5   asking for help, if the app asks nothing
    1.7   examples of the app's definition for something that was never reached
    2     never tried anywhere, named elsewhere (help, description)
    2.4   led to different states elsewhere, never tried here
    2.45  another value for a question that is on the way to something never tried
    2.5   led towards something never tried, the nearest first
    2.6   named elsewhere, tried in other states, leads towards something new
    3     goes on in the same state with new words, as the next question of a quiz
    3.1   stopping an app that asks something (4.4 if tried in several other states)
    3.2   examples of the app's definition, never tried here
    4     words of the system, never tried anywhere (6 if tried in other states)
    4.2+  an answer for lack of a better one, words of the output, further values
    5     named elsewhere, tried in other states
    7, 8  tried here (8 if it ended the conversation)
    8.5   useless in every other state
    9     useless here
    ===== ===========================================================
    """

    def __init__(self, task: PlanTask) -> None:
        self._asks = task.expects not in (OutputKind.OTHER, OutputKind.INSTRUCTION)
        answered = [one.slot for one in task.inputs if one.effect in (Effect.NEW, Effect.ENDED)]
        useless = [one.slot for one in task.inputs if one.effect in USELESS_EFFECTS]
        failed = [slot for slot in useless if useless.count(slot) >= MAX_FAILURES_OF_SLOT]
        self._closed_slots = {*answered, *failed}
        self._state = task.state
        self._recent = [input_key(text) for text in task.recent]
        targets = [one.target for one in task.inputs if one.origin in OWN_ORIGINS and one.count]
        self._alike = all_alike(targets)
        self._own_tried = len(targets)
        self._in_form = any(one.slot == EXPECTED for one in task.inputs)

    def rank(self, one: KnownInput) -> tuple[float, ...]:
        """Return the class of an input, and what decides within it."""
        if one.count == 0:
            distance = one.distance if one.distance is not None else _FAR
            # a form that is left for another intent at each question is never filled
            leaves = self._in_form and one.origin not in (*OWN_ORIGINS, InputOrigin.SYSTEM)
            least = _LEAST_IN_FORM if leaves else 0
            # the user name that was registered a moment ago leads on, another one does not
            is_known = one.slot == EXPECTED and input_key(one.text) in self._recent
            uses = -1 if is_known else one.elsewhere
            return (max(self._class_of_untried(one), least), uses, distance, 0)
        repeats = self._recent.count(input_key(one.text))
        if one.effect in USELESS_EFFECTS:
            return (9, one.count, repeats)
        if one.news and one.target == self._state and one.count < _MAX_NEWS:
            return (3, one.count, repeats)
        if one.distance is not None and one.distance < _FAR:
            return (2.5 if one.count < _MAX_WAY_USES else 4.7, one.distance, one.count)
        return (8 if one.effect is Effect.ENDED else 7, one.count, repeats)

    def _class_of_untried(self, one: KnownInput) -> float:
        # Said in two other states or more, and in vain in all: it will be here, too.
        if one.elsewhere >= 2 and one.without_effect == one.elsewhere:
            return 8.5
        if one.probe and self._own_tried >= _FEWEST_BEFORE_PROBE:
            return 0.9
        if one.unreached and one.origin is not InputOrigin.SYSTEM:
            return min(1.7, self._class_of_own(one)) if one.origin in OWN_ORIGINS else 1.7
        if one.origin in OWN_ORIGINS:
            return self._class_of_own(one)
        if one.origin is InputOrigin.SYSTEM:
            return self._class_of_system(one)
        return self._class_of_learnt(one)

    def _class_of_learnt(self, one: KnownInput) -> float:
        """Return the class of what the definition, help or description names."""
        if one.varies and one.elsewhere <= _MAX_VARIED:
            return 2.4
        if one.origin is InputOrigin.SAMPLE:
            return 3.2
        if one.elsewhere == 0:
            return 2
        return 2.6 if one.distance is not None else 5

    def _class_of_own(self, one: KnownInput) -> float:
        # A form is first filled with plausible values: only a filled one shows what it leads to.
        if one.slot in (UNUSUAL, UNKNOWN) and self._asks:
            return 1.1 if one.slot == UNUSUAL else 1.2
        if one.slot == UNKNOWN:
            return 4.2
        if one.slot == WORDS:
            return 4.3 if self._asks else 4.5
        # Another city instead of Rome leads on as Rome did: what is untried in other ways goes
        # first.
        further = one.slot is not None and one.slot in self._closed_slots
        if further and one.distance is not None and one.distance < _FAR:
            return 2.45
        return 4.5 if self._alike or further else 1

    def _class_of_system(self, one: KnownInput) -> float:
        key = input_key(one.text)
        if one.elsewhere == 0 and key in HELP_REQUESTS and not self._asks:
            return 1.5
        if key in _STOPS and self._asks and one.elsewhere < _MAX_STOPS:
            return 3.1 if one.elsewhere < 2 else 4.4
        return 4 if one.elsewhere == 0 else 6


def _reason(one: KnownInput) -> str:
    if one.count == 0:
        return f"never tried here ({one.origin.value})"
    if one.distance is not None:
        return f"{one.distance} inputs from something never tried"
    return f"tried {one.count} times here"
