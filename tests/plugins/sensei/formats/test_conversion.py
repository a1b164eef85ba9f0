"""Files of every form, written in the current one, mean what they meant."""

import os
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring_plugins.language.yaml_files import yaml_text
from sparring_plugins.rules.parse.rule_files import read_file
from sparring_plugins.sensei.conversion import CONVERTERS, Converted
from sparring_plugins.users.profiles.profile import Profile, scenarios
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.selectors.plan import plan_of

PAPER = """
test_name: appointment
LLM: gpt-4o-mini
user:
  language: spanish
  role: somebody with a bicycle
  goals:
    templates: ["an appointment {{day}} for a {{service}}"]
    inputs:
      - day: {selector: forward(service), type: string, data: [today, "10:30"]}
      - service: {selector: forward(), type: string, data: {date: {set: ">today(2)"}}}
chatbot:
  is_starter: false
  fallback: [What?, "Sorry, no: again."]
  outputs:
    - time: {type: telefono, description: when it is}
  conversations: {number: sample(0.5), stop_condition: {steps: 6, all_answered: {limit: 4}}}
"""
GENERATED = """
temperature: 0.8
isstarter: true
fallback: I did not get that.
role: A user.
ask_about: ["Consider: {{sizes}}.", sizes: [small, large], "{{n}}", n: [1, 2.5]]
conversations: [{number: 1}, {goal_style: {random steps: 3}}, {interaction_style: []}]
test_name: ""
"""
FLAT = """
test_name: flat
llm: {temperature: 0.5, model: m}
is_starter: false
role: |
  Two lines.
  The second.
context: [personality: personas/rude.yml, You are vegan.]
ask_about:
  - "{{a}} of {{b}}"
  - a: {function: random(2), type: int, data: {min: 1, max: 9, step: 2}}
  - b: {function: another(), type: string, data: ["yes", "no", any(3 soda drinks)]}
output: []
conversations:
  - number: all_combinations
  - goal_style: default
  - interaction_style: [{random: [long phrase, {change language: [French]}]}]
language: English
"""


def converted(path: Path) -> Converted:
    return next(one for one in CONVERTERS if one.knows(path)).convert(path)


def written(found: Converted, folder: Path) -> Path:
    for file in found.files:
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(yaml_text(file.documents), encoding="utf-8")
    return folder / found.files[0].path


def profile_of(path: Path, base: Path) -> Profile:
    return read_profiles([path], base_dir=base, seed=3, keep_unresolved=True)[0]


def meaning(profile: Profile) -> dict[str, Any]:
    """All of a profile but the place and the form that it was read from."""
    left_out = {"source", "shape", "warnings", "unresolved"}
    needs = [(one.variable, one.text, one.need) for one in profile.unresolved]
    return {**profile.model_dump(mode="json", exclude=left_out), "needs": needs}


def cases(profile: Profile) -> list[Any]:
    plan = plan_of(scenarios([profile]).scenarios[0], 7)
    return [plan.count, *islice(plan.params(0), min(plan.count, 50))]


def stays_itself(path: Path, folder: Path) -> None:
    before = profile_of(path, path.parent)
    after = profile_of(written(converted(path), folder), folder)
    assert meaning(after) == meaning(before)
    assert cases(after) == cases(before)
    assert after.shape == "nested"


@pytest.mark.parametrize("text", [PAPER, GENERATED, FLAT], ids=["paper", "generated", "flat"])
def test_a_profile_gives_the_same_scenarios_and_cases(text: str, tmp_path: Path) -> None:
    (tmp_path / "old" / "personas").mkdir(parents=True)
    (tmp_path / "old" / "personas" / "rude.yml").write_text("context: You are rude.\n")
    path = tmp_path / "old" / "profile.yml"
    path.write_text(text)
    stays_itself(path, tmp_path / "new")


def test_the_current_form_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "profile.yml"
    path.write_text(PAPER)
    once = converted(path)
    twice = converted(written(once, tmp_path / "new"))
    assert twice.files == once.files
    assert [once.kind, twice.kind] == ["profile, paper", "profile, nested"]


def test_a_persona_outside_moves_with_the_profile(tmp_path: Path) -> None:
    (tmp_path / "rude.yml").write_text("context: [You are rude.]\n")
    path = tmp_path / "deep" / "profile.yml"
    path.parent.mkdir()
    path.write_text("user: {goals: [to eat], context: [{personality: ../rude.yml}]}\n")
    found = converted(path)
    assert [file.path for file in found.files] == ["profile.yml", "personalities/rude.yml"]
    assert profile_of(written(found, tmp_path / "new"), tmp_path).context == ("You are rude.",)


def test_a_python_file_is_named_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "lists.py").write_text("raise SystemExit('it was run')\n")
    path = tmp_path / "profile.yml"
    data = "{file: lists.py, function_name: drinks}"
    path.write_text(f"user: {{goals: ['{{{{d}}}}', d: {{type: string, data: {data}}}]}}\n")
    assert converted(path).notes == (
        "profile.yml names the Python file 'lists.py', which is not copied",
    )


VALUES = st.one_of(
    st.lists(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=4
    ),
    st.lists(st.integers(-99, 99), min_size=1, max_size=4),
    st.builds(
        lambda low, more: {"min": low, "max": low + more}, st.integers(0, 9), st.integers(0, 5)
    ),
)


@given(
    VALUES, VALUES,
    st.sampled_from(["forward()", "another()", "random()", "random(2)", "random(rand)", None]),
    st.sampled_from([None, 3, "all_combinations", "sample(0.4)"]),
    st.sampled_from([None, {"steps": 4}, {"all_answered": {"export": True}}, "default"]),
    st.booleans(),
)  # fmt: skip
def test_any_profile_in_the_papers_spelling_keeps_its_cases(
    tmp_path_factory: pytest.TempPathFactory,
    first: Any, second: Any, selector: str | None, number: Any, stop: Any, starts: bool,
) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("profile")
    inputs = [
        {"a": {"selector": selector, "data": first}},
        {"b": {"selector": "forward()", "data": second}},
    ]
    goals = {"templates": ["{{a}} and {{b}}"], "inputs": inputs}
    chatbot = {"is_starter": starts, "conversations": {"number": number, "stop_condition": stop}}
    path = folder / "p.yml"
    path.write_text(
        yaml.safe_dump(
            {"test_name": "t", "user": {"goals": goals}, "chatbot": chatbot}, allow_unicode=True
        ),
        encoding="utf-8",
    )
    try:
        profile_of(path, folder)
    except ConfigurationError:
        return
    stays_itself(path, folder / "new")


def test_rules_get_one_name_for_each_thing(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(
        "then: x == 1\non-error: f'{x}'\nname: a\nconversations: -1\n---\n"
        "name: b\noracle: true\nthen: x\nwhen: y > 1\nif: z\nconversations: 3\n"
    )
    found = converted(path)
    assert found.files[0].documents == (
        {"name": "a", "conversations": "all", "oracle": "x == 1", "yields": "f'{x}'"},
        {"name": "b", "conversations": 3, "when": "y > 1", "if": "z", "oracle": "True"},
    )
    assert len(found.notes) == 2
    read_file(written(found, tmp_path / "new"), base=tmp_path, sensei=False, warn=lambda _: None)


def published() -> list[Path]:
    """Profiles, personas and rules of the checkouts, where there are any."""
    stored = {"results_data", "output", "executions"}
    roots = [os.environ.get(name) for name in ("SPARRING_SENSEI", "SPARRING_SENSEI_EVALUATION")]
    return [
        path
        for root in roots
        if root
        for path in sorted(Path(root).rglob("*.y*ml"))
        if not stored & set(path.parts)
    ]


def test_every_published_file_converts_and_means_the_same(tmp_path: Path) -> None:
    paths = published()
    if not paths:
        pytest.skip("no checkout of SENSEI is named")
    kinds = {"profile": 0, "persona": 0, "rules": 0}
    for number, path in enumerate(paths):
        if not any(one.knows(path) for one in CONVERTERS):
            continue
        found = converted(path)
        kinds[found.kind.partition(",")[0]] += 1
        new = written(found, tmp_path / str(number))
        if found.kind.startswith("profile"):
            base = tmp_path / str(number)
            before, after = profile_of(path, path.parent), profile_of(new, base)
            assert meaning(after) == meaning(before), path
            assert cases(after) == cases(before), path
    assert kinds["profile"] > 20
    assert kinds["rules"] > 50
