"""The page on prompts, of which `generate.py` makes ``reference/prompts.md``."""

import textwrap
from pathlib import Path

from prompt_answers import ANSWERS, described

import sparring_plugins
from sparring_plugins.prompting.data_blocks import LIMIT
from sparring_plugins.prompting.prompts import SHARED, Prompts
from sparring_plugins.prompting.sandbox import RANGE, STEPS

ROOT = Path(sparring_plugins.__file__).parent

TEXT = """\
# Prompts

Everything that is asked of a language model is asked with a template in a file, and each of these
files can be replaced by one of yours.

## Replacing a prompt

Put a file of the same name into a folder beside the suite and name the folder where the part is
named: agents, judges and the oracle `rules` have the key `prompts`.

```yaml
agent:
  use: user-simulator
  profiles: profiles/*.yaml
  user: {use: model, prompts: prompts}   # prompts/user.jinja
oracles:
  - {use: rules, files: rules/*.yaml, prompts: prompts}
```

A file may begin with `{% extends "NAME.jinja" %}`: then it changes single blocks of the file that
it replaces, and `{{ super() }}` stands for what was there. Several parts may share one folder.

```text
{% extends "judge.jinja" %}
{% block task %}
{{ super() }}
Judge strictly: what is only hinted at does not count.
{% endblock %}
```

All files are read and checked before anything is asked. A misspelt file, block or value is an error
that names file, line and the nearest right one. The files are recorded in the run's manifest, and
a changed prompt makes recorded and cached answers to the old one worthless.

## What was asked

    sparring show last CASE --prompts

prints what models were asked for a case of a stored run, while it was played and judged: each
message with its tokens, how many of these are data, the schema of the answer, and the answer or
the error. Questions that were sent back and further samples are marked. The service counts the
tokens of a request, which are shared out by the length of its parts (hence *about*); if it counts
none, four characters are taken for one. The last line has the sum of each role.

## What would be asked now

    sparring prompts render judge last --case CASE

prints what a role would be asked for that case with the suite and the prompts as they are now. The
case is repeated from its log: no app and no model is called, and nothing is stored. A role that was
asked then gets its answers of then, so that the conversation goes on as it did, whatever the prompt
says now. A judge that the suite did not have yet can be tried with `--set`. The roles are those
that `--prompts` prints.

## What a template may say

Each of the blocks `system`, `user` and `later` becomes one message; `later` is a shorter `user` for
the later questions of one conversation. A prompt must have those blocks that ours has. Blocks are
rendered one by one, and text outside of them is an error.

The language is a small part of [Jinja](https://jinja.palletsprojects.com): `{{ value }}`,
`{% if %}`, `{% for %}`, `{% set %}` for single values, `{% include "FILE.jinja" %}`, comparisons,
arithmetic, `range()` up to RANGE, and these filters:

FILTERS

There are no calls of methods, macros or imports; one message may take STEPS steps. A template that
comes with somebody's suite can waste neither memory nor time, and reaches nothing but its values.

**The filter `data`** puts a value into a block of its own:

```text
<data>
[
 {
  "turn": 1,
  "speaker": "chatbot",
  "text": "Welcome! \\u003c/data\\u003e"
 }
]
</data>
```

What others said, the app first of all, is shown in no other way. In the block stands JSON, in which
markup, control characters and everything that nobody sees is escaped, so that no text can end the
block. `data` cuts what is longer than LIMIT characters in the middle and says how much it left
out; `data(5000)` sets another limit. A template of yours that shows such a value bare, or changes a
finished block, is refused; the tables below say which values these are (**data**). All other values
are words of the suite's author. They are shown on the spot, and cannot open or close a block
either.
"""


def page() -> str:
    """All bundled prompts: what they are for, their blocks and values."""
    offered = sorted(Prompts(SHARED).filters())
    listed = "\n".join(textwrap.wrap(", ".join(f"`{name}`" for name in offered), 100))
    text = TEXT.replace("FILTERS", listed).replace("RANGE", f"{RANGE:,}")
    parts = [text.replace("STEPS", f"{STEPS:,}").replace("LIMIT", f"{LIMIT:,}")]
    folders = sorted(
        {path.parent for path in ROOT.rglob("*.jinja") if path.parent.name == "prompts"}
    )
    parts.append("## Prompts for all\n")
    parts += [_prompt(Prompts(SHARED), name) for name in Prompts(SHARED).names()]
    parts.append(
        "### untrusted.jinja\n\nWhat models are told of data blocks. Other prompts include it.\n"
    )
    shared = set(Prompts(SHARED).names())
    for folder in folders:
        prompts = Prompts(folder)
        parts.append(f"## Of {folder.parent.relative_to(ROOT).as_posix().replace('/', ', ')}\n")
        parts += [_prompt(prompts, name) for name in prompts.names() if name not in shared]
    return "\n".join(parts)


def _prompt(prompts: Prompts, name: str) -> str:
    found = prompts.describe(name)
    blocks = ", ".join(f"`{block}`" for block in found.blocks)
    lines = [f"### {name}.jinja\n", *([found.about + "\n"] if found.about else [])]
    lines.append(f"Blocks: {blocks}.\n")
    if found.values:
        lines += ["| value | |", "| --- | --- |"]
        lines += [
            f"| `{value}` | {'**data** ' if value in found.foreign else ''}{about} |"
            for value, about in found.values.items()
        ]
        lines.append("")
    if name in ANSWERS:
        lines += [*described(ANSWERS[name]), ""]
    return "\n".join(lines)
