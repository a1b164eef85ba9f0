"""Rules proposed from profiles: one file for each profile, and one for all of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.rules.proposed_rule import (
    NUMBERS,
    ProfileNames,
    Proposal,
    echoes,
    has_word,
    is_id,
    is_list,
    is_number,
    is_personal,
    is_price,
    is_quantity,
    is_when,
    named,
    order_of,
    output_name,
    plain_name,
    proposal_words,
)
from sparring_plugins.users.drafts import RuleDraft
from sparring_plugins.users.profiles.profile import Profile
from sparring_plugins.users.profiles.profile_files import read_profiles

# What each output must be like by itself, by its type and name.

_BY_TYPE: dict[str, tuple[str, str, str, bool]] = {
    "int": ("is_not_negative", "extract_float({0}) >= 0", "A count is not below zero.", True),
    "float": ("is_not_negative", "extract_float({0}) >= 0", "Few quantities are negative.", False),
    "date": (
        "is_not_past",
        "{0} >= started_on",
        "What is arranged lies ahead: not before the day of the conversation.",
        True,
    ),
    "email": ("is_an_address", "'@' in {0}", "An e-mail address has an @.", True),
    "url": ("is_an_address", "'.' in {0} and not ' ' in {0}", "An address has no blanks.", True),
    "phone": (
        "has_digits",
        "sum(1 for one in {0} if one.isdigit()) >= 5",
        "A phone number has at least five digits.",
        True,
    ),
}


def ranges(names: ProfileNames) -> Iterator[Proposal]:
    """Propose what the outputs of one profile must be like."""
    outputs = names.profile.outputs
    if outputs:
        yield nothing_missing(names)
    for output in outputs:
        if is_price(output):
            yield _check_proposal(
                names, output, "is_positive", "extract_float({0}) > 0", _FREE, True
            )
        elif output.type in _BY_TYPE and not is_id(output):
            yield _check_proposal(names, output, *_BY_TYPE[output.type])
        if variable := echoes(output, names.profile.variables):
            asked_for = f"str(single({names.input(variable)})).lower()"
            why = f"What is confirmed is what was asked for: `{variable.name}`."
            yield _check_proposal(
                names, output, "is_what_was_asked", f"{asked_for} in {{0}}.lower()", why, True
            )
    yield from _opening_hours(names, outputs)


_FREE = "Nothing is free, and nobody is paid for buying."


def nothing_missing(names: ProfileNames) -> Proposal:
    """All outputs have values once the goals are reached."""
    return Proposal(
        f"{names.label}_nothing_missing",
        "Where nothing goes wrong, everything is learnt that there is to learn",
        "Missing outputs: no goal is left and nothing went wrong, but the chatbot has not said it, "
        "or not so that it was understood. Leave out what need not be said: "
        "all(name in ['...'] for name in missing_slots()).",
        {
            "when": f"{names.of()} and errors == []",
            "oracle": "missing_slots() == []",
            "yields": "f'not told are {missing_slots()}'",
        },
    )


def _check_proposal(
    names: ProfileNames, output: OutputSpec, what: str, oracle: str, why: str, active: bool
) -> Proposal:
    name = output_name(output)
    filters = f"{names.of()} and {name} is not None"
    if output.type == "date":
        filters += f" and not isinstance({name}, str)"
    return Proposal(
        f"{names.label}_{plain_name(output.name)}_{what}",
        f"The {output.name} {what.replace('_', ' ')}",
        why,
        {
            "when": filters,
            "oracle": oracle.format(name),
            "yields": f"f'{plain_name(output.name)} is {{{name}}}'",
        },
        active,
    )


def _opening_hours(names: ProfileNames, outputs: Sequence[OutputSpec]) -> Iterator[Proposal]:
    times = [output for output in outputs if output.type == "time"]
    words = proposal_words()
    opening = [time for time in times if has_word(time.name, words.opening)]
    closing = [time for time in times if has_word(time.name, words.closing)]
    for first, last in zip(opening, closing, strict=False):
        early, late = output_name(first), output_name(last)
        yield Proposal(
            f"{names.label}_{plain_name(first.name)}_before_{plain_name(last.name)}",
            "What opens closes later",
            "Opening comes before closing. Bars and pharmacies may close after midnight: then "
            "leave it out.",
            {
                "when": f"{names.of()} and {early} is not None and {late} is not None",
                "oracle": f"minutes_of({early}) < minutes_of({late})",
                "yields": f"f'it opens at {{{early}}} and closes at {{{late}}}'",
            },
        )


# Metamorphic relations between inputs and outputs: what changes in one must do to the other.

A, B = "conv[0].", "conv[1]."


def relations(names: ProfileNames) -> Iterator[Proposal]:
    """The relations that one profile suggests."""
    profile = names.profile
    if not profile.variables:
        return
    for output in profile.outputs:
        if is_id(output):
            continue
        yield same_again(names, output)
        for variable in profile.variables:
            if is_list(variable):
                yield any_order(names, variable, output)
            elif is_personal(variable) or (is_when(variable) and is_price(output)):
                yield independent(names, variable, output)
            if output.type in NUMBERS:
                yield from growing(names, variable, output)


def same_again(names: ProfileNames, output: OutputSpec) -> Proposal:
    """Equal inputs, equal outputs."""
    sure = is_price(output)
    doubt = "" if sure else " It is off, since such an output may well differ from day to day."
    return Proposal(
        f"{names.label}_same_inputs_same_{plain_name(output.name)}",
        f"Whoever asks for the same is told the same {output.name}",
        "Equal inputs, equal outputs: a conversation that is repeated, with other words perhaps, "
        f"must not change what comes of it.{doubt}",
        {
            "conversations": "all",
            "when": names.of(),
            "group_by": "inputs",
            "oracle": f"same({output_name(output)!r})",
        },
        sure,
    )


def any_order(names: ProfileNames, variable: Variable, output: OutputSpec) -> Proposal:
    """The items of a list in another order."""
    return Proposal(
        f"{names.label}_{plain_name(output.name)}_whatever_order_of_{plain_name(variable.name)}",
        f"The order in which {variable.name} are named does not change the {output.name}",
        f"Permutation: `{variable.name}` takes several values, which mean the same in any order.",
        {
            "conversations": "all",
            "when": names.of(),
            "group_by": [f"without(inputs, {variable.name!r})", f"sorted({names.input(variable)})"],
            "oracle": f"same({output_name(output)!r})",
        },
        is_price(output),
    )


def independent(names: ProfileNames, variable: Variable, output: OutputSpec) -> Proposal:
    """An input that must not matter."""
    # A price that depends on the customer's name is a fault; on the day, it may be none.
    sure = is_personal(variable) and is_price(output)
    doubt = "" if sure else " It is off: switch it on if that is so in your case."
    return Proposal(
        f"{names.label}_{plain_name(output.name)}_independent_of_{plain_name(variable.name)}",
        f"The {output.name} does not depend on {variable.name}",
        f"Independence: who differs in `{variable.name}` only gets the same.{doubt}",
        {
            "conversations": "all",
            "when": names.of(),
            "group_by": f"without(inputs, {variable.name!r})",
            "oracle": f"same({output_name(output)!r})",
        },
        sure,
    )


def growing(names: ProfileNames, variable: Variable, output: OutputSpec) -> Iterator[Proposal]:
    """More of something never makes a number smaller."""
    larger, smaller = names.input(variable, A), names.input(variable, B)
    parameters: dict[str, object] = {}
    if is_list(variable):
        more = f"set({smaller}).issubset({larger}) and len({larger}) > len({smaller})"
    elif is_number(variable):
        more = f"single({larger}) > single({smaller})"
    elif order := order_of(variable):
        more = f"order.index(single({larger})) > order.index(single({smaller}))"
        parameters = {"parameters": {"order": order}}
    else:
        return
    # More items cost no less, but it need not grow with just any number, such as a floor.
    sure = is_price(output) and (not is_number(variable) or is_quantity(variable))
    first, second = output_name(output, A), output_name(output, B)
    doubt = "" if sure else " It is off, since it may well be otherwise."
    yield Proposal(
        f"{names.label}_{plain_name(output.name)}_grows_with_{plain_name(variable.name)}",
        f"More {variable.name}, all else equal, is no smaller {output.name}",
        f"Monotony: of two that differ in `{variable.name}` only, more of it makes `{output.name}` "
        f"no smaller. Write > for >= where it must grow.{doubt}",
        {
            "conversations": 2,
            **parameters,
            "when": f"{names.of(A)} and {names.of(B)} and without({_inputs(A)}, {variable.name!r}) "
            f"== without({_inputs(B)}, {variable.name!r})",
            "if": f"{more} and {first} is not None and {second} is not None",
            "then": f"extract_float({first}) >= extract_float({second})",
            "yields": f"f'{{{larger}}} gives {{{first}}}, {{{smaller}}} gives {{{second}}}'",
        },
        sure,
    )


def _inputs(place: str) -> str:
    return named("inputs", place, "")


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
    names = ProfileNames(profile)
    proposals = [*ranges(names), *relations(names)]
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
            name = output_name(output)
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
