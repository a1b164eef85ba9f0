"""All contradictions of a conversation."""

from collections.abc import Callable, Iterator, Sequence

from sparring.model.talk import Turn
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.users.contradictions.bills import (
    forgotten_extras,
    mixed_currencies,
    other_list_prices,
    wrong_multiplications,
    wrong_products,
    wrong_prose_sums,
    wrong_sums,
)
from sparring_plugins.users.contradictions.loops import (
    dead_ends,
    forgotten_answers,
    repeated_questions,
    same_replies,
)
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    ContradictionKind,
    Message,
    messages_of,
)
from sparring_plugins.users.contradictions.misreadings import (
    impossible_days,
    misread_days,
    misread_hours,
    misread_weekdays,
    replaced_choices,
)
from sparring_plugins.users.contradictions.moments import changed_moments, wrong_weekdays
from sparring_plugins.users.contradictions.option_lists import broken_lists, wrong_counts
from sparring_plugins.users.contradictions.promises import (
    breakdowns,
    closed_days,
    full_options,
    ignored_changes,
    ignored_limits,
    other_prices,
    other_quantities,
    unapplied_waivers,
)
from sparring_plugins.users.contradictions.read_back import (
    cancelled_orders,
    denied_extras,
    denied_in_confirmation,
    left_out_things,
    other_choice_confirmed,
    other_names,
)
from sparring_plugins.users.contradictions.reports import opposite_reports, other_reports
from sparring_plugins.users.contradictions.stated_prices import other_amounts, other_costs
from sparring_plugins.users.contradictions.statements import (
    other_hours,
    other_languages,
    other_subjects,
)

_SIMILAR = 0.75

Check = Callable[[Sequence[Message]], Iterator[Contradiction]]

_CHECKS: dict[ContradictionKind, tuple[Check, ...]] = {
    "sum": (wrong_sums, wrong_prose_sums, forgotten_extras),
    "weekday": (wrong_weekdays,),
    "agreed": (changed_moments,),
    "refused_extra": (denied_extras, denied_in_confirmation),
    "left_out": (left_out_things,),
    "asked_again": (repeated_questions, forgotten_answers),
    "dead_end": (dead_ends,),
    "price": (other_prices, other_list_prices, other_amounts, other_costs),
    "product": (wrong_products, wrong_multiplications),
    "quantity": (other_quantities,),
    "reported": (other_reports, opposite_reports),
    "limit": (ignored_limits,),
    "change": (ignored_changes,),
    "closed": (closed_days, full_options),
    "waiver": (unapplied_waivers,),
    "breakdown": (breakdowns,),
    "stuck": (same_replies,),
    "other_value": (
        replaced_choices,
        misread_days,
        misread_weekdays,
        misread_hours,
        other_choice_confirmed,
    ),
    "list": (broken_lists, wrong_counts),
    "currency": (mixed_currencies,),
    "hours": (other_hours,),
    "subject": (other_subjects,),
    "cancelled": (cancelled_orders,),
    "name": (other_names,),
    "no_such_day": (impossible_days,),
    "language": (other_languages,),
}


def contradictions(
    turns: Sequence[Turn],
    *,
    fallbacks: Sequence[str] = (),
    kinds: Sequence[ContradictionKind] | None = None,
) -> list[Contradiction]:
    """Return what does not go together in a conversation, in the order of the turns.

    Args:
        turns: the conversation.
        fallbacks: phrases of the app that say that it did not understand.
        kinds: the kinds to look for; all of them if left out.
    """
    messages = messages_of(turns, Fallbacks(tuple(fallbacks), _SIMILAR))
    checks = [check for kind in kinds or _CHECKS for check in _CHECKS[kind]]
    different = dict.fromkeys(item for check in checks for item in check(messages))
    return sorted(different, key=lambda item: item.turn)
