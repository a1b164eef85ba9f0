"""Translates checked expressions to trees of plain records and guarded functions.

In the translated tree there is no attribute, no name of the author's and no operation that can
grow: ``conv[0].price`` becomes ``c0['price']``, ``a + b`` becomes ``g_add(a, b)``, a loop
variable ``x`` becomes ``v_x``, and a function becomes a fixed name of the evaluator's table.
"""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from inspect import signature
from typing import Any, NoReturn

from sparring.documents.checking import nearest
from sparring_plugins.rules.parse.syntax import (
    BASICS,
    OVER_ALL,
    SENSEI_OVER_ALL,
    SPECIAL,
    ExpressionSource,
    Scope,
    refused,
)
from sparring_plugins.rules.values.operations import KINDS, KNOWN, unknown_method
from sparring_plugins.rules.values.record import PLAIN_FUNCTIONS, SHORT_FORMS, TURN_NAMES, Each

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "g_add",
    ast.Sub: "g_sub",
    ast.Mult: "g_mul",
    ast.Mod: "g_mod",
    ast.Pow: "g_pow",
    ast.BitAnd: "g_and",
    ast.BitOr: "g_or",
    ast.BitXor: "g_xor",
}
TURN_WORDS: dict[Each | None, tuple[str, ...]] = {
    "turn": ("turn", "previous"),
    "answer": ("turn", "previous", "answer"),
}
_PART_NAMES = frozenset({"year", "month", "day", "hour", "minute", "days"})


@dataclass(slots=True)
class Translation:
    """A translated tree and what it uses.

    `names` are (conversation, variable); `asked` those that `hasattr` or a default tests;
    `turn_names` those of the turn and of the one before; `functions` the library's; `projected`
    the calls over one of many conversations, and `tests` the expressions of `exists` and its like,
    each by its key; `constants` the values of parameters, by the names that stand for them.
    """

    tree: ast.expr
    names: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    asked: set[str] = field(default_factory=set[str])
    turn_names: set[str] = field(default_factory=set[str])
    functions: set[str] = field(default_factory=set[str])
    unknown: set[str] = field(default_factory=set[str])
    projected: dict[str, ExpressionSource] = field(default_factory=dict[str, ExpressionSource])
    tests: dict[str, ExpressionSource] = field(default_factory=dict[str, ExpressionSource])
    unique: set[str] = field(default_factory=set[str])
    constants: dict[str, Any] = field(default_factory=dict[str, Any])


def make_name(text: str, like: ast.AST) -> ast.Name:
    """A name at the place of another node."""
    return ast.copy_location(ast.Name(text, ast.Load()), like)


def make_call(function: str, like: ast.AST, *args: ast.expr) -> ast.Call:
    """A call of one of the evaluator's functions at the place of another node."""
    return ast.copy_location(ast.Call(make_name(function, like), list(args), []), like)


def make_text(value: str | float | None, like: ast.AST) -> ast.Constant:
    """A constant at the place of another node."""
    return ast.copy_location(ast.Constant(value), like)


def _is_cheap(op: ast.cmpop, left: ast.expr, right: ast.expr) -> bool:
    """Whether a comparison costs no more than the text of the rule itself."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        return True
    if isinstance(op, (ast.In, ast.NotIn)):
        items = right.elts if isinstance(right, (ast.List, ast.Tuple)) else [right]
        return all(isinstance(item, ast.Constant) for item in items)
    return isinstance(left, ast.Constant) or isinstance(right, ast.Constant)


def _size(node: ast.AST) -> int:
    """The cost of a node in each step of a comprehension: dicts and sets are large."""
    return 4 if isinstance(node, (ast.Dict, ast.Set)) else 1


class ValueTranslator:
    """Translates everything but calls."""

    def __init__(self, source: ExpressionSource, scope: Scope) -> None:
        self.source = source
        self.scope = scope
        self.bound: list[dict[str, str]] = []
        self.loops = 0
        self.found = Translation(ast.Constant(None))

    def no(self, node: ast.AST, message: str) -> NoReturn:
        raise refused(self.source, node, message)

    # values

    def value(self, node: ast.expr) -> ast.expr:
        """The translation of any expression."""
        method = getattr(self, f"on_{type(node).__name__.lower()}", None)
        if method is None:
            self.no(node, f"`{type(node).__name__}` has no meaning here")
        translated: ast.expr = method(node)
        return translated

    def values(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        return [self.value(node) for node in nodes]

    def on_constant(self, node: ast.Constant) -> ast.expr:
        return ast.copy_location(ast.Constant(node.value), node)

    def on_name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if loop := self._is_bound(name):
            return make_name(loop, node)
        if name == "conv":
            return self._conv(node)
        if name == "group" and self.scope.grouped:
            return make_name("k_group", node)
        if name in self.scope.parameters:
            return self._constant(name, node)
        if name in TURN_WORDS.get(self.scope.each, ()):
            return self._turn(name, node)
        if self.scope.sensei:
            return self._sensei_name(name, node)
        if self.scope.many:
            self.no(
                node,
                f"`{name}`: this oracle sees all conversations; write exists('...'), "
                "all_of('...'), values('...'), is_unique('...') or a comprehension over conv",
            )
        if self.scope.conversations > 1:
            self.no(node, f"`{name}` of which conversation? Write conv[0].{name} or conv[1].{name}")
        return self._variable(0, name, node)

    def _sensei_name(self, name: str, node: ast.Name) -> ast.expr:
        in_oracle = self.scope.part == "oracle" and name in SHORT_FORMS
        if in_oracle or name in PLAIN_FUNCTIONS:
            return make_name("k_function", node)
        if self.scope.conversations > 1:
            if name == "interaction":
                return ast.copy_location(ast.List([], ast.Load()), node)
            return make_call("g_unknown", node, make_text(name, node))
        return self._variable(0, name, node)

    def _constant(self, name: str, node: ast.Name) -> ast.expr:
        """A parameter of the rule, by a name that no other value has."""
        value = self.scope.parameters[name]
        digest = sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
        self.found.constants[f"k_p{digest}"] = value
        return make_name(f"k_p{digest}", node)

    def _turn(self, name: str, node: ast.Name) -> ast.expr:
        if name == "previous":
            return make_name("t1", node)
        if name == "answer":
            return self._of_turn("turn", "assistant", node)
        return self.no(node, f"name what you want of the {name}, as in turn.user")

    def _of_turn(self, whose: str, name: str, node: ast.expr) -> ast.expr:
        """A name of the turn, or of the one before, which there need not be."""
        if name not in TURN_NAMES:
            hint = nearest(name, sorted(TURN_NAMES))
            self.no(node, f"`{whose}.{name}`: a turn has no `{name}`.{hint}")
        self.found.turn_names.add(name)
        if name == "incidents":
            self.found.asked.add(name)
        if whose == "previous":
            return make_call("n_previous", node, make_name("t1", node), make_text(name, node))
        record = make_name("t0", node)
        return ast.copy_location(ast.Subscript(record, make_text(name, node), ast.Load()), node)

    def _is_turn(self, node: ast.expr) -> bool:
        """Whether a node is ``turn`` or ``previous``, of which only names are values."""
        if not (self.scope.each and isinstance(node, ast.Name)):
            return False
        name = node.id
        hidden = self._is_bound(name) or name in self.scope.parameters
        return name in ("turn", "previous") and not hidden

    def _conv(self, node: ast.Name) -> ast.expr:
        if not self.scope.many or self.scope.sensei:
            self.no(node, "write conv[0] and a name, as in conv[0].price")
        return make_name("conv", node)

    def _variable(self, index: int, name: str, node: ast.expr) -> ast.expr:
        self.found.names.add((index, name))
        record = make_name(f"c{index}", node)
        return ast.copy_location(ast.Subscript(record, make_text(name, node), ast.Load()), node)

    def _is_bound(self, name: str) -> str | None:
        """The name of a loop variable in the translation; `None` for other names."""
        return next((names[name] for names in reversed(self.bound) if name in names), None)

    def _conversation(self, node: ast.expr) -> int | None:
        """The index of ``conv[i]``; None for anything else."""
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
            return None
        if node.value.id != "conv" or self._is_bound("conv"):
            return None
        if self.scope.many and not self.scope.sensei:
            return None
        index = node.slice
        sign = 1
        if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
            index, sign = index.operand, -1
        if not (isinstance(index, ast.Constant) and type(index.value) is int):
            self.no(node, "write conv[0] with a plain number")
        at, number = sign * index.value, self.scope.conversations
        if not -number <= at < number:
            if self.scope.sensei:
                return -1
            self.no(node, f"conv[{at}]: this rule is over {number} conversation(s), from conv[0]")
        return at % number

    def on_attribute(self, node: ast.Attribute) -> ast.expr:
        index = self._conversation(node.value)
        if index == -1:
            return make_call("g_unknown", node, make_text(node.attr, node))
        if index is not None:
            return self._variable(index, node.attr, node)
        if self._is_turn(node.value) and isinstance(node.value, ast.Name):
            return self._of_turn(node.value.id, node.attr, node)
        if node.attr not in _PART_NAMES and not self.scope.many:
            self.no(
                node,
                f"`.{node.attr}`: only conversations have names, as in conv[0].price; "
                f"methods are called, as in name.lower()",
            )
        if self.scope.many and node.attr in _PART_NAMES:
            self.found.asked.add(node.attr)
        elif self.scope.many:
            self.found.names.add((0, node.attr))
        return make_call("g_part", node, self.value(node.value), make_text(node.attr, node))

    def on_subscript(self, node: ast.Subscript) -> ast.expr:
        if self._conversation(node) is not None:
            self.no(node, "a conversation is no value: write a name, as in conv[0].price")
        item = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            bounds = [self.value(part) if part else make_text(None, node) for part in parts]
            return make_call("g_slice", node, item, *bounds)
        key = self._build_key(node.slice)
        return ast.copy_location(ast.Subscript(item, key, ast.Load()), node)

    def _build_key(self, node: ast.expr) -> ast.expr:
        key = self.value(node)
        return key if isinstance(key, ast.Constant) else make_call("g_key", node, key)

    # operators

    def on_binop(self, node: ast.BinOp) -> ast.expr:
        left, right = self.value(node.left), self.value(node.right)
        guard = _ARITHMETIC.get(type(node.op))
        if guard is None:  # divisions cannot grow
            return ast.copy_location(ast.BinOp(left, node.op, right), node)
        return make_call(guard, node, left, right)

    def on_unaryop(self, node: ast.UnaryOp) -> ast.expr:
        return ast.copy_location(ast.UnaryOp(node.op, self.value(node.operand)), node)

    def on_boolop(self, node: ast.BoolOp) -> ast.expr:
        return ast.copy_location(ast.BoolOp(node.op, self.values(node.values)), node)

    def on_ifexp(self, node: ast.IfExp) -> ast.expr:
        parts = self.values([node.test, node.body, node.orelse])
        return ast.copy_location(ast.IfExp(*parts), node)

    def on_compare(self, node: ast.Compare) -> ast.expr:
        operands = self.values([node.left, *node.comparators])
        free = [False] * len(operands)
        for index, op in enumerate(node.ops):
            cheap = _is_cheap(op, operands[index], operands[index + 1])
            free[index] = cheap and (index == 0 or free[index])
            free[index + 1] = cheap
        sized = [
            operand
            if cheap or isinstance(operand, ast.Constant)
            else make_call("g_s", operand, operand)
            for operand, cheap in zip(operands, free, strict=True)
        ]
        return ast.copy_location(ast.Compare(sized[0], node.ops, sized[1:]), node)

    # displays and comprehensions

    def on_list(self, node: ast.List) -> ast.expr:
        return ast.copy_location(ast.List(self.values(node.elts), ast.Load()), node)

    def on_tuple(self, node: ast.Tuple) -> ast.expr:
        return ast.copy_location(ast.Tuple(self.values(node.elts), ast.Load()), node)

    def on_set(self, node: ast.Set) -> ast.expr:
        return ast.copy_location(ast.Set([self._build_key(item) for item in node.elts]), node)

    def on_dict(self, node: ast.Dict) -> ast.expr:
        keys: list[ast.expr | None] = [self._build_key(key) for key in node.keys if key is not None]
        return ast.copy_location(ast.Dict(keys, self.values(node.values)), node)

    def on_listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
        loops, elements = self._translate_loops(node, node.elt)
        self.bound.pop()
        return ast.copy_location(ast.ListComp(elements[0], loops), node)

    def on_generatorexp(self, node: ast.GeneratorExp) -> ast.expr:
        return self.on_listcomp(node)

    def _translate_lazily(self, node: ast.GeneratorExp) -> ast.expr:
        loops, elements = self._translate_loops(node, node.elt)
        self.bound.pop()
        return ast.copy_location(ast.GeneratorExp(elements[0], loops), node)

    def on_setcomp(self, node: ast.SetComp) -> ast.expr:
        loops, elements = self._translate_loops(node, node.elt)
        self.bound.pop()
        key = make_call("g_key", node, elements[0])
        return make_call("g_set", node, ast.copy_location(ast.ListComp(key, loops), node))

    def on_dictcomp(self, node: ast.DictComp) -> ast.expr:
        loops, elements = self._translate_loops(node, node.key, node.value)
        self.bound.pop()
        key = make_call("g_key", node, elements[0])
        pair = ast.copy_location(ast.Tuple([key, elements[1]], ast.Load()), node)
        return make_call("g_dict", node, ast.copy_location(ast.ListComp(pair, loops), node))

    def _translate_loops(
        self,
        node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
        *results: ast.expr,
    ) -> tuple[list[ast.comprehension], list[ast.expr]]:
        """The translated loops and results; the caller takes the loop variables off again."""
        names: dict[str, str] = {}
        self.loops += 1
        loop_number = self.loops
        # Each round costs as much as its body is long, so that a loop in a loop is paid for as one.
        weight = 1 + sum(_size(inner) for inner in ast.walk(node)) // 4
        loops: list[ast.comprehension] = []
        for number, loop in enumerate(node.generators):
            outside = self.value(loop.iter)
            if number == 0:
                self.bound.append(names)
            steps = make_call("g_iter", loop.iter, outside, make_text(weight, node))
            target = self._translate_target(loop.target, names, loop_number)
            loops.append(ast.comprehension(target, steps, self.values(loop.ifs), 0))
        return loops, self.values(results)

    def _translate_target(self, node: ast.expr, names: dict[str, str], number: int) -> ast.expr:
        if isinstance(node, ast.Name):
            # Each comprehension has names of its own, so that equal ones cannot be confused.
            names[node.id] = f"v_{number}_{node.id}"
            return ast.copy_location(ast.Name(names[node.id], ast.Store()), node)
        if isinstance(node, ast.Tuple):
            parts = [self._translate_target(part, names, number) for part in node.elts]
            return ast.copy_location(ast.Tuple(parts, ast.Store()), node)
        return self.no(node, "a loop variable is a plain name")

    # texts

    def on_joinedstr(self, node: ast.JoinedStr) -> ast.expr:
        return make_call("g_concat", node, *self.values(node.values))

    def on_formattedvalue(self, node: ast.FormattedValue) -> ast.expr:
        conversion = chr(node.conversion) if node.conversion > 0 else ""
        spec = self.value(node.format_spec) if node.format_spec else make_text("", node)
        return make_call(
            "g_format", node, self.value(node.value), make_text(conversion, node), spec
        )


# Loop variables (v_1_price), guards, functions, Python's own, those over all and constants (g_, f_,
# b_, n_, k_), conversations and constants by number, turns, and all conversations.
_OWN = re.compile(r"(?:[vgfbnk]_\w+|[ch]\d+|t[01]|conv)\Z")


def translate(tree: ast.expr, source: ExpressionSource, scope: Scope) -> Translation:
    """Translate a checked tree; raises NotAllowed for what has no meaning in the scope."""
    translator = _Translator(source, scope)
    translator.found.tree = translator.value(tree)
    prove(translator.found.tree)
    return translator.found


def prove(tree: ast.expr) -> None:
    """The second barrier: nothing but the translator's own names, and no attribute."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Lambda, ast.Starred, ast.Await, ast.NamedExpr)):
            raise AssertionError(f"{type(node).__name__} in a translated expression")
        if isinstance(node, ast.Name) and not _OWN.match(node.id):
            raise AssertionError(f"the name {node.id} in a translated expression")


class _Translator(ValueTranslator):
    """Translates whole expressions."""

    @property
    def _functions_over_all(self) -> frozenset[str]:
        """Functions over all conversations; elsewhere those of other packages take precedence."""
        if self.scope.many or self.scope.sensei:
            return SENSEI_OVER_ALL if self.scope.sensei else OVER_ALL
        return OVER_ALL - self.scope.functions.keys()

    def on_call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            return self._translate_method(node, node.func)
        if not isinstance(node.func, ast.Name):
            self.no(node.func, "only functions and methods by name can be called")
        name = node.func.id
        if self._is_bound(name):
            self.no(node.func, f"`{name}` is a loop variable, not a function")
        if name in SPECIAL:
            return self._translate_special(name, node)
        if name in self._functions_over_all:
            return self._translate_over_all(name, node)
        if name in BASICS:
            return self._translate_builtin(name, node)
        if self.scope.sensei and name in SHORT_FORMS and self.scope.part == "filter":
            return make_call("g_unknown", node, make_text(name, node))
        if name in self.scope.functions:
            return self._translate_library(name, node)
        if self.scope.sensei:
            self.found.unknown.add(name)
            return make_call("g_unknown", node, make_text(name, node))
        hint = nearest(name, self.scope.known_functions)
        return self.no(node.func, f"no function is called `{name}`.{hint}")

    def _translate_method(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        if func.attr not in KNOWN:
            self.no(func, f"{unknown_method(func.attr)}{nearest(func.attr, KNOWN)}")
        args = [self.value(func.value), make_text(func.attr, func), *self.values(node.args)]
        return self._translate_call("g_method", node, args)

    def _translate_call(self, function: str, node: ast.Call, args: list[ast.expr]) -> ast.Call:
        named = [ast.keyword(keyword.arg, self.value(keyword.value)) for keyword in node.keywords]
        call = ast.Call(make_name(function, node), args, named)
        return ast.copy_location(call, node)

    def _translate_builtin(self, name: str, node: ast.Call) -> ast.expr:
        keys = [keyword for keyword in node.keywords if keyword.arg == "key"]
        if name in ("sorted", "min", "max") and keys:
            return self._translate_key(name, node, keys[0])
        # `any(asks_model(m) for m in ...)` ends at the first that is true, as in Python: no
        # question more is paid.
        lazy = name in ("any", "all") and len(node.args) == 1
        if lazy and isinstance(node.args[0], ast.GeneratorExp):
            return self._translate_call(f"b_{name}", node, [self._translate_lazily(node.args[0])])
        return self._translate_call(f"b_{name}", node, self.values(node.args))

    def _translate_key(self, name: str, node: ast.Call, key: ast.keyword) -> ast.expr:
        function = key.value.id if isinstance(key.value, ast.Name) else None
        if function is None or function not in BASICS or self._is_bound(function):
            self.no(key.value, "`key` takes the name of one of Python's functions, as in key=len")
        rest = [keyword for keyword in node.keywords if keyword is not key]
        call = self._translate_call(
            f"b_{name}",
            ast.copy_location(ast.Call(node.func, node.args, rest), node),
            self.values(node.args),
        )
        call.keywords.append(ast.keyword("key", make_name(f"b_{function}", key.value)))
        return call

    def _translate_special(self, name: str, node: ast.Call) -> ast.expr:
        counts = {"hasattr": (2,), "getattr": (2, 3), "isinstance": (2,)}[name]
        if len(node.args) not in counts or node.keywords:
            self.no(node, f"{name}() takes {' or '.join(map(str, counts))} values")
        if name == "isinstance":
            kinds = ast.Tuple(
                [make_text(kind, node) for kind in self._kinds(node.args[1])], ast.Load()
            )
            return make_call(
                "n_kind", node, self.value(node.args[0]), ast.copy_location(kinds, node)
            )
        key = node.args[1]
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            self.no(key, f"{name}() needs the name as a plain text")
        record = self._translate_record(node.args[0])
        self.found.asked.add(key.value)
        if name == "getattr" and len(node.args) == 2:
            return make_call("g_part", node, record, make_text(key.value, key))
        rest = self.values(node.args[2:])
        return make_call(
            "n_has" if name == "hasattr" else "n_get", node, record, self.value(key), *rest
        )

    def _kinds(self, node: ast.expr) -> list[str]:
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        names = [
            element.id for element in nodes if isinstance(element, ast.Name) and element.id in KINDS
        ]
        if len(names) != len(nodes):
            self.no(node, f"isinstance() knows {', '.join(KINDS)}")
        return names

    def _translate_record(self, node: ast.expr) -> ast.expr:
        """A conversation given to a function: ``conv[0]``, or a loop variable over conv."""
        index = self._conversation(node)
        if index is not None and index >= 0:
            return make_name(f"c{index}", node)
        if self.scope.many and not self.scope.sensei:
            return self.value(node)
        if self.scope.sensei:
            return make_call("g_unknown", node, make_text("conv", node))
        return self.no(node, "a conversation is meant here, as in conv[0]")

    def _translate_over_all(self, name: str, node: ast.Call) -> ast.expr:
        if not self.scope.many and not self.scope.sensei:
            self.no(node, f"{name}() is for the oracle of a rule with `conversations: all`")
        percent = name == "percentile"
        fits = len(node.args) == 1 + percent and not node.keywords
        constant = node.args[0] if fits else None
        if not (isinstance(constant, ast.Constant) and isinstance(constant.value, str)):
            self.no(node, f"{name}() takes one plain text{' and a number' if percent else ''}")
        text = constant.value
        if name == "is_unique":
            self.found.unique.add(text)
        else:
            self.found.tests[text] = ExpressionSource(
                text, self.source.file, self.source.line_of(node.lineno), 1, self.source.key, False
            )
        return make_call(f"n_{name}", node, make_text(text, node), *self.values(node.args[1:]))

    def _translate_library(self, name: str, node: ast.Call) -> ast.expr:
        self.found.functions.add(name)
        if not self.scope.sensei:
            self._require_parameters(name, node)
        if not self.scope.functions[name].conversation:
            return self._translate_call(f"f_{name}", node, self.values(node.args))
        whose = [keyword for keyword in node.keywords if keyword.arg == "of"]
        if self.scope.many and not self.scope.sensei:
            return self._project(name, node, whose)
        rest = [keyword for keyword in node.keywords if keyword.arg != "of"]
        plain = ast.copy_location(ast.Call(node.func, node.args, rest), node)
        record = (
            self._translate_record(whose[0].value) if whose else self._implied_record(name, node)
        )
        return self._translate_call(f"f_{name}", plain, [record, *self.values(node.args)])

    def _require_parameters(self, name: str, node: ast.Call) -> None:
        """Refuse names that are no parameters, as in ``parrots(shar=0.8)``."""
        function = self.scope.functions[name]
        try:
            parameters = list(signature(function.call).parameters.values())
        except (TypeError, ValueError):  # written in C, without a signature
            return
        if any(one.kind is one.VAR_KEYWORD for one in parameters):
            return
        passed = parameters[function.conversation + function.model :]
        names = [one.name for one in passed if one.kind is not one.POSITIONAL_ONLY]
        names += ["of"] if function.conversation else []
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg not in names:
                hint = nearest(keyword.arg, names)
                self.no(keyword.value, f"{name}() has no parameter `{keyword.arg}`.{hint}")

    def _implied_record(self, name: str, node: ast.Call) -> ast.expr:
        """The conversation that a short form is about."""
        if self.scope.conversations == 1:
            return make_name("c0", node)
        if self.scope.sensei:
            # In SENSEI only these two look at a conversation; the others are given none.
            of_first = name in ("data_collected", "missing_slots")
            return make_name("c0" if of_first else "k_empty", node)
        return self.no(node, f"{name}() of which conversation? Write {name}(..., of=conv[0])")

    def _project(self, name: str, node: ast.Call, whose: list[ast.keyword]) -> ast.expr:
        """A call about one of many conversations, with constant arguments: found beforehand."""
        if not whose:
            self.no(node, f"{name}() of which conversation? Write {name}(..., of=c) for c in conv")
        rest = [keyword for keyword in node.keywords if keyword.arg != "of"]
        inside = [*node.args, *(keyword.value for keyword in rest)]
        nodes = [part for argument in inside for part in ast.walk(argument)]
        names = {part.id for part in nodes if isinstance(part, ast.Name)}
        # The value is found once for each conversation, before any loop variable has one.
        if names - self.scope.parameters.keys() or any(isinstance(n, ast.Call) for n in nodes):
            self.no(node, f"{name}() over many conversations takes plain values only")
        text = ast.unparse(ast.Call(node.func, node.args, rest))
        key = f"#{text}"
        self.found.projected[key] = ExpressionSource(
            text, self.source.file, self.source.line_of(node.lineno), 1, self.source.key, False
        )
        part = make_call("g_part", node, self.value(whose[0].value), make_text(key, node))
        return make_call("g_use", node, part)
