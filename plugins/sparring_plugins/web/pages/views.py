"""The pages that a test case has seen, one for each act."""

from dataclasses import dataclass, field
from typing import Literal

from sparring.model.page import PageView
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.roles.step import Condition

_REMEMBERED = 40


@dataclass
class Views:
    """The views after each act, the latest last. Looking again replaces the latest one.

    What happened since the act stays with the view: the events of all looks are joined.
    """

    settled: list[PageView] = field(default_factory=list[PageView])
    last: PageView | None = None

    @property
    def before(self) -> tuple[PageView, ...]:
        """The views after the acts before the last one."""
        return tuple(self.settled)

    def act(self) -> None:
        """An act begins: what is seen now is over."""
        if self.last is not None:
            self.settled = [*self.settled[-_REMEMBERED:], self.last]

    def add(self, view: PageView, *, again: bool) -> None:
        """What is seen after an act, or by looking again."""
        if again and self.last is not None:
            view = view.model_copy(
                update={
                    "events": (*self.last.events, *view.events),
                    "hit": self.last.hit,
                    "target_changed": self.last.target_changed,
                    "screenshot": view.screenshot or self.last.screenshot,
                }
            )
        self.last = view

    def vacuous(self, condition: Condition) -> Literal["before", "everywhere"] | None:
        """Whether a condition that is true now was so before the last act, or on every page."""
        pages = [one for one in self.settled if one.snapshot.elements]
        if not pages or holds(condition, pages[-1]).truth is not True:
            return None
        others = {one.snapshot.digest: one for one in pages}
        if len(others) > 1 and all(holds(condition, one).truth is True for one in others.values()):
            return "everywhere"
        return "before"
