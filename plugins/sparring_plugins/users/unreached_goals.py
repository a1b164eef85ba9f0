"""Whose doing it is that a conversation went in circles, or ended without what the user wanted.

SENSEI counts both against the app. A test report must not: a user that leaves at once, says the
same thing again and again or may take two turns only reaches nothing with any app.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sparring.interfaces.roles import ExtractTask, OutputSpec, UserTask
from sparring.model.talk import Ended, Incident, Listen, Turn, act_text
from sparring.model.verdict import Owner
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.language.stems import overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.extraction.exchanges import Exchange, exchanges
from sparring_plugins.users.extraction.expected_answers import expected
from sparring_plugins.users.extraction.output_form import Sought, sought
from sparring_plugins.users.extraction.search import readings

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
class Course:
    """How a conversation went.

    `exhausted` says that the user had no turn left, `all_met` that all goals were met as far as
    the user can tell.
    """

    turns: Sequence[Turn]
    brief: UserTask
    fallbacks: Fallbacks
    ended: Ended
    exhausted: bool
    all_met: bool
    incidents: Sequence[Incident] = ()

    @property
    def spoken(self) -> list[Turn]:
        """The turns in which the user did something."""
        return [turn for turn in self.turns if not isinstance(turn.act, Listen)]


def loop_owner(turns: Sequence[Turn]) -> Owner:
    """Return whose doing it is that these turns led nowhere.

    It is the app's if it said nothing at all, or had at least `MESSAGES` different ones to answer;
    a user that says the same again and again goes in circles itself.
    """
    silent = all(turn.observation is None or not turn.observation.text for turn in turns)
    return Owner.APP if silent or _different(turns) >= MESSAGES else Owner.SIMULATED_USER


def unreached_owner(course: Course, missing: Sequence[OutputSpec]) -> tuple[Owner, str]:
    """Return whose doing it is that outputs are missing, and why, if it is not the app's.

    What broke the conversation off decides first. Else it is the app's if it ended the
    conversation by itself, did not understand several different messages, or verifiably never said
    what is missing although the user brought up all it wanted.
    """
    for incident in course.incidents:
        if incident.owner is not Owner.APP:
            return incident.owner, f"the conversation broke off ({incident.kind.value})"
    spoken = course.spoken
    if course.incidents:
        return Owner.APP, ""
    if not spoken:
        return Owner.SIMULATED_USER, "the user said nothing"
    if _different(_in_vain(course)) >= MESSAGES:
        return Owner.APP, ""
    if course.exhausted and course.ended is not Ended.APP_ENDED:
        dodged = any(_is_unsaid(course, spec, plainly=True) for spec in missing)
        return (Owner.APP, "") if dodged else _at_the_limit(spoken)
    leaves = has_cue(folded(act_text(spoken[-1].act)), "farewell")
    if course.ended is Ended.APP_ENDED and not leaves:
        return Owner.APP, ""
    if not course.all_met and _different(spoken) < len(course.brief.goals):
        return Owner.SIMULATED_USER, "the user left before it had said what it wants"
    if any(_is_unsaid(course, spec) for spec in missing):
        return Owner.APP, ""
    return Owner.SIMULATED_USER, "the app may have said it, and no value was extracted"


def _at_the_limit(spoken: Sequence[Turn]) -> tuple[Owner, str]:
    if _different(spoken) <= len(spoken) // 2:
        return Owner.SIMULATED_USER, "the user repeated itself until its turns were over"
    return Owner.TEST, f"the user may take {len(spoken)} turns, which were too few"


def _different(turns: Sequence[Turn]) -> int:
    """How many different messages the user sent."""
    return len({folded(act_text(turn.act)) for turn in turns})


def _in_vain(course: Course) -> list[Turn]:
    """The turns of the user that the app did not understand, or answered as it did before."""
    telling = {one.index for one in exchanges(course.turns) if one.informative}
    return [
        turn
        for index, turn in enumerate(course.turns)
        if not isinstance(turn.act, Listen)
        and (index not in telling or _is_fallback(turn, course.fallbacks))
    ]


def _is_fallback(turn: Turn, fallbacks: Fallbacks) -> bool:
    return turn.observation is None or fallbacks.match(turn.observation.text)


def _is_unsaid(course: Course, spec: OutputSpec, *, plainly: bool = False) -> bool:
    """Whether the app verifiably never said an output.

    It did not if nothing in its answers can be read as a value of the declared type. Once the user
    has asked for the output, an answer before that with several such values is a list of others (a
    menu has prices), but one with a single value may be what is meant. With `plainly`, the user
    must have asked, and the app have answered without a question of its own: "It costs $." is no
    price, but "Which size?" may lead to one.
    """
    said = exchanges(course.turns)
    brief = course.brief
    task = ExtractTask(
        turns=tuple(course.turns),
        outputs=(spec,),
        inputs=brief.inputs,
        domains=brief.domains,
        language=brief.language,
        today=_ANY_DAY,
    )
    form = sought(spec)
    typed = form.form not in ("statement", "bool", "name")

    def values(one: Exchange) -> int:
        if not typed:
            return int(one.informative)
        return len({str(value) for _, value in readings(spec, one, task)})

    asked = [one.index for one in said if _asks_for(form, one)]
    if plainly:
        asked = [one.index for one in said if one.index in asked and "?" not in one.said]
    elif typed and not any(map(values, said)):
        return True
    if not asked:
        return False
    before = (typed and values(one) == 1 for one in said if one.index < asked[0])
    return not any(before) and not any(values(one) for one in said if one.index >= asked[0])


def _asks_for(output: Sought, one: Exchange) -> bool:
    """Whether the user asked for an output: "How much is a bag of coffee?" for a coffee's price."""
    asked = one.asked_concepts
    about = not output.specific or bool(output.specific & asked)
    return overlap(output.wanted, asked) >= _ASKED or (about and expected(one.asked) == output.form)
