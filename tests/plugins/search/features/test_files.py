from pathlib import Path
from random import Random

import pytest

from sparring.errors import ConfigurationError
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.features.files import read_space
from sparring_plugins.search.features.lookup import find_spaces, list_bundled
from sparring_plugins.search.features.model import FeatureSpace, FeatureSpec, FeatureValue

GOOD = """\
name: pizza
style:
  politeness:
    scale: ordinal
    values: {rude: be rude, neutral: , polite: [be polite]}
content:
  size: {scale: ordinal, values: [small, medium, {value: big, as: [big, large], label: huge}]}
  drink: {values: [none, coke, water]}
  stars: {values: {none: , four: {value: 4, as: 4 stars}}}
perturbation:
  typing: {values: {none: , typos: {apply: [{use: typos, rate: 0.5}, emoji]}}}
constraints:
  - {when: size == 'small', drop: drink, about: no drinks with small ones}
  - {when: politeness == 'rude', forbid: {size: big}}
  - {when: stars == 4, then: size != 'small'}
  - {when: drink == 'coke', set: {stars: none}}
  - never: politeness == 'polite' and size == 'medium'
  - drink != 'water' or size == 'big'
"""

MADE = FeatureSpace(
    name="made",
    features=(
        FeatureSpec(name="a", group="content", values=(FeatureValue(value=1),)),
        FeatureSpec(name="b", group="style", values=(FeatureValue(value="x"),)),
    ),
)


def made() -> FeatureSpace:
    return MADE


def read(tmp_path: Path, text: str) -> FeatureSpace:
    path = tmp_path / "space.yaml"
    path.write_text(text)
    return read_space(path, FakeContext(base_dir=tmp_path), shown="space.yaml")


def test_a_space_is_read_with_its_features_and_constraints(tmp_path: Path) -> None:
    space = read(tmp_path, GOOD)
    scenario = space.scenario()
    assert [(v.name, v.group, v.scale) for v in scenario.variables] == [
        ("politeness", "style", "ordinal"),
        ("size", "content", "ordinal"),
        ("drink", "content", "categorical"),
        ("stars", "content", "categorical"),
        ("typing", "perturbation", "categorical"),
    ]
    assert scenario.variables[1].domain == ("small", "medium", "big")
    assert scenario.variables[1].labels == ("small", "medium", "huge")
    assert scenario.variables[3].domain == ("none", 4)
    assert len(scenario.constraints) == 6
    assert scenario.constraints[0].assign == {"drink": "none"}
    assert scenario.constraints[0].source == "space.yaml:13"
    cases = CaseSpace(scenario, FakeContext())
    assert cases.count().number == len(list(cases.all())) < cases.size
    params = {"politeness": "rude", "size": "big", "drink": "coke", "stars": 4, "typing": "typos"}
    task = space.task(cases.repair(params), seed=3)
    assert [one.name for one in task.features] == ["politeness", "size", "drink", "stars"]
    assert [use.use for _, use in space.perturbations(params)] == ["typos", "emoji"]


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("scale: ordinal\n", "scale: ordered\n"), 4, "politeness.scale: input should be"),
        (("name: pizza\n", ""), 1, "name: missing"),
        (("content:", "contents:"), 6, "contents: unknown key. Did you mean 'content'?"),
        (("drop: drink", "drop: drnk"), 13, "no feature is called 'drnk'. Did you mean 'drink'?"),
        (("drop: drink", "drop: size"), 13, "size cannot be dropped: it has no value that leaves"),
        (("drop: drink", "dorp: drink"), 13, "unknown key. Did you mean 'drop'?"),
        (("{size: big}", "{size: bg}"), 14, "size has no value 'bg'. Did you mean 'big'?"),
        (("size == 'small', drop", "size == 'smal', drop"), 13, "'smal'. Did you mean 'small'?"),
        (("size == 'small', drop", "sise == 'small', drop"), 13, "`sise` is none of the variables"),
        (("then: size != 'small'", "then: size !="), 15, "not a valid expression"),
        (("when: size == 'small', ", ""), 13, "`drop`, `set` and `then` need a `when`"),
        (("then: size != 'small'", "about: x"), 15, "says nothing"),
        (("never: polite", "always: x == 1, never: polite"), 17, "column"),
        (("use: typos, rate: 0.5", "rate: 0.5"), 11, "apply"),
        (("  drink: {", "  my drink: {"), 8, "is no name for conditions"),
        (("  drink: {", "  conv: {"), 8, "is a word of the expression language"),
        (("  drink: {", "  size: {"), 8, "the key 'size' is written twice"),
        (("  drink: {", "  politeness: {"), 8, "is also a feature of style"),
        (("[none, coke, water]", "[]"), 8, "has no values"),
        (("[none, coke, water]", "[coke, coke]"), 8, "has the value 'coke' twice"),
        (("{none: , four:", "{none: , none: "), 9, "twice"),
        (("values: {rude: be rude", "values: {rude: {traits: {polite: 1}}"), 5, "unknown trait"),
        (("[none, coke, water]}", "[none, coke, water], none: nothing}"), 8, "no value 'nothing'"),
        (("rude: be rude", "rude: {apply: typos}"), 3, "only perturbations are applied"),
        (("name: pizza\n", "name: pizza\ntemplates: no.yaml\n"), 2, "there is no file 'no.yaml'"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_nearest_name(
    tmp_path: Path, change: tuple[str, str], line: int, message: str
) -> None:
    assert change[0] in GOOD
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, GOOD.replace(*change, 1))
    told = str(caught.value)
    assert message in told
    assert told.startswith(f"space.yaml:{line}:"), told


def test_a_value_that_no_case_can_have_is_named_with_the_constraints(tmp_path: Path) -> None:
    extra = "  - {when: drink == 'coke', then: size == 'medium'}\n  - drink != 'coke' or size == 'big'\n"
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, GOOD + extra)
    told = str(caught.value)
    assert told.startswith(
        "space.yaml:8: content.drink.values: no case has drink = 'coke': line 19"
    )
    assert "line 20 (`drink != 'coke' or size == 'big'`) together rule it out" in told


def test_a_space_without_cases_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no case satisfies all constraints: line 19"):
        read(tmp_path, f"{GOOD}  - size == 'small' and size == 'big'\n")


@pytest.mark.parametrize("name", list_bundled())
def test_bundled_spaces_are_without_contradictions_and_explain_their_gaps(name: str) -> None:
    (space,) = find_spaces([name], FakeContext())
    assert space.notes
    cases = CaseSpace(space.scenario(), FakeContext())
    draw = Random(5)
    assert all(cases.holds(cases.random(draw)) for _ in range(100))


def test_the_case_studies_have_the_papers_sizes() -> None:
    naviqa, safeqa, eleven = find_spaces(["naviqa", "safeqa", "naviqa-11"], FakeContext())
    assert (len(naviqa.features), len(safeqa.features), len(eleven.features)) == (13, 8, 11)
    sizes = [CaseSpace(one.scenario(), FakeContext()).size for one in (safeqa, eleven)]
    assert sizes == [5_600, 11_664_000]
    one_at_a_time = [c for c in naviqa.constraints if "word_deletion" in c.expression]
    singly = naviqa.model_copy(update={"constraints": tuple(one_at_a_time)})
    assert CaseSpace(singly.scenario(), FakeContext()).count().number == 11_664_000


def test_files_of_a_space_from_python_start_from_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept_spaces.py").write_text(
        f"from {__name__} import MADE\n"
        "SPACE = MADE.model_copy(update={'templates': 'words.yaml', 'examples': ('said.txt',)})\n"
    )
    (tmp_path / "words.yaml").write_text("start: a\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir("/")
    (space,) = find_spaces(["kept_spaces:SPACE"], FakeContext())
    assert space.templates == str(tmp_path / "words.yaml")
    assert space.examples == (str(tmp_path / "said.txt"),)
    (tmp_path / "words.yaml").unlink()
    with pytest.raises(ConfigurationError, match=r"words\.yaml"):
        find_spaces(["kept_spaces:SPACE"], FakeContext())


def test_spaces_come_from_python_too() -> None:
    context = FakeContext()
    for attribute in ("MADE", "made"):
        (space,) = find_spaces([f"{__name__}:{attribute}"], context)
        assert space == MADE
    with pytest.raises(ConfigurationError, match="no FeatureSpace"):
        find_spaces([f"{__name__}:GOOD"], context)
    with pytest.raises(ConfigurationError, match="cannot be imported"):
        find_spaces(["no.such.module:SPACE"], context)
    with pytest.raises(ConfigurationError, match="has the same name"):
        find_spaces(["naviqa", "naviqa"], context)
    with pytest.raises(ConfigurationError, match="Did you mean 'naviqa'"):
        find_spaces(["navqa"], context)


def test_a_range_is_numbers_in_order(tmp_path: Path) -> None:
    space = read(
        tmp_path,
        "name: shop\ncontent:\n"
        "  price: {range: {from: 1, to: 100, steps: 5, spacing: log, as: 'for {} euros'}}\n"
        "  share: {range: {from: 0, to: 1, steps: 3, decimals: 1, optional: true}}\n",
    )
    price, share = space.scenario().variables
    assert price.domain == (1, 3, 10, 32, 100)
    assert price.scale == share.scale == "ordinal"
    assert share.domain == ("none", 0.0, 0.5, 1.0)
    assert space.features[0].values[2].words == ("for 10 euros",)
    assert space.features[1].none == 0


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{range: {from: 2, to: 1}}", "`from` 2 is not below `to` 1"),
        ("{range: {from: 0, to: 1, spacing: log}}", "needs `from` above 0"),
        ("{range: {from: 0, to: 1}, values: [1]}", "`values` and a `range`"),
        ("{}", "has no values"),
        ("{values: [{value: 1, weight: 0}]}", "no value of a weight above 0"),
        ("{values: [{value: 1, weight: -1}]}", "greater than or equal to 0"),
    ],
)
def test_what_is_wrong_with_ranges_and_weights_is_named(
    tmp_path: Path, written: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read(tmp_path, f"name: shop\ncontent:\n  price: {written}\n")
