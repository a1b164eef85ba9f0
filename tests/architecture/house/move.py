"""Move a checkout's modules to their rooms: ``python move.py CHECKOUT [--no-format] [--plan]``.

Reads beside itself ``mapping.csv`` (old_path,new_path; a row whose paths end with a slash moves all
below it, the longest row that fits wins), ``splits.csv`` (old_path,names,new_path: definitions that
leave a module for one of their own), ``rooms.csv`` (folder,docstring of its new ``__init__``) and
``contracts.toml`` (the import-linter contracts of the new layout).

In order: definitions are split off; files move; imports, dotted names in strings and documents,
paths of files, ``Path(__file__)`` and package anchors are rewritten; tests follow their modules;
missing ``__init__`` are made and empty packages go; ``pyproject.toml`` gets its contracts; ruff
sorts and formats. ``--plan`` prints what would move and changes nothing.

Run it on a clean checkout. What it cannot decide it prints under "LOOK AT"; nothing is left half
done silently.
"""

import ast
import csv
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

HERE = Path(__file__).parent
ROOTS = {"core": "sparring", "plugins": "sparring_plugins", "connectors": "sparring_connectors"}
PACKAGES = {f"{root}/{package}": package for root, package in ROOTS.items()}
TEXTS = {".py", ".pyi", ".md", ".toml", ".yaml", ".yml", ".txt", ".jinja", ".cfg", ".html", ".js", ".json", ".csv", ""}
STABLE = {"", ".", *ROOTS, *PACKAGES, "tests", "tests/core", "tests/plugins", "tests/connectors"}
"""Folders that stay what they are, whatever moves below them."""
BARRELS = {"plugins/sparring_plugins/web/grammar/__init__.py"}
"""Packages whose re-exports go: who imports from them imports from where a name is defined."""
EDITS = [
    # path (old), text, text instead
    # The core knows no class of a room: who loads a value says of which class it must be.
    ("core/sparring/discovery/groups.py", "from sparring_plugins.language.word_lists.interface import WordList\n", ""),
    ("core/sparring/discovery/groups.py", "from sparring_plugins.mutation.model import Mutator, RunMutator\n", ""),
    ("core/sparring/discovery/groups.py", "from sparring_plugins.sensei.tables.model import TableMaker\n", ""),
    ("core/sparring/discovery/groups.py", "(Mutator, ", "(object, "),
    ("core/sparring/discovery/groups.py", "(RunMutator, ", "(object, "),
    ("core/sparring/discovery/groups.py", "(TableMaker, ", "(object, "),
    ("core/sparring/discovery/groups.py", "(WordList, ", "(object, "),
    (
        "core/sparring/discovery/groups.py",
        '"""Groups whose entry points are plain values, with their class and label."""',
        '"""Groups whose entry points are plain values, with their class (if the core knows it) and label."""',
    ),
    (
        "core/sparring/discovery/drivers.py",
        'def load_value(namespace: str, name: str) -> Any:\n'
        '    """Return the value registered as `name` in a group of `VALUES`; the same errors as `load`."""\n'
        "    kind, label = VALUES[namespace]\n",
        'def load_value(namespace: str, name: str, kind: type | None = None) -> Any:\n'
        '    """Return the value registered as `name` in a group of `VALUES`; the same errors as `load`.\n\n'
        "    `kind` is the class that it must be of, for groups whose class the core does not know.\n"
        '    """\n'
        "    known, label = VALUES[namespace]\n"
        "    kind = kind or known\n",
    ),
    ("plugins/sparring_plugins/mutation/mutants.py", "load_value(MUTATORS, use.use)", "load_value(MUTATORS, use.use, Mutator)"),
    ("plugins/sparring_plugins/mutation/derived_mutants.py", "load_value(RUN_MUTATORS, use.use)", "load_value(RUN_MUTATORS, use.use, RunMutator)"),
    ("plugins/sparring_plugins/sensei/tables_command.py", "drivers.load_value(TABLES, name)", "drivers.load_value(TABLES, name, TableMaker)"),
    (
        "plugins/sparring_plugins/users/profiles/listed_values.py",
        "drivers.load_value(WORD_LISTS, name)",
        "drivers.load_value(WORD_LISTS, name, WordList)",
    ),
    ("core/sparring/discovery/hookspecs.py", "from sparring_plugins.sensei.formats.converted import Converter\n", ""),
    ("core/sparring/discovery/hookspecs.py", "Iterable[Converter] | None", "Iterable[Any] | None"),
    # Tests of the layout itself.
    (
        "tests/architecture/test_layout.py",
        'agents = {"driving.py", "perturbation.py"}  # agents of one role, in the kits of their methods',
        'agents = {"previewing.py"}  # what some players can do besides',
    ),
    (
        "tests/architecture/test_startup.py",
        '    modules = imported(f"from sparring.cli.app import invoke; invoke({line!r})")\n'
        "    assert not HEAVY & modules\n",
        '    modules = imported(f"from sparring.cli.app import invoke; invoke({line!r})")\n'
        '    assert not (HEAVY - {"importlib.metadata"}) & modules  # names of plugins\' commands\n',
    ),
    (
        "tests/architecture/test_layout.py",
        '    "chatbot",  # who speaks in a conversation that a model is shown\n',
        '    "chatbot",  # who speaks in a conversation that a model is shown\n'
        '    "confirm",  # a key of suites, and a command\n',
    ),
    (
        "tests/plugins/language/test_data_files.py",
        'FOLDERS = ("agents/patterns", "agents/agenda", "agents/exploring", "agents/personas")\n'
        'MORE = ("oracles/voice", "word_lists")\n',
        'FOLDERS = ("language", "users/agenda", "users/personas")\n'
        'MORE = ("voice/outputs", "voice/problems")\n',
    ),
    # A package's face without code; its data stay where they are.
    (
        "plugins/sparring_plugins/search/features/bundled_spaces.py",
        "files(__name__)",
        'files("sparring_plugins.search.features").joinpath("library")',
    ),
    (
        "connectors/sparring_connectors/described/secrets.py",
        "from sparring_connectors.rest.config import RestConfig\n",
        "",
    ),
    (
        "connectors/sparring_connectors/described/secrets.py",
        '    def of(cls, config: RestConfig, environ: Mapping[str, str] | None = None) -> "Secrets":\n'
        '        """The secrets of an app\'s settings."""\n'
        "        requests: list[RequestParts] = [config, *(request for _, request in config.requests())]\n",
        "    def of(\n"
        '        cls, requests: Sequence[RequestParts], environ: Mapping[str, str] | None = None\n'
        '    ) -> "Secrets":\n'
        '        """The secrets of an app\'s settings: of all requests that they describe."""\n',
    ),
    (
        "connectors/sparring_connectors/described/secrets.py",
        "from collections.abc import Iterable, Mapping\n",
        "from collections.abc import Iterable, Mapping, Sequence\n",
    ),
    (
        "connectors/sparring_connectors/rest/connector.py",
        "Secrets.of(self.config)",
        "Secrets.of([self.config, *(request for _, request in self.config.requests())])",
    ),
    (
        "connectors/sparring_connectors/rest/exchange.py",
        "Secrets.of(config)",
        "Secrets.of([config, *(request for _, request in config.requests())])",
    ),
]
"""Small changes of code without which a move would make a circle, in old paths and names."""

KEEP = {"sparring.web", "sparring.space"}
"""Names of modules that users go on with: documents and messages keep them (see `doors`)."""

MOVED = '''"""Modules under the names that they had in 0.1: entry points of the group ``sparring.moved``."""

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

GROUP = "sparring.moved"


class _Forward:
    """Loads a module by the name that it has now."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the import system: `exec_module` puts another in its place."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module that is meant into `sys.modules`."""
        sys.modules[module.__name__] = import_module(self._target)


def spec_of(name: str) -> ModuleSpec | None:
    """How to import a module by an old name; None for other names."""
    from importlib.metadata import entry_points

    targets = {point.name: point.value for point in entry_points(group=GROUP)}
    if name in targets:
        if name.count(".") > 1:  # `sparring.web` is a door that stays
            message = f"{name} is now {targets[name]}; the old name goes in 0.3"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _Forward(targets[name]))  # type: ignore[arg-type]
    if any(old.startswith(f"{name}.") for old in targets):
        return ModuleSpec(name, None, is_package=True)
    return None
'''
FINDER = '''

class _Moved:
    """Finds modules under the names that they had before (`sparring.moved`)."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        if not name.startswith("sparring"):
            return None
        from sparring.moved import spec_of

        return spec_of(name)


sys.meta_path.append(_Moved)
'''

FORMAT_COMMANDS = '''    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One table: the core's commands in the order above, then those of plugins by name."""
        from sparring.cli.plugin_commands import help_lines

        own = [(name, line) for name, (_, line) in _COMMANDS.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*own, *help_lines()])

'''
PLUGIN_COMMANDS = '''"""The commands that plugins add: names and a line of help, without importing any of them."""

import ast
from importlib.machinery import PathFinder
from pathlib import Path

from sparring.discovery import catalog

GROUP = "sparring.commands"


def help_lines() -> list[tuple[str, str]]:
    """Each added command with the first sentence of its help, sorted by name."""
    points = {point.name: point for point in catalog.advertised(GROUP)}
    return [(name, _help_line(points[name].module, points[name].attr)) for name in sorted(points)]


def _help_line(module: str, attribute: str) -> str:
    """The first sentence of a function's docstring, read from the source of its module."""
    source = _source(module)
    if source is None:
        return ""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == attribute:
            paragraph = (ast.get_docstring(node) or "").partition("\\n\\n")[0]
            first, dot, _ = " ".join(paragraph.split()).partition(". ")
            return first + "." if dot else first
    return ""


def _source(module: str) -> Path | None:
    """The file of a module; None if there is none, as for a module in an archive."""
    top, *below = module.split(".")
    spec = PathFinder.find_spec(top)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder, *below).with_suffix(".py")
        if file.is_file():
            return file
    return None
'''

notes: list[str] = []


def look_at(message: str) -> None:
    if message not in notes:
        notes.append(message)


# ------------------------------------------------------------------------------------ the mapping


@dataclass
class Mapping:
    """Where each file goes."""

    exact: dict[str, str] = field(default_factory=dict)
    prefixes: list[tuple[str, str]] = field(default_factory=list)
    tests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Mapping":
        found = cls()
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                old, new = row["old_path"].strip(), row["new_path"].strip()
                if old.endswith("/"):
                    found.prefixes.append((old, new))
                else:
                    found.exact[old] = new
        found.prefixes.sort(key=lambda pair: -len(pair[0]))
        return found

    def of(self, path: str) -> str:
        """The new path of a file."""
        if path in self.tests:
            return self.tests[path]
        return self.by_rule(path)

    def by_rule(self, path: str) -> str:
        if path in self.exact:
            return self.exact[path]
        for old, new in self.prefixes:
            if path.startswith(old):
                return new + path[len(old) :]
        return path

    def folder(self, path: str, files: list[str]) -> str | None:
        """The new path of a folder; None where what is in it goes to several."""
        path = path.strip("/")
        if path in STABLE:
            return path
        below = [name for name in files if name.startswith(path + "/")]
        moved = set()
        for name in below:
            if name.endswith("/__init__.py") and len(below) > 1:
                continue
            rest, new = name[len(path) :], self.of(name)
            moved.add(new[: -len(rest)] if new.endswith(rest) else None)
        if len(moved) == 1:
            return moved.pop()
        for old, new in self.prefixes:  # where most of it goes
            if (path + "/").startswith(old):
                return (new + (path + "/")[len(old) :]).rstrip("/")
        return None


def dotted(path: str) -> str | None:
    """The module that a file is, by its path; None where it is none."""
    if path.startswith("tests/") and path.endswith(".py"):
        parts = path[:-3].split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    for folder, package in PACKAGES.items():
        if path == f"{folder}/__init__.py":
            return package
        if path.startswith(folder + "/") and path.endswith((".py", ".pyi")):
            parts = path[len(folder) + 1 :].rsplit(".", 1)[0].split("/")
            if parts[-1] == "__init__":
                parts.pop()
            return ".".join([package, *parts])
    return None


def folder_of_package(name: str) -> str | None:
    """The folder that a dotted package name stands for."""
    first, _, rest = name.partition(".")
    if first == "tests":
        return name.replace(".", "/")
    for folder, package in PACKAGES.items():
        if package == first:
            return f"{folder}/{rest.replace('.', '/')}".rstrip("/")
    return None


def package_of_folder(folder: str) -> str | None:
    if folder.split("/")[0] == "tests":
        return folder.replace("/", ".")
    for root, package in PACKAGES.items():
        if folder == root or folder.startswith(root + "/"):
            return (package + folder[len(root) :]).replace("/", ".")
    return None


# ------------------------------------------------------------------------------------ the checkout


class Checkout:
    """The files of a checkout, and what is known of its modules before anything moves."""

    def __init__(self, root: Path, mapping: Mapping) -> None:
        self.root = root
        self.mapping = mapping
        self.files = self._files()
        self.modules: dict[str, str] = {}  # dotted -> old path
        self.index()
        self.split: dict[tuple[str, str], str] = {}  # (old module, name) -> new module
        self.barrel: dict[tuple[str, str], str] = {}  # (package, name) -> module that defines it

    def _files(self) -> list[str]:
        done = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return sorted({f for f in done.stdout.split("\0") if f and (self.root / f).is_file()})

    def index(self) -> None:
        self.modules = {name: path for path in self.files if (name := dotted(path))}

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def new_module(self, name: str) -> str:
        """The new dotted name of a module or package."""
        path = self.modules.get(name)
        if path is not None and not path.endswith("/__init__.py"):
            return dotted(self.mapping.of(path)) or name
        folder = folder_of_package(name)
        if folder is None:
            return name
        if path is not None and self.mapping.of(path) == path:
            return name
        if path is not None and path in self.mapping.exact:
            return dotted(self.mapping.exact[path]) or name
        if path is not None and self.has_code(path):
            return dotted(self.mapping.of(path)) or name
        new = self.mapping.folder(folder, self.files)
        if new is None:
            look_at(f"package {name}: what is in it goes to several places")
            return name
        return package_of_folder(new) or name

    def has_code(self, path: str) -> bool:
        try:
            tree = ast.parse(self.text(path))
        except (OSError, SyntaxError):
            return False
        return any(not isinstance(node, ast.Expr) for node in tree.body)


# ------------------------------------------------------------------------------------ splits


def apply_splits(checkout: Checkout) -> None:
    """Carry definitions out of their modules; the new file is written at its new path."""
    path = HERE / "splits.csv"
    if not path.is_file():
        return
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    made: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        old, new = row["old_path"], row["new_path"]
        if not (checkout.root / old).is_file():
            look_at(f"split: {old} is not there")
            continue
        _split(checkout, old, row["names"].split(), new, made)
    for new, parts in made.items():
        own = {name for (_, name), module in checkout.split.items() if module == dotted(new)}
        header = [_without(part, own) for kind, part in parts if kind == "import"]
        bodies = [part for kind, part in parts if kind == "body"]
        checkout.write(
            new, "\n".join([f'"""{_about_split(new)}"""\n', "".join(header), _joined(bodies)])
        )
        checkout.files.append(new)
    checkout.files.sort()
    checkout.index()


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [x.id for x in node.targets if isinstance(x, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if hasattr(ast, "TypeAlias") and isinstance(node, ast.TypeAlias):
        return [node.name.id]
    return []


def _used(node: ast.AST) -> set[str]:
    found = set()
    for sub in ast.walk(node):
        if isinstance(sub, ast.Name):
            found.add(sub.id)
        elif isinstance(sub, ast.Constant) and isinstance(sub.value, str):
            if re.fullmatch(r"[\w\[\], .|\"']{1,80}", sub.value):  # maybe an annotation
                found |= set(re.findall(r"[A-Za-z_]\w*", sub.value))
    return found


def _split(
    checkout: Checkout, old: str, names: list[str], new: str, made: dict[str, list[tuple[str, str]]]
) -> None:
    text = checkout.text(old)
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    defined = {name: node for node in tree.body for name in _names_of(node)}
    if missing := [name for name in names if name not in defined]:
        look_at(f"split: {old} defines no {', '.join(missing)}")
        return
    moved = set(names)
    while True:  # private names that only moved code uses go along
        rest = [n for n in tree.body if not set(_names_of(n)) & moved and _names_of(n)]
        wanted = set().union(*(_used(defined[name]) for name in moved))
        kept = set().union(*(_used(n) for n in rest)) if rest else set()
        own = {
            name for name in wanted & set(defined) - moved
            if name.startswith("_")
            and not (set().union(*(_used(n) for n in rest if name not in _names_of(n)), set()) & {name})
        }  # fmt: skip
        if not own:
            break
        moved |= own
    wanted = set().union(*(_used(defined[name]) for name in moved))
    back = sorted(wanted & (set(defined) - moved))
    if back:
        look_at(f"split: {new} still needs {', '.join(back)} of {old}")
    imports = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    guarded = [
        n for n in tree.body
        if isinstance(n, ast.If) and isinstance(n.test, ast.Name) and n.test.id == "TYPE_CHECKING"
    ]  # fmt: skip
    spans = []
    for at, node in enumerate(tree.body):
        if not set(_names_of(node)) & moved:
            continue
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        while start and lines[start - 1].lstrip().startswith("#"):
            start -= 1
        end = node.end_lineno
        after = tree.body[at + 1] if at + 1 < len(tree.body) else None
        if (
            isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            and isinstance(node, ast.Assign | ast.AnnAssign)
        ):  # fmt: skip
            end = after.end_lineno
        spans.append((start, end))
    old_module, new_module = dotted(old), dotted(new)
    parts = made.setdefault(new, [])
    for node in [*imports, *guarded]:
        parts.append(("import", "".join(lines[node.lineno - 1 : node.end_lineno])))
    if back:
        parts.append(("import", f"from {old_module} import {', '.join(back)}\n"))
    parts += [("body", "".join(lines[start:end])) for start, end in spans]
    for start, end in reversed(spans):
        del lines[start:end]
    remaining = ast.parse("".join(lines))
    still = sorted(
        name for name in moved
        if any(name in _used(n) for n in remaining.body if not isinstance(n, ast.ImportFrom))
    )  # fmt: skip
    if still and not back:
        last = [n for n in remaining.body if isinstance(n, ast.Import | ast.ImportFrom)][-1]
        lines.insert(last.end_lineno, f"from {new_module} import {', '.join(still)}\n")
    checkout.write(old, "".join(lines))
    for name in moved:
        checkout.split[(old_module, name)] = new_module


def _joined(bodies: list[str]) -> str:
    """Definitions below each other, constants close together."""
    text = ""
    for body in bodies:
        first = body.lstrip().split("\n")[0]
        text += body if not text or not first.startswith(("def ", "async ", "class ", "@")) else f"\n\n{body}"
    return text


def _without(statement: str, names: set[str]) -> str:
    """An import statement without the names that are defined beside it now."""
    (node,) = ast.parse(statement).body
    if not isinstance(node, ast.ImportFrom) or not {alias.name for alias in node.names} & names:
        return statement
    node.names = [alias for alias in node.names if alias.name not in names]
    return ast.unparse(node) + "\n" if node.names else ""


def _about_split(new: str) -> str:
    for row in _rooms():
        if row["folder"] == new:
            return row["docstring"]
    look_at(f"{new}: a docstring is missing in rooms.csv")
    return "To be described."


def _rooms() -> list[dict[str, str]]:
    path = HERE / "rooms.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------------------------ tests


def map_tests(checkout: Checkout) -> None:
    """Tests follow what they test: same path below ``tests/`` as the module has in its root."""
    mapping, modules = checkout.mapping, set(checkout.modules.values())
    homes = {f"tests/{root}": folder for folder in PACKAGES for root in [folder.split("/")[0]]}
    taken: dict[str, str] = {}
    for path in checkout.files:
        root = next((home for home in homes if path.startswith(home + "/")), None)
        if root is None:
            continue
        if mapping.by_rule(path) != path:
            new = mapping.by_rule(path)
        else:
            new = _test_path(path, root, homes[root], mapping, modules, checkout)
        helper = _helper(path, checkout)
        if helper is not None:  # it stays beside what it imports
            beside = mapping.by_rule(helper)
            if beside == helper:
                beside = _test_path(helper, root, homes[root], mapping, modules, checkout)
            new = f"{PurePosixPath(beside).parent}/{PurePosixPath(new).name}"
        if new in taken:
            stem, suffix = new.rsplit(".", 1)
            old_folder = PurePosixPath(path).parent.name
            new = f"{stem}_{old_folder}.{suffix}"
            if new in taken:
                look_at(f"tests: {path} and {taken[new]} both go to {new}")
                new = path
        taken[new] = path
        if new != path:
            mapping.tests[path] = new


def _helper(path: str, checkout: Checkout) -> str | None:
    """The module beside a test that it imports relatively; None where there is none."""
    if not path.endswith(".py"):
        return None
    for name in re.findall(r"^\s*from \.(\w+) import", checkout.text(path), flags=re.M):
        helper = str(PurePosixPath(path).with_name(f"{name}.py"))
        if helper in checkout.files and not name.startswith("test_"):
            return helper
    return None


def _test_path(
    path: str, root: str, source: str, mapping: Mapping, modules: set[str], checkout: Checkout
) -> str:
    relative = path[len(root) + 1 :]
    folder, _, name = relative.rpartition("/")
    source_folder = f"{source}/{folder}".rstrip("/")
    if name.startswith("test_") and name.endswith(".py"):
        stem = name[5:-3]
        exact = f"{source_folder}/{stem}.py"
        if exact in modules:
            return _as_test(mapping.of(exact), "")
        longest = max(
            (m for m in modules if m.rpartition("/")[0] == source_folder
             and stem.startswith(m.rpartition("/")[2][:-3] + "_")),
            key=len, default=None,
        )  # fmt: skip
        if longest:
            return _as_test(mapping.of(longest), stem[len(longest.rpartition("/")[2]) - 3 :])
    if folder == "":
        return path
    new = _default_folder(source_folder, mapping)
    if new is None:
        return path
    where, _, rest = new.partition("/")
    below = rest.partition("/")[2]
    return "/".join(part for part in ("tests", where, below, name) if part)


def _default_folder(folder: str, mapping: Mapping) -> str | None:
    for old, new in mapping.prefixes:
        if (folder + "/").startswith(old):
            return (new + (folder + "/")[len(old) :]).rstrip("/")
    return None


def _as_test(module: str, suffix: str) -> str:
    root, _, rest = module.partition("/")
    below = rest.partition("/")[2]
    folder, _, name = below.rpartition("/")
    stem = name[:-3]
    return "/".join(part for part in ("tests", root, folder, f"test_{stem}{suffix}.py") if part)


# ------------------------------------------------------------------------------------ rewriting


class Rewriter:
    """Rewrites the text of one file for its new place."""

    NAME = re.compile(
        r"(?<![\w./-])(sparring|sparring_plugins|sparring_connectors|tests)((?:\.[A-Za-z_]\w*)+)(:[A-Za-z_]\w*)?"
    )
    PATH = re.compile(r"(?<![\w-])((?:core/sparring|plugins/sparring_plugins|connectors/sparring_connectors|tests/(?:core|plugins|connectors))(?:/[\w.*-]+)*/?)")
    HERE = re.compile(
        r'Path\(__file__\)(?:\.resolve\(\))?((?:\.parents\[\d+\]|\.parent\b|\.with_name\(f?"[^"]*"\))+)'
        r'((?:\s*/\s*f?"[^"]*")*)'
    )

    def __init__(self, checkout: Checkout, groups: set[str]) -> None:
        self.checkout = checkout
        self.mapping = checkout.mapping
        self.groups = groups

    def python(self, old: str, new: str, text: str) -> str:
        text = self.anchors(old, text)
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return self.plain(text)
        text = self.attributes(old, text, tree)
        tree = ast.parse(text)
        text, protected = self.imports(old, new, text, tree)
        text = self.here(old, new, text)
        text = self.plain(text, protected)
        return self.strings(text)

    # -- definitions that were split off a module which is imported as a name

    def attributes(self, old: str, text: str, tree: ast.Module) -> str:
        if not self.checkout.split:
            return text
        named = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0
            for alias in node.names
            if f"{node.module}.{alias.name}" in self.checkout.modules
        }
        for local, module in named.items():
            for (source, name), new_module in self.checkout.split.items():
                if source != module:
                    continue
                parent, _, stem = new_module.rpartition(".")
                text, count = re.subn(rf"(?<![\w.]){local}\.{name}\b", f"{stem}.{name}", text)
                if count:
                    first = min(
                        n.lineno for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)
                    )
                    lines = text.splitlines(keepends=True)
                    lines.insert(first - 1, f"from {parent} import {stem}\n")
                    text = "".join(lines)
        return text

    # -- imports

    def imports(self, old: str, new: str, text: str, tree: ast.Module) -> tuple[str, set[int]]:
        lines = text.splitlines(keepends=True)
        offsets = [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line))

        def place(line: int, column: int) -> int:
            raw = lines[line - 1].encode()[:column].decode()
            return offsets[line - 1] + len(raw)

        changes: list[tuple[int, int, str]] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                if node.module.split(".")[0] in {*ROOTS.values(), "tests"}:
                    start, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
                    changes += self._from(old, node, text[start:end], start, end, node.col_offset)
            elif isinstance(node, ast.ImportFrom) and node.level and old.startswith("tests/"):
                start, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
                changes += self._relative(old, new, node, text[start:end], start)
        for start, end, instead in sorted(changes, reverse=True):
            text = text[:start] + instead + text[end:]
        return text, set()

    def target(self, module: str, name: str) -> tuple[str, str]:
        """New module and new name for ``from module import name``."""
        checkout = self.checkout
        whole = f"{module}.{name}"
        if whole in checkout.modules:  # a module is imported as a name
            new = checkout.new_module(whole)
            parent, _, stem = new.rpartition(".")
            return parent, stem
        if (module, name) in checkout.barrel:
            return self.target(checkout.barrel[(module, name)], name)
        if (module, name) in checkout.split:
            return checkout.split[(module, name)], name
        return checkout.new_module(module), name

    def _from(
        self, old: str, node: ast.ImportFrom, text: str, start: int, end: int, indent: int
    ) -> list[tuple[int, int, str]]:
        module = node.module or ""
        if module in KEEP and not old.startswith(("core/", "plugins/", "connectors/")):
            return []
        wanted = [(alias, *self.target(module, alias.name)) for alias in node.names]
        if all(m == module and n == alias.name for alias, m, n in wanted):
            return []
        by_module: dict[str, list[str]] = defaultdict(list)
        for alias, new_module, new_name in wanted:
            local = alias.asname or alias.name
            part = new_name if new_name == local and alias.asname is None else f"{new_name} as {local}"
            by_module[new_module].append(part)
        if len(by_module) == 1:
            at = text.index(module)
            changes = [(start + at, start + at + len(module), next(iter(by_module)))]
            from_here = at + len(module)
            for alias, _, new_name in wanted:
                found = re.compile(rf"\b{alias.name}\b(\s+as\b)?").search(text, from_here)
                assert found is not None
                from_here = found.end()
                if new_name != alias.name:
                    instead = new_name if alias.asname else f"{new_name} as {alias.name}"
                    span = start + found.start(), start + found.start() + len(alias.name)
                    changes.append((*span, instead))
            return changes
        comments = re.findall(r"#[^\n]*", text)
        if comments:
            look_at(f"{old}:{node.lineno}: comments in an import that was taken apart: {comments}")
        if module == "sparring" or not by_module:
            return []
        pieces = [f"from {m} import {', '.join(parts)}" for m, parts in sorted(by_module.items())]
        pieces = [p if len(p) < 95 else _wrapped(p) for p in pieces]
        joined = ("\n" + " " * indent).join(pieces)
        return [(start, end, joined)]

    def _relative(
        self, old: str, new: str, node: ast.ImportFrom, text: str, start: int
    ) -> list[tuple[int, int, str]]:
        base = PurePosixPath(old).parent
        for _ in range(node.level - 1):
            base = base.parent
        parts = (node.module or "").split(".") if node.module else []
        target = base.joinpath(*parts)
        file = f"{target}.py"
        if file in self.checkout.files:
            moved = self.mapping.of(file)
        else:
            if new != old and any(self.mapping.of(f) != f for f in self.checkout.files if f.startswith(f"{target}/")):
                look_at(f"{old}:{node.lineno}: relative import of the folder {target}")
            moved = f"{target}/__init__.py"
        there = PurePosixPath(moved)
        there = there.parent if there.name == "__init__.py" else there.with_suffix("")
        here = PurePosixPath(new).parent
        common = 0
        for a, b in zip(here.parts, there.parts, strict=False):
            if a != b:
                break
            common += 1
        level = len(here.parts) - common + 1
        name = "." * level + ".".join(there.parts[common:])
        was = "." * node.level + (node.module or "")
        at = text.index(was)
        return [] if was == name else [(start + at, start + at + len(was), name)]

    # -- names and paths in any text

    def plain(self, text: str, _protected: set[int] | None = None) -> str:
        text = self.NAME.sub(self._name, text)
        return self.PATH.sub(self._path, text)

    def strings(self, text: str) -> str:
        return text

    def _name(self, match: re.Match[str]) -> str:
        whole = match[1] + match[2]
        if whole in self.groups:
            return match[0]
        name, rest = whole, ""
        while name and name not in self.checkout.modules and "." in name:
            name, _, last = name.rpartition(".")
            rest = f".{last}{rest}"
        if name not in self.checkout.modules or "." not in name:
            return match[0]
        attribute = (rest[1:].split(".")[0] if rest else (match[3] or ":")[1:])
        if name in KEEP:
            return match[0]
        if (name, attribute) in self.checkout.barrel:
            new = self.target(name, attribute)[0]
        elif (name, attribute) in self.checkout.split:
            new = self.checkout.split[(name, attribute)]
        else:
            new = self.checkout.new_module(name)
        return f"{new}{rest}{match[3] or ''}"

    def _path(self, match: re.Match[str]) -> str:
        path = match[1]
        if path in self.checkout.files:
            return self.mapping.of(path)
        bare = path.rstrip("/")
        if "*" in bare:
            folder, _, pattern = bare.partition("/*")
            new = self.mapping.folder(folder, self.checkout.files)
            return f"{new}/*{pattern}" if new else path
        if not any(name.startswith(bare + "/") for name in self.checkout.files):
            return path
        new = self.mapping.folder(bare, self.checkout.files)
        if new is None:
            look_at(f"path {path}: what is in it goes to several places")
            return path
        return new + path[len(bare) :]

    # -- Path(__file__)

    def here(self, old: str, new: str, text: str) -> str:
        def instead(match: re.Match[str]) -> str:
            steps, literals = match[1], match[2]
            at = PurePosixPath(old)
            for step in re.findall(r'\.parents\[(\d+)\]|(\.parent)\b|\.with_name\((f?)"([^"]*)"\)', steps):
                number, parent, is_f, name = step
                if number:
                    at = at.parents[int(number)]
                elif parent:
                    at = at.parent
                else:
                    if is_f:
                        if new != old:
                            look_at(f"{old}: {match[0]} has a name that is made")
                        return match[0]
                    at = at.with_name(name)
            names = re.findall(r'(f?)"([^"]*)"', literals)
            if any(is_f for is_f, _ in names):
                if new != old:
                    look_at(f"{old}: {match[0]} has a part that is made")
                return match[0]
            target = at.joinpath(*(name for _, name in names))
            moved = self.moved(str(target))
            if moved is None:
                look_at(f"{old}: {match[0]} names {target}, which goes to several places")
                return match[0]
            if old == new and moved == str(target):
                return match[0]
            anchor = PurePosixPath(self.moved(str(at)) or ".") if names else None
            return _expression(PurePosixPath(new), PurePosixPath(moved), bool(names), anchor)

        return self.HERE.sub(instead, text)

    def moved(self, path: str) -> str | None:
        path = "" if path == "." else path
        if path in self.checkout.files:
            return self.mapping.of(path)
        if path.startswith(("core", "plugins", "connectors", "tests")):
            return self.mapping.folder(path, self.checkout.files)
        return path

    # -- packages as anchors of data files

    ANCHOR = re.compile(
        r'(\b(?:files|bundled_yaml)\(\s*)"((?:sparring|sparring_plugins|sparring_connectors)(?:\.\w+)*)"'
        r'((?:\s*,\s*"[^"]*")*|\)\.joinpath\((?:"[^"]*"(?:\s*,\s*)?)+)'
    )

    def anchors(self, old: str, text: str) -> str:
        def instead(match: re.Match[str]) -> str:
            folder = folder_of_package(match[2])
            parts = re.findall(r'"([^"]*)"', match[3])
            if folder is None:
                return match[0]
            if not parts:
                own = dotted(old)
                if own and own.rpartition(".")[0] == match[2]:
                    new_package = (dotted(self.mapping.of(old)) or "").rpartition(".")[0]
                    return f'{match[1]}"{new_package}"{match[3]}'
                look_at(f"{old}: the data of {match[0]}")
                return match[0]
            target = f"{folder}/{'/'.join(parts)}"
            moved = self.moved(target)
            tail = "/".join(parts)
            if moved is None or not moved.endswith("/" + tail):
                look_at(f"{old}: the data {target} go to {moved}")
                return match[0]
            package = package_of_folder(moved[: -len(tail) - 1])
            return f'{match[1]}"{package}"{match[3]}'

        return self.ANCHOR.sub(instead, text)


def _wrapped(statement: str) -> str:
    head, _, names = statement.partition(" import ")
    return f"{head} import (\n    " + ",\n    ".join(names.split(", ")) + ",\n)"


def _expression(file: PurePosixPath, target: PurePosixPath, slashes: bool, anchor: object) -> str:
    """`target` from `file`, as code."""
    parents = list(file.parents)
    text = str(target)
    target_parents = [target, *target.parents]
    common = next(p for p in parents if p in target_parents)
    up = parents.index(common)
    rest = target.relative_to(common).parts
    if up == 0 and len(rest) == 1 and not slashes:
        return f'Path(__file__).with_name("{rest[0]}")'
    start = "Path(__file__).parent" if up == 0 else f"Path(__file__).parents[{up}]"
    return start + "".join(f' / "{part}"' for part in rest)


# ------------------------------------------------------------------------------------ the move


def barrels(checkout: Checkout) -> None:
    """What packages re-export, for those whose re-exports go."""
    for path in BARRELS:
        if path not in checkout.files:
            continue
        package = dotted(path)
        text = checkout.text(path)
        tree = ast.parse(text)
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    checkout.barrel[(package, alias.name)] = node.module
        docstring = ast.get_docstring(tree, clean=False)
        checkout.write(path, f'"""{docstring}"""\n')


def apply_edits(checkout: Checkout) -> None:
    for path, old, new in EDITS:
        if path not in checkout.files:
            look_at(f"edit: {path} is not there")
            continue
        text = checkout.text(path)
        if old not in text:
            look_at(f"edit: {path} has no {old[:60]!r}")
            continue
        checkout.write(path, text.replace(old, new))


def move(checkout: Checkout) -> dict[str, str]:
    """Move all files; old path to new path of every file that there is."""
    where = {path: checkout.mapping.of(path) for path in checkout.files}
    counts = Counter(where.values())
    for path, new in list(where.items()):
        if counts[new] > 1:
            if path.endswith("__init__.py") and not checkout.has_code(path) and path != new:
                where[path] = ""  # another package's face is there already
                counts[new] -= 1
            elif path != new:
                raise SystemExit(f"two files go to {new}: {path} is one")
    for path, new in where.items():
        if new == "":
            (checkout.root / path).unlink()
    moves = [(path, new) for path, new in where.items() if new and new != path]
    for path, new in moves:  # in two steps, for a path may be free only when its owner has left
        (checkout.root / path).rename(checkout.root / f"{path}.moving")
    for path, new in moves:
        (checkout.root / new).parent.mkdir(parents=True, exist_ok=True)
        if (checkout.root / new).exists():
            raise SystemExit(f"{new} is there already")
        (checkout.root / f"{path}.moving").rename(checkout.root / new)
    return {path: new for path, new in where.items() if new}


def _docstring(about: str) -> str:
    first, imports, rest = about.partition(" Imports ")
    return f'"""{first}\n\nImports {rest}\n"""\n' if imports else f'"""{about}"""\n'


def complete_packages(checkout: Checkout) -> None:
    """Make missing ``__init__``, remove packages that hold nothing any more."""
    docstrings = {row["folder"].strip("/"): row["docstring"] for row in _rooms()}
    for folder in PACKAGES:
        root = checkout.root / folder
        for cache in sorted(root.rglob("__pycache__"), reverse=True):
            for file in cache.iterdir():
                file.unlink()
            cache.rmdir()
        for place in sorted((p for p in root.rglob("*") if p.is_dir()), key=lambda p: -len(p.parts)):
            entries = list(place.iterdir())
            inits = [e for e in entries if e.name == "__init__.py"]
            if len(entries) == len(inits):
                if inits and checkout.has_code(inits[0].relative_to(checkout.root).as_posix()):
                    continue
                for init in inits:
                    init.unlink()
                place.rmdir()
        for place in (p for p in root.rglob("*") if p.is_dir()):
            has_python = any(place.rglob("*.py"))
            init = place / "__init__.py"
            name = place.relative_to(checkout.root).as_posix()
            if has_python and not init.exists():
                about = docstrings.get(name)
                if about is None:
                    look_at(f"{name}/__init__.py: a docstring is missing in rooms.csv")
                    about = "To be described."
                init.write_text(_docstring(about), encoding="utf-8")
            elif init.exists() and name in docstrings:
                text = init.read_text(encoding="utf-8")
                tree = ast.parse(text)
                if not any(not isinstance(n, ast.Expr) for n in tree.body):
                    init.write_text(_docstring(docstrings[name]), encoding="utf-8")
    for folder in ("tests/core", "tests/plugins", "tests/connectors"):
        places = [p for p in (checkout.root / folder).rglob("*") if p.is_dir()]
        for place in sorted(places, key=lambda p: -len(p.parts)):
            entries = [e for e in place.iterdir()]
            if all(e.name in ("__pycache__", "__init__.py") for e in entries):
                for entry in entries:
                    if entry.is_dir():
                        for file in entry.iterdir():
                            file.unlink()
                        entry.rmdir()
                    else:
                        entry.unlink()
                place.rmdir()


def rewrite(checkout: Checkout, where: dict[str, str], groups: set[str]) -> int:
    rewriter = Rewriter(checkout, groups)
    changed = 0
    for old, new in where.items():
        if PurePosixPath(new).suffix not in TEXTS or "/site/" in new:
            continue
        try:
            text = checkout.text(new)
        except UnicodeDecodeError:
            continue
        if new.endswith((".py", ".pyi")):
            result = rewriter.python(old, new, text)
        else:
            result = rewriter.plain(text)
        if result != text:
            checkout.write(new, result)
            changed += 1
    return changed


def contracts(checkout: Checkout) -> None:
    """The import-linter contracts of the new layout, in the place of the old ones."""
    path = HERE / "contracts.toml"
    if not path.is_file():
        return
    text = checkout.text("pyproject.toml")
    kept = re.sub(r"\n\[tool\.importlinter\].*\Z", "\n", text, flags=re.S)
    if "[tool." in text[len(kept) :].replace("[tool.importlinter", ""):
        look_at("pyproject.toml: the import-linter section is not the last")
    checkout.write("pyproject.toml", kept.rstrip("\n") + "\n\n" + path.read_text(encoding="utf-8"))


def doors(checkout: Checkout, known: dict[str, str]) -> None:
    """Let documented names of modules that moved go on working."""
    checkout.write("core/sparring/moved.py", MOVED)
    path = "core/sparring/__init__.py"
    text = checkout.text(path)
    if "_Moved" not in text:
        text = text.replace("from typing import", "import sys\nfrom typing import", 1)
        checkout.write(path, text.rstrip("\n") + "\n" + FINDER)
    text = checkout.text("pyproject.toml")
    table = "".join(f'"{old}" = "{new}"\n' for old, new in known.items())
    group = f'[project.entry-points."sparring.moved"]\n{table}\n'
    at = text.index("[tool.hatch.build.targets.wheel]")
    checkout.write("pyproject.toml", text[:at] + group + text[at:])
    for door in KEEP:  # type checkers know nothing of entry points
        new = known.get(door)
        folder = folder_of_package(new or "")
        source = checkout.text(f"{folder}/__init__.py")
        listed = re.findall(r'"(\w+)"', source[source.index("__all__") :])
        names = ", ".join(f"{name} as {name}" for name in listed)
        stub = f"core/sparring/{door.rpartition('.')[2]}.pyi"
        checkout.write(stub, f"from {new} import {names}\n")


def commands(checkout: Checkout) -> None:
    """Commands that left the core become entry points; ``--help`` lists them with the others."""
    path = "core/sparring/cli/app.py"
    text = checkout.text(path)
    tree = ast.parse(text)
    table = next(
        node.value for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and _names_of(node) == ["_COMMANDS"]
    )  # fmt: skip
    assert isinstance(table, ast.Dict)
    lines = text.splitlines(keepends=True)
    added = []
    for key, value in reversed(list(zip(table.keys, table.values, strict=True))):
        target = value.elts[0].value if isinstance(value, ast.Tuple) else value.value
        if target.startswith("sparring."):
            continue
        added.append((key.value, target))
        del lines[key.lineno - 1 : value.end_lineno]
    text = "".join(lines)
    start = text.index("    def format_commands(")
    end = text.index("\n    def ", start + 10) + 1
    checkout.write(path, text[:start] + FORMAT_COMMANDS + text[end:])
    checkout.write("core/sparring/cli/plugin_commands.py", PLUGIN_COMMANDS)
    text = checkout.text("pyproject.toml")
    header = '[project.entry-points."sparring.commands"]\n'
    at = text.index(header) + len(header)
    rows = "".join(f'{name} = "{target}"\n' for name, target in reversed(added))
    checkout.write("pyproject.toml", text[:at] + rows + text[at:])


def documented(checkout: Checkout) -> dict[str, str]:
    """Old modules that documents, examples and contrib name, and where each goes."""
    found = {}
    for path in checkout.files:
        if not (path.startswith(("docs/", "contrib/", "examples/")) or path == "README.md"):
            continue
        if path.startswith("docs/") and path.endswith(".py"):
            continue
        try:
            text = checkout.text(path)
        except UnicodeDecodeError:
            continue
        for match in Rewriter.NAME.finditer(text):
            name = match[1] + match[2]
            while "." in name and name not in checkout.modules:
                name = name.rpartition(".")[0]
            if name in checkout.modules and "." in name:
                new = checkout.new_module(name)
                if new != name:
                    found[name] = new
    return dict(sorted(found.items()))


def ruff(checkout: Checkout, command: Path, splits: list[str]) -> None:
    def run(*words: str) -> None:
        done = subprocess.run([str(command), *words], cwd=checkout.root, capture_output=True, text=True, check=False)
        if done.returncode and "--fix" not in words:
            look_at(f"ruff {' '.join(words[:3])}: {done.stdout[-800:]}{done.stderr[-800:]}")

    existing = [path for path in splits if (checkout.root / path).is_file()]
    if existing:
        run("check", "--select", "F401", "--fix", "--quiet", *existing)
        for path in existing:
            text = checkout.text(path)
            checkout.write(path, text.replace("if TYPE_CHECKING:\n    pass\n", ""))
        run("check", "--select", "F401", "--fix", "--quiet", *existing)
    run("check", "--select", "I", "--fix", "--quiet", ".")
    run("format", "--quiet", ".")


def main(words: list[str]) -> None:
    started = time.monotonic()
    root = Path(next(word for word in words if not word.startswith("-"))).resolve()
    if (root / "core/sparring/moved.py").exists():
        raise SystemExit("the modules of this checkout have moved already")
    mapping = Mapping.read(HERE / "mapping.csv")
    checkout = Checkout(root, mapping)
    for old in mapping.exact:
        if old not in checkout.files:
            look_at(f"mapping: {old} is not there (moved, merged or renamed since?)")
    groups = set(re.findall(r'\[project\.entry-points\."(sparring\.[\w.]+)"\]', checkout.text("pyproject.toml")))
    map_tests(checkout)
    if "--plan" in words:
        for path in checkout.files:
            if mapping.of(path) != path:
                print(path, "->", mapping.of(path))
        print("\n".join(notes))
        return
    known = documented(checkout)
    apply_edits(checkout)
    apply_splits(checkout)
    barrels(checkout)
    where = move(checkout)
    changed = rewrite(checkout, where, groups)
    complete_packages(checkout)
    contracts(checkout)
    commands(checkout)
    doors(checkout, known)
    with (HERE / "moved.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("old", "new"), *known.items()])
    split_files = {old for old, _ in []}
    with (HERE / "splits.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            split_files |= {mapping.of(row["old_path"]), row["new_path"]}
    if "--no-format" not in words:
        command = next(
            (p for p in (Path(sys.executable).with_name("ruff"), HERE / "tools/bin/ruff", root / ".venv/bin/ruff") if p.exists()),
            Path("ruff"),
        )
        ruff(checkout, command, sorted(split_files))
    subprocess.run(["git", "add", "-A", "."], cwd=root, check=True, capture_output=True)
    moves = sum(old != new for old, new in where.items())
    print(f"{moves} files moved, {changed} rewritten, {time.monotonic() - started:.0f} s")
    if notes:
        print("LOOK AT")
        print("\n".join(f"  {note}" for note in notes))
    if known:
        print("DOCUMENTED PATHS THAT MOVED (moved.csv)")
        for old, new in known.items():
            print(f"  {old} -> {new}")


if __name__ == "__main__":
    main(sys.argv[1:])
