"""What functions said about their values, for the verdicts that rest on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sparring.interfaces.rule_function import Explained
from sparring.model.talk import Listen, Trace, Turn, act_text
from sparring.model.verdict import TurnRef
from sparring_plugins.rules.functions.explanations import ExplainedByTexts
from sparring_plugins.rules.values.record import Record

_LONGEST = 300
_MOST_QUOTED = 3
_MOST_TURNS = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reason that a function gave for its value, and the turns that show it.

    `texts` are still to be looked for in the conversations that the expression was about.
    """

    function: str
    reason: str
    case_id: str = ""
    turns: tuple[TurnRef, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, function: str, found: Explained, trace: Trace | None) -> "Evidence":
        """What a function said; it may be a stranger's, and may quote the app."""
        texts = found.texts if isinstance(found, ExplainedByTexts) else ()
        reason = _clean(found.reason)
        if trace is None:
            return cls(function, reason, texts=texts)
        numbers = cast("Iterable[Any]", found.turns)
        known = dict.fromkeys(n for n in numbers if type(n) is int and 0 <= n < len(trace.turns))
        case_id = trace.case.id
        turns = tuple(TurnRef(case_id=case_id, turn=n) for n in known)
        return cls(function, reason, case_id, turns, texts)

    def about(self, record: Record) -> "Evidence":
        """The same, once it is known which conversation it is about."""
        case_id = self.case_id or record.trace.case.id
        return replace(self, case_id=case_id, turns=self.all_turns([record]), texts=())

    def all_turns(self, records: Sequence[Record]) -> tuple[TurnRef, ...]:
        """The turns that show it, with those in which its texts were said."""
        wanted = set(self.texts)
        said = (
            TurnRef(case_id=record.trace.case.id, turn=number)
            for record in (records if wanted else ())
            for number, turn in enumerate(record.trace.turns)
            if wanted & _said_in(turn)
        )
        return tuple(dict.fromkeys((*self.turns, *said)))


def quoted(evidence: Sequence[Evidence], *, several: bool = False) -> str:
    """What the functions said, for a reason; of many the last, on which the value hung.

    Double quotes hold nothing but what was said, so that reports can tell it from the rest.
    `several` says that the conversations have to be told apart.
    """
    said = (
        f'{one.function}() says "{one.reason}"'
        + (f" of {one.case_id}" if several and one.case_id else "")
        for one in evidence
        if one.reason
    )
    return "; ".join(list(dict.fromkeys(said))[-_MOST_QUOTED:])


def turns_of(evidence: Sequence[Evidence], records: Sequence[Record] = ()) -> tuple[TurnRef, ...]:
    """The turns that show what was said; as in `quoted`, of much the last."""
    found = (turn for one in evidence[-_MOST_QUOTED:] for turn in one.all_turns(records))
    return first_turns(found)


def first_turns(turns: Iterable[TurnRef]) -> tuple[TurnRef, ...]:
    """Each turn once, and no more of them than a person looks at."""
    return tuple(dict.fromkeys(turns))[:_MOST_TURNS]


def _said_in(turn: Turn) -> set[str]:
    texts = set[str]() if isinstance(turn.act, Listen) else {act_text(turn.act)}
    return texts | ({turn.observation.text} if turn.observation is not None else set())


def _clean(reason: object) -> str:
    """A reason on one line, clipped, without double quotes and what cannot be seen."""
    line = " ".join(str(reason)[: _LONGEST * 20].split()).replace('"', "'")
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
    return "".join(one if one.isprintable() else "\ufffd" for one in line)
