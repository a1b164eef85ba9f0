"""Every shape in which profiles are written reads as the same profile."""

from pathlib import Path
from typing import Any

import pytest

from sparring_plugins.users.profiles.profile import Profile, scenarios
from sparring_plugins.users.profiles.profile_files import read_profiles

VARIABLE = """
    - size:
        function: forward()
        type: string
        data: [small, big]
"""

NESTED = (
    """
test_name: order
llm: {model: gpt-4o-mini, temperature: 0.5}
user:
  language: Spanish
  role: a hungry customer
  context:
    - you are in a hurry
  goals:
    - "a {{size}} pizza"
"""
    + VARIABLE
    + """
chatbot:
  is_starter: false
  fallback: Sorry?
  output:
    - price: {type: money, description: the price}
conversation:
  number: 3
  goal_style:
    all_answered: {export: true, limit: 7}
  interaction_style:
    - single question
"""
)

FLAT = """
llm: {model: gpt-4o-mini, temperature: 0.5}
is_starter: false
fallback: Sorry?
role: a hungry customer
context:
  - you are in a hurry
ask_about:
  - "a {{size}} pizza"
  - size:
      function: forward()
      type: string
      data: [small, big]
output:
  - price: {type: money, description: the price}
conversations:
  - number: 3
  - goal_style:
      all_answered: {export: true, limit: 7}
  - interaction_style:
      - single question
language: Spanish
test_name: order
"""

PAPER = """
test_name: order
LLM: {model: gpt-4o-mini, temperature: 0.5}
user:
  language: Spanish
  role: a hungry customer
  context:
    - you are in a hurry
  goals:
    templates:
      - "a {{size}} pizza"
    inputs:
      - size:
          selector: forward()
          type: string
          data: [small, big]
chatbot:
  is_starter: false
  fallback: Sorry?
  outputs:
    - price: {type: money, description: the price}
  conversations:
    number: 3
    stop_condition:
      all_answered: {export: true, limit: 7}
    interaction_style:
      - single question
"""

SHAPES = {
    "nested": NESTED,
    "nested with ask_about": NESTED.replace("  goals:", "  ask_about:"),
    "nested with a list of conversation settings": NESTED.replace("  number: 3", "  - number: 3")
    .replace("  goal_style:\n    all", "  - goal_style:\n      all")
    .replace("  interaction_style:\n    -", "  - interaction_style:\n      -"),
    "nested with conversations": NESTED.replace("conversation:", "conversations:"),
    "flat": FLAT,
    "flat with temperature": FLAT.replace(
        "llm: {model: gpt-4o-mini, temperature: 0.5}", "temperature: 0.5"
    ),
    "paper": PAPER,
}

EXPECTED = {
    "name": "order",
    "test_name": "order",
    "tags": [],
    "source": "order.yml",
    "language": "Spanish",
    "role": "a hungry customer",
    "context": ["you are in a hurry"],
    "persona": "",
    "traits": {},
    "goals": ["a {{size}} pizza"],
    "variables": [
        {
            "name": "size",
            "domain": ["small", "big"],
            "scale": "categorical",
            "group": None,
            "selector": "forward()",
            "labels": [],
        }
    ],
    "outputs": [{"name": "price", "type": "money", "description": "the price"}],
    "starts": "user",
    "done_when": [],
    "fallbacks": ["Sorry?"],
    "number": 3,
    "sample": None,
    "goal_style": "all_answered",
    "cost": None,
    "steps": None,
    "limit": 7,
    "export": True,
    "styles": ["single question"],
    "conversation": [
        {"interaction_style": ["single questions"]},
        {"number": 3},
        {"all_answered": {"export": True, "limit": 7}},
    ],
    "warnings": [],
    "unresolved": [],
    "compat": None,
}


def read_text(folder: Path, text: str, **settings: Any) -> Profile:
    file = folder / "order.yml"
    file.write_text(text, encoding="utf-8")
    return read_profiles([file], base_dir=folder, seed=1, **settings)[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_reads_as_the_same_profile_and_says_which_it_is(
    shape: str, tmp_path: Path
) -> None:
    profile = read_text(tmp_path, SHAPES[shape])
    found = profile.model_dump(mode="json", exclude={"shape", "llm"})
    assert found == EXPECTED
    assert profile.shape == shape
    model = {} if shape == "flat with temperature" else {"model": "gpt-4o-mini"}
    assert profile.llm == {**model, "temperature": 0.5}


GENERATED = """
temperature: 0.8
isstarter: true
fallback: I did not get that
role: 'You act as a user. This chatbot is described as follows: "we sell pizza"'
context:
  - Never act as the assistant.
ask_about:
  - 'Consider the following sizes: {{sizes}}.'
  - sizes:
      - small
      - big
  - Opening hours
conversations:
  - number: 1
  - goal_style:
      steps: 1
  - interaction_style:
      - change your mind
      - make spelling mistakes
      - change language:
          - English
          - Spanish
language: English
test_name: ''
"""


def test_the_output_of_senseis_generator_is_read(tmp_path: Path) -> None:
    profile = read_text(tmp_path, GENERATED)
    assert profile.shape == "generator"
    assert profile.test_name == profile.name == "order"
    assert profile.starts == "app"
    assert profile.variables[0].selector == "default()"
    assert profile.variables[0].domain == ("small", "big")
    assert profile.goals == ("Consider the following sizes: {{sizes}}.", "Opening hours")
    assert (profile.goal_style, profile.steps) == ("steps", 1)
    assert profile.styles[-1] == {"change language": ["English", "Spanish"]}
    assert profile.outputs == ()


def test_a_generated_profile_without_titles_styles_or_fallback_is_read(tmp_path: Path) -> None:
    text = (
        GENERATED.replace("  - Opening hours", "  - null")
        .replace("fallback: I did not get that", "fallback: null")
        .split("  - interaction_style:")[0]
        + "  - interaction_style: []\nlanguage: English\ntest_name: ''\n"
    )
    profile = read_text(tmp_path, text)
    assert profile.styles == ("default",)
    assert profile.fallbacks == ()
    assert profile.warnings == ("order.yml:13: ask_about[2]: an empty goal is passed over",)


def test_mixed_spellings_are_read_too(tmp_path: Path) -> None:
    text = NESTED.replace("conversation:", "stop_condition: {steps: 4}\nconversations:").replace(
        "  goal_style:\n    all_answered: {export: true, limit: 7}\n", ""
    )
    profile = read_text(tmp_path, text)
    assert (profile.shape, profile.goal_style, profile.steps) == ("paper", "steps", 4)


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    profile = read_text(tmp_path, "user:\n  goals:\n    - opening hours\n")
    assert profile == Profile(
        name="order",
        test_name="order",
        source="order.yml",
        shape="nested",
        goals=("opening hours",),
        starts="app",
        conversation=(
            {"interaction_style": ["default"]},
            {"number": 1},
            {"all_answered": {"export": False, "limit": 30}},
        ),
    )


def test_a_conversation_block_with_a_share_records_how_many_that_is(tmp_path: Path) -> None:
    text = NESTED.replace("number: 3", "number: sample(0.5)")
    profile = read_text(tmp_path, text)
    assert (profile.number, profile.sample) == (None, 0.5)
    assert profile.conversation[1] == {"number": 1}
    assert read_text(tmp_path, text, compat="sensei").conversation[1] == {"number": 0}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("null", {"goal_style": "default", "limit": 30}),
        ("default", {"goal_style": "default", "limit": 30}),
        ("all_answered", {"goal_style": "all_answered", "limit": 30, "export": False}),
        ("{all_answered: null}", {"goal_style": "all_answered", "limit": 30}),
        ("{all_answered: {limit: 4}}", {"goal_style": "all_answered", "limit": 4}),
        ("{default: {limit: 4, export: true}}", {"goal_style": "default", "limit": 4}),
        ("{steps: 25}", {"goal_style": "steps", "steps": 25}),
        ("{random steps: 8}", {"goal_style": "random steps", "steps": 8}),
        ("{random_steps: 8}", {"goal_style": "random steps", "steps": 8}),
        (
            "{steps: 5, all_answered: {limit: 9}}",
            {"goal_style": "all_answered", "steps": 5, "limit": 9},
        ),
        ("[{all_answered: {limit: 9}}, {steps: 5}]", {"goal_style": "all_answered", "steps": 5}),
    ],
)
def test_when_a_conversation_is_over(
    written: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    text = f"user: {{goals: [hello]}}\nconversation: {{goal_style: {written}}}\n"
    found = read_text(tmp_path, text).model_dump()
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("null", ("default",)),
        ("long phrases", ("long phrases",)),
        ("[long phrase, single questions]", ("long phrases", "single question")),
        ("[{change language: spanish}]", ({"change language": ["spanish"]},)),
        (
            "[{random: [default, {change language: [italian, chinese]}]}]",
            ({"random": ["default", {"change language": ["italian", "chinese"]}]},),
        ),
    ],
)
def test_interaction_styles(written: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    text = f"user: {{goals: [hello]}}\nconversation: {{interaction_style: {written}}}\n"
    assert read_text(tmp_path, text).styles == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Spanish", "Spanish"),
        ("spanish", "Spanish"),
        (" CHINESE (simplified) ", "Chinese (Simplified)"),
        ("Basque", "Basque"),
        ("null", "English"),
        ("''", "English"),
    ],
)
def test_languages_are_known_in_any_case(written: str, expected: str, tmp_path: Path) -> None:
    text = f"user: {{goals: [hello], language: {written}}}\n"
    assert read_text(tmp_path, text).language == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("string", "str"),
        ("str", "str"),
        ("telefono", "phone"),
        ("email", "email"),
        ("Money", "money"),
        ("date", "date"),
        ("null", "str"),
    ],
)
def test_output_types_have_one_name_each(written: str, expected: str, tmp_path: Path) -> None:
    text = f"user: {{goals: [hello]}}\nchatbot: {{output: [{{a: {{type: {written}}}}}]}}\n"
    assert read_text(tmp_path, text).outputs[0].type == expected


def test_outputs_may_be_one_map_or_descriptions_alone(tmp_path: Path) -> None:
    text = "user: {goals: [hello]}\nchatbot: {outputs: {a: {type: int}, b: the order's number}}\n"
    outputs = read_text(tmp_path, text).outputs
    assert [(o.name, o.type, o.description) for o in outputs] == [
        ("a", "int", ""),
        ("b", "str", "the order's number"),
    ]


def test_several_fallback_phrases_are_kept(tmp_path: Path) -> None:
    text = "user: {goals: [hello]}\nchatbot: {fallback: [Sorry?, 'What?', '']}\n"
    assert read_text(tmp_path, text).fallbacks == ("Sorry?", "What?")


def write(folder: Path, name: str, test_name: str) -> Path:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"test_name: {test_name}\nuser: {{goals: [hello]}}\n", encoding="utf-8")
    return file


def test_profiles_with_one_test_name_get_names_of_their_own(tmp_path: Path) -> None:
    files = [
        write(tmp_path, "a/first.yml", "order"),
        write(tmp_path, "a/second.yml", "order"),
        write(tmp_path, "b/first.yml", "Order"),
        write(tmp_path, "b/third.yml", "order.second"),
        write(tmp_path, "b/other.yml", "qa"),
    ]
    profiles = read_profiles(files, base_dir=tmp_path, seed=1)
    assert [profile.name for profile in profiles] == [
        "order.a.first",
        "order.second.2",
        "Order.b.first",
        "order.second",
        "qa",
    ]
    assert [profile.test_name for profile in profiles][:2] == ["order", "order"]


def test_every_profile_is_a_scenario_of_the_space(tmp_path: Path) -> None:
    profile = read_text(tmp_path, NESTED)
    (scenario,) = scenarios([profile]).scenarios
    assert (scenario.name, scenario.number, scenario.source) == ("order", 3, "order.yml")
    assert scenario.variables == profile.variables


def test_all_that_is_wrong_with_several_files_is_said_at_once(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.yml", "b.yml", "c.yml")]
    for file in files:
        file.write_text("user: {gols: [hello]}\n" if file.stem != "b" else "user: {goals: [x]}\n")
    with pytest.raises(Exception, match=r"a\.yml:1: user\.gols") as caught:
        read_profiles(files, base_dir=tmp_path, seed=1)
    assert "c.yml:1: user.gols: unknown key. Did you mean 'goals'?" in str(caught.value)
