"""What playing faults again brought, as reports show it."""

from sparring.model.confirmation import Confirmation
from sparring.store import StoredRun


def latest_confirmations(stored: StoredRun) -> list[Confirmation]:
    """Return what playing faults again brought, in the order of the cases that show them.

    Of two of one fault the later one; none of cases whose verdicts count no more.
    """
    latest: dict[tuple[str, ...], Confirmation] = {}
    for each in stored.confirmed():
        latest[each.fault.oracle, each.fault.check, each.fault.key, each.app] = each
    kept = [each for each in latest.values() if any(i in stored.cases for i in each.case_ids)]
    return sorted(kept, key=lambda confirmation: _order(confirmation, stored))


def _order(confirmation: Confirmation, stored: StoredRun) -> tuple[int, str, str, str]:
    """The place of the first case that shows a fault; then what the fault is."""
    rows = map(stored.cases.row, confirmation.case_ids)
    first = min(row[0] for row in rows if row is not None)
    return first, confirmation.fault.oracle, confirmation.fault.check, confirmation.fault.key
