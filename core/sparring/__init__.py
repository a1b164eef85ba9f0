"""Sparring tests anything a person can talk to.

What the author of a plugin needs is exported here; the typed tasks and answers of the agents'
roles are in `sparring.roles`, fakes and conformance kits in `sparring.testing`. The names are
resolved when they are first used, so that ``import sparring`` costs nothing. Which names are
public, and for how long, stands in ``docs/reference/stability.md``.
"""

import sys
from typing import TYPE_CHECKING, Any

from sparring.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparring.deprecation import RemovedInSparring04Warning as RemovedInSparring04Warning
    from sparring.deprecation import deprecated as deprecated
    from sparring.discovery.hookspecs import hookimpl as hookimpl
    from sparring.documents.reading import Document as Document
    from sparring.documents.reading import read_document as read_document
    from sparring.errors import AnswerInvalid as AnswerInvalid
    from sparring.errors import AppCrash as AppCrash
    from sparring.errors import AppError as AppError
    from sparring.errors import AppProtocolError as AppProtocolError
    from sparring.errors import AppTimeout as AppTimeout
    from sparring.errors import AppUnreachable as AppUnreachable
    from sparring.errors import BudgetSpent as BudgetSpent
    from sparring.errors import ConfigurationError as ConfigurationError
    from sparring.errors import EnvironmentFailure as EnvironmentFailure
    from sparring.errors import MissingExtra as MissingExtra
    from sparring.errors import ModelBusy as ModelBusy
    from sparring.errors import ModelError as ModelError
    from sparring.errors import ModelUnavailable as ModelUnavailable
    from sparring.errors import PartError as PartError
    from sparring.errors import Problem as Problem
    from sparring.errors import SparringError as SparringError
    from sparring.errors import StoredRunError as StoredRunError
    from sparring.interfaces.agent import Agent as Agent
    from sparring.interfaces.agent import Player as Player
    from sparring.interfaces.agent import PlayTask as PlayTask
    from sparring.interfaces.app_connector import AppConnector as AppConnector
    from sparring.interfaces.app_connector import AppSession as AppSession
    from sparring.interfaces.app_connector import Capability as Capability
    from sparring.interfaces.app_connector import PageSession as PageSession
    from sparring.interfaces.oracle import Oracle as Oracle
    from sparring.interfaces.plugin import BuildContext as BuildContext
    from sparring.interfaces.plugin import LLMBackend as LLMBackend
    from sparring.interfaces.plugin import Plugin as Plugin
    from sparring.interfaces.plugin import PluginConfig as PluginConfig
    from sparring.interfaces.plugin import Use as Use
    from sparring.interfaces.plugin import UseOf as UseOf
    from sparring.interfaces.reporter import Reporter as Reporter
    from sparring.interfaces.rule_function import Explained as Explained
    from sparring.interfaces.rule_function import RuleFunction as RuleFunction
    from sparring.interfaces.rule_function import rule_function as rule_function
    from sparring.interfaces.search_strategy import SearchStrategy as SearchStrategy
    from sparring.model.base import AppText as AppText
    from sparring.model.base import Value as Value
    from sparring.model.case import Case as Case
    from sparring.model.space import Constraint as Constraint
    from sparring.model.space import Scenario as Scenario
    from sparring.model.space import Space as Space
    from sparring.model.space import Variable as Variable
    from sparring.model.talk import Act as Act
    from sparring.model.talk import Artifact as Artifact
    from sparring.model.talk import Attachment as Attachment
    from sparring.model.talk import Choice as Choice
    from sparring.model.talk import Ended as Ended
    from sparring.model.talk import GuiAction as GuiAction
    from sparring.model.talk import Incident as Incident
    from sparring.model.talk import IncidentKind as IncidentKind
    from sparring.model.talk import Listen as Listen
    from sparring.model.talk import Observation as Observation
    from sparring.model.talk import Output as Output
    from sparring.model.talk import Press as Press
    from sparring.model.talk import Say as Say
    from sparring.model.talk import Trace as Trace
    from sparring.model.talk import Turn as Turn
    from sparring.model.talk import act_text as act_text
    from sparring.model.verdict import Finding as Finding
    from sparring.model.verdict import Outcome as Outcome
    from sparring.model.verdict import Owner as Owner
    from sparring.model.verdict import TurnRef as TurnRef
    from sparring.model.verdict import Verdict as Verdict
    from sparring.store import StoredRun as StoredRun
    from sparring.store import find_run as find_run

__version__ = "0.2.0"

_HOMES = {
    "sparring.deprecation": "RemovedInSparring04Warning deprecated",
    "sparring.discovery.hookspecs": "hookimpl",
    "sparring.documents.reading": "Document read_document",
    "sparring.errors": (
        "AnswerInvalid AppCrash AppError AppProtocolError AppTimeout AppUnreachable "
        "BudgetSpent ConfigurationError EnvironmentFailure MissingExtra ModelBusy "
        "ModelError ModelUnavailable PartError Problem SparringError StoredRunError"
    ),
    "sparring.interfaces.agent": "Agent Player PlayTask",
    "sparring.interfaces.app_connector": "AppConnector AppSession Capability PageSession",
    "sparring.interfaces.plugin": "LLMBackend BuildContext Plugin PluginConfig Use UseOf",
    "sparring.interfaces.oracle": "Oracle",
    "sparring.interfaces.reporter": "Reporter",
    "sparring.interfaces.rule_function": "Explained RuleFunction rule_function",
    "sparring.interfaces.search_strategy": "SearchStrategy",
    "sparring.model.base": "AppText Value",
    "sparring.model.case": "Case",
    "sparring.model.space": "Constraint Scenario Space Variable",
    "sparring.model.talk": (
        "Act Artifact Attachment Choice Ended GuiAction Incident IncidentKind Listen "
        "Observation Output Press Say Trace Turn act_text"
    ),
    "sparring.model.verdict": "Finding Outcome Owner TurnRef Verdict",
    "sparring.store": "StoredRun find_run",
}
"""The modules that define the public names."""

__all__, __getattr__, __dir__ = lazy_names(__name__, _HOMES, "__version__")


class _Moved:
    """Finds modules under the names that they had before (`sparring.moved`)."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        if not name.startswith("sparring"):
            return None
        from sparring.moved import spec_of

        return spec_of(name)


sys.meta_path.append(_Moved)
