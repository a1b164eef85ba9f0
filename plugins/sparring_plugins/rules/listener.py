"""Rules: proposals from profiles of simulated users, and what the libraries offer."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sparring.discovery.hookspecs import hookimpl

if TYPE_CHECKING:
    from sparring_plugins.users.drafts import RuleDraft, RuleListing


@hookimpl
def sparring_rule_proposals(profiles: list[Path]) -> "Iterable[RuleDraft] | None":
    """Propose rules from profiles of any shape that simulated users have."""
    from sparring_plugins.rules.proposals import propose

    return propose(profiles)


@hookimpl
def sparring_rule_libraries() -> "Iterable[RuleListing] | None":
    """The rules of all libraries that are installed."""
    from sparring_plugins.rules.parse.library_rules import library_listings

    return library_listings()
