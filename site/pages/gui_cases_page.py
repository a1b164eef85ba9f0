"""The page on files of test cases, of which `generate.py` makes ``reference/gui-test-cases.md``."""

from collections.abc import Callable
from typing import Any

from sparring_plugins.web.suites.yaml_file import CaseEntry, CaseFile, StepEntry

TEXT = """\
# Files of test cases in plain language

A test case is a list of [steps](grammar.md): what to do on a page, and what must then hold. A file holds
any number of them, in YAML. The published tool's JSON is read too.

```yaml
# file: cases.yaml
name: Shop
start: http://127.0.0.1:8000/shop/     # where each case begins
tags: [shop]
variables: {user: ada}                 # stand in steps as %user%
secrets: [password]                    # only names: the suite's app gives the values
setup:                                 # before each case
  - Click on 'Accept all'
teardown:                              # after each case, also a failed one
  - Click on 'Log out'

tests:
  - name: Log in
    tags: [login]
    start: login                       # below the file's start
    steps:
      - Type in '%user%' in the field 'User name'
      - Type in '%password%' in the field 'Password'
      - Click on 'Log in'
      - Assert that 'Welcome' is displayed
      - {step: Assert that 'Error' is displayed, expected: fail}

  - name: Prices
    steps: |                           # a step per line: nothing needs to be quoted for YAML
      Click on '%product%'
      Assert that 'Price: %price%' is displayed
      Assert that the page has more than 3 sentences containing the term '%product%'
    data:                              # the case is played once per row
      - {product: iMac, price: $122.00}
      - {product: MacBook, price: $602.00}
```

Look at it before you run it:

```console
$ sparring lint cases.yaml
> nothing is doubtful
```

## The file

FILE
## A test case

CASE
Names need not differ: the second *Log in* is called *Log in (2)*. A row of a table has its column `name`, else its
values, in brackets behind the name of the case. A CSV file of rows has the names of variables in its first line.

`${NAME}` and `${NAME:-otherwise}` stand for environment variables in any text of the file.

## A step

STEP
A sentence with a colon and a blank is no plain text for YAML: put it in double quotes as a whole, or write the
steps below `steps: |`. There `#` at the start of a line begins a comment.

A sentence that asks for several things gives several steps, with the same line.

## What is expected

An assertion is expected to hold, unless `expected` says `fail` (or `false`, or `0`): for one step beside it, or for all at
once with a list. The list has a value per assertion, or a value per step; which of the two is seen from how many there
are. The values of actions say whether the step is expected to be possible: `sparring calibrate` needs them.

## Variables and secrets

The value of a variable is filled in before the case is played, and a value with quotes in it cannot change what the
step does. A secret stays `%password%`: its value is in the suite, and is seen by no language model, log or report.

```yaml
app:
  use: browser
  secrets: {password: SHOP_PASSWORD}   # the name of an environment variable
```

## Values that a search chooses

```yaml
# file: cart.yaml
tests:
  - name: The cart adds up
    steps: |
      Click on '%article%'
      Fill the field 'Quantity' with '%pieces%'
      Click on 'Add to cart'
      Assert that '%article% added to your cart' is displayed
    vary:
      article: [Stoneware teapot, Glass teapot, Hand mill]
      pieces: [1, 2, 3]
    where:
      - article != 'Glass teapot' or pieces in ['1', '2']
```

What `vary` names is left to the strategy of the suite: `exhaustive` plays all combinations that satisfy `where`,
`t-wise` covers them by few, `nsga2` and `map-elites` go where assertions fail. `where` is in
[the language of rules](rules.md); all values are texts there. An assertion is called as it is written (`'%article%'` and
all), so that reports and `sparring shrink` see one assertion that fails with some values. Such steps are not frozen.
`examples/shop/search.yaml` is such a suite.

## The published JSON

```json
[
  {"name": "Log in",
   "actions": ["Open the website 'http://127.0.0.1:8000/'",
               "Click on 'Log in'",
               "Assert that 'Welcome' is displayed"],
   "expected": [1]}
]
```

A line is always one step here, so that the indices of `expected` stay right. `expected` has one value per
assertion, or one per action, the first one included: it is seen from how many there are, and `sparring lint` says
which it was. Without `expected`, every assertion is expected to hold. Names written twice, blanks too many, unclosed
quotes and unknown keys are survived and noted.

## What `sparring lint` finds

| kind | what it means | severity |
| --- | --- | --- |
| `not-understood` | the sentence has no known form; the nearest one is named | error |
| `several-steps` | a line of the JSON holds several steps | error |
| `empty` | there is nothing to do | error |
| `two-readings` | the step can be read in several ways; all are listed | warning |
| `exactly-or-at-least` | a bare number: *3 times* may be either | warning |
| `unclosed-quote` | a quote is not closed; how it was read is said | warning |
| `unquoted-target`, `unquoted-value` | words that should be in quotes | warning |
| `no-assertion` | the case asserts nothing: it cannot fail | warning |
| `action-after-assertions` | steps after the last assertion, whose outcome nothing looks at | warning |
| `duplicate-name` | two cases have the same name | warning |
| `expected-indexing` | how `expected` was read | note |
| `unknown-variable` | a variable that the file does not give | note |
| `dirty` | blanks too many, unknown keys, no name | note |

It exits with 0, with 1 where there is an error, and with `--strict` also where there is a warning. `--format json` is for
machines, `--no-notes` leaves notes out.
"""


def page(fields: Callable[[Any], str]) -> str:
    """The page; `fields` makes the table of a model's keys."""
    text = TEXT
    for mark, model in (("FILE", CaseFile), ("CASE", CaseEntry), ("STEP", StepEntry)):
        text = text.replace(f"\n{mark}\n", f"\n{fields(model)}\n", 1)
    return text
