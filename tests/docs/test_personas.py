"""The page on personas lists what the library has."""

import re
from pathlib import Path

import yaml

from sparring_plugins.users.personas.traits import KINDS, Traits
from sparring_plugins.users.profiles.character import persona_file, persona_names

DOCS = Path(__file__).parents[2] / "docs"


def test_every_bundled_persona_is_listed_with_its_numbers() -> None:
    page = (DOCS / "how-to" / "personas.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", page, re.M))
    assert set(rows) == set(persona_names())
    for name, row in rows.items():
        path = persona_file(name)
        assert path is not None
        traits = yaml.safe_load(path.read_text("utf-8"))["traits"]
        for trait, value in {**traits, **traits.get("asides", {})}.items():
            if isinstance(value, float) or (isinstance(value, int) and value is not False):
                assert f"{trait} {value}" in row, (name, trait)


def test_every_trait_and_kind_of_remark_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "user-simulator.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \| ", page, re.M)) >= set(Traits.model_fields)
    assert all(f"`{kind}`" in page for kind in KINDS)
