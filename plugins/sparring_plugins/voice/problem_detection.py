"""The classes of voice problems, detected in the turns of a session.

Five are Elevate's (section 2). Four more are read from what a connector records of the app's own
process: a caught exception, an exception in its log, an apology instead of a welcome, and a crash
that only a request shows which opens the app. The others are problems of the output itself: a value
of the program, such as `undefined`, instead of one that the user understands, and those of single
answers (`answer_problems`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from sparring_plugins.language.text import contains
from sparring_plugins.reproduction.failure_identity import normalised
from sparring_plugins.voice.answer_problems import AnswerProblemClass, answer_problems
from sparring_plugins.voice.error_reports import ErrorReport, described_error
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of, is_confused
from sparring_plugins.voice.outputs.similarity import SAME, output_similarity
from sparring_plugins.voice.private_requests import private_requests
from sparring_plugins.voice.session_view import SessionTurn, plain_words, problem_words
from sparring_plugins.voice.unfilled_values import unfilled_values

ProblemClass = Literal[
    "unexpected_exit", "privacy_violation", "unstoppable", "unexpected_app", "unstartable",
    "caught_error", "logged_error", "launch_apology", "one_shot_crash",
    "unfilled_value", AnswerProblemClass,
]  # fmt: skip
PROBLEM_CLASSES: tuple[ProblemClass, ...] = get_args(ProblemClass)
Certainty = Literal["sure", "likely", "possible"]

_START = "start"
_CRASH = "crash"
_DEAD_QUESTION = "dead question"
_RAISED = "raised"
_INVALID = "invalid response"
_APOLOGY = "apology"
_QUOTES = " \"')"
_SAYS_NOW = ("privacy_violation", "unfilled_value", *get_args(AnswerProblemClass))
_UNREACHABLE = "hosts that it needs cannot be reached from here (see `network`)"


@dataclass(frozen=True)
class VoiceProblem:
    """A problem, with its turn and state, and how sure it is.

    `form` distinguishes the forms of an unexpected exit (crash, dead question, silent exit), and
    names what a privacy violation asks for. `state` is the app's: two problems of one class in one
    state are one problem. `path` are the inputs that led there. `raised` is the exception
    behind it, if one is known; `of_app` is false if this machine is to blame. `key` distinguishes
    a problem of an answer from others of its class and form.
    """

    problem_class: ProblemClass
    form: str
    turn: int
    state: str
    certainty: Certainty
    reason: str
    path: tuple[str, ...]
    raised: ErrorReport | None = None
    of_app: bool = True
    key: str = ""


@dataclass(frozen=True)
class AppFacts:
    """What is known of the app beforehand: its names, and what it may know of its user."""

    names: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


def detect_problems(turns: Sequence[SessionTurn], facts: AppFacts) -> list[VoiceProblem]:
    """Return all problems of a session, in order."""
    return list(_Detector(turns, facts).problems())


class _Detector:
    """Looks for problems in one session."""

    def __init__(self, turns: Sequence[SessionTurn], facts: AppFacts) -> None:
        self.turns = turns
        self.facts = facts

    def problems(self) -> Iterator[VoiceProblem]:
        """Yield the problems of each turn, in order; none while another app is open."""
        foreign = False
        for at, turn in enumerate(self.turns):
            foreign = foreign if turn.foreign is None else turn.foreign
            if (turn.opens and not self._was_open(at)) or self._never_loaded(at):
                problem = self._unstartable(at) or self._unexpected_app(at)
                if problem is not None:
                    yield problem
                    continue
            if foreign:
                continue  # whatever it does, the app under test does not do it
            yield from self._privacy_violations(at)
            yield from self._unfilled_values(at)
            yield from self._answer_problems(at)
            found = (self._error(at), self._unexpected_exit(at), self._unstoppable(at))
            for problem in found:
                if problem is not None:
                    yield problem

    def _answer_problems(self, at: int) -> Iterator[VoiceProblem]:
        """Yield the problems of the answer in a turn."""
        for one in answer_problems(self.turns, at):
            problem = self._problem(at, one.problem_class, one.form, "likely", one.reason)
            yield replace(problem, key=one.key)

    def _was_open(self, at: int) -> bool:
        return at > 0 and self.turns[at - 1].open

    def _never_loaded(self, at: int) -> bool:
        """Return whether the app fails when the session begins and listens for its first words."""
        return at == 0 and not self.turns[at].said and bool(self.turns[at].failure)

    def _last_output(self, before: int) -> str:
        """Return the last output before a turn; empty if there is none."""
        return next((turn.output for turn in reversed(self.turns[:before]) if turn.output), "")

    def _problem(
        self, at: int, problem_class: ProblemClass, form: str, certainty: Certainty, reason: str
    ) -> VoiceProblem:
        turn = self.turns[at]
        # A wrong output belongs to the state that it leads to, anything else to the one before.
        reached = problem_class in _SAYS_NOW
        state = (turn.reached if reached else turn.state) or self._frame(at + reached)
        path = tuple(one.said for one in self.turns[: at + 1] if one.said)
        return VoiceProblem(problem_class, form, turn.turn, state, certainty, reason, path)

    def _frame(self, before: int) -> str:
        """Return the state by the last output before a turn, for players that name none."""
        output = self._last_output(before)
        return dialogue_acts_of(output).frame[:200] if output else _START

    # What the app's process reports: exceptions that the user only hears as an apology

    def _error(self, at: int) -> VoiceProblem | None:
        turn = self.turns[at]
        if turn.failure or turn.speaker == "platform":
            return None
        if not turn.answered:
            return None  # the platform only repeats a question
        caught = [described_error(text) for text in turn.caught]
        apologises = dialogue_acts_of(turn.output).broken or (caught and is_confused(turn.output))
        error = next(iter((*caught, *turn.logged)), None)
        if error is None and not apologises:
            return None
        if error is None and self._repeats_apology(at):
            return None  # "repeat" after an error: the app says that error's apology again
        if caught or apologises:
            return self._apology(at, error)
        assert error is not None
        certainty: Certainty = "likely" if error.is_programming_error else "possible"
        reason = f"the app goes on, and its log has {error}"
        return self._raised(at, "logged_error", certainty, reason, error)

    def _repeats_apology(self, at: int) -> bool:
        """Return whether the output repeats an earlier apology for a known exception."""
        output = self.turns[at].output
        return any(turn.output == output and turn.caught for turn in self.turns[:at])

    def _apology(self, at: int, error: ErrorReport | None) -> VoiceProblem:
        """The app answered an exception of its own, or says that something went wrong."""
        turn = self.turns[at]
        is_launch = turn.request == "LaunchRequest"
        problem_class: ProblemClass = "launch_apology" if is_launch else "caught_error"
        quotation = f"it says '{turn.output[:160].strip()}'"
        if error is None:
            return self._problem(at, problem_class, _APOLOGY, "likely", quotation)
        return self._raised(at, problem_class, "sure", f"{quotation}, having caught {error}", error)

    def _raised(
        self,
        at: int,
        problem_class: ProblemClass,
        certainty: Certainty,
        reason: str,
        error: ErrorReport,
    ) -> VoiceProblem:
        if self.turns[at].cut_off and not error.is_programming_error:
            reason += f"; {_UNREACHABLE}"
            problem = self._problem(at, problem_class, _RAISED, "possible", reason)
            return replace(problem, raised=error, of_app=False)
        return replace(self._problem(at, problem_class, _RAISED, certainty, reason), raised=error)

    def _crash(self, at: int) -> VoiceProblem:
        turn = self.turns[at]
        problem_class: ProblemClass = "unexpected_exit"
        reason = f"the app failed: {turn.failure[:300]}"
        # "ask werewolf to start" may lead to questions that Alexa asks, and then to the crash
        if turn.opens_with_request and not self._was_open(at):
            problem_class = "one_shot_crash"
            reason = f"opened by '{turn.said[:120]}', it failed at once: {turn.failure[:300]}"
        problem = self._problem(at, problem_class, _CRASH, "sure", reason)
        _, separator, message = turn.failure.partition("the handler raised ")
        if separator:
            return replace(problem, raised=described_error(message))
        _, separator, message = turn.failure.partition(f"{_INVALID}: ")
        return replace(problem, raised=ErrorReport(_INVALID, message)) if separator else problem

    def _unfilled_values(self, at: int) -> Iterator[VoiceProblem]:
        """Yield the problems of an output that has values of the program in it."""
        turn, spoken = self.turns[at], set[str]()
        for one in unfilled_values(turn.output, turn.written, turn.said, turn.runtime):
            spoken.add(one.form)
            reason = f"it says {one.what}: '{one.quotation}'"
            yield self._problem(at, "unfilled_value", one.form, "likely", reason)
        for one in unfilled_values(turn.cards, "", turn.said, turn.runtime):
            if one.form not in spoken:
                reason = f"its card has {one.what}: '{one.quotation}'"
                yield self._problem(at, "unfilled_value", one.form, "likely", reason)

    # Unexpected exit

    def _unexpected_exit(self, at: int) -> VoiceProblem | None:
        turn = self.turns[at]
        if turn.failure:
            return self._crash(at)
        if turn.ended_by is None or turn.ended_by == "user":
            return None
        if turn.reason == "ERROR":
            reason = "the platform ended the session after an error"
            return self._problem(at, "unexpected_exit", _CRASH, "sure", reason)
        if turn.reason == "EXCEEDED_MAX_REPROMPTS" or turn.leaves or takes_leave(turn.output):
            return None
        if turn.hands_over:
            return None
        problem = self._dead_question(at) or self._silent_exit(at)
        if problem is not None and turn.cut_off:
            # "getaddrinfo ENOTFOUND" read aloud, and the end: this machine is the reason
            reason = f"{problem.reason}; {_UNREACHABLE}"
            return replace(problem, certainty="possible", reason=reason, of_app=False)
        return problem

    def _dead_question(self, at: int) -> VoiceProblem | None:
        """The app ended the session right after it asked something."""
        turn = self.turns[at]
        requests = dialogue_acts_of(turn.output).requests
        if not requests or not _ends_with_question(turn.output):
            return None
        question = requests[-1].text[:200]
        reason = f"the session was over right after a question: '{question}'"
        return self._problem(at, "unexpected_exit", _DEAD_QUESTION, "sure", reason)

    def _silent_exit(self, at: int) -> VoiceProblem | None:
        """The app ended the session of its own accord, without a farewell."""
        turn = self.turns[at]
        if self._is_declined(at) or acknowledges(turn.output):
            return None
        if at and self.turns[at - 1].platform_asks:
            return None  # "The reminder is set." after a consent, or its refusal, is the last word
        reason = "the session was over without a farewell"
        if turn.output.strip():
            reason += f" after: '{turn.output[-160:].strip()}'"
        if turn.opens is not None and not self._was_open(at):
            reason += ", though after one answer to one request, which may be all that the app does"
            return self._problem(at, "unexpected_exit", "silent exit", "possible", reason)
        return self._problem(at, "unexpected_exit", "silent exit", "likely", reason)

    def _is_declined(self, at: int) -> bool:
        """Return whether the user declines what the app asked before."""
        before = self.turns[at - 1].output if at else ""
        first = plain_words(self.turns[at].said).split()[:1]
        return first in (["no"], ["nope"], ["nah"]) and bool(dialogue_acts_of(before).requests)

    # Privacy violation

    def _privacy_violations(self, at: int) -> Iterator[VoiceProblem]:
        for request in private_requests(self.turns[at].output, self.turns[at].locale):
            if request.entity in self.facts.allowed:
                continue
            reason = f"it asks for the user's {request.entity}: '{request.sentence}'"
            unsure = request.entity in ("address", "age", "name")
            certainty: Certainty = "likely" if unsure else "sure"
            yield self._problem(at, "privacy_violation", request.entity, certainty, reason)

    # Unstoppable

    def _unstoppable(self, at: int) -> VoiceProblem | None:
        turn = self.turns[at]
        if not turn.stops or not self._was_open(at) or not turn.open or turn.failure:
            return None
        if at and self.turns[at - 1].platform_asks:
            return (
                None  # "cancel" declines what the platform asked, and the app hears of that alone
            )
        if takes_leave(turn.output) and not turn.reported:
            return None
        if _asks_for_confirmation(turn.output):
            return self._ignored_confirmation(at + 1)
        reason = f"told to '{turn.said}', it went on: '{turn.output[:200]}'"
        certainty: Certainty = "sure" if turn.reported else "possible"
        return self._problem(at, "unstoppable", "goes on", certainty, reason)

    def _ignored_confirmation(self, at: int) -> VoiceProblem | None:
        """It asked whether the user is sure; only an ignored yes makes it unstoppable."""
        if at >= len(self.turns):
            return None
        turn = self.turns[at]
        if plain_words(turn.said) not in problem_words().confirmations:
            return None
        if not turn.open or turn.ended_by is not None:
            return None
        reason = (
            f"told to stop and told again that this is wanted, it went on: '{turn.output[:200]}'"
        )
        return self._problem(at, "unstoppable", "goes on", "sure", reason)

    # Unstartable, unexpected app

    def _unstartable(self, at: int) -> VoiceProblem | None:
        turn = self.turns[at]
        if turn.failure and turn.opens_with_request:
            return self._crash(at)
        if turn.failure:
            return self._never_spoke(at, f"it failed at once: {turn.failure[:300]}", "sure")
        # "ask tea corner for the recipe" may be answered by a film without a word
        if turn.speaker == "skill" or turn.hands_over or turn.shows or _ends_at_once(turn):
            return None
        if not turn.reported:
            return None if turn.output else self._never_spoke(at, "it said nothing", "likely")
        if "account" in plain_words(turn.platform):
            return None  # the user has to link an account first
        if _offers_another(turn.platform):
            return None
        reply = turn.platform or "nothing"
        # "ask quiz to repeat" before any question: an empty answer, of a skill that a launch starts
        certainty: Certainty = "possible" if turn.open and turn.opens_with_request else "likely"
        return self._never_spoke(at, f"the platform answered for it: '{reply[:200]}'", certainty)

    def _never_spoke(self, at: int, reason: str, certainty: Certainty) -> VoiceProblem:
        asked_for = self.turns[at].opens
        reason = f"asked for '{asked_for}', {reason}" if asked_for else reason
        return self._problem(at, "unstartable", "never spoke", certainty, reason)

    def _unexpected_app(self, at: int) -> VoiceProblem | None:
        turn = self.turns[at]
        wanted = plain_words(turn.opens or "")
        is_own = any(_is_same_name(wanted, name) for name in self.facts.names)
        if (self.facts.names and not is_own) or turn.foreign is False:
            return None  # another app was asked for, or this one was opened, maybe by a like name
        if turn.skill:
            is_wanted = _is_same_name(wanted, plain_words(turn.skill))
            if is_wanted and not (is_own and turn.foreign):
                return None
            reason = f"asked for '{wanted}', the platform opened '{turn.skill}'"
            return self._problem(at, "unexpected_app", turn.skill[:80], "sure", reason)
        if _offers_another(turn.platform) and wanted not in plain_words(turn.platform):
            reason = f"asked for '{wanted}', the platform offered another: '{turn.platform[:200]}'"
            return self._problem(at, "unexpected_app", "offered", "likely", reason)
        return None


def _ends_at_once(turn: SessionTurn) -> bool:
    """Return whether an app got the request that opened it, and ended: an exit, without a word."""
    return turn.opens_with_request and bool(turn.request) and not turn.open


def _ends_with_question(output: str) -> bool:
    return output.rstrip(_QUOTES).endswith("?")


def _asks_for_confirmation(output: str) -> bool:
    """Return whether an app responds to "stop" by asking whether the user is sure."""
    bare = plain_words(output)
    return _ends_with_question(output) and any(
        contains(bare, word) for word in problem_words().stopping
    )


def _offers_another(platform: str) -> bool:
    return plain_words(platform).startswith(problem_words().offers)


def _is_same_name(wanted: str, name: str) -> bool:
    return wanted.replace(" ", "") == name.replace(" ", "")


# Farewells

_CLAUSE_END = re.compile(r"[.!?…]+[\s\"')\]]*|\n+")
_WISH = re.compile("|".join(f"(?:{pattern})" for pattern in problem_words().wishes))
_MAX_ACKNOWLEDGEMENT_WORDS = 6


def takes_leave(output: str) -> bool:
    """Return whether the last sentence or the one before it is a farewell, or the last a wish.

    "Happy knitting! Would you like another pattern?" expects an answer.
    """
    parts = [bare for part in _CLAUSE_END.split(output) if (bare := plain_words(part))]
    if any(_is_farewell(bare) for bare in parts[-2:]):
        return True
    return bool(parts) and not _ends_with_question(output) and bool(_WISH.fullmatch(parts[-1]))


def acknowledges(output: str) -> bool:
    """Return whether an app says no more than that it stops, such as "Okay, stopping"."""
    bare = plain_words(output)
    short = len(bare.split()) <= _MAX_ACKNOWLEDGEMENT_WORDS
    return short and bare.startswith(problem_words().parting)


def _is_farewell(bare: str) -> bool:
    if bare.startswith(problem_words().greetings):
        return False
    return any(contains(bare, phrase) for phrase in problem_words().farewells)


# Identity of problems, so that one that shows again in another session is recognised

_MAX_KEY = 600
_KEY_PARTS = 3
_SAID = " says "
_STOPPED = "stop"
_LAUNCH = "at a launch"


def problem_key(problem: VoiceProblem, turns: Sequence[SessionTurn]) -> str:
    """Return the class, the form, and what distinguishes a problem from others of that form.

    For an exception that is its type, message and place; for a request what is asked; for an end,
    also one after a question, the output and the intent that it answers.
    """
    return f"{problem.problem_class}: {problem.form}: {_details(problem, turns)[:_MAX_KEY]}"


def failure_class(problem: VoiceProblem) -> str:
    """Return what problems have in common wherever they show: class, form, and exception."""
    name = f"{problem.problem_class}: {problem.form}"
    if problem.raised is None and problem.form != _CRASH:
        return name
    return f"{name}: {_raised_key(problem)[:_MAX_KEY]}"


def same_problem(one: str, other: str) -> bool:
    """Return whether two keys are of one problem.

    Their outputs need only be similar, or their intent the same; exceptions must be equal,
    whatever the class: one that crashes a conversation may also crash a request that opens it.
    """
    first, second = one.split(": ", _KEY_PARTS - 1), other.split(": ", _KEY_PARTS - 1)
    if first == second:
        return True
    if len(first) != len(second) or first[1:2] != second[1:2]:
        return False
    if first[1:2] in ([_CRASH], [_RAISED]):
        return first[2:] == second[2:]
    if first[0] != second[0] or first[0] in get_args(AnswerProblemClass):
        return False
    intent, said = _split_said(first[-1])
    other_intent, other_said = _split_said(second[-1])
    if intent and intent == other_intent:
        return True
    if intent and other_intent and intent in said and other_intent in other_said:
        return False  # "You just triggered OrderIntent": each intent that has no handler of its own
    return output_similarity(said, other_said) >= SAME


def _split_said(details: str) -> tuple[str, str]:
    intent, separator, said = details.partition(_SAID)
    is_intent = bool(separator) and " " not in intent
    return (intent, said) if is_intent else ("", details)


def _details(problem: VoiceProblem, turns: Sequence[SessionTurn]) -> str:
    at = next((place for place, turn in enumerate(turns) if turn.turn == problem.turn), 0)
    if problem.raised is not None or problem.form == _CRASH:
        return _raised_key(problem)
    if problem.problem_class == "privacy_violation":
        return problem.reason
    # "Ash, found at sea, would you like another?" has other words for each recipe, and one cause.
    by_intent = problem.form == _DEAD_QUESTION and bool(turns) and bool(turns[at].intent)
    if problem.form in (_DEAD_QUESTION, _APOLOGY) and not by_intent:
        return turns[at].output if turns else ""
    if by_intent or problem.problem_class in ("unexpected_exit", "unstoppable", "unfilled_value"):
        return _said_details(problem, turns, at)
    return problem.key


def _said_details(problem: VoiceProblem, turns: Sequence[SessionTurn], at: int) -> str:
    """Return the intent and the output of a turn, or the output before it without an intent.

    Without intents only the output before distinguishes the endings of an app.
    """
    intent = turns[at].intent if turns else ""
    if problem.problem_class == "unstoppable" and intent:
        intent = _STOPPED  # "stop" and "cancel" are two words for one thing
    before = (turn.output for turn in reversed(turns[:at]) if turn.output)
    return f"{intent}{_SAID}{turns[at].output}" if intent else next(before, _START)


def _raised_key(problem: VoiceProblem) -> str:
    """Return the type, message and place of an exception, without what differs each time."""
    error = problem.raised
    if error is None:
        return normalised(problem.reason)
    # No handler for a launch is another fault than none for "go home", though both are told alike.
    is_launch = problem.problem_class == "launch_apology" and not error.place
    place = _LAUNCH if is_launch else error.place
    return f"{error.kind} {normalised(error.message)} {place}".strip()
