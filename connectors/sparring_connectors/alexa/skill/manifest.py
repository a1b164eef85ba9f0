"""What a skill's manifest (``skill.json``) says that a test can use."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring_connectors.alexa.interaction.reading import loaded
from sparring_connectors.alexa.shapes import mapping, mappings, named, text, texts


@dataclass(frozen=True, slots=True)
class Manifest:
    """The parts of a manifest that matter to a test, in one locale.

    `permissions` are the scopes that the skill asks its user for, `source` the handler's folder
    as far as it is named, `endpoint` an HTTPS address where one is.
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


def read_manifest(path: Path, locale: str) -> Manifest:
    """Read a manifest; raises ConfigurationError where it is no JSON."""
    manifest = mapping(mapping(loaded(path)).get("manifest")) or mapping(loaded(path))
    publishing = mapping(manifest.get("publishingInformation"))
    local = _local(mapping(publishing.get("locales")), locale)
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
    )


def _local(locales: dict[str, Any], locale: str) -> dict[str, Any]:
    """What is said in the locale, or else in the first one that speaks the language."""
    near = sorted(name for name in locales if name[:2] == locale[:2])
    for name in (locale, *near, *sorted(locales)):
        if name in locales:
            return mapping(locales[name])
    return {}
