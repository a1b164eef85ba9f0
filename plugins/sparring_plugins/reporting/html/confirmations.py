"""The faults that were played again, as the page shows them: how sure, and the shortest way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.model.faults import Confirmation
from sparring_plugins.language.visible import cut, one_line
from sparring_plugins.reporting.category_tables import path_of
from sparring_plugins.reporting.html.views import TurnView, Viewer

MOST = 300
"""Faults that a page shows."""

_EDGES = {"confirmed": "fail", "unsteady": "inconclusive", "not confirmed": "skipped"}
_REASON = 2000


@dataclass(frozen=True, slots=True)
class AgainView:
    """A fault: what became of it (`word`, coloured as the outcome `edge`), why, and how."""

    word: str
    edge: str
    app: str
    label: str
    reason: str
    why: str
    path: tuple[str, ...]
    turns: tuple[TurnView, ...]
    case_ids: tuple[str, ...]
    more: int


def again_views(confirmations: Sequence[Confirmation], viewer: Viewer) -> Iterator[AgainView]:
    """The views, those that are sure first."""
    order = ["confirmed", "unsteady", "not confirmed", "not played"]
    ranked = sorted(confirmations, key=lambda one: order.index(one.outcome))
    for one in ranked[:MOST]:
        yield AgainView(
            word=one.outcome,
            edge=_EDGES.get(one.outcome, "skipped"),
            app=one_line(one.app, 120),
            label=one_line(f"{one.fault.oracle} / {one.fault.check}", 160),
            reason=cut(one.fault.reason, _REASON)[0],
            why=one_line(one.why, 600),
            path=tuple(path_of(one)[:100]),
            turns=tuple(viewer.turns(one.trace)) if one.trace else (),
            case_ids=one.case_ids[:6],
            more=max(0, len(one.case_ids) - 6),
        )
