"""Profiles proposed from a chatbot's modules: one per thing it does, and its questions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sparring_plugins.users.drafts import Drafts, ProfileDraft

from sparring_taskyto.modules import Chatbot, Data, Item, Module
from sparring_taskyto.values import held_in, kind_of, result_kind, values_of

_MOST_PROFILES = 60
_MOST_QUESTIONS = 6
_MOST_CASES = 6
_GREETING = re.compile(
    r"\b(?:welcome|hello|hi|greet\w*|goodbye|bye|farewell|thanks?)\b", re.IGNORECASE
)
_ASKED = re.compile(
    r"^(?:useful |used )?(?:to |for )?(?:answer\w*|respond\w*|resolv\w*)(?: to)? (?:\w+ )?"
    r"(?:questions?|queries|doubts) (?:about|on|regarding) (?P<about>.+)$",
    re.IGNORECASE,
)
_USEFUL = re.compile(r"^(?:useful |used )?(?:to|for|in order to) ", re.IGNORECASE)
_SMALL = frozenset(
    (
        *("a", "an", "and", "any", "are", "at", "can", "could", "do", "does", "for", "have", "how"),
        *("i", "in", "is", "it", "me", "much", "my", "of", "on", "please", "should", "tell"),
        *("that", "the", "there", "to", "we", "what", "when", "where", "which", "who", "would"),
        *("you", "your"),
    )
)
"""Words that tell nothing of what a question is about."""
_HOLE = re.compile(r"\{+\s*(\w+)\s*\}+")


@dataclass(slots=True)
class _Sketch:
    """A profile in the making."""

    name: str
    goals: list[str] = field(default_factory=list[str])
    inputs: dict[str, Data] = field(default_factory=dict[str, Data])
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    notes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Question:
    """Something that the chatbot can be asked, with its answer where that is known."""

    goal: str
    topic: str
    answer: str = ""


def drafts_of(chatbot: Chatbot) -> Drafts:
    """The profiles of a chatbot, and a suite that plays them."""
    tasks: list[_Sketch] = []
    questions: list[_Question] = []
    for top in chatbot.tops:
        _walk(chatbot, top, tasks, questions, set())
    sketches = [*tasks, *_sketch_questions(questions)]
    notes = list(chatbot.notes)
    if len(sketches) > _MOST_PROFILES:
        notes.append(f"{len(sketches):,} profiles would come of it; the first {_MOST_PROFILES} are")
    if len(chatbot.languages) > 1:
        notes.append(
            f"the chatbot also speaks {', '.join(chatbot.languages[1:])}; "
            f"the profiles say {chatbot.languages[0]}"
        )
    drafts = [_draft(sketch, chatbot) for sketch in _named_once(sketches[:_MOST_PROFILES])]
    return Drafts(profiles=tuple(drafts), suite=_suite(chatbot), notes=tuple(notes))


def _walk(
    chatbot: Chatbot,
    module: Module,
    tasks: list[_Sketch],
    questions: list[_Question],
    seen: set[str],
) -> None:
    """Take up what a module offers, and what it leads to; each module once."""
    if module.name in seen:
        return
    seen.add(module.name)
    if module.kind == "question_answering":
        questions += [_Question(text, text, answer) for text, answer in module.questions]
    elif module.kind == "rag":
        questions.append(_Question(f"ask about {_about(module)}", _about(module)))
    elif module.kind in ("data_gathering", "action"):
        tasks.append(
            _task(module.name, _phrase_as_wish(module.description or module.name), [module])
        )
    elif module.kind == "sequence":
        steps = _resolve_modules(chatbot, module.references)
        tasks.append(_task(module.name, _phrase_as_wish(module.description or module.name), steps))
    for item in module.items:
        _take(chatbot, item, tasks, questions, seen)


def _take(
    chatbot: Chatbot, item: Item, tasks: list[_Sketch], questions: list[_Question], seen: set[str]
) -> None:
    if not item.references:
        if item.title and not _GREETING.search(item.title):
            head, _, told = item.title.partition(". ")
            found = _ASKED.match(told.strip(" ."))
            topic = found["about"] if found else head.strip(" .")
            questions.append(_Question(f"ask about {topic}", head.strip(" ."), item.answer))
        return
    steps = _resolve_modules(chatbot, item.references)
    if len(item.references) > 1:
        data = [step for step in steps if step.data]
        seen |= {step.name for step in data}
        if data:
            wanted = _phrase_as_wish(item.title)
            tasks.append(_task(_short(wanted), wanted, data))
        steps = [step for step in steps if step not in data]
    elif steps and steps[0].data:
        (step,) = steps
        if step.name not in seen:
            seen.add(step.name)
            tasks.append(_task(step.name, _phrase_as_wish(item.title or step.description), [step]))
        return
    for step in steps:
        _walk(chatbot, step, tasks, questions, seen)


def _resolve_modules(chatbot: Chatbot, names: Sequence[str], depth: int = 0) -> list[Module]:
    """Modules by name, with those of sequences in their place."""
    found: list[Module] = []
    for name in names if depth < 20 else ():
        module = chatbot.modules.get(name)
        if module is None:
            note = f"the module {name} is named, and is in no file"
            if note not in chatbot.notes:
                chatbot.notes.append(note)
        elif module.kind == "sequence":
            found += _resolve_modules(chatbot, module.references, depth + 1)
        else:
            found.append(module)
    return found


def _task(name: str, wanted: str, steps: Sequence[Module]) -> _Sketch:
    """What the user wants done, with a goal for the data of each step."""
    sketch = _Sketch(name, [wanted] if wanted else [])
    for step in steps:
        fresh = [data for data in step.data if _variable(data.name) not in sketch.inputs]
        sketch.inputs |= {_variable(data.name): data for data in fresh}
        if fresh:
            told = [f"{{{{{_variable(data.name)}}}}} as the {_name_spoken(data)}" for data in fresh]
            sketch.goals.append(_join_parts(told))
        for data in fresh:
            if not values_of(data)[1]:
                sketch.notes.append(f"the values of {data.name} are made up: the module has none")
    for step in steps:
        _add_outputs(sketch, step)
    return sketch


def _add_outputs(sketch: _Sketch, step: Module) -> None:
    """What the chatbot says back of the data, and what it works out."""
    for name in map(_variable, _HOLE.findall(step.response)):
        data = sketch.inputs.get(name)
        if data is not None and kind_of(data) not in ("int", "float", "bool"):
            kind = kind_of(data)
            told = f"the {_words(name)}, as the chatbot says it"
            sketch.outputs[name] = {
                "type": "string" if kind == "name" else kind,
                "description": told,
            }
        elif data is None and step.executes:
            worked = re.sub(r"^(?:calculate|compute|get|find|make|show)_", "", step.name)
            kind = result_kind(worked)
            key = "price" if kind == "money" else _variable(worked)
            told = f"the {_words(key)} that the chatbot works out"
            sketch.outputs[key] = {"type": kind, "description": told}


def _sketch_questions(questions: Sequence[_Question]) -> Iterator[_Sketch]:
    """Questions, a few to a profile; an answer with a value in it makes an output."""
    left = iter(dict.fromkeys(questions))
    number = 0
    while batch := list(islice(left, _MOST_QUESTIONS)):
        number += 1
        sketch = _Sketch("questions" if number == 1 else f"questions_{number}")
        for question in batch:
            sketch.goals.append(_plain(question.goal))
            if kind := held_in(question.answer):
                name = _free(_topic_name(question.topic), sketch.outputs)
                told = f"the answer to: {_plain(question.topic)}"
                sketch.outputs[name] = {"type": kind, "description": told}
        yield sketch


def _topic_name(topic: str) -> str:
    """A name for the answer to a question: its words that tell it from others."""
    words = [word for word in re.findall(r"\w+", topic.lower()) if word not in _SMALL]
    return _variable("_".join(words[:5]))


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """A name that is not taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _phrase_as_wish(text: str) -> str:
    """What a title or description offers, as something that a user wants."""
    text = _USEFUL.sub("", _plain(text).replace("_", " ").strip(" ."))
    text = re.split(r"[.,:;(]|\bone among\b|\bwhere\b", text)[0].strip()
    text = re.sub(r"^(?:asking|gathering|registering|collecting) (?:for )?", "give ", text)
    if text.istitle():  # "Make Appointment", as against "Order a pizza at Joe's"
        return text.lower()
    first, _, rest = text.partition(" ")
    return f"{first.lower()} {rest}".strip() if not first.isupper() else text


def _about(module: Module) -> str:
    text = module.description.strip(" .")
    found = _ASKED.match(text)
    return _plain(found["about"] if found else _USEFUL.sub("", text) or _words(module.name))


def _name_spoken(data: Data) -> str:
    """What a person calls it: ``num_drinks`` is the number of drinks."""
    return re.sub(r"^(?:num|nr|number|no)(?: of)? (?=\w)", "number of ", _words(data.name))


def _join_parts(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named_once(sketches: Sequence[_Sketch]) -> Iterator[_Sketch]:
    used: set[str] = set()
    for sketch in sketches:
        base = sketch.name = _variable(sketch.name).lower() or "profile"
        number = 2
        while sketch.name in used:
            sketch.name, number = f"{base}_{number}", number + 1
        used.add(sketch.name)
        yield sketch


def _draft(sketch: _Sketch, chatbot: Chatbot) -> ProfileDraft:
    variables: list[dict[str, Any]] = []
    cases = 1
    for name, data in sketch.inputs.items():
        items, _ = values_of(data)
        whole = all(isinstance(item, int) for item in items)
        sort = "int" if whole else "float" if isinstance(items[0], float) else "string"
        variables.append({name: {"function": "forward()", "type": sort, "data": items}})
        cases = max(cases, len(items))
    fallback = next((top.fallback for top in chatbot.tops if top.fallback), "")
    profile: dict[str, Any] = {
        "test_name": sketch.name,
        "user": {
            "language": (chatbot.languages or ("English",))[0],
            "role": _role(chatbot),
            "context": [],
            "goals": [*sketch.goals, *variables],
        },
        "chatbot": {
            "is_starter": False,
            **({"fallback": fallback} if fallback else {}),
            "output": [{name: spec} for name, spec in sketch.outputs.items()],
        },
        "conversation": {
            "number": min(cases, _MOST_CASES),
            "goal_style": {"all_answered": {"limit": min(30, 6 + 3 * len(sketch.goals))}},
            "interaction_style": ["default"],
        },
    }
    return ProfileDraft(name=sketch.name, data=profile, notes=tuple(sketch.notes))


def _role(chatbot: Chatbot) -> str:
    told = next((top.description for top in chatbot.tops if top.description), "")
    role = f"a user of the chatbot {_words(chatbot.name)}"
    return f'{role}, which is described so: "{_plain(told)[:300]}"' if told else role


def _suite(chatbot: Chatbot) -> dict[str, Any]:
    return {
        "name": chatbot.name or "taskyto",
        "app": {"use": "taskyto", "url": "http://localhost:5000"},
        "agent": {"use": "user-simulator", "profiles": "profiles/*.yml"},
        "oracles": [{"use": "generic-failures"}],
        "reporters": ["console", "html"],
        "seed": 1,
    }


def _short(text: str) -> str:
    """The first words of a title, for a name."""
    return " ".join(re.findall(r"\w+", text)[:6])


def _variable(name: str) -> str:
    """A name as it can stand in braces."""
    plain = re.sub(r"\W+", "_", name).strip("_") or "value"
    return f"_{plain}" if plain[:1].isdigit() else plain


def _words(name: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", name).split())


def _plain(text: str) -> str:
    """A text of the chatbot's without what would be read as a variable."""
    return text.replace("{{", "{").replace("}}", "}")
