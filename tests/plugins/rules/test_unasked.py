"""A suite without a model is told which of its rules need one."""

from pathlib import Path
from typing import Any

import pytest

from sparring.testing.fakes import FakeContext, FakeLLM
from sparring_plugins.rules.oracle import RulesOracle

RULES = """\
name: kind
oracle: tone(chatbot_phrases) == ['POSITIVE']
---
name: somebody_is_kind
conversations: all
oracle: exists("semantic_content(answer_text, 'kind')")
---
name: says_the_tone
oracle: "'tone' in inputs and len(chatbot_phrases) > 1"
---
name: sleeps
active: false
oracle: language(chatbot_phrases) == 'ENG'
"""


def warnings(folder: Path, *, model: bool = False, **settings: Any) -> list[str]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    context = FakeContext(base_dir=folder, llm=FakeContext().build(FakeLLM) if model else None)
    context.build(RulesOracle, files="rules.yaml", **settings)
    return list(context.warnings)


def test_the_rules_and_what_judges_without_a_model_are_named(tmp_path: Path) -> None:
    (said,) = warnings(tmp_path)
    assert said == (
        "the suite names no `llm`, so rules that ask a model will be inconclusive: kind (tone), "
        "somebody_is_kind (semantic_content); `functions: {semantic_content: minilm, tone: vader}`"
        " judges without one"
    )


def test_with_a_model_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert warnings(tmp_path, model=True) == []


def test_functions_that_ask_nobody_are_no_reason_to_warn(tmp_path: Path) -> None:
    pytest.importorskip("vaderSentiment")
    (said,) = warnings(tmp_path, functions={"tone": "vader"})
    assert "kind (tone)" not in said
    assert "somebody_is_kind (semantic_content)" in said
