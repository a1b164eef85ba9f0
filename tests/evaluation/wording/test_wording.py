"""Every goal of the list still becomes the sentence that was judged, and nearly all were found natural.

`goals.yaml` was written before any sentence was looked at; `judged.csv` has, line by line, the sentence of the
first run and the one of now, each with the judgement of a reader (natural: yes or no).
"""

import csv
from pathlib import Path

from sparring.interfaces.roles import Goal, UserTask
from sparring_plugins.users.agenda.state.user_goals import phrasings, user_goals_of

JUDGED = Path(__file__).with_name("judged.csv")


def rows() -> list[dict[str, str]]:
    with JUDGED.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def spoken(goal: str, language: str) -> str:
    task = UserTask(goals=(Goal(phrase=goal, template=goal, inputs=()),), language=language)
    return phrasings(user_goals_of(task)[0], 1)[0]


def test_every_judged_sentence_is_still_said() -> None:
    changed = {
        row["goal"]: (row["sentence now"], said)
        for row in rows()
        if (said := spoken(row["goal"], row["language"])) != row["sentence now"]
    }
    assert not changed, changed


def test_nearly_all_sentences_were_judged_natural() -> None:
    judged = rows()
    assert len(judged) >= 300
    assert sum(row["natural now"] == "yes" for row in judged) / len(judged) >= 0.97
