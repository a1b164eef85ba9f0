"""Sparring tests anything a person can talk to.

The public names are resolved on first use, so that ``import sparring`` costs nothing.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparring.errors import SparringError as SparringError
    from sparring.interfaces.agent import Agent as Agent
    from sparring.interfaces.agent import Player as Player
    from sparring.interfaces.agent import PlayTask as PlayTask
    from sparring.interfaces.app_connector import AppConnector as AppConnector
    from sparring.interfaces.app_connector import AppSession as AppSession
    from sparring.interfaces.llm_backend import LLMBackend as LLMBackend
    from sparring.interfaces.oracle import Oracle as Oracle
    from sparring.interfaces.reporter import Reporter as Reporter
    from sparring.interfaces.rule_function import rule_function as rule_function
    from sparring.interfaces.search_strategy import SearchStrategy as SearchStrategy
    from sparring.model.case import Case as Case
    from sparring.model.talk import Observation as Observation
    from sparring.model.talk import Say as Say
    from sparring.model.talk import Trace as Trace
    from sparring.model.verdict import Outcome as Outcome
    from sparring.model.verdict import Owner as Owner
    from sparring.model.verdict import Verdict as Verdict

__version__ = "0.1.0"

_HOMES = {
    "SparringError": "errors",
    "Agent": "interfaces.agent",
    "Player": "interfaces.agent",
    "PlayTask": "interfaces.agent",
    "AppConnector": "interfaces.app_connector",
    "AppSession": "interfaces.app_connector",
    "LLMBackend": "interfaces.llm_backend",
    "Oracle": "interfaces.oracle",
    "Reporter": "interfaces.reporter",
    "rule_function": "interfaces.rule_function",
    "SearchStrategy": "interfaces.search_strategy",
    "Case": "model.case",
    "Observation": "model.talk",
    "Say": "model.talk",
    "Trace": "model.talk",
    "Outcome": "model.verdict",
    "Owner": "model.verdict",
    "Verdict": "model.verdict",
}

__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sparring' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sparring.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


class _Moved:
    """Finds modules under the names that they had before (`sparring.moved`)."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        if not name.startswith("sparring"):
            return None
        from sparring.moved import spec_of

        return spec_of(name)


sys.meta_path.append(_Moved)
