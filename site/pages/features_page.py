"""The page on feature spaces, of which `generate.py` makes ``reference/features.md``."""

from collections.abc import Callable
from typing import Any

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import GROUPS
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.features import file_model, templates
from sparring_plugins.search.features.lookup import list_bundled, load_bundled
from sparring_plugins.search.prompter import player
from sparring_plugins.search.roles import Perturbation

AGENTS = "sparring.agents"

LEAD = """\
A feature space says how requests to an app may vary: in **content** (what is wanted), **style**
(how it is said) and **perturbation** (what goes wrong while it is said or typed). Each case is a
vector of values, one per feature; the player `prompter` puts it into words and says them to the app.
How to write one is in [Describe your space](../how-to/describe-your-space.md); `sparring space`
shows what one holds. The method is that of STELLAR (search-based testing of LLM applications).
"""
ENCODING = """\
A strategy may see a case as numbers. An **ordinal** value is its index divided by the number of
values, so that the second of four is 0.25; a **categorical** one is its index. Any finite numbers
can be decoded: an ordinal number belongs to the value whose interval holds it, a categorical one to
the nearest index, and what is beyond the ends to the first or last value.
"""
CONSTRAINTS = """\
Conditions are written in [the language of rules](rules.md) over the names of features, and compare
values, as in `category not in ['bar', 'hotel']` or `rating != 'none' and rating > 4`. They reach
nothing but the values, and do bounded work. Functions of rules that need no conversation and no
model may be called. A condition that has no value for some case (`'none' > 4`) is an error that
names the values, and never a guess.

A case that breaks a constraint is **repaired**, and its vector written back:

1. what constraints assign (`drop`, `set`) is assigned, in their order, until nothing changes;
2. else the fewest other values are changed: ordinal ones as little as may be, those that only
   say which cases a constraint is about (`when`) last;
3. where that takes too long, values are changed at random (with a seed made from the case), and
   what need not have been changed is taken back; at last all combinations are tried.

A case that breaks none stays as it is, so that repairing twice changes no more than once.
Reading a file finds contradictions: a space without cases, and each value that no case can have,
with the smallest set of constraints to blame. Sizes are counted exactly, by elimination of
variables, where no constraint has to do with more than 250,000 combinations at once; else they are
estimated from a sample, with a 95 % interval, and said to be.
"""
STRATEGIES = """\
Strategies, of any package, make cases with `sparring_plugins.search.space.CaseSpace`: it takes any scenario of any
player and the strategy's own context, and needs no knowledge of files or players.
"""
WRITERS = """\
| writer | |
| --- | --- |
| `template` | needs no model: a grammar of the domain, in a file that the space names |
| `model` | asks the suite's language model, and checks that the content is really in its words |

A writer of your own is an agent with the role `writer` (`WriteTask` to `Utterance`).
"""
PERTURBATIONS = """\
A perturbation is an agent with the role `perturbation` (`PerturbTask` to `Perturbed`), listed as
`perturbation.NAME` among the entry points `sparring.agents` and derived most easily from
`sparring_plugins.search.roles.Perturbation`. It declares whether what is said still means the
same. Words that carry content stay, letter for letter but for their case, unless its setting
`spare` is false. Chance comes from the case's seed. What it did is counted in `Trace.meta`.
"""
META = """\
| key of `Trace.meta` | |
| --- | --- |
| `space`, `features`, `labels` | the space, the value of each feature, and its label |
| `vector` | the case in numbers |
| `utterance`, `written` | what was said (first), and what the writer wrote before perturbations |
| `spoken` | for each content feature the words that say it |
| `perturbations` | `feature`, `use`, `changes` of `places`, `what` (old and new), `keeps_meaning` |
| `examples` | the real utterances that the writer was shown |
| `goals`, `goals_met`, `goals_unmet` | of a conversation |
"""

Text = Callable[[Any], str]
Fields = Callable[[Any], str]
Describe = Callable[[type], str]


def page(text: Text, fields: Fields, describe: Describe) -> str:
    """The file, the encoding, constraints, writers, perturbations, the bundled spaces."""
    parts = ["# Feature spaces\n", LEAD, "## The file\n", fields(file_model.SpaceEntry)]
    for title, model in (
        ("A feature", file_model.FeatureEntry),
        ("A value", file_model.ValueEntry),
        ("A constraint", file_model.ConstraintEntry),
        ("A conversation", file_model.ConversationEntry),
    ):
        parts += [f"### {title}\n", text(model), fields(model)]
    parts += ["## Encoding\n", ENCODING, "## Constraints and repair\n", CONSTRAINTS]
    parts += [STRATEGIES, describe(CaseSpace)]
    parts += ["## The player `prompter`\n", text(player.Prompter), fields(player.PrompterConfig)]
    parts += [META, "## Writers\n", WRITERS, "### Templates\n", text(templates)]
    parts += [f"{text(templates.Hole)}\n{text(templates.Alternative)}"]
    parts += [fields(templates.Templates), fields(templates.Alternative)]
    parts += [fields(templates.Rewrite), "## Perturbations\n", PERTURBATIONS]
    parts += list(_perturbations(text))
    parts += ["## Spaces that are ready\n", *_bundled()]
    return "\n".join(parts)


def _perturbations(text: Text) -> list[str]:
    rows = ["| perturbation | keeps meaning | |", "| --- | --- | --- |"]
    for item in catalog.listings(AGENTS):
        if item.package == "sparring" and item.name.startswith("perturbation."):
            found: Any = drivers.load(GROUPS[AGENTS], item.name)
            name = item.name.removeprefix("perturbation.")
            first = text(found).partition("\n\n")[0].replace("\n", " ").strip()
            rows.append(f"| `{name}` | {'yes' if found.keeps_meaning else 'no'} | {first} |")
    return ["\n".join(rows) + "\n", text(Perturbation)]


def _bundled() -> list[str]:
    context, lines = FakeContext(), []
    for name in list_bundled():
        space = load_bundled(name, context)
        cases = CaseSpace(space.scenario(), context)
        lines += [f"### {name}\n", f"{space.about[:1].upper()}{space.about[1:]}.\n"]
        lines += [(f"{len(space.features)} features, {cases.size:,} combinations, of which "
                  f"{cases.count().number:,} satisfy the constraints.\n")]  # fmt: skip
        lines += [f"- {' '.join(note.split())}" for note in space.notes]
        lines += ["", "| feature | group | values |", "| --- | --- | --- |"]
        for one in space.features:
            shown = ", ".join(value.shown for value in one.values)
            order = " (ordinal)" if one.scale == "ordinal" else ""
            lines.append(f"| `{one.name}` | {one.group} | {shown}{order} |")
        lines.append("")
    return ["\n".join(lines)]
