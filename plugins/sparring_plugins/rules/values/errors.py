"""Why an expression has no value."""

from sparring.model.chat import ChatRequest


class RuleFault(Exception):
    """An expression has no value, for a reason of the rules language's own."""


class UnknownName(RuleFault):
    """The conversation has no variable of the name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"this conversation has no `{name}`")
        self.name = name


class NotApplicable(RuleFault):
    """The expression has no meaning here, for a reason that is nobody's fault."""


class NoPrevious(UnknownName):
    """There is no turn before the first."""

    def __init__(self) -> None:
        super().__init__("previous")
        self.args = ("there is no turn before the first",)


class TooMuchWork(RuleFault):
    """The expression needs more work or memory than a rule may use."""


class Refused(RuleFault):
    """The expression does what rules may not do, found out only when it was evaluated."""


class BrokenFunction(RuleFault):
    """A library function broke, or returned what it must not: no fault of the rule's."""


class NeedsModel(RuleFault):
    """The expression asks a language model, and there is none."""


class Pending(RuleFault):
    """A part of the expression waits for a model and is evaluated later."""


class NeedsAnswer(BaseException):
    """Suspends an evaluation until the model has answered.

    Not an Exception, so that a function which catches those cannot swallow it.
    """

    def __init__(self, request: ChatRequest) -> None:
        super().__init__("a model's answer is needed")
        self.request = request
