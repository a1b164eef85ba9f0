"""Profiles and rules that were proposed from something else, for a person to look at."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from sparring.model.base import Value


class ProfileDraft(Value):
    """A proposed user profile.

    `name` is that of its file without ending, `data` the profile as its file has it, in the
    current form. `notes` say what a person should look at; they stand as comments in the file.
    """

    name: str
    data: dict[str, JsonValue]
    notes: tuple[str, ...] = ()


class Drafts(Value):
    """What a source proposes.

    `suite` is a suite that plays the profiles, found in ``profiles/``; None for no proposal.
    `notes` are about all of it.
    """

    profiles: tuple[ProfileDraft, ...]
    suite: dict[str, JsonValue] | None = None
    notes: tuple[str, ...] = ()


class RuleDraft(Value):
    """A file of proposed rules.

    `name` is that of the file without ending, `about` says in a few words what its rules are about.
    `rules` are YAML documents with comments, `doubtful` how many of them are switched off until a
    person has looked at them.
    """

    name: str
    about: str
    rules: tuple[str, ...]
    doubtful: int = 0


class RuleListing(Value):
    """A rule that suites may switch on by name, from a library of rules."""

    library: str
    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = {}
    active: bool = True


@dataclass(frozen=True, slots=True)
class ProfileSource:
    """One kind of thing that profiles are proposed from, such as the files of a chatbot's tool.

    `kind` is what ``sparring profiles new --from`` names it by, `about` says in a line what the
    folder holds. `read` makes the drafts; it raises ConfigurationError where the folder is none
    of its kind, naming file and line where there are any, and never runs what it finds there.
    """

    kind: str
    about: str
    read: Callable[[Path], Drafts]
