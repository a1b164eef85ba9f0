"""A player that does given acts, one after the other, whatever the app answers."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.case import Case
from sparring.model.space import Space
from sparring.model.talk import Act, Ended, Trace


class Script(Player[PluginConfig]):
    """Repeats the acts of a conversation; stops where the app ends it, unless the first went on."""

    def __init__(
        self,
        acts: Sequence[Act],
        meta: Mapping[str, JsonValue],
        context: BuildContext,
        *,
        past_end: bool,
    ) -> None:
        super().__init__(PluginConfig(), context)
        self._acts = acts
        self._meta = dict(meta)
        self._past_end = past_end

    def space(self) -> Space:
        """Nothing varies."""
        return Space(scenarios=())

    def meta(self, case: Case) -> dict[str, JsonValue]:
        """What the first conversation said of itself."""
        return self._meta

    async def act(self, task: PlayTask) -> Trace:
        """Do the acts; what the app does wrong passes, and becomes an incident."""
        ended = Ended.SCRIPT_DONE
        for act in self._acts:
            heard = await task.session.send(act)
            ended = Ended.APP_ENDED if heard.ended else Ended.SCRIPT_DONE
            if heard.ended and not self._past_end:
                break
        return task.trace(ended, meta=self._meta)


def went_past_end(trace: Trace) -> bool:
    """Whether a conversation went on after the app had ended it."""
    heard = [turn.observation for turn in trace.turns[:-1]]
    return any(one is not None and one.ended for one in heard)
