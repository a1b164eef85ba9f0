"""When a conversation is over, and whose doing it is if it led to nothing.

SENSEI counts loops and goals not reached against the app. A test report must not: a user that
leaves at once, says the same thing again and again or may take two turns only reaches nothing
with any app.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from sparring.interfaces.roles import ExtractTask, OutputSpec, UserTask
from sparring.model.talk import Ended, Incident, Listen, Turn, act_text, meant_by
from sparring.model.verdict import Owner
from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.similarity import Fallbacks, overlap
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import has_cue, starts_with_cue
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.replies.app_reply import AppReply, read_app_reply
from sparring_plugins.users.agenda.state.open_form import FORM_KINDS, is_complaint
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.agenda.words.phrase_book import is_leaving, is_word_to_stop
from sparring_plugins.users.contradictions.loops import is_valid_answer
from sparring_plugins.users.extraction.exchanges import Exchange, exchanges, expected_kind
from sparring_plugins.users.extraction.extractor import readings
from sparring_plugins.users.extraction.output_form import OutputForm, output_form
from sparring_plugins.users.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class TurnLimit:
    """At most `turns` turns of the user; `by_goals` says that it ends early with the goals met."""

    turns: int
    by_goals: bool


def turn_limit(profile: Profile, seed: int, max_turns: int) -> TurnLimit:
    """The limit that a profile's goal style sets for one case (SENSEI, ``goal_style``).

    ``steps`` is a number of user turns, ``random steps`` a number up to it drawn with the case's
    seed; ``all_answered`` ends with the goals, at the latest after its limit; if steps are
    given besides, whichever comes first. A limit of cost alone leaves the turns to `max_turns`.
    """
    steps = profile.steps or max_turns
    match profile.goal_style:
        case "steps":
            return TurnLimit(min(steps, max_turns), by_goals=False)
        case "cost":
            return TurnLimit(max_turns, by_goals=False)
        case "random steps":
            return TurnLimit(min(Random(seed).randint(1, steps), max_turns), by_goals=False)
        case _:
            return TurnLimit(min(steps, profile.limit, max_turns), by_goals=True)


MESSAGES = 3
"""Different messages that lead nowhere before that is the app's doing.

"What is your phone number?" again after "It is 555 0144", "555 0144" and "My number is 555 0144" is
the app's; the same answer to "Hello?", "Hello?" and "Hello?" is what any app gives.
"""

_ASKED = 0.6
"""Share of an output's concepts that a message must have in it to ask for the output."""

_ANY_DAY = date(2000, 1, 3)
"""The day that relative dates count from: only whether a date is said counts here."""


@dataclass(frozen=True, slots=True)
class ConversationOutcome:
    """How a conversation went.

    `exhausted` says that the user had no turn left, `all_met` that all goals were met as far as
    the user can tell. If a goal checker decides that, `checker` is how the suite calls it, and
    `all_claimed` says whether the user itself takes all goals for met.
    """

    turns: Sequence[Turn]
    brief: UserTask
    fallbacks: Fallbacks
    ended: Ended
    exhausted: bool
    all_met: bool
    incidents: Sequence[Incident] = ()
    checker: str | None = None
    all_claimed: bool = False

    @property
    def spoken(self) -> list[Turn]:
        """The turns in which the user did something."""
        return [turn for turn in self.turns if not isinstance(turn.act, Listen)]


def loop_owner(turns: Sequence[Turn]) -> Owner:
    """Return whose doing it is that these turns led nowhere.

    It is the app's if it said nothing at all, or had at least `MESSAGES` different ones to answer
    and did not say what it expects; a user that says the same again and again, or what is no answer
    to the question, goes in circles itself.
    """
    # an app that says nothing at all has no excuse, whatever the user said
    silent = all(turn.observation is None or not turn.observation.text for turn in turns)
    if silent:
        return Owner.APP
    # "Hello?" to "Which day?" is no message that the app had to understand
    answers = [turn for turn in turns if not _may_miss_question(turns, turn)]
    is_apps = different_messages(answers) >= MESSAGES
    is_apps = is_apps and not _says_how_to_answer(turns) and not gave_up(turns)
    return Owner.APP if is_apps else Owner.SIMULATED_USER


def _says_how_to_answer(turns: Sequence[Turn]) -> bool:
    """Whether an app says what is wrong with each answer, or which signs it takes.

    "Two lamps, please." to "Keys 1 to 4 only." is no answer that it had to understand; if it takes
    none of "1", "2" and "1, 2" either, it says nothing.
    """
    said = [turn.observation.text for turn in turns if turn.observation is not None]
    # "An ID has five digits."
    if any(says(folded(text), "complaints") for text in said):
        return True
    in_signs = {act for turn in turns if _SIGNS.fullmatch(act := meant_by(turn.act).strip())}
    names_signs = any(_names_signs(sentence) for text in said for sentence in sentences(text))
    return names_signs and len(in_signs) < MESSAGES


def _names_signs(sentence: str) -> bool:
    """Whether a sentence names the signs that an app takes: "Keys 1 to 4, nothing else."."""
    words = folded(sentence)
    if says(words, "signs") and says(words, "restricting"):
        return True
    return says(words, "answering") and _SIGN.search(sentence) is not None


_SIGN = re.compile(r"(?<![\w.,:/€$£-])(?:\d|[B-Z])(?![\w.,:/%€$£-]*\w)")
"""A digit or a capital letter of its own: "Press 1 or 2", but not "from 10:30"."""

_SIGNS = re.compile(r"[\dA-Za-z](?:[ ,;]+[\dA-Za-z])*")
"""An answer of single signs: "2", "b", "1, 3"."""


def gave_up(turns: Sequence[Turn]) -> bool:
    """Return whether the user left a form that it did not know how to answer: "Cancel".

    What it tried before that were guesses, which no app has to understand; but an app that asks for
    a day and takes none of several is no better for being left.
    """
    left = [at for at, turn in enumerate(turns) if is_word_to_stop(folded(meant_by(turn.act)))]
    return any(not _asks_for_written(_last_asking(turns[:at])) for at in left)


def _asks_for_written(reply: AppReply | None) -> bool:
    """Whether a reply asks for a datum of which anybody sees whether it is one."""
    words = [question.words for question in reply.questions] if reply is not None else []
    return any(asked_kinds(text) & _WRITTEN for text in words)


_WRITTEN = frozenset({"date", "time", "email", "phone"})


def unreached_owner(
    outcome: ConversationOutcome, missing: Sequence[OutputSpec]
) -> tuple[Owner, str]:
    """Return whose doing it is that outputs are missing, and why, if it is not the app's.

    What broke the conversation off decides first. Else it is the app's if it ended the
    conversation by itself, did not understand several different messages, or verifiably never said
    what is missing although the user brought up all it wanted.
    """
    if outcome.incidents:
        return _breaking_owner(outcome.incidents)
    spoken = outcome.spoken
    if not spoken:
        return Owner.SIMULATED_USER, "the user said nothing"
    if _is_misunderstood(outcome):
        return Owner.APP, ""
    # a limit that cut the talk off says nothing about the app, unless it was dodging
    if outcome.exhausted and outcome.ended is not Ended.APP_ENDED:
        dodged = outcome.all_met and _dodges(outcome, missing)
        return (Owner.APP, "") if dodged else _at_the_limit(spoken)
    if was_ended_by_app(outcome):
        return Owner.APP, ""
    # fewer messages than goals: one of them was never brought up
    if not outcome.all_met and different_messages(spoken) < len(outcome.brief.goals):
        return Owner.SIMULATED_USER, "the user left before it had said what it wants"
    if not outcome.all_met:
        if doubt := doubt_of_checker(outcome):
            return Owner.JUDGE, doubt
        return Owner.SIMULATED_USER, "the user gave up before its goals were met"
    if _dodges(outcome, missing):
        return Owner.APP, ""
    if _leaves_unsaid(outcome, missing):
        return Owner.SIMULATED_USER, "the user left a question of the app unanswered"
    return Owner.SIMULATED_USER, "the app may have said it, and no value was extracted"


def doubt_of_checker(outcome: ConversationOutcome) -> str:
    """Return why goals are open if a goal checker decides; empty if the user itself does.

    Its word alone counts, so that whoever doubts it has to look at the checker.
    """
    if outcome.checker is None:
        return ""
    if outcome.all_claimed:
        return f"the user takes all goals for met, the goal checker {outcome.checker} does not"
    return f"the goal checker {outcome.checker} did not find it met"


def _breaking_owner(incidents: Sequence[Incident]) -> tuple[Owner, str]:
    """Return whose doing it is that incidents broke a conversation off; the app's comes last."""
    for incident in incidents:
        # a broken connection may make the app look broken, too
        if incident.owner is not Owner.APP:
            return incident.owner, f"the conversation broke off ({incident.kind.value})"
    return Owner.APP, ""


def _dodges(outcome: ConversationOutcome, missing: Sequence[OutputSpec]) -> bool:
    """Whether the app never said an output, and was not waiting for an answer of the user's.

    "Leave your e-mail, or write no." five times to a user that asks for the number of its report:
    the number may come after the answer.
    """
    if not _leaves_unsaid(outcome, missing):
        return False
    return not outcome.spoken or not _may_miss_question(outcome.turns, outcome.spoken[-1])


def _leaves_unsaid(outcome: ConversationOutcome, missing: Sequence[OutputSpec]) -> bool:
    """Whether the app plainly never said one of the missing outputs."""
    return any(_is_unsaid(outcome, spec, plainly=True) for spec in missing)


def _is_misunderstood(outcome: ConversationOutcome) -> bool:
    """Whether the app understood none of several different messages, and had to."""
    unanswered = _unanswered_turns(outcome)
    if different_messages(unanswered) < MESSAGES:
        return False
    # giving up a form counts only if the misunderstanding was in that form
    since = outcome.turns.index(unanswered[0])
    return not gave_up(outcome.turns[since:]) and _nothing_understood(outcome, unanswered)


def _nothing_understood(outcome: ConversationOutcome, unanswered: Sequence[Turn]) -> bool:
    """Whether the app has answered nothing that the user said, and did not say what it expects.

    An app that took an order and then answers four wordings of a question with "I did not get that.
    You can: order, track, cancel" has said what it can do: the question may be the user's fault.
    So has one that says why it does not: "We are closed on Mondays. Which day would you like?"
    """
    if any(read_app_reply(turn.observation).turns_down for turn in outcome.spoken):
        return False
    explained = any(
        turn.observation is not None
        and any(
            says(folded(turn.observation.text), phrases) for phrases in ("complaints", "abilities")
        )
        for turn in unanswered
    )
    explained = explained or any(_may_miss_question(outcome.turns, turn) for turn in unanswered)
    return len(unanswered) == len(outcome.spoken) or (not explained and len(unanswered) > MESSAGES)


def _may_miss_question(turns: Sequence[Turn], turn: Turn) -> bool:
    """Whether a message may be no answer to what the app had just asked.

    "Who is the message for? I know Ada and Bo." again after three messages that name neither is
    the user's doing.
    """
    place = next((at for at, other in enumerate(turns) if other is turn), 0)
    before = _last_asking(turns[:place])
    # "Anything else?" may be answered by anything; "Which day?" needs a day
    asked = [q for q in before.questions if q.kind in FORM_KINDS] if before is not None else []
    said = meant_by(turn.act)
    return (
        before is not None
        and bool(asked)
        and not any(is_valid_answer(question, before.text, said) for question in asked)
    )


def _last_asking(turns: Sequence[Turn]) -> AppReply | None:
    """The reply whose question is still open: the last one, or one before complaints and repeats.

    "Neither a number nor an address." and "Sorry?" leave the question before them open, and so does
    what an app answers again and again. Other than for `open_form`, a main menu counts as well: who
    asks for the price instead of choosing from it may have missed its question.
    """
    replies = [read_app_reply(turn.observation) for turn in turns]
    counts = Counter(reply.words for reply in replies)
    for reply in reversed(replies):
        if reply.questions or not (is_complaint(reply) or counts[reply.words] > 1):
            return reply
    return None


def was_ended_by_app(outcome: ConversationOutcome) -> bool:
    """Whether the app ended the conversation before the user took its leave, or thanked it."""
    return (
        outcome.ended is Ended.APP_ENDED
        and not _takes_leave(outcome.turns)
        and not thanks_were_leave(outcome)
    )


def thanks_were_leave(outcome: ConversationOutcome) -> bool:
    """Whether the app may have taken the user's thanks for its leave.

    Some apps answer "Thank you. And how long is it valid?" with "Goodbye!".
    """
    words = folded(_find_last_choice(outcome.turns))
    ended = outcome.ended is Ended.APP_ENDED
    return ended and has_cue(words, "thanks") and not _takes_leave(outcome.turns)


def _takes_leave(turns: Sequence[Turn]) -> bool:
    """Whether the user's last words say goodbye, or that it wants nothing more."""
    words = folded(_find_last_choice(turns))
    leaves = has_cue(words, "farewell") or is_leaving(words)
    return leaves or _wants_nothing_else(turns, words)


def _wants_nothing_else(turns: Sequence[Turn], words: str) -> bool:
    """Whether the user's last words decline what the app asked or offered.

    "no thnaks, thats al" is a leave, whatever its spelling; and "No" to "Can I be of use with
    something smaller?" leaves nothing to do for an app that takes its leave then.
    """
    before = read_app_reply(turns[-2].observation) if len(turns) > 1 else None
    # "No" to "Which size?" is a bad answer, and no leave
    asked = before is not None and before.asks("more", "offer", "fact")
    return asked and starts_with_cue(words, "negative")


def _find_last_choice(turns: Sequence[Turn]) -> str:
    """What the user said last, in words if it was the number of an option of a menu."""
    said = meant_by(turns[-1].act).strip()
    menu = read_app_reply(turns[-2].observation) if len(turns) > 1 else None
    for question in menu.questions if menu is not None else ():
        if said in question.marks:
            return question.options[question.marks.index(said)]
    return said


def _at_the_limit(spoken: Sequence[Turn]) -> tuple[Owner, str]:
    # half of the turns said nothing new, so more turns would not have helped
    if different_messages(spoken) <= len(spoken) // 2:
        return Owner.SIMULATED_USER, "the user repeated itself until its turns were over"
    return Owner.TEST, f"the user may take {len(spoken)} turns, which were too few"


def different_messages(turns: Sequence[Turn]) -> int:
    """Return how many different messages the user sent."""
    return len({folded(act_text(turn.act)) for turn in turns})


def _unanswered_turns(outcome: ConversationOutcome) -> list[Turn]:
    """The turns of the user that the app did not understand, or answered as it did before."""
    telling = {exchange.index for exchange in exchanges(outcome.turns) if exchange.informative}
    return [
        turn
        for index, turn in enumerate(outcome.turns)
        if not isinstance(turn.act, Listen)
        and (index not in telling or is_fallback(turn, outcome.fallbacks))
    ]


def is_fallback(turn: Turn, fallbacks: Fallbacks) -> bool:
    """Whether the app did not answer a turn, or only with one of its fallbacks."""
    return turn.observation is None or fallbacks.match(turn.observation.text)


def _is_unsaid(outcome: ConversationOutcome, spec: OutputSpec, *, plainly: bool = False) -> bool:
    """Whether the app verifiably never said an output.

    It did not if nothing in its answers can be read as a value of the declared type. Once the user
    has asked for the output, an answer before that with several such values is a list of others (a
    menu has prices), but one with a single value may be what is meant. With `plainly`, the user
    must have asked, and the app have answered without a question of its own: "It costs $." is no
    price, but "Which size?" may lead to one.
    """
    said = exchanges(outcome.turns)
    if plainly and _may_be_said(spec, said):
        return False
    counts = _value_counts(outcome, spec, said)
    form = output_form(spec)
    asked = _turns_asking_for(form, said, plainly=plainly)
    if not plainly and form.is_typed and not any(counts.values()):
        return True
    if not asked:
        return False
    # "Your cabin is £80." before the question for the price may be what is meant
    before = [count for index, count in counts.items() if index < asked[0]]
    after = [count for index, count in counts.items() if index >= asked[0]]
    return not (form.is_typed and 1 in before) and not any(after)


def _turns_asking_for(output: OutputForm, said: Sequence[Exchange], *, plainly: bool) -> list[int]:
    """The turns that ask for an output; with `plainly`, those answered without a question."""
    return [
        exchange.index
        for exchange in said
        if _asks_for(output, exchange) and not (plainly and _evades(exchange.said))
    ]


def _evades(said: str) -> bool:
    """Whether a reply asks something itself, or did not understand: neither leaves a value out."""
    words = folded(said)
    # "Which cabin?" may lead to the price, so that its absence proves nothing yet
    return "?" in said or has_cue(words, "fallback") or has_cue(words, "sorry")


def _may_be_said(spec: OutputSpec, said: Sequence[Exchange]) -> bool:
    """Whether a day or an hour in a reply may be the output though it was not read as one.

    An app that reads the user's own day back has said the day of the booking.
    """
    finders = {"date": date_spans, "time": find_times}
    find = finders.get(spec.type)
    if find is None:
        return spec.type not in ("money", "int", "float", "email", "phone", "url")
    return any(find(exchange.said) for exchange in said)


def _value_counts(
    outcome: ConversationOutcome, spec: OutputSpec, said: Sequence[Exchange]
) -> dict[int, int]:
    """By turn, how many different values of an output a reply may be read to have.

    A reply that informs counts as one for an output that is no value of a type.
    """
    if not output_form(spec).is_typed:
        return {exchange.index: int(exchange.informative) for exchange in said}
    brief = outcome.brief
    task = ExtractTask(
        turns=tuple(outcome.turns),
        outputs=(spec,),
        inputs=brief.inputs,
        domains=brief.domains,
        language=brief.language,
        today=_ANY_DAY,
    )
    return {
        exchange.index: len({str(value) for _, value in readings(spec, exchange, task)})
        for exchange in said
    }


def _asks_for(output: OutputForm, exchange: Exchange) -> bool:
    """Whether the user asked for an output: "How much is a bag of coffee?" for a coffee's price."""
    asked = exchange.asked_concepts
    # "How much is it?" asks for the only price that the goals are about
    about = not output.specific or bool(output.specific & asked)
    return overlap(output.wanted, asked) >= _ASKED or (
        about and expected_kind(exchange.asked) == output.form
    )
