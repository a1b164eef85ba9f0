"""Profiles proposed from a project: one per form, one per story, one for single questions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sparring_plugins.users.drafts import Drafts, ProfileDraft

from sparring_rasa.flows import Flow
from sparring_rasa.languages import language_name
from sparring_rasa.nlu import Example, Mention
from sparring_rasa.project import Project, Slot
from sparring_rasa.values import Values, kind_of, values_of

_MOST_PROFILES = 60
_MOST_QUESTIONS = 6
_MOST_CASES = 6
_SMALL_TALK = re.compile(
    r"(?:affirm|agree|confirm|accept|yes|deny|decline|refuse|disagree|no|greet|greetings?|hello|hi"
    r"|welcome|goodbye|bye|farewell|thank|thanks|thankyou|thank_you|ok|okay|stop|cancel|inform"
    r"|provide|out_of_scope|out_of_domain|nlu_fallback|fallback|session_start|restart|back|help_no"
    r")(?:_(?:intent|you|user|bot|again))?",
)
_FALLBACKS = (
    "utter_default",
    "utter_fallback",
    "utter_please_rephrase",
    "utter_ask_rephrase",
    "utter_out_of_scope",
    "utter_rephrase",
)
_SENTENCE = re.compile(
    r"(?:i|i'm|i'd|i've|i'll|we|my|can|could|may|would|will|is|are|do|does|did|what|what's|how|when"
    r"|where|which|who|why|please|tell|show|give|help|let|there|it|quiero|quisiera|puedo|puedes|cuál"
    r"|cuánto|cómo|dónde|qué|hay|ich|je|io)\b",
    re.IGNORECASE,
)
"""How a whole sentence begins, as against a fragment such as "so sad"."""
_HOLE = re.compile(r"\{([A-Za-z_]\w*)\}")


@dataclass(slots=True)
class _Sketch:
    """A profile in the making."""

    name: str
    goals: list[str] = field(default_factory=list[str])
    inputs: dict[str, Values] = field(default_factory=dict[str, Values])
    outputs: dict[str, Slot] = field(default_factory=dict[str, Slot])
    context: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def drafts_of(project: Project) -> Drafts:
    """The profiles of a project, and a suite that plays them."""
    sketches = [*_forms(project), *_stories(project), *_questions(project)]
    kept = [sketch for sketch in sketches if sketch.goals]
    notes = list(project.notes)
    if len(kept) > _MOST_PROFILES:
        notes.append(f"{len(kept):,} profiles would come of it; the first {_MOST_PROFILES} are")
    drafts = [_draft(sketch, project) for sketch in _named_once(kept[:_MOST_PROFILES])]
    if language_name(project.language) is None:
        notes.append(f"the language {project.language!r} is unknown; the profiles say English")
    return Drafts(profiles=tuple(drafts), suite=_suite(project), notes=tuple(notes))


def _forms(project: Project) -> Iterator[_Sketch]:
    """For each form: what begins it, then every slot that it requires."""
    for form, required in project.forms.items():
        sketch = _Sketch(form)
        intents = [intent for flow in project.flows for intent in _before(flow, form)]
        opening = next((each for each in map(project.training.examples.get, intents) if each), None)
        if opening:
            _add_goal(sketch, project, _best(opening, _slots_of(project, required)))
        else:
            sketch.notes.append(f"nothing tells what makes the assistant begin {form}")
        for name in required:
            _add_slot(sketch, project, name)
        _add_outputs(sketch, project, form, required)
        yield sketch


def _add_slot(sketch: _Sketch, project: Project, name: str) -> None:
    """Give the user something to say for a slot that nothing it says tells yet."""
    variable = _variable(name)
    if variable in sketch.inputs:
        return
    if project.slots.get(name, Slot(name)).is_yes_or_no:
        sketch.goals.append(f"I want {_words(name)}")
        sketch.notes.append(f"the user wants {_words(name)}: drop that goal for one that does not")
        return
    _add_input(sketch, project, name)
    called = re.sub(r"^(?:num|nr|number|no)(?: of)? (?=\w)", "number of ", _words(name))
    sketch.goals.append(f"{{{{{variable}}}}} as the {called}")


def _before(flow: Flow, form: str) -> Iterator[str]:
    """The intents right after which a flow begins a form."""
    last = None
    for step in flow.steps:
        if step.kind == "intent":
            last = step.name
        elif last is not None and step.name == form:
            yield last
            last = None


def _stories(project: Project) -> Iterator[_Sketch]:
    """For each story: what the user means, in order, but for small talk."""
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for flow in project.flows:
        intents = tuple(intent for intent in flow.intents if _is_goal(intent, project))
        begun = any(step.name in project.forms for step in flow.steps)
        answers = tuple(_answers(project, flow))
        if flow.kind == "rule" or begun or not intents or (intents, answers) in seen:
            continue
        seen.add((intents, answers))
        sketch = _Sketch(flow.name, context=list(answers))
        for intent in intents:
            _add_goal(sketch, project, _best(project.training.examples[intent], {}))
        _add_said(sketch, project, flow)
        yield sketch


def _questions(project: Project) -> Iterator[_Sketch]:
    """What nothing else covers: intents that rules answer, and those that no flow names."""
    told = {intent for flow in project.flows if flow.kind == "story" for intent in flow.intents}
    told |= {
        each for form in project.forms for flow in project.flows for each in _before(flow, form)
    }
    left = iter(
        [
            intent
            for intent in project.training.examples
            if intent.partition("/")[0] not in told and _is_goal(intent, project)
        ]
    )
    for number in range(1, _MOST_PROFILES):
        batch = list(islice(left, _MOST_QUESTIONS))
        if not batch:
            return
        sketch = _Sketch("questions" if number == 1 else f"questions_{number}")
        for intent in batch:
            _add_goal(sketch, project, _best(project.training.examples[intent], {}))
        for flow in project.flows:
            if flow.kind == "rule" and set(flow.intents) & set(batch):
                _add_said(sketch, project, flow)
        yield sketch


def _is_goal(intent: str, project: Project) -> bool:
    """Whether somebody may want what an intent means, rather than say it in passing."""
    return bool(project.training.examples.get(intent)) and not _SMALL_TALK.fullmatch(intent.lower())


def _best(examples: Sequence[Example], slots: dict[str, Slot]) -> Example:
    """The example that says most: the most entities wanted, a sentence, neither short nor long."""

    def rank(pair: tuple[int, Example]) -> tuple[int, bool, bool, int]:
        number, example = pair
        known = {mention.entity for mention in example.mentions}
        filled = len(known & set(slots)) if slots else len(known)
        whole = bool(_SENTENCE.match(example.text)) or example.text.endswith("?")
        return filled, whole, 3 <= len(example.text.split()) <= 15, -number

    return max(enumerate(examples), key=rank)[1]


def _slots_of(project: Project, names: Sequence[str]) -> dict[str, Slot]:
    """The slots of some names, by the entity that fills each."""
    found: dict[str, Slot] = {}
    for name in names:
        slot = project.slots.get(name, Slot(name))
        entities = [str(rule["entity"]) for rule in slot.mappings if rule.get("entity")]
        for entity in entities or [name]:
            found.setdefault(entity, slot)
    return found


def _add_goal(sketch: _Sketch, project: Project, example: Example) -> None:
    """Say an example, with a variable in place of each entity."""
    slots = _slots_of(project, list(project.slots))
    text = ""
    for part in example.parts:
        text += _plain(part) if isinstance(part, str) else _hole(sketch, project, part, slots)
    sketch.goals.append(" ".join(text.split()))


def _hole(sketch: _Sketch, project: Project, part: Mention, slots: dict[str, Slot]) -> str:
    role = next((name for name, slot in project.slots.items() if _fills(slot, part)), None)
    name = role or (slots[part.entity].name if part.entity in slots else part.entity)
    _add_input(sketch, project, name)
    return f"{{{{{_variable(name)}}}}}"


def _fills(slot: Slot, mention: Mention) -> bool:
    """Whether a slot takes this mention and not any other of its entity."""
    return any(
        rule.get("entity") == mention.entity
        and (rule.get("role"), rule.get("group")) == (mention.role, mention.group)
        for rule in slot.mappings
    )


def _add_input(sketch: _Sketch, project: Project, name: str) -> None:
    variable = _variable(name)
    if variable in sketch.inputs:
        return
    values = values_of(project, project.slots.get(name, Slot(name)))
    sketch.inputs[variable] = values
    if not values.known:
        sketch.notes.append(f"the values of {name} are made up: the project has none")


def _add_outputs(sketch: _Sketch, project: Project, form: str, required: Sequence[str]) -> None:
    """The form's slots that the assistant says back."""
    wanted = {name: project.slots.get(name, Slot(name)) for name in required}
    said = _said_back(project, project.responses)
    told = {name: slot for name, slot in wanted.items() if name in said}
    after = [name for flow in project.flows if form in _names(flow) for name in _actions(flow)]
    if not told and any(not name.startswith("utter_") and name != form for name in after):
        told = wanted
        sketch.notes.append(
            "whether the assistant says the outputs back is up to an action in code: drop those "
            "that it does not"
        )
    # A bare number, or a bare "True", cannot be told from any other where it is said back.
    told = {n: slot for n, slot in told.items() if not (slot.is_yes_or_no or _is_number(sketch, n))}
    sketch.outputs |= told


def _is_number(sketch: _Sketch, name: str) -> bool:
    values = sketch.inputs.get(_variable(name))
    return values is not None and values.type == "int"


def _names(flow: Flow) -> set[str]:
    return {step.name for step in flow.steps}


def _actions(flow: Flow) -> list[str]:
    return [step.name for step in flow.steps if step.kind == "action"]


def _said_back(project: Project, names: Sequence[str] | dict[str, Any]) -> set[str]:
    """The slots that stand in responses of some names, questions for a slot left aside."""
    return {
        hole
        for name in names
        if not name.startswith("utter_ask_")
        for response in project.responses.get(name, ())
        for hole in _HOLE.findall(response.text)
    }


def _add_said(sketch: _Sketch, project: Project, flow: Flow) -> None:
    """What the assistant tells in a flow besides what the user said."""
    for name in sorted(_said_back(project, _actions(flow))):
        if _variable(name) not in sketch.inputs:
            sketch.outputs[name] = project.slots.get(name, Slot(name))


def _answers(project: Project, flow: Flow) -> Iterator[str]:
    """What the user of a story answers to the assistant's questions, as instructions."""
    asked = None
    for step in flow.steps:
        if step.kind == "action":
            texts = [response.text for response in project.responses.get(step.name, ())]
            asked = texts[0] if texts else asked
        elif step.kind == "intent":
            examples = project.training.examples.get(step.name)
            if asked and "?" in asked and examples and not _is_goal(step.name, project):
                question = " ".join(_plain(asked).split())
                yield f'When the assistant asks "{question}", you answer "{examples[0].text}".'
            asked = None


def _named_once(sketches: Sequence[_Sketch]) -> Iterator[_Sketch]:
    used: set[str] = set()
    for sketch in sketches:
        base = sketch.name = _variable(sketch.name).lower() or "profile"
        number = 2
        while sketch.name in used:
            sketch.name, number = f"{base}_{number}", number + 1
        used.add(sketch.name)
        yield sketch


def _draft(sketch: _Sketch, project: Project) -> ProfileDraft:
    variables = [
        {name: {"function": "forward()", "type": values.type, "data": list(values.items)}}
        for name, values in sketch.inputs.items()
    ]
    chatbot: dict[str, Any] = {"is_starter": False}
    if fallbacks := _fallbacks(project):
        chatbot["fallback"] = fallbacks[0] if len(fallbacks) == 1 else fallbacks
    chatbot["output"] = [_output(name, slot) for name, slot in sketch.outputs.items()]
    cases = max([1, *(len(values.items) for values in sketch.inputs.values())])
    data: dict[str, Any] = {
        "test_name": sketch.name,
        "user": {
            "language": language_name(project.language) or "English",
            "role": f"a user of the assistant {_words(project.name)}",
            "context": list(sketch.context),
            "goals": [*sketch.goals, *variables],
        },
        "chatbot": chatbot,
        "conversation": {
            "number": min(cases, _MOST_CASES),
            "goal_style": {"all_answered": {"limit": min(30, 4 + 3 * len(sketch.goals))}},
            "interaction_style": ["default"],
        },
    }
    return ProfileDraft(name=sketch.name, data=data, notes=tuple(sketch.notes))


def _output(name: str, slot: Slot) -> dict[str, Any]:
    told = f"the {_words(name)}, as the assistant says it"
    return {_variable(name): {"type": kind_of(slot), "description": told}}


def _fallbacks(project: Project) -> list[str]:
    found = [
        _HOLE.sub("", response.text).strip()
        for name in _FALLBACKS
        for response in project.responses.get(name, ())
    ]
    return list(dict.fromkeys(text for text in found if text))


def _suite(project: Project) -> dict[str, Any]:
    return {
        "name": project.name or "rasa",
        "app": {"use": "rasa", "url": "http://localhost:5005"},
        "agent": {"use": "user-simulator", "profiles": "profiles/*.yml"},
        "oracles": [{"use": "generic-failures"}],
        "reporters": ["console", "html"],
        "seed": 1,
    }


def _variable(name: str) -> str:
    """A name as it can stand in braces."""
    plain = re.sub(r"\W+", "_", name).strip("_") or "value"
    return f"_{plain}" if plain[:1].isdigit() else plain


def _words(name: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", name).split())


def _plain(text: str) -> str:
    """A text of the project's without what would be read as a variable."""
    return text.replace("{{", "{").replace("}}", "}")
