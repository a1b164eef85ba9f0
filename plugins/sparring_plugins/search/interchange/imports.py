"""Read models of PICT, ACTS and STELLAR as the data of a feature space's file."""

import json
import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.search.interchange.expressions import (
    ExpressionError,
    Parameter,
    conditions_of,
    plain_value,
)

_LARGEST = 5_000_000
# PICT's notation of weights: "Windows (10)".
_WEIGHT = re.compile(r"(?P<value>.*\S)\s*\((?P<weight>\d{1,6})\)")


@dataclass
class ImportedSpace:
    """The data of a feature space's file, and what of the model it has no place for."""

    data: dict[str, Any]
    notes: list[str] = field(default_factory=list[str])


def import_space(path: Path) -> ImportedSpace | None:
    """Return a foreign model as a feature space; None if a file is none.

    STELLAR's configuration is JSON with ``categorical_features`` or ``ordinal_features``. A model
    of ACTS has a section ``[Parameter]``, or is XML with ``<System>`` in a file that ends in .xml.
    One of PICT has lines ``name: value, value`` in a file that ends in .pict or .txt. Raises
    ConfigurationError for models with mistakes.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            text = file.read(_LARGEST + 1)
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be read: {err.strerror}", str(path))) from err
    reader = _Reader(path)
    if path.suffix == ".json" and re.search(r'"(?:categorical|ordinal)_features"', text):
        read = reader.stellar
    elif re.search(r"(?im)^[ \t]*\[parameter\]", text):
        read = reader.acts
    elif path.suffix == ".xml" and re.search(r"<System\b[^>]*>\s*<Parameters>", text):
        read = reader.acts_xml
    elif path.suffix == ".pict" or (path.suffix == ".txt" and _looks_like_pict(text)):
        read = reader.pict
    else:
        return None
    if len(text) > _LARGEST:
        raise ConfigurationError(
            Problem(f"is a model of more than {_LARGEST:,} characters", str(path))
        )
    return read(text)


def _looks_like_pict(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    listed = [line for line in lines if re.match(r"[\w ()/-]{1,60}:\s*[^,\n]+,", line)]
    return len(listed) >= 2 and bool(re.match(r"[\w ()/-]{1,60}:\s*[^,\n]+,", lines[0]))


def feature_name(written: str, taken: Sequence[str]) -> str:
    """Return a name for conditions: ``File system`` becomes ``file_system``."""
    name = re.sub(r"\W+", "_", written.strip()).strip("_").lower() or "feature"
    if not name.isidentifier() or keyword.iskeyword(name) or name in ("conv", "group"):
        name = f"f_{name}"
    number = 2
    base = name
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


class _Reader:
    """Reads one model; problems name its lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parameters: dict[str, Parameter] = {}
        self.features: dict[str, dict[str, Any]] = {}
        self.constraints: list[dict[str, Any] | str] = []
        self.notes: list[str] = []
        self.negative: dict[str, list[JsonValue]] = {}

    def _stop(self, message: str, line: int | None = None) -> ConfigurationError:
        return ConfigurationError(Problem(message, str(self.path), line))

    def _result(self, name: str, groups: Callable[[str], str]) -> ImportedSpace:
        if not self.features:
            raise self._stop("has no parameters")
        data: dict[str, Any] = {"name": name}
        for group in ("style", "content", "perturbation"):
            features = {n: f for n, f in self.features.items() if groups(n) == group}
            if features:
                data[group] = features
        if self.constraints:
            data["constraints"] = self.constraints
        return ImportedSpace(data, self.notes)

    # PICT

    def pict(self, text: str) -> ImportedSpace:
        """Return a model of PICT as a feature space of content."""
        statement, begun = "", 0
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("#") or not line.strip():
                continue
            begins_constraint = re.match(r"\s*(?:IF\b|\[|\(|NOT\b)", line, re.IGNORECASE)
            if statement or begins_constraint:
                begun = begun if statement else number
                statement = f"{statement} {line.strip()}"
                if statement.endswith(";"):
                    self._constrain(statement.strip("; "), begun)
                    statement = ""
            elif line.lstrip().startswith("{"):
                self.notes.append(f"line {number}: sub-models have no place in a feature space")
            else:
                self._pict_parameter(line, number)
        if statement:
            raise self._stop("the constraint does not end with `;`", begun)
        self._one_negative()
        return self._result(self.path.stem, lambda _: "content")

    def _pict_parameter(self, line: str, number: int) -> None:
        written, colon, rest = line.partition(":")
        if not colon or not rest.strip():
            raise self._stop("expected a parameter, as in `Size: small, large`", number)
        texts = [text.strip() for text in rest.split(",") if text.strip()]
        values: list[tuple[str, list[str], float]] = []
        for text in texts:
            again = re.fullmatch(r"<([^<>]+)>", text)
            if again is not None:
                values += self._values_again(again[1], number)
                continue
            weighted = _WEIGHT.fullmatch(text)
            value = weighted["value"] if weighted else text
            names = [name.strip() for name in value.split("|")]
            values.append((names[0], names, float(weighted["weight"]) if weighted else 1.0))
        self._add(written.strip(), values, number)

    def _values_again(self, written: str, number: int) -> list[tuple[str, list[str], float]]:
        known = self.parameters.get(written.strip().casefold())
        if known is None:
            raise self._stop(f"there is no parameter {written!r} above", number)
        return [(str(value), [str(value)], 1.0) for value in known.values]

    def _add(
        self, written: str, values: Sequence[tuple[str, list[str], float]], number: int | None
    ) -> None:
        """Add a parameter with its values, each with its names and its weight."""
        name = feature_name(written, list(self.features))
        plain = [value.removeprefix("~").strip() for value, _, _ in values]
        self._require_new(written, plain, number)
        numeric = all(isinstance(plain_value(value), (int, float)) for value in plain)
        typed = [plain_value(value) if numeric else value for value in plain]
        entries: list[dict[str, Any] | JsonValue] = []
        for value, (first, names, weight) in zip(typed, values, strict=True):
            entry: dict[str, Any] = {"value": value}
            entry |= {"as": names} if len(names) > 1 else {}
            entry |= {"weight": weight} if weight != 1 else {}
            entries.append(entry if len(entry) > 1 else value)
            if first.startswith("~"):
                self.negative.setdefault(name, []).append(value)
        feature: dict[str, Any] = {"values": entries}
        if numeric and typed == sorted(typed, key=lambda value: float(str(value))):
            feature["scale"] = "ordinal"
        if written != name:
            feature["about"] = written
        self.features[name] = feature
        self.parameters[written.casefold()] = Parameter(written, name, tuple(typed))

    def _require_new(self, written: str, values: Sequence[str], number: int | None) -> None:
        """Raise ConfigurationError for a parameter that is there, or has a value twice or none."""
        if written.casefold() in self.parameters:
            raise self._stop(f"the parameter {written!r} is there twice", number)
        if not values:
            raise self._stop(f"the parameter {written!r} has no values", number)
        ((value, count),) = Counter(values).most_common(1)
        if count > 1:
            raise self._stop(f"{written!r} has the value {value!r} twice", number)

    def _constrain(self, text: str, number: int | None) -> None:
        try:
            self.constraints += conditions_of(text, self.parameters)
        except ExpressionError as err:
            raise self._stop(f"`{text[:200]}`: {err}", number) from err

    def _one_negative(self) -> None:
        """Let a case have one invalid value (``~``) at most, so that none hides another."""
        names = list(self.negative)
        for place, name in enumerate(names):
            for other in names[place + 1 :]:
                both = f"{name} in {self.negative[name]!r} and {other} in {self.negative[other]!r}"
                self.constraints.append({"never": both, "about": "one invalid value at a time"})

    # ACTS

    def acts(self, text: str) -> ImportedSpace:
        """Return a model of ACTS as a feature space of content."""
        name, section = self.path.stem, ""
        for number, line in _acts_lines(text):
            if line.startswith("[") and line.endswith("]"):
                section = line.strip("[] ").lower()
            elif section == "system" and line.lower().startswith("name"):
                name = line.partition(":")[2].strip() or name
            elif section == "parameter":
                self._acts_parameter(line, number)
            elif section == "constraint":
                self._constrain(re.sub(r"^\w+:\s*(?=\()", "", line), number)
            elif section and section != "system":
                self.notes.append(f"line {number}: [{section}] has no place in a feature space")
        return self._result(name, lambda _: "content")

    def acts_xml(self, text: str) -> ImportedSpace:
        """Return a system that ACTS saved as XML as a feature space of content."""
        if "<!DOCTYPE" in text or "<!ENTITY" in text:  # entities may grow without bound
            raise self._stop("has a document type, which no file of ACTS has")
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError as err:
            raise self._stop(f"is no XML: {err}") from err
        for parameter in root.iterfind("Parameters/Parameter"):
            self._acts_xml_parameter(parameter)
        for constraint in root.iterfind("Constraints/Constraint"):
            self._constrain((constraint.get("text") or "").strip(), None)
        for part in root:
            if part.tag not in ("Parameters", "Constraints") and len(part):
                self.notes.append(f"<{part.tag}> has no place in a feature space")
        return self._result(root.get("name") or self.path.stem, lambda _: "content")

    def _acts_xml_parameter(self, parameter: ElementTree.Element) -> None:
        texts = [(value.text or "").strip() for value in parameter.iterfind("values/value")]
        values = [(value, [value], 1.0) for value in texts if value]
        if not values:
            raise self._stop(f"the parameter {parameter.get('name')!r} has no values")
        self._add((parameter.get("name") or "").strip(), values, None)

    def _acts_parameter(self, line: str, number: int) -> None:
        # the name takes its blanks along: "a" and 100,000 blanks would be tried in all their parts
        match = re.fullmatch(r"(?P<name>[^():]+)\(\w+\)\s*:(?P<values>.+)", line)
        if match is None:
            raise self._stop("expected a parameter, as in `size (enum) : small, large`", number)
        texts = [text.strip() for text in match["values"].split(",") if text.strip()]
        self._add(match["name"].strip(), [(text, [text], 1.0) for text in texts], number)

    # STELLAR

    def stellar(self, text: str) -> ImportedSpace:
        """Return a configuration of STELLAR as a feature space of style, content and the rest."""
        try:
            read: Any = json.loads(text)
        except (ValueError, RecursionError) as err:
            raise self._stop(f"is no JSON: {err}") from err
        data = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
        known: dict[str, Any] = bundled_yaml("sparring_plugins.search.interchange", "stellar.yaml")
        for kind in ("ordinal", "categorical"):
            entries: Any = data.get(f"{kind}_features") or []
            if not isinstance(entries, list):
                raise self._stop(f"`{kind}_features` is no list of features")
            for entry in cast("list[Any]", entries):
                self._stellar_feature(entry, kind, known["perturbations"])
        style = frozenset(known["style"])

        def group(name: str) -> str:
            if "perturbation" in name:
                return "perturbation"
            return "style" if name in style else "content"

        return self._result(self.path.stem, group)

    def _stellar_feature(self, written: Any, kind: str, perturbations: dict[str, str]) -> None:
        entry = cast("dict[str, Any]", written) if isinstance(written, dict) else {}
        if not isinstance(entry.get("name"), str):
            raise self._stop(f"a feature of `{kind}_features` has no `name`")
        name = feature_name(entry["name"], list(self.features))
        values = cast("list[Any]", entry.get("values"))
        if type(values) is not list or not values:
            raise self._stop(f"the feature {entry['name']!r} has no list of `values`")
        if any(isinstance(value, (list, dict)) for value in values):
            raise self._stop(f"a value of the feature {entry['name']!r} is a list or a map")
        shares = cast("list[Any]", entry.get("distribution") or [1] * len(values))
        known = type(shares) is list and all(map(_is_share, shares))
        if not known or len(shares) != len(values):
            raise self._stop(
                f"the `distribution` of {entry['name']!r} is not a number from 0 for each value"
            )
        differ = len(set(map(str, shares))) > 1
        entries = [
            self._stellar_value(name, value, share if differ else None, perturbations)
            for value, share in zip(values, shares, strict=True)
        ]
        self.features[name] = {"values": entries}
        if kind == "ordinal":
            self.features[name]["scale"] = "ordinal"

    def _stellar_value(
        self, name: str, value: Any, share: Any, perturbations: dict[str, str]
    ) -> Any:
        entry: dict[str, Any] = {"value": "none" if value is None else value}
        if share is not None:
            entry["weight"] = float(share)
        if "perturbation" in name and value is not None:
            entry |= self._applied(str(value), perturbations)
        return entry if len(entry) > 1 else entry["value"]

    def _applied(self, value: str, perturbations: dict[str, str]) -> dict[str, Any]:
        for part, use in perturbations.items():
            if part in value:
                return {"apply": {"use": use}}
        self.notes.append(f"the perturbation {value!r} is not known: add `apply` to it")
        return {}


def _is_share(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and 0 <= value < inf


def _acts_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("--"):
            yield number, stripped
