"""Builds LangChain's chat models: every provider by name, without retries of their own."""

import os
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any
from urllib.request import getproxies

import httpx2
from pydantic import JsonValue, ValidationError

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, MissingExtra, Problem
from sparring_plugins.llm.asyncio_transport import AsyncioTransport
from sparring_plugins.llm.langchain_refusal import Explainer

_OLD_TRACING = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")
_INSTALL = re.compile(r"pip install [`'\"]?([\w.\[\]-]+)")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*(?:KEY|TOKEN|CREDENTIALS)\b")
_SETTINGS_OF = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "max_tokens": ("max_tokens", "max_output_tokens", "num_predict", "max_new_tokens"),
}


class ChatModel:
    """A chat model of LangChain's, and what of it is ours to close."""

    def __init__(self, model: Any, client: Any | None) -> None:
        self.model = model
        self._client = client

    def with_settings(self, asked: Mapping[str, Any]) -> tuple[Any, list[str]]:
        """The model with temperature, seed and length as asked, and what it has no field for."""
        fields = _field_names(type(self.model))
        update: dict[str, Any] = {}
        missing: list[str] = []
        for name, value in asked.items():
            known = next((field for field in _SETTINGS_OF[name] if field in fields), None)
            if known is None:
                missing.append(name)
            else:
                update[known] = value
        return (self.model.model_copy(update=update) if update else self.model), missing

    async def close(self) -> None:
        """Close the connections that no other model shares."""
        if self._client is not None:
            await self._client.aclose()
        own: Any = getattr(self.model, "_async_client", None)
        if type(own).__module__.startswith("ollama"):
            await own.close()


def build(
    model: str,
    provider: str | None,
    settings: Mapping[str, JsonValue],
    warn: Callable[[str], None],
) -> ChatModel:
    """The chat model; what LangChain warns of is passed on.

    Raises MissingExtra where a package is missing, and ConfigurationError for everything else
    that is found out without asking: an unknown provider, a missing key, settings that it refuses.
    """
    _refuse_old_tracing()
    explain = Explainer(f"the chat model {model!r}")
    made = _made(model, provider, settings, explain, warn)
    known = _field_names(type(made))
    for name in settings:
        if name not in known:
            hint = nearest(name, sorted(known)).partition(" Known:")[0]
            warn(f"the chat model {model!r} has no setting {name!r}.{hint}")
    more: dict[str, Any] = {"max_retries": 0} if "max_retries" in known else {}
    client = _own_client(made, known, settings)
    if client is not None:
        more["http_async_client"] = client
    if more:
        made = _made(model, provider, {**settings, **more}, explain, lambda _: None)
    return ChatModel(made, client)


def _refuse_old_tracing() -> None:
    """LangChain refuses every call where these are set, unless it may trace."""
    for name in _OLD_TRACING:
        if os.environ.get(name, "") not in ("", "0", "false", "False"):
            raise ConfigurationError(
                f"unset {name}: LangChain runs nothing with it (`trace: true` and "
                f"LANGSMITH_TRACING trace to LangSmith)"
            )


def _made(
    model: str,
    provider: str | None,
    settings: Mapping[str, Any],
    explain: Explainer,
    warn: Callable[[str], None],
) -> Any:
    try:
        from langchain.chat_models import init_chat_model
    except ModuleNotFoundError as err:
        raise MissingExtra(
            "the language model 'langchain' needs LangChain: pip install 'sparring[langchain]', "
            "and the package of the provider, such as langchain-openai"
        ) from err
    any_model: Any = init_chat_model
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = any_model(model, model_provider=provider, **settings)
    except ImportError as err:
        raise _missing_package(model, err) from err
    except Exception as err:  # noqa: BLE001 - each provider has exceptions of its own
        raise _refused(model, provider, err, explain) from None
    for warning in caught:
        warn(explain.quoted(f"LangChain: {warning.message}"))
    return made


def _missing_package(model: str, err: ImportError) -> MissingExtra:
    found = _INSTALL.search(str(err))
    package = found[1].rstrip(".") if found else "the provider's LangChain package"
    return MissingExtra(
        f"the language model {model!r} needs a package of LangChain's: pip install {package}"
    )


def _refused(
    model: str, provider: str | None, err: Exception, explain: Explainer
) -> ConfigurationError:
    """What is wrong with the settings of a model that cannot be made."""
    said = str(err)
    if isinstance(err, ValidationError):  # whose own text shows what was put in
        problems = err.errors(include_input=False, include_url=False)
        said = "; ".join(f"{'.'.join(map(str, p['loc']))}: {p['msg']}" for p in problems)
    if "model provider" in said or "Unsupported provider" in said:
        return _unknown_provider(model, provider, said)
    names = list(dict.fromkeys(_VARIABLE.findall(said)))
    if names:
        listed = " or ".join(names)
        return ConfigurationError(
            f"the chat model {model!r} needs a key: set the environment variable {listed}"
        )
    return ConfigurationError(f"the chat model {model!r} cannot be made: {explain.quoted(said)}")


def _unknown_provider(model: str, provider: str | None, said: str) -> ConfigurationError:
    listed = re.search(r"(?:providers|providers are): (.*)", said)
    known = listed[1].strip().split(", ") if listed else []
    given = provider or (model.partition(":")[0] if ":" in model else "")
    if given:
        message = f"LangChain has no provider {given!r}.{nearest(given, known)}"
    else:
        message = (
            f"whose model {model!r} is cannot be told: name its provider, as in openai:{model}."
        )
    return ConfigurationError(Problem(message, key="provider" if provider else "model"))


def _field_names(kind: Any) -> set[str]:
    """What a chat model's class may be given."""
    names: set[str] = set()
    for name, info in kind.model_fields.items():
        names |= {name, info.alias or name}
    return names


def _own_client(model: Any, known: set[str], settings: Mapping[str, Any]) -> Any | None:
    """A client of our own, as langchain-openai shares its clients by all models and event loops."""
    own = any(kind.__module__.startswith("langchain_openai") for kind in type(model).__mro__)
    if not own or not {"http_async_client", "openai_proxy"} <= known:
        return None
    if getattr(model, "openai_proxy", None) or "http_async_client" in settings:
        return None
    proxies = getproxies()
    direct = not any(proxies.get(scheme) for scheme in ("http", "https", "all"))
    return httpx2.AsyncClient(
        transport=AsyncioTransport() if direct else None,
        limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=1000),
        timeout=None,
        follow_redirects=True,
    )
