"""From a definition and operators to mutants: all that can be made, and a choice of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import JsonValue

from sparring.discovery.drivers import load_value
from sparring.discovery.groups import MUTATORS
from sparring.documents import reading
from sparring.documents.checking import nearest
from sparring.errors import BrokenPlugin, ConfigurationError, Problem
from sparring_plugins.mutation.model import Change, Mutant, Mutator, Operator, RunOperator
from sparring_plugins.mutation.plan import MutationPlan, MutatorUse, PlanBase
from sparring_plugins.mutation.yaml_edits import CannotEdit, edited

# Lines of a file around a change, as `diff` shows them: two are enough to find the place.
_CONTEXT = 2
# "**/*.yaml" above a project names all that its dependencies bring, too.
_MOST_FILES = 2_000
# An operator for every word of a large definition makes millions: choose files or operators
# instead.
MOST_MUTANTS = 100_000

OperatorT = TypeVar("OperatorT", Operator, RunOperator)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of an app's folder: texts of the definition, and what lies beside it."""

    here: Path
    texts: Mapping[str, str]
    data: Mapping[str, JsonValue]
    beside: tuple[str, ...]

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file of the definition."""
        return {name: sha256(text.encode()).hexdigest() for name, text in self.texts.items()}


@dataclass(frozen=True, slots=True)
class Made:
    """A mutant, and the text of its changed file, or None if only settings are changed."""

    mutant: Mutant
    text: str | None = None

    @property
    def changed(self) -> dict[str, str]:
        """The texts of the changed files, by name."""
        return {} if self.text is None else {self.mutant.file: self.text}


def read_files(plan: PlanBase, here: Path) -> Files:
    """The files that a plan names; raises ConfigurationError for those that cannot be read."""
    definition = plan.definition if isinstance(plan, MutationPlan) else ()
    texts: dict[str, str] = {}
    data: dict[str, JsonValue] = {}
    for path in _matching(definition, here, "definition"):
        name = path.relative_to(here).as_posix()
        document = reading.read_document(path, "yaml11", shown=name)
        # Byte-order mark and Windows line ends would make each difference one of the whole file.
        texts[name] = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        data[name] = cast("JsonValue", document.data)
    beside = [path.relative_to(here).as_posix() for path in _matching(plan.beside, here, "beside")]
    return Files(here, texts, data, tuple(name for name in beside if name not in texts))


def _matching(patterns: Sequence[str], here: Path, key: str) -> list[Path]:
    paths: dict[Path, None] = {}
    for pattern in patterns:
        # Mutants are written into copies of the folder, which hold nothing of what lies outside.
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise ConfigurationError(Problem(f"{pattern!r} leaves the folder {here}", key=key))
        try:
            matches = sorted(path for path in here.glob(pattern) if path.is_file())
        except (ValueError, NotImplementedError) as err:
            raise ConfigurationError(Problem(f"{pattern!r} is no pattern: {err}", key=key)) from err
        if not matches:
            message = f"no file matches {pattern!r} (looked in {here})"
            raise ConfigurationError(Problem(message, key=key))
        paths.update(dict.fromkeys(matches))
    if len(paths) > _MOST_FILES:
        raise ConfigurationError(Problem(f"names more than {_MOST_FILES:,} files", key=key))
    return list(paths)


def operators_of(uses: Sequence[MutatorUse]) -> list[Operator]:
    """The operators that a plan names; raises PluginError or ConfigurationError."""
    operators: list[Operator] = []
    for use in uses:
        mutator = cast("Mutator", load_value(MUTATORS, use.use, Mutator))
        operators += select_operators(use, mutator.operators)
    return operators


def select_operators(use: MutatorUse, operators: Sequence[OperatorT]) -> list[OperatorT]:
    """The operators of a mutator that a plan asks for; raises ConfigurationError for others."""
    names = [operator.name for operator in operators]
    for name in (*use.only, *use.but):
        if name not in names:
            message = f"{use.use} has no operator {name!r}.{nearest(name, names)}"
            raise ConfigurationError(Problem(message, key="operators"))
    return [
        operator
        for operator in operators
        if operator.name not in use.but and (not use.only or operator.name in use.only)
    ]


def all_mutants(
    files: Files, operators: Iterable[Operator], marked: Mapping[str, str]
) -> list[Made]:
    """Every mutant that differs from the original and from all others, in the operators' order.

    Raises BrokenPlugin if an operator offers what cannot be done.
    """
    candidates: list[Made] = []
    texts: set[tuple[str, str | None]] = set(files.texts.items())
    ids: set[str] = set()
    for operator in operators:
        for change in operator.find(files.data):
            draft = _made(files, operator, change, marked, ids)
            if (change.file, draft.text) in texts:
                continue
            texts.add((change.file, draft.text))
            ids.add(draft.mutant.id)
            candidates.append(draft)
            if len(candidates) > MOST_MUTANTS:
                raise ConfigurationError(f"there are more than {MOST_MUTANTS:,} mutants")
    return candidates


def _made(
    files: Files,
    operator: Operator,
    change: Change,
    marked: Mapping[str, str],
    taken: set[str],
) -> Made:
    try:
        before = files.texts[change.file]
        after = edited(before, change.edits)
    except (KeyError, CannotEdit) as err:
        raise BrokenPlugin(f"the operator {operator.name} offers what cannot be: {err}") from err
    name = id_of(operator.name, change.file, change.target, taken)
    mutant = Mutant(
        id=name,
        operator=operator.name,
        file=change.file,
        target=change.target,
        diff=_diff(change.file, before, after),
        marked=marked.get(name),
    )
    return Made(mutant, after)


def id_of(operator: str, file: str, target: str, taken: Collection[str]) -> str:
    """A name that stays the same as long as operator, file and target do."""
    number = 0
    while True:
        source = "\0".join((operator, file, target, *([str(number)] * bool(number))))
        name = f"{operator}-{sha256(source.encode('utf-8', 'replace')).hexdigest()[:6]}"
        if name not in taken:
            return name
        number += 1


def _diff(name: str, before: str, after: str) -> str:
    lines = unified_diff(
        before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="", n=_CONTEXT
    )
    return "\n".join(lines)


def chosen(
    candidates: Sequence[Made], *, seed: int, limit: int | None, per_operator: int | None
) -> list[Made]:
    """As many mutants as wanted, spread evenly over the operators, in their first order.

    Which ones depends on the seed and on the mutants' names alone.
    """
    by_operator: dict[str, list[Made]] = {}
    for draft in sorted(candidates, key=lambda draft: _draw_key(seed, draft.mutant.id)):
        by_operator.setdefault(draft.mutant.operator, []).append(draft)
    rounds = [
        (place, _draw_key(seed, operator), draft.mutant.id)
        for operator, listed in by_operator.items()
        for place, draft in enumerate(listed[:per_operator])
    ]
    ids = {name for _, _, name in sorted(rounds)[:limit]}
    return [candidate for candidate in candidates if candidate.mutant.id in ids]


def _draw_key(seed: int, name: str) -> str:
    return sha256(f"{seed}/{name}".encode()).hexdigest()


def unused_marks(candidates: Sequence[Made], marked: Mapping[str, Any]) -> list[str]:
    """Warnings of marks that fit no mutant."""
    ids = {candidate.mutant.id for candidate in candidates}
    return [
        f"the mutant {name!r} is marked as equivalent, and none is called so"
        for name in marked
        if name not in ids
    ]
