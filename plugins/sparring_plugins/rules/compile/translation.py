"""The translation of calls, and the door to the translation of whole expressions."""

import ast
import re

from sparring.documents.checking import nearest
from sparring_plugins.rules.compile.expressions import (
    Translation,
    Values,
    make_call,
    make_name,
    make_text,
)
from sparring_plugins.rules.parse.scope import (
    BASICS,
    OVER_ALL,
    SENSEI_OVER_ALL,
    SPECIAL,
    Scope,
)
from sparring_plugins.rules.parse.syntax import Source
from sparring_plugins.rules.values.builtins import KINDS
from sparring_plugins.rules.values.methods import KNOWN, unknown_method
from sparring_plugins.rules.values.sensei_record import SHORT_FORMS

_OWN = re.compile(r"(?:[vgfbnk]_\w+|[ch]\d+|t[01]|conv)\Z")


def translate(tree: ast.expr, source: Source, scope: Scope) -> Translation:
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


class _Translator(Values):
    """Translates whole expressions."""

    @property
    def _over(self) -> frozenset[str]:
        """Functions over all conversations; elsewhere those of other packages go before ours."""
        if self.scope.many or self.scope.sensei:
            return SENSEI_OVER_ALL if self.scope.sensei else OVER_ALL
        return OVER_ALL - self.scope.functions.keys()

    def on_call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        if not isinstance(node.func, ast.Name):
            self.no(node.func, "only functions and methods by name can be called")
        name = node.func.id
        if self._is_bound(name):
            self.no(node.func, f"`{name}` is a loop variable, not a function")
        if name in SPECIAL:
            return self._special(name, node)
        if name in self._over:
            return self._over_all(name, node)
        if name in BASICS:
            return self._basic(name, node)
        if self.scope.sensei and name in SHORT_FORMS and self.scope.part == "filter":
            return make_call("g_unknown", node, make_text(name, node))
        if name in self.scope.functions:
            return self._library(name, node)
        if self.scope.sensei:
            self.found.unknown.add(name)
            return make_call("g_unknown", node, make_text(name, node))
        hint = nearest(name, self.scope.known_functions)
        return self.no(node.func, f"no function is called `{name}`.{hint}")

    def _method(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        if func.attr not in KNOWN:
            self.no(func, f"{unknown_method(func.attr)}{nearest(func.attr, KNOWN)}")
        args = [self.value(func.value), make_text(func.attr, func), *self.values(node.args)]
        return self._called("g_method", node, args)

    def _called(self, function: str, node: ast.Call, args: list[ast.expr]) -> ast.Call:
        named = [ast.keyword(one.arg, self.value(one.value)) for one in node.keywords]
        call = ast.Call(make_name(function, node), args, named)
        return ast.copy_location(call, node)

    def _basic(self, name: str, node: ast.Call) -> ast.expr:
        keys = [one for one in node.keywords if one.arg == "key"]
        if name in ("sorted", "min", "max") and keys:
            return self._by_key(name, node, keys[0])
        lazy = name in ("any", "all") and len(node.args) == 1
        if lazy and isinstance(node.args[0], ast.GeneratorExp):
            return self._called(f"b_{name}", node, [self._lazy(node.args[0])])
        return self._called(f"b_{name}", node, self.values(node.args))

    def _by_key(self, name: str, node: ast.Call, key: ast.keyword) -> ast.expr:
        function = key.value.id if isinstance(key.value, ast.Name) else None
        if function is None or function not in BASICS or self._is_bound(function):
            self.no(key.value, "`key` takes the name of one of Python's functions, as in key=len")
        rest = [one for one in node.keywords if one is not key]
        call = self._called(
            f"b_{name}",
            ast.copy_location(ast.Call(node.func, node.args, rest), node),
            self.values(node.args),
        )
        call.keywords.append(ast.keyword("key", make_name(f"b_{function}", key.value)))
        return call

    def _special(self, name: str, node: ast.Call) -> ast.expr:
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
        record = self._record(node.args[0])
        self.found.asked.add(key.value)
        if name == "getattr" and len(node.args) == 2:
            return make_call("g_part", node, record, make_text(key.value, key))
        rest = self.values(node.args[2:])
        return make_call(
            "n_has" if name == "hasattr" else "n_get", node, record, self.value(key), *rest
        )

    def _kinds(self, node: ast.expr) -> list[str]:
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        names = [one.id for one in nodes if isinstance(one, ast.Name) and one.id in KINDS]
        if len(names) != len(nodes):
            self.no(node, f"isinstance() knows {', '.join(KINDS)}")
        return names

    def _record(self, node: ast.expr) -> ast.expr:
        """A conversation given to a function: ``conv[0]``, or a loop variable over conv."""
        index = self._conversation(node)
        if index is not None and index >= 0:
            return make_name(f"c{index}", node)
        if self.scope.many and not self.scope.sensei:
            return self.value(node)
        if self.scope.sensei:
            return make_call("g_unknown", node, make_text("conv", node))
        return self.no(node, "a conversation is meant here, as in conv[0]")

    def _over_all(self, name: str, node: ast.Call) -> ast.expr:
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
            self.found.tests[text] = Source(
                text, self.source.file, self.source.line_of(node.lineno), 1, self.source.key, False
            )
        return make_call(f"n_{name}", node, make_text(text, node), *self.values(node.args[1:]))

    def _library(self, name: str, node: ast.Call) -> ast.expr:
        self.found.functions.add(name)
        if not self.scope.functions[name].conversation:
            return self._called(f"f_{name}", node, self.values(node.args))
        whose = [one for one in node.keywords if one.arg == "of"]
        if self.scope.many and not self.scope.sensei:
            return self._projected(name, node, whose)
        rest = [one for one in node.keywords if one.arg != "of"]
        plain = ast.copy_location(ast.Call(node.func, node.args, rest), node)
        record = self._record(whose[0].value) if whose else self._implied(name, node)
        return self._called(f"f_{name}", plain, [record, *self.values(node.args)])

    def _implied(self, name: str, node: ast.Call) -> ast.expr:
        """The conversation that a short form is about."""
        if self.scope.conversations == 1:
            return make_name("c0", node)
        if self.scope.sensei:
            of_first = name in ("data_collected", "missing_slots")
            return make_name("c0" if of_first else "k_empty", node)
        return self.no(node, f"{name}() of which conversation? Write {name}(..., of=conv[0])")

    def _projected(self, name: str, node: ast.Call, whose: list[ast.keyword]) -> ast.expr:
        """A call about one of many conversations, with constant arguments: found beforehand."""
        if not whose:
            self.no(node, f"{name}() of which conversation? Write {name}(..., of=c) for c in conv")
        rest = [one for one in node.keywords if one.arg != "of"]
        inside = [*node.args, *(one.value for one in rest)]
        nodes = [part for one in inside for part in ast.walk(one)]
        names = {part.id for part in nodes if isinstance(part, ast.Name)}
        if names - self.scope.parameters.keys() or any(isinstance(n, ast.Call) for n in nodes):
            self.no(node, f"{name}() over many conversations takes plain values only")
        text = ast.unparse(ast.Call(node.func, node.args, rest))
        key = f"#{text}"
        self.found.projected[key] = Source(
            text, self.source.file, self.source.line_of(node.lineno), 1, self.source.key, False
        )
        part = make_call("g_part", node, self.value(whose[0].value), make_text(key, node))
        return make_call("g_use", node, part)
