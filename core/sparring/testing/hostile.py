"""What an app under test may say and do: awkward texts, observations and traces."""

from datetime import date

from pydantic import JsonValue

from sparring.model.case import Case
from sparring.model.talk import (
    Attachment,
    Choice,
    Ended,
    GuiAction,
    Incident,
    IncidentKind,
    Observation,
    Output,
    Press,
    Trace,
)
from sparring.model.verdict import Owner
from sparring.testing.conversations import Exchange, trace_of

MARK = "<script>alert('sparring')</script>"
"""Markup that must never reach a page as it is."""

HUGE = 300_000
"""Characters of the largest text."""

TEXTS: tuple[str, ...] = (
    "",
    " \t\n",
    MARK,
    '"><img src=x onerror=alert(1)>',
    "]]></system-out><!-- &lt; &amp; %s {0} {{ jinja }} ${x}",
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m",
    "[bold red]not markup[/] [link=http://x.invalid]y[/link]",
    "\x00\x01\x08\x0b\x7f\x85\u2028\u2029\ufeff",
    "\ud800 lone \udfff surrogates",
    "\u202egnirraps\u202c \u200b\u2066zero\u2069",
    '=HYPERLINK("http://x.invalid")',
    "+1+1|cmd",
    "@SUM(A1)",
    "-2+3",
    "'; DROP TABLE runs; --",
    "../../../etc/passwd",
    "a,b;c\td\r\ne",
    "---\n- yaml: [unclosed\n...",
    '{"json": "in a text", "n": NaN}',
    "e\u0301 é 日本語 العربية 👩\u200d🚀 \U0010ffff",
    "null",
    "no",
    "word " * 2_000,
    "x" * HUGE,
)
"""Texts that break careless code; the surrogates are as a careless app would send them."""


def storable(text: str) -> str:
    """A text without lone surrogates, as a user can say it."""
    return text.encode("utf-8", "replace").decode()


def nested(depth: int = 60) -> object:
    """A payload of lists and mappings inside each other."""
    data: object = MARK
    for level in range(depth):
        data = [data] if level % 2 else {f"level {level}": data}
    return data


def observations() -> list[Observation]:
    """What an app may answer: every awkward text, odd choices, attachments and payloads."""
    odd = [
        Observation(),
        Observation(text="Choose:", choices=(Choice(label=""), Choice(label=MARK, value=MARK))),
        Observation(choices=tuple(Choice(label=f"option {n}") for n in range(500))),
        Observation(choices=(Choice(label="x", url="javascript:alert(1)"),)),
        Observation(attachments=(Attachment(media_type=MARK, url=MARK, description=MARK),)),
        Observation.model_validate({"text": "deep", "payload": nested()}),
        Observation(payload=[float("inf"), 10**400, -0.0, None, True]),
        Observation(text="bye", ended=True),
    ]
    return [Observation(text=text) for text in TEXTS] + odd


def traces() -> list[Trace]:
    """Traces that every oracle and reporter must bear, each with a case of its own."""
    greeting: list[Exchange] = [(None, "Welcome!"), ("I want a pizza", "Which size?")]
    made = [
        trace_of([], nr=0),
        trace_of(greeting, nr=1, size="big", amount=3),
        trace_of([("hi", None)], nr=2, incidents=[incident(IncidentKind.TIMEOUT, 0)]),
        trace_of([(None, None)], nr=3),
        trace_of([(Press(label=MARK), "ok"), (GuiAction(action="click", target=MARK), "ok")], nr=4),
        trace_of([("bye", Observation(text="bye", ended=True))], nr=5, ended=Ended.APP_ENDED),
        trace_of(greeting * 100, nr=6, ended=Ended.TURN_LIMIT),
        trace_of(greeting, nr=7, outputs=_outputs()),
        trace_of(greeting, nr=8, meta=_meta()),
        trace_of(greeting, case=odd_case()),
        trace_of([(storable(text), text) for text in TEXTS], nr=9),
        trace_of([("say", seen) for seen in observations()], nr=10),
    ]
    made += [
        trace_of(greeting, incidents=[incident(kind, turn)], kind=kind.value, turn=turn)
        for kind in IncidentKind
        for turn in (None, 1)
    ]
    return made


def incident(kind: IncidentKind, turn: int | None = None) -> Incident:
    """An incident with a hostile message."""
    return Incident(kind=kind, message=f"{kind}: {TEXTS[5]}{MARK}", owner=Owner.APP, turn=turn)


def odd_case() -> Case:
    """A case whose scenario and params are as awkward as an author can make them."""
    params: dict[str, JsonValue] = {
        "": "",
        "a b": None,
        MARK: MARK,
        "ünï": [1, [2, {"x": None}]],
        "../x": 1e300,
    }
    return Case.of(f"../../{MARK} = ünïcode\n", params, run_seed=0)


def _outputs() -> list[Output]:
    return [
        Output(name="price", type="money"),
        Output(name="day", type="date", value=date(2024, 2, 29), turn=1),
        Output(name=MARK, type="unheard of", value=MARK, description=MARK),
        Output(name="deep", value={"a": [1, {"b": None}]}),
    ]


def _meta() -> dict[str, JsonValue]:
    return {"profile": MARK, "language": "", "goals": [], "context": [], "conversation": []}
