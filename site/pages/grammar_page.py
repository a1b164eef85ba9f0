"""The page on the grammar of steps, of which `generate.py` makes ``reference/grammar.md``."""

from collections.abc import Iterable, Iterator

from sparring_plugins.web.grammar.actions.forms import forms
from sparring_plugins.web.grammar.everyday.sentences import everyday_forms
from sparring_plugins.web.grammar.examples import condition_examples
from sparring_plugins.web.grammar.phrases.vocabulary import BOXES, FIELDS, LISTS, WORDS
from sparring_plugins.web.grammar.steps import MOST_CHARACTERS, read_steps
from sparring_plugins.web.runner.clauses.reading import table

TEXT = """\
# The grammar of steps

A step is a sentence in English: *Click on the 'Add' link in the row of 'Groups'*. This page has every
form that is known, each with examples and with what they are read as, in canonical sentences. A
canonical sentence is read back as exactly the same. Every example is a test.

A sentence in another form is not guessed at: it has no reading, `sparring lint` says so before
anything is run and names the nearest known form, and only an agent with a language model tries it.

## What holds in every sentence

- **Quotes** are of any kind: `'x'`, `"x"`, `“x”`, `‘x’`, `„x“`, `«x»`, `` `x` ``. An apostrophe between
  letters closes nothing (`'Bleu d'Auvergne'`). A quote that is not closed ends where it was meant
  to, as far as that can be seen, and is reported.
- **Targets need no quotes**, but are reported without them: *Click on Vendors*.
- **Capitals, final dots, doubled blanks, list marks** (`1.`, `-`, `Step 3:`) and words of courtesy say nothing; so do
  *Given*, *When*, *Then*, *And* and subjects: *Then the user clicks on 'Save'*.
- **One sentence may give several steps**: *Enter 'Ada' into the field 'Name' and press Submit.* What is said once
  holds for all parts: *Check the boxes 'a', 'b' and 'c'*.
- **Variables** stand as `%name%`, in quotes or without.
- **Two ways to read** a step are both kept, the likeliest first, and reported.
- **What not to do** and texts of more than MOST characters are no steps. Acts may depend on a condition (*If …*), checks may not.
- **Dates** that count from today (*tomorrow*, *in 3 days*, *next Friday*) are written as the field takes them.

## Naming a target

| words | what they say |
| --- | --- |
| `'Save'`, `the 'Save' button`, `the button labelled 'Save'`, `the button with the text 'Save'` | its text, and what kind of control it is |
| `the second 'Add' link`, `the 2nd`, `the last`, `the second-to-last` | which one, in reading order |
| `in the row of 'Alice'`, `in the 'Alice' row`, `in the row where 'Name' is 'Alice'`, `for Customer 'Alice'`, `next to 'Alice'` | the table row, list item or card that it lies in |
| `in the dialog 'Confirm'`, `in the 'Address' form`, `under the heading 'Users'`, `in the footer` | the part of the page that it lies in |
| `exactly 'Save'` | the whole text, and no part of it |
| `all`, `every`, `both` | all that fit, one after the other |
| `test id 'pay'`, `the button with the css '.buy'`, `label 'Name'`, `the element with the placeholder 'x'` | one attribute to the letter; none or several is an error |
| `on this page`, `in the top right corner`, `below` | nothing: it is left out |

The kinds of control, and the words for them:

"""

ASSERTING = """\
## Assertions

An assertion begins with *assert*, *verify*, *check*, *ensure*, *make sure*, *confirm*, *validate* or *expect*, or is a plain
statement with *should* (*The 'Save' button should be disabled*). *Not*, *n't*, *no*, *never*, *no longer* and *it is false
that* say the opposite. A bare number of times is read as *exactly*, and reported, as it may mean *at least*.

"""


EVERYDAY = """\
## Everyday sentences

These are read as a whole; [Everyday sentences](everyday-sentences.md) says what each form means.

"""

WHOLE = """\
## Sentences whose parts belong together

*Find it, then act*, *copy it, then paste it*: if the parts of a sentence cannot be carried out one by one, the whole sentence is
matched with these forms, and all of it must fit. The thing is looked for on further pages, in folded parts and by the site's search; the
control is looked for in its row or card, in the menu there, or on its own page. Such a step is a guess on the page at hand, reported as
a weak reading is; where the page has several things of that name, several such controls or none, nothing is done.

"""


def page() -> str:
    """The page."""
    parts = [TEXT.replace("MOST", f"{MOST_CHARACTERS:,}"), _kinds(), "## Actions\n"]
    waits, *assertions = condition_examples()
    for group in (*forms(), waits):
        parts.append(f"### {group.title}\n\n{_table(group.examples)}")
    parts.append(ASSERTING)
    for group in assertions:
        parts.append(f"### {group.title}\n\n{_table(group.examples)}")
    parts.append(EVERYDAY)
    for form in everyday_forms():
        parts.append(f"### {form.title}\n\n{_table(form.examples)}")
    wholes = [form for form in table().forms if not form.ordinary]
    examples = dict.fromkeys(example for form in wholes for example in form.examples)
    parts.append(WHOLE + "".join(f"- {example}\n" for example in examples))
    return "\n".join(parts)


def _kinds() -> str:
    words: dict[str, list[str]] = {}
    for phrase, role in WORDS.controls.items():
        words.setdefault(role, []).append(" ".join(phrase))
    rows = [f"| `{role}`{_class(role)} | {', '.join(said)} |" for role, said in words.items()]
    return "| kind | words |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _class(role: str) -> str:
    for name, members in (("takes values", FIELDS - LISTS), ("a list", LISTS), ("a box", BOXES)):
        if role in members:
            return f" ({name})"
    return ""


def _table(examples: Iterable[str]) -> str:
    rows = [f"| {_cell(example)} | {'<br>'.join(_readings(example))} |" for example in examples]
    return "| sentence | read as |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _readings(example: str) -> Iterator[str]:
    for step in read_steps(example):
        yield " *or* ".join(_cell(reading.explanation) for reading in step.readings)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
