"""What the pages say of the pizzeria is so."""

import re
from pathlib import Path

import pytest
import yaml


def test_the_tutorial_counts_customers_and_rules_rightly(repository: Path) -> None:
    pizzeria = repository / "examples/pizzeria"
    page = (repository / "docs/tutorials/first-test.md").read_text(encoding="utf-8")
    said = re.search(r"(\d+) kinds of\s+customers and (\d+) rules", page)
    assert said
    assert int(said[1]) == len(list((pizzeria / "profiles").glob("*.yml")))
    assert int(said[2]) == len(list((pizzeria / "rules").glob("*.yaml")))


def test_the_readme_lists_every_weak_spot_and_only_rules_that_exist(repository: Path) -> None:
    pizzeria = repository / "examples/pizzeria"
    readme = (pizzeria / "README.md").read_text(encoding="utf-8")
    source = (pizzeria / "pizzeria_bot/weak_spots.py").read_text(encoding="utf-8")
    names = re.findall(r'^    [A-Z_]+ = "([\w-]+)"$', source, re.MULTILINE)
    assert len(names) == 10
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (.*) \|$", readme, re.MULTILINE))
    assert set(names) <= set(rows)
    rules = {path.stem for path in (pizzeria / "rules").glob("*.yaml")}
    named = {name for name in names for name in re.findall(r"`(\w+)`", rows[name])}
    assert named - {"no_response"} <= rules


@pytest.mark.parametrize("folder", ["profiles", "rules"])
def test_every_file_is_called_as_what_it_holds(repository: Path, folder: str) -> None:
    for path in (repository / "examples/pizzeria" / folder).iterdir():
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert data["test_name" if folder == "profiles" else "name"] == path.stem
