"""Hostile answers by number: the same number is the same answer, on every machine."""

import gzip
import json
from random import Random
from typing import Any

MARK = "sparring_was_here"
"""What every attack on a page tries to set, or to say."""

FRAGMENTS = (
    *("\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;cm0=\x07", "\x9b31m", "\x90q\x9c", "\x07", "\x08"),
    *("\x00", "\x0b\x0c", "\x7f", "\x85", "\ufffe\uffff", "\u2028\u2029", "\ufeff", "\U000e0041"),
    *("\u202e", "\u202c", "\u2066x\u2069", "\u200f\u061c", "\u200b", "e\u0301" * 30, "\U0010ffff"),
    *(
        f"<script>document.title='{MARK}'</script>",
        "</script>",
        "<!--",
        "-->",
        "]]>",
        "<![CDATA[",
    ),
    *(
        f"\"><img src=x onerror=document.title='{MARK}'>",
        "<svg onload=alert(1)>",
        "</details>",
    ),
    *("<iframe srcdoc=x>", "<style>*{display:none}</style>", "<a href=javascript:alert(1)>x</a>"),
    *("&#0;", "&lt;", "&nope;", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<?xml?>", "' onclick='alert(1)"),
    *(
        "{{7*7}}",
        "${PATH}",
        "{% raw %}",
        "{0.__class__}",
        "%s%n",
        "[bold red]x[/]",
        "`id`",
        "$(id)",
    ),
    *("=cmd|'/c calc'!A0", "+1", "-1", "@x", "\t=1", "\r\n", "\n- yaml: [", "--- !!python/name:os"),
    *(
        "../../etc/passwd",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://a.b/?q=%00",
        "C:\\x",
    ),
    *("9" * 400, "-1e999", "$1,000.00", "0.1", "NaN", "null", "None", "undefined", "12/12/2027"),
    *("Which size?", "I did not get it.", "Welcome!", "bye", "Traceback (most recent call last)"),
)


def text(number: int) -> str:
    """A text of fragments; one in fifty is of up to 100,000 characters."""
    draw = Random(number)
    said = " ".join(draw.choices(FRAGMENTS, k=draw.randint(1, 12)))
    if number % 50 == 7:
        said = (said + draw.choice(FRAGMENTS)) * draw.randint(20, 200)
    return said[:100_000]


def _deep(draw: Random) -> object:
    value: object = draw.choice(FRAGMENTS)
    for _ in range(draw.randint(1, 90)):
        value = [value] if draw.random() < 0.5 else {draw.choice(FRAGMENTS): value}
    return value


def _number(draw: Random) -> object:
    return draw.choice((10**300, 10**400, -(10**3000), 1e308, 5e-324, float("inf"), True, None))


def reply(number: int) -> dict[str, Any]:
    """An answer as data: text, buttons, and whatever an app may add."""
    draw = Random(-number)
    data: dict[str, Any] = {"reply": text(number)}
    if draw.random() < 0.3:
        fragments = draw.choices(FRAGMENTS, k=draw.randint(1, 40))
        data["buttons"] = [{"title": item, "url": item, "value": item} for item in fragments]
    if draw.random() < 0.2:
        data["data"] = _deep(draw)
    if draw.random() < 0.2:
        data["number"] = _number(draw)
    if draw.random() < 0.05:
        data["reply"] = draw.choice(([1, {"a": 2}, None], _number(draw), {"a": 1}, None, ""))
    return data


def body(number: int) -> tuple[bytes, list[tuple[str, str]]]:
    """A body of HTTP or of a message, and its headers; one in ten is broken in some way."""
    draw = Random(number * 31)
    # Python writes Infinity as no JSON has it, which is one more thing to bear.
    raw = json.dumps(reply(number), ensure_ascii=draw.random() < 0.5)
    data = raw.encode("utf-8", "surrogatepass")
    type_ = "application/json"
    match draw.randint(0, 59) if draw.random() < 0.6 else -1:
        case 0:
            data = bytes(draw.randrange(256) for _ in range(300))
        case 1:
            data = data[: len(data) // 2]
        case 2:
            type_ = (
                f"application/json; charset={draw.choice(['utf-16', 'utf-7', 'hex', 'punycode'])}"
            )
        case 3:
            data = data.decode("utf-8", "replace").encode("utf-16")
        case 4:
            data = b"[" * 100_000
        case 5:
            data = b'{"reply": "x", "data": ' + b"9" * 5_000 + b"}"
        case 6:
            data, type_ = text(number).encode("utf-8", "replace"), "text/html"
        case 7:
            return gzip.compress(data) + b"rest", [("Content-Encoding", "gzip")]
        case 8:
            return data, [("Content-Encoding", "br")]
        case 9:
            data = b'{"reply": "\\ud800 lone \\udfff"}'
        case 10:
            data = b""
        case _:
            pass
    return data, [("Content-Type", type_)]


def skill_response(number: int) -> Any:
    """What a skill returns; one in ten is no response at all."""
    draw = Random(number * 17)
    speech: dict[str, Any] = {"type": "PlainText", "text": text(number)[:8_000]}
    if draw.random() < 0.4:
        speech = {"type": "SSML", "ssml": f"<speak>{text(number)[:8_000]}</speak>"}
    card = {"type": "Simple", "title": text(number + 1)[:500], "content": text(number + 2)[:500]}
    response: dict[str, Any] = {"outputSpeech": speech, "shouldEndSession": False}
    if draw.random() < 0.3:
        response |= {"card": card, "reprompt": {"outputSpeech": speech}}
    if draw.random() < 0.1:
        response["directives"] = [{"type": draw.choice(FRAGMENTS), "data": _deep(draw)}]
    attributes = {draw.choice(FRAGMENTS): draw.choice(FRAGMENTS)}
    whole: Any = {"version": "1.0", "sessionAttributes": attributes, "response": response}
    if draw.random() < 0.1:
        whole = draw.choice(([], "x", 5, {"response": text(number)}, {"version": _deep(draw)}))
    return whole
