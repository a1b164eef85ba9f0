"""Placeholders that any request may use, and those that nothing fills."""

from collections.abc import Iterator

from sparring.documents.checking import nearest
from sparring_connectors.described.request_config import Where
from sparring_connectors.described.template import Template

ALWAYS = ("uuid", "case", "seed", "turn")
"""Placeholders that any request may use."""
SPOKEN = ("text", "label", "value", "history")
"""Placeholders that requests with something from the user may use."""


def unknown_placeholders(
    templates: Iterator[tuple[Where, str]], at: Where, known: set[str]
) -> Iterator[tuple[Where, str]]:
    """Placeholders that nothing fills, and those that a header cannot hold."""
    for where, text in templates:
        for slot in Template.of(text).slots:
            if slot.name not in known:
                yield (
                    (*at, *where),
                    f"unknown placeholder {{{slot.name}}}.{nearest(slot.name, sorted(known))} "
                    f"For the text itself, write {{{{{slot.name}}}}}.",
                )
            elif slot.name in SPOKEN and slot.how is None and where[0] in ("headers", "cookies"):
                yield (
                    (*at, *where),
                    f"{{{slot.name}}} may hold what a {where[0][:-1]} cannot; "
                    f"write {{{slot.name}|url}} or {{{slot.name}|json}}",
                )
