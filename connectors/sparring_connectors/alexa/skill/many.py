"""The skills that a suite tests: one, or those of a list of which some may be broken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sparring.errors import AppError, AppUnreachable, ConfigurationError
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.facts import AppFacts
from sparring.model.talk import Act, Observation
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.skill.installed import InstalledSkill, installed
from sparring_connectors.alexa.skill.listing import Listed, listed_skills


@dataclass(frozen=True, slots=True)
class Enabled:
    """What a user has enabled: the skill under test, and with it all, that one last.

    Of two skills by the same name the other one is opened.
    """

    skill: InstalledSkill
    skills: tuple[InstalledSkill, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """A skill of a list that cannot be read, and why."""

    listed: Listed
    why: str


class TestedSkills:
    """Finds the skill of a case."""

    __test__ = False  # no test, whatever pytest thinks of the name

    def __init__(self, config: AlexaConfig, base_dir: Path) -> None:
        self._others = tuple(installed(one, base_dir, config.locale) for one in config.others)
        self._one: Enabled | None = None
        self._many: Mapping[str, Enabled | Broken] = {}
        if config.skill is not None:
            self._one = self._enabled(installed(config.skill, base_dir, config.locale))
        else:
            listed = listed_skills(base_dir / Path(config.skills or "").expanduser())
            self._many = {one.name: self._read(one, config, base_dir) for one in listed}

    def _enabled(self, skill: InstalledSkill) -> Enabled:
        return Enabled(skill, (*self._others, skill))

    def _read(self, one: Listed, config: AlexaConfig, base_dir: Path) -> Enabled | Broken:
        """A skill of the list; whatever is wrong with it is told where it is tested."""
        try:
            found = installed(one.config, base_dir, one.locale or config.locale)
        except (ConfigurationError, OSError, RecursionError) as err:
            return Broken(one, str(err))
        if one.category:
            found = replace(found, manifest=replace(found.manifest, category=one.category))
        return self._enabled(found)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the skills of the list; none where there is one skill."""
        return tuple(self._many)

    @property
    def installed(self) -> Sequence[InstalledSkill]:
        """Every skill that could be read."""
        tested = [one.skill for one in self._many.values() if isinstance(one, Enabled)]
        return (*self._others, *tested, *([self._one.skill] if self._one else []))

    @property
    def broken(self) -> Sequence[Broken]:
        """Those that could not."""
        return [one for one in self._many.values() if isinstance(one, Broken)]

    def all(self) -> Sequence[Enabled]:
        """Each skill under test that can be read, with those beside it."""
        many = [one for one in self._many.values() if isinstance(one, Enabled)]
        return [self._one, *many] if self._one else many

    def of(self, case: Case) -> Enabled | Broken:
        """The skill that a case is about; raises ConfigurationError for a name of no skill."""
        if self._one is not None:
            return self._one
        name = case.params.get("app")
        found = self._many.get(name) if isinstance(name, str) else None
        if found is None:
            raise ConfigurationError(f"no skill of the list is called {name!r}")
        return found


class BrokenSession(AppSession):
    """A conversation with a skill that cannot be read: every act fails, saying why."""

    def __init__(self, broken: Broken) -> None:
        self._broken = broken

    def facts(self) -> AppFacts | None:
        listed = self._broken.listed
        return AppFacts(name=listed.name, category=listed.category)

    async def send(self, act: Act) -> Observation:
        raise self._error()

    def _error(self) -> AppError:
        return AppUnreachable(f"skill {self._broken.listed.name!r} is not tested: "
                              f"{self._broken.why}")  # fmt: skip
