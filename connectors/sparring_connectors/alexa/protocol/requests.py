"""Requests as Alexa sends them (facts: request envelope, version 1.0)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

API_ENDPOINT = "https://api.amazonalexa.com"
#: What a headless device can do.
HEADLESS: Mapping[str, Any] = {"AudioPlayer": {}}
#: What a device with a screen can do, as Amazon's smart displays say.
SCREEN: Mapping[str, Any] = {
    "AudioPlayer": {},
    "Alexa.Presentation.APL": {"runtime": {"maxVersion": "2024.3"}},
    "Display": {"templateVersion": "1.0", "markupVersion": "1.0"},
    "VideoApp": {},
}
_VIEWPORT: Mapping[str, Any] = {
    "experiences": [{"arcMinuteWidth": 246, "arcMinuteHeight": 144, "canRotate": False,
                     "canResize": False}],
    "mode": "HUB", "shape": "RECTANGLE", "pixelWidth": 1024, "pixelHeight": 600, "dpi": 160,
    "currentPixelWidth": 1024, "currentPixelHeight": 600, "touch": ["SINGLE"],
    "video": {"codecs": ["H_264_42", "H_264_41"]},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Caller:
    """Who speaks to which skill on which device: what every request says."""

    application_id: str
    user_id: str
    device_id: str
    locale: str
    interfaces: Mapping[str, Any]
    has_screen: bool = False
    access_token: str | None = None
    api_token: str = ""
    api_endpoint: str = API_ENDPOINT
    person_id: str | None = None

    def user(self) -> dict[str, Any]:
        """The user object."""
        found: dict[str, Any] = {"userId": self.user_id}
        if self.access_token:
            found["accessToken"] = self.access_token
        return found

    def context(self, player: Mapping[str, Any]) -> dict[str, Any]:
        """The context object; `player` is the state of the audio player."""
        system: dict[str, Any] = {
            "application": {"applicationId": self.application_id},
            "user": self.user(),
            "device": {
                "deviceId": self.device_id,
                "supportedInterfaces": {name: dict(item) for name, item in self.interfaces.items()},
            },
            "apiEndpoint": self.api_endpoint,
            "apiAccessToken": self.api_token,
        }
        if self.person_id:
            system["person"] = {"personId": self.person_id}
        found: dict[str, Any] = {"System": system}
        if "AudioPlayer" in self.interfaces:
            found["AudioPlayer"] = dict(player)
        if self.has_screen:
            found["Viewport"] = dict(_VIEWPORT)
        return found


@dataclass(frozen=True, slots=True)
class SessionState:
    """The session object's parts."""

    session_id: str
    is_new: bool
    attributes: Mapping[str, Any]


def envelope(
    caller: Caller,
    request: Mapping[str, Any],
    session: SessionState | None,
    player: Mapping[str, Any],
) -> dict[str, Any]:
    """A whole request; `session` is None for those that belong to none (audio player)."""
    found: dict[str, Any] = {"version": "1.0"}
    if session is not None:
        found["session"] = {
            "new": session.is_new,
            "sessionId": session.session_id,
            "application": {"applicationId": caller.application_id},
            "attributes": dict(session.attributes),
            "user": caller.user(),
        }
    found["context"] = caller.context(player)
    found["request"] = dict(request)
    return found


def request_of(kind: str, request_id: UUID, moment: datetime, locale: str) -> dict[str, Any]:
    """What requests of every kind have."""
    return {
        "type": kind,
        "requestId": f"amzn1.echo-api.request.{request_id}",
        "locale": locale,
        "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}Z",
    }


def launch(base: Mapping[str, Any]) -> dict[str, Any]:
    """A LaunchRequest."""
    return {**base, "shouldLinkResultBeReturned": False}


def intent_request(
    base: Mapping[str, Any],
    name: str,
    slots: Mapping[str, Any],
    confirmation: str,
    dialog_state: str | None,
) -> dict[str, Any]:
    """An IntentRequest; `dialog_state` only where the intent has a dialog model."""
    intent: dict[str, Any] = {"name": name, "confirmationStatus": confirmation}
    if slots:
        intent["slots"] = dict(slots)
    found = {**base, "intent": intent}
    if dialog_state is not None:
        found["dialogState"] = dialog_state
    return found


def session_ended(
    base: Mapping[str, Any], reason: str, error: tuple[str, str] | None
) -> dict[str, Any]:
    """A SessionEndedRequest; `error` is the type and the message, where the reason is ERROR."""
    found = {**base, "reason": reason}
    if error is not None:
        found["error"] = {"type": error[0], "message": error[1]}
    return found
