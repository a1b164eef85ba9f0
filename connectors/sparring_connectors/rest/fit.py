"""What no single setting can tell: placeholders that nothing fills, and contradictions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sparring_connectors.described.placeholders import ALWAYS, SPOKEN, unknown_placeholders
from sparring_connectors.described.request_config import RequestParts, Where
from sparring_connectors.described.template import Template

if TYPE_CHECKING:
    from sparring_connectors.rest.config import RestConfig


class Fit:
    """Whether the settings of an app fit together."""

    def __init__(self, config: "RestConfig") -> None:
        self.config = config
        replies = [config.reply, *(request.reply for _, request in config.requests())]
        self.learnt = {name for reply in replies for name in reply.remember}
        self.session_late = config.session_from_reply()

    def problems(self) -> Iterator[tuple[Where, str]]:
        """Everything that does not fit: the path of the setting, and what to do."""
        yield from self._remembered_names()
        yield from self._placeholders()
        yield from self._first_requests()
        yield from self._contradictions()

    def _remembered_names(self) -> Iterator[tuple[Where, str]]:
        owners: list[tuple[Where, RequestParts]] = [((), self.config), *self.config.requests()]
        for at, owner in owners:
            for name in owner.reply.remember:
                where = (*at, "reply", "remember", name)
                if name in (*ALWAYS, *SPOKEN, "session"):
                    yield where, f"{{{name}}} already has a meaning; choose another name"
                elif not name.isidentifier():
                    yield where, "a name is letters, digits and underscores, so that {name} works"

    def _placeholders(self) -> Iterator[tuple[Where, str]]:
        always = {*ALWAYS, "session", *self.learnt}
        yield from unknown_placeholders(self.config.templates(), (), always | {*SPOKEN})
        for at, request in self.config.requests():
            spoken = {*SPOKEN} if at[0] in ("press", "greeting") else {"history"}
            yield from unknown_placeholders(request.templates(), at, always | spoken)

    def _first_requests(self) -> Iterator[tuple[Where, str]]:
        config = self.config
        if not self.session_late:
            return
        known_after_open = config.open is not None and config.open.reply.session is not None
        if config.open is not None:
            for at, text in config.open.templates():
                if _uses(text, "session"):
                    yield (
                        ("open", *at),
                        "{session} is not known before the session is open; {uuid} stands for "
                        "an id that is made here",
                    )
        if not known_after_open:
            for at, text in config.templates():
                if at[0] in ("url", "path") and _uses(text, "session"):
                    yield (
                        at,
                        "{session} is not known at the first message, which is the one that "
                        "brings it; take it from `open`, or write {uuid}",
                    )

    def _contradictions(self) -> Iterator[tuple[Where, str]]:
        config = self.config
        texts = [text for _, text in config.templates()]
        if not any(_uses(text, *SPOKEN) for text in texts):
            yield (
                (),
                "what the user says is nowhere in the request: write {text} in body, query or path",
            )
        greets = config.greeting or config.poll or (config.open and config.open.reply.text)
        as_text = config.open and config.open.reply.read_as == "text"
        if config.starts == "app" and not (greets or as_text):
            yield (
                ("starts",),
                "the app speaks first, but nothing says where its greeting comes from: give "
                "open.reply.text, greeting or poll",
            )
        named = {name.lower() for name in config.headers}
        if "authorization" in named and "@" in urlsplit(config.url).netloc:
            yield ("url",), "holds a user, but headers has Authorization; only one can be sent"
        if "tls" in config.model_fields_set and not config.speaks_tls():
            yield ("tls",), "is of no use: no address here starts with https://"
        if config.greeting and config.starts == "user":
            yield ("greeting",), "there is a greeting, but starts is user; write starts: app"


def _uses(text: str, *names: str) -> bool:
    return any(slot.name in names for slot in Template.of(text).slots)
