"""Draft profiles of an explored app, in the form of ``docs/reference/profiles.md``."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.model.drafts import Drafts, ProfileDraft
from sparring.model.run import Run
from sparring.model.talk import Listen, Trace
from sparring.store import StoredRun
from sparring_plugins.language.text import folded
from sparring_plugins.voice.behaviour.model import START, BehaviourModel, State
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.drafts.explored_steps import Reader, steps_of
from sparring_plugins.voice.drafts.intents import Matter, matters_of
from sparring_plugins.voice.drafts.outputs import outputs_of
from sparring_plugins.voice.drafts.variable_names import (
    goal_phrase,
    last_question,
    slug,
    variable_name,
    wish,
)
from sparring_plugins.voice.explorers.model_files import MEDIA_TYPE
from sparring_plugins.voice.roles.explorer import InputOrigin, OutputKind

MOST_VALUES = 12
"""Values of a variable."""

MOST_QUESTIONS = 5
"""Questions in one profile."""

_MOST_FALLBACKS = 4
_MOST_CONVERSATIONS = 6
_COMMANDS = (
    "help", "thank you", "thanks", "goodbye", "bye", "stop", "start over", "hello", "hi", "cancel",
    "i changed my mind", "back", "main menu", "yes", "no", "what can you do", "repeat", "exit",
)  # fmt: skip
_PERSONAL = ("name", "first_name", "last_name")


def drafts_of_run(folder: Path) -> Drafts:
    """The drafts for what a stored run of an explorer found; raises ConfigurationError for none."""
    run = StoredRun(folder)
    explored: dict[str, list[Trace]] = {}
    for judged in run.judged():
        name = judged.trace.meta.get("exploration")
        if isinstance(name, str):
            explored.setdefault(name, []).append(judged.trace)
    if not explored:
        raise ConfigurationError(Problem("has no exploration in it", str(folder)))
    profiles: list[ProfileDraft] = []
    notes: list[str] = []
    for name, traces in explored.items():
        model = model_of(folder, traces)
        prefix = "" if len(explored) == 1 else f"{slug(name)}_"
        found = profiles_of(model, traces, prefix)
        profiles += found
        if not found:
            notes.append(f"{name}: nothing was found that makes a profile")
    return Drafts(profiles=tuple(profiles), suite=_suite(run.manifest), notes=tuple(notes))


def _suite(run: Run) -> dict[str, JsonValue]:
    """A suite that plays the drafts against the app that was explored."""
    kept = {key: run.suite[key] for key in ("app", "llm") if run.suite.get(key) is not None}
    return {
        "name": run.name,
        **kept,
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
    """The behaviour model that the last of these traces left in the run's folder."""
    kept = [one for trace in traces for one in trace.artifacts]
    paths = [one.path for one in kept if one.media_type == MEDIA_TYPE]
    if not paths:
        raise ConfigurationError(Problem("has no behaviour model", str(folder)))
    place = folder / paths[-1]
    try:
        return BehaviourModel.loaded(place.read_text(encoding="utf-8"), str(place))
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(place))) from err


def profiles_of(
    model: BehaviourModel, traces: Sequence[Trace], prefix: str = ""
) -> list[ProfileDraft]:
    """A profile for each matter with values to give, and some for what is answered at once."""
    paths = steps_of(traces, model)
    reader = Reader(model, paths)
    matters = matters_of(paths, reader)
    drafter = _Drafter(model, reader, _starts(traces), prefix)
    forms = [one for one in matters if one.slots and (one.done or len(one.slots) > 1)]
    begun = {input_key(one.entry) for one in forms}
    asked = _different(
        [one for one in matters if not one.slots and input_key(one.entry) not in begun]
    )
    for matter in forms:
        drafter.add_form(matter)
    for start in range(0, len(asked), MOST_QUESTIONS):
        drafter.add_questions(asked[start : start + MOST_QUESTIONS])
    return drafter.found


def _different(matters: Sequence[Matter]) -> list[Matter]:
    """What a user may want to know, once for each answer that the app has."""
    found: dict[str, Matter] = {}
    for one in matters:
        if one.answers and _is_question(one):
            found.setdefault(one.answers[0], one)
    return list(found.values())


class _Drafter:
    """Writes profiles, each with a name of its own."""

    def __init__(self, model: BehaviourModel, reader: Reader, starts: bool, prefix: str) -> None:
        self.found: list[ProfileDraft] = []
        self._reader = reader
        self._starts = starts
        self._prefix = prefix
        self._fallbacks = _fallbacks(model)

    def add_form(self, matter: Matter) -> None:
        """A profile that goes through a form."""
        goals: list[JsonValue] = [wish(matter.entry)] if matter.entry else []
        variables: list[dict[str, JsonValue]] = []
        context: list[JsonValue] = []
        notes: list[str] = []
        for state in matter.slots:
            values, slot = self._values(state)
            question = last_question(state.output)
            taken = [key for one in variables for key in one]
            name = variable_name(question, slot, [str(value) for value in values], taken)
            if not values:
                notes.append(f"no value was accepted for: {question}")
                continue
            if slot in _PERSONAL:
                context.append(f"Your name is {values[0]}.")
                continue
            goals.append(goal_phrase(name, slot))
            variables.append({name: {"function": "another()", "type": "string", "data": values}})
        if not variables and not context:
            return
        if matter.way:
            notes.append(f"on the way to it were pressed: {', '.join(matter.way)}")
        if not matter.done:
            notes.append("the exploration did not come to the end of this: look what is missing")
        outputs = outputs_of(matter.answers, matter.said)
        if not matter.entry:
            goals = [*_wanted(outputs), *goals]
        goals += variables
        longest = max((len(_data(one)) for one in variables), default=1)
        wanted = slug(" ".join(str(one) for one in _wanted(outputs)), 3)
        title = (
            slug(matter.entry) or wanted or slug(" ".join(matter.way)) or _title(matter) or "form"
        )
        limit = 2 * len(matter.slots) + 12
        number = min(longest, _MOST_CONVERSATIONS)
        self._add(title, goals, context, outputs, number, limit, notes)

    def add_questions(self, matters: Sequence[Matter]) -> None:
        """A profile that asks some things one after the other."""
        goals: list[JsonValue] = []
        outputs: dict[str, JsonValue] = {}
        for matter in matters:
            goals += [wish(one) for one in (*matter.way, matter.entry)][-1:]
            topic = slug(matter.entry, 3)
            told = outputs_of(matter.answers[:1]) or [
                {topic: {"type": "str", "description": f"the answer to: {wish(matter.entry)}"}}
            ]
            for one in told:
                for name, spec in one.items():
                    outputs.setdefault(name if name not in outputs else f"{topic}_{name}", spec)
        listed: list[dict[str, JsonValue]] = [{name: spec} for name, spec in outputs.items()]
        self._add("questions", goals, [], listed, 1, 3 * len(goals) + 6, [])

    def _values(self, state: State) -> tuple[list[JsonValue], str | None]:
        """The values to give in a state: those that were accepted, and all that it names."""
        own = [
            one
            for one in state.inputs.values()
            if one.origin in (InputOrigin.CONTEXT, InputOrigin.CHOICE)
        ]
        accepted = [one for one in self._reader.accepted(state) if one.slot != "unknown"]
        pressed = [one for one in own if one.origin is InputOrigin.CHOICE]
        named = [one for one in own if one.slot is None and not one.count]
        if state.expects is OutputKind.WH:
            chosen = accepted
        elif pressed:
            chosen = [one for one in pressed if one in accepted or not one.count]
        else:
            chosen = [*accepted, *named]
        texts = list(dict.fromkeys(one.text for one in own if one in chosen))
        if len(texts) > 2:
            texts = [text for text in texts if input_key(text) not in ("yes", "no")]
        slot = next((one.slot for one in accepted if one.slot), None)
        return list[JsonValue](texts[:MOST_VALUES]), slot

    def _add(
        self,
        title: str,
        goals: list[JsonValue],
        context: list[JsonValue],
        outputs: list[dict[str, JsonValue]],
        number: int,
        limit: int,
        notes: Iterable[str],
    ) -> None:
        name = self._named(f"{self._prefix}{title}"[:60])
        chatbot: dict[str, JsonValue] = {"is_starter": self._starts}
        if self._fallbacks:
            chatbot["fallback"] = list[JsonValue](self._fallbacks)
        chatbot["output"] = list[JsonValue](outputs)
        data: dict[str, JsonValue] = {
            "test_name": name,
            "user": {
                "language": "English",
                "role": "You are a user of this chatbot.",
                "context": context,
                "goals": goals,
            },
            "chatbot": chatbot,
            "conversation": {
                "number": number,
                "goal_style": {"all_answered": {"limit": limit}},
                "interaction_style": ["default"],
            },
        }
        self.found.append(ProfileDraft(name=name, data=data, notes=tuple(notes)))

    def _named(self, title: str) -> str:
        taken = {draft.name for draft in self.found}
        name, number = title, 2
        while name in taken:
            name, number = f"{title}_{number}", number + 1
        return name


def _wanted(outputs: Sequence[dict[str, JsonValue]]) -> list[JsonValue]:
    """What a user of an app that begins by itself is there for, as its outputs tell."""
    for one in outputs:
        for name in one:
            thing, _, last = name.rpartition("_")
            if thing and last in ("number", "code", "id", "reference"):
                article = "an" if thing[0] in "aeiou" else "a"
                return [f"I would like {article} {thing.replace('_', ' ')}"]
    return []


def _is_question(matter: Matter) -> bool:
    """Whether a matter is something that a user may want to know, and no courtesy or command."""
    said = f" {folded(matter.entry)} "
    return bool(matter.entry) and not any(f" {one} " in said for one in _COMMANDS)


def _data(variable: dict[str, JsonValue]) -> list[JsonValue]:
    spec = next(iter(variable.values()))
    data = spec.get("data") if isinstance(spec, dict) else None
    return data if isinstance(data, list) else []


def _title(matter: Matter) -> str:
    return slug(last_question(matter.slots[0].output), 3) if matter.slots else ""


def _starts(traces: Sequence[Trace]) -> bool:
    """Whether the app speaks first."""
    first = [trace.turns[0] for trace in traces if trace.turns]
    heard = [turn.observation for turn in first if isinstance(turn.act, Listen)]
    return any(seen is not None and seen.text.strip() != "" for seen in heard)


def _fallbacks(model: BehaviourModel) -> list[str]:
    """What the app says when it does not understand: the first sentence of each such output."""
    from sparring_plugins.language.text import plain, sentences
    from sparring_plugins.voice.outputs.dialogue_acts import is_confused

    found: dict[str, None] = {}
    for state in model.states.values():
        if not state.confused or state.id == START:
            continue
        for output in state.outputs:
            said = [one for one in sentences(plain(output)) if is_confused(one)]
            found.update(dict.fromkeys(said[:1]))
    return list(found)[:_MOST_FALLBACKS]
