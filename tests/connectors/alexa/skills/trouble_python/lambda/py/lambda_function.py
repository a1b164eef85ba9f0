"""A skill that misbehaves on demand."""

import os
import sys
import threading
import time
import urllib.request


def lambda_handler(event, context):
    request = event["request"]
    name = request["intent"]["name"] if request["type"] == "IntentRequest" else request["type"]
    if name == "RaiseAnErrorIntent":
        raise LookupError("the drawer is empty")
    if name == "NeverAnswerIntent":
        while True:
            time.sleep(0.05)
    if name == "PrintALotIntent":
        for number in range(2000):
            print('{"id": 1, "response": {"fake": true}}', number)  # noqa: T201 - what is tested
        sys.stdout.write("no end of line")
        os.write(1, b"\nraw {\n")
    if name == "EndTheProcessIntent":
        os._exit(3)
    if name == "ReturnASetIntent":
        return {"version": "1.0", "response": {"outputSpeech": {"a", "b"}}}
    if name == "ReturnNothingIntent":
        return None
    if name == "ReturnTextIntent":
        return "hello"
    if name == "BreakTheMarkupIntent":
        return told("<speak>one & two <b></speak>", "SSML")
    if name == "TalkTooLongIntent":
        return told("x" * 8001)
    if name == "AskTheInternetIntent":
        urllib.request.urlopen("http://nowhere.invalid/").read()
    if name == "ThrowLaterIntent":
        threading.Thread(target=lambda: 1 / 0).start()
    if name == "ReturnAHugeAnswerIntent":
        return {**told("big"), "sessionAttributes": {"data": "x" * 200000}}
    if name == "DelegateForeverIntent":
        return {"version": "1.0", "response": {"directives": [{"type": "Dialog.Delegate"}]}}
    if name == "WriteWithoutEndIntent":
        while True:
            os.write(1, b"x" * 65536)
    return told("Hello.", end=False)


def told(text, kind="PlainText", end=True):
    speech = {"type": kind, "text" if kind == "PlainText" else "ssml": text}
    return {"version": "1.0", "response": {"outputSpeech": speech, "shouldEndSession": end}}
