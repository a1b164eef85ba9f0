"""The interface `Oracle`: what is wrong with a conversation."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from sparring.errors import Problem
from sparring.interfaces.plugin import ConfigT, Plugin
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.model.verdict import Owner, Verdict


class Oracle(Plugin[ConfigT]):
    """Judges traces.

    An oracle that cannot decide says `inconclusive` and why; it never guesses a pass. It
    judges from the trace alone, so that a stored run can be judged again without the app,
    and equal traces give equal verdicts. `Verdict.oracle` may be left as the plugin's own
    name: the engine replaces it by the part's label in the suite, and sets `gating`.

    A verdict on one conversation may stand for several problems: `Verdict.details` then lists them
    as ``problems``, each with a ``key`` that says what it is whatever conversation shows it, its
    ``reason``, the ``turn`` (from 0) where it shows, and how sure it is (``certainty``).
    """

    #: Whether a turn and those before it show all that is wrong, so that a shorter conversation of
    #: which it says the same shows the same fault: then faults are played again act by act, and
    #: minimised. Else a fault is played again by the player, with the same case.
    local: ClassVar[bool] = False
    #: Who has to act if a judgement has to be ended because it does not return: the author of what
    #: it judges by, or whoever wrote the oracle.
    overrun_owner: ClassVar[Owner] = Owner.TOOL

    def validation_errors(self, space: Space) -> Sequence[Problem]:
        """Return what in its settings does not fit the suite's cases, for ``sparring validate``.

        For example names that no scenario has, or values that no variable takes. `space` has all
        scenarios.
        """
        misfits = getattr(self, "misfits", None)  # its name before 0.2
        return misfits(space) if misfits is not None else ()

    def checks(self) -> frozenset[str] | None:
        """The checks of its verdicts on one conversation; None if only judging can tell."""
        return None

    def conditions(self) -> frozenset[str] | None:
        """The gating checks of `conclude`; None if only judging can tell."""
        return None

    def same(self, one: str, other: str) -> bool:
        """Whether two keys of problems of one check mean the same fault."""
        return one == other

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        """Verdicts on one conversation; called side by side for different traces."""
        return ()

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        """Verdicts on conditions over several or all conversations, once, at the end.

        `traces` can be iterated any number of times, comes in the order in which the cases
        were asked, and is read from the run log as it goes: iterate only if there is such a
        condition, and keep only what is needed of each.
        """
        return ()
