"""A language model that is acted out: it knows nothing but the words of its prompt.

It reads the prompt back into a task and lets the parts that need no model answer it, so that a
suite can be played in which models are the user, the goal checker and the extractor.
"""

import json
import re
from datetime import date
from typing import Any

from sparring.errors import ModelError
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.interfaces.roles import (
    ExtractTask,
    Goal,
    GoalTask,
    OutputSpec,
    UserTask,
)
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.talk import Choice, Listen, Observation, Press, Say, Turn
from sparring_plugins.language.text import plain, sentences
from sparring_plugins.users.agenda.agents import AgendaGoalChecker
from sparring_plugins.users.agenda.moves.next_move import Agenda
from sparring_plugins.users.extraction.extractor import find_outputs

_BLOCK = re.compile(r"<data>\n(.*?)\n</data>", re.DOTALL)
_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_OUTPUT = re.compile(r"^(\d+)\. (.*?) \((.*?)\): ?(.*)$", re.MULTILINE)
_TYPES = {"an amount of money, with its currency": "money", "a whole number": "int",
          "a date": "date", "a time of day or a length of time": "time"}  # fmt: skip


class ActedModel(LLMBackend[PluginConfig]):
    """Answers the questions of the three roles as JSON."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        answers = {"user": self.move, "goals": self.wishes, "outputs": self.findings}
        if request.prompt not in answers:
            raise ModelError(f"nobody acts out the prompt {request.prompt!r}")
        answer = await answers[request.prompt](request)
        words = sum(len(message.content.split()) for message in request.messages)
        return ChatReply(text=json.dumps(answer), model="acted", input_tokens=words, cost_usd=0.0)

    def model(self) -> str:
        return "acted"

    async def move(self, request: ChatRequest) -> dict[str, Any]:
        """What the agenda would do with the goals still open."""
        told, asked = request.messages[0].content, request.messages[1].content
        person = told.split("The person you play:")[1].split("What you want")[0]
        facts = [line[2:] for line in person.splitlines() if line[:2] == "- "]
        language = re.findall(r"Write in (\w+)", asked)[0] if "Write in" in asked else "English"
        wishes = _NUMBERED.findall(told.split("What you want")[1])
        settled = re.search(r"^Settled: ([\d, ]+)\.", asked, re.MULTILINE)
        met = re.findall(r"\d+", settled[1]) if settled else []
        met = [number for number, _ in wishes] if "seems to be settled" in asked else met
        wanted = re.search(r"before you leave.*\n((?:- .*\n)+)", asked)
        outputs = [line[2:] for line in wanted[1].splitlines()] if wanted else []
        turns = turns_of(asked)
        task = UserTask(
            goals=tuple(Goal(phrase=text, template=text) for _, text in wishes),
            goals_met=tuple(n for n, (number, _) in enumerate(wishes) if number in met),
            outputs=tuple(OutputSpec(name=f"o{n}", description=o) for n, o in enumerate(outputs)),
            role=facts[0],
            context=tuple(fact for fact in facts[1:] if not fact.startswith("Only if asked")),
            language=language,
            turns=turns,
            situation="normal" if turns else "start",
            seed=7,
        )
        seen = find_outputs(ExtractTask(turns=turns, outputs=task.outputs, today=date(2027, 1, 1)))
        missing = [one.name for one in seen if one.value is None]
        agenda = Agenda(task, missing, patience=3, farewell=True)
        act = agenda.decide().act
        return {
            "reason": "",
            "goals_met": [
                {"number": int(wishes[index][0]), "quotation": quoted(turns)}
                for index in agenda.goals_met
                if wishes[index][0] not in met and turns
            ],
            "goals_undone": [],
            "message": act.text if isinstance(act, Say) else "",
            "choice": act.label if isinstance(act, Press) else None,
            "leaves": act is None,
        }

    async def wishes(self, request: ChatRequest) -> dict[str, Any]:
        """What the agenda's goal checker finds, with the sentence that it was found in."""
        asked = request.messages[1].content
        wishes = _NUMBERED.findall(asked.split("<data>")[0])
        turns = numbered_turns_of(asked)
        goals = tuple(Goal(phrase=text, template=text) for _, text in wishes)
        found = await AgendaGoalChecker(PluginConfig(), self.context).act(
            GoalTask(goals=goals, turns=turns)
        )
        met = {one.goal: one for one in found.met}
        answer = []
        for index, (number, _) in enumerate(wishes):
            one = met.get(index)
            said = sentences(one.quotation)[0] if one else None
            turn = one.turn + 1 if one and one.turn is not None else None
            answer.append(
                {"number": int(number), "met": one is not None, "quotation": said, "turn": turn}
            )
        return {"wishes": answer}

    async def findings(self, request: ChatRequest) -> dict[str, Any]:
        """What the patterns find, with the sentence around it."""
        asked = request.messages[1].content
        turns = numbered_turns_of(asked)
        day = re.findall(r"on \w+, ([\d-]+):", asked)[0]
        specs = [
            OutputSpec(name=name.replace(" ", "_"), type=_TYPES.get(form, "str"), description=text)
            for _, name, form, text in _OUTPUT.findall(asked.split("The conversation")[0])
        ]
        found = find_outputs(
            ExtractTask(turns=turns, outputs=tuple(specs), today=date.fromisoformat(day))
        )
        return {"values": [finding(n, one, turns) for n, one in enumerate(found, 1)]}


def finding(number: int, output: Any, turns: tuple[Turn, ...]) -> dict[str, Any]:
    if output.value is None:
        return {"number": number, "value": None, "quotation": None, "turn": None}
    answer = turns[output.turn].observation
    text = plain(answer.text) if answer else ""
    value = str(output.value)
    around = [line for line in text.split("\n") if value in line] or [text]
    return {"number": number, "value": value, "quotation": around[0], "turn": output.turn + 1}


def quoted(turns: tuple[Turn, ...]) -> str:
    """The first line of the last answer."""
    seen = turns[-1].observation
    return plain(seen.text).split("\n")[0] if seen else ""


def turns_of(asked: str) -> tuple[Turn, ...]:
    """The conversation in the prompt of the user."""
    turns: list[Turn] = []
    blocks = _BLOCK.findall(asked)
    for entry in json.loads(blocks[0]) if blocks else []:
        if "you" in entry:
            turns.append(Turn(act=Say(text=entry["you"])))
            continue
        seen = answer_of(entry["chatbot"], entry.get("choices", []))
        if turns and turns[-1].observation is None and not isinstance(turns[-1].act, Listen):
            turns[-1] = turns[-1].model_copy(update={"observation": seen})
        else:
            turns.append(Turn(act=Listen(), observation=seen))
    return tuple(turns)


def numbered_turns_of(asked: str) -> tuple[Turn, ...]:
    """The conversation in the prompts of the goal checker and the extractor."""
    blocks = _BLOCK.findall(asked)
    turns: dict[int, Turn] = {}
    for entry in json.loads(blocks[0]) if blocks else []:
        turn = turns.get(entry["turn"], Turn(act=Listen()))
        if entry["speaker"] == "person":
            turns[entry["turn"]] = Turn(act=Say(text=entry["text"]))
            continue
        seen = answer_of(entry["text"], entry.get("choices", []))
        turns[entry["turn"]] = turn.model_copy(update={"observation": seen})
    return tuple(turns.values())


def answer_of(text: str | None, labels: list[str]) -> Observation | None:
    if text is None:
        return None
    return Observation(text=text, choices=[Choice(label=label) for label in labels])
