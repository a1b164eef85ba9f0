"""What comes of goals that are not met: never a silent pass, and the app's only with its words.

A goal is the app's failure where the app broke off, contradicted what was agreed on, or has
another end state than was agreed on; else it is left open, with the app's refusal if there is one.
"""

from collections.abc import Sequence

from sparring.model.talk import Ended, Incident, IncidentKind, Listen, Turn, act_text
from sparring.model.verdict import Owner
from sparring_plugins.language.text import folded, one_line
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.words.knowledge import starts_with_any, without_lead
from sparring_plugins.users.contradictions.find import contradictions
from sparring_plugins.users.contradictions.messages import ContradictionKind
from sparring_plugins.users.conversation_end import (
    MESSAGES,
    ConversationOutcome,
    different_messages,
    doubt_of_checker,
    is_fallback,
    thanks_were_leave,
    was_ended_by_app,
)
from sparring_plugins.users.end_state import EvidenceCheck

_QUOTED = 160
_AGREED: tuple[ContradictionKind, ...] = ("agreed", "reported", "refused_extra", "left_out")


def unmet_incidents(
    outcome: ConversationOutcome, unmet: Sequence[str], checks: Sequence[EvidenceCheck]
) -> list[Incident]:
    """Return the incident for goals that are not met; none if all are.

    Args:
        outcome: how the conversation went.
        unmet: the phrases of the goals that are not met, in order.
        checks: what the evidence that the profile names says.
    """
    if outcome.incidents:
        return []  # what broke the conversation off is reported by itself
    last = len(outcome.turns) - 1 if outcome.turns else None
    broken = contradictions(outcome.turns, fallbacks=outcome.brief.fallbacks, kinds=_AGREED)
    # an app that goes against its own read-back explains all goals that are open
    if broken:
        text = f"the app contradicted what was agreed on: {broken[0]}"
        return [_incident(text, Owner.APP, broken[0].turn)]
    unmet = [phrase for phrase in unmet if not _was_said(phrase, outcome)]
    if not unmet:
        return []
    lacking = [check for check in checks if not check.holds]
    # what was agreed on and is not in the end state, the app has lost
    if lacking and lacking[0].agreed and outcome.all_met:
        text = f"{lacking[0].lacks}, though it was agreed on{_closing_words(outcome.turns)}"
        return [_incident(text, Owner.APP, last)]
    named = "; ".join(one_line(phrase, _QUOTED) for phrase in unmet[:MESSAGES])
    owner, why = _owner(outcome)
    why = lacking[0].lacks if lacking else why
    return [_incident(f"not met: {named} ({why})", owner, last)]


def _was_said(phrase: str, outcome: ConversationOutcome) -> bool:
    """Whether a goal is only to say something ("say goodbye"), and the app has answered that."""
    words = folded(phrase)
    if not starts_with_any(words, "utterances"):
        return False
    wanted = without_lead(words, "sayings")
    return any(
        f" {wanted} " in f" {folded(act_text(turn.act))} "
        and turn.observation is not None
        and not is_fallback(turn, outcome.fallbacks)
        for turn in outcome.spoken
    )


def _owner(outcome: ConversationOutcome) -> tuple[Owner, str]:
    """Return whose doing it is that goals are not met, and why."""
    spoken = outcome.spoken
    if not spoken:
        return Owner.SIMULATED_USER, "the user said nothing"
    if thanks_were_leave(outcome):
        return Owner.SIMULATED_USER, "the app took the user's thanks for its leave"
    # an app that refused long before it broke off has broken off something else
    broke_off = was_ended_by_app(outcome) and not _refusal(outcome.turns[-_LAST:])
    if broke_off:
        return Owner.APP, f"the app broke off{_closing_words(outcome.turns)}"
    refusal = _refusal(outcome.turns)
    if refusal:
        return Owner.SIMULATED_USER, f'the app refused: "{refusal}"'
    if outcome.ended is Ended.COST_LIMIT:
        return Owner.TEST, "the profile's limit of cost was reached"
    if outcome.exhausted and outcome.ended is not Ended.APP_ENDED:
        if different_messages(spoken) <= len(spoken) // 2:
            return Owner.SIMULATED_USER, "the user repeated itself until its turns were over"
        return Owner.TEST, f"the user may take {len(spoken)} turns, which were too few"
    if doubt := doubt_of_checker(outcome):
        return Owner.JUDGE, doubt
    return Owner.SIMULATED_USER, "the user gave up, or does not know that it is done"


_LAST = 3
"""The turns at the end of a conversation in which a refusal explains why the app ended it."""


def _refusal(turns: Sequence[Turn]) -> str:
    """The app's last words that turn the user down; empty if there are none.

    Whether it was right to refuse ("We are closed on Sundays") nobody can tell from the
    conversation: that is for the profile's evidence and for rules.
    """
    replies = [(turn, read_app_reply(turn.observation)) for turn in turns]
    refusals = [
        turn.observation.text
        for turn, reply in replies
        if turn.observation and reply.turns_down and not isinstance(turn.act, Listen)
    ]
    return one_line(refusals[-1], _QUOTED) if refusals else ""


def _closing_words(turns: Sequence[Turn]) -> str:
    texts = [turn.observation.text for turn in turns if turn.observation and turn.observation.text]
    return f': "{one_line(texts[-1], _QUOTED)}"' if texts else ""


def _incident(text: str, owner: Owner, turn: int | None) -> Incident:
    return Incident(kind=IncidentKind.GOAL_NOT_REACHED, message=text, owner=owner, turn=turn)
