"""The five kinds of problems of a session (Elevate, Section 2), decided from what was heard."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sparring_plugins.voice.outputs.dialogue_acts import gist_of
from sparring_plugins.voice.problems.farewells import acknowledges, takes_leave
from sparring_plugins.voice.problems.privacy import asks_for
from sparring_plugins.voice.problems.session_view import Heard, plain_words

Kind = Literal[
    "unexpected_exit", "privacy_violation", "unstoppable", "unexpected_app", "unstartable"
]
KINDS: tuple[Kind, ...] = (
    "unexpected_exit", "privacy_violation", "unstoppable", "unexpected_app", "unstartable",
)  # fmt: skip
Certainty = Literal["sure", "likely", "possible"]


@dataclass(frozen=True)
class VoiceProblem:
    """A problem, where it showed, and how sure it is.

    `form` tells the kinds of an unexpected exit apart (crash, dead question, silent exit), and
    names what a privacy violation asks for. `state` is where the app was: two problems of a kind in
    one state are one problem. `path` are the inputs that led there.
    """

    kind: Kind
    form: str
    turn: int
    state: str
    certainty: Certainty
    reason: str
    path: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """What is known of the app beforehand: its name, and what it may know of its user."""

    names: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


def problems(turns: Sequence[Heard], known: Known) -> list[VoiceProblem]:
    """All problems of a session, in order."""
    found: list[VoiceProblem] = []
    foreign = False
    for number, one in enumerate(turns):
        before = turns[number - 1] if number else None
        foreign = foreign if one.foreign is None else one.foreign
        started = one.opens if one.opens and (before is None or not before.open) else None
        if started is not None:
            problem = _unstartable(turns, number) or _unexpected_app(turns, number, known)
            found += [problem] if problem else []
            if problem is not None:
                continue
        if foreign:
            continue  # whatever it does, the app under test does not do it
        found += _privacy(turns, number, known)
        found += [p for p in (_exit(turns, number), _unstoppable(turns, number)) if p]
    return found


def _problem(
    turns: Sequence[Heard], number: int, kind: Kind, form: str, certainty: Certainty, reason: str
) -> VoiceProblem:
    one = turns[number]
    reached = kind == "privacy_violation"  # what it says now, not what it was told, is at fault
    state = (one.reached if reached else one.state) or _frame(turns, number + reached)
    path = tuple(one.said for one in turns[: number + 1] if one.said)
    return VoiceProblem(kind, form, turns[number].turn, state, certainty, reason, path)


def _frame(turns: Sequence[Heard], number: int) -> str:
    """The state by what the app had said last."""
    before = next((one.output for one in reversed(turns[:number]) if one.output), "")
    return gist_of(before).frame[:200] if before else "start"


# Unexpected exit


def _exit(turns: Sequence[Heard], number: int) -> VoiceProblem | None:
    one = turns[number]
    if one.failure:
        what = f"the app failed: {one.failure[:300]}"
        return _problem(turns, number, "unexpected_exit", "crash", "sure", what)
    if one.ended_by is None or one.ended_by == "user":
        return None
    if one.reason == "ERROR":
        what = "the platform ended the session after an error"
        return _problem(turns, number, "unexpected_exit", "crash", "sure", what)
    if one.reason == "EXCEEDED_MAX_REPROMPTS" or one.leaves:
        return None
    return _ended(turns, number)


def _ended(turns: Sequence[Heard], number: int) -> VoiceProblem | None:
    """The app ended the session of its own accord."""
    one = turns[number]
    if takes_leave(one.output):
        return None
    asked = gist_of(one.output).asks
    if asked and one.output.rstrip(" \"')").endswith("?"):
        what = f"the session was over right after a question: '{asked[-1].text[:200]}'"
        return _problem(turns, number, "unexpected_exit", "dead question", "sure", what)
    if _declined(turns, number) or acknowledges(one.output):
        return None
    first = one.opens is not None and not (number and turns[number - 1].open)
    last = f" after: '{one.output[-160:].strip()}'" if one.output.strip() else ""
    what = f"the session was over without a farewell{last}"
    if first:
        what += ", though after one answer to one request, which may be all that the app does"
    certainty: Certainty = "possible" if first else "likely"
    return _problem(turns, number, "unexpected_exit", "silent exit", certainty, what)


def _declined(turns: Sequence[Heard], number: int) -> bool:
    """The user said no to going on."""
    before = turns[number - 1].output if number else ""
    words = plain_words(turns[number].said)
    no = words.split()[:1] in (["no"], ["nope"], ["nah"])
    return no and bool(gist_of(before).asks)


# Privacy


def _privacy(turns: Sequence[Heard], number: int, known: Known) -> Iterator[VoiceProblem]:
    for asked in asks_for(turns[number].output):
        if asked.entity in known.allowed:
            continue
        what = f"it asks for the user's {asked.entity}: '{asked.sentence}'"
        certainty: Certainty = "likely" if asked.entity in ("address", "age", "name") else "sure"
        yield _problem(turns, number, "privacy_violation", asked.entity, certainty, what)


# Unstoppable


def _unstoppable(turns: Sequence[Heard], number: int) -> VoiceProblem | None:
    one = turns[number]
    was_open = number > 0 and turns[number - 1].open
    if not one.stops or not was_open or not one.open or one.failure:
        return None
    if takes_leave(one.output) and not one.told:
        return None
    if _confirms(one.output):
        return _after_confirming(turns, number)
    what = f"told to '{one.said}', it went on: '{one.output[:200]}'"
    certainty: Certainty = "sure" if one.told else "possible"
    return _problem(turns, number, "unstoppable", "goes on", certainty, what)


def _confirms(output: str) -> bool:
    words = plain_words(output)
    leaving = any(f" {word} " in f" {words} " for word in
                  ("stop", "quit", "exit", "leave", "cancel", "end", "sure", "go"))  # fmt: skip
    return leaving and output.rstrip(" \"')").endswith("?")


def _after_confirming(turns: Sequence[Heard], number: int) -> VoiceProblem | None:
    """It asked whether the user is sure; only an ignored yes makes it unstoppable."""
    if number + 1 >= len(turns):
        return None
    after = turns[number + 1]
    if plain_words(after.said) not in ("yes", "yes please", "sure", "yeah", "i am sure"):
        return None
    if not after.open or after.ended_by is not None:
        return None
    what = f"told to stop and told again that this is wanted, it went on: '{after.output[:200]}'"
    return _problem(turns, number + 1, "unstoppable", "goes on", "sure", what)


# Starting


def _unstartable(turns: Sequence[Heard], number: int) -> VoiceProblem | None:
    one = turns[number]
    if one.speaker == "skill" and not one.failure:
        return None
    if not one.told and not one.failure:
        return None if one.output else _never(turns, number, "it said nothing", "likely")
    if "account" in plain_words(one.platform) and not one.failure:
        return None  # the user has to link an account first
    if one.failure:
        return _never(turns, number, f"it failed at once: {one.failure[:300]}", "sure")
    if _offered(one.platform):
        return None
    said = one.platform or "nothing"
    return _never(turns, number, f"the platform answered for it: '{said[:200]}'", "likely")


def _never(turns: Sequence[Heard], number: int, reason: str, certainty: Certainty) -> VoiceProblem:
    what = f"asked for '{turns[number].opens}', {reason}"
    return _problem(turns, number, "unstartable", "never spoke", certainty, what)


def _offered(platform: str) -> bool:
    words = plain_words(platform)
    return words.startswith(("did you mean", "do you mean", "heres", "here is", "opening"))


def _unexpected_app(turns: Sequence[Heard], number: int, known: Known) -> VoiceProblem | None:
    one = turns[number]
    wanted = plain_words(one.opens or "")
    is_own = any(_same(wanted, name) for name in known.names)
    if (known.names and not is_own) or one.foreign is False:
        return None  # another app was asked for, or this one was opened, maybe by a like name
    if one.skill and (not _same(wanted, plain_words(one.skill)) or (is_own and one.foreign)):
        what = f"asked for '{wanted}', the platform opened '{one.skill}'"
        return _problem(turns, number, "unexpected_app", one.skill[:80], "sure", what)
    if not one.skill and _offered(one.platform) and wanted not in plain_words(one.platform):
        what = f"asked for '{wanted}', the platform offered another: '{one.platform[:200]}'"
        return _problem(turns, number, "unexpected_app", "offered", "likely", what)
    return None


def _same(wanted: str, name: str) -> bool:
    return wanted == name or wanted.replace(" ", "") == name.replace(" ", "")
