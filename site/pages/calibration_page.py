"""The page on calibration files, of which `generate.py` makes ``reference/calibration.md``."""

import inspect
from collections.abc import Callable
from typing import Any

from sparring_plugins.judging import calibration
from sparring_plugins.judging.calibration import measures, reports
from sparring_plugins.judging.calibration.examples import StoredConversation, WrittenConversation
from sparring_plugins.judging.calibration.model import CalibrationFile, Example, JudgeUse
from sparring_plugins.judging.calibration.roles import ROLES

EXAMPLE = """\
```yaml
# file: refunds.yaml
name: refunds
task: {question: "Is 'refund' mentioned?"}
judges:
  - {name: words, role: judge, use: keywords}
  - {name: rule, oracle: rules, files: rule.yaml, labels: {pass: "yes", fail: "no"}}
examples:
  - id: plain
    conversation: [user: "I want my money back", app: "You get a refund."]
    expected: "yes"
    people: {ann: "yes", bob: "yes"}
  - id: other-words
    conversation: [user: "I want my money back", app: "We will pay it back."]
    expected: "no"
    people: {ann: "no", bob: "yes"}
  - id: no
    conversation: [user: "I want my money back", app: "Sorry, no."]
    expected: "no"
    people: {ann: "no", bob: "no"}
```

```yaml
# file: rule.yaml
name: refund
conversations: 1
oracle: any("back" in answer for answer in chatbot_phrases)
```

```console
$ sparring calibrate refunds.yaml
> 0.333 [0.061, 0.792]
> Fleiss' kappa, people:
> wrote runs/calibrate-refunds-
$ sparring calibrate refunds.yaml --judge words --min-accuracy 0.9
$ sparring calibrate refunds.yaml --judge rule --min-accuracy 0.9  # exit 1
> the accuracy of rule is 0.333, not 0.9 or more
```

## What comes of it

A folder of its own below `runs` (of a suite or a stored run, whose agents are measured, see
[Calibrate the GUI agents](../how-to/calibrate-gui-agents.md), the run's own):

| file | holds |
| --- | --- |
| `calibration.json` | the result; a suite names it beside an oracle |
| `page.html` | the table, what each judge got wrong and why |
| `answers.jsonl` | every answer, written down as it came |
| `log.jsonl` | every call of a language model |
| `run.json` | the files that were read, with their SHA-256 |

`--min-accuracy` and `--min-kappa` end with exit code 1 where a judge falls short, or where the
measure is undefined. Code 3 says that answers ended in errors, 4 that the budget was spent. Ctrl-C
(130) and a spent budget keep what was answered, and measure that.

In a suite, `calibration: runs/calibrate-refunds-…` beside an oracle shows its judge's measures
beside its verdicts, in the console, in HTML and in JUnit. Of a file with several judges, the one
that is named like the oracle counts, or the one after a `#`: `…/calibration.json#words`. There is a
warning if another judge was measured than the one at work: another oracle, other settings, another
model, or rules that have changed since.
"""

CONVERSATION = """\
`conversation` is a list of turns, a map as below, or the name of a file that holds one of these, a
whole trace, or a conversation in another tool's format. A map with `run` and `case` names one of a
stored run.
"""

LEAD = """\
What of an answer can be expected, by role. Where `expected` is no map, the key in bold is meant.
Lists are compared without regard to order.

| role | task | answer | keys of `expected` |
| --- | --- | --- | --- |"""

OPEN = """
A judge that chooses among options (and functions, and oracles) sorts into classes. The others fill
in values: their precision is of the values that they gave, their recall of those that were
expected, and a wrong value counts against both. An extractor's text counts as the number in it
where a number is expected; `mentions` is a list of phrases that the user's text must have.
"""


def page(
    text: Callable[[Any], str], fields: Callable[[Any], str], function: Callable[[Any], str]
) -> str:
    """The page, with the ways in which `generate.py` writes docstrings, keys and functions."""
    parts = ["# Calibration\n", text(calibration), EXAMPLE]
    for title, model in (
        ("The file", CalibrationFile),
        ("A judge", JudgeUse),
        ("An example", Example),
    ):
        parts += [f"## {title}\n", text(model), fields(model)]
    parts += ["### A conversation\n", CONVERSATION]
    for model in (WrittenConversation, StoredConversation):
        parts += [text(model), fields(model)]
    parts += ["## The roles\n", LEAD, *(_role(name) for name in ROLES), OPEN]
    rows = [f"| {row.name} | {row.meaning} |" for row in reports.ROWS]
    parts += ["## What is measured\n", "| measure | means |\n| --- | --- |", *rows]
    parts += ["\n## The arithmetic\n", text(measures)]
    own = [item for item in vars(measures).values() if inspect.isfunction(item)]
    public = [item for item in own if not item.__name__.startswith("_")]
    return "\n".join([*parts, *(function(item) for item in public)])


def _role(name: str) -> str:
    role = ROLES[name]
    keys = [f"**{key}**" if key == role.main else key for key in role.keys]
    listed = ", ".join(keys) or "the names of the task's outputs"
    return f"| `{name}` | {role.task.__name__} | {role.answer.__name__} | {listed} |"
