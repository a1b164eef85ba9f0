"""A session as the oracle `voice-problems` views it: speakers, outputs, and who ended it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict

from sparring.model.talk import Incident, IncidentKind, Listen, Observation, Trace, Turn, act_text
from sparring.model.verdict import Owner
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.voice.error_reports import ErrorReport, logged_errors

Speaker = Literal["skill", "platform", "nobody"]

_APP_FAILURES = frozenset({IncidentKind.CRASH, IncidentKind.TIMEOUT, IncidentKind.PROTOCOL})
"""How an app fails; a goal that was not reached, or a loop, is no exit from the session."""


# Words in any language, as Alexa understands them.
_STOP_INTENTS = ("AMAZON.StopIntent", "AMAZON.CancelIntent")
# Cards that send the user to the phone: to allow something, or to log in.
_CONSENT_CARDS = ("AskForPermissionsConsent", "LinkAccount")
# After these the session belongs to a service of the platform (a purchase, a print job) or to the
# player of music or films, and its end is wanted.
_HAND_OVERS = ("Connections.", "AudioPlayer.Play", "VideoApp.")


class ProblemWords(BaseModel):
    """The content of ``problem_words.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    farewells: tuple[str, ...]
    wishes: tuple[str, ...]
    greetings: tuple[str, ...]
    parting: tuple[str, ...]
    private: dict[str, tuple[str, ...]]
    permissions: dict[str, tuple[str, ...]]
    of_others: tuple[str, ...]
    requests: tuple[str, ...]
    told: tuple[str, ...]
    opening: tuple[str, ...]
    stops: frozenset[str]
    platform_stops: frozenset[str]
    leaves: frozenset[str]
    stopping: tuple[str, ...]
    confirmations: frozenset[str]
    offers: tuple[str, ...]


@lru_cache(maxsize=1)
def problem_words() -> ProblemWords:
    """Return the lists of ``problem_words.yaml``, read once."""
    return ProblemWords.model_validate(bundled_yaml("sparring_plugins.voice", "problem_words.yaml"))


_OPENING = re.compile(
    rf"^(?:alexa )?(?:please )?(?:{'|'.join(problem_words().opening)}) (?:the |my )?(?P<name>.+?)"
    r"(?P<request> (?:to|for|about|and|if|when|what|how|where|who|whether) .*)?$"
)


def plain_words(text: str) -> str:
    """Return `text` in lower case, words alone."""
    # An apostrophe, straight or not, is no border of words: "what's" is one.
    return " ".join(re.findall(r"[^\W_]+", text.replace("'", "").replace("\u2019", "").casefold()))


@dataclass(frozen=True)
class SlotValue:
    """A value that the app got for a slot; `known` is `None` if no list says which are known."""

    name: str
    value: str
    known: bool | None = None


@dataclass(frozen=True)
class SessionTurn:
    """One turn. `output` is what the app under test said itself, without the platform's words.

    `ended_by` says who ended a session in this turn, if it ended; `failure` how the app failed;
    `skill` which app is open, or was opened. `foreign` says whether an opened app is another one
    than the app under test, if that is known. `state` is where the app was before, `reached` where
    it is now. `reported` is false if the connector reports none of this and the observation has to
    do. `intent` is what the words were understood as, `request` how the app was opened in this turn
    (``LaunchRequest``, or another for a request in the same breath). `caught` are exceptions that
    the app's own handler answered, `logged` those in its log, `cut_off` says that hosts which it
    asked for could not be reached from here. `hands_over` means that the app leaves on purpose: it
    asks for a consent or an account by a card, or gives the session to a service of the platform.
    `shows` says that it answered with a picture, a film or music, maybe without a word.
    `answered` is false if the platform repeated for the app what it had said before. In a turn with
    `platform_asks` the platform itself asked the user something for the app, such as for a consent.
    `reprompt` is what silence would be answered with, `prompted` says that the last words are a
    prompt of the app's dialog model. `how` and `score` say how sure the platform is of the intent,
    `slots` are the values that the app got, `unread` the slots (``Intent.slot``) that its code
    never names, if the intent has one, `unsupported` those whose value it leaves out, `shared` the
    variables that outlive a session. `own` is the output without prompts of the dialog model,
    `written` what the app wrote of it, with its white space, `cards` what is sent to the phone.
    `offers_choices` says that something can be pressed.
    `locale` is the language that the app is asked in, `runtime` what its code is written for.
    """

    turn: int
    said: str
    output: str
    speaker: Speaker
    platform: str = ""
    ended_by: str | None = None
    reason: str = ""
    open: bool = False
    skill: str = ""
    foreign: bool | None = None
    failure: str = ""
    reported: bool = False
    state: str = ""
    reached: str = ""
    intent: str = ""
    request: str = ""
    caught: tuple[str, ...] = ()
    logged: tuple[ErrorReport, ...] = ()
    cut_off: bool = False
    hands_over: bool = False
    shows: bool = False
    answered: bool = True
    platform_asks: bool = False
    reprompt: str = ""
    prompted: bool = False
    listens: bool = False
    how: str = ""
    score: float = 0.0
    slots: tuple[SlotValue, ...] = ()
    unread: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    own: str = ""
    written: str = ""
    cards: str = ""
    offers_choices: bool = False
    locale: str = ""
    runtime: str = ""

    @property
    def stops(self) -> bool:
        """Whether the user wants the app to stop, by the words or the understood intent.

        "para" and "Abbruch" are the same for a Spanish and a German skill.
        """
        return plain_words(self.said) in problem_words().stops or self.intent in _STOP_INTENTS

    @property
    def leaves(self) -> bool:
        """Whether the user takes leave, so that an end is what is wanted."""
        bare = plain_words(self.said)
        lists = problem_words()
        return self.stops or bare in lists.platform_stops or bare in lists.leaves

    @property
    def opens(self) -> str | None:
        """The name of the app that the user asks the platform for, if any."""
        request = _OPENING.match(plain_words(self.said))
        return request["name"] if request else None

    @property
    def opens_with_request(self) -> bool:
        """Whether the app is opened and asked for something in the same breath."""
        if self.request:
            return self.request != "LaunchRequest"
        words = _OPENING.match(plain_words(self.said))
        return words is not None and words["request"] is not None


def session_turns(trace: Trace) -> list[SessionTurn]:
    """Return the turns of a trace that reached the user.

    A turn without an answer for which the app is not to blame is left out: after "open tea corner",
    a connector that breaks must not look like a skill that cannot be started.
    """
    states = _states(trace)
    failure = next((one for one in trace.incidents if _is_app_failure(one)), None)
    turns: list[SessionTurn] = []
    for at, (turn, reached) in enumerate(zip(trace.turns, states, strict=True)):
        if turn.observation is not None or failure is not None:
            before = states[at - 1] if at else ""
            turns.append(replace(_session_turn(at, turn), state=before, reached=reached))
    if failure is not None and turns and not turns[-1].failure:
        turns[-1] = replace(turns[-1], failure=failure.message, ended_by="platform")
    # Alexa leads a dialog without the app, whose requests name the locale.
    locale = next((turn.locale for turn in turns if turn.locale), "")
    return [turn if turn.locale else replace(turn, locale=locale) for turn in turns]


def own_words(observation: Observation | None) -> str:
    """Return the app's own output, without the platform's words.

    "Hm, I don't know that one." after a skill has ended is Alexa's, and no state of the skill.
    """
    if observation is None:
        return ""
    report = observation.payload
    if not isinstance(report, dict) or "speaker" not in report:
        return observation.text
    return _texts(report.get("spoken"))[0]


def _is_app_failure(incident: Incident) -> bool:
    return incident.owner is Owner.APP and incident.kind in _APP_FAILURES


def _session_turn(at: int, turn: Turn) -> SessionTurn:
    user_text = act_text(turn.act)
    observation = turn.observation
    if observation is None:
        return SessionTurn(at, user_text, "", "nobody")
    report = observation.payload
    if not isinstance(report, dict) or "speaker" not in report:
        return SessionTurn(
            at,
            user_text,
            observation.text,
            # No platform stands before a chatbot: all output is the app's, and who ends is the
            # app.
            "skill" if observation.text else "nobody",
            ended_by="skill" if observation.ended else None,
            open=not observation.ended,
        )
    speaker, tested = report.get("speaker"), report.get("tested")
    output, platform = _texts(report.get("spoken"))
    return SessionTurn(
        turn=at,
        said=user_text,
        output=output,
        speaker=cast("Speaker", speaker) if speaker in ("skill", "platform") else "nobody",
        platform=platform,
        ended_by=_text(report.get("ended_by")) or None,
        reason=_text(report.get("reason")),
        open=report.get("session") == "open",
        skill=_text(report.get("opened")) or _text(report.get("skill")),
        foreign=not tested if isinstance(tested, bool) else None,
        failure=_text(report.get("failure")),
        reported=True,
        platform_asks=bool(report.get("asked")),
        intent=_text(_mapping(report.get("nlu")).get("intent")),
        how=_text(_mapping(report.get("nlu")).get("how")),
        score=_number(_mapping(report.get("nlu")).get("score")),
        reprompt=_text(report.get("reprompt")),
        prompted=_is_prompted(report.get("spoken")),
        listens=report.get("listens") is True,
        unread=_names(_mapping(report.get("source")).get("unread")),
        unsupported=_names(_mapping(report.get("source")).get("unsupported")),
        shared=_names(_mapping(report.get("source")).get("shared")),
        own=_own_text(report.get("spoken")),
        cards=" ".join(one.description for one in observation.attachments),
        offers_choices=bool(observation.choices),
        runtime=_text(report.get("runtime")),
        **_from_exchanges(report.get("exchanges")),
    )


def _from_exchanges(value: Any) -> dict[str, Any]:
    """Return what the app's process reported of the requests of a turn."""
    exchanges = _mappings(value)
    caught = [one for exchange in exchanges for one in _mappings(exchange.get("caught"))]
    logs = (_text(exchange.get("log")) for exchange in exchanges)
    requests = [_request_of(one) for one in exchanges]
    cut_off = [one for one in (*caught, *exchanges) if one.get("network") or one.get("calls")]
    return {
        "request": _opening_request(exchanges),
        "caught": tuple(_text(one.get("error")) for one in caught),
        "logged": tuple(error for log in logs for error in logged_errors(log)),
        # An empty list: the platform answered without asking the app. No list at all: nobody
        # reports it.
        "answered": bool(exchanges) or not isinstance(value, list),
        "hands_over": any(_hands_over(_mapping(one.get("response"))) for one in exchanges),
        "shows": any(_shows(_mapping(one.get("response"))) for one in exchanges),
        "cut_off": bool(cut_off),
        "slots": tuple(_slots_of(requests)),
        "locale": _locale_of(requests),
        "written": " ".join(_written_speech(_mapping(one.get("response"))) for one in exchanges),
    }


# What has words between its tags keeps them; a sound or a pause counts as a word.
_EMPTY_TAG = re.compile(r"<[^<>]*/>")
_TAG = re.compile(r"<[^<>]*>")


def _written_speech(envelope: dict[str, Any]) -> str:
    """Return an answer as the app wrote it, without markup: white space is as it was."""
    speech = _mapping(_mapping(envelope.get("response")).get("outputSpeech"))
    return _TAG.sub(
        "", _EMPTY_TAG.sub(" #", _text(speech.get("ssml")) or _text(speech.get("text")))
    )


def _request_of(exchange: dict[str, Any]) -> dict[str, Any]:
    # Alexa sends the request in an envelope with session and context; some connectors report it
    # alone.
    envelope = _mapping(exchange.get("request"))
    return _mapping(envelope.get("request")) or envelope


def _locale_of(requests: Sequence[dict[str, Any]]) -> str:
    return next((text for one in requests if (text := _text(one.get("locale")))), "")


def _slots_of(requests: Sequence[dict[str, Any]]) -> Iterator[SlotValue]:
    """Yield the filled slots of requests, with whether the app's own list has the value."""
    intents = (_mapping(one.get("intent")) for one in requests)
    slots = (pair for one in intents for pair in _mapping(one.get("slots")).items())
    for name, raw in slots:
        slot = _mapping(raw)
        value = _text(slot.get("value"))
        if value:
            resolutions = _mapping(slot.get("resolutions")).get("resolutionsPerAuthority")
            codes = [
                _text(_mapping(one.get("status")).get("code")) for one in _mappings(resolutions)
            ]
            known = any(code == "ER_SUCCESS_MATCH" for code in codes) if codes else None
            yield SlotValue(name, value, known)


def _is_prompted(spoken: Any) -> bool:
    parts = _mappings(spoken)
    return bool(parts) and parts[-1].get("prompt") is True


def _own_text(spoken: Any) -> str:
    """Return the app's own output, without prompts of its dialog model.

    The platform chooses one of several prompts by chance.
    """
    own = (part for part in _mappings(spoken) if part.get("by") == "skill")
    return " ".join(_text(part.get("text")) for part in own if part.get("prompt") is not True)


def _names(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, cast("list[Any]", value))) if isinstance(value, list) else ()


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _opening_request(exchanges: Sequence[dict[str, Any]]) -> str:
    """Return the type of the request that opened the app; empty if it was open before."""
    opening = [one for one in exchanges if one.get("opens")]
    return _text(_request_of(opening[0]).get("type")) if opening else ""


def _hands_over(envelope: dict[str, Any]) -> bool:
    response = _mapping(envelope.get("response"))
    card = _text(_mapping(response.get("card")).get("type"))
    return card in _CONSENT_CARDS or _directs(envelope, _HAND_OVERS)


def _shows(envelope: dict[str, Any]) -> bool:
    return _directs(envelope, _SHOWN)


def _directs(envelope: dict[str, Any], kinds: str | tuple[str, ...]) -> bool:
    """Whether an answer has a directive of one of some kinds, as the type of it begins."""
    directives = _mappings(_mapping(envelope.get("response")).get("directives"))
    return any(_text(one.get("type")).startswith(kinds) for one in directives)


_SHOWN = ("Alexa.Presentation", "AudioPlayer.Play", "Display.", "VideoApp.")
"""How the types of directives begin that show or play something."""


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    values = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", one) for one in values if isinstance(one, dict)]


def _texts(spoken: Any) -> tuple[str, str]:
    """Return the app's own output, and that of others."""
    own: list[str] = []
    others: list[str] = []
    for part in cast("list[Any]", spoken) if isinstance(spoken, list) else []:
        if isinstance(part, dict):
            spoken_part = cast("dict[str, Any]", part)
            texts = own if spoken_part.get("by") == "skill" else others
            texts.append(_text(spoken_part.get("text")))
    return " ".join(own), " ".join(others)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _states(trace: Trace) -> list[str]:
    """Return the state that each turn led to; empty if the player does not name it.

    A player need not record a turn in which it only listened.
    """
    recorded = trace.meta.get("steps")
    steps = [one for one in recorded if isinstance(one, dict)] if isinstance(recorded, list) else []
    states: list[str] = []
    for turn in trace.turns:
        listening = isinstance(turn.act, Listen)
        # An explorer records listening as the input "" if the app spoke first, and else not at all.
        if listening and not (steps and steps[0].get("input") == ""):
            states.append("")
        else:
            states.append(str(steps.pop(0).get("state", "")) if steps else "")
    return states
