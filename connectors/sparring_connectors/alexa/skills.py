"""The skills that a suite tests, read from their folders: one, or those of a list."""

import csv
import io
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

from pydantic import ValidationError

from sparring.documents.reading import read_document
from sparring.errors import AppError, AppUnreachable, ConfigurationError, Problem
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, AppFacts, Observation
from sparring_connectors.alexa.config import AlexaConfig, ServicesConfig, SkillConfig
from sparring_connectors.alexa.examples import (
    example_answers,
    example_openings,
    example_utterances,
    unusual_answers,
)
from sparring_connectors.alexa.interaction_model import InteractionModel, load_json, read_model
from sparring_connectors.alexa.nlu import Nlu
from sparring_connectors.alexa.shapes import mapping, mappings, named, sequence, text, texts
from sparring_connectors.alexa.skill_folder import (
    Handler,
    choose_locale,
    find_handler,
    find_manifest,
    find_models,
    locale_of_file,
)
from sparring_connectors.alexa.source_reading import SourceFacts, read_source

# What a skill's manifest (``skill.json``) says that a test can use.


@dataclass(frozen=True, slots=True)
class Manifest:
    """The parts of a manifest that matter to a test, in one locale.

    `permissions` are the scopes that the skill asks its user for, `source` the handler's folder
    as far as it is named, `endpoint` an HTTPS address if it names one. `is_read` is false if the
    skill has no manifest.
    """

    name: str = ""
    summary: str = ""
    description: str = ""
    phrases: tuple[str, ...] = ()
    category: str = ""
    permissions: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()
    source: str = ""
    endpoint: str = ""
    is_read: bool = False


def read_manifest(path: Path, locale: str) -> Manifest:
    """Read a manifest; raises ConfigurationError if it is no JSON."""
    manifest = mapping(mapping(load_json(path)).get("manifest")) or mapping(load_json(path))
    publishing = mapping(manifest.get("publishingInformation"))
    local = _localise(mapping(publishing.get("locales")), locale)
    custom = mapping(mapping(manifest.get("apis")).get("custom"))
    endpoint = mapping(custom.get("endpoint"))
    address = text(endpoint.get("uri")) or text(endpoint.get("url"))
    return Manifest(
        name=text(local.get("name")),
        summary=text(local.get("summary")),
        description=text(local.get("description")),
        phrases=texts(local.get("examplePhrases")),
        category=text(publishing.get("category")),
        permissions=tuple(
            named(item.get("name")) for item in mappings(manifest.get("permissions"))
        ),
        interfaces=tuple(text(item.get("type")) for item in mappings(custom.get("interfaces"))),
        source=text(endpoint.get("sourceDir")),
        endpoint=address if address.startswith("https://") else "",
        is_read=True,
    )


def _localise(locales: dict[str, Any], locale: str) -> dict[str, Any]:
    """What is said in the locale, or else in the first one that speaks the language."""
    near = sorted(name for name in locales if name[:2] == locale[:2])
    for name in (locale, *near, *sorted(locales)):
        if name in locales:
            return mapping(locales[name])
    return {}


@dataclass(frozen=True)
class InstalledSkill:
    """A skill with its model, its understanding and the place of its handler.

    `handler` is `None` if an endpoint answers. `files` are those that were read, `examples` what
    can be said to it, `openings` requests that open it.
    """

    config: SkillConfig
    folder: Path
    model: InteractionModel
    nlu: Nlu
    manifest: Manifest
    handler: Handler | None
    application_id: str
    files: tuple[Path, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    openings: tuple[str, ...] = ()

    @cached_property
    def source(self) -> SourceFacts:
        """Facts of its source code, read when it is first played: nothing else needs them."""
        return read_source(self.handler, self.folder, self.model)

    @cached_property
    def _answers(self) -> dict[tuple[str, str], tuple[str, ...]]:
        return {}

    def answers(self, intent: str, slot: str) -> tuple[str, ...]:
        """Return answers to a question for a slot of an intent, or for yes and no without one."""
        key = (intent, slot)
        if key not in self._answers:
            self._answers[key] = example_answers(self.model, intent, slot)
        return self._answers[key]

    def unusual_answers(self, intent: str, slot: str) -> tuple[str, ...]:
        """Return those of the answers for a slot at which a handler may fail."""
        return unusual_answers(self.model, intent, slot)

    @property
    def name(self) -> str:
        """The name that opens it."""
        return self.model.invocation

    @property
    def runtime(self) -> str | None:
        """What runs its handler: ``python`` or ``node``; `None` if an endpoint answers."""
        return self.handler.language if self.handler is not None else None

    @property
    def title(self) -> str:
        """The name that Alexa calls it by."""
        return self.manifest.name or self.model.invocation


def load_skill(config: SkillConfig, base_dir: Path, locale: str | None) -> InstalledSkill:
    """Read a skill's folder; raises ConfigurationError if something is missing."""
    folder = base_dir / Path(config.folder).expanduser()
    programs = {name: _program(getattr(config, name), base_dir) for name in ("python", "node")}
    config = config.model_copy(update=programs)
    if not folder.is_dir():
        raise ConfigurationError(Problem("there is no such folder", str(folder)))
    path, chosen = _find_model(config, folder, locale)
    model = read_model(path, chosen)
    if config.invocation is not None:
        model = replace(model, invocation=" ".join(config.invocation.lower().split()))
    if not model.invocation:
        raise ConfigurationError(
            Problem("has no invocationName; give one with 'invocation'", str(path))
        )
    manifest_path = find_manifest(folder)
    manifest = read_manifest(manifest_path, chosen) if manifest_path else Manifest()
    handler = None
    if config.endpoint is None:
        handler = find_handler(folder, config.handler, manifest.source)
    derived_id = f"amzn1.ask.skill.{uuid5(NAMESPACE_URL, f'skill:{model.invocation}')}"
    read = [path, *([manifest_path] if manifest_path else []), *([handler.file] if handler else [])]
    return InstalledSkill(
        config, folder, model, Nlu(model), manifest, handler,
        config.application_id or _demanded_id(handler) or derived_id,
        tuple(read), example_utterances(model), example_openings(model),
    )  # fmt: skip


# "skillBuilder.withSkillId('amzn1.ask.skill.a5e1…')" refuses the requests to any other skill.
_SKILL_ID = re.compile(r"amzn1\.ask\.skill\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _demanded_id(handler: Handler | None) -> str | None:
    """Return the id that a handler names as its skill's; None if it names none, or several."""
    try:
        source = handler.file.read_text(encoding="utf-8", errors="replace") if handler else ""
    except OSError:
        return None
    ids = set(_SKILL_ID.findall(source))
    return ids.pop() if len(ids) == 1 else None


def _program(named: str | None, base_dir: Path) -> str | None:
    """A program as the file that names it means it: a path from there, or a name on PATH."""
    if named is None or not any(sign in named for sign in "/\\~"):
        return named
    place = base_dir / Path(named).expanduser()
    # An isolated handler sees the interpreter, not the folders that "lists/../venv/bin/python" goes
    # through. The last part stays a link: it is how a virtual environment knows its place.
    return str(place.parent.resolve() / place.name)


def _find_model(config: SkillConfig, folder: Path, locale: str | None) -> tuple[Path, str]:
    if config.model is not None:
        path = folder / config.model
        if not path.is_file():
            raise ConfigurationError(Problem("there is no such interaction model", str(path)))
        return path, locale or locale_of_file(path)
    models = find_models(folder)
    chosen = choose_locale(models, locale, folder)
    return models[chosen], chosen


# Many skills for one suite: a folder that holds their folders, or a CSV with a row for each.

MOST = 100_000
"""Skills of one list."""

_MOST_BYTES = 200_000_000
_OF_SKILL = (
    *("folder", "model", "handler", "endpoint", "invocation"),
    *("application_id", "python", "node"),
)
_OF_SUITE = ("opening", "granted", "answers")
COLUMNS = ("name", "category", "locale", *_OF_SKILL, "environment", *_OF_SUITE)
"""The columns of a list that mean something; others are passed over."""


@dataclass(frozen=True, slots=True)
class SkillSettings:
    """What a list says of a skill instead of the suite; None is the suite's.

    `granted` are permissions, `answers` the list of what its own services answer.
    """

    opening: str | None = None
    granted: tuple[str, ...] | None = None
    answers: str | None = None

    def apply(self, config: AlexaConfig) -> AlexaConfig:
        """Return the suite's settings with those of the skill."""
        changes: dict[str, Any] = {}
        if self.opening is not None:
            changes["opening"] = self.opening
        if self.granted is not None:
            services = {**config.services.model_dump(), "granted": self.granted}
            changes["services"] = ServicesConfig.model_validate(services)
        if self.answers is not None:
            is_stubbed = config.network in ("stub", "record", "replay")
            changes["network"] = config.network if is_stubbed else "stub"
            changes["answers"] = self.answers
        return config.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """A skill of a list: its name there, what the list says of it, and the row (from 1)."""

    name: str
    config: SkillConfig
    category: str = ""
    locale: str | None = None
    row: int | None = None
    settings: SkillSettings = SkillSettings()


def read_skill_list(path: Path) -> list[SkillEntry]:
    """The skills of a folder or a CSV, in order; raises ConfigurationError for what is no list."""
    if path.is_dir():
        entries = list(_read_folder(path))
    elif path.is_file() and path.suffix.lower() in (".yaml", ".yml"):
        entries = list(_read_yaml(path))
    elif path.is_file():
        entries = list(_read_table(path))
    else:
        raise ConfigurationError(Problem("there is no such folder or CSV of skills", str(path)))
    if not entries:
        raise ConfigurationError(Problem("lists no skill", str(path)))
    _require_different(entries, path)
    return entries


def _read_folder(path: Path) -> Iterator[SkillEntry]:
    for inner in sorted(path.iterdir(), key=lambda item: item.name):
        if inner.is_dir() and not inner.name.startswith((".", "__")):
            yield SkillEntry(inner.name, SkillConfig(folder=str(inner)))


def _read_table(path: Path) -> Iterator[SkillEntry]:
    rows = csv.reader(io.StringIO(_read_text(path), newline=""), delimiter=_delimiter(path))
    header = [_column_name(name) for name in next(rows, list[str]())]
    if "folder" not in header:
        problem = f"its first line names no column 'folder' (columns: {', '.join(COLUMNS)})"
        raise ConfigurationError(Problem(problem, str(path), 1))
    try:
        for cells in rows:
            values = {name: cell.strip() for name, cell in zip(header, cells, strict=False)}
            if any(values.values()):
                yield _read_row(values, path, rows.line_num)
    except csv.Error as err:
        raise ConfigurationError(Problem(f"is no CSV: {err}", str(path), rows.line_num)) from err


def _read_yaml(path: Path) -> Iterator[SkillEntry]:
    document = read_document(path)
    data: object = document.data
    if not isinstance(data, list):
        problem = "expected a list of skills, each with `folder`"
        raise ConfigurationError(Problem(problem, str(path), 1))
    for at, item in enumerate(sequence(cast("list[Any]", data))):
        line = document.line((at,)) or 1
        if not isinstance(item, Mapping):
            raise ConfigurationError(Problem("a skill is a map of keys", str(path), line))
        cells = {name: _as_cell(value) for name, value in mapping(cast("object", item)).items()}
        if unknown := sorted(set(cells) - set(COLUMNS)):
            problem = f"no key of a skill (keys: {', '.join(COLUMNS)})"
            raise ConfigurationError(Problem(problem, str(path), line, unknown[0]))
        yield _read_row(cells, path, line)


def _as_cell(value: object) -> str:
    """A value of a YAML list as a cell of a table has it; a map as `NAME=value NAME=value`."""
    if isinstance(value, Mapping):
        pairs = mapping(cast("object", value)).items()
        return shlex.join(f"{name}={named(item)}" for name, item in pairs)
    return " ".join(texts(cast("object", value))) if isinstance(value, list) else named(value)


def _read_row(values: dict[str, str], path: Path, line: int) -> SkillEntry:
    if not values.get("folder"):
        raise ConfigurationError(Problem("names no folder", str(path), line, "folder"))
    settings: dict[str, Any] = {name: values[name] for name in _OF_SKILL if values.get(name)}
    settings["environment"] = _read_variables(values.get("environment", ""), path, line)
    settings["folder"] = str(path.parent / Path(settings["folder"]).expanduser())
    for name in ("python", "node"):
        if name in settings:
            settings[name] = _program(settings[name], path.parent) or ""
    try:
        config = SkillConfig.model_validate(settings)
    except ValidationError as err:
        first = err.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(Problem(first["msg"], str(path), line, key)) from err
    name = values.get("name") or Path(settings["folder"]).name
    granted, answers = values.get("granted"), values.get("answers")
    own = SkillSettings(
        opening=values.get("opening") or None,
        granted=tuple(re.split(r"[\s,;|]+", granted)) if granted else None,
        answers=str((path.parent / Path(answers).expanduser()).absolute()) if answers else None,
    )
    locale = values.get("locale") or None
    return SkillEntry(name, config, values.get("category", ""), locale, line, own)


def _read_variables(cell: str, path: Path, line: int) -> dict[str, str]:
    """The variables of a cell such as `STAGE=test BUCKET='my bucket'`."""
    try:
        pairs = [part.partition("=") for part in shlex.split(cell)]
    except ValueError as err:
        raise ConfigurationError(Problem(f"{err}: {cell}", str(path), line, "environment")) from err
    if bare := [name for name, equals, _ in pairs if not (name and equals)]:
        problem = f"expected NAME=value, got {bare[0]!r}"
        raise ConfigurationError(Problem(problem, str(path), line, "environment"))
    return {name: value for name, _, value in pairs}


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(Problem("is too large for a list of skills", str(path)))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as err:
        raise ConfigurationError(Problem("is no UTF-8 text", str(path))) from err
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err


def _delimiter(path: Path) -> str:
    first = _read_text(path).split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _column_name(name: str) -> str:
    return "_".join(name.strip().lower().replace("-", " ").split())


def _require_different(entries: list[SkillEntry], path: Path) -> None:
    if len(entries) > MOST:
        raise ConfigurationError(Problem(f"lists more than {MOST:,} skills", str(path)))
    seen: dict[str, SkillEntry] = {}
    for entry in entries:
        if entry.name in seen:
            first = seen[entry.name].row
            problem = f"two skills are called {entry.name!r} (the other is in line {first})"
            raise ConfigurationError(Problem(problem, str(path), entry.row, "name"))
        seen[entry.name] = entry


# The skills that a suite tests: one, or those of a list of which some may be broken.


@dataclass(frozen=True, slots=True)
class SkillSet:
    """What a user has enabled: the skill under test, and with it all, that one last.

    Of two skills by the same name the other one is opened.
    """

    skill: InstalledSkill
    skills: tuple[InstalledSkill, ...]
    settings: SkillSettings = SkillSettings()


@dataclass(frozen=True, slots=True)
class BrokenSkill:
    """A skill of a list that cannot be read, and why."""

    listed: SkillEntry
    why: str


class TestedSkills:
    """Finds the skill of a case."""

    __test__ = False  # no test, whatever pytest thinks of the name

    def __init__(self, config: AlexaConfig, base_dir: Path) -> None:
        self._others = tuple(load_skill(entry, base_dir, config.locale) for entry in config.others)
        self._single: SkillSet | None = None
        self._listed: Mapping[str, SkillSet | BrokenSkill] = {}
        if config.skill is not None:
            self._single = self._with_others(load_skill(config.skill, base_dir, config.locale))
        else:
            listed = read_skill_list(base_dir / Path(config.skills or "").expanduser())
            self._listed = {entry.name: self._load(entry, config, base_dir) for entry in listed}

    def _with_others(self, skill: InstalledSkill) -> SkillSet:
        return SkillSet(skill, (*self._others, skill))

    def _load(
        self, entry: SkillEntry, config: AlexaConfig, base_dir: Path
    ) -> SkillSet | BrokenSkill:
        """A skill of the list; whatever is wrong with it is reported when it is tested."""
        try:
            skill = load_skill(entry.config, base_dir, entry.locale or config.locale)
        except (ConfigurationError, OSError, RecursionError) as err:
            return BrokenSkill(entry, str(err))
        if entry.category:
            skill = replace(skill, manifest=replace(skill.manifest, category=entry.category))
        if entry.settings.answers is None and config.network == "record" and not config.answers:
            return BrokenSkill(entry, "its entry in the list names no `answers` to record into")
        return replace(self._with_others(skill), settings=entry.settings)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the skills of the list; none if there is one skill."""
        return tuple(self._listed)

    @property
    def installed(self) -> Sequence[InstalledSkill]:
        """Every skill that could be read."""
        tested = [entry.skill for entry in self._listed.values() if isinstance(entry, SkillSet)]
        return (*self._others, *tested, *([self._single.skill] if self._single else []))

    @property
    def broken(self) -> Sequence[BrokenSkill]:
        """Those that could not."""
        return [entry for entry in self._listed.values() if isinstance(entry, BrokenSkill)]

    def all(self) -> Sequence[SkillSet]:
        """Each skill under test that can be read, with those beside it."""
        many = [entry for entry in self._listed.values() if isinstance(entry, SkillSet)]
        return [self._single, *many] if self._single else many

    def of(self, case: Case) -> SkillSet | BrokenSkill:
        """The skill that a case is about; raises ConfigurationError for a name of no skill."""
        if self._single is not None:
            return self._single
        name = case.params.get("app")
        skill = self._listed.get(name) if isinstance(name, str) else None
        if skill is None:
            raise ConfigurationError(f"no skill of the list is called {name!r}")
        return skill


class BrokenSession(AppSession):
    """A conversation with a skill that cannot be read: every act fails, saying why."""

    def __init__(self, broken: BrokenSkill) -> None:
        self._broken = broken

    def facts(self) -> AppFacts | None:
        listed = self._broken.listed
        return AppFacts(name=listed.name, category=listed.category)

    async def send(self, act: Act) -> Observation:
        raise self._error()

    def _error(self) -> AppError:
        return AppUnreachable(f"skill {self._broken.listed.name!r} is not tested: "
                              f"{self._broken.why}")  # fmt: skip
