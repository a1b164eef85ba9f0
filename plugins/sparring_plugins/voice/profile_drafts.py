"""Draft profiles of an explored app, in the form of ``docs/reference/profiles.md``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.model.run import Run
from sparring.model.talk import Listen, Trace
from sparring.store import StoredRun
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.users.drafts import Drafts, ProfileDraft
from sparring_plugins.voice.behaviour_model import MEDIA_TYPE, START, BehaviourModel, Input, State
from sparring_plugins.voice.draft_fields import (
    draft_words,
    goal_phrase,
    last_question,
    outputs_of,
    slug,
    variable_name,
    wish,
)
from sparring_plugins.voice.explored_intents import Intent, StateReader, intents_of, paths_of
from sparring_plugins.voice.explorers.frontier import own_inputs
from sparring_plugins.voice.outputs.dialogue_acts import is_confused
from sparring_plugins.voice.outputs.suggested_inputs import UNKNOWN
from sparring_plugins.voice.outputs.words import input_key
from sparring_plugins.voice.roles import InputOrigin, OutputKind

MAX_VALUES = 12
"""Values of a variable."""

MAX_QUESTIONS = 5
"""Questions in one profile."""

# A profile lists the few sentences by which its bot says that it did not understand.
_MAX_FALLBACKS = 4
# A conversation for each value, so that each is tried; a menu of fifty dishes is not played whole
# by a draft.
_MAX_CONVERSATIONS = 6
_MAX_NAME = 60
# Who the user is stands in the context: another name is no other test.
_PERSONAL_SLOTS = ("name", "first_name", "last_name")
# `order_number` says what the user came for: "I would like an order".
_REFERENCES = ("number", "code", "id", "reference")


def drafts_of_run(folder: Path) -> Drafts:
    """Return drafts for what a stored run of an explorer found.

    Raises ConfigurationError if the run has no exploration.
    """
    run = StoredRun(folder)
    explorations: dict[str, list[Trace]] = {}
    for judged in run.judged():
        name = judged.trace.meta.get("exploration")
        if isinstance(name, str):
            explorations.setdefault(name, []).append(judged.trace)
    if not explorations:
        raise ConfigurationError(Problem("has no exploration in it", str(folder)))
    profiles: list[ProfileDraft] = []
    notes: list[str] = []
    for name, traces in explorations.items():
        prefix = "" if len(explorations) == 1 else f"{slug(name)}_"
        drafts = profiles_of(model_of(folder, traces), traces, prefix)
        profiles += drafts
        if not drafts:
            notes.append(f"{name}: nothing was found that makes a profile")
    return Drafts(profiles=tuple(profiles), suite=_suite(run.manifest), notes=tuple(notes))


def _suite(run: Run) -> dict[str, JsonValue]:
    """Return a suite that plays the drafts against the app that was explored."""
    copied = {key: run.suite[key] for key in ("app", "llm") if run.suite.get(key) is not None}
    return {
        "name": run.name,
        **copied,
        "agent": {
            "use": "user-simulator",
            "profiles": "profiles/*.yml",
            "user": "agenda",
            "extractor": "patterns",
        },
        "strategy": "selectors",
        "oracles": ["generic-failures"],
        "reporters": ["console", "html"],
        "budget": {"cases": 50},
    }


def model_of(folder: Path, traces: Sequence[Trace]) -> BehaviourModel:
    """Return the behaviour model that the last of these traces left in the run's folder."""
    artifacts = [artifact for trace in traces for artifact in trace.artifacts]
    paths = [artifact.path for artifact in artifacts if artifact.media_type == MEDIA_TYPE]
    if not paths:
        raise ConfigurationError(Problem("has no behaviour model", str(folder)))
    path = folder / paths[-1]
    try:
        return BehaviourModel.from_json(path.read_text(encoding="utf-8"), str(path))
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err


def profiles_of(
    model: BehaviourModel, traces: Sequence[Trace], prefix: str = ""
) -> list[ProfileDraft]:
    """Return a profile for each intent with slots, and some for what is answered at once."""
    paths = paths_of(traces, model)
    reader = StateReader(model, paths)
    intents = intents_of(paths, reader)
    # A single question whose answer led nowhere is no form yet: "What can I do for you?" asks for
    # no value.
    forms = [one for one in intents if one.slots and (one.done or len(one.slots) > 1)]
    entries = {input_key(intent.entry) for intent in forms}
    questions: dict[str, Intent] = {}
    for intent in intents:
        if _is_question(intent) and input_key(intent.entry) not in entries:
            questions.setdefault(intent.answers[0], intent)
    drafter = _Drafter(model, reader, _speaks_first(traces), prefix)
    for intent in forms:
        drafter.add_form(intent)
    asked = list(questions.values())
    for start in range(0, len(asked), MAX_QUESTIONS):
        drafter.add_questions(asked[start : start + MAX_QUESTIONS])
    return drafter.profiles


def _is_question(intent: Intent) -> bool:
    """Return whether an intent is something to ask about, and no courtesy or command."""
    if intent.slots or not intent.answers or not intent.entry:
        return False
    bare = folded(intent.entry)
    return not any(contains(bare, command) for command in draft_words().commands)


@dataclass
class _Profile:
    """A profile that is being drafted; `limit` is the number of turns."""

    title: str = ""
    goals: list[JsonValue] = field(default_factory=list[JsonValue])
    variables: list[dict[str, JsonValue]] = field(default_factory=list[dict[str, JsonValue]])
    context: list[JsonValue] = field(default_factory=list[JsonValue])
    outputs: list[dict[str, JsonValue]] = field(default_factory=list[dict[str, JsonValue]])
    conversations: int = 1
    limit: int = 0
    notes: list[str] = field(default_factory=list[str])

    def add_variable(self, name: str, slot: str | None, values: list[JsonValue]) -> None:
        self.goals.append(goal_phrase(name, slot))
        self.variables.append(
            {name: {"function": "another()", "type": "string", "data": list[JsonValue](values)}}
        )
        self.conversations = min(max(self.conversations, len(values)), _MAX_CONVERSATIONS)


class _Drafter:
    """Writes profiles, each with a name of its own."""

    def __init__(
        self, model: BehaviourModel, reader: StateReader, speaks_first: bool, prefix: str
    ) -> None:
        self.profiles: list[ProfileDraft] = []
        self._reader = reader
        self._speaks_first = speaks_first
        self._prefix = prefix
        self._fallbacks = _fallbacks(model)

    def add_form(self, intent: Intent) -> None:
        """Add a profile that fills the slots of an intent."""
        profile = _Profile(goals=[wish(intent.entry)] if intent.entry else [])
        for state in intent.slots:
            self._add_slot(profile, state)
        if not profile.variables and not profile.context:
            return
        if intent.way:
            profile.notes.append(f"on the way to it were pressed: {', '.join(intent.way)}")
        if not intent.done:
            profile.notes.append(
                "the exploration did not come to the end of this: look what is missing"
            )
        profile.outputs = outputs_of(intent.answers, intent.said)
        purpose = _purpose(profile.outputs)
        if not intent.entry and purpose:
            profile.goals.insert(0, purpose)
        # The first of these that says something: what the user said, what it is about, which
        # buttons led there, what was asked first.
        titles = (
            slug(intent.entry),
            slug(purpose, 3),
            slug(" ".join(intent.way)),
            slug(last_question(intent.slots[0].output), 3),
        )
        profile.title = next((title for title in titles if title), "form")
        # Two turns a value, since one may be asked for again; a dozen for the greeting, the way to
        # the form, summary and farewell.
        profile.limit = 2 * len(intent.slots) + 12
        self._add(profile)

    def _add_slot(self, profile: _Profile, state: State) -> None:
        """Add the variable or the personal detail that a state asks for."""
        values, slot = self._values(state)
        question = last_question(state.output)
        if not values:
            profile.notes.append(f"no value was accepted for: {question}")
        elif slot in _PERSONAL_SLOTS:
            profile.context.append(f"Your name is {values[0]}.")
        else:
            names = [name for variable in profile.variables for name in variable]
            name = variable_name(question, slot, values, names)
            profile.add_variable(name, slot, list[JsonValue](values))

    def add_questions(self, intents: Sequence[Intent]) -> None:
        """Add a profile that asks some questions one after the other."""
        goals: list[JsonValue] = [wish(intent.entry) for intent in intents]
        specs: dict[str, JsonValue] = {}
        for intent in intents:
            topic = slug(intent.entry, 3)
            whole = {"type": "str", "description": f"the answer to: {wish(intent.entry)}"}
            for output in outputs_of(intent.answers[:1]) or [{topic: dict[str, JsonValue](whole)}]:
                for name, spec in output.items():
                    specs.setdefault(name if name not in specs else f"{topic}_{name}", spec)
        outputs: list[dict[str, JsonValue]] = [{name: spec} for name, spec in specs.items()]
        limit = 3 * len(goals) + 6
        self._add(_Profile(title="questions", goals=goals, outputs=outputs, limit=limit))

    def _values(self, state: State) -> tuple[list[str], str | None]:
        """Return the values to give in a state, and the slot that they fill."""
        own = own_inputs(state)
        accepted = [one for one in self._reader.accepted(state) if one.slot != UNKNOWN]
        chosen = _choose_values(state, own, accepted)
        texts = list(dict.fromkeys(one.text for one in own if one in chosen))
        if len(texts) > 2:
            # To "small, medium or large?" yes and no were tried, too: beside values they are none.
            texts = [text for text in texts if input_key(text) not in ("yes", "no")]
        slot = next((one.slot for one in accepted if one.slot), None)
        return texts[:MAX_VALUES], slot

    def _add(self, profile: _Profile) -> None:
        name = self._unused_name(f"{self._prefix}{profile.title}"[:_MAX_NAME])
        chatbot: dict[str, JsonValue] = {"is_starter": self._speaks_first}
        if self._fallbacks:
            chatbot["fallback"] = list[JsonValue](self._fallbacks)
        chatbot["output"] = list[JsonValue](profile.outputs)
        data: dict[str, JsonValue] = {
            "test_name": name,
            "user": {
                "language": "English",
                "role": "You are a user of this chatbot.",
                "context": profile.context,
                "goals": [*profile.goals, *profile.variables],
            },
            "chatbot": chatbot,
            "conversation": {
                "number": profile.conversations,
                "goal_style": {"all_answered": {"limit": profile.limit}},
                "interaction_style": ["default"],
            },
        }
        self.profiles.append(ProfileDraft(name=name, data=data, notes=tuple(profile.notes)))

    def _unused_name(self, title: str) -> str:
        names = {draft.name for draft in self.profiles}
        name, number = title, 2
        while name in names:
            name, number = f"{title}_{number}", number + 1
        return name


def _choose_values(state: State, own: Sequence[Input], accepted: Sequence[Input]) -> list[Input]:
    """Return the inputs that are values: those that were accepted, and all that a state names."""
    if state.expects is OutputKind.WH:
        return list(accepted)
    pressed = [one for one in own if one.origin is InputOrigin.CHOICE]
    if pressed:
        # A button that was pressed and refused is no value; one that nobody pressed may be.
        return [one for one in pressed if one in accepted or not one.count]
    return [*accepted, *(one for one in own if one.slot is None and not one.count)]


def _purpose(outputs: Sequence[dict[str, JsonValue]]) -> str:
    """Return what a user of an app that begins by itself is there for, by the app's outputs."""
    for name in (name for output in outputs for name in output):
        thing, _, last = name.rpartition("_")
        if thing and last in _REFERENCES:
            article = "an" if thing[0] in "aeiou" else "a"
            return f"I would like {article} {thing.replace('_', ' ')}"
    return ""


def _speaks_first(traces: Sequence[Trace]) -> bool:
    """Return whether the app said anything before the user."""
    first = [trace.turns[0] for trace in traces if trace.turns]
    observations = [turn.observation for turn in first if isinstance(turn.act, Listen)]
    return any(one is not None and one.text.strip() != "" for one in observations)


def _fallbacks(model: BehaviourModel) -> list[str]:
    """Return what the app says if it does not understand: one sentence of each such output."""
    return list(dict.fromkeys(_confused_sentences(model)))[:_MAX_FALLBACKS]


def _confused_sentences(model: BehaviourModel) -> Iterator[str]:
    for state in model.states.values():
        if state.confused and state.id != START:
            for output in state.outputs:
                parts = sentences(plain(output))
                yield from [part for part in parts if is_confused(part)][:1]
