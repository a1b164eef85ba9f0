"""Rules that ask a model in a suite that has none: said before anything is played."""

import re
from collections.abc import Iterable, Iterator, Mapping

from sparring.interfaces.rule_function import RuleFunction
from sparring_plugins.rules.compile.function_choice import MODEL, variants
from sparring_plugins.rules.parse.rule import Rule

_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_MOST = 5


def warning(rules: Iterable[Rule], functions: Mapping[str, RuleFunction]) -> str | None:
    """What to tell of rules without a model to ask; None where all can do without."""
    asking: dict[str, list[str]] = {}
    for rule in rules:
        for name in dict.fromkeys(_called(rule)):
            if name in functions and functions[name].model:
                asking.setdefault(rule.check, []).append(name)
    if not asking:
        return None
    named = [f"{check} ({', '.join(names)})" for check, names in asking.items()]
    more = f" and {len(named) - _MOST} more" if len(named) > _MOST else ""
    others = [
        f"{name}: {one}"
        for name in sorted({name for names in asking.values() for name in names})
        for one in variants(functions, name)
        if one != MODEL
    ]
    instead = f"; `functions: {{{', '.join(others)}}}` judges without one" if others else ""
    return (
        f"the suite names no `llm`, so rules that ask a model will be inconclusive: "
        f"{', '.join(named[:_MOST])}{more}{instead}"
    )


def _called(rule: Rule) -> Iterator[str]:
    """Names before brackets: the functions that a rule calls, also inside of its texts."""
    message = () if rule.message is None else (rule.message,)
    for source in (*rule.filters, rule.oracle, *message, *rule.groups):
        yield from _CALL.findall(source.text)
