"""Profiles to proposed rules, one file for each profile and one for all of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring.model.drafts import RuleDraft
from sparring_plugins.rules.proposals.draft import Proposal, Talk, named, plain_name
from sparring_plugins.rules.proposals.ranges import ranges
from sparring_plugins.rules.proposals.relations import relations
from sparring_plugins.rules.proposals.value_kinds import is_id, is_price
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles


def propose(paths: Sequence[Path]) -> list[RuleDraft]:
    """The rules that some profiles suggest; raises ConfigurationError for bad profiles."""
    profiles = read_profiles(paths, base_dir=Path.cwd(), seed=0, keep_unresolved=True)
    drafts = [draft for profile in profiles if (draft := _draft_of(profile)) is not None]
    common = list(_common(profiles))
    if common:
        drafts.append(_draft("all_profiles", "all profiles", common))
    if not drafts:
        raise ConfigurationError("these profiles have no outputs that rules could be about")
    return drafts


def _draft_of(profile: Profile) -> RuleDraft | None:
    talk = Talk(profile)
    proposals = [*ranges(talk), *relations(talk)]
    return _draft(profile.name, f"the profile {profile.name}", proposals) if proposals else None


def _draft(name: str, about: str, proposals: Sequence[Proposal]) -> RuleDraft:
    return RuleDraft(
        name=name,
        about=about,
        rules=tuple(proposal.text() for proposal in proposals),
        doubtful=sum(not proposal.active for proposal in proposals),
    )


def _common(profiles: Sequence[Profile]) -> Iterator[Proposal]:
    """Rules over the conversations of all profiles."""
    outputs = {output.name: output for profile in profiles for output in profile.outputs}
    for output in outputs.values():
        if is_id(output):
            yield Proposal(
                f"unique_{plain_name(output.name)}",
                f"No two conversations are given the same {output.name}",
                "Uniqueness: it tells one order or booking from all others.",
                {"conversations": "all", "oracle": f"is_unique({output.name!r})"},
            )
        if is_price(output) and output.type == "money":
            name = named(output.name, "", "outputs")
            yield Proposal(
                f"one_currency_of_{plain_name(output.name)}",
                f"Every {output.name} is in the same currency",
                "Prices of one shop can be compared, in whatever words they were asked for.",
                {"conversations": "all", "oracle": f"same({f'currency({name})'!r})"},
            )
    yield Proposal(
        "answers_in_the_users_language",
        "Every answer is in the language of the message before it",
        "Translation: the same wish in another language gets its answer in that language. It is "
        "off, since it asks a model, or lingua where the suite says so in `functions`. The "
        "library `general` has it, too.",
        {"oracle": "responds_in_same_language()"},
        active=False,
    )
