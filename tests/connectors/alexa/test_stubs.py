"""A skill's own services answer from a YAML file; what that lacks is never the skill's fault."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError, EnvironmentFailure
from sparring.model.talk import Observation
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa.hosting.stubs import Stub, read_stubs

from .conftest import SKILLS, talked, texts

ANSWERS = """
- url: https://tea.example/search
  body: {name: Assam}
- url: http://tea.example:8080/plain?q=*
  method: post
  status: 201
  headers: {X-Leaf: green}
  body: a text
"""
URLLIB = """
import json, urllib.request
def get(url, data=None):
    with urllib.request.urlopen(urllib.request.Request(url, data=data)) as reply:
        return reply.status, reply.headers.get("X-Leaf"), reply.read().decode()
"""
REQUESTS = """
import requests
def get(url, data=None):
    reply = requests.post(url, data=data) if data else requests.get(url)
    return reply.status_code, reply.headers.get("X-Leaf"), reply.text
"""
HTTPX = """
import httpx
def get(url, data=None):
    return 200, None, httpx.get(url).text
"""
PYTHON = """
def lambda_handler(event, context):
    try:
        if event["request"]["type"] == "LaunchRequest":
            text = str((get("https://tea.example/search?q=a"),
                        get("http://tea.example:8080/plain?q=b", b"{}")))
        else:
            text = str(get("https://coffee.example/"))
    except Exception:
        text = "Sorry, I had trouble."
    return {"version": "1.0", "response": {"outputSpeech": {"type": "PlainText", "text": text},
                                           "shouldEndSession": False}}
"""
HTTPS = """
const get = (url, data) => new Promise((resolve, reject) => {
  const library = require(url.startsWith('https') ? 'https' : 'http');
  const request = library.request(url, { method: data ? 'POST' : 'GET' }, (reply) => {
    let text = '';
    reply.on('data', (part) => { text += part; });
    reply.on('end', () => resolve([reply.statusCode, reply.headers['x-leaf'] || null, text]));
  });
  request.on('error', reject);
  request.end(data);
});
"""
FETCH = """
const get = async (url, data) => {
  const reply = await fetch(url, data ? { method: 'POST', body: data } : {});
  return [reply.status, reply.headers.get('x-leaf'), await reply.text()];
};
"""
NODE = """
exports.handler = async (event) => {
  let text;
  try {
    text = event.request.type === 'LaunchRequest'
      ? JSON.stringify([await get('https://tea.example/search?q=a'),
                        await get('http://tea.example:8080/plain?q=b', '{}')])
      : JSON.stringify(await get('https://coffee.example/'));
  } catch (err) { text = 'Sorry, I had trouble.'; }
  return { version: '1.0', response: { outputSpeech: { type: 'PlainText', text }, shouldEndSession: false } };
};
"""
WAYS = {
    "urllib": ("lambda_function.py", URLLIB + PYTHON),
    "requests": ("lambda_function.py", REQUESTS + PYTHON),
    "https": ("index.js", HTTPS + NODE),
    "fetch": ("index.js", FETCH + NODE),
}


def skill_in(folder: Path, name: str, source: str) -> dict[str, Any]:
    model = SKILLS / "trouble_python" / "models" / "en-US.json"
    (folder / "en-US.json").write_bytes(model.read_bytes())
    (folder / name).write_text(source)
    (folder / "answers.yaml").write_text(ANSWERS)
    return {"folder": str(folder), "handler": name}


@pytest.mark.parametrize("way", WAYS)
def test_a_skill_gets_the_answers_of_the_suite(
    tmp_path: Path, way: str, request: pytest.FixtureRequest
) -> None:
    if way in {"https", "fetch"}:
        request.getfixturevalue("node")
    elif way == "requests":
        pytest.importorskip("requests")
    skill = skill_in(tmp_path, *WAYS[way])
    answers = str(tmp_path / "answers.yaml")
    heard = talked(skill, None, "say hello", network="stub", answers=answers)
    assert isinstance(heard[0], Observation), texts(heard)
    shown = heard[0].text.replace("\\", "")
    assert '{"name": "Assam"}' in shown
    assert "201" in shown
    assert "green" in shown
    assert "a text" in shown
    exchange: Any = heard[0].payload["exchanges"][0]  # type: ignore[index, call-overload]
    assert exchange["calls"] == ["GET tea.example/search?q=a", "POST tea.example/plain?q=b"]
    # the skill apologised, or said what it got; neither is judged
    assert isinstance(heard[1], EnvironmentFailure)
    assert "has nothing for GET coffee.example/: add it there" in str(heard[1])


HTTP_1_0 = """
import http.client
def get(url, data=None):
    host, _, path = url.partition("//")[2].partition("/")
    connection = http.client.HTTPSConnection(host)
    connection.putrequest("GET", "/v1/directives/" + path, skip_host=True)
    connection.endheaders()
    reply = connection.getresponse()
    return reply.status, None, reply.read().decode()
"""
HEADER_LIST = """
const get = (url) => new Promise((resolve, reject) => {
  const headers = url.includes('search') ? ['Accept', '*/*'] : [['Accept', '*/*']];
  require('https').get(url, { headers }, (reply) => {
    let text = '';
    reply.on('data', (part) => { text += part; });
    reply.on('end', () => resolve([reply.statusCode, null, text]));
  }).on('error', reject);
});
"""


def test_a_request_without_a_host_is_none_to_alexa(tmp_path: Path) -> None:
    """Answered as Alexa's service API, it got a 404, for which the skill was blamed."""
    skill = skill_in(tmp_path, "lambda_function.py", HTTP_1_0 + PYTHON)
    (tmp_path / "answers.yaml").write_text("- {url: 'https://tea.example/*', body: leaves}")
    answers = str(tmp_path / "answers.yaml")
    heard = talked(skill, None, "say hello", network="stub", answers=answers)
    assert isinstance(heard[0], Observation), texts(heard)
    assert heard[0].text.count("leaves") == 2
    assert isinstance(heard[1], EnvironmentFailure)
    assert "has nothing for GET coffee.example/v1/directives/" in str(heard[1])


@pytest.mark.usefixtures("node")
def test_headers_may_be_pairs_or_a_flat_list(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, "index.js", HEADER_LIST + NODE)
    (tmp_path / "answers.yaml").write_text("- {url: 'https://tea.example/*', body: leaves}")
    (heard,) = talked(skill, None, network="stub", answers=str(tmp_path / "answers.yaml"))
    assert isinstance(heard, Observation), texts([heard])
    assert heard.text.count("leaves") == 2


def test_a_library_that_is_not_stubbed_is_no_fault_of_the_skill(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, "lambda_function.py", HTTPX + PYTHON)
    answers = str(tmp_path / "answers.yaml")
    (heard,) = talked(skill, None, network="stub", answers=answers)
    assert isinstance(heard, EnvironmentFailure)
    assert "cannot be stubbed asks for tea.example" in str(heard)


def test_a_request_without_answer_while_loading_is_no_fault_of_the_skill(tmp_path: Path) -> None:
    source = URLLIB + "get('https://coffee.example/')\n" + PYTHON
    skill = skill_in(tmp_path, "lambda_function.py", source)
    answers = str(tmp_path / "answers.yaml")
    (heard,) = talked(skill, None, network="stub", answers=answers, isolation="none")
    assert isinstance(heard, EnvironmentFailure)
    assert "has nothing for GET coffee.example/" in str(heard)


def test_answers_are_compared_by_method_host_path_and_query() -> None:
    stub = Stub(url="https://*.example/a/*/b?q=*&r=1", method="GET")
    assert stub.answers("GET", "tea.example", "/a/x/b?q=&r=1")
    assert not stub.answers("POST", "tea.example", "/a/x/b?q=&r=1")
    assert not stub.answers("GET", "tea.invalid", "/a/x/b?q=&r=1")
    assert not stub.answers("GET", "tea.example", "/a/b?q=&r=1")
    assert not stub.answers("GET", "tea.example", "/a/x/b")
    assert Stub(url="https://tea.example").answers("PUT", "tea.example", "/?any=1")


@given(st.lists(st.text("ab/", max_size=4), min_size=2, max_size=4), st.text("ab/", max_size=4))
def test_a_star_stands_for_any_text(pieces: list[str], between: str) -> None:
    stub = Stub(url="https://tea.example/" + "*".join(pieces))
    assert stub.answers("GET", "tea.example", "/" + between.join(pieces))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("url: https://a.example", "answers.yaml:1: expected a list of answers"),
        ("- url: https://a.example\n- url: a.example", "answers.yaml:2: url: .*begins with https"),
        ("- url: https://a.example\n  state: 200", "answers.yaml:2: state: Extra inputs"),
        ('- url: https://a.example\n  headers: {A: "b\\r\\nC: d"}', "answers.yaml:2: headers.A"),
        ("- url: https://a.example\n  headers: {content-length: '5'}", "come from the body"),
        ("- url: https://a.example\n  status: 99", "answers.yaml:2: status"),
        ("- 3", "answers.yaml:1"),
    ],
)
def test_wrong_answers_are_named_with_file_and_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_stubs(path)


@pytest.mark.parametrize("settings", [{"network": "stub"}, {"answers": "answers.yaml"}])
def test_stubs_and_answers_go_together(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="go together"):
        AlexaConfig.model_validate({"skill": "tea", **settings})


def test_json_is_sent_as_such() -> None:
    stub = Stub(url="https://a.example", body=[1, {"b": None}])
    assert json.loads(stub.content()) == [1, {"b": None}]
    assert stub.all_headers() == {"Content-Type": "application/json"}
