"""Where a service with OpenAI's protocol is, and with what key it is asked."""

import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field

from sparring.errors import ConfigurationError, Problem

KEY = "OPENAI_API_KEY"
AZURE_KEY = "AZURE_OPENAI_API_KEY"
_DEFAULT = "https://api.openai.com/v1"
_PATH = "/chat/completions"


class Azure(BaseModel):
    """How to reach a model in Azure; the suite's `model` is the name of the deployment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoint: str | None = Field(
        default=None, description="https://NAME.openai.azure.com; else AZURE_OPENAI_ENDPOINT's"
    )
    api_version: str | None = Field(
        default=None, description="such as 2024-10-21; else what OPENAI_API_VERSION says"
    )


@dataclass(frozen=True)
class OpenAIService:
    """An address and a key; the key is in no text made of it."""

    base_url: str
    key: str = field(repr=False)
    key_variable: str
    organization: str | None = None
    azure_api_version: str | None = None

    @property
    def is_openai(self) -> bool:
        """Whether it is OpenAI's own, or Azure's, which want a key and take strict schemas."""
        host = urlsplit(self.base_url).hostname or ""
        own = host == "openai.com" or host.endswith((".openai.com", ".openai.azure.com"))
        return own or self.azure_api_version is not None

    @property
    def is_private(self) -> bool:
        """Whether it is somebody's own server, by its address: its prices are in no list."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            address = ip_address(host)
        except ValueError:
            return "." not in host or host.endswith((".local", ".internal", ".lan", ".test"))
        return not address.is_global

    @property
    def shown(self) -> str:
        """The address for errors and logs: no name, password or query in it."""
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"


def service_of(
    base_url: str | None,
    key_variable: str | None,
    organization: str | None,
    azure: Azure | None,
) -> OpenAIService:
    """The service that settings and environment name; raises ConfigurationError.

    A key is needed where OpenAI or Azure serve, or where the settings name its variable.
    """
    version = None
    if azure is None:
        url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or _DEFAULT
    else:
        if base_url is not None:
            raise _wrong("base_url", "takes no base_url beside azure: give azure.endpoint alone")
        url = _named(azure.endpoint, "AZURE_OPENAI_ENDPOINT", "azure.endpoint")
        version = _named(azure.api_version, "OPENAI_API_VERSION", "azure.api_version")
    variable = key_variable or (KEY if azure is None else AZURE_KEY)
    key = os.environ.get(variable, "").strip()
    service = OpenAIService(_address(url), key, variable, organization, version)
    if not key and (service.is_openai or key_variable is not None):
        raise ConfigurationError(
            f"the model's service at {service.shown} needs a key: "
            f"set the environment variable {variable}"
        )
    if not re.fullmatch(r"[!-~]*", key):
        raise ConfigurationError(f"{variable} in the environment has characters that no key has")
    return service


def _named(value: str | None, variable: str, key: str) -> str:
    found = value or os.environ.get(variable, "").strip()
    if not found:
        raise _wrong(key, f"missing: give it, or set the environment variable {variable}")
    return found


def _address(url: str) -> str:
    try:
        sound = _is_sound(urlsplit(url))
    except ValueError:
        sound = False
    if not sound:
        raise _wrong("base_url", "is no address of a service, such as http://127.0.0.1:8000/v1")
    if url.rstrip("/").endswith(_PATH):
        raise _wrong("base_url", f"leave {_PATH} off: the client adds it")
    return url


def _is_sound(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    odd = re.search(r"[^\w.:%-]", host) or re.search(r"[\x00-\x20]", parts.geturl())
    return parts.scheme in ("http", "https") and bool(host) and not odd and parts.port != 0


def _wrong(key: str, message: str) -> ConfigurationError:
    return ConfigurationError(Problem(message, key=key))
