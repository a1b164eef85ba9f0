"""Which names of a rule no conversation has had so far."""

from collections.abc import Callable, Iterable

from sparring_plugins.oracles.rules.evaluation import Expression
from sparring_plugins.oracles.rules.record import Record
from sparring_plugins.oracles.rules.rule import Rule
from sparring_plugins.oracles.rules.sensei import hidden_in_sensei


class Unseen:
    """The names that a rule uses, less those that some conversation had; false when empty.

    Names that the rule itself tests for, with `hasattr` or a default, need not exist.
    """

    def __init__(
        self,
        rule: Rule,
        expressions: Iterable[Expression],
        warn: Callable[[str], None],
        also: Iterable[str] = (),
    ) -> None:
        uses = [expression.uses for expression in expressions]
        used = {name for one in uses for _, name in one.names} | set(also)
        self.rule = rule
        self.warn = warn
        self.names = used - {name for one in uses for name in one.asked}

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
