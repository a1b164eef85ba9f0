"""What a declared output looks for: the form of its value and the words around it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sparring.interfaces.roles import OutputSpec
from sparring_plugins.language.stems import concepts, name_concepts
from sparring_plugins.language.text import folded, words

Form = Literal[
    "money", "date", "time", "duration", "int", "float", "bool", "email", "phone", "id", "url",
    "name", "statement",
]  # fmt: skip

_TYPES: dict[str, Form] = {
    "money": "money", "price": "money", "currency": "money",
    "date": "date", "datetime": "date",
    "time": "time", "hour": "time", "duration": "duration",
    "int": "int", "integer": "int", "float": "float", "number": "float", "decimal": "float",
    "bool": "bool", "boolean": "bool",
    "email": "email", "e-mail": "email", "mail": "email",
    "phone": "phone", "telefono": "phone", "teléfono": "phone", "telephone": "phone",
    "url": "url", "link": "url", "id": "id", "identifier": "id",
}  # fmt: skip

_FORM_CONCEPTS: dict[Form, frozenset[str]] = {
    "money": frozenset({"~price"}),
    "date": frozenset({"~date"}),
    "time": frozenset({"~time", "~duration"}),
    "duration": frozenset({"~time", "~duration"}),
    "int": frozenset({"~number"}),
    "float": frozenset({"~number"}),
    "bool": frozenset({"true", "fals", "whether"}),
    "email": frozenset({"~email"}),
    "phone": frozenset({"~phone", "~number"}),
    "id": frozenset({"~id", "~number"}),
    "url": frozenset({"link", "url", "web", "websit"}),
    "name": frozenset({"~name"}),
    "statement": frozenset(),
}
_NUMBER_OF = re.compile(
    r"\b(?:order|booking|reservation|ticket|case|confirmation|tracking|appointment|account|customer"
    r"|policy|invoice|claim|request) number\b"
    r"|\bnumero de (?:la |el |su |tu |mi )?(?:pedido|cita|reserva|ticket|caso|expediente|factura"
    r"|seguimiento|solicitud|billete)\b"
)
_LONG = frozenset({"~duration"})
_GENERIC = frozenset(
    {"confirm", "result", "valu", "text", "string", "info", "inform", "summary", "oper", "two"}
)


@dataclass(frozen=True, slots=True)
class Sought:
    """What to look for.

    `wanted` are the concepts of name and description, `specific` those that single the output
    out among its form, `head` is what the description is first of all about, `confirmed` says
    that the app is to say back what the user chose, `final` that the last value counts.
    """

    spec: OutputSpec
    form: Form
    wanted: frozenset[str]
    specific: frozenset[str]
    head: str
    confirmed: bool
    final: bool


def sought(spec: OutputSpec) -> Sought:
    """What `spec` looks for; a text output takes its form from its description."""
    return _sought(spec.name, spec.type, spec.description)


@lru_cache(maxsize=256)
def _sought(name: str, kind: str, description: str) -> Sought:
    spec = OutputSpec(name=name, type=kind, description=description)
    wanted = (concepts(spec.description) | name_concepts(spec.name)) - _GENERIC
    form = _TYPES.get(spec.type.strip().lower()) or _text_form(spec, wanted)
    if form == "time" and wanted & _LONG:
        form = "duration"
    if form in ("int", "float") and "~phone" in wanted:
        form = "phone"
    told = folded(f"{spec.name.replace('_', ' ')} {spec.description}")
    return Sought(
        spec,
        form,
        wanted=wanted or name_concepts(spec.name),
        specific=wanted - _FORM_CONCEPTS[form],
        head=_head(spec, wanted),
        confirmed=" confirm" in f" {told}",
        final=any(word in told.split() for word in ("final", "total", "last", "order", "pedido")),
    )


def _head(spec: OutputSpec, wanted: frozenset[str]) -> str:
    """The first concept of the description, which is its head noun in most of them."""
    for word in words(spec.description):
        found = concepts(word) & wanted
        if found:
            return min(found)
    return ""


def _text_form(spec: OutputSpec, wanted: frozenset[str]) -> Form:
    """The form of a text output, where its description names one; statements are the rest."""
    if "~open" in wanted or "~type" in wanted:
        return "statement"
    if "~email" in wanted:
        return "email"
    if "~phone" in wanted:
        return "phone"
    if "~id" in wanted or _NUMBER_OF.search(folded(f"{spec.name} {spec.description}")):
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
