"""White-box exploration by the app's own definition of its intents.

A connector may know the intents with example utterances, and requests that open the app. These are
inputs: those of intents that were never reached first, then each intent once in each state, then
single values of slots.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from sparring.model.talk import AppFacts, Observation
from sparring_plugins.users.agenda.replies.app_reply import is_no, is_yes
from sparring_plugins.voice.behaviour_model import START, BehaviourModel, Input, State
from sparring_plugins.voice.outputs.polar_questions import is_offer, polar_question
from sparring_plugins.voice.outputs.suggested_inputs import EXPECTED, UNUSUAL
from sparring_plugins.voice.outputs.words import input_key
from sparring_plugins.voice.roles import Effect, InputOrigin, OutputKind

SYSTEM = ("help", "stop", "cancel")
"""Words of the system that are inputs of any app, whatever its definition names."""

_SYSTEM_INTENTS = {"HelpIntent": "help", "StopIntent": "stop", "CancelIntent": "cancel"}

_MAX_OPENED_SHARE = 4
"""At most every n-th turn may be a request that opens the app: each needs a session."""

# Three inputs without effect show that a state takes none of the app's own.
_MAX_IN_VAIN = 3
_USELESS = (Effect.SAME, Effect.CONFUSED, Effect.FAILED)

_VALUE = "="
"""A part with this sign is a value of a slot, as ``Order.size=large``, or none (``Order.=``)."""

_PROBES = ("=?", ".=")
"""How the parts end that a handler may fail at: an unknown value, or none."""

PLATFORM = "AMAZON."
"""How the names of the platform's own intents begin, which need no session that was set up."""

_NOISE = "FallbackIntent"
"""How the part ends of what no intent takes."""

_TRIED_ANYWAY = (*_SYSTEM_INTENTS, "YesIntent", "NoIntent", _NOISE)
"""Intents of the platform that other rules try in any state."""


def payload_value(output: Observation, key: str) -> JsonValue:
    """Return what a connector adds to an answer beside its text, if it does."""
    return output.payload.get(key) if isinstance(output.payload, dict) else None


def learn_definition(model: BehaviourModel, facts: AppFacts | None) -> None:
    """Take the utterances of an app's definition into the model, once."""
    if facts is None or model.utterances:
        return
    for part, words in facts.utterances:
        model.utterances.setdefault(input_key(words), (part, words))
    model.openings = list(dict.fromkeys(facts.openings))


def system_words(model: BehaviourModel) -> tuple[str, ...]:
    """Return the words of the system, in the app's own language if its definition has them.

    A Spanish skill knows no "help": the explorer has to say "ayuda".
    """
    own: dict[str, str] = {}
    for part, words in model.utterances.values():
        english = _SYSTEM_INTENTS.get(part.rpartition(".")[2])
        if english:
            own.setdefault(english, words)
    return tuple(own.get(word, word) for word in SYSTEM)


def note_understood(model: BehaviourModel, by: Input, output: Observation) -> None:
    """Note the part that an input was understood as, if the connector reports it."""
    understood = payload_value(output, "nlu")
    part = understood.get("intent") if isinstance(understood, dict) else None
    if isinstance(part, str):
        by.part = part
        if part not in model.reached:
            model.reached.append(part)


def add_expected(state: State, output: Observation) -> None:
    """Add the answers to a state that the connector knows for its open question, if it has one.

    "Did you select kfc?" is answered by yes and no, "Which dish?" by values of the slot. No
    generator has to make any up then.
    """
    unusual = frozenset(_texts_in(output, "unusual"))
    for answer in filter(str.strip, _texts_in(output, "expects")):
        # Another value leads on as the first did; yes and no do not.
        is_polar = is_yes(answer) or is_no(answer)
        slot = None if is_polar else UNUSUAL if answer in unusual else EXPECTED
        state.add_input(Input(text=answer, origin=InputOrigin.CONTEXT, slot=slot))
        if not state.generated:
            state.generated = True
            state.expects = OutputKind.YES_NO if is_polar else OutputKind.WH


def asked_state(output: Observation, *, black_box: bool) -> str:
    """Return the name of the state in which the platform asks something for the app, if it does.

    A consent is put in the same words from every state. A prompt of the dialog model is one of
    several for its slot: "How much do you weigh?" and "Tell me your weight" are one state, "Tell me
    your height" is another.
    """
    question = payload_value(output, "asked")
    if isinstance(question, str) and question:
        return f"asked_{question[:40]}"
    slot = "" if black_box else payload_value(output, "elicits")
    own = any(one for one in _spoken_parts(output) if one.get("prompt") is not True)
    return f"elicits_{slot[:80]}" if isinstance(slot, str) and slot and not own else ""


def _spoken_parts(output: Observation) -> list[dict[str, JsonValue]]:
    parts = payload_value(output, "spoken")
    return [one for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []


def _texts_in(output: Observation, key: str) -> list[str]:
    value = payload_value(output, key)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def locale_of(output: Observation) -> str:
    """Return the locale of the request, empty if the connector reports none."""
    exchanges = payload_value(output, "exchanges")
    for exchange in exchanges if isinstance(exchanges, list) else ():
        request = exchange.get("request") if isinstance(exchange, dict) else None
        inner = request.get("request", request) if isinstance(request, dict) else None
        locale = inner.get("locale") if isinstance(inner, dict) else None
        if isinstance(locale, str):
            return locale
    return ""


def may_leave_state(output: Observation) -> bool:
    """Return whether an answer with a number may depend on earlier sessions.

    It may if the code changes variables that outlive a session. "Your total is 300" may be 600
    for the next customer; "NaN" stays what it is.
    """
    source, understood = payload_value(output, "source"), payload_value(output, "nlu")
    shared = isinstance(source, dict) and bool(source.get("shared"))
    has_slots = isinstance(understood, dict) and bool(understood.get("slots"))
    has_number = any(sign.isdigit() for sign in output.text) and "NaN" not in output.text
    return shared and has_slots and has_number


def opposite_answer(state: State, by: Input, target: State) -> str | None:
    """Return the other answer to an offer if it led to the same state as this one, else `None`."""
    said_yes = is_yes(by.text)
    if target.confused or target.final or not (said_yes or is_no(by.text)):
        return None
    if not is_offer(polar_question(state.outputs[-1] if state.outputs else "")):
        return None
    others = (one for one in state.inputs.values() if one.last == target.id)
    is_other = is_no if said_yes else is_yes
    return next((one.text for one in others if is_other(one.text)), None)


def next_opening(model: BehaviourModel) -> str | None:
    """Return a request that opens the app and is still untried; `None` for a plain launch."""
    plain_launches = model.sessions - model.opened
    due = model.sessions and plain_launches > 2 * model.opened and model.openings
    if not due or (model.opened + 1) * _MAX_OPENED_SHARE > model.turns:
        return None
    model.opened += 1
    return model.openings.pop(0)


def parts_to_repeat(model: BehaviourModel) -> frozenset[str]:
    """Return the intents to try again in a session that a request opened.

    Many apps set up their session in the launch alone: the second word of a game that "ask hangman
    to begin" opened finds no list of letters. Each intent is worth one turn of that, if there are
    turns enough.
    """
    if (len(model.unlaunched) + 1) * _MAX_OPENED_SHARE > model.turns:
        return frozenset()
    parts = {part for part, _ in model.utterances.values() if _VALUE not in part}
    return frozenset(one for one in parts if not one.startswith(PLATFORM)) - {*model.unlaunched}


def note_unlaunched(model: BehaviourModel, text: str) -> None:
    """Note an intent that was tried in a session that a request opened."""
    part = model.utterances.get(input_key(text), ("", ""))[0]
    if part and part not in model.unlaunched:
        model.unlaunched.append(part)


def definition_inputs(
    model: BehaviourModel, state: State, tried: Mapping[str, int]
) -> Iterator[Input]:
    """Yield one utterance for each part of the definition that is worth a try in a state.

    One that is untried everywhere comes first: of "what can I eat" and "what can {person} eat" each
    has slots of its own. `tried` counts the uses of each input, by its key, in all states.
    """
    if state.id == START or state.final:
        return
    tried_here = [one for key, one in state.inputs.items() if one.count and key in model.utterances]
    parts_tried = {model.utterances[input_key(one.text)][0] for one in tried_here}
    responding = frozenset(_responding_parts(model, state, tried_here))
    ignores_inputs = _ignores_inputs(model, state, tried_here)
    utterances = sorted(model.utterances.items(), key=lambda pair: bool(tried.get(pair[0])))
    for key, (part, words) in utterances:
        is_new = not tried.get(key)
        repeats = part in model.reached and not ignores_inputs
        if (
            part not in parts_tried
            and (is_new or repeats)
            and _fits(part, responding, is_new=is_new)
        ):
            parts_tried.add(part)
            yield Input(text=words, origin=InputOrigin.SAMPLE)


def _ignores_inputs(model: BehaviourModel, state: State, tried: Sequence[Input]) -> bool:
    """Return whether a state answers all with its own question, as "What is your zip code?"."""
    effects = [model.effect(state, one) for one in tried]
    return len(effects) >= _MAX_IN_VAIN and all(effect in _USELESS for effect in effects)


def _responding_parts(model: BehaviourModel, state: State, tried: Sequence[Input]) -> Iterator[str]:
    """Yield the intents that a state responds to otherwise than to noise.

    A game that waits for an answer takes "hard questions" for nonsense. Other values of the slot
    show nothing new there; they do in the state in which the game asks how hard it shall be.
    """
    noise = {
        target
        for one in model.states.values()
        for key, by in one.inputs.items()
        if model.utterances.get(key, ("", ""))[0].endswith(_NOISE)
        for target in by.targets
    }
    understood = [one for one in state.inputs.values() if one.count and one.part]
    for one in (*tried, *understood):
        part = one.part or model.utterances[input_key(one.text)][0]
        if one.last not in noise and model.effect(state, one) not in _USELESS:
            yield part


def _fits(part: str, responding: frozenset[str], *, is_new: bool) -> bool:
    """Return whether a part is worth a try: a value only once, in a state that responds to it."""
    return _VALUE not in part or (is_new and part.partition(".")[0] in responding)


def is_probe(model: BehaviourModel, text: str) -> bool:
    """Return whether words are what a handler may fail at: an unknown value, or no slot."""
    return model.utterances.get(input_key(text), ("", ""))[0].endswith(_PROBES)


def parts_untried_deeper(model: BehaviourModel, state: State) -> frozenset[str]:
    """Return the intents of the platform that no deeper state got yet, in one of these states.

    A quiz answers "previous" in its menu, and has no response to it after a question. Deeper are
    the states that no session begins in. Words of the system, yes and no are tried there anyway.
    """
    first = {START, *(target for by in model.start.inputs.values() for target in by.targets)}
    if state.id in first:
        return frozenset()
    said = {
        by.part or model.utterances.get(key, ("", ""))[0]
        for one in model.states.values()
        for key, by in one.inputs.items()
        if by.count and one.id not in first
    }
    own = {part for part, _ in model.utterances.values() if part.startswith(PLATFORM)}
    return frozenset(own - said - {f"{PLATFORM}{name}" for name in _TRIED_ANYWAY})


def is_unreached(model: BehaviourModel, text: str) -> bool:
    """Return whether words belong to an intent of the definition that was never reached."""
    part = model.utterances.get(input_key(text), ("", ""))[0]
    return bool(part) and _VALUE not in part and part not in model.reached
