"""Metamorphic relations between inputs and outputs: what changes in one must do to the other."""

from collections.abc import Iterator

from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Variable
from sparring_plugins.rules.proposals.draft import (
    Proposal,
    Talk,
    named,
    output_name,
    plain_name,
)
from sparring_plugins.rules.proposals.value_kinds import (
    NUMBERS,
    is_id,
    is_list,
    is_number,
    is_personal,
    is_price,
    is_quantity,
    is_when,
    order_of,
)

A, B = "conv[0].", "conv[1]."


def relations(talk: Talk) -> Iterator[Proposal]:
    """The relations that one profile suggests."""
    profile = talk.profile
    if not profile.variables:
        return
    for output in profile.outputs:
        if is_id(output):
            continue
        yield same_again(talk, output)
        for variable in profile.variables:
            if is_list(variable):
                yield any_order(talk, variable, output)
            elif is_personal(variable) or (is_when(variable) and is_price(output)):
                yield independent(talk, variable, output)
            if output.type in NUMBERS:
                yield from growing(talk, variable, output)


def same_again(talk: Talk, output: OutputSpec) -> Proposal:
    """Equal inputs, equal outputs."""
    sure = is_price(output)
    doubt = "" if sure else " It is off, since such an output may well differ from day to day."
    return Proposal(
        f"{talk.label}_same_inputs_same_{plain_name(output.name)}",
        f"Whoever asks for the same is told the same {output.name}",
        "Equal inputs, equal outputs: a conversation that is repeated, with other words perhaps, "
        f"must not change what comes of it.{doubt}",
        {
            "conversations": "all",
            "when": talk.of(),
            "group_by": "inputs",
            "oracle": f"same({output_name(output)!r})",
        },
        sure,
    )


def any_order(talk: Talk, variable: Variable, output: OutputSpec) -> Proposal:
    """The items of a list in another order."""
    return Proposal(
        f"{talk.label}_{plain_name(output.name)}_whatever_order_of_{plain_name(variable.name)}",
        f"The order in which {variable.name} are named does not change the {output.name}",
        f"Permutation: `{variable.name}` takes several values, which mean the same in any order.",
        {
            "conversations": "all",
            "when": talk.of(),
            "group_by": [f"without(inputs, {variable.name!r})", f"sorted({talk.input(variable)})"],
            "oracle": f"same({output_name(output)!r})",
        },
        is_price(output),
    )


def independent(talk: Talk, variable: Variable, output: OutputSpec) -> Proposal:
    """An input that must not matter."""
    sure = is_personal(variable) and is_price(output)
    doubt = "" if sure else " It is off: switch it on if that is so in your case."
    return Proposal(
        f"{talk.label}_{plain_name(output.name)}_independent_of_{plain_name(variable.name)}",
        f"The {output.name} does not depend on {variable.name}",
        f"Independence: who differs in `{variable.name}` only gets the same.{doubt}",
        {
            "conversations": "all",
            "when": talk.of(),
            "group_by": f"without(inputs, {variable.name!r})",
            "oracle": f"same({output_name(output)!r})",
        },
        sure,
    )


def growing(talk: Talk, variable: Variable, output: OutputSpec) -> Iterator[Proposal]:
    """More of something never makes a number smaller."""
    one, two = talk.input(variable, A), talk.input(variable, B)
    parameters: dict[str, object] = {}
    if is_list(variable):
        more = f"set({two}).issubset({one}) and len({one}) > len({two})"
    elif is_number(variable):
        more = f"single({one}) > single({two})"
    elif order := order_of(variable):
        more = f"order.index(single({one})) > order.index(single({two}))"
        parameters = {"parameters": {"order": order}}
    else:
        return
    sure = is_price(output) and (not is_number(variable) or is_quantity(variable))
    first, second = output_name(output, A), output_name(output, B)
    doubt = "" if sure else " It is off, since it may well be otherwise."
    yield Proposal(
        f"{talk.label}_{plain_name(output.name)}_grows_with_{plain_name(variable.name)}",
        f"More {variable.name}, all else equal, is no smaller {output.name}",
        f"Monotony: of two that differ in `{variable.name}` only, more of it makes `{output.name}` "
        f"no smaller. Write > for >= where it must grow.{doubt}",
        {
            "conversations": 2,
            **parameters,
            "when": f"{talk.of(A)} and {talk.of(B)} and without({_inputs(A)}, {variable.name!r}) "
            f"== without({_inputs(B)}, {variable.name!r})",
            "if": f"{more} and {first} is not None and {second} is not None",
            "then": f"extract_float({first}) >= extract_float({second})",
            "yields": f"f'{{{one}}} gives {{{first}}}, {{{two}}} gives {{{second}}}'",
        },
        sure,
    )


def _inputs(place: str) -> str:
    return named("inputs", place, "")
