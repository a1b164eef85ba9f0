"""What the reference pages show is what the code does."""

import re
from itertools import islice
from pathlib import Path

import yaml

from sparring.model.space import Scenario, Variable
from sparring_plugins.users.profiles.profile_files import read_profiles
from sparring_plugins.users.selectors.plan import plan_of


def blocks(page: Path, kind: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_profiles_on_the_page_load(repository: Path, tmp_path: Path) -> None:
    files: list[Path] = []
    for block in blocks(repository / "docs" / "reference" / "profiles.md", "yaml"):
        first, _, body = block.partition("\n")
        if first.startswith("# file: "):
            file = tmp_path / first.removeprefix("# file: ")
            file.parent.mkdir(exist_ok=True)
            file.write_text(body, encoding="utf-8")
            files += [file] if file.parent.name == "profiles" else []
    profiles = read_profiles(files, base_dir=tmp_path, seed=1)
    assert [(profile.name, profile.shape) for profile in profiles] == [
        ("order", "nested"),
        ("appointment", "paper"),
        ("as_generated", "generator"),
    ]
    assert all(profile.warnings == () for profile in profiles)
    assert profiles[0].context[0] == "You are in a hurry and answer in few words."
    assert profiles[0].conversation[1] == {"number": 18}


def test_the_cases_on_the_page_are_those_of_its_variables(repository: Path) -> None:
    page = repository / "docs" / "reference" / "selectors.md"
    written = yaml.safe_load(blocks(page, "yaml")[1])
    variables = tuple(
        Variable(name=name, domain=tuple(spec["data"]), selector=spec["function"])
        for name, spec in written.items()
    )
    plan = plan_of(Scenario(name="s", variables=variables, number=4), 1)
    header, *rows = blocks(page, "text")[0].splitlines()
    shown = [dict(zip(header.split(), row.split(), strict=True)) for row in rows]
    found = [
        {name: str(value).replace("'", "") for name, value in params.items()}
        for params in islice(plan.params(0), plan.count)
    ]
    assert found == shown
