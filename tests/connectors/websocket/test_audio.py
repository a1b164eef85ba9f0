"""Conversations by voice: what is sent, what is heard, and what is told of the turns."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.voice_agent import MODEM, RATE, Said, VoiceAgent, tones, words

from sparring.errors import AppCrash, AppProtocolError, ConfigurationError, PluginError
from sparring.model.case import Case
from sparring.model.talk import Act, Listen, Observation, Press, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.websocket.connector import WebSocketConnector

pytestmark = pytest.mark.anyio

FAST = {**MODEM, "rate": RATE, "pace": "fast"}
DONE = {"end": {"at": "$.type", "equals": "done"}}


def shop(said: str) -> Said:
    """A flower shop that falls silent about the weather."""
    match said:
        case "order roses":
            return Said(("How many?",))
        case "weather":
            return Said()
        case "bye":
            return Said(("Goodbye.",), hangs_up=True)
        case "vases":
            return Said(crashes=True)
        case _:
            return Said((f"You said {said}.",))


async def talk(
    agent: VoiceAgent, audio: dict[str, Any], acts: Sequence[Act | str], **more: Any
) -> list[Observation]:
    settings = {"url": agent.url, "audio": audio, "over": DONE, **more}
    context = FakeContext()
    connector = context.build(WebSocketConnector, **settings)
    heard: list[Observation] = []
    async with connector.open(Case.of("by voice", {}, run_seed=1)) as session:
        for act in acts:
            heard.append(await session.send(Say(text=act) if isinstance(act, str) else act))
    return heard


def report(seen: Observation) -> dict[str, Any]:
    assert isinstance(seen.payload, dict)
    audio = seen.payload["audio"]
    assert isinstance(audio, dict)
    return audio


async def test_words_are_spoken_and_heard() -> None:
    with VoiceAgent(shop, greeting="Welcome.") as agent:
        greeting, order, other = await talk(
            agent, FAST, [Listen(), "order roses", Press(label="tulips", value="t")], starts="app"
        )
    assert agent.heard == ["order roses", "tulips"], "a choice is said aloud"
    assert [one.text for one in (greeting, order, other)] == [
        "Welcome.",
        "How many?",
        "You said tulips.",
    ]
    told = report(order)
    assert told["silent"] is False
    assert told["first_sound_s"] >= 0
    assert told["sound_s"] == pytest.approx(0.02 * len("How many?"), abs=0.03)
    assert told["said_s"] == pytest.approx(0.02 * len("order roses"), abs=0.001)
    assert "first_sound_s" in report(greeting), "nobody had spoken before it"
    assert report(greeting)["first_sound_s"] is None


@pytest.mark.parametrize(
    "settings",
    [
        {"encoding": "mulaw"},
        {"encoding": "wav"},
        {"rate": 16_000},
        {"send": {"type": "sound", "audio": "{audio}"}, "at": "$.audio"},
        {"send": {"type": "sound", "audio": "{audio}"}, "at": "$.audio", "encoding": "mulaw"},
    ],
    ids=lambda settings: " ".join(map(str, settings.values()))[:40],
)
async def test_sound_goes_over_the_wire_in_any_encoding(settings: dict[str, Any]) -> None:
    rate = settings.get("rate", RATE)
    with VoiceAgent(
        shop,
        rate=rate,
        encoding=settings.get("encoding", "pcm16"),
        as_json="send" in settings,
        speak=lambda text: tones(text, rate),
        understand=lambda sound: words(sound, rate),
    ) as agent:
        (order,) = await talk(agent, {**FAST, **settings}, ["order roses"])
    assert agent.heard == ["order roses"]
    assert order.text == "How many?"


@pytest.mark.thorough
async def test_an_answer_may_take_minutes() -> None:
    """80 seconds of sound: more bytes than an answer of text may have."""
    lecture = "a" * 4_000
    with VoiceAgent(lambda said: Said((lecture,))) as agent:
        (answer,) = await talk(agent, FAST, ["tell me all"])
        assert answer.text == lecture
        assert report(answer)["sound_s"] == pytest.approx(80, abs=0.1)
        with pytest.raises(AppProtocolError, match="larger than 1,000,000 bytes"):
            await talk(agent, FAST, ["tell me all"], max_bytes=1_000_000)


async def test_what_the_app_says_that_it_understood_is_kept_apart() -> None:
    wire = {"send": {"type": "sound", "audio": "{audio}"}, "at": "$.audio"}
    with VoiceAgent(shop, as_json=True) as agent:
        (order,) = await talk(agent, {**FAST, **wire, "understood": "$.text"}, ["order roses"])
    assert order.text == "How many?", "its transcript of the user is no answer"
    assert report(order)["understood"] == "order roses"


async def test_texts_of_messages_count_instead_if_that_is_wanted() -> None:
    wire = {"send": {"type": "sound", "audio": "{audio}"}, "at": "$.audio", "text": "messages"}
    with VoiceAgent(shop, as_json=True) as agent:
        (order,) = await talk(agent, {**FAST, **wire}, ["order roses"])
    assert order.text == "order roses"
    assert report(order)["sound_s"] > 0


async def test_silence_is_an_observation_and_no_time_out() -> None:
    with VoiceAgent(shop) as agent:
        nothing, order = await talk(
            agent, FAST, ["weather", "order roses"], over={**DONE, "silence_s": 0.5, "quiet_s": 5}
        )
    # the agent marks the end of its empty answer
    assert (nothing.text, report(nothing)["silent"]) == ("", True)
    assert order.text == "How many?"


async def test_an_agent_that_hangs_up_or_breaks() -> None:
    with VoiceAgent(shop) as agent:
        (bye,) = await talk(agent, FAST, ["bye"], over={"quiet_s": 20})
        assert (bye.text, bye.ended) == ("Goodbye.", True)
        assert report(bye)["silent"] is False
        with pytest.raises(AppCrash):
            await talk(agent, FAST, ["vases"])


async def test_a_message_that_is_no_sound_is_a_protocol_error(app: Any) -> None:
    async def odd(wire: Any) -> None:
        await wire.recv()
        await wire.send(b"odd")

    server = await app(odd)
    connector = FakeContext().build(WebSocketConnector, url=server.url, audio=FAST)
    with pytest.raises(AppProtocolError) as refused:
        async with connector.open(Case.of("odd", {}, run_seed=1)) as session:
            await session.send(Say(text="hello"))
    assert "3 bytes of sound" in str(refused.value)


async def test_endless_messages_without_a_sample_are_counted(app: Any) -> None:
    async def empty(wire: Any) -> None:
        await wire.recv()
        for _ in range(50):
            await wire.send(b"")
        while True:  # until the connector closes
            await wire.recv()

    server = await app(empty)
    connector = FakeContext().build(
        WebSocketConnector,
        url=server.url,
        audio=FAST,
        max_messages=20,
        over=DONE,
        timeout={"idle_s": 2, "close_s": 0.2},
    )
    with pytest.raises(AppProtocolError, match="more than 20 messages"):
        async with connector.open(Case.of("empty", {}, run_seed=1)) as session:
            await session.send(Say(text="hello"))


def novel(said: str) -> Said:
    """Tells a story of ten seconds; goes on if asked for a long one, whatever the user does."""
    if said.startswith("short"):
        return Said(("Once upon a time. " * 30,), is_patient=True)
    if said.startswith("long"):
        return Said(("Once upon a time. " * 30,), is_patient=False)
    return Said((f"You said {said}.",))


ASK = "stop it please, I have heard enough of this story by now, and I have to go to work"


@pytest.mark.parametrize(("story", "goes_on"), [("short", False), ("long", True)])
@pytest.mark.thorough
async def test_an_agent_is_interrupted_and_it_shows_whether_it_stops(
    story: str, goes_on: bool
) -> None:
    audio = {**FAST, "pace": "real", "barge_in": {"every": 2, "after_s": 0.2}}
    with VoiceAgent(novel, paced=True) as agent:
        _, told, answer = await talk(agent, audio, ["hello", f"{story} story", ASK])
    assert report(told)["interrupted"] is True
    assert told.text.startswith("Once upon")
    assert len(told.text) < 400, "the rest was not waited for"
    went_on = report(answer)["went_on_s"]
    assert isinstance(went_on, float)
    assert report(answer)["said_s"] == pytest.approx(0.02 * len(ASK), abs=0.01)
    if goes_on:
        assert went_on > 1
    else:
        assert answer.text == f"You said {ASK}."


async def test_an_agent_that_does_not_let_the_user_finish() -> None:
    audio = {**FAST, "pace": "real"}
    with VoiceAgent(
        lambda _: Said(("Yes yes yes yes yes. " * 4,)), hasty=True, paced=True
    ) as agent:
        (answer,) = await talk(agent, audio, [ASK])
    assert report(answer)["spoke_over_s"] > 0  # how long depends on who is given the processor
    assert answer.text.startswith("Yes")


@pytest.mark.parametrize(
    ("audio", "message"),
    [
        ({"send": {"type": "sound"}}, "the sound is nowhere in it: write {audio}"),
        ({"pace": "fast", "barge_in": {}}, "cannot be interrupted with pace: fast"),
        ({"encoding": "wav", "pace": "real"}, "a WAV file is sent at once"),
        ({"send": "{audio} {sound}"}, "sound"),
        ({"after": [{"text": "{audio}"}]}, "audio"),
        ({"speaker": "nobody"}, "nobody"),
        ({"speaker": "patterns"}, "speaker"),
    ],
)
async def test_contradictory_settings_are_refused(audio: dict[str, Any], message: str) -> None:
    with pytest.raises((ConfigurationError, PluginError)) as refused:
        FakeContext().build(WebSocketConnector, url="ws://localhost:1/", audio={**MODEM, **audio})
    assert message in str(refused.value)
