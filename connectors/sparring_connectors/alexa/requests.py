"""Requests as Alexa sends them (facts: request envelope, version 1.0)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sparring_connectors.alexa.consents import UserConsent

API_HOST = "api.amazonalexa.com"
API_ENDPOINT = f"https://{API_HOST}"
#: The type of the request that tells of a touch.
TOUCHED = "Alexa.Presentation.APL.UserEvent"
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
class SkillCaller:
    """Who speaks to which skill on which device: what every request says.

    `consent` is what the user has given so far, `declared` the permissions of the skill's manifest.
    """

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
    consent: UserConsent | None = None
    declared: tuple[str, ...] = ()

    def user(self) -> dict[str, Any]:
        """The user object."""
        user: dict[str, Any] = {"userId": self.user_id}
        consent = self.consent
        linked = "linked-account" if consent is not None and consent.is_linked else None
        if token := self.access_token or linked:
            user["accessToken"] = token
        if consent is not None and (given := consent.permissions(self.declared, self.api_token)):
            user["permissions"] = given
        return user

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
        context: dict[str, Any] = {"System": system}
        if "AudioPlayer" in self.interfaces:
            context["AudioPlayer"] = dict(player)
        if self.has_screen:
            context["Viewport"] = dict(_VIEWPORT)
        return context


@dataclass(frozen=True, slots=True)
class SessionState:
    """The session object's parts."""

    session_id: str
    is_new: bool
    attributes: Mapping[str, Any]


def envelope(
    caller: SkillCaller,
    request: Mapping[str, Any],
    session: SessionState | None,
    player: Mapping[str, Any],
) -> dict[str, Any]:
    """A whole request; `session` is None for those that belong to none (audio player)."""
    body: dict[str, Any] = {"version": "1.0"}
    if session is not None:
        body["session"] = {
            "new": session.is_new,
            "sessionId": session.session_id,
            "application": {"applicationId": caller.application_id},
            "attributes": dict(session.attributes),
            "user": caller.user(),
        }
    body["context"] = caller.context(player)
    body["request"] = dict(request)
    return body


def request_base(kind: str, request_id: UUID, moment: datetime, locale: str) -> dict[str, Any]:
    """What requests of every kind have."""
    return {
        "type": kind,
        "requestId": f"amzn1.echo-api.request.{request_id}",
        "locale": locale,
        "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}Z",
    }


def launch_request(base: Mapping[str, Any]) -> dict[str, Any]:
    """A LaunchRequest."""
    return {**base, "shouldLinkResultBeReturned": False}


def intent_request(
    base: Mapping[str, Any],
    name: str,
    slots: Mapping[str, Any],
    confirmation: str,
    dialog_state: str | None,
) -> dict[str, Any]:
    """An IntentRequest; `dialog_state` only if the intent has a dialog model."""
    intent: dict[str, Any] = {"name": name, "confirmationStatus": confirmation}
    if slots:
        intent["slots"] = dict(slots)
    request = {**base, "intent": intent}
    if dialog_state is not None:
        request["dialogState"] = dialog_state
    return request


def button_request(
    base: Mapping[str, Any], originating_request: str, events: list[dict[str, Any]]
) -> dict[str, Any]:
    """A GameEngine.InputHandlerEvent: which events of the skill's input handler were met."""
    return {**base, "originatingRequestId": originating_request, "events": events}


def session_ended_request(
    base: Mapping[str, Any], reason: str, error: tuple[str, str] | None
) -> dict[str, Any]:
    """A SessionEndedRequest; `error` is the type and the message if the reason is ERROR."""
    request = {**base, "reason": reason}
    if error is not None:
        request["error"] = {"type": error[0], "message": error[1]}
    return request
