"""Judging a few conversations by rules written in a test."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sparring.interfaces.plugin import LLMBackend
from sparring.interfaces.rule_function import RuleFunction
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.rules.oracle import RulesOracle


class Bench:
    """Writes rules to files and judges conversations by them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = FakeContext(base_dir=folder)

    def oracle(
        self,
        *rules: Mapping[str, Any] | str,
        llm: LLMBackend[Any] | None = None,
        functions: Mapping[str, RuleFunction] | None = None,
        **settings: Any,
    ) -> RulesOracle:
        """The oracle for rules given as maps, or as the text of an oracle over one conversation."""
        for number, rule in enumerate(rules):
            keys = {"oracle": rule} if isinstance(rule, str) else dict(rule)
            written = {"name": f"rule {number}", "description": "", **keys}
            text = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=10_000)
            (self.folder / f"{number:03}.yaml").write_text(text, encoding="utf-8")
        self.context = FakeContext(base_dir=self.folder, llm=llm, functions=functions)
        return self.context.build(RulesOracle, files="*.yaml", **settings)

    def judge(self, oracle: RulesOracle, traces: Sequence[Trace]) -> list[Verdict]:
        """All verdicts on conversations, those over several last."""
        return asyncio.run(_judged(oracle, traces))

    def verdicts(self, *rules: Any, on: Sequence[Trace], **settings: Any) -> list[Verdict]:
        """All verdicts of rules on conversations."""
        return self.judge(self.oracle(*rules, **settings), on)

    def one(self, rule: Any, trace: Trace, **settings: Any) -> Verdict:
        """The verdict of one rule on one conversation, without the conclusion."""
        return self.verdicts(rule, on=[trace], **settings)[0]


async def _judged(oracle: RulesOracle, traces: Sequence[Trace]) -> list[Verdict]:
    found: list[Verdict] = []
    for trace in traces:
        found += await oracle.judge(trace)
    return [*found, *await oracle.conclude(traces)]


def counts(verdicts: Sequence[Verdict]) -> dict[Outcome, int]:
    """Checks by outcome."""
    found: Counter[Outcome] = Counter()
    for verdict in verdicts:
        found[verdict.outcome] += verdict.count
    return dict(found)


def pizza(**values: Any) -> Trace:
    """A short order; keywords are inputs, those after `outputs` are given as a dict."""
    outputs = values.pop("outputs", {"price": "$12.50", "order_id": "A1"})
    said = values.pop(
        "said",
        [("a small pizza please", "Sure! Which drink?"), ("a coke", "That is $12.50.")],
    )
    meta = values.pop("meta", {"conversation": [{"number": 6}, {"goal_style": {"steps": 4}}]})
    extra = {
        key: values.pop(key) for key in ("incidents", "latencies", "case", "ended") if key in values
    }
    params = {"size": ["small"], "toppings": ["ham", "corn"], "amount": 2, **values}
    return trace_of(said, outputs=outputs, meta=meta, **extra, **params)
