"""Settings that are wrong are told before anything runs, with file, line, key and a way out."""

import json
from typing import Any

import pytest

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring.errors import ConfigurationError
from sparring_connectors.rest.config import RestConfig


def read(text: str) -> RestConfig:
    return checked(RestConfig, parse("app:\n" + text, "suite.yaml"), ("app",))


URL = "  url: http://localhost:8000/chat\n"
HTTPS = URL.replace("http:", "https:")

WRONG: dict[str, tuple[str, str]] = {
    "no url": ("  method: POST\n", "suite.yaml:1: app.url: missing"),
    "no scheme": (
        "  url: localhost:8000/chat\n",
        (
            "suite.yaml:2: app.url: must start with http:// or https://; "
            "did you mean http://localhost:8000/chat?"
        ),
    ),
    "another scheme": ("  url: ftp://bot/chat\n", "app.url: starts with ftp://; http:// and"),
    "no host": ("  url: http:///chat\n", "app.url: names no host; write for example"),
    "a port out of range": ("  url: http://bot:99999/\n", "app.url: is not an address: Port out"),
    "a port that is none": ("  url: http://bot:chat/\n", "app.url: is not an address: Port could"),
    "a placeholder for a host": ("  url: http://{host}/\n", "app.url: names no valid host"),
    "a blank in an address": ("  url: 'http://bot/a b'\n", "app.url: has a blank"),
    "a line feed in an address": (
        '  url: "http://bot/a\\nb"\n',
        "app.url: has a blank or a control",
    ),
    "a fragment": ("  url: http://bot/#chat\n", "app.url: has a part after #"),
    "brackets": ("  url: 'http://[bot/'\n", "app.url: is not an address"),
    "an unknown key": (
        URL + "  bdoy: {t: x}\n",
        "suite.yaml:3: app.bdoy: unknown key. Did you mean 'body'?",
    ),
    "an unknown key below": (
        URL + "  reply:\n    texts: $.a\n",
        "suite.yaml:4: app.reply.texts: unknown key. Did you mean 'text'?",
    ),
    "an unknown preset": (
        URL + "  preset: rassa\n",
        "suite.yaml:3: app.preset: unknown preset 'rassa'. Did you mean 'rasa'?",
    ),
    "an unknown method": (
        URL + "  method: FETCH\n",
        "app.method: input should be 'GET', 'POST', 'PUT', 'PATCH' or 'DELETE', found 'FETCH'",
    ),
    "a bad path": (
        URL + "  reply:\n    text: $.messages[*\n",
        "suite.yaml:4: app.reply.text: '$.messages[*' is not a JSONPath (",
    ),
    "a bad path in a list": (
        URL + "  reply:\n    choices:\n      - $.a\n      - {at: $.b, label: '$..'}\n",
        "suite.yaml:6: app.reply.choices[1].label: '$..' is not a JSONPath",
    ),
    "a bad path that is remembered": (
        URL + "  reply: {remember: {token: 'a b'}}\n",
        "app.reply.remember.token: 'a b' is not a JSONPath",
    ),
    "an unknown placeholder": (
        URL + "  body:\n    q:\n      - '{text}'\n      - x {sesion}\n",
        "suite.yaml:6: app.body.q[1]: unknown placeholder {sesion}. Did you mean 'session'?",
    ),
    "an unknown placeholder in a header": (
        URL + "  headers: {X-A: '{user}'}\n",
        "app.headers.X-A: unknown placeholder {user}. Known: case, history, label,",
    ),
    "a placeholder that has no effect there": (
        URL + "  open: {path: '/open/{text}'}\n",
        "app.open.path: unknown placeholder {text}.",
    ),
    "an unknown encoding": (
        URL + "  body: {q: '{text|jsn}'}\n",
        "app.body: unknown encoding in '{text|jsn}'. Did you mean 'json'? Known: json, url, xml.",
    ),
    "the text nowhere": (
        URL + "  body: {q: hello}\n",
        "app: what the user says is nowhere in the request",
    ),
    "the text nowhere in a GET": (URL + "  method: get\n", "what the user says is nowhere"),
    "a header with a line feed": (
        URL + '  headers: {X-Key: "s3cret\\n"}\n',
        "app.headers.X-Key: has a line break at its end; a header is one line",
    ),
    "a header with two lines": (
        URL + '  headers: {X-Key: "a\\r\\nX-Evil: b"}\n',
        "app.headers.X-Key: has a line break inside",
    ),
    "a header's name": (URL + "  headers: {'X Key': a}\n", "'X Key' is not a header's name"),
    "a header beyond ASCII": (
        URL + "  headers: {X-A: Köln}\n",
        "app.headers.X-A: has a character that",
    ),
    "what the user says in a header": (
        URL + "  headers: {X-A: '{text}'}\n",
        "app.headers.X-A: {text} may hold what a header cannot; write {text|url} or {text|json}",
    ),
    "a length of one's own": (
        URL + "  headers: {content-length: 3}\n",
        "app.headers: content-length is computed; leave it out",
    ),
    "cookies as a header": (
        URL + "  headers: {Cookie: a=b}\n",
        "app.headers: cookie would hide the cookies that the app sets; write them under cookies",
    ),
    "tls without https": (URL + "  tls: {verify: false}\n", "app.tls: has no effect: no address"),
    "a cookie with a semicolon": (URL + "  cookies: {a: 'b; c'}\n", "app.cookies.a: has a ; or ,"),
    "a GET with a body": (
        URL + "  method: GET\n  body: {q: '{text}'}\n",
        "app: a GET request has no body; write query",
    ),
    "a nested form": (
        URL + "  body: {q: {a: '{text}'}}\n  body_as: form\n",
        "app: body_as: form needs keys with plain values",
    ),
    "a text that is a map": (
        URL + "  body: {q: '{text}'}\n  body_as: text\n",
        "body_as: text needs a body that is a text",
    ),
    "JSON as a text": (
        URL + '  body: \'{"q": "{text}"}\'\n',
        "looks like JSON written as a text, which a quote in the user's words would break",
    ),
    "a format without a body": (
        URL + "  open: {body_as: form}\n",
        "suite.yaml:3: app.open: body_as: form needs a body",
    ),
    "both path and url": (
        URL + "  close: {url: 'http://bot/x', path: /y}\n",
        "suite.yaml:3: app.close: give either url or path, not both",
    ),
    "a path that is an address": (URL + "  path: http://bot/x\n", "app.path: is a whole address"),
    "paths into a plain text": (
        URL + "  reply: {read_as: text, text: $.a}\n",
        "app.reply: read_as: text takes the whole reply as the text, so there is no 'text'",
    ),
    "a session id in a plain text": (
        URL + "  reply: {read_as: text, session: $.a}\n",
        "there is no 'session' to find in it",
    ),
    "a greeting from nowhere": (
        URL + "  starts: app\n",
        "suite.yaml:3: app.starts: the app speaks first, but nothing says where",
    ),
    "a greeting that nobody hears": (
        URL + "  greeting: {say: /start}\n",
        "app.greeting: there is a greeting, but starts is user",
    ),
    "a session id before there is one": (
        URL + "  open:\n    path: '/open/{session}'\n    reply: {session: $.id}\n",
        "suite.yaml:4: app.open.path: {session} is not known before the session is open; {uuid}",
    ),
    "an address with a session id that is yet to come": (
        URL + "  path: '/{session}'\n  reply: {session: $.id}\n",
        "app.path: {session} is not known at the first message",
    ),
    "a name that is taken": (
        URL + "  reply: {remember: {text: $.a}}\n",
        "app.reply.remember.text: {text} already has a meaning",
    ),
    "a name that is none": (
        URL + "  reply: {remember: {a-b: $.a}}\n",
        "app.reply.remember.a-b: a name is letters",
    ),
    "a status that is no failure": (
        URL + "  retry: {on: [200]}\n",
        "app.retry: on: 200 is not the status of a failure",
    ),
    "no attempt": (
        URL + "  retry: {attempts: 0}\n",
        "app.retry.attempts: input should be greater than or equal to 1, found 0",
    ),
    "no time": (
        URL + "  timeout: {turn_s: 0}\n",
        "app.timeout.turn_s: input should be greater than 0",
    ),
    "trust in everything and in one": (
        HTTPS + "  tls: {verify: false, ca_file: ca.pem}\n",
        "app.tls: ca_file says what to trust, but verify: false trusts everything",
    ),
    "a key without a certificate": (
        HTTPS + "  tls: {key_file: k.pem}\n",
        "app.tls: key_file needs cert_file",
    ),
    "two ways to log in": (
        "  url: http://me:pw@bot/\n  headers: {authorization: Bearer x}\n",
        "suite.yaml:2: app.url: holds a user, but headers has Authorization",
    ),
    "a list for a map": (
        URL + "  headers: [a]\n",
        "app.headers: expected a mapping",
    ),
    "a text for a request": (
        URL + "  open: /new\n",
        "app.open: expected a mapping",
    ),
    "nothing at all": ("  url:\n", "app.url: input should be a valid string, found None"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_settings_are_told_with_place_and_way_out(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(text)
    assert message in str(caught.value)


def test_no_message_about_settings_quotes_a_secret() -> None:
    text = (
        "  url: 'http://me:hunter2@bot:chat/?key=hunter2'\n"
        '  headers: {Authorization: "Bearer hunter2\\n"}\n'
        "  cookies: {sid: 'hunter2;'}\n"
    )
    with pytest.raises(ConfigurationError) as caught:
        read(text)
    assert len(caught.value.problems) == 3
    assert "hunter2" not in str(caught.value)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(URL + "  starts: app\n  body: {q: '{txt}'}\n  headers: {X-A: '{user}'}\n")
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4, 5]


def test_braces_that_name_nothing_mean_themselves() -> None:
    query = "mutation { say(text: $t) { reply } } {{text}} {}"
    config = read(URL + f"  body: {{query: '{query}', variables: {{t: '{{text}}'}}}}\n")
    assert config.body == {"query": query, "variables": {"t": "{text}"}}


def test_every_setting_has_a_description() -> None:
    schema = RestConfig.model_json_schema()
    assert json.dumps(schema)
    for model in (schema, *schema["$defs"].values()):
        for name, setting in model.get("properties", {}).items():
            referred = schema["$defs"].get(setting.get("$ref", "").rpartition("/")[2], {})
            described = setting.get("description") or referred.get("description")
            assert described, f"{model['title']}.{name}"


def test_editors_are_told_of_the_short_forms() -> None:
    schema = RestConfig.model_json_schema()
    reply = schema["$defs"]["ReplyConfig"]["properties"]
    for key in ("text", "choices", "links", "images", "attachments", "ended", "session"):
        assert {"type": "string"} in reply[key]["anyOf"], key
    values = schema["properties"]["headers"]["additionalProperties"]["anyOf"]
    assert {"type": "integer"} in values


def preset(name: str, **more: Any) -> RestConfig:
    return RestConfig.model_validate({"preset": name, "url": "http://bot:5005", **more})


def test_a_preset_fills_in_what_is_not_given() -> None:
    config = preset("rasa", body={"text": "{text}"}, reply={"payload": None, "images": "$.pic"})
    assert config.path == "/webhooks/rest/webhook"
    assert config.body == {"text": "{text}"}, "a body is data: one that is given replaces all of it"
    assert config.reply.text == ("$[*].text",)
    assert config.reply.images == ("$.pic",)
    assert config.reply.payload is None


def test_null_takes_a_setting_of_a_preset_away() -> None:
    config = preset("taskyto", open=None, body={"message": "{text}"})
    assert config.open is None


@pytest.mark.parametrize("end", ["", "/", "/webhooks/rest/webhook", "/webhooks/rest/webhook/"])
def test_an_address_may_hold_the_presets_path_already(end: str) -> None:
    config = preset("rasa", url="https://bot.example/v1" + end)
    assert config.url.rstrip("/") == "https://bot.example/v1"
