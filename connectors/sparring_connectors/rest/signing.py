"""Requests that are signed as AWS wants it (signature version 4), such as those to Lex V2."""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field

from sparring.errors import ConfigurationError, MissingExtra, Problem
from sparring.interfaces.plugin import PluginConfig

if TYPE_CHECKING:
    import httpx2

_REGION_OF_HOST = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$")
"""``runtime-v2-lex.eu-west-1.amazonaws.com`` names its region."""


class SigningConfig(PluginConfig):
    """How requests are signed. The key is looked for where AWS's own tools look for it.

    That is ``AWS_ACCESS_KEY_ID`` and ``AWS_SECRET_ACCESS_KEY``, then the files of ``~/.aws``.
    """

    service: str = Field(min_length=1, description="The service as signatures name it: `lex`.")
    region: str | None = Field(
        default=None, description="The region; left out, the one in the host's name."
    )
    profile: str | None = Field(
        default=None, description="The profile of `~/.aws/credentials` to sign with."
    )


class AwsSigner:
    """Signs requests with a key that is read once."""

    def __init__(self, config: SigningConfig, url: str) -> None:
        """Find the region and the key; raises ConfigurationError if there is none."""
        auth = _library("auth")
        self._signer = auth.SigV4Auth(_credentials(config), config.service, _region(config, url))
        self._request: Any = _library("awsrequest").AWSRequest

    def sign(self, request: "httpx2.Request") -> None:
        """Add the headers of the signature to a request that is sent at once."""
        # Headers that a client adds may change on the way, so the signature leaves them out.
        content_type = request.headers.get("content-type")
        headers = {"Content-Type": content_type} if content_type else {}
        signed = self._request(
            method=request.method, url=str(request.url), data=request.read(), headers=headers
        )
        self._signer.add_auth(signed)
        for name in ("X-Amz-Date", "X-Amz-Security-Token", "Authorization"):
            value = signed.headers.get(name)
            if value is not None:
                request.headers[name] = str(value)


def _library(name: str) -> Any:
    """Import a module of botocore, which has no types, only if a suite signs."""
    try:
        return import_module(f"botocore.{name}")
    except ImportError:
        raise MissingExtra(
            "the library botocore, which signs requests, is missing: pip install 'sparring[lex]'"
        ) from None


def _region(config: SigningConfig, url: str) -> str:
    match = _REGION_OF_HOST.search(urlsplit(url).hostname or "")
    region = config.region or (match[1] if match else None)
    if region is None:
        message = "the address names no region of AWS: give one, such as eu-west-1"
        raise ConfigurationError(Problem(message, key="app.sign.region"))
    return region


def _credentials(config: SigningConfig) -> Any:
    try:
        credentials = _library("session").Session(profile=config.profile).get_credentials()
    except _library("exceptions").BotoCoreError as err:
        raise ConfigurationError(Problem(str(err), key="app.sign")) from None
    if credentials is None:
        message = (
            "there is no key to sign with: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
            "name a profile of ~/.aws/credentials"
        )
        raise ConfigurationError(Problem(message, key="app.sign"))
    return credentials
