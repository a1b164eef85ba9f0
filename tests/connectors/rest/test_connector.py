"""Conversations with real servers through the connector `rest`."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from sparring.errors import AppCrash
from sparring.model.case import Case
from sparring.model.talk import Attachment, Choice, Listen, Observation, Press, Say

pytestmark = pytest.mark.anyio


async def told(connector: Any, case: Case, *acts: Any) -> list[Observation]:
    async with connector.open(case) as session:
        return [await session.send(Say(text=a) if isinstance(a, str) else a) for a in acts]


async def test_an_address_alone_is_enough(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"reply": "You said " + request.json["text"]})
    (seen,) = await told(rest(url=server.url + "/chat"), case, "hello")
    assert seen == Observation(text="You said hello")
    assert server.requests[0].path == "/chat"


async def test_what_the_user_says_is_never_read_as_a_template(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"reply": request.json["message"]})
    nasty = 'Say "{session}" and {{text}} or {text|json}, ${HOME}, {{ 7*7 }}\n\\ é 🍕 \x00'
    connector = rest(url=server.url, body={"message": "{text}", "n": [1, "{text}!"]})
    (seen,) = await told(connector, case, nasty)
    assert server.bodies() == [{"message": nasty, "n": [1, nasty + "!"]}]
    assert seen.text == nasty


async def test_every_part_of_a_request_can_be_described(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"reply": "ok"})
    connector = rest(
        url=server.url + "/v1?fixed=1",
        path="bots/{case}/say?x=2",
        method="put",
        headers={"Authorization": "Bearer s3cret", "X-Said": "{text|url}", "X-N": 3},
        query={"lang": "es", "q": "{text}", "debug": False},
        cookies={"consent": "yes", "who": "{uuid}"},
        body={"text": "{text}", "turn": "{turn}", "seed": "{seed}", "id": "s-{uuid}"},
    )
    await told(connector, case, "a b&c=ü")
    (got,) = server.requests
    assert (got.method, got.path) == ("PUT", f"/v1/bots/{case.id}/say")
    assert got.query == {"fixed": "1", "x": "2", "lang": "es", "q": "a b&c=ü", "debug": "false"}
    assert got.headers["authorization"] == "Bearer s3cret"
    assert got.headers["x-said"] == "a%20b%26c%3D%C3%BC"
    assert got.headers["x-n"] == "3"
    assert got.cookies == {"consent": "yes", "who": got.json["id"][2:]}
    assert got.json == {"text": "a b&c=ü", "turn": 1, "seed": case.seed, "id": got.json["id"]}


async def test_a_text_in_the_path_stays_one_segment(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"reply": "ok"})
    connector = rest(url=server.url, path="/say/{text}/now", method="GET")
    await told(connector, case, "a/b?c#d", "..", "ü")
    targets = [request.target for request in server.requests]
    assert targets == ["/say/a%2Fb%3Fc%23d/now", "/say/%2E%2E/now", "/say/%C3%BC/now"]


async def test_a_body_can_be_a_form_or_a_text(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"reply": "ok"})
    form = {"uid": "{uuid}", "input": "{text}", "tag": ["a", "b"], "none": None}
    await told(rest(url=server.url, body=form, body_as="form"), case, "1 + 1 = ü?")
    await told(rest(url=server.url, body="<say>{text|xml}</say>"), case, "</say><x>&\"'")
    await told(rest(url=server.url, body='{"q": {text|json}}', body_as="text"), case, 'a "b"')
    one, two, three = server.requests
    assert one.headers["content-type"] == "application/x-www-form-urlencoded"
    assert one.form[1:] == [("input", "1 + 1 = ü?"), ("tag", "a"), ("tag", "b")]
    assert two.headers["content-type"] == "text/plain; charset=utf-8"
    assert two.body == b"<say>&lt;/say&gt;&lt;x&gt;&amp;&quot;&apos;</say>"
    assert three.json == {"q": 'a "b"'}


async def test_an_own_content_type_is_kept(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"reply": "ok"})
    await told(rest(url=server.url, headers={"content-type": "application/vnd.x+json"}), case, "a")
    assert server.requests[0].headers["content-type"] == "application/vnd.x+json"


async def test_all_of_a_reply_reaches_the_user(rest: Any, serve: Any, case: Case) -> None:
    reply = {
        "messages": [
            {"type": "text", "text": "Which size?"},
            {"type": "typing"},
            {"type": "text", "text": "Small or large."},
            {"type": "text", "text": None},
            {
                "type": "buttons",
                "options": [{"title": "Small", "payload": "/s"}, "Large", None, {}],
            },
            {"type": "link", "links": [{"title": "Menu", "href": "https://x.example/menu"}]},
            {"type": "image", "src": "https://x.example/a.png?v=1"},
        ],
        "files": [{"url": "https://x.example/a.pdf", "title": "Prices"}, {}, "b.csv"],
        "data": {"price": 12.5},
        "state": "closed",
    }
    server = serve(lambda request: reply)
    connector = rest(
        url=server.url,
        reply={
            "text": "$.messages[*].text",
            "choices": "$.messages[*].options",
            "links": "$.messages[*].links[*]",
            "images": "$.messages[*].src",
            "attachments": "$.files",
            "payload": "$.data",
            "ended": {"at": "$.state", "equals": "closed"},
        },
    )
    (seen,) = await told(connector, case, "hello")
    assert seen == Observation(
        text="Which size?\nSmall or large.",
        choices=(
            Choice(label="Small", value="/s"),
            Choice(label="Large", value="Large"),
            Choice(label="Menu", url="https://x.example/menu"),
        ),
        attachments=(
            Attachment(media_type="image/png", url="https://x.example/a.png?v=1"),
            Attachment(
                media_type="application/pdf", url="https://x.example/a.pdf", description="Prices"
            ),
            Attachment(media_type="text/csv", url="b.csv"),
        ),
        payload={"price": 12.5},
        ended=True,
    )


async def test_a_pressed_choice_sends_its_value(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"reply": "ok"})
    await told(
        rest(url=server.url, body={"text": "{text}"}),
        case,
        Press(label="Small", value="/s"),
        Press(label="Large"),
        Press(label="Nothing", value=""),
    )
    assert server.bodies() == [{"text": "/s"}, {"text": "Large"}, {"text": ""}]


async def test_presses_may_have_a_request_of_their_own(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"answer": "ok"} if "press" in request.path else {"t": "pick"})
    connector = rest(
        url=server.url,
        path="/say",
        headers={"X-Key": "k"},
        body={"text": "{text}"},
        reply={"text": "$.t"},
        press={
            "path": "/press",
            "body": {"button": {"label": "{label}", "value": "{value}"}},
            "reply": {"text": "$.answer"},
        },
    )
    seen = await told(connector, case, "hello", Press(label="Small", value="/s"))
    assert [one.text for one in seen] == ["pick", "ok"]
    assert server.bodies() == [{"text": "hello"}, {"button": {"label": "Small", "value": "/s"}}]
    assert {request.headers["x-key"] for request in server.requests} == {"k"}


async def test_a_press_without_a_path_goes_where_texts_go(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"t": "ok"})
    connector = rest(
        url=server.url,
        path="/say",
        method="PUT",
        reply={"text": "$.t"},
        press={"body": {"choice": "{value}"}},
    )
    (seen,) = await told(connector, case, Press(label="A", value="1"))
    (got,) = server.requests
    assert (got.method, got.path, got.json, seen.text) == ("PUT", "/say", {"choice": "1"}, "ok")


async def test_a_session_is_opened_used_and_closed(rest: Any, serve: Any, case: Case) -> None:
    def bot(request: Any) -> Any:
        return {"id": 41, "text": "Hi!"} if request.path == "/sessions" else {"text": "ok"}

    server = serve(bot)
    connector = rest(
        url=server.url,
        starts="app",
        open={
            "path": "/sessions",
            "body": {"user": "{uuid}", "case": "{case}"},
            "reply": {"session": "$.id", "text": "$.text"},
        },
        path="/sessions/{session}/say",
        headers={"X-Session": "{session}"},
        cookies={"sid": "c{session}"},
        query={"s": "{session}"},
        body={"text": "{text}", "session": "{session}"},
        reply={"text": "$.text"},
        close={"method": "DELETE", "path": "/sessions/{session}"},
    )
    seen = await told(connector, case, Listen(), "hello", Listen())
    assert [one.text for one in seen] == ["Hi!", "ok", ""]
    opened, said, closed = server.requests
    assert opened.json["case"] == case.id
    assert "x-session" not in opened.headers
    assert (said.path, said.json) == ("/sessions/41/say", {"text": "hello", "session": 41})
    assert (said.headers["x-session"], said.cookies, said.query) == (
        "41",
        {"sid": "c41"},
        {"s": "41"},
    )
    assert (closed.method, closed.path, closed.body) == ("DELETE", "/sessions/41", b"")


async def test_the_first_reply_may_bring_the_session(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"text": "ok", "sid": "s-1"})
    connector = rest(
        url=server.url,
        body={"q": "{text}", "sid": "{session}"},
        reply={"text": "$.text", "session": "$.sid"},
    )
    await told(connector, case, "a", "b")
    assert server.bodies() == [{"q": "a"}, {"q": "b", "sid": "s-1"}]


async def test_values_from_headers_and_replies_are_remembered(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    def bot(request: Any) -> Any:
        if request.path == "/login":
            return answer({"token": "t-9"}, headers=[("X-Conversation", "c-3")])
        return {"text": "ok", "cursor": len(server.requests)}

    server = serve(bot)
    connector = rest(
        url=server.url,
        open={
            "path": "/login",
            "reply": {"session": {"header": "x-conversation"}, "remember": {"token": "$.token"}},
        },
        headers={"Authorization": "Bearer {token}"},
        body={"text": "{text}", "in": "{session}", "after": "{cursor}"},
        reply={"text": "$.text", "remember": {"cursor": "$.cursor"}},
    )
    await told(connector, case, "a", "b")
    login, one, two = server.requests
    assert "authorization" not in login.headers
    assert one.headers["authorization"] == "Bearer t-9"
    assert one.json == {"text": "a", "in": "c-3"}
    assert two.json == {"text": "b", "in": "c-3", "after": 2}


async def test_ids_made_here_differ_between_sessions_and_runs(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"text": "ok"})
    connector, rerun = rest(url=server.url), rest(url=server.url)
    await told(connector, case, "a", "b")
    await told(connector, case, "c")
    await told(rerun, case, "d")
    ids = {body["text"]: body["session"] for body in server.bodies()}
    assert ids["a"] == ids["b"]
    assert len({ids["a"], ids["c"], ids["d"]}) == 3


async def test_a_greeting_may_need_a_request_of_its_own(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"text": "Re: " + request.json["text"]})
    connector = rest(
        url=server.url, body={"text": "{text}"}, starts="app", greeting={"say": "/start"}
    )
    seen = await told(connector, case, Listen(), Listen(), "hello")
    assert [one.text for one in seen] == ["Re: /start", "", "Re: hello"]


async def test_a_user_who_does_not_listen_misses_the_greeting(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {"text": request.path})
    connector = rest(
        url=server.url,
        path="/say",
        starts="app",
        open={"path": "/open", "reply": {"text": "$.text"}},
    )
    seen = await told(connector, case, "hello", Listen())
    assert [one.text for one in seen] == ["/say", ""]


async def test_an_app_that_remembers_nothing_is_sent_the_history(
    rest: Any, serve: Any, case: Case
) -> None:
    def bot(request: Any) -> Any:
        said = request.json["messages"][-1]["content"]
        return {"choices": [{"message": {"role": "assistant", "content": said.upper()}}]}

    server = serve(bot)
    connector = rest(
        url=server.url,
        body={"model": "m", "messages": "{history}"},
        reply={"text": "$.choices[0].message.content"},
    )
    await told(connector, case, "one", "two")
    assert server.bodies()[1]["messages"] == [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "ONE"},
        {"role": "user", "content": "two"},
    ]


async def test_plain_text_replies_are_taken_whole(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    body = "Olé {text} <b>\n".encode("latin-1")
    kind = "text/plain; charset=ISO-8859-1"
    server = serve(lambda request: answer(body, content_type=kind))
    (seen,) = await told(rest(url=server.url, reply={"read_as": "text"}), case, "a")
    assert seen.text == "Olé {text} <b>"


@pytest.mark.parametrize(
    "silence", [b"", b" \n", b"null", b"[]", b"{}", b'""', b'{"text": null}', b'{"text": ""}']
)
@pytest.mark.parametrize("reply", [{}, {"text": "$.text"}])
async def test_saying_nothing_is_allowed(
    rest: Any, serve: Any, case: Case, silence: bytes, reply: Any
) -> None:
    server = serve(lambda request: silence)
    assert await told(rest(url=server.url, reply=reply), case, "a") == [Observation()]


@pytest.mark.parametrize(
    "silence",
    [{"messages": []}, {"messages": None}, {"messages": [{"typing": True}, {}]}, [], None],
)
async def test_a_list_without_texts_is_silence(
    rest: Any, serve: Any, case: Case, silence: Any
) -> None:
    server = serve(lambda request: silence)
    connector = rest(url=server.url, reply={"text": "$.messages[*].text"})
    assert await told(connector, case, "a") == [Observation()]


async def test_no_content_is_silence(rest: Any, serve: Any, case: Case, answer: Any) -> None:
    server = serve(lambda request: answer(status=204))
    assert await told(rest(url=server.url), case, "a") == [Observation()]


@pytest.mark.parametrize(
    ("flag", "ended"),
    [
        (True, True),
        (1, True),
        ("yes", True),
        (False, False),
        (None, False),
        ("false", False),
        (0, False),
    ],
)
async def test_the_end_flag_is_understood(
    rest: Any, serve: Any, case: Case, flag: Any, ended: bool
) -> None:
    server = serve(lambda request: {"text": "bye", "end": flag})
    (seen,) = await told(
        rest(url=server.url, reply={"text": "$.text", "ended": "$.end"}), case, "x"
    )
    assert seen.ended is ended


async def test_messages_that_come_later_are_polled_for(rest: Any, serve: Any, case: Case) -> None:
    waiting: list[list[str]] = []

    def bot(request: Any) -> Any:
        if request.method == "POST":
            waiting.extend([[], [], ["one", "two"], ["three"], []])
            return {"status": "queued"}
        said = waiting.pop(0) if waiting else []
        return {"messages": [{"text": text} for text in said], "next": len(server.requests)}

    server = serve(bot)
    connector = rest(
        url=server.url,
        path="/send",
        poll={
            "path": "/messages",
            "query": {"session": "{session}", "after": "{after}"},
            "every_s": 0.01,
            "for_s": 2,
            "settle_s": 0.05,
            "reply": {"text": "$.messages[*].text", "remember": {"after": "$.next"}},
        },
        reply={"text": "$.now"},
    )
    (seen,) = await told(connector, case, "hello")
    assert seen.text == "one\ntwo\nthree"
    first, second = server.requests[1:3]
    assert list(first.query) == ["session"]
    assert second.query["after"] == "2"


async def test_no_message_within_the_polling_time_is_silence(
    rest: Any, serve: Any, case: Case
) -> None:
    server = serve(lambda request: {} if request.method == "POST" else [])
    connector = rest(
        url=server.url,
        poll={"every_s": 0.01, "for_s": 0.05, "reply": {"text": "$[*].text"}},
    )
    assert await told(connector, case, "hello", Listen()) == [Observation(), Observation()]
    assert sum(request.method == "GET" for request in server.requests) >= 4


async def test_cookies_belong_to_one_session(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    numbers = iter(range(1000))

    def bot(request: Any) -> Any:
        sid = request.cookies.get("sid") or str(next(numbers))
        return answer({"text": sid}, headers=[("Set-Cookie", f"sid={sid}; Path=/; HttpOnly")])

    server = serve(bot)
    connector = rest(url=server.url)
    async with connector.open(case) as one, connector.open(case) as two:
        seen = [(await s.send(Say(text="x"))).text for s in (one, two, one, two, two, one)]
    assert seen == ["0", "1", "0", "1", "1", "0"]
    assert (await told(connector, case, "x"))[0].text == "2"


async def test_two_hundred_conversations_at_once_stay_apart(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    counts: Counter[str] = Counter()
    at_once = [0, 0]

    def bot(request: Any) -> Any:
        if request.path == "/new":
            return {"id": f"s{len(server.requests)}"}
        sid = request.json["id"]
        counts[sid] += 1
        at_once[0] = max(at_once[0], len(counts))
        return answer({"text": f"{sid} {counts[sid]} {request.json['text']}"}, pause_s=0.05)

    server = serve(bot)
    connector = rest(
        url=server.url,
        open={"path": "/new", "reply": {"session": "$.id"}},
        body={"id": "{session}", "text": "{text}"},
    )
    ready = asyncio.Barrier(200)

    async def talk(number: int) -> set[str]:
        sids = set[str]()
        async with connector.open(case) as session:
            await ready.wait()
            for turn in range(1, 6):
                sid, count, said = (await session.send(Say(text=f"t{number}"))).text.split()
                assert (count, said) == (str(turn), f"t{number}")
                sids.add(sid)
        return sids

    async with asyncio.timeout(60):
        all_sids = await asyncio.gather(*(talk(number) for number in range(200)))
    assert all(len(sids) == 1 for sids in all_sids)
    assert len(set.union(*all_sids)) == 200
    assert server.connections >= 200, "the pool held sessions back"


async def test_a_failing_close_harms_nobody_and_is_told_once(
    rest: Any, serve: Any, case: Case, answer: Any, context: Any
) -> None:
    def bot(request: Any) -> Any:
        return answer(b"broken", status=500) if request.path == "/bye" else {"text": "ok"}

    server = serve(bot)
    connector = rest(url=server.url, close={"path": "/bye"})
    for _ in range(3):
        assert (await told(connector, case, "a"))[0].text == "ok"
    assert sum(request.path == "/bye" for request in server.requests) == 3
    (warning,) = context.warnings
    assert "a session could not be closed" in warning
    assert "500" in warning


async def test_a_close_that_hangs_is_given_up(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    server = serve(lambda r: answer(hang=True) if r.path == "/bye" else {"text": "ok"})
    connector = rest(url=server.url, close={"path": "/bye"}, timeout={"close_s": 0.05})
    assert (await told(connector, case, "a"))[0].text == "ok"


async def test_a_session_is_closed_when_the_player_fails(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"text": "ok"})
    connector = rest(url=server.url, close={"path": "/bye"})
    with pytest.raises(ZeroDivisionError):
        async with connector.open(case):
            raise ZeroDivisionError
    assert [request.path for request in server.requests] == ["/bye"]


async def test_redirects_on_the_same_server_are_followed_with_cookies(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    def bot(request: Any) -> Any:
        if request.path == "/chat":
            headers = [("Location", "/chat/"), ("Set-Cookie", "seen=1; Path=/")]
            return answer(status=307, headers=headers)
        return {"text": f"{request.json['text']} {request.cookies}"}

    server = serve(bot)
    (seen,) = await told(rest(url=server.url + "/chat"), case, "hello")
    assert seen.text == "hello {'seen': '1'}"


async def test_connections_are_reused(rest: Any, serve: Any, case: Case) -> None:
    server = serve(lambda request: {"text": "ok"})
    connector = rest(url=server.url)
    for _ in range(3):
        await told(connector, case, "a", "b", "c")
    assert server.connections == 1


@pytest.mark.parametrize("status", [200, 401, 404, 405, 501])
async def test_probe_takes_any_answer_but_a_crash(
    rest: Any, serve: Any, answer: Any, status: int
) -> None:
    server = serve(lambda request: answer(b"POST only", status=status))
    await rest(url=server.url + "/chat").probe()
    await rest(url=server.url, preset="rasa").probe()
    assert [request.method for request in server.requests] == ["GET", "GET"]


async def test_an_error_at_the_first_message_hints_at_the_body(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    """500: KeyError for every first message: most likely the body is wrong."""
    statuses = iter([500, 200, 500])

    def bot(request: Any) -> Any:
        status = next(statuses)
        return {"text": "ok"} if status == 200 else answer(b"KeyError", status=status)

    connector = rest(url=serve(bot).url)
    with pytest.raises(AppCrash, match=r"KeyError.*change body"):
        await told(connector, case, "a")
    with pytest.raises(AppCrash) as caught:
        await told(connector, case, "a", "b")
    assert "change body" not in str(caught.value)
