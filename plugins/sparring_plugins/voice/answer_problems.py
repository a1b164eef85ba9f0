"""Problems of single answers: what they leave open, promise, ignore, or say in the wrong words.

Each detector looks at one turn and those before it. What it needs of the app (how sure the platform
was of the words, the reprompt, slots that the code never names) only some connectors report;
without it a detector is silent.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator

from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.language.vocabulary import vocabulary
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.replies.app_reply import is_no, is_yes
from sparring_plugins.voice.outputs.dialogue_acts import dialogue_acts_of, is_confused
from sparring_plugins.voice.outputs.named_inputs import instructed
from sparring_plugins.voice.outputs.polar_questions import is_offer, polar_question
from sparring_plugins.voice.outputs.words import has_phrase, input_key, language_of, words
from sparring_plugins.voice.session_view import SessionTurn

AnswerProblemClass = Literal[
    "left_open", "template_text", "suggestion_not_understood", "not_understood",
    "answer_not_understood", "ignored_answer", "ignored_slot", "refused_value", "leftover_state",
    "wrong_language", "insult",
]  # fmt: skip

_CONFIRMATION = "confirmation"
_EXACT = frozenset({"sample", "slot", "builtin", _CONFIRMATION})
_FOREIGN = frozenset({"fallback", "forced", "nothing"})
_YES_OR_NO = ("AMAZON.YesIntent", "AMAZON.NoIntent")
# "say hello to me": below this no sample of the model has anything to do with the words.
_UNLIKE = 0.36
# What an app names as something to say is short; a longer one was hardly read right.
_MOST_SUGGESTED_WORDS = 5
# "no to quit" is more than a no.
_MOST_WORDS_OF_YES = 2
# "You can say hello to me!" and "You can say hello!" name the same.
_TO_ME = re.compile(r" to (?:me|us)$")
_FEWEST_WORDS = 5
_FEWEST_ENGLISH = 4


@dataclass(frozen=True)
class AnswerProblem:
    """A problem of the answer in one turn; `key` tells it from others of its class and form."""

    problem_class: AnswerProblemClass
    form: str
    reason: str
    key: str


class AnswerWords(BaseModel):
    """The content of ``answer_words.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    invitations: tuple[str, ...]
    templates: tuple[str, ...]
    saying: tuple[str, ...]
    assistants: frozenset[str]
    insults: dict[str, tuple[str, ...]]
    refusals: tuple[str, ...]
    finishing: frozenset[str]

    @field_validator("insults")
    @classmethod
    def _fold(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {language: tuple(map(folded, insults)) for language, insults in value.items()}


@lru_cache(maxsize=1)
def answer_words() -> AnswerWords:
    """Return the lists of ``answer_words.yaml``, read once."""
    return AnswerWords.model_validate(bundled_yaml("sparring_plugins.voice", "answer_words.yaml"))


def answer_problems(turns: Sequence[SessionTurn], at: int) -> Iterator[AnswerProblem]:
    """Yield the problems of the answer in one turn of a session.

    An answer to an exception is left to the checks that know of exceptions.
    """
    turn = turns[at]
    leftover = _leftover_state(turns, at)
    if leftover is not None:
        yield leftover
    if turn.failure:
        return
    ignored = _suggestion_not_understood(turns, at) or _answer_not_understood(turns, at)
    if ignored is not None:
        yield ignored
    if turn.caught or not turn.answered or not (turn.output or turn.open):
        return
    insult = _insult(turn)
    if insult is not None:
        yield insult
    if _is_broken(turn.output):
        return
    found = (
        _template_text(turn),
        _wrong_language(turn),
        _not_understood(turns, at),
        _ignored_answer(turns, at),
        _ignored_slot(turns, at),
        _refused_value(turn),
        _left_open(turn),
    )
    yield from (problem for problem in found if problem is not None)


def _is_broken(output: str) -> bool:
    return dialogue_acts_of(output).broken


# A session that stays open although the app wants nothing


def _left_open(turn: SessionTurn) -> AnswerProblem | None:
    """The microphone is open, and neither the answer nor the reprompt says what for.

    "Your order will be ready shortly. Thank you!" with an open session leaves the user in silence,
    and then hears the same again.
    """
    if not (turn.open and turn.listens and turn.output) or turn.prompted or turn.platform_asks:
        return None
    if (
        turn.shows
        or turn.offers_choices
        or not turn.locale.startswith("en")
        or _has_sound(turn.output)
    ):
        return None
    if is_confused(turn.output) or _template_in(turn.output):
        return None  # other checks tell of these
    if _invites(turn.output) or _invites(turn.reprompt):
        return None
    reason = f"the session stays open, and nothing is asked: '{_quotation(turn.output)}'"
    # Handlers that are written alike have it all; that is one fault, with several places.
    return AnswerProblem("left_open", "nothing asked", reason, "")


def _invites(text: str) -> bool:
    """Whether a text wants something from the user; a template's note to the developer does not."""
    if _template_in(text):
        return False
    return "?" in text or has_phrase(folded(text), answer_words().invitations)


def _has_sound(output: str) -> bool:
    """Whether something is played: what is asked may be in it."""
    return "<" in output


# Texts that no user should hear


def _template_text(turn: SessionTurn) -> AnswerProblem | None:
    for text, place in ((turn.output, "says"), (turn.reprompt, "answers silence with")):
        phrase = _template_in(text)
        # "You just triggered OrderIntent", and the end, is an exit without a farewell
        if phrase and turn.open:
            reason = f"it {place} a text of a template: '{_quotation(text)}'"
            return AnswerProblem("template_text", phrase, reason, phrase)
    return None


def _template_in(text: str) -> str:
    bare = folded(text)
    return next((one for one in answer_words().templates if contains(bare, one)), "")


def _wrong_language(turn: SessionTurn) -> AnswerProblem | None:
    """An English sentence of an app that is asked in another language."""
    language = language_of(turn.locale)
    if language in ("", "English") or not turn.open:
        return None
    for text in (turn.output, turn.reprompt):
        if _template_in(text):
            continue
        for sentence in sentences(plain(text)):
            if _is_english(sentence, language):
                reason = f"asked in {turn.locale}, it says '{sentence.strip()[:200]}'"
                return AnswerProblem("wrong_language", "English", reason, folded(sentence))
    return None


def _is_english(sentence: str, language: str) -> bool:
    """Whether a sentence has many English words and hardly any of the app's own language.

    "No", "a" and "me" are words of several languages, and count for none.
    """
    parts = folded(sentence).split()
    quotes = any(sign in sentence for sign in '"“«')  # a phrase to translate, the title of a song
    small = vocabulary().small
    english = sum(part in small["English"] - small[language] for part in parts)
    others = sum(part in small[language] - small["English"] for part in parts)
    enough = english >= _FEWEST_ENGLISH and 2 * english >= len(parts) and others <= 1
    return not quotes and len(parts) >= _FEWEST_WORDS and enough


def _insult(turn: SessionTurn) -> AnswerProblem | None:
    insults = answer_words().insults.get((turn.locale or "en")[:2].lower(), ())
    for text, place in ((turn.output, "says"), (turn.reprompt, "answers silence with")):
        bare = folded(text)
        insult = next((one for one in insults if contains(bare, one)), "")
        if insult and not contains(folded(turn.said), insult):
            reason = f"it {place} '{_quotation(text)}'"
            return AnswerProblem("insult", "insult", reason, insult)
    return None


# What the app says can be said, and what it declares


def _suggestion_not_understood(turns: Sequence[SessionTurn], at: int) -> AnswerProblem | None:
    """The app named words to say, the user says them, and nothing in its model is like them."""
    turn = turns[at]
    if at == 0 or turn.how not in _FOREIGN or turns[at - 1].prompted:
        return None
    if _likeness(turn) >= _UNLIKE or not _is_lost(turn):
        return None
    said = input_key(turn.said)
    for sentence in sentences(plain(turns[at - 1].output)):
        is_short = len(turn.said.split()) <= _MOST_SUGGESTED_WORDS
        if is_short and _tells_to_say(sentence, said):
            answer = f"'{turn.output[:120].strip()}'" if turn.output else "nothing"
            reason = f"it says '{_quotation(sentence)}', and answers '{turn.said}' with {answer}"
            return AnswerProblem("suggestion_not_understood", "says", reason, _TO_ME.sub("", said))
    return None


def _tells_to_say(sentence: str, said: str) -> bool:
    """Whether a sentence tells the user to say just these words.

    "Please try speaking more clearly" and "You can add a location" tell what to do.
    """
    if said in answer_words().assistants:
        return False
    if not any(input_key(phrase) == said for phrase in instructed(sentence)):
        return False
    head, found, _ = folded(sentence).partition(folded(said))
    return bool(found) and has_phrase(head, answer_words().saying)


def _likeness(turn: SessionTurn) -> float:
    """Return how like the words are to the nearest sample of the model."""
    return 1 - turn.score if turn.how == "fallback" else turn.score


def _is_lost(turn: SessionTurn) -> bool:
    """Whether an answer shows that the words meant nothing.

    An app does not even get the words that the platform took for its fallback.
    """
    if turn.how == "fallback":
        return True
    nothing = turn.speaker == "platform" or not turn.answered or not turn.output
    return nothing or bool(turn.caught) or is_confused(turn.output)


def _answer_not_understood(turns: Sequence[SessionTurn], at: int) -> AnswerProblem | None:
    """A question for yes or no, and no intent for either."""
    turn = turns[at]
    if at == 0 or turn.how not in _FOREIGN or not _is_lost(turn):
        return None
    before = turns[at - 1]
    question = _polar_question(before)
    if _polarity(turn) is None or not question or before.prompted:
        return None
    if _likeness(turn) >= _UNLIKE or _names_inputs(before.output) or is_confused(before.output):
        return None
    answer = f"'{turn.output[:120].strip()}'" if turn.output else "nothing"
    reason = f"it asks '{question[:200]}', and answers '{turn.said}' with {answer}"
    # An app without intents for yes and no has that fault once, however many questions it asks.
    return AnswerProblem("answer_not_understood", "yes or no", reason, "")


def _names_inputs(output: str) -> bool:
    """Whether an output says itself what is to be said: "More? Say next, or stop"."""
    return any(instructed(sentence) for sentence in sentences(plain(output)))


def _not_understood(turns: Sequence[SessionTurn], at: int) -> AnswerProblem | None:
    """The platform understood words of the app's own model, and the app says it did not."""
    turn = turns[at]
    confirmed = turn.how == _CONFIRMATION
    if not turn.open or not _is_own_answer(turns, at):
        return None
    parts = [folded(one) for one in sentences(plain(turn.output))]
    lost = [part for part in parts if has_phrase(part, words().not_understood)]
    if not lost:
        return None
    if not confirmed and any(_invites(part) for part in parts if part not in lost):
        return None  # it says what else to say
    what = "answers its question" if confirmed else f"is an utterance of its {turn.intent}"
    reason = f"'{turn.said}' {what}, and it says '{_quotation(turn.output)}'"
    # Handlers that only know a yes are written alike, as are those that stay open.
    key = _CONFIRMATION if confirmed else folded(turn.output)
    return AnswerProblem("not_understood", "own words", reason, key)


def _is_own_answer(turns: Sequence[SessionTurn], at: int) -> bool:
    """Whether a turn answers a question, or has a value of a list, as the app's model knows it."""
    turn = turns[at]
    if turn.how not in _EXACT or any(one.known is False for one in turn.slots):
        return False
    confirms = turn.how == _CONFIRMATION or _answers_question(turns, at)
    return confirms or any(one.known for one in turn.slots)


def _answers_question(turns: Sequence[SessionTurn], at: int) -> bool:
    """Whether a turn says yes or no, understood as such, to a question for yes or no."""
    is_polar = turns[at].intent in _YES_OR_NO or _polarity(turns[at]) is not None
    return at > 0 and is_polar and bool(_polar_question(turns[at - 1]))


# Answers and values that make no difference


def _ignored_answer(turns: Sequence[SessionTurn], at: int) -> AnswerProblem | None:
    """A yes that starts over what it was to finish, or a no that is answered as a yes."""
    turn = turns[at]
    if at == 0 or turn.how not in _EXACT or not turn.open or is_confused(turn.output):
        return None
    question, polarity = _polar_question(turns[at - 1]), _polarity(turn)
    if not question or polarity is None:
        return None
    if polarity and _starts_over(turns, at, question):
        reason = f"yes to '{question}' leads back to '{_quotation(turn.output)}'"
        return AnswerProblem("ignored_answer", "starts over", reason, folded(question))
    if is_offer(question) and _is_answered_alike(turns, at, question, not polarity):
        reason = f"yes and no to '{question}' are answered alike: '{_quotation(turn.output)}'"
        return AnswerProblem("ignored_answer", "no as yes", reason, folded(question))
    return None


def _is_answered_alike(
    turns: Sequence[SessionTurn], at: int, question: str, polarity: bool
) -> bool:
    """Whether the other answer to a question was answered in the same words before."""
    return any(
        _polarity(turns[before]) is polarity
        and turns[before].how in _EXACT
        and turns[before].output == turns[at].output
        and _polar_question(turns[before - 1]) == question
        for before in range(1, at)
    )


def _polar_question(turn: SessionTurn) -> str:
    """Return the question for yes or no that an answer ends with; empty if there is none."""
    return "" if not turn.open or turn.platform_asks else polar_question(turn.output)


def _polarity(turn: SessionTurn) -> bool | None:
    """Return whether a turn says yes or no, and no more; `None` if it says neither."""
    if len(turn.said.split()) > _MOST_WORDS_OF_YES:
        return None
    return True if is_yes(turn.said) else False if is_no(turn.said) else None


def _starts_over(turns: Sequence[SessionTurn], at: int, question: str) -> bool:
    """Whether the last yes leads back to a question that was asked, and answered, before."""
    if not answer_words().finishing & set(folded(question).split()):
        return False
    reply = turns[at].output
    return "?" in reply and any(turn.output == reply for turn in turns[: at - 1])


def _ignored_slot(turns: Sequence[SessionTurn], at: int) -> AnswerProblem | None:
    """A value that was asked for is never read by the app's code."""
    turn = turns[at]
    if turn.how not in _EXACT:
        return None
    unread = {f"{turn.intent}.{one.name}": one.value for one in turn.slots}
    lost = [value for name, value in unread.items() if name in turn.unread]
    if not any(folded(value) not in folded(turn.output) for value in lost):
        return None
    reason = f"its code never names the slots {', '.join(turn.unread)}: what is said is lost"
    # Code that reads no slot is one fault, however many intents have slots.
    return AnswerProblem("ignored_slot", "never read", reason, "")


def _refused_value(turn: SessionTurn) -> AnswerProblem | None:
    """A value of the app's own list that its code leaves out, and the answer turns down."""
    lost = [one for one in turn.slots if one.name in turn.unsupported and one.known]
    if turn.how not in _EXACT or not lost or turn.cut_off:
        return None
    if not has_phrase(folded(turn.own), answer_words().refusals):
        return None
    values = ", ".join(f"'{one.value}'" for one in lost)
    reason = f"its own list of {lost[0].name} has {values}, and it says '{_quotation(turn.own)}'"
    return AnswerProblem("refused_value", "own value", reason, lost[0].name)


# What one session leaves for the next


def _leftover_state(turns: Sequence[SessionTurn], at: int) -> AnswerProblem | None:
    """Two sessions with equal inputs, of which the second says something else.

    The code changes variables of its module, and uses neither chance nor the time nor a store. "The
    total is 300", and for the next customer, who orders the same, "The total is 600".
    """
    turn = turns[at]
    if not turn.shared or not turn.own or turn.caught or is_confused(turn.own):
        return None
    before = _same_turn_of_last_session(turns, at)
    if before is None or before.caught or before.own in ("", turn.own):
        return None
    names = ", ".join(turn.shared)
    then, now = _first_difference(before.own, turn.own)
    reason = f"a session says '{then}', and the next with the same inputs "
    reason += f"'{now}': variables outlive sessions ({names})"
    return AnswerProblem("leftover_state", "differs", reason, "")


def _first_difference(one: str, other: str) -> tuple[str, str]:
    """Return the first sentences in which two outputs differ."""
    pairs = zip(sentences(plain(one)), sentences(plain(other)), strict=False)
    different = ((a, b) for a, b in pairs if a != b)
    first, second = next(different, (one, other))
    return _quotation(first), _quotation(second)


def _same_turn_of_last_session(turns: Sequence[SessionTurn], at: int) -> SessionTurn | None:
    """Return the turn of the session before that has the same inputs before it, if there is one."""
    opened = [0, *(place for place in range(1, at + 1) if turns[place].request)]
    start = opened[-1]
    before = opened[-2] + at - start if len(opened) > 1 else start
    if not 0 < before < start:
        return None
    is_same = _inputs(turns[opened[-2] : before + 1]) == _inputs(turns[start : at + 1])
    return turns[before] if is_same else None


def _inputs(session: Sequence[SessionTurn]) -> list[str]:
    """Return the inputs of a session; each launch is the same, in whatever words."""
    first = "" if session[0].request == "LaunchRequest" else input_key(session[0].said)
    return [first, *(input_key(turn.said) for turn in session[1:])]


def _quotation(text: str) -> str:
    return " ".join(text.split())[:200]
