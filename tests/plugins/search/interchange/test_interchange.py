"""Models of PICT, ACTS and STELLAR become spaces, and spaces become such models."""

from itertools import product
from pathlib import Path

import pytest
import yaml

from sparring.cli.app import invoke
from sparring.errors import ConfigurationError
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.features.files import read_space
from sparring_plugins.search.interchange.exports import Format, export_space
from sparring_plugins.search.interchange.imports import ImportedSpace, import_space
from sparring_plugins.search.space import CaseSpace

PICT = """\
# volumes
TYPE:    Single, Span | Wide, Stripe (5)
SIZE:    10, 1000, 5000
File system: FAT, FAT32, NTFS
Second system: <File system>, EXT4
COMPRESSION: on, off, ~maybe
CLUSTER: 512, ~7

IF [File system] = "fat"   THEN [SIZE] <= 4096;
IF [File system] in {"FAT", "FAT32"} or
  ([File system] = "NTFS" and
   [SIZE] > 1000) THEN [COMPRESSION] <> "on" ELSE [TYPE] LIKE "S*g*";
NOT [File system] = [Second system];
"""

ACTS = """\
[System]
-- a comment
Name: Machines
[Parameter]
os (enum) : L, W
new (boolean) : true, false
n (int) : 1, 2, 3
[Constraint]
((os)!=("L"))||(new)
C2: (os = "W") => (n > 1 && !(new = true))
"""

STELLAR = """{"categorical_features": [
  {"name": "category", "values": ["bar", "museum"], "distribution": [0.75, 0.25]},
  {"name": "parking", "values": [null, "available"], "distribution": null},
  {"name": "word_perturbation", "values": [null, "delete_words", "sing"]}],
 "ordinal_features": [{"name": "rating", "values": [null, 3.5, 4]},
  {"name": "politeness", "values": ["rude", "polite"]}]}"""


def imported(tmp_path: Path, name: str, text: str) -> ImportedSpace:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    space = import_space(path)
    assert space is not None
    return space


def cases_of(tmp_path: Path, space: ImportedSpace) -> CaseSpace:
    path = tmp_path / "space.yaml"
    path.write_text(yaml.safe_dump(space.data, sort_keys=False), encoding="utf-8")
    context = FakeContext(base_dir=tmp_path)
    return CaseSpace(read_space(path, context).scenario(), context)


def valid(cases: CaseSpace) -> set[tuple[str, ...]]:
    return {tuple(map(str, case.values())) for case in cases.all()}


def test_a_model_of_pict_means_what_it_meant(tmp_path: Path) -> None:
    cases = cases_of(tmp_path, imported(tmp_path, "volumes.pict", PICT))
    assert cases.names == (
        "type", "size", "file_system", "second_system", "compression", "cluster",
    )  # fmt: skip
    systems = ("FAT", "FAT32", "NTFS")
    expected = {
        (kind, str(size), system, second, compression, cluster)
        for kind, size, system, second, compression, cluster in product(
            ("Single", "Span", "Stripe"), (10, 1000, 5000), systems, (*systems, "EXT4"),
            ("on", "off", "maybe"), ("512", "7"),
        )
        if not (system == "FAT" and size > 4096)
        and (
            compression != "on"
            if system != "NTFS" or size > 1000
            else kind == "Single"
        )
        and system != second
        and not (compression == "maybe" and cluster == "7")
    }  # fmt: skip
    assert valid(cases) == expected
    assert cases.scenario.variables[0].selector == "weights(1, 1, 5)"
    assert cases.scenario.variables[1].scale == "ordinal"


def test_a_model_of_acts_means_what_it_meant(tmp_path: Path) -> None:
    cases = cases_of(tmp_path, imported(tmp_path, "machines.txt", ACTS))
    assert valid(cases) == {
        (system, new, str(n))
        for system, new, n in product("LW", ("true", "false"), (1, 2, 3))
        if (system != "L" or new == "true") and (system != "W" or (n > 1 and new != "true"))
    }


ACTS_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<System name="machines">
  <Parameters>
    <Parameter id="0" name="system" type="1">
      <values><value>L</value><value>W</value></values>
    </Parameter>
    <Parameter id="1" name="cores" type="0">
      <values><value>1</value><value>2</value><value>3</value></values>
    </Parameter>
  </Parameters>
  <OutputParameters/>
  <Relations>
    <Relation Strength="2"><Parameter name="system"/></Relation>
  </Relations>
  <Constraints>
    <Constraint text="system = &quot;W&quot; =&gt; cores &gt; 1">
      <Parameters><Parameter name="system"/><Parameter name="cores"/></Parameters>
    </Constraint>
  </Constraints>
</System>
"""


def test_a_system_that_acts_saved_as_xml_means_what_it_meant(tmp_path: Path) -> None:
    space = imported(tmp_path, "machines.xml", ACTS_XML)
    assert space.data["name"] == "machines"
    assert space.notes == ["<Relations> has no place in a feature space"]
    assert valid(cases_of(tmp_path, space)) == {
        (system, str(cores))
        for system in "LW"
        for cores in (1, 2, 3)
        if (system, cores) != ("W", 1)
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<System name", '<!DOCTYPE s [<!ENTITY a "b">]><System name'), "has a document type"),
        (("</System>", ""), "is no XML"),
        (("<value>L</value><value>W</value>", ""), "'system' has no values"),
        (("cores &gt; 1", "speed &gt; 1"), "speed"),
    ],
)
def test_mistakes_in_xml_of_acts_are_named(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        imported(tmp_path, "machines.xml", ACTS_XML.replace(*change))


def test_a_configuration_of_stellar_keeps_groups_shares_and_perturbations(tmp_path: Path) -> None:
    space = imported(tmp_path, "navi.json", STELLAR)
    assert list(space.data["style"]) == ["politeness"]
    assert list(space.data["content"]) == ["rating", "category", "parking"]
    assert space.data["content"]["category"]["values"][0] == {"value": "bar", "weight": 0.75}
    assert space.data["perturbation"]["word_perturbation"]["values"][1]["apply"] == {
        "use": "word-deletion"
    }
    assert space.notes == ["the perturbation 'sing' is not known: add `apply` to it"]
    cases = cases_of(tmp_path, space)
    again = imported(tmp_path, "again.json", export_space(cases.scenario, cases, "stellar"))
    assert valid(cases_of(tmp_path, again)) == valid(cases)
    assert again.data["content"]["category"] == space.data["content"]["category"]


@pytest.mark.parametrize("to", ["pict", "acts"])
@pytest.mark.parametrize("name", ["naviqa-11", "small"])
def test_what_is_exported_and_imported_again_has_the_same_cases(
    tmp_path: Path, to: Format, name: str
) -> None:
    from sparring_plugins.search.features.lookup import find_spaces

    (tmp_path / "small.yaml").write_text(
        "name: small\ncontent:\n  a: {values: [none, x, y]}\n  b: {values: [1, 2, 3]}\n"
        "  c: {values: [p, q]}\nconstraints:\n"
        "  - {when: a == 'none', forbid: {b: [2, 3]}}\n  - never: len(c) * b > 2 and a == 'y'\n"
    )
    context = FakeContext(base_dir=tmp_path)
    written = name if name != "small" else "small.yaml"
    (space,) = find_spaces([written], context)
    cases = CaseSpace(space.scenario(), context)
    model = export_space(cases.scenario, cases, to)
    again = cases_of(tmp_path, imported(tmp_path, "model.pict" if to == "pict" else "m.txt", model))
    assert again.names == cases.names
    assert again.count() == cases.count()
    if name == "small":
        assert valid(again) == valid(cases)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("A: 1, 2\nB: 3, 4\nIF [A] = 1 THEN [C] = 2;", 3, "'C' is no parameter"),
        ("A: 1, 2\nB: 3, 4\nIF [A] = 1 [B] = 2;", 3, "expected THEN"),
        ("A: 1, 2\nB: 3, 4\nIF [A] = 1 THEN [B] = 3", 3, "does not end with `;`"),
        ("A: 1, 2\nA: 3, 4", 2, "is there twice"),
        ("A: 1, 2\nB:", 2, "expected a parameter"),
        ("A: 1, 2\nB: <C>, 2", 2, "no parameter 'C' above"),
        (
            "A: 1, 2\n" + "(" * 60 + "[A] = 1" + ")" * 60 + ";",
            2,
            "brackets, NOT or => within each other",
        ),
        ("A: 1, 2\n" + "NOT " * 60 + "[A] = 1;", 2, "NOT or => within each other"),
        ("A: 1, 2\n" + "[A] = 1 => " * 60 + "[A] = 1;", 2, "NOT or => within each other"),
        ("A: 1, 1", 1, "the value '1' twice"),
        ("A: 1, 2\n[A] = ", 2, "does not end"),
        ("A: 1, 2\n[A] =;", 2, "ends too early"),
        ("A: 1, 2\n[A] = 1 $ 2;", 2, "did not expect"),
    ],
)
def test_mistakes_are_named_with_their_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        imported(tmp_path, "bad.pict", text)
    (problem,) = raised.value.problems
    assert message in problem.message
    assert problem.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('["ordinal_features"]', "has no parameters"),
        ('{"ordinal_features": 5}', "`ordinal_features` is no list"),
        ('{"ordinal_features": [{"name": "a"}]}', "has no list of `values`"),
        ('{"ordinal_features": [{"name": "a", "values": [[1]]}]}', "is a list or a map"),
        (
            '{"ordinal_features": [{"name": "a", "values": [1, 2], "distribution": [-1, "x"]}]}',
            "`distribution` of 'a'",
        ),
    ],
)
def test_mistakes_in_a_configuration_of_stellar_are_named(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"bad\.json: .*{message}"):
        imported(tmp_path, "bad.json", text)


@pytest.mark.parametrize("to", ["pict", "acts"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("[a, 'b:c']", "'b:c' of 'x' has ':'"),
        ("[a, ' b']", "begins or ends with a blank"),
        ("[a, '']", "is empty"),
        ("[bar, Bar]", "is also another one"),
        ("[1, '1']", "is also another one"),
    ],
)
def test_values_that_would_come_back_changed_are_refused(
    tmp_path: Path, to: Format, values: str, message: str
) -> None:
    listed = yaml.safe_load(values)
    space = ImportedSpace(
        {"name": "s", "content": {"x": {"values": [{"value": v} for v in listed]}}}
    )
    cases = cases_of(tmp_path, space)
    with pytest.raises(ConfigurationError, match=message):
        export_space(cases.scenario, cases, to)


def test_codes_stay_texts_and_acts_tells_case(tmp_path: Path) -> None:
    model = """\
[Parameter]
zip (enum) : 007, 10
k (enum) : bar, Bar
[Constraint]
k = "Bar" || zip = 10
"""
    assert valid(cases_of(tmp_path, imported(tmp_path, "codes.txt", model))) == {
        ("007", "Bar"), ("10", "Bar"), ("10", "bar"),
    }  # fmt: skip


def test_a_model_holds_one_space_and_stellar_no_constraints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text(
        "name: two\napp: {use: echo}\nagent: {use: prompter, spaces: [attacks, naviqa-11]}\n"
        "strategy: random\n"
    )
    assert invoke(["space", "suite.yaml", "--export", "pict"]) == 2
    assert "export one of attacks, naviqa-11" in capsys.readouterr().err
    assert invoke(["space", "naviqa-11", "--export", "stellar"]) == 0
    assert "STELLAR has no constraints" in capsys.readouterr().err


def test_the_command_line_imports_and_exports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("volumes.pict").write_text(PICT)
    assert invoke(["draft", "volumes.pict"]) == 0
    assert invoke(["draft", "volumes.pict"]) == 2
    assert "use --force" in capsys.readouterr().err
    assert invoke(["space", "volumes.yaml", "--sample", "2", "--cover", "2"]) == 0
    out = capsys.readouterr().out
    assert "My request: type" in out
    assert "complete" in out
    assert invoke(["space", "volumes.yaml", "--export", "pict"]) == 0
    assert capsys.readouterr().out.startswith("type: Single (1), Span (1), Stripe (5)\n")
