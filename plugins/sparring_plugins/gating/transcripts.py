"""Two conversations of one case side by side, turn by turn, with what differs marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, zip_longest

from sparring.model.talk import Listen, Trace, act_text
from sparring.store import StoredRun
from sparring_plugins.gating.change_table import WORSE, Change
from sparring_plugins.gating.comparison import SEVERAL, Comparison
from sparring_plugins.language.text import one_line

# Aligning two conversations takes time with the square of their lines; a loop has thousands.
_MOST_LINES = 400
# Two columns side by side; a page that an app sent as text would push the other out of sight.
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """A line of each conversation, empty if the other has no counterpart."""

    before: str
    after: str

    @property
    def same(self) -> bool:
        """Whether both say the same."""
        return self.before == self.after


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The conversations behind the changes of one case, at least one of them."""

    changes: tuple[Change, ...]
    rows: tuple[Row, ...]

    @property
    def case_id(self) -> str:
        """The case whose checks changed."""
        return self.changes[0].case_id


def side_by_side(before: Trace, after: Trace) -> tuple[Row, ...]:
    """Align two conversations by the lines that they share."""
    first, second = _lines(before), _lines(after)
    rows: list[Row] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for _, start, end, from_, to in matcher.get_opcodes():
        pairs = zip_longest(first[start:end], second[from_:to], fillvalue="")
        rows += [Row(left, right) for left, right in pairs]
    return tuple(rows)


def differences(
    comparison: Comparison, before: StoredRun, after: StoredRun, most: int
) -> Iterator[SideBySide]:
    """Yield the conversations of what is worse, then of what is fixed, at most `most` of them.

    Of repeated cases it is the first play that failed beside the first that passed.
    """
    worse = comparison.changes.of(*WORSE, "flaky")
    wanted = chain(worse, comparison.changes.of("fixed", "fails less often"))
    # Two checks often change for one answer: their conversations are shown once.
    groups: dict[tuple[str, str], list[Change]] = {}
    shown: set[str] = set()
    for change in wanted:
        if len(groups) == most and change.case_id not in shown:
            continue  # without looking a million of them up
        ids = _plays(comparison, change) if change.case_id != SEVERAL else None
        if ids in groups or (ids is not None and len(groups) < most):
            groups.setdefault(ids, []).append(change)
            shown.add(change.case_id)
    for (earlier, later), changes in groups.items():
        traces = before.case(earlier).trace, after.case(later).trace
        yield SideBySide(tuple(changes), side_by_side(*traces))


def _plays(comparison: Comparison, change: Change) -> tuple[str, str] | None:
    """Return the ids of the plays of both runs that show a change."""
    earlier = comparison.before.cases.get(change.case_id)
    later = comparison.after.cases.get(change.case_id)
    if earlier is None or later is None or not earlier.play_ids or not later.play_ids:
        return None
    better = change.kind in ("fixed", "fails less often")
    first = _place(change.before, "fail" if better else "pass")
    second = _place(change.after, "pass" if better else "fail")
    ids = earlier.play_ids, later.play_ids
    return ids[0][min(first, len(ids[0]) - 1)], ids[1][min(second, len(ids[1]) - 1)]


def _place(counts: object, outcome: str) -> int:
    plays: Sequence[object] = getattr(counts, "plays", ())
    return next((place for place, play in enumerate(plays) if play == outcome), 0)


def _lines(trace: Trace) -> list[str]:
    """Return what was said and answered, a line each, and how it ended."""
    lines: list[str] = []
    for turn in trace.turns[: _MOST_LINES // 2]:
        user_text = act_text(turn.act)
        if user_text and not isinstance(turn.act, Listen):
            lines.append(f"> {one_line(user_text, _LONGEST)}")
        observation = turn.observation
        answer = "(no answer)" if observation is None else one_line(observation.text, _LONGEST)
        choices = () if observation is None else observation.choices
        shown = " ".join(f"[{one_line(choice.label, 60)}]" for choice in choices[:10])
        lines.append(f"< {answer}" + (f" {shown}" if shown else ""))
    lines += [
        f"! {incident.kind.value}: {one_line(incident.message, 300)}"
        for incident in trace.incidents[:20]
    ]
    return [*lines, f"ended: {trace.ended.value}"]
