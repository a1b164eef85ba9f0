"""What a turn costs beside HTTP itself: a small part of a millisecond."""

import time

import httpx2

from sparring_connectors.described.reply import read_reply
from sparring_connectors.described.secrets import AppSecrets
from sparring_connectors.rest.config import RestConfig
from sparring_connectors.rest.exchange import RestReply
from sparring_connectors.rest.plan import RequestPlans

ROUNDS = 1_000
BODY = b'[{"recipient_id": "u", "text": "Hi!", "buttons": [{"title": "Yes", "payload": "/y"}]}]'


def test_making_a_request_and_reading_its_reply_is_cheap() -> None:
    config = RestConfig.model_validate({"url": "http://bot", "preset": "rasa"})
    plan = RequestPlans.of(config, AppSecrets([])).message
    values = {"text": "hello", "session": "s", "turn": 1}
    reply = RestReply(200, httpx2.Headers(), BODY, "POST http://bot", AppSecrets([]))
    read_reply(reply, plan.reply)
    begun = time.process_time()
    for _ in range(ROUNDS):
        plan.prepare(values)
        read_reply(reply, plan.reply)
    each_ms = (time.process_time() - begun) / ROUNDS * 1000
    assert each_ms < 0.5, f"{each_ms:.3f} ms of processor time a turn; 0.05 ms is usual"
