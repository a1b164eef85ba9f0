"""The oracle ``accessibility``: what axe-core found in the states of the pages of a conversation.

The connector `browser` examines each new state if its setting `accessibility` is on. There is one
verdict for each rule that is violated, so that the same fault on ten pages is one finding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import PageEvent, PageEventKind
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.language.text import one_line
from sparring_plugins.web.page_health import after_act, path_of
from sparring_plugins.web.rehearsals import without_rehearsals

Impact = Literal["critical", "serious", "moderate", "minor"]

# A missing label in the site's header is there on every page; some of them show it.
_MOST_STATES = 20
_MOST_TURNS = 5
_MOST_NAMED = 3
_TEXT = 300


class AccessibilityConfig(PluginConfig):
    """Settings of the oracle `accessibility`."""

    fail_on: tuple[Impact, ...] = Field(
        ("critical", "serious"),
        description="The impacts that fail, in axe-core's words; other violations are noted.",
    )
    ignore: tuple[str, ...] = Field(
        (),
        description="Violations that do not count: a rule (`color-contrast`), or a rule and a part"
        " of an element's selector (`color-contrast .badge`).",
    )


class Node(BaseModel):
    """An element that violates a rule."""

    model_config = ConfigDict(frozen=True)

    target: str
    html: str = ""
    why: str = ""


class Violation(BaseModel):
    """A rule that is violated in one state of a page, `count` times; some `nodes` are named."""

    model_config = ConfigDict(frozen=True)

    id: str
    impact: Impact = "minor"
    help: str = ""
    url: str = ""
    count: int = 1
    nodes: tuple[Node, ...] = ()


@dataclass
class _Rule:
    """A violated rule with the states that violate it: turn, place, violation."""

    states: list[tuple[int, str, Violation]] = field(
        default_factory=list[tuple[int, str, Violation]]
    )

    @property
    def worst(self) -> Violation:
        order: tuple[Impact, ...] = ("critical", "serious", "moderate", "minor")
        return min((v for _, _, v in self.states), key=lambda v: order.index(v.impact))


@dataclass
class _Examination:
    """What the events of a conversation say."""

    examined: int = 0
    errors: list[str] = field(default_factory=list[str])
    rules: dict[str, _Rule] = field(default_factory=dict[str, _Rule])
    unclear: int = 0


class Accessibility(Oracle[AccessibilityConfig]):
    """A verdict for each rule that is violated, and one on the examination as a whole."""

    Config = AccessibilityConfig

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        found = self._examination(trace)
        failing = [
            self._failure(trace, name, rule)
            for name, rule in found.rules.items()
            if rule.worst.impact in self.config.fail_on
        ]
        return (*failing, self._whole(trace, found, len(failing)))

    def _examination(self, trace: Trace) -> _Examination:
        found, act = _Examination(), ""
        for number, turn in without_rehearsals(trace.turns):
            act = after_act(turn.act) or act
            page = turn.observation.page if turn.observation is not None else None
            for event in page.events if page is not None else ():
                if page is None or event.kind is not PageEventKind.EXAMINED:
                    continue
                if error := event.details.get("error"):
                    found.errors.append(one_line(str(error), _TEXT))
                    continue
                place = f"on '{path_of(page.snapshot.url)}'{act}"
                self._add_state(found, event, number, place)
        return found

    def _add_state(self, found: _Examination, event: PageEvent, turn: int, place: str) -> None:
        found.examined += 1
        unclear = event.details.get("unclear")
        found.unclear = max(found.unclear, unclear if isinstance(unclear, int) else 0)
        for violation in self._violations(event):
            rule = found.rules.setdefault(violation.id, _Rule())
            rule.states.append((turn, place, violation))

    def _violations(self, event: PageEvent) -> Iterator[Violation]:
        listed = event.details.get("violations")
        for entry in listed if isinstance(listed, list) else ():
            try:
                violation = Violation.model_validate(entry)
            except ValidationError:  # of another release of axe-core
                continue
            if (counted := self._without_ignored(violation)) is not None:
                yield counted

    def _without_ignored(self, violation: Violation) -> Violation | None:
        """Return a violation without the elements that do not count, `None` if none is left."""
        parts = [p for name, _, p in map(_split, self.config.ignore) if name == violation.id]
        if "" in parts:
            return None
        nodes = tuple(n for n in violation.nodes if not any(part in n.target for part in parts))
        left = violation.count - (len(violation.nodes) - len(nodes))
        if not nodes:
            # Elements beyond those that are named: nobody can say that they are to be ignored.
            return violation.model_copy(update={"nodes": (), "count": left}) if left else None
        return violation.model_copy(update={"nodes": nodes, "count": left})

    def _failure(self, trace: Trace, name: str, rule: _Rule) -> Verdict:
        turns = list(dict.fromkeys(turn for turn, _, _ in rule.states))
        shown, more = rule.states[0], len(rule.states) - 1
        others = f" and in {more} other state{'s' if more > 1 else ''} of the pages" if more else ""
        worst = rule.worst
        manual = f"; see {worst.url}" if worst.url else ""
        reason = f"{worst.help} ({worst.impact}): {_describe(shown[2])} {shown[1]}{others}{manual}"
        return Verdict(
            oracle="accessibility",
            check=name,
            outcome=Outcome.FAIL,
            owner=Owner.APP,
            case_ids=(trace.case.id,),
            turns=tuple(TurnRef(case_id=trace.case.id, turn=t) for t in turns[:_MOST_TURNS]),
            reason=reason,
            details={
                "url": worst.url,
                "impact": worst.impact,
                "states": [_state(*state) for state in rule.states[:_MOST_STATES]],
                "problems": [{"key": name, "turn": turns[0], "text": worst.help}],
            },
        )

    def _whole(self, trace: Trace, found: _Examination, failing: int) -> Verdict:
        outcome, owner = Outcome.PASS, None
        states = f"{found.examined} state{'' if found.examined == 1 else 's'} of the pages"
        notes = [
            f"accessibility: {rule.worst.help} ({rule.worst.impact}), {rule.states[0][1]}"
            for rule in found.rules.values()
            if rule.worst.impact not in self.config.fail_on
        ]
        if found.examined:
            left = f"; {len(found.errors)} could not be: {found.errors[0]}" if found.errors else ""
            rules = f"{failing} rule{'' if failing == 1 else 's'} violated" if failing else "sound"
            unclear = f"; {found.unclear} rules need a person's look" if found.unclear else ""
            reason = f"{states} examined: {rules}{left}{unclear}"
        elif found.errors:
            outcome, owner = Outcome.INCONCLUSIVE, Owner.TOOL
            reason = f"no state of the pages could be examined: {found.errors[0]}"
        elif any(turn.observation and turn.observation.page for turn in trace.turns):
            outcome, owner = Outcome.INCONCLUSIVE, Owner.TEST
            reason = "no page was examined: write `accessibility: true` in the suite's `app`"
        else:
            outcome, reason = Outcome.SKIPPED, "the conversation shows no page"
        details: dict[str, JsonValue] = {"notes": [*notes]} if notes else {}
        return Verdict(
            oracle="accessibility",
            check="examination",
            outcome=outcome,
            owner=owner,
            case_ids=(trace.case.id,),
            reason=reason,
            details=details,
        )


def _split(text: str) -> tuple[str, str, str]:
    name, space, part = text.strip().partition(" ")
    return name, space, part.strip()


def _describe(violation: Violation) -> str:
    number = f"{violation.count} element{'' if violation.count == 1 else 's'}"
    named = [f"'{one_line(node.target, 120)}'" for node in violation.nodes[:_MOST_NAMED]]
    if not named:
        return number
    more = violation.count - len(named)
    return f"{number}, {', '.join(named)}{f' and {more} more' if more > 0 else ''},"


def _state(turn: int, place: str, violation: Violation) -> dict[str, JsonValue]:
    return {
        "turn": turn,
        "place": place,
        "count": violation.count,
        "nodes": [node.model_dump() for node in violation.nodes],
    }
