"""The page on fitness, of which `generate.py` makes ``reference/fitness.md``."""

from collections.abc import Callable
from typing import Any

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring_plugins.search.fitness import classification as classes
from sparring_plugins.search.fitness import model_fitness, oracle
from sparring_plugins.search.fitness import value_matching as matching

AGENTS = "sparring.agents"
PREFIX = "fitness."

LEAD = """\
A search needs numbers to climb by: how good was the app in this case? A **fitness** is such a number
in [0, 1], 1 for as good as can be. The oracle `fitness` has one or several of them, by names of yours,
and a formula that says of which values a case is a failure. The tutorial is [Find what breaks your
assistant](../tutorials/find-what-breaks-your-assistant.md). The method is that of STELLAR.

```yaml
oracles:
  - use: fitness
    values:
      f1: {use: dimensions}                      # is it about the request, to the point, helpful?
      f2:                                        # are the places those that were asked for?
        use: content
        items: $.items[*]
        catalogue: places.csv
        understood: $.query
        fields:
          category: {weight: 2}
          price: {order: [low, medium, high]}
          payment: {match: any, values: {mobile: mobile payment}}
          parking: {values: {parking: true}}
          rating: {match: at-least, range: [3, 5]}
    fails: f1 < 0.75 or f2 < 0.75
    app: {intent: $.intent, intents: [search], search: $.query, items: "$.items[*]"}
```
"""
VERDICTS = """\
| verdict | gates | |
| --- | --- | --- |
| one of the name of each value | no | `score` is the value; `details.parts` what it is made of |
| `answer`, or as `check` says | yes | passes, fails, or is inconclusive, by `fails`; `score` is the least value |

The verdict that gates has in its `details`:

| key | |
| --- | --- |
| `fitness` | the values by name, null where undecided |
| `formula` | what fails |
| `kind` | of a failure: the parts of its failure class, its category first, then what is wrong |
| `class` | of a failure: its class |

`fails` is written in [the language of rules](rules.md) over the names of the values. Where a value is
undecided, the formula is tried with 0 and with 1 in its place: if it says the same of both, that is the
verdict, else it is inconclusive. Without `fails`, a case fails that is below one of the `thresholds`.
What the app was never asked, because the player or the machines failed, is not judged.
"""
CLASSES = """\
Failures have a class, found by rules without a model. They are those of the paper's Table V and some more; of
several that fit, the one that stands first here is told. Where an app gave no answer (`endpoint`, `empty output`)
all values are 0, and nobody is asked.

| class | |
| --- | --- |
| `endpoint` | the app crashed, was too slow, gave an error, or reports one (`error`) |
| `empty output` | no words, and nothing in `items` |
| `forbidden output` | a fitness names rules of a policy that were broken; they follow in `kind` |
| `technical output` | a stack trace, markup, unfilled placeholders, or JSON is said |
| `wrong language` | the app took the request for another language (`language`), or answers in one (needs `sparring[text]`) |
| `name misinterpretation` | its intent is one of `names`: it took words for the name of something |
| `wrong intent` | its intent is none of `intents`; it follows in `kind` |
| `not understood` | it says a fallback phrase |
| `asked back` | nothing in `items`, and it only asks |
| `search not performed` | nothing in `search` |
| `misread request` | it says that it understood features otherwise which were answered wrongly; they follow in `kind` |
| `retrieval` | it understood the request, and `items` do not fit or are missing; the features that are wrong follow |
| `poor answer` | all else; the features that are wrong follow |

Features follow only in the last three: of an answer that serves nothing of the request they tell nothing.
"""
FITNESS = """\
Each is an agent of the role `fitness` (`FitnessTask` to `Fitness`); one of your own is listed among the entry points
`sparring.agents` as `fitness.NAME`. What was wanted comes from the [prompter](features.md); with any other player
it is the inputs of the case.
"""
CALIBRATE = """\
## How far can a fitness be trusted?

[`sparring calibrate`](calibration.md) measures agents of the role `fitness` on labelled answers: `role: fitness`, and
`expected: {class: 2}` (the class of a fitness with one part, else its value) or `{good: true}` (0.5 or more). A
judge of one dimension is `dimensions` with one weight. `examples/calibration/answers` has thirty answers with the classes
of two raters for each of the three dimensions. The paper reports an F1 of 0.58 to 0.76 for its models on its own answers.
"""

Text = Callable[[Any], str]
Fields = Callable[[Any], str]


def page(text: Text, fields: Fields) -> str:
    """The oracle, the classes of failures, and every fitness."""
    parts = ["# Fitness\n", LEAD, "## The oracle `fitness`\n", text(oracle.FitnessOracle)]
    parts += [fields(oracle.FitnessConfig), "### Verdicts\n", VERDICTS]
    parts += ["### Classes of failures\n", CLASSES, "### app\n", text(classes.AppConfig)]
    parts += [fields(classes.AppConfig), "## Which there are\n", FITNESS]
    for item in catalog.listings(AGENTS):
        if item.package == "sparring" and item.name.startswith(PREFIX):
            found: Any = drivers.load(GROUPS[AGENTS], item.name)
            parts += [f"### {item.name.removeprefix(PREFIX)}\n", text(found), fields(found.Config)]
            if found.Config is model_fitness.DimensionsModelConfig:
                model = model_fitness.Dimension
                parts += ["A dimension:\n", fields(model)]
            elif item.name == "fitness.content":
                parts += ["A field:\n", text(matching.FieldConfig), fields(matching.FieldConfig)]
    return "\n".join([*parts, CALIBRATE])
