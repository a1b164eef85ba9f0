"""What a declared output looks for: the form of its value and the words around it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sparring.interfaces.roles import OutputSpec
from sparring_plugins.language.text import folded, words
from sparring_plugins.language.vocabulary import concepts, name_concepts, stem, vocabulary
from sparring_plugins.language.yaml_files import bundled_yaml

ValueForm = Literal[
    "money", "date", "time", "duration", "int", "float", "bool", "email", "phone", "id", "url",
    "name", "statement",
]  # fmt: skip

_LONG = frozenset({"~duration"})


class WordLists(BaseModel):
    """Words that outputs are recognised by; concepts are as in `language.vocabulary`.

    `types` gives the form for a declared type, `form_concepts` the concepts that only name a form.
    `generic_concepts` are left out of every description, `general_concepts` single no output out
    among others. `units` are what counts are said in. `settled` are words of outputs that the
    app is to settle, `settling` the concepts of doing so. `side_words` say in an output's name or
    description that the start or the end of something is sought, `side_phrases` stand before such
    values, `replaced` before values that count no more; `proposing` are words of offers, and
    `final` words of outputs whose last value counts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    types: dict[str, ValueForm]
    form_concepts: dict[ValueForm, frozenset[str]]
    numbered_things: tuple[str, ...]
    numbered_things_spanish: tuple[str, ...]
    code_words: tuple[str, ...]
    generic_concepts: frozenset[str]
    general_concepts: frozenset[str]
    units: tuple[str, ...]
    settled: frozenset[str]
    settling: frozenset[str]
    side_words: dict[Literal["start", "end"], frozenset[str]]
    side_phrases: dict[Literal["start", "end"], tuple[str, ...]]
    replaced: tuple[str, ...]
    proposing: tuple[str, ...]
    final: frozenset[str]


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """The word lists beside this module."""
    data = bundled_yaml("sparring_plugins.users.extraction", "word_lists.yaml")
    return WordLists.model_validate(data)


@lru_cache(maxsize=1)
def _number_of() -> re.Pattern[str]:
    """The name of a number that identifies a thing."""
    lists = word_lists()
    english, spanish = "|".join(lists.numbered_things), "|".join(lists.numbered_things_spanish)
    codes = "|".join(lists.code_words)
    return re.compile(
        rf"\b(?:{english}) (?:number|{codes})\b"
        rf"|\bnumber (?:of|for) (?:the |my |your )?(?:{english})\b"
        rf"|\b(?:{codes})\b|\b[a-z]{{3,20}}nummer\b|\bnummer (?:des|der|vom|von) \w+"
        # "the number of the job", "the job number"; "the number of nights" is a count
        r"|\bnumber (?:of|for) (?:the|my|your|this) [a-z]{3,20}(?<!s)\b"
        r"|\b(?!how|any|the|its|your|their|and|large|small)[a-z]{3,20} number\b(?! of)"
        rf"|\bnumero de(?:l)? (?:la |el |su |tu |mi |l )?(?:{spanish})\b"
    )


@dataclass(frozen=True, slots=True)
class OutputForm:
    """What to look for.

    `wanted` are the concepts of name and description, `specific` those that single the output
    out among its form, `head` is what the description is first of all about, `confirmed` says
    that the app is to say back what the user chose, `final` that the last value counts.
    """

    spec: OutputSpec
    form: ValueForm
    wanted: frozenset[str]
    specific: frozenset[str]
    head: str
    confirmed: bool
    final: bool

    @property
    def words(self) -> frozenset[str]:
        """The folded words of its name and description."""
        name = self.spec.name.replace("_", " ")
        return frozenset(folded(f"{name} {self.spec.description}").split())

    @property
    def own_words(self) -> frozenset[str]:
        """The stems of its name and description without small words."""
        small = vocabulary().stop - set(folded(self.spec.name.replace("_", " ")).split())
        return frozenset(stem(word) for word in self.words if word not in small)

    @property
    def is_typed(self) -> bool:
        """Whether its values can be recognised by their type, wherever they stand."""
        return self.form not in ("statement", "bool", "name")


def output_form(spec: OutputSpec) -> OutputForm:
    """What `spec` looks for; a text output takes its form from its description."""
    return _build_form(spec.name, spec.type, spec.description)


@lru_cache(maxsize=256)
def _build_form(name: str, kind: str, description: str) -> OutputForm:
    lists = word_lists()
    spec = OutputSpec(name=name, type=kind, description=description)
    wanted = (concepts(spec.description) | name_concepts(spec.name)) - lists.generic_concepts
    form = lists.types.get(spec.type.strip().lower()) or _text_form(spec, wanted)
    if form == "time" and wanted & _LONG:
        form = "duration"
    if form in ("int", "float") and "~phone" in wanted:
        form = "phone"
    spec_words = folded(f"{spec.name.replace('_', ' ')} {spec.description}")
    return OutputForm(
        spec,
        form,
        wanted=wanted or name_concepts(spec.name),
        specific=wanted - lists.form_concepts[form],
        head=_head(spec, wanted),
        confirmed=" confirm" in f" {spec_words}",
        final=bool(lists.final.intersection(spec_words.split())),
    )


def _head(spec: OutputSpec, wanted: frozenset[str]) -> str:
    """The first concept of the description, which is its head noun in most of them."""
    for word in words(spec.description):
        common = concepts(word) & wanted
        if common:
            return min(common)
    return ""


def _text_form(spec: OutputSpec, wanted: frozenset[str]) -> ValueForm:
    """The form of a text output, if its description names one; statements are the rest."""
    if "~open" in wanted or "~type" in wanted:
        return "statement"
    if "~email" in wanted:
        return "email"
    if "~phone" in wanted:
        return "phone"
    if "~id" in wanted or _number_of().search(folded(f"{spec.name} {spec.description}")):
        return "id"
    if wanted & {"link", "url"}:
        return "url"
    if "~duration" in wanted:
        return "statement"
    if "~time" in wanted and "~appointment" in wanted:
        return "time"
    if "~date" in wanted and "~time" not in wanted and "~price" not in wanted:
        return "statement"
    return "statement"
