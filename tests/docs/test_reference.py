"""The reference pages that are made from the code are those of this code."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from sparring import roles
from sparring.discovery.groups import GROUPS

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "site/pages/generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


_KIT = re.compile(r"^class ([A-Z]\w*Kit)\(.*\bkit=True", re.MULTILINE)


def test_every_kit_is_named_with_the_module_that_has_it() -> None:
    page = (ROOT / "docs/reference/testing.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^### (\w+Kit)\n\n`from ([\w.]+) import \1`$", page, re.MULTILINE))
    for kit, module in named.items():
        assert isinstance(getattr(import_module(module), kit), type)
    sources = [*(ROOT / "core").rglob("*.py"), *(ROOT / "plugins").rglob("*conformance*.py")]
    defined = {kit for path in sources for kit in _KIT.findall(path.read_text(encoding="utf-8"))}
    assert defined - {"PluginKit"} <= named.keys()


def reference(name: str) -> str:
    return (ROOT / f"docs/reference/{name}.md").read_text(encoding="utf-8")


def test_the_interfaces_say_what_tasks_and_oracles_have() -> None:
    chapters = {
        title: text
        for page in ("interface-agent", "interface-oracle", "roles-search")
        for title, text in re.findall(
            r"^## (\w+)\n(.*?)(?=^## |\Z)", reference(page), re.MULTILINE | re.DOTALL
        )
    }
    assert "| `case` | `model.case.Case` |" in chapters["PlayTask"]
    assert "| `protected` | list of text | - |" in chapters["PerturbTask"]
    assert "| `changes` | whole number | `0` |" in chapters["Perturbed"]
    assert "local: bool" in chapters["Oracle"]
    assert "shows the same fault" in chapters["Oracle"]


def test_each_interface_has_a_page_that_the_index_names() -> None:
    index = reference("interfaces")
    pages = dict(
        re.findall(r"^\| \[[^]]+\]\(([\w-]+)\.md\) \| [^:]+: (.*?) \|", index, re.MULTILINE)
    )
    for group in GROUPS.values():
        name = group.interface.__name__
        (page,) = (page for page, names in pages.items() if f"`{name}`" in names.split(", "))
        assert re.findall(rf"^## {name}$", reference(page), re.MULTILINE), name


def test_each_public_value_of_a_role_is_on_one_page() -> None:
    index = reference("interfaces")
    for name in roles.__all__:
        assert f"`{name}`" in index, name


def test_each_kind_of_plugin_has_a_heading_in_the_plural() -> None:
    page = (ROOT / "docs/reference/suite.md").read_text(encoding="utf-8")
    plugins = page.partition("\n# The plugins\n")[2]
    headings = re.findall(r"^## (.+)$", plugins, re.MULTILINE)
    assert {"Connectors", "Strategies", "LLM backends"} <= {*headings}


def test_a_plugin_without_settings_says_so_once() -> None:
    page = (ROOT / "docs/reference/suite.md").read_text(encoding="utf-8")
    local = page.partition("\n### local\n")[2].partition("\n#")[0]
    assert local.strip() == (
        "Plays cases on the event loop of the run itself.\n\nIt has no settings."
    )
