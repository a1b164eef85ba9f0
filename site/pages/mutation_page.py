"""The page on mutation testing, of which `generate.py` makes ``reference/mutation.md``."""

from collections.abc import Callable
from typing import Any

from sparring.discovery import catalog
from sparring.discovery.drivers import load_value
from sparring.discovery.groups import MUTATORS, RUN_MUTATORS
from sparring_plugins.mutation import model as mutation
from sparring_plugins.mutation import plan
from sparring_plugins.mutation import session as running

LEAD = f"""\
`sparring mutate` puts one fault at a time into a chatbot's definition, starts the chatbot from
it, and plays a suite. A fault that the suite notices is a *killed* mutant, one that it does not
is *live*: there a rule or a profile is missing. How to go about it is in [Find what your suite
misses](../how-to/find-what-your-suite-misses.md).

1. The suite is played against the **original**. A gating check that fails on it, or cannot be
   made, ends the run with exit code 1, unless it is listed under `known`; an original that does
   not start or a suite that cannot be played ends it with 2. Nothing is ever scored against an
   original that fails.
2. Each mutant gets a folder of its own with the whole definition, a free port, and a process
   group that is gone when the mutant is through, also after Ctrl-C, and after a kill of
   `sparring` itself.
3. A mutant is **killed** by gating checks that fail on it and did not fail on the original:
   rules, and generic failures such as a crash or a loop.
4. The **score** is killed / (killed + live). What did not start, did not end or could not be
   judged is counted on its own, and never as found.

Without a `timeout` a mutant may take {running.TIMES_ORIGINAL:g} times as long as the original,
and {running.LEAST_S:g} seconds at least.

`sparring mutate --web` puts faults into a [web app](#web-apps) that is running, and needs no
source of it.
"""
FATES = """\
| fate | when | counts for the score |
| --- | --- | --- |
| `killed` | a gating check fails that does not on the original, and is not in `ignore` | yes |
| `live` | everything was played, and no such check failed | yes |
| `equivalent` | as live, and marked as no fault; a marked one that is killed is `killed` | no |
| `noticed` | of web apps: no check failed, but one is inconclusive that is decided on the original | as not killed |
| `invalid` | the chatbot did not start: it ended before it was ready, or `prepare` failed; of web apps also: the fault never took effect | no |
| `timeout` | chatbot or suite did not come to its end in time | no |
| `error` | the suite failed, stopped early, or a gating check ended in an error | no |
"""
MARKS = """\
Mutants that are no faults are listed below `equivalent`, or in a file of its own that is named
there. The name of a mutant has the operator and a hash of file, place and change: it stays the
same while other parts of the definition change. A mark that fits no mutant any more is warned of.
"""
RESULTS = """\
A folder of its own below `runs`:

| file | holds |
| --- | --- |
| `report.json` | the run as below, for programs |
| `report.html` | live mutants with their diffs, tables by operator and check, what killed each |
| `mutation.json` | what the run is: mutants, seed, the original, SHA-256 of definition and plan |
| `results.jsonl` | a line for each mutant that is through; `--resume` goes on after the last |
| `runs/` | conversations of the original and of mutants not killed; with `--keep` of all |

`--resume` refuses a run whose definition, plan, suite, profiles or rules have changed since. With
`--first-kill`, or `first_kill: true`, a mutant's conversations stop at the first that fails
(where the original has conversations with known failures, at the first beyond their number; if
that kills nothing, all are played). The score is the same; which *other* checks would have found
a mutant is then not known.

| exit code | meaning |
| --- | --- |
| 0 | played; the score is not below `--min-score` |
| 1 | the original fails, or the score is below `--min-score`, or there is none to compare |
| 2 | the mutation file, the suite or the original is wrong; no mutant was run |
| 3 | the score is not below `--min-score`, but the suite could not judge some mutants (`error`) |
| 5 | the operators find nothing to change, or no mutant counts for a score |
| 130 | interrupted; what is finished is kept, `--resume` goes on |
"""
WEB = """\
## Web apps

`sparring mutate --web [SUITE]` plays the suite once, looks at what it did (the elements acted
upon, the texts that showed that assertions hold, the requests to the app), and derives faults
from that. Each is put between app and browser by the connector's setting `faults`: by a script
in the page, or in the place of the server's answer. The app itself stays as it is.

- `--list` plays the original, shows the mutants, and stores them; `--resume` plays them.
- An original with a failing, undecided or broken gating check gets no score.
- A fault counts only if it *took effect*: the page or the request that it is for was met, the
  element was there, the value was sent. Else the mutant is `invalid`.
- A mutant that no assertion fails on, but a step cannot be carried out on (or an assertion
  cannot be decided), is `noticed`: the suite does not pass, and does not say that the app is
  wrong. The score counts it as not killed; the table *detected* counts both.
- Equal runs of the original give equal mutants; the seed chooses where there is a limit. Ids in
  paths (numbers, hashes) are left out, since they may differ between runs.
- A live mutant is `vacuous` if the assertions behind the fault were true before the last action,
  too, `not covered` if there are none or they look at something else, and has `no effect` if they
  saw the same texts and states as without it. The reports show which, and because of which
  assertions.
- The report tells per kind of fault how many were detected, shows live mutants with pictures of
  the page without and with the fault, and names the assertions that say little: those that were
  true before the last action, too, or on every page of their test case.

The file `web-mutation.yaml` beside the suite may be left out. Without `app` in it, the app that
the suite names has to be running, and mutants are played one at a time, since they share its
data: then `reset` in the suite's `app` should put the data back before each case. With `app` each
mutant has an app of its own.

The faults can be put into a suite by hand, too: see `faults` among the settings of the connector
[`browser`](suite.md).
"""
OWN_WEB = """\
An entry point of the group `sparring.run_mutators` names a `RunMutator`: operators that get the
conversations with the original, and offer settings of the suite that put a fault in.
"""
OWN = """\
## Operators of your own

An entry point of the group `sparring.mutators` names a `Mutator`: operators that get the plain
data of all files of a definition, and offer changes. The text of a file is edited in place:
comments, order and layout of everything else stay as they are.
"""


def page(text: Callable[[Any], str], fields: Callable[[Any], str]) -> str:
    """The page, with the ways in which `generate.py` writes docstrings and keys."""
    parts = ["# Mutation testing\n", LEAD, "## Fates\n", FATES]
    parts += ["## The mutation file\n", text(plan.MutationPlan), fields(plan.MutationPlan)]
    for title, model in (
        ("How the app is started", plan.AppStart),
        ("Which operators", plan.MutatorUse),
        ("An equivalent mutant", plan.Marked),
    ):
        parts += [f"### {title}\n", text(model), fields(model)]
    parts += [MARKS, "## What comes of it\n", RESULTS, "## The operators\n", *_mutators()]
    parts.append(OWN)
    for item in (mutation.Mutator, mutation.Operator, mutation.Change, mutation.Replace,
                 mutation.Delete, mutation.Swap):  # fmt: skip
        parts += [f"### {item.__name__}\n", text(item)]
    parts += [WEB, "### The mutation file of a web app\n", text(plan.WebPlan), fields(plan.WebPlan)]
    parts += [*_mutators(RUN_MUTATORS), OWN_WEB]
    for running_item in (mutation.RunMutator, mutation.RunOperator, mutation.SuiteChange,
                         mutation.Effect):  # fmt: skip
        parts += [f"### {running_item.__name__}\n", text(running_item)]
    parts.append("## The report as JSON\n")
    for stored in (mutation.MutationRun, mutation.Mutant, mutation.MutantResult, mutation.Killer,
                   mutation.Survival, mutation.OriginalResult, mutation.Vacuous):  # fmt: skip
        parts += [f"### {stored.__name__}\n", text(stored), fields(stored)]
    return "\n".join(parts)


def _mutators(group: str = MUTATORS) -> list[str]:
    parts: list[str] = []
    for item in catalog.listings(group):
        if item.package != "sparring":
            continue
        found: mutation.Mutator | mutation.RunMutator = load_value(group, item.name)
        rows = [f"| `{one.name}` | {one.about} |" for one in found.operators]
        parts += [f"### {item.name}\n", f"{found.about}\n", "| operator | changes |\n| --- | --- |"]
        parts += [*rows, ""]
    return parts
