"""Ids of cases as they were up to 0.2, with 8 digits of the 16 that they have now.

Stored runs, baselines and blessed pictures of that time have such ids. An id of today begins with
the one that the case had then, so that both can be brought together without the case's content.
"""

import re
from collections.abc import Collection, Iterable, Iterator

# "order-1a2b3c4d5e6f7a8b.2": until 0.2 ids had the first eight digits of it, "order-1a2b3c4d.2".
_TODAY = re.compile(r"(?P<old>.*-[0-9a-f]{8})[0-9a-f]{8}(?P<repeat>\.\d+)?", re.DOTALL)
_OLD = re.compile(r".*-[0-9a-f]{8}(\.\d+)?", re.DOTALL)


def old_id(case_id: str) -> str:
    """Return the id that a case had up to 0.2; the id itself if it is no id of today."""
    match = _TODAY.fullmatch(case_id)
    return f"{match['old']}{match['repeat'] or ''}" if match else case_id


def is_old(case_id: str) -> bool:
    """Whether an id may be one of 0.2 or before."""
    return _OLD.fullmatch(case_id) is not None


def has_id(case_id: str, ids: Collection[str]) -> bool:
    """Whether a case is among some ids, which may be of 0.2 or before."""
    return case_id in ids or old_id(case_id) in ids


def renamed(ids: Iterable[str], others: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each old id that `others` lack, with the id of today that it is among them.

    Of several with the same 8 digits it is the first: a run of that time played only one.
    """
    old = [case_id for case_id in ids if is_old(case_id) and case_id not in others]
    if not old:  # as in every comparison of runs of today: a million ids are not looked through
        return
    today: dict[str, str] = {}
    for case_id in others:
        if (before := old_id(case_id)) != case_id:
            today.setdefault(before, case_id)
    for case_id in old:
        if case_id in today:
            yield case_id, today[case_id]
