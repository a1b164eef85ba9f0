"""The oracle ``page-health``: whether the pages of a conversation broke while it went on.

Uncaught errors of scripts, answers with a server error and pages or scripts that are missing fail;
console errors, refused requests and missing pictures are notes. What third parties serve, and
known noise, does not count. It is on for test cases in plain language unless a suite names it
with ``fail_on: []``.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import PageEvent, PageEventKind
from sparring.model.talk import Act, GuiAction, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.rehearsals import without_rehearsals

Trouble = Literal[
    "page_error", "server_error", "missing", "console_error", "refused", "request_failed"
]
_KINDS = frozenset(
    {
        PageEventKind.PAGE_ERROR,
        PageEventKind.CONSOLE_ERROR,
        PageEventKind.REQUEST_FAILED,
        PageEventKind.HTTP_ERROR,
    }
)
# An image that is missing in each row is one fault.
_MOST_NOTES = 20
_ADDRESS = re.compile(r"https?://[^\s)'\"]+")


class _Known(BaseModel):
    """The content of ``page_health.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    noise: tuple[str, ...]
    refusals: frozenset[int]
    essential: frozenset[str]


_KNOWN = _Known.model_validate(bundled_yaml("sparring_plugins.web", "page_health.yaml"))


class PageHealthConfig(PluginConfig):
    """Settings of the oracle `page-health`."""

    fail_on: tuple[Trouble, ...] = Field(
        ("page_error", "server_error", "missing"),
        description="What fails; the rest is noted. `missing` is a page, script or style sheet.",
    )
    first_party: tuple[str, ...] = Field(
        (),
        description="Hosts that belong to the app besides that of its pages; `*.shop.test` for all"
        " below one.",
    )
    ignore: tuple[str, ...] = Field(
        (), description="Regular expressions of addresses and messages that do not count."
    )
    known_noise: bool = Field(
        True, description="Whether what browsers and tools are known to say does not count either."
    )

    @field_validator("ignore")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as err:
                raise ValueError(f"{pattern!r} is no regular expression: {err}") from None
        return patterns


class Finding(BaseModel):
    """One thing that went wrong on a page, in words that are equal in equal runs."""

    model_config = ConfigDict(frozen=True)

    trouble: Trouble
    words: str
    turn: int
    step: str = ""


class PageHealth(Oracle[PageHealthConfig]):
    """A verdict on the pages of a conversation, if anything went wrong on them."""

    Config = PageHealthConfig

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        findings = tuple(self.findings(trace))
        if not findings:
            return ()
        severe = [f for f in findings if f.trouble in self.config.fail_on]
        shown = list(dict.fromkeys(f"{f.words}{f.step}" for f in severe or findings))
        notes = [f"page health: {f.words}{f.step}" for f in findings if f not in severe]
        more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
        return (
            Verdict(
                oracle="page-health",
                check="pages",
                outcome=Outcome.FAIL if severe else Outcome.PASS,
                owner=Owner.APP if severe else None,
                case_ids=(trace.case.id,),
                turns=tuple(
                    TurnRef(case_id=trace.case.id, turn=f.turn) for f in (severe or findings)[:5]
                ),
                reason="; ".join(shown[:3]) + more,
                details={
                    "found": [*shown[:_MOST_NOTES]],
                    "notes": [*list(dict.fromkeys(notes))[:_MOST_NOTES]],
                },
            ),
        )

    def findings(self, trace: Trace) -> Iterator[Finding]:
        """Yield what went wrong in a conversation, in order, each once in a turn."""
        act, relevance = "", Relevance(self.config)
        for number, turn in without_rehearsals(trace.turns):
            act = after_act(turn.act) or act
            page = turn.observation.page if turn.observation is not None else None
            if page is None:
                continue
            host = _host(page.snapshot.url)
            events = (e for e in page.events if e.kind in _KINDS)
            for event in dict.fromkeys(_key(e) for e in events):
                trouble = relevance.trouble(event, host)
                # "Open '/nowhere'": the author of the test case named the address, and the step
                # itself says that it could not be done.
                is_named = event.main and event.status < 500 and act.startswith(" after open")
                if trouble is not None and not is_named:
                    yield Finding(trouble=trouble, words=_in_words(event), turn=number, step=act)


@dataclass(frozen=True)
class Relevance:
    """Decides by an oracle's settings which events count, and as what."""

    config: PageHealthConfig

    def trouble(self, event: "_Event", host: str) -> Trouble | None:
        """Return what an event on a page of `host` is, or `None` if it does not count."""
        if self._is_ignored(event.text) or self._is_ignored(event.error):
            return None
        if event.source and not self._is_first_party(_host(event.source), host):
            return None
        return _trouble(event)

    def _is_ignored(self, text: str) -> bool:
        known = _KNOWN.noise if self.config.known_noise else ()
        return bool(text) and any(
            _compile_pattern(pattern).search(text) for pattern in (*known, *self.config.ignore)
        )

    def _is_first_party(self, host: str, page_host: str) -> bool:
        if not host or not page_host or host == page_host or _site(host) == _site(page_host):
            return True
        return any(
            host == name or (name.startswith("*.") and host.endswith(name[1:]))
            for name in self.config.first_party
        )


@lru_cache(maxsize=200)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class _Event(BaseModel):
    """The parts of an event that say what went wrong, without its time."""

    model_config = ConfigDict(frozen=True)

    kind: PageEventKind
    text: str
    status: int = 0
    resource: str = ""
    main: bool = False
    error: str = ""
    source: str = ""


def _key(event: PageEvent) -> _Event:
    details = event.details
    is_request = event.kind in (PageEventKind.REQUEST_FAILED, PageEventKind.HTTP_ERROR)
    status = details.get("status")
    return _Event(
        kind=event.kind,
        text=event.text,
        status=status if isinstance(status, int) else 0,
        resource=str(details.get("resource") or ""),
        main=details.get("main") is True,
        error=str(details.get("error") or ""),
        source=event.text if is_request else str(details.get("source") or ""),
    )


def _trouble(event: _Event) -> Trouble | None:
    match event.kind:
        case PageEventKind.PAGE_ERROR:
            return "page_error"
        case PageEventKind.CONSOLE_ERROR:
            # The browser's own lines on failed requests are those requests, told once more.
            return None if event.text.startswith("Failed to load resource") else "console_error"
        case PageEventKind.HTTP_ERROR:
            if event.status >= 500:
                return "server_error"
            if event.status in _KNOWN.refusals:
                return "refused"
            return "missing" if event.resource in _KNOWN.essential else "refused"
        case _:
            return "request_failed"


def _in_words(event: _Event) -> str:
    text = " ".join(event.text.split())
    match event.kind:
        case PageEventKind.PAGE_ERROR:
            return f"an uncaught error '{without_addresses(text)[:200]}'"
        case PageEventKind.CONSOLE_ERROR:
            return f"a console error '{without_addresses(text)[:200]}'"
        case PageEventKind.HTTP_ERROR:
            return f"{event.status} for '{path_of(text)}'"
        case _:
            return f"no answer for '{path_of(text)}'"


def after_act(act: Act) -> str:
    """Return ``after`` and an act on a page in words; nothing for one that only looks at it."""
    if not isinstance(act, GuiAction) or act.action in ("wait", "screenshot"):
        return ""
    return f" after {act.action} {act.described or ''}".rstrip()


def is_refusal(status: object) -> bool:
    """Return whether an app refuses with this status what was tried: an incomplete form."""
    return isinstance(status, int) and status in _KNOWN.refusals


def without_addresses(text: str) -> str:
    """Return a message with the paths of its addresses: hosts and ports may differ in every run."""
    return _ADDRESS.sub(lambda match: path_of(match[0]), text)


def path_of(url: str) -> str:
    """Return the path of an address: hosts and ports may differ in every run."""
    try:
        return (urlsplit(url).path or "/")[:200]
    except ValueError:
        return url[:200]


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.casefold()
    except ValueError:
        return ""


def _site(host: str) -> str:
    """Return the part of a host name that an owner registers: ``api.shop.test`` is ``shop.test``.

    Addresses in numbers are sites of their own.
    """
    name = host.rsplit(":", 1)[0]
    parts = name.split(".")
    return name if parts[-1].isdigit() else ".".join(parts[-2:])


def problems(events: Iterable[PageEvent], url: str) -> tuple[str, ...]:
    """Return what went wrong on a page after an act, in words, by the default settings."""
    relevance = Relevance(PageHealthConfig.model_validate({}))
    found = dict.fromkeys(_key(event) for event in events if event.kind in _KINDS)
    words = (_in_words(event) for event in found if relevance.trouble(event, _host(url)))
    return tuple(dict.fromkeys(words))
