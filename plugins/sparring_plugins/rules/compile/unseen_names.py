"""Which names of a rule no conversation has had so far."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from sparring.documents.checking import nearest
from sparring.errors import Problem
from sparring_plugins.rules.compile.evaluation import Expression
from sparring_plugins.rules.parse.rule import Rule
from sparring_plugins.rules.parse.syntax import Source
from sparring_plugins.rules.values.record import OWN_NAMES, Record
from sparring_plugins.rules.values.sensei_record import hidden_in_sensei

BLOCK_NAMES = frozenset(
    {"number", "interaction_style", "goal_style", "steps", "limit", "export", "all_answered"}
)
"""Leaves of a conversation block that simulated users may have."""


class Unseen:
    """The names that a rule uses, less those that some conversation had; false when empty.

    Names that the rule itself tests for, with `hasattr` or a default, need not exist.
    """

    def __init__(
        self,
        rule: Rule,
        expressions: Iterable[Expression],
        warn: Callable[[str], None],
        also: Mapping[str, Source] | None = None,
    ) -> None:
        every = tuple(expressions)
        asked = {name for one in every for name in one.uses.asked}
        self.rule = rule
        self.warn = warn
        #: Where each name stands first.
        self.sources: dict[str, Source] = {}
        for one in every:
            for _, name in sorted(one.uses.names):
                self.sources.setdefault(name, one.source)
        for name, source in (also or {}).items():
            self.sources.setdefault(name, source)
        self.names = self.sources.keys() - asked
        self.all_names = frozenset(self.names)

    def __bool__(self) -> bool:
        return bool(self.names)

    def note(self, record: Record) -> None:
        """Take off what a conversation has; warn where SENSEI would show another value."""
        seen = {name for name in self.names if record.has(name)}
        self.names -= seen
        for name in sorted(seen):
            if hidden_in_sensei(name, record):
                self.warn(
                    f"{self.rule.file}:{self.rule.line}: `{name}` is the input called so; "
                    f"SENSEI shows the conversation block's `{name}` instead"
                )

    def problems(self, known: Sequence[str]) -> list[Problem]:
        """A problem for each name that no conversation had, with the nearest of those known."""
        return [self._problem("conversation", name, known) for name in self._ordered(self.names)]

    def foreseen(self, names: AbstractSet[str]) -> list[Problem]:
        """A problem for each name that cannot exist where inputs and outputs are `names`."""
        known = sorted({*names, *OWN_NAMES, *BLOCK_NAMES})
        wrong = {name for name in self.all_names if not _may_exist(name, names)}
        return [self._problem("scenario", name, known) for name in self._ordered(wrong)]

    def _ordered(self, names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: (self.sources[name].line, name))

    def _problem(self, where: str, name: str, known: Sequence[str]) -> Problem:
        source = self.sources[name]
        hint = nearest(name, known).partition(" Known:")[0]
        return Problem(f"no {where} has `{name}`.{hint}", source.file, source.line, source.key)


def _may_exist(name: str, names: AbstractSet[str]) -> bool:
    if name in names or name in OWN_NAMES or name in BLOCK_NAMES:
        return True
    if name.startswith("conversation_"):  # a path into the conversation block
        return True
    inside = name.removeprefix("data_output_")
    parts = inside.split("_") if inside != name else []
    return any("_".join(parts[:end]) in names for end in range(1, len(parts) + 1))
