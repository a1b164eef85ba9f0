"""Writes the reference pages that are made from code: ``python site/pages/generate.py [--check]``.

The tests run it with ``--check``: a page that is out of date fails them.
"""

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union

import calibration_page
import click
import entry_points_page
import features_page
import fitness_page
import grammar_page
import gui_cases_page
import interface_pages
import mutation_page
import prompts_page
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

import sparring.cli.app as app
from sparring import errors, testing
from sparring.discovery import catalog, drivers, hookspecs
from sparring.discovery.groups import COMMANDS, GROUPS
from sparring.engine.exit_codes import MEANINGS
from sparring.interfaces import plugin
from sparring.model import case, chat, confirmation, events, run, space, talk, verdict
from sparring.suite import model
from sparring.suite.reading import defaults
from sparring.testing import conformance, conversations, fakes
from sparring.testing.conformance import agent as agent_kits
from sparring.testing.conformance import app_connector as connector_kits
from sparring.testing.conformance import executor as executor_kits
from sparring.testing.conformance import llm_backend as backend_kits
from sparring.testing.conformance import oracle as oracle_kits
from sparring.testing.conformance import player as player_kits
from sparring.testing.conformance import reporter as reporter_kits
from sparring.testing.conformance import rule_function as function_kits
from sparring.testing.conformance import search_strategy as strategy_kits
from sparring_plugins.language import word_lists_conformance as word_list_kits
from sparring_plugins.project.installation_commands import declared_specs
from sparring_plugins.search import conformance as search_kits
from sparring_plugins.speech import conformance as speech_kits
from sparring_plugins.voice import conformance as explorer_kits
from sparring_plugins.web import conformance as web_kits

KITS = (connector_kits, player_kits, agent_kits, explorer_kits, search_kits, speech_kits,
        web_kits, oracle_kits, strategy_kits, reporter_kits, backend_kits, executor_kits,
        function_kits, word_list_kits)  # fmt: skip
REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
MADE = "<!-- Made by site/pages/generate.py from the code; edit the docstrings instead. -->\n\n"
GATE = """
Where several apply, the first of 130, 6, 1, 4, 3 and 5 counts. `--exit-zero` turns 1, 3 and 4 into
0, never 5 or 6.

The suite says what an *inconclusive* check means, that is one that could not be decided. In a run
in which nothing failed:

| `gate: {inconclusive: …}` | exit code | JUnit | pytest |
| --- | --- | --- | --- |
| `error` (if left out) | 3 | `error` | fails |
| `fail`, or `--strict` for one run | 1 | `failure` | fails |
| `allow` | 0 if something passed, else 5 | `skipped` | skipped |

Allow it only if undecided checks are the normal state of a suite, for instance because the model
behind a rule is not asked in every run. Checks that do not gate (`gating: false`) change nothing,
but a run in which only those passed ends with 0.

A reporter that breaks makes a 0 a 6, because a report is missing. Whatever nobody raised on purpose
ends with 6, too; `SPARRING_TRACEBACK=1` in the environment shows where it comes from. A closed pipe
is neither a failure nor a success: `sparring run | head -1` has the code of the run (if the shell
has `set -o pipefail`).
"""
OTHERS = """\
Other commands use the same codes:

| command | code | if |
| --- | --- | --- |
| `check`, `replay` | 0 to 5 | as `run` |
| `check` | 3 | nothing failed, but a conversation could not be read |
| `replay` | 3 | nothing failed, but a case of the stored run was not repeated |
| `confirm` | 0 | no fault that gates showed again |
| | 1 | a fault that gates is confirmed |
| | 3 | one shows now and then, or could not be played |
| | 5 | there is no fault to play again |
| `explore` | 0 | a profile was drafted |
| | 3 | the app was never heard |
| | 5 | nothing was found that makes a profile |
| `mutate` | 0 | there is a score, not below `--min-score` |
| | 1 | the original fails, or the score is below `--min-score` |
| | 3 | the suite could not judge some mutants |
| | 5 | there is nothing to change, or no mutant counts |
| `calibrate` | 0 | something was measured |
| | 1 | a judge falls short of `--min-accuracy` or `--min-kappa` |
| | 3 | answers ended in errors |
| | 4 | the budget was spent |
| | 5 | no judge decided anything |
| `causes` | 0 | causes were told |
| | 5 | nothing failed |
| `shrink` | 0 | causes were found; with `--replay`, none fails any more |
| | 1 | with `--replay`: a case still fails |
| | 3 | nothing failed again or could be judged, or the app cannot be reached |
| | 4 | with `--replay`: the budget was spent |
| | 5 | nothing had failed |
| `study` | 0 | all runs are played |
| | 3 | some runs could not be played |
| | 5 | with `--no-play`: nothing is played yet |
| `report`, `tables`, `space` | 0 | it is made, whatever the verdicts are |
| | 5 | there is nothing in it |
| `lint` | 1 | a step is not understood; with `--strict`, or doubtful |

`convert`, `doctor`, `init`, `plugins`, `profiles`, `rules`, `schema`, `show` and `validate` end
with 0 or 2. Each may end with 6 and 130 as above.
"""


def exit_codes() -> str:
    """The exit codes and what decides them, from the one table in the code."""
    rows = [f"| {code} | {text} |" for code, text in MEANINGS.items()]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows, GATE])


def page_hooks() -> str:
    """The hooks that listeners may implement: the core's, then those that plugins call."""
    core = [
        item
        for item in _own(hookspecs, inspect.isfunction)
        if item.__name__.startswith("sparring_")
    ]
    declared = sorted(declared_specs(), key=lambda item: item.__name__)
    return "\n".join(
        [
            "# Hooks\n",
            _text(hookspecs),
            *(_function(item, "##") for item in core),
            "# Hooks that commands call\n",
            *(_function(item, "##") for item in declared),
        ]
    )


def page_errors() -> str:
    """Errors and exit codes."""
    tree = inspect.getdoc(errors) or ""
    lines = [f"- **{item.__name__}**: {_first(item)}" for item in _own(errors, inspect.isclass)]
    return "\n".join(
        [
            "# Errors and exit codes\n",
            exit_codes(),
            "## The errors\n",
            _indented(tree),
            "",
            *lines,
            "",
        ]
    )


def page_suite() -> str:
    """The suite file and the settings of everything installed."""
    parts = ["# The suite file\n", _text(model.Suite), _fields(model.Suite)]
    for part in (
        model.Budget,
        model.Gate,
        model.StrategyUse,
        model.Duplicates,
        model.OracleUse,
        model.LLMUse,
        model.LLMRole,
        model.Price,
        model.Hooks,
    ):
        parts += [f"## {part.__name__}\n", _text(part), _fields(part)]
    parts.append("# The plugins\n")
    for namespace, group in GROUPS.items():
        names = [item.name for item in catalog.listings(namespace) if item.package == "sparring"]
        parts += [f"## {_heading(group.label)}\n"] if names else []
        for name in names:
            found = drivers.load(group, name)
            # What a class without settings would say of them is the text of its base.
            about = [_text(found.Config)] if found.Config.model_fields else []
            parts += [f"### {name}\n", _text(found), *about, _fields(found.Config)]
    return "\n".join(parts)


def _heading(label: str) -> str:
    """Return the plural of a label with a capital: "Strategies" of "strategy"."""
    plural = re.sub(r"(?<![aeiou])y$", "ie", label) + "s"
    return plural[0].upper() + plural[1:]


COMPLETION = """
## Completion

The shell completes commands, options, the ids of stored runs (`sparring show <Tab>`) and the
cases of a run, once it has been told how. For bash, in `~/.bashrc`:

```sh
eval "$(_SPARRING_COMPLETE=bash_source sparring)"
```

For zsh the same with `zsh_source` in `~/.zshrc`; for fish, in
`~/.config/fish/completions/sparring.fish`:

```sh
_SPARRING_COMPLETE=fish_source sparring | source
```

`sparring` is on the PATH if the environment that it was installed into is active
(`. .venv/bin/activate`); `pipx install` and `uv tool install` put it there for good.
"""


def page_cli() -> str:
    """Every command with its help."""
    parts = ["# The command line\n", exit_codes(), OTHERS, COMPLETION]
    context = click.Context(app.sparring, info_name="sparring", max_content_width=90)
    for name in app.sparring.list_commands(context):
        command = app.sparring.get_command(context, name)
        assert command is not None
        parts += _help_of(command, name, context)
    return "\n".join(parts)


def _help_of(command: click.Command, name: str, above: click.Context) -> Iterator[str]:
    """The help of a command, and of those that it groups."""
    context = click.Context(command, info_name=name, parent=above, max_content_width=90)
    title = context.command_path
    yield f"## {title}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group) and name in catalog.names(COMMANDS):
        for inner in sorted(command.commands):
            yield from _help_of(command.commands[inner], inner, context)


def page_model() -> str:
    """What is stored and travels: the values that plugins take and give."""
    parts = ["# The data model\n", "Every value is immutable; unknown fields are errors.\n"]
    for module in (case, talk, verdict, confirmation, space, chat, run, events):
        parts += [f"## {module.__name__}\n", _text(module)]
        for item in _own(module, inspect.isclass):
            lines = [f"### {item.__name__}\n", _text(item)]
            lines += [_fields(item)] if issubclass(item, BaseModel) else []
            lines += [_values(item)] if issubclass(item, Enum) else []
            parts += lines
    return "\n".join(parts)


def _values(found: type[Enum]) -> str:
    return ", ".join(f"`{item.value}`" for item in found) + "\n"


def page_testing() -> str:
    """What a package of plugins is tested with."""
    parts = ["# Testing plugins of your own\n", _text(testing)]
    parts.append("## Fakes\n\n" + _text(fakes))
    for name in fakes.__all__:
        found = getattr(fakes, name)
        parts += [f"### {name}\n", _text(found)]
        if inspect.isclass(found) and issubclass(found, plugin.Plugin):
            parts += [_text(found.Config), _fields(found.Config)]
    parts.append("## Conversations\n\n" + _text(conversations))
    parts += [_function(item, "###") for item in _own(conversations, inspect.isfunction)]
    parts.append("## Conformance kits\n\n" + _text(conformance))
    for module in KITS:
        parts += [_kit(item) for item in _own(module, inspect.isclass)
                  if item.__name__.endswith("Kit")]  # fmt: skip
    return "\n".join(parts)


def _kit(item: type) -> str:
    """A kit, and the module that it is imported from."""
    name = item.__name__
    home = testing.__name__ if name in testing.__all__ else item.__module__
    return f"### {name}\n\n`from {home} import {name}`\n\n{_text(item)}"


def page_calibration() -> str:
    """The calibration file, the roles, the measures and their arithmetic."""
    return calibration_page.page(_text, _fields, lambda item: _function(item, "###"))


def page_mutation() -> str:
    """The mutation file, fates, operators and results."""
    return mutation_page.page(_text, _fields)


def page_gui_cases() -> str:
    """Files of test cases in plain language."""
    return gui_cases_page.page(_fields)


def page_features() -> str:
    """Feature spaces, constraints, writers, perturbations."""
    return features_page.page(_text, _fields, _class)


def page_fitness() -> str:
    """The oracle `fitness`, the classes of failures, and every fitness."""
    return fitness_page.page(_text, _fields)


PAGES = {
    "calibration.md": page_calibration,
    "features.md": page_features,
    "fitness.md": page_fitness,
    "grammar.md": grammar_page.page,
    "gui-test-cases.md": page_gui_cases,
    "mutation.md": page_mutation,
    "model.md": page_model,
    "testing.md": page_testing,
    "prompts.md": prompts_page.page,
    "hooks.md": page_hooks,
    "entry-points.md": entry_points_page.page,
    "errors.md": page_errors,
    "suite.md": page_suite,
    "cli.md": page_cli,
    **interface_pages.pages(
        lambda item: _text(item), lambda item: _class(item), lambda item: _function(item, "###")
    ),
}


_MISSING = object()


def _own(module: Any, kind: Any) -> list[Any]:
    found = [item for name, item in vars(module).items() if kind(item) and not name.startswith("_")]
    return [item for item in found if item.__module__ == module.__name__]


def _text(thing: Any) -> str:
    own = None if inspect.isclass(thing) and "__doc__" not in vars(thing) else thing.__doc__
    return (inspect.cleandoc(own) + "\n") if own else ""


def _first(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")


def _indented(text: str) -> str:
    return "```text\n" + text + "\n```"


def _class(item: type) -> str:
    lines = [part for part in (f"### {item.__name__}\n", _bases(item), _text(item)) if part]
    in_roles = item.__module__ in {module.__name__ for module in interface_pages.ROLES}
    if issubclass(item, BaseModel) and in_roles:
        lines.append(_fields(item))
    if dataclasses.is_dataclass(item):
        lines.append(_attributes(item))
    is_implemented = issubclass(item, plugin.Plugin) or any(
        getattr(member, "__isabstractmethod__", False) for member in list(vars(item).values())
    )
    if is_implemented:
        lines += _class_attributes(item)
    for name, member in list(vars(item).items()):
        plain = member.fget if isinstance(member, property) else member
        if not inspect.isfunction(plain) or name.startswith("_") or not plain.__doc__:
            continue
        must = getattr(member, "__isabstractmethod__", False)
        duty = ("must be implemented" if must else "optional") if is_implemented else ""
        lines.append(_member(plain, duty, is_property=isinstance(member, property)))
    return "\n".join(lines)


def _bases(item: type) -> str:
    """The class statement of what takes type arguments, whose order cannot be guessed."""
    names = [argument.__name__ for argument in getattr(item, "__parameters__", ())]
    if not names or issubclass(item, BaseModel):
        return ""
    return f"```text\nclass {item.__name__}[{', '.join(names)}]\n```\n"


def _attributes(item: type) -> str:
    """The attributes of a dataclass."""
    rows = [
        f"| `{field.name}` | `{_type(field.type)}` |".replace(" | None", " or None")
        for field in dataclasses.fields(item)
        if not field.name.startswith("_")
    ]
    return "\n".join(["| attribute | type |", "| --- | --- |", *rows, ""])


def _type(annotation: Any) -> str:
    text = _in_short(str(annotation)).replace("typing.", "").replace("collections.abc.", "")
    if text.startswith("ClassVar["):
        text = text.removeprefix("ClassVar[").removesuffix("]")
    return re.sub(r"<class ([\w.]+)>", r"\1", text)


def _comments(item: type) -> dict[str, str]:
    """What the ``#:`` comments above the attributes of a class say, by their names."""
    found: dict[str, str] = {}
    above: list[str] = []
    for line in inspect.getsource(item).splitlines():
        if comment := re.match(r"    #: ?(.*)", line):
            above.append(comment[1])
            continue
        if above and (named := re.match(r"    (\w+):", line)):
            found[named[1]] = "\n".join(above)
        above = []
    return found


def _class_attributes(item: type) -> Iterator[str]:
    """The attributes that a subclass sets, with their defaults."""
    comments = _comments(item)
    for name, annotation in inspect.get_annotations(item).items():
        if name.startswith("_"):
            continue
        default = vars(item).get(name, _MISSING)
        duty = "must be set" if default is _MISSING else f"optional, else `{_shown(default)}`"
        about = f"\n{comments[name]}\n" if name in comments else ""
        head = f"#### {name}\n\n*Class attribute, {duty}.*\n\n"
        yield f"{head}```text\n{name}: {_type(annotation)}\n```\n{about}"


def _shown(default: object) -> str:
    if isinstance(default, Enum):
        return str(default.value)
    return default.__name__ if inspect.isclass(default) else repr(default)


def _member(item: Any, duty: str, *, is_property: bool) -> str:
    """A method or property of a class, and whether a subclass has to have it."""
    if not is_property:
        text = _function(item, "####")
        head, _, rest = text.partition("\n\n")
        return f"{head}\n\n*Method, {duty}.*\n\n{rest}" if duty else text
    kind = _in_short(str(inspect.signature(item).return_annotation))
    kind = kind.removeprefix("<class ").removesuffix(">")
    about = f"*Property, {duty}.*" if duty else "*Property.*"
    return (
        f"#### {item.__name__}\n\n{about}\n\n```text\n{item.__name__}: {kind}\n```\n\n{_text(item)}"
    )


def _in_short(text: str) -> str:
    without_variance = re.sub(r"(?<![\w\]])[-+~](?=[A-Z]\w*T\b)", "", text)
    return without_variance.replace("sparring.", "").replace("'", "")


WIDTH = 100
"""Characters of a line of code."""


def _function(item: Any, level: str) -> str:
    wait = "async " if inspect.iscoroutinefunction(item) else ""
    head = f"{level} {item.__name__}\n\n```text\n{wait}{_signature(item)}\n```\n"
    return f"{head}\n{_text(item)}"


def _signature(item: Any) -> str:
    """The signature as its author wrote it: an alias by its name, a default as it is typed."""
    written = ast.parse(textwrap.dedent(inspect.getsource(item))).body[0]
    assert isinstance(written, ast.FunctionDef | ast.AsyncFunctionDef)
    given = written.returns
    quoted = isinstance(given, ast.Constant) and isinstance(given.value, str)
    result = ast.unparse(given).strip("'\"" if quoted else "") if given else ""
    parameters = list(_parameters(written.args))
    returns = f" -> {result}" if result else ""
    line = f"{item.__name__}({', '.join(parameters)}){returns}"
    if len(line) <= WIDTH:
        return line
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{item.__name__}(\n{lines}){returns}"


def _parameters(written: ast.arguments) -> Iterator[str]:
    by_place = [*written.posonlyargs, *written.args]
    defaults = [None] * (len(by_place) - len(written.defaults)) + [*written.defaults]
    for at, (name, default) in enumerate(zip(by_place, defaults, strict=True), 1):
        yield _parameter(name, default)
        if at == len(written.posonlyargs):
            yield "/"
    if written.vararg:
        yield f"*{_parameter(written.vararg, None)}"
    elif written.kwonlyargs:
        yield "*"
    for name, default in zip(written.kwonlyargs, written.kw_defaults, strict=True):
        yield _parameter(name, default)
    if written.kwarg:
        yield f"**{_parameter(written.kwarg, None)}"


def _parameter(name: ast.arg, default: ast.expr | None) -> str:
    shown = ast.unparse(name)
    if default is None:
        return shown
    return (
        f"{shown} = {ast.unparse(default)}"
        if name.annotation
        else f"{shown}={ast.unparse(default)}"
    )


def _fields(found: type[BaseModel]) -> str:
    if not found.model_fields:
        return "It has no settings.\n"
    rows = list(_rows(found))
    return "| key | takes | if left out |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def _rows(found: type[BaseModel]) -> Iterator[str]:
    for name, info in found.model_fields.items():
        kind = _kind(
            Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
        )
        about = f": {info.description}" if info.description else ""
        default = (
            _left_out(found, name)
            if info.is_required()
            else _default(info.get_default(call_default_factory=True))
        )
        yield f"| `{info.alias or name}` | {kind}{about} | {default} |"


def _left_out(found: type[BaseModel], name: str) -> str:
    """What a required key is when it is left out: a suite has defaults for some."""
    uses = defaults().get(name) if found is model.Suite else None
    if uses is None:
        return "required"
    listed = uses if isinstance(uses, list) else [uses]
    return ", ".join(f"`{use if isinstance(use, str) else use['use']}`" for use in listed)


def _default(value: Any) -> str:
    if value is PydanticUndefined or value is None or value in ((), "", {}):
        return "-"
    if isinstance(value, plugin.Use):
        return f"`{value.use}`"
    if isinstance(value, BaseModel):
        return "its defaults"
    text = repr(value.value if isinstance(value, Enum) else value).replace("|", "\\|")
    return f"`{text}`" if len(text) < 60 else f"`{text[:57]}...`"


def _kind(annotation: Any) -> str:
    """A type in words: what a person writes in YAML."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        marker = next((item for item in arguments[1:] if isinstance(item, plugin.UseOf)), None)
        return GROUPS[marker.group].label if marker else _kind(arguments[0])
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_kind(item) for item in arguments if item is not NoneType))
    if origin is Literal:
        return " or ".join(f"`{item}`" for item in arguments)
    if origin in (tuple, list, set, frozenset):
        return f"list of {_kind(arguments[0])}"
    if origin is dict:
        return f"map of {_kind(arguments[0])} to {_kind(arguments[1])}"
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        return " or ".join(f"`{item.value}`" for item in annotation)
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return _model_kind(annotation)
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    return names.get(annotation) or "any value"


def _model_kind(found: type[BaseModel]) -> str:
    if issubclass(found, plugin.Use):
        return "a plugin"
    keys = (info.alias or name for name, info in found.model_fields.items())
    return "map of keys: " + ", ".join(f"`{key}`" for key in keys)


def main() -> int:
    """Write the pages, or with ``--check`` say which are out of date."""
    stale = []
    REFERENCE.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        path = REFERENCE / name
        text = MADE + make().rstrip() + "\n"
        if "--check" in sys.argv:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run python site/pages/generate.py\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
