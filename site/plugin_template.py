"""Make the copier template of plugins from what `sparring new plugin` writes.

``python site/plugin_template.py`` writes `contrib/plugin-template`; a test compares it with what is
there and with what the command writes, so that both ways begin with the same package.
"""

import re
from importlib.resources import files
from pathlib import Path

import yaml

import sparring
from sparring_plugins.project.new_command import (
    agent_roles,
    contract_words,
    plugin_kinds,
    then_words,
)

TARGET = Path(__file__).parents[1] / "contrib" / "plugin-template"

DELIMITERS = {
    "block_start_string": "@%",
    "block_end_string": "%@",
    "variable_start_string": "@{",
    "variable_end_string": "}@",
    "comment_start_string": "@#",
    "comment_end_string": "#@",
    "keep_trailing_newline": True,
}
"""Jinja's own would clash with the code of plugins: f-strings and lists of lists."""

_ROLE = next(iter(agent_roles()))

HEAD = "# Made by site/plugin_template.py from the templates of `sparring new plugin`.\n"


def template_files() -> dict[str, str]:
    """Return the files of the copier template, by their paths below `contrib/plugin-template`."""
    templates = files("sparring_plugins.project").joinpath("plugin_templates")
    common = {"pyproject.toml.txt": "pyproject.toml", "README.md.txt": "README.md"}
    own = {"module.py.txt": "@{PACKAGE}@.py", "test.py.txt": "tests/test_@{FUNCTION}@.py"}
    made = {
        f"template/{path}.jinja": _as_jinja(templates.joinpath(name).read_text(encoding="utf-8"))
        for name, path in common.items()
    }
    for name, path in own.items():
        parts = {
            kind: _as_jinja(templates.joinpath(_folder(kind), name).read_text(encoding="utf-8"))
            for kind in plugin_kinds()
        }
        made[f"template/{path}.jinja"] = _by_kind(parts)
    return {"copier.yml": _questions(), **made}


def _folder(kind: str) -> str:
    """Return where the module and the test of a kind are; an agent is a judge."""
    return f"agent/{_ROLE}" if kind == "agent" else kind


def _as_jinja(template: str) -> str:
    return re.sub(r"@@([A-Z]+)@@", r"@{\1}@", template)


def _by_kind(parts: dict[str, str]) -> str:
    branches = [f"@% if KIND == {kind!r} %@{text}" for kind, text in parts.items()]
    return "@% endif %@".join(branches) + "@% endif %@"


def _questions() -> str:
    kinds = plugin_kinds()

    def hidden(default: str) -> dict[str, object]:
        return {"type": "str", "default": default, "when": False}

    def table(values: dict[str, str]) -> str:
        filled = {
            kind: value.replace("NAME", "@{NAME}@").replace("FUNCTION", "@{FUNCTION}@")
            for kind, value in values.items()
        }
        return _by_kind(filled)

    title = "NAME.title() | replace('-', '')"
    data = {
        "_min_copier_version": "9.0",
        "_subdirectory": "template",
        "_templates_suffix": ".jinja",
        "_envops": DELIMITERS,
        "KIND": {"type": "str", "help": "Which kind of plugin?", "choices": list(kinds)},
        "NAME": {
            "type": "str",
            "help": "What do suites call it? In lower case with hyphens.",
            "placeholder": "my-plugin",
            "validator": "@% if not (NAME | regex_search('^[a-z][a-z0-9]*(-[a-z0-9]+)*$')) %@"
            "expected lower case and hyphens, as in my-plugin@% endif %@",
        },
        "FUNCTION": hidden("@{NAME | replace('-', '_')}@"),
        "PACKAGE": hidden("sparring_@{FUNCTION}@"),
        "CLASS": hidden(f"@{{FUNCTION if KIND == 'function' else {title}}}@"),
        "GROUP": hidden(table({kind: value.group for kind, value in kinds.items()})),
        "ENTRY": hidden(
            table({kind: value.entry.replace("ROLE", _ROLE) for kind, value in kinds.items()})
        ),
        "USE": hidden(
            table({kind: value.use or agent_roles()[_ROLE] for kind, value in kinds.items()})
        ),
        "THEN": hidden(table({kind: then_words(kind) for kind in kinds})),
        "CONTRACT": hidden(table({kind: contract_words(kind) for kind in kinds})),
        "VERSION": hidden(".".join(sparring.__version__.split(".")[:2])),
    }
    return HEAD + yaml.safe_dump(data, sort_keys=False, width=1000)


def main() -> None:
    """Write the template."""
    for path, text in template_files().items():
        (TARGET / path).parent.mkdir(parents=True, exist_ok=True)
        (TARGET / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
