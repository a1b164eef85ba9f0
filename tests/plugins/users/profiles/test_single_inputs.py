"""Inputs have the same shape for rules whichever strategy chose their values."""

from pathlib import Path

import pytest

from sparring.model.case import Case
from sparring.model.talk import Ended, Trace
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.player import UserSimulator

PROFILE = """\
test_name: order
user:
  language: English
  role: You order a pizza.
  goals:
    - "a {{size}} {{pizza}} with {{drink}} and {{sauce}}"
    - size: {function: forward(pizza), type: string, data: [small, big]}
    - pizza: {function: forward(), type: string, data: [ham, corn]}
    - drink: {function: another(), type: string, data: [water, cola]}
    - sauce: {function: forward(), type: string, data: [oil, salt]}
chatbot:
  is_starter: false
  output: []
conversation:
  number: 2
  goal_style: {steps: 3}
  interaction_style: [default]
"""


@pytest.mark.parametrize(
    ("params", "inputs"),
    [
        (
            {"size": "big", "pizza": "ham", "drink": ["cola"], "sauce": ["oil"]},
            {"size": "big", "pizza": "ham", "drink": ["cola"], "sauce": ["oil"]},
        ),
        (
            {"size": "big", "pizza": "ham", "drink": "cola", "sauce": "oil", "app": "one"},
            {"size": "big", "pizza": "ham", "drink": ["cola"], "sauce": ["oil"], "app": "one"},
        ),
    ],
    ids=["selectors", "another strategy"],
)
def test_inputs_are_lists_where_selectors_make_lists(
    params: dict[str, object], inputs: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "order.yml").write_text(PROFILE)
    player = FakeContext(base_dir=tmp_path).build(UserSimulator, profiles="order.yml")
    case = Case.model_validate({"id": "a", "scenario": "order", "params": params})
    meta = player.meta(case)
    assert ("singles" in meta) == (params != inputs)
    assert Trace.model_validate({"case": case, "ended": Ended.USER_LEFT, "meta": meta,
                                 "started": "2027-01-01T00:00:00Z"}).inputs == inputs  # fmt: skip
