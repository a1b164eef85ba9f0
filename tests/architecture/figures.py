"""Measure how the source is laid out: sizes, circles, doors, complexity, hooks, groups, members.

`python tests/architecture/figures.py` prints a table in Markdown. `measure(root)` returns the
same figures as one object, so that a test can hold them to limits. Nothing is imported but this
file's own needs: the code is read as text, so the figures are the same on every machine.
"""

import ast
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path, PurePosixPath
from statistics import median

SOURCE_ROOTS = {
    "core": "sparring",
    "plugins": "sparring_plugins",
    "connectors": "sparring_connectors",
}
"""Each source root and the one package that it holds."""

KITS = "core/sparring/testing/"
"""What the limit of the kernel does not count: kits and fakes for authors of plugins."""

CONTRACTS = {
    "BuildContext": "core/sparring/interfaces/plugin.py",
    "AppConnector": "core/sparring/interfaces/app_connector.py",
    "SearchStrategy": "core/sparring/interfaces/search_strategy.py",
}
"""Interfaces whose members are counted, with their files."""

COMPLEX = 15
"""Above this cyclomatic complexity a function is to be split."""

DIRECTIVE = re.compile(r"#\s*(?:noqa|type:|pyright:|ruff:|fmt:)")
"""A comment for a tool, which tells a reader nothing."""

Graph = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str
    """Dotted, as it is imported; a package's name stands for its `__init__`."""
    path: str
    """From the root of the checkout, with slashes."""
    lines: int
    tree: ast.Module
    text: str

    @property
    def has_heuristics(self) -> bool:
        """Whether it has a threshold or a pattern: a constant that is a number or an expression."""
        return any(map(_is_threshold, self.tree.body))

    @property
    def comments(self) -> int:
        """Lines of comments, and of the docstrings below constants, which give their reasons."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        written = {
            token.start[0]
            for token in tokens
            if token.type == tokenize.COMMENT and not DIRECTIVE.match(token.string)
        }
        docstrings = (
            (after.end_lineno or after.lineno) - after.lineno + 1
            for before, after in zip(self.tree.body, self.tree.body[1:], strict=False)
            if isinstance(before, ast.Assign | ast.AnnAssign) and _is_text(after)
        )
        return len(written) + sum(docstrings)

    @property
    def folder(self) -> str:
        return str(PurePosixPath(self.path).parent)

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")


class Figures:
    """What the source of one checkout measures."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = {module.name: module for module in read_modules(root)}

    @cached_property
    def imports(self) -> Graph:
        """Which modules a module imports, anywhere in its text: for typing and in functions too."""
        return {name: imported_by(module, self.modules) for name, module in self.modules.items()}

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """Which modules import a module."""
        importers: dict[str, set[str]] = {name: set() for name in self.modules}
        for name, targets in self.imports.items():
            for target in targets:
                importers[target].add(name)
        return {name: frozenset(names) for name, names in importers.items()}

    @cached_property
    def file_circles(self) -> list[list[str]]:
        """Groups of modules that reach each other, as paths, the largest first."""
        return [[self.modules[name].path for name in circle] for circle in circles(self.imports)]

    @cached_property
    def folder_circles(self) -> list[list[str]]:
        """Groups of neighbours, of which one is a folder, that reach each other.

        Neighbours are what lies in one folder: its files, and its folders with all below them. The
        folder's own `__init__` is its face and no neighbour.
        """
        parents = {
            str(parent) for m in self.modules.values() for parent in PurePosixPath(m.path).parents
        }
        return [
            circle
            for parent in sorted(parents)
            if parent.count("/") >= 1
            for circle in circles(self._neighbours(parent))
            if any(not name.endswith(".py") for name in circle)
        ]

    def _neighbours(self, parent: str) -> Graph:
        depth = parent.count("/") + 2
        below = {
            module.path: "/".join(module.path.split("/")[:depth])
            for module in self.below(f"{parent}/")
            if module.path != f"{parent}/__init__.py"
        }
        arrows: dict[str, set[str]] = defaultdict(set)
        for name, targets in self.imports.items():
            source = below.get(self.modules[name].path)
            if source:
                reached = {below.get(self.modules[target].path, "") for target in targets}
                arrows[source] |= reached - {source, ""}
        return {name: frozenset(targets) for name, targets in arrows.items()}

    @cached_property
    def room_circles(self) -> list[list[str]]:
        """Circles between the rooms: the folders of `sparring_plugins`, with all below them."""
        rooms = [f"{folder}/{package}" for folder, package in SOURCE_ROOTS.items()]
        return [c for c in self.folder_circles if str(PurePosixPath(c[0]).parent) in rooms]

    def lines(self, prefix: str, *, without: str = "\0") -> int:
        """Lines of the Python files whose paths begin with `prefix`."""
        return sum(m.lines for m in self.below(prefix) if not m.path.startswith(without))

    def below(self, prefix: str) -> list[Module]:
        """The modules whose paths begin with `prefix`."""
        return [module for module in self.modules.values() if module.path.startswith(prefix)]

    @property
    def kernel_lines(self) -> int:
        """Lines of the core without its kits."""
        return self.lines("core/", without=KITS)

    @property
    def all_lines(self) -> int:
        """Lines of all Python source."""
        return self.lines("")

    @cached_property
    def one_importer(self) -> list[str]:
        """Modules that one other module imports: doors that one reader uses."""
        return sorted(
            module.path
            for name, module in self.modules.items()
            if not module.is_package and len(self.importers[name]) == 1
        )

    @property
    def median_lines(self) -> int:
        """The median of the modules' lines, packages' `__init__` left out."""
        return int(median(m.lines for m in self.modules.values() if not m.is_package))

    @cached_property
    def complexities(self) -> list[tuple[int, str]]:
        """Each function's cyclomatic complexity and place, the most complex first."""
        found = [
            (complexity, f"{module.path}:{line} {name}")
            for module in self.modules.values()
            for name, line, complexity in complexities(module.tree)
        ]
        return sorted(found, key=lambda item: (-item[0], item[1]))

    @property
    def complex_functions(self) -> list[tuple[int, str]]:
        """The functions above the limit."""
        return [item for item in self.complexities if item[0] > COMPLEX]

    @cached_property
    def hooks(self) -> list[str]:
        """The names of the hooks that the core calls."""
        return sorted(
            node.name
            for module in self.below("core/")
            for node in module.tree.body
            if isinstance(node, ast.FunctionDef) and any(map(_is_hookspec, node.decorator_list))
        )

    @cached_property
    def groups(self) -> Mapping[str, int]:
        """The entry-point groups of ours, with how many parts are bundled in each."""
        pyproject = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        declared = pyproject["project"]["entry-points"]
        return {
            name: len(parts) for name, parts in declared.items() if name.startswith("sparring.")
        }

    def members(self, interface: str) -> list[str]:
        """The public members that the class of an interface declares itself."""
        path = CONTRACTS[interface]
        (module,) = (module for module in self.modules.values() if module.path == path)
        (body,) = (
            node.body
            for node in module.tree.body
            if isinstance(node, ast.ClassDef) and node.name == interface
        )
        names = [name for node in body for name in _declared(node)]
        return [name for name in dict.fromkeys(names) if not name.startswith("_")]


def measure(root: Path) -> Figures:
    """The figures of a checkout."""
    return Figures(root)


def room_of(path: str) -> str:
    """The direct child of a package that a path lies in: ``plugins/sparring_plugins/web``."""
    parts = PurePosixPath(path).parts
    return "/".join(parts[:3])


def read_modules(root: Path) -> Iterator[Module]:
    """Every Python file of the source roots."""
    for source_root in SOURCE_ROOTS:
        for file in sorted((root / source_root).rglob("*.py")):
            relative = file.relative_to(root / source_root)
            parts = relative.with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = file.read_text(encoding="utf-8")
            path = file.relative_to(root).as_posix()
            yield Module(name, path, text.count("\n"), ast.parse(text), text)


def imported_by(module: Module, modules: Mapping[str, Module]) -> frozenset[str]:
    """The modules of ours that a module imports, by the longest name that is one."""
    targets: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            targets |= {_nearest(alias.name, modules) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = _absolute(node, module)
            targets |= {_nearest(f"{package}.{alias.name}", modules) for alias in node.names}
    return frozenset(targets - {"", module.name})


def _absolute(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    above = node.level - 1 if module.is_package else node.level
    base = parts[: len(parts) - above]
    return ".".join([*base, node.module] if node.module else base)


def _nearest(name: str, modules: Mapping[str, Module]) -> str:
    """The longest prefix of a dotted name that is a module of ours; empty if none is."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def circles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one node, the largest first (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def close(node: str) -> None:
        component = []
        while True:
            component.append(stack.pop())
            low[component[-1]] = sys.maxsize  # no longer on the stack
            if component[-1] == node:
                break
        if len(component) > 1:
            found.append(sorted(component))

    def visit(start: str) -> None:
        pending = [(start, iter(sorted(graph.get(start, ()))))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while pending:
            node, targets = pending[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    pending.append((target, iter(sorted(graph.get(target, ())))))
                    break
                low[node] = min(low[node], low[target])
            else:
                pending.pop()
                reached = low[node]
                if reached == index[node]:
                    close(node)
                if pending:
                    parent = pending[-1][0]
                    low[parent] = min(low[parent], reached)

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found, key=lambda circle: (-len(circle), circle))


def complexities(tree: ast.AST) -> Iterator[tuple[str, int, int]]:
    """Name, line and cyclomatic complexity of each function, counted as radon counts.

    One, and one more for each branch, loop, handler, condition of a comprehension and operand of
    ``and`` and ``or``. A function inside another counts by itself.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, 1 + sum(_decisions(child) for child in node.body)


def _decisions(node: ast.AST) -> int:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return 0
    return _own_decisions(node) + sum(map(_decisions, ast.iter_child_nodes(node)))


def _own_decisions(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp() | ast.Assert():
            return 1
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.Try() | ast.TryStar():
            return len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.Match():
            return len(node.cases) - any(map(_takes_all, node.cases))
        case _:
            return 0


def _takes_all(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def _is_threshold(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            pass
        case _:
            return False
    is_number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
    is_pattern = (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "compile"
    )
    return name.lstrip("_").isupper() and (is_number or is_pattern)


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_hookspec(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id == "hookspec"


def _declared(node: ast.stmt) -> Iterable[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def installed_groups() -> dict[str, int]:
    """The entry-point groups of ours that this environment has, foreign parts counted too."""
    groups = {point.group for point in entry_points() if point.group.startswith("sparring.")}
    return {group: len(entry_points(group=group)) for group in sorted(groups)}


WALK = """
import asyncio, dis, json, sys, threading
from functools import cache
from pathlib import Path
from sparring.cli.app import invoke
from sparring.discovery.drivers import load
from sparring.discovery.groups import GROUPS
from sparring.interfaces.reporter import Reporter
from sparring.model.events import CaseJudged, CaseStarted, TurnTaken
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext

entered, case, turn = set(), set(), set()

class Watcher(Reporter):
    def handle(self, event):
        if isinstance(event, CaseStarted):
            case.clear()
            turn.clear()
        elif isinstance(event, TurnTaken):
            turn.clear()
            turn.update(entered)
            case.update(entered)
        elif isinstance(event, CaseJudged):
            case.update(entered)
        else:
            return
        entered.clear()

@cache
def start(code):
    return next((i.offset for i in dis.get_instructions(code) if i.opname == "RESUME"), 0)

def note(frame, event, argument):
    code = frame.f_code
    # A coroutine that goes on after an await was entered before: `conduct` during each case.
    if event == "call" and code.co_name != "<module>" and frame.f_lasti <= start(code):
        entered.add(code.co_filename)

def watched(call):
    entered.clear()
    sys.setprofile(note)
    threading.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(entered)

def rule():
    oracle = made(made.Config(files=str(folder / "rule.yaml")), FakeContext(base_dir=folder))
    asyncio.run(oracle.judge(trace))

folder, whole = Path(sys.argv[1]), sys.argv[2:] == ["whole"]
sys.stdout = open("/dev/null", "w")
run = lambda: invoke(["run", str(folder / "first")])
suite = watched(run) if whole else run()  # what is read and compiled once is no turn's doing
file = folder / "first" / "suite.yaml"
text = file.read_text().replace("[console, html, junit]", "[{use: '__main__:Watcher'}]")
file.write_text(text + "concurrency: 1\\n")
watched(run)
one_case, one_turn = sorted(case), sorted(turn)
loaded = [name for name in sys.modules if name.startswith("sparring")]
(folder / "rule.yaml").write_text("name: short\\noracle: conversation_length() < 100\\n")
made = load(GROUPS["sparring.oracles"], "rules")
trace = trace_of([("hello", "Hello!"), ("bye", "Bye!")])
judged = watched(rule) if whole else []
sys.stdout = sys.__stdout__
print(json.dumps({"suite": suite, "loaded": loaded, "rule": judged, "case": one_case,
                  "turn": one_turn}))
"""
"""Runs the starter suite, and judges one conversation by one rule, noting whose code runs."""


STARTER = "plugins/sparring_plugins/project/templates/echo"
"""The starter suite, whose app says back what it is told."""


def walks(root: Path, *, whole: bool = False) -> dict[str, int]:
    """How many files of ours a case and a turn of the starter suite enter.

    If it is `whole`, also a run of that suite and a rule, which takes twice as long.
    """
    with tempfile.TemporaryDirectory() as folder:
        # as `sparring init` writes it, but for the schema, which loads every plugin
        shutil.copytree(root / STARTER, f"{folder}/first")
        walk = [sys.executable, "-c", WALK, folder, *(["whole"] if whole else [])]
        done = subprocess.run(walk, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    figures = {"modules loaded by a run of the starter suite": len(found["loaded"])}
    titles = {"case": "its last case", "turn": "one turn of it"}
    if whole:
        titles = {"suite": "a run of the starter suite", **titles, "rule": "one simple rule"}
    for name, title in titles.items():
        for root, package in SOURCE_ROOTS.items():
            part = f"/{root}/{package}/"
            figures[f"files of {root} entered by {title}"] = sum(part in f for f in found[name])
    return figures


def summary(figures: Figures) -> dict[str, int]:
    """The figures that have a limit, by name."""
    return {
        "lines, kernel without kits": figures.kernel_lines,
        "lines, kits (sparring.testing)": figures.lines(KITS),
        "lines, plugins": figures.lines("plugins/"),
        "lines, connectors": figures.lines("connectors/"),
        "lines, all source": figures.all_lines,
        "modules": sum(not m.is_package for m in figures.modules.values()),
        "packages": sum(m.is_package for m in figures.modules.values()),
        "median lines of a module": figures.median_lines,
        "longest module": max(module.lines for module in figures.modules.values()),
        "modules with one importer": len(figures.one_importer),
        "circles of files": len(figures.file_circles),
        "files in circles": sum(map(len, figures.file_circles)),
        "circles of folders": len(figures.folder_circles),
        "circles of rooms": len(figures.room_circles),
        f"functions above complexity {COMPLEX}": len(figures.complex_functions),
        "highest complexity": figures.complexities[0][0],
        "hooks": len(figures.hooks),
        "entry-point groups": len(figures.groups),
        **{f"members of {name}": len(figures.members(name)) for name in CONTRACTS},
    }


def rooms(figures: Figures) -> list[tuple[str, int, int]]:
    """Each child of a package, with its modules and lines."""
    names = sorted({room_of(module.path) for module in figures.modules.values()})
    return [
        (name, len(below), sum(module.lines for module in below))
        for name in names
        for below in [[m for m in figures.modules.values() if room_of(m.path) == name]]
        if name.count("/") == 2
    ]


def commented(figures: Figures) -> list[tuple[str, int, int, int]]:
    """Each room's modules with heuristics: how many, their lines, and their lines of comments."""
    names = sorted({room_of(module.path) for module in figures.modules.values()})
    by_room = [
        (name, [m for m in figures.below(f"{name}/") if m.has_heuristics])
        for name in names
        if name.startswith(("plugins/", "connectors/")) and name.count("/") == 2
    ]
    return [
        (name, len(below), sum(m.lines for m in below), sum(m.comments for m in below))
        for name, below in by_room
        if below
    ]


def markdown(figures: Figures) -> Iterator[str]:
    """The figures as a page of tables."""
    yield "| figure | today |\n| --- | ---: |"
    for name, number in summary(figures).items():
        yield f"| {name} | {number:,} |"
    yield "\n| folder | modules | lines |\n| --- | ---: | ---: |"
    for name, modules, lines in rooms(figures):
        yield f"| `{name}` | {modules} | {lines:,} |"
    yield "\n| modules with heuristics in | modules | lines | comments in 100 lines |"
    yield "| --- | ---: | ---: | ---: |"
    for name, modules, lines, comments in commented(figures):
        yield f"| `{name}` | {modules} | {lines:,} | {100 * comments / lines:.1f} |"
    for title, found in (
        ("Circles of files", figures.file_circles),
        ("Circles of folders", figures.folder_circles),
    ):
        yield f"\n**{title}**\n"
        yield from ("- " + ", ".join(f"`{name}`" for name in circle) for circle in found or ())
    yield f"\n**Functions above complexity {COMPLEX}**\n"
    yield from (f"- {complexity}: `{place}`" for complexity, place in figures.complex_functions)
    yield "\n**Hooks**: " + ", ".join(f"`{name}`" for name in figures.hooks)
    yield "\n**Entry-point groups**: " + ", ".join(
        f"`{name}` ({count})" for name, count in figures.groups.items()
    )
    for name in CONTRACTS:
        listed = ", ".join(f"`{member}`" for member in figures.members(name))
        yield f"\n**Members of {name}**: {listed}"


def main(arguments: list[str]) -> None:
    """Print the figures of this checkout, or of the one named.

    ``--json`` prints those with a limit as JSON; ``--walks`` adds what is entered when things are
    run, for which Sparring has to be installed from that checkout.
    """
    roots = [argument for argument in arguments if not argument.startswith("--")]
    figures = measure(Path(roots[0]) if roots else Path(__file__).parents[2])
    if "--json" in arguments:
        text = json.dumps(summary(figures), indent=2)
    else:
        text = "\n".join(markdown(figures))
    if "--walks" in arguments:
        entered = walks(figures.root, whole=True)
        rows = [f"| {name} | {number:,} |" for name, number in entered.items()]
        text += "\n\n| when it runs | files |\n| --- | ---: |\n" + "\n".join(rows)
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
