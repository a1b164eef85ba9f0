"""Settings that are wrong are told before anything runs, with file, line, key and a way out."""

import pytest

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring.errors import ConfigurationError
from sparring_connectors.websocket.config import WebSocketConfig


def read(text: str) -> WebSocketConfig:
    return checked(WebSocketConfig, parse("app:\n" + text, "suite.yaml"), ("app",))


URL = "  url: ws://localhost:8000/chat\n"

WRONG: dict[str, tuple[str, str]] = {
    "no url": ("  starts: app\n", "suite.yaml:1: app.url: missing"),
    "an http address": (
        "  url: http://localhost:8000/chat\n",
        "suite.yaml:2: app.url: starts with http://; ws:// and wss:// are known",
    ),
    "no scheme": (
        "  url: localhost:8000/chat\n",
        "app.url: must start with ws:// or wss://; did you mean ws://localhost:8000/chat?",
    ),
    "no host": ("  url: ws:///chat\n", "app.url: names no host; write for example ws://localhost"),
    "a fragment": ("  url: ws://bot/#chat\n", "app.url: has a part after #"),
    "an unknown key": (
        URL + "  oper: {count: 1}\n",
        "suite.yaml:3: app.oper: unknown key. Did you mean 'over'?",
    ),
    "an unknown key below": (
        URL + "  over: {cuont: 1}\n",
        "app.over.cuont: unknown key. Did you mean 'count'?",
    ),
    "an unknown placeholder": (
        URL + "  body: {text: '{txt}'}\n",
        "app.body.text: unknown placeholder {txt}. Did you mean 'text'?",
    ),
    "no place for the user's words": (
        URL + "  body: {type: say}\n",
        "app.body: what the user says is nowhere in it: write {text}",
    ),
    "an empty body": (URL + "  body:\n", "app.body: is empty; write keys and values"),
    "JSON as a text": (
        URL + """  body: '{"a":{"text": "{text}"}}'\n""",
        "app.body: looks like JSON written as a text",
    ),
    "what the user says before he says it": (
        URL + "  open: {text: '{text}'}\n",
        "app.open.text: unknown placeholder {text}",
    ),
    "a session in the address that comes later": (
        "  url: ws://bot/{session}\n  reply: {session: $.id}\n",
        "app.url: unknown placeholder {session}",
    ),
    "a bad match": (
        URL + "  ignore: {at: '$.a[*'}\n",
        "app.ignore.at: '$.a[*' is not a JSONPath",
    ),
    "a match with another key": (
        URL + "  answers: {at: $.type, equal: x}\n",
        "app.answers.equal: unknown key. Did you mean 'equals'?",
    ),
    "a header of the handshake": (
        URL + "  headers: {Sec-WebSocket-Key: x}\n",
        "app.headers: sec-WebSocket-Key belongs to the handshake itself",
    ),
    "an origin among the headers": (
        URL + "  headers: {Origin: https://x.example}\n",
        "app.headers: write the origin as `origin`",
    ),
    "a header with a line break": (
        URL + '  headers: {X-Key: "a\\n"}\n',
        "app.headers.X-Key: has a line break at its end",
    ),
    "a bad subprotocol": (
        URL + "  subprotocols: ['a b']\n",
        "app.subprotocols[0]: 'a b' is not a subprotocol's name",
    ),
    "a greeting that nobody waits for": (
        URL + "  greeting: {say: /start}\n",
        "app.greeting: there is a greeting, but starts is user; write starts: app",
    ),
    "TLS without wss": (URL + "  tls: {verify: false}\n", "app.tls: has no effect"),
    "two credentials": (
        "  url: ws://u:p@bot/chat\n  headers: {Authorization: x}\n",
        "app.url: holds a user, but headers has Authorization",
    ),
    "a name that has a meaning": (
        URL + "  reply: {remember: {text: $.a}}\n",
        "app.reply.remember.text: {text} already has a meaning",
    ),
    "socket.io without an event": (
        URL + "  envelope: socket.io\n",
        "app: socket.io takes lists: [event, {key: value}]",
    ),
    "a quiet time of nothing": (
        URL + "  over: {quiet_s: 0}\n",
        "app.over.quiet_s: input should be greater than 0, found 0",
    ),
    "an answer of no message": (
        URL + "  over: {count: 0}\n",
        "app.over.count: input should be greater than or equal to 1, found 0",
    ),
    "nothing to answer back to": (
        URL + "  back: [{to: [], body: pong}]\n",
        "app.back[0].to: tuple should have at least 1 item",
    ),
}


@pytest.mark.parametrize("sort", WRONG)
def test_what_is_wrong_is_named(sort: str) -> None:
    text, message = WRONG[sort]
    with pytest.raises(ConfigurationError) as caught:
        read(text)
    assert message in str(caught.value)


def test_one_match_is_short_for_a_list_and_a_path_for_a_match() -> None:
    short = read(URL + "  ignore: $.typing\n")
    whole = read(URL + "  ignore: [{at: $.typing}]\n")
    assert short == whole


def test_one_message_is_short_for_a_list_of_them() -> None:
    assert read(URL + "  open: {a: 1}\n").open == ({"a": 1},)
    assert read(URL + "  open: [{a: 1}, hello]\n").open == ({"a": 1}, "hello")


def test_a_quiet_time_holds_where_nothing_else_ends_an_answer() -> None:
    assert read(URL).over.settles_s == 0.5
    assert read(URL + "  over: {silence_s: 3}\n").over.settles_s == 0.5
    assert read(URL + "  over: {count: 2}\n").over.settles_s is None
    assert read(URL + "  over: {count: 2, quiet_s: 1}\n").over.settles_s == 1
