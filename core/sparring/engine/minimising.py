"""Fewer inputs that show the same: delta debugging over the acts of a conversation.

No library does it: those that exist reduce texts and files, and ask their question in processes of
their own. Ours is asked of an app, on the event loop.
"""

from collections.abc import Awaitable, Callable, Sequence

from sparring.model.talk import Act, Listen

Shows = Callable[[Sequence[Act]], Awaitable[bool]]
"""Whether a conversation of these acts shows the fault."""


async def minimised(acts: Sequence[Act], shows: Shows) -> list[Act]:
    """As few of the acts, in their order, as still show it: none of them can be left out alone.

    `acts` are known to show it. What the app says first is always heard, where it was. `shows` is
    never asked twice of the same acts; it may say no because it has no time left.
    """
    first = 1 if acts and isinstance(acts[0], Listen) else 0
    opening, rest = list(acts[:first]), list(acts[first:])
    known: dict[tuple[int, ...], bool] = {}

    async def asked(places: Sequence[int]) -> bool:
        key = tuple(places)
        if key not in known:
            known[key] = await shows([*opening, *(rest[place] for place in places)])
        return known[key]

    places = await _shortest_end(len(rest), asked)
    return [*opening, *(rest[place] for place in await _reduced(places, asked))]


async def _shortest_end(count: int, asked: Callable[[Sequence[int]], Awaitable[bool]]) -> list[int]:
    """The last 0, 1, 2, 4 … places that show it: most faults need little of what went before."""
    length = 0
    while length < count:
        end = list(range(count - length, count))
        if await asked(end):
            return end
        length = max(1, 2 * length)
    return list(range(count))


async def _reduced(
    places: list[int], asked: Callable[[Sequence[int]], Awaitable[bool]]
) -> list[int]:
    """Zeller's ddmin by complements: leave parts out, smaller and smaller ones."""
    parts = 2
    while len(places) >= 2:
        size = -(-len(places) // parts)
        for start in range(0, len(places), size):
            fewer = places[:start] + places[start + size :]
            if await asked(fewer):
                places, parts = fewer, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(len(places), 2 * parts)
    if len(places) == 1 and await asked([]):
        return []
    return places
