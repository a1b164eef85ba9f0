"""Profiles that cannot be used, each with the message that its author reads."""

from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring_plugins.users.profiles.profile_files import MOST_PROBLEMS, read_profiles

GOOD = """\
test_name: order
user:
  role: a customer
  goals:
    - "a {{size}} pizza"
    - size:
        function: forward()
        type: string
        data: [small, big]
chatbot:
  fallback: Sorry?
  output:
    - price:
        type: money
        description: the price
conversation:
  number: 2
  goal_style:
    steps: 5
  interaction_style:
    - default
"""

#: What of the good profile is replaced (None: all of it), by what, and what is said of it.
INVALID = [
    pytest.param(
        None,
        "",
        ["order.yml: expected a profile with test_name, user and conversation; the file is empty"],
        id="empty",
    ),
    pytest.param(
        None,
        "- a\n- b\n",
        ["order.yml:1: expected a profile with test_name, user and conversation; found ['a', 'b']"],
        id="list",
    ),
    pytest.param(
        None,
        "hello",
        ["order.yml:1: expected a profile with test_name, user and conversation; found 'hello'"],
        id="text",
    ),
    pytest.param(
        "conversation:",
        "conversatoin:",
        [
            "order.yml:16: conversatoin: unknown key. Did you mean 'conversation'? Known: LLM, ask_about, chatbot, context, conversation, done_when, fallback, goals, is_starter, isstarter, language, llm, output, outputs, role, tags, temperature, test_name, user."
        ],
        id="top key",
    ),
    pytest.param(
        "  role: a customer",
        "  rol: a customer",
        [
            "order.yml:3: user.rol: unknown key. Did you mean 'role'? Known: ask_about, context, done_when, goals, language, role."
        ],
        id="user key",
    ),
    pytest.param(
        "  fallback: Sorry?",
        "  fallbak: Sorry?",
        [
            "order.yml:11: chatbot.fallbak: unknown key. Did you mean 'fallback'? Known: fallback, fallbacks, is_starter, output, outputs."
        ],
        id="chatbot key",
    ),
    pytest.param(
        "  number: 2",
        "  numbr: 2",
        [
            "order.yml:17: conversation.numbr: unknown key. Did you mean 'number'? Known: cost, goal_style, interaction_style, number, stop_condition."
        ],
        id="conv key",
    ),
    pytest.param(
        "  fallback: Sorry?",
        "  fallback: Sorry?\n  role: x",
        ["order.yml:12: chatbot.role: unknown key; 'role' belongs below 'user'"],
        id="misplaced",
    ),
    pytest.param(
        "test_name: order",
        "test_name: order\nnumber: 4",
        ["order.yml:2: number: unknown key; 'number' belongs below 'conversation'"],
        id="misplaced top",
    ),
    pytest.param(
        "    - default",
        "    - default\nask_about:\n  - x",
        ["order.yml:22: ask_about: says again what user.goals on line 4 says"],
        id="twice goals",
    ),
    pytest.param(
        None,
        "test_name: x\nuser: [a]\n",
        [
            "order.yml:2: user: expected keys and values, found ['a']",
            "order.yml:2: user.goals: missing: a profile has at least one goal",
        ],
        id="user list",
    ),
    pytest.param(
        "conversation:\n  number: 2\n  goal_style:\n    steps: 5\n  interaction_style:\n    - default",
        "conversation: often",
        ["order.yml:16: conversation: expected keys and values, found 'often'"],
        id="conv text",
    ),
    pytest.param(
        None,
        "test_name: x\nuser:\n  role: y\n",
        ["order.yml:2: user.goals: missing: a profile has at least one goal"],
        id="no goals",
    ),
    pytest.param(
        '  goals:\n    - "a {{size}} pizza"',
        "  goals:",
        ["order.yml:4: user.goals: missing: a profile has at least one goal"],
        id="empty goals",
    ),
    pytest.param(
        None,
        "user:\n  goals: 5\n",
        ["order.yml:2: user.goals: expected a goal, found 5 (put it in quotes)"],
        id="goals num",
    ),
    pytest.param(
        '    - "a {{size}} pizza"',
        '    - "a {{size}} pizza"\n    - 10:30',
        [
            "order.yml:6: user.goals[1]: expected a goal, found 630 (YAML reads an unquoted time such as 10:30 as a number: put it in quotes)"
        ],
        id="goal int",
    ),
    pytest.param(
        '    - "a {{size}} pizza"',
        '    - "a {{size}} pizza"\n    - tell me: the price',
        [
            "order.yml:6: user.goals[1].tell me: expected a variable with function, type and data, found 'the price'; a goal with a colon needs quotes"
        ],
        id="goal colon",
    ),
    pytest.param(
        '    - "a {{size}} pizza"',
        '    - "a {{size}} {{sise}} pizza"',
        [
            "order.yml:5: user.goals[0]: uses an undeclared variable 'sise'. Did you mean 'size'? Known: size."
        ],
        id="undeclared",
    ),
    pytest.param(
        '    - "a {{size}} pizza"',
        '    - "a {{size}} pizza"\n    - size:\n        function: forward()\n        data: [a]',
        ["order.yml:9: user.goals[2].size: the variable is declared twice (first on line 6)"],
        id="declared twice",
    ),
    pytest.param(
        "        function: forward()",
        "        functon: forward()",
        [
            "order.yml:7: user.goals[1].size.functon: unknown key. Did you mean 'function'? Known: data, function, selector, type."
        ],
        id="var key",
    ),
    pytest.param(
        "        function: forward()",
        "        function: forwrd()",
        [
            "order.yml:7: user.goals[1].size.function: unknown selector 'forwrd'. Did you mean 'forward'? Known: another, default, forward, random."
        ],
        id="selector",
    ),
    pytest.param(
        "        function: forward()",
        "        function: [a]",
        [
            "order.yml:7: user.goals[1].size.function: expected a selector such as forward(), found ['a']"
        ],
        id="selector type",
    ),
    pytest.param(
        "        function: forward()",
        "        function: forward()\n        selector: another()",
        ["order.yml:8: user.goals[1].size.selector: says again what function says"],
        id="both selectors",
    ),
    pytest.param(
        "        type: string",
        "        type: strin",
        [
            "order.yml:8: user.goals[1].size.type: unknown type 'strin'. Did you mean 'string'? Known: date, float, int, string, time."
        ],
        id="type",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: string",
        ["order.yml:6: user.goals[1].size: has no data: give its values"],
        id="no data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: []",
        ["order.yml:9: user.goals[1].size.data: the list of values is empty"],
        id="empty data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: [yes, no]",
        [
            "order.yml:9: user.goals[1].size.data[0]: expected text, found True (YAML reads an unquoted yes, no, on or off as true or false: put it in quotes)",
            "order.yml:9: user.goals[1].size.data[1]: expected text, found False (YAML reads an unquoted yes, no, on or off as true or false: put it in quotes)",
        ],
        id="bool data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: [10:30, 11:00]",
        [
            "order.yml:9: user.goals[1].size.data[0]: expected text, found 630 (YAML reads an unquoted time such as 10:30 as a number: put it in quotes)",
            "order.yml:9: user.goals[1].size.data[1]: expected text, found 660 (YAML reads an unquoted time such as 10:30 as a number: put it in quotes)",
        ],
        id="time data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: [1, 2]",
        [
            "order.yml:9: user.goals[1].size.data[0]: expected text, found 1 (put it in quotes)",
            "order.yml:9: user.goals[1].size.data[1]: expected text, found 2 (put it in quotes)",
        ],
        id="int data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: [2025-01-01]",
        [
            "order.yml:9: user.goals[1].size.data[0]: expected text, found 2025-01-01 (put it in quotes)"
        ],
        id="date data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: [small, null]",
        ["order.yml:9: user.goals[1].size.data[1]: expected text, found None"],
        id="null data",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: [[small], big]",
        ["order.yml:9: user.goals[1].size.data[0]: expected text, found ['small']"],
        id="nested data",
    ),
    pytest.param(
        "        type: string",
        "        type: int",
        [
            "order.yml:9: user.goals[1].size.data[0]: expected a whole number, found 'small'",
            "order.yml:9: user.goals[1].size.data[1]: expected a whole number, found 'big'",
        ],
        id="int text",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: [1, 2.5]",
        ["order.yml:9: user.goals[1].size.data[1]: expected a whole number, found 2.5"],
        id="int float",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: float\n        data: [.inf]",
        ["order.yml:9: user.goals[1].size.data[0]: inf is no number to use"],
        id="float inf",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {min: 1, max: 3}",
        [
            "order.yml:9: user.goals[1].size.data: a range is of type int or float, not string: {'min': 1, 'max': 3}"
        ],
        id="range of text",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 1}",
        ["order.yml:9: user.goals[1].size.data: the range has no max"],
        id="range no max",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 1, max: 3, stp: 1}",
        [
            "order.yml:9: user.goals[1].size.data: unknown key 'stp' in the range. Did you mean 'step'? Known: count, linspace, max, min, step."
        ],
        id="range key",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 3, max: 1}",
        ["order.yml:9: user.goals[1].size.data: min 3 is greater than max 1"],
        id="range reversed",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 1, max: 3, step: 0}",
        ["order.yml:9: user.goals[1].size.data: the step must be greater than 0, found 0"],
        id="range step 0",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 1, max: 3, step: -1}",
        ["order.yml:9: user.goals[1].size.data: the step must be greater than 0, found -1"],
        id="range step neg",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 1, max: 1000000000}",
        [
            "order.yml:9: user.goals[1].size.data: gives 1,000,000,000 values; at most 100,000 are allowed"
        ],
        id="range huge",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: int\n        data: {min: 1, max: 3.5}",
        ["order.yml:9: user.goals[1].size.data: expected whole numbers, found max: 3.5"],
        id="range float",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: float\n        data: {min: 1, max: 3.5}",
        [
            "order.yml:9: user.goals[1].size.data: the range needs a step, or linspace with the number of values"
        ],
        id="float no step",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: float\n        data: {min: 1, max: 3.5, step: 1, linspace: 3}",
        ["order.yml:9: user.goals[1].size.data: step and linspace exclude each other"],
        id="float both",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: float\n        data: {min: 1, max: 3.5, linspace: 0}",
        [
            "order.yml:9: user.goals[1].size.data: expected a whole number of at least 1 for linspace, found 0"
        ],
        id="float linspace 0",
    ),
    pytest.param(
        "        type: string\n        data: [small, big]",
        "        type: float\n        data: {min: a, max: 3.5, step: 1}",
        ["order.yml:9: user.goals[1].size.data: expected a number for min, found 'a'"],
        id="float text",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {rndom: 3}}",
        [
            "order.yml:9: user.goals[1].size.data: unknown key 'rndom' in the dates. Did you mean 'random'? Known: custom, fake, random, range, set."
        ],
        id="date unknown",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: soon}",
        [
            "order.yml:9: user.goals[1].size.data: expected one or more of random, set, range, fake, custom, found 'soon'"
        ],
        id="date text",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {random: 0}}",
        [
            "order.yml:9: user.goals[1].size.data: expected a whole number from 1 to 100,000 for random, found 0"
        ],
        id="date random",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {set: tomorrow}}",
        [
            "order.yml:9: user.goals[1].size.data: expected >today(n) or <today(n) for set, found 'tomorrow'"
        ],
        id="date set",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {range: {min: 40/01/2025, max: 01/02/2025, step: day(1)}}}",
        [
            "order.yml:9: user.goals[1].size.data: expected a date for min (dd/mm/yyyy, yyyy-mm-dd, or today, today+n, today-n), found '40/01/2025'"
        ],
        id="date range",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {range: {min: 01/03/2025, max: 01/02/2025, step: day(1)}}}",
        ["order.yml:9: user.goals[1].size.data: min 01/03/2025 is later than max 01/02/2025"],
        id="date range2",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {range: {min: 01/01/2025, max: 01/02/2025}}}",
        ["order.yml:9: user.goals[1].size.data: the range of dates needs either step or random"],
        id="date range3",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {range: {min: 01/01/2025, max: 01/02/2025, step: week(1)}}}",
        [
            "order.yml:9: user.goals[1].size.data: expected day(n), month(n), year(n) or linspace(n) for step, found 'week(1)'"
        ],
        id="date range4",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {range: {min: 01/01/2025, max: 01/02/2025, step: day(0)}}}",
        [
            "order.yml:9: user.goals[1].size.data: expected a whole number from 1 to 100,000 for step, found 0"
        ],
        id="date range5",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {range: soon}}",
        [
            "order.yml:9: user.goals[1].size.data: expected min, max and step for range, found 'soon'"
        ],
        id="date range6",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {custom: 5}}",
        ["order.yml:9: user.goals[1].size.data: expected dates as text for custom, found 5"],
        id="date custom",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {fake: 100000}}",
        [
            "order.yml:9: user.goals[1].size.data: expected a whole number from 1 to 1,000 for fake, found 100000"
        ],
        id="date fake",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {date: {fake: 1}, min: 3}",
        ["order.yml:9: user.goals[1].size.data: date stands alone: put custom dates below it"],
        id="date and more",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {file: lists.py, function_name: f}",
        [
            "order.yml:9: user.goals[1].size.data: runs f() of the Python file 'lists.py': set `allow_python: true` below `agent:` in the suite if you trust it"
        ],
        id="python",
    ),
    pytest.param(
        "        data: [small, big]",
        "        data: {file: lists.py, function: f}",
        [
            "order.yml:9: user.goals[1].size.data: unknown key 'function'. Did you mean 'function_name'? Known: args, file, function_name."
        ],
        id="python key",
    ),
    pytest.param(
        "        function: forward()",
        "        function: forward(sizes)",
        [
            "order.yml:7: user.goals[1].size.function: forward(sizes) refers to an unknown variable. Did you mean 'size'? Known: size."
        ],
        id="unknown forward",
    ),
    pytest.param(
        "    - size:\n        function: forward()",
        "    - n:\n        function: random(2)\n        data: [a]\n    - size:\n        function: forward(n)",
        [
            "order.yml:10: user.goals[2].size.function: forward(n) refers to a variable that is random(2), not a forward()"
        ],
        id="non-forward",
    ),
    pytest.param(
        "    - size:\n        function: forward()",
        "    - n:\n        function: forward(size)\n        data: [a]\n    - size:\n        function: forward(n)",
        [
            "order.yml:7: user.goals[1].n.function: the variables refer to each other in a circle: n -> size -> n"
        ],
        id="cycle",
    ),
    pytest.param(
        "user:",
        "user:\n  language: Englsh",
        [
            "order.yml:3: user.language: unknown language 'Englsh'. Did you mean 'English'? Give its English name."
        ],
        id="language",
    ),
    pytest.param(
        "user:",
        "user:\n  language: 5",
        ["order.yml:3: user.language: expected text, found 5 (put it in quotes)"],
        id="language num",
    ),
    pytest.param(
        "  role: a customer",
        "  role: [a]",
        ["order.yml:3: user.role: expected text, found ['a']"],
        id="role list",
    ),
    pytest.param(
        "user:",
        "user:\n  context:\n    - personalty: x.yml",
        [
            "order.yml:4: user.context[0].personalty: expected a sentence (in quotes if it has a colon) or {personality: path}, found the key 'personalty'. Did you mean 'personality'?"
        ],
        id="context key",
    ),
    pytest.param(
        "user:",
        "user:\n  context:\n    - 5",
        ["order.yml:4: user.context[0]: expected a sentence, found 5 (put it in quotes)"],
        id="context num",
    ),
    pytest.param(
        "user:",
        "user:\n  context:\n    - personality: ok.yml\n    - personality: ok.yml",
        ["order.yml:5: user.context[1]: names a second personality; a profile has at most one"],
        id="persona two",
    ),
    pytest.param(
        "chatbot:",
        "chatbot:\n  is_starter: maybe",
        ["order.yml:11: chatbot.is_starter: expected true or false, found 'maybe'"],
        id="starter",
    ),
    pytest.param(
        "  fallback: Sorry?",
        "  fallback: {a: b}",
        [
            "order.yml:11: chatbot.fallback: expected text, found {'a': 'b'} (a text with a colon needs quotes)"
        ],
        id="fallback",
    ),
    pytest.param(
        "    - price:\n        type: money\n        description: the price",
        "    - price",
        [
            "order.yml:13: chatbot.output[0]: expected a name with type and description, found 'price'"
        ],
        id="output list",
    ),
    pytest.param(
        "        type: money",
        "        type: mony",
        [
            "order.yml:14: chatbot.output[0].price.type: unknown output type 'mony'. Did you mean 'money'? Known: bool, date, email, float, int, money, phone, str, time, url."
        ],
        id="output type",
    ),
    pytest.param(
        "        description: the price",
        "        descripton: the price",
        [
            "order.yml:15: chatbot.output[0].price.descripton: unknown key. Did you mean 'description'? Known: description, type."
        ],
        id="output key",
    ),
    pytest.param(
        "  output:",
        "  output:\n    - price: {type: int}",
        ["order.yml:14: chatbot.output[1].price: the output is declared twice"],
        id="output twice",
    ),
    pytest.param(
        "  number: 2",
        "  number: some",
        [
            "order.yml:17: conversation.number: expected a whole number, all_combinations, or sample(share), found 'some'"
        ],
        id="number",
    ),
    pytest.param(
        "  number: 2",
        "  number: 0",
        ["order.yml:17: conversation.number: must be at least 1, found 0"],
        id="number0",
    ),
    pytest.param(
        "  number: 2",
        "  number: sample(2)",
        [
            "order.yml:17: conversation.number: sample() takes a share above 0 and up to 1, found '2'"
        ],
        id="sample",
    ),
    pytest.param(
        "    steps: 5",
        "    stps: 5",
        [
            "order.yml:19: conversation.goal_style.stps: unknown goal style. Did you mean 'steps'? Known: all_answered, cost, default, random steps, steps."
        ],
        id="goal style",
    ),
    pytest.param(
        "    steps: 5",
        "    steps: many",
        [
            "order.yml:19: conversation.goal_style.steps: expected a whole number of at least 1, found 'many'"
        ],
        id="steps",
    ),
    pytest.param(
        "    steps: 5",
        "    steps: 5\n    random steps: 4",
        ["order.yml:20: conversation.goal_style.random steps: random steps stands alone"],
        id="steps both",
    ),
    pytest.param(
        "    steps: 5",
        "    all_answered: {limit: 0}",
        [
            "order.yml:19: conversation.goal_style.all_answered.limit: expected a whole number of at least 1, found 0"
        ],
        id="limit",
    ),
    pytest.param(
        "    steps: 5",
        "    all_answered: {export: 3}",
        [
            "order.yml:19: conversation.goal_style.all_answered.export: expected true or false, found 3"
        ],
        id="export",
    ),
    pytest.param(
        "    steps: 5",
        "    all_answered: {limt: 3}",
        [
            "order.yml:19: conversation.goal_style.all_answered.limt: unknown key. Did you mean 'limit'? Known: export, limit."
        ],
        id="all key",
    ),
    pytest.param(
        "  goal_style:\n    steps: 5",
        "  goal_style: 5",
        [
            "order.yml:18: conversation.goal_style: expected one of all_answered, steps, random steps, default, cost, found 5"
        ],
        id="goal style num",
    ),
    pytest.param(
        "    - default",
        "    - long frases",
        [
            "order.yml:21: conversation.interaction_style[0]: unknown interaction style 'long frases'. Did you mean 'long phrases'? Known: all questions, change language, change your mind, default, long phrases, make spelling mistakes, random, short phrases, single question."
        ],
        id="style",
    ),
    pytest.param(
        "    - default",
        "    - default: 5",
        [
            "order.yml:21: conversation.interaction_style[0]: the style 'default' takes no settings, found 5"
        ],
        id="style settings",
    ),
    pytest.param(
        "    - default",
        "    - change language",
        [
            "order.yml:21: conversation.interaction_style[0]: change language needs a list of languages: write {change language: [French, Spanish]}"
        ],
        id="style lang",
    ),
    pytest.param(
        "    - default",
        "    - change language: [klingo, Frensh]",
        [
            "order.yml:21: conversation.interaction_style[0].change language[0]: unknown language 'klingo'. Did you mean 'Kongo'? Give its English name.",
            "order.yml:21: conversation.interaction_style[0].change language[1]: unknown language 'Frensh'. Did you mean 'French'? Give its English name.",
        ],
        id="style lang2",
    ),
    pytest.param(
        "    - default",
        "    - random: []",
        [
            "order.yml:21: conversation.interaction_style[0].random: expected a list of styles to choose from, found []"
        ],
        id="random empty",
    ),
    pytest.param(
        "  interaction_style:",
        "  interaction_style:\n    - random: [default]",
        [
            "order.yml:20: conversation.interaction_style: random stands alone: put the other styles into its list"
        ],
        id="random not alone",
    ),
    pytest.param(
        "    - default",
        "    - default\nllm: {modl: x}",
        ["order.yml:22: llm.modl: unknown key. Did you mean 'model'? Known: model, temperature."],
        id="llm",
    ),
    pytest.param(
        "    - default",
        "    - default\nllm: {temperature: warm}",
        ["order.yml:22: llm.temperature: expected a number, found 'warm'"],
        id="llm temp",
    ),
    pytest.param(
        "    - default",
        "    - default\nllm: [x]",
        ["order.yml:22: llm: expected model and temperature, found ['x']"],
        id="llm list",
    ),
    pytest.param(
        "    - default",
        "    - default\ntemperature: warm",
        ["order.yml:22: temperature: expected a number, found 'warm'"],
        id="temperature",
    ),
    pytest.param(
        None,
        "user:\n  goals:\n    templates: [a]\n    input: [b]\n",
        [
            "order.yml:4: user.goals.input: unknown key. Did you mean 'inputs'? Known: inputs, templates."
        ],
        id="templates",
    ),
    pytest.param(
        None,
        "user:\n  goals:\n    templates: ['a {{x}}']\n    inputs: [x]\n",
        [
            "order.yml:3: user.goals.templates[0]: uses an undeclared variable 'x'. Known: none.",
            "order.yml:4: user.goals.inputs[0]: expected a variable with function, type and data, found 'x'",
        ],
        id="inputs",
    ),
    pytest.param(
        None,
        "user:\n  goals:\n    templates: [{a: b}]\n",
        [
            "order.yml:3: user.goals.templates[0]: expected a goal, found {'a': 'b'} (a text with a colon needs quotes)"
        ],
        id="templates map",
    ),
]


def messages(folder: Path, text: str | bytes) -> list[str]:
    file = folder / "order.yml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError) as caught:
        read_profiles([file], base_dir=folder, seed=1)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(("old", "new", "expected"), INVALID)
def test_a_profile_that_is_wrong_says_where_and_what_would_be_right(
    old: str | None, new: str, expected: list[str], tmp_path: Path
) -> None:
    (tmp_path / "lists.py").write_text("def f(): return ['a']\n")
    (tmp_path / "ok.yml").write_text("context: [a]\n")
    assert old is None or old in GOOD
    assert messages(tmp_path, new if old is None else GOOD.replace(old, new, 1)) == expected


def test_the_profile_that_the_table_breaks_is_good(tmp_path: Path) -> None:
    (tmp_path / "order.yml").write_text(GOOD)
    profile = read_profiles([tmp_path / "order.yml"], base_dir=tmp_path, seed=1)[0]
    assert profile.warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a: [1\n", "order.yml:2: is not valid YAML: while parsing a flow sequence"),
        (b"a: 1\n---\nb: 2\n", "order.yml:3: holds more than one YAML document"),
        (b"test_name: \xff\xfe", "order.yml:1: is not UTF-8 text"),
        (b"a: " + b"[" * 100 + b"]" * 100, "nested deeper than 60 levels"),
        (b"user: !!python/object/apply:os.system ls", "order.yml:1: is not valid YAML"),
        (b"user: &a [*a]", "an alias contains itself"),
        (b"a\0b: 1", "is not valid YAML"),
    ],
)
def test_what_is_no_yaml_text_is_refused(text: bytes, message: str, tmp_path: Path) -> None:
    assert message in messages(tmp_path, text)[0]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.yml: cannot be read: No such file"):
        read_profiles([tmp_path / "gone.yml"], base_dir=tmp_path, seed=1)


def test_only_the_first_of_many_problems_are_shown(tmp_path: Path) -> None:
    wrong = "".join(f"  wrong{number}: x\n" for number in range(500))
    found = messages(tmp_path, f"user:\n  goals: [hello]\n{wrong}")
    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1] == "order.yml: and 480 more"


@pytest.mark.parametrize(
    "text",
    [
        "user: {goals: ['" + "{{" * 200_000 + "']}",
        "user: {goals: ['{{" + " " * 400_000 + "']}",
        "user: {goals: ['{{a}}', {a: {function: forward(), data: ['" + "any(" * 100_000 + "']}}]}",
        "user: {goals: [hello], context: {personality: '" + "../" * 50_000 + "x'}}",
        "user: {goals: [hello], language: '" + "x" * 400_000 + "'}",
        "user: {goals: [hello], '" + "goals" * 80_000 + "': 1}",
        "conversation: {number: 'sample(" + "9" * 400_000 + ")'}",
        "conversation: {number: " + "9" * 4_000 + "}",
        "user: {goals: ['{{a}}', {a: {function: '" + "(" * 400_000 + "', data: [x]}}]}",
    ],
    ids=["holes", "blanks", "any", "path", "language", "key", "share", "number", "selector"],
)
@pytest.mark.parametrize("compat", [None, "sensei"])
def test_hostile_texts_take_no_time(text: str, compat: None, tmp_path: Path) -> None:
    file = tmp_path / "order.yml"
    file.write_text(text)
    try:
        read_profiles([file], base_dir=tmp_path, seed=1, compat=compat)
    except ConfigurationError as err:
        assert len(err.problems) <= 3  # noqa: PT017 -- some of the texts are valid
