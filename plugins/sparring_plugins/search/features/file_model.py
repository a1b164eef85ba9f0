"""The schema of a feature space's file."""

from typing import Annotated, Any, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    model_validator,
)

from sparring.interfaces.plugin import Use

Scalar = str | int | float | bool | None


def _as_list(value: Any) -> Any:
    """Accept one item that is not written as a list."""
    return value if type(value) in (list, tuple) else [] if value is None else [value]


Texts = Annotated[list[str], BeforeValidator(_as_list)]
Scalars = Annotated[list[Scalar], BeforeValidator(_as_list)]
Uses = Annotated[list[Use], BeforeValidator(_as_list)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ValueEntry(_Entry):
    """A value of a feature. A text or a list alone is its `as`."""

    value: Scalar = None
    label: str = ""
    words: Texts = Field(
        default=[], alias="as", description="how it is put into words; of a style, what to do"
    )
    hint: Texts = Field(default=[], description="how content is meant without being said")
    mentions: Texts | None = Field(
        default=None, description="words by one of which the value is known; [] for none"
    )
    apply: Uses = Field(default=[], description="perturbations, in order")
    weight: float = Field(
        default=1.0, ge=0, le=1e6, description="how often real users have it, beside the others"
    )
    traits: dict[str, JsonValue] = Field(default={}, description="traits of a simulated user")
    styles: list[JsonValue] = Field(
        default=[], description="interaction styles of a simulated user"
    )
    context: Texts = Field(default=[], description="sentences about a simulated user")
    turns: Texts = Field(
        default=[],
        description="what is said first, each in a turn of its own; {{feature}} stands "
        "for the words of a content feature",
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if value is None:
            return {}
        return {"as": value} if type(value) in (str, list) else value


def _shape(value: Any) -> str:
    return "map" if isinstance(value, (dict, BaseModel)) else "plain"


Item = Annotated[
    Annotated[Scalar, Tag("plain")] | Annotated[ValueEntry, Tag("map")], Discriminator(_shape)
]
Values = Annotated[
    Annotated[list[Item], Tag("plain")] | Annotated[dict[str, ValueEntry], Tag("map")],
    Discriminator(_shape),
]


class RangeEntry(_Entry):
    """Numbers between two ends, in order: a continuous feature in steps."""

    low: float = Field(alias="from")
    high: float = Field(alias="to")
    steps: int = Field(default=11, ge=2, le=1_000, description="how many numbers")
    spacing: Literal["even", "log"] = Field(
        default="even", description="equal differences, or equal ratios"
    )
    decimals: int = Field(default=0, ge=0, le=9, description="digits after the point")
    words: Texts = Field(
        default=[], alias="as", description="how a number is put into words: {} stands for it"
    )
    optional: bool = Field(default=False, description="whether it may be left out (none)")

    @model_validator(mode="after")
    def _has_two_ends(self) -> "RangeEntry":
        if self.low >= self.high:
            raise ValueError(f"`from` {self.low:g} is not below `to` {self.high:g}")
        if self.spacing == "log" and self.low <= 0:
            raise ValueError("`spacing: log` needs `from` above 0")
        return self

    def numbers(self) -> list[int | float]:
        """Return the numbers, rounded; fewer than `steps` if rounding makes some equal."""
        last = self.steps - 1
        ratio = self.high / self.low if self.spacing == "log" else 1.0
        exact = (
            self.low * ratio ** (step / last)
            if self.spacing == "log"
            else self.low + (self.high - self.low) * step / last
            for step in range(self.steps)
        )
        rounded = (round(number, self.decimals) for number in exact)
        return list(dict.fromkeys(rounded if self.decimals else map(int, rounded)))

    def entries(self) -> dict[str, ValueEntry]:
        """Return the values as a file would list them."""
        values = {
            str(number): ValueEntry.model_validate(
                {
                    "value": number,
                    "as": [text.replace("{}", str(number)) for text in self.words],
                    "mentions": [str(number)],
                }
            )
            for number in self.numbers()
        }
        return {"none": ValueEntry(), **values} if self.optional else values


class FeatureEntry(_Entry):
    """A feature. A list alone is its `values`."""

    values: Values = Field(default=[], description="in order; required without `range`")
    range: RangeEntry | None = Field(default=None, description="numbers in place of values")
    scale: Literal["categorical", "ordinal"] = "categorical"
    about: str = ""
    none: Scalar = Field(
        default="none", description="the value that leaves the feature out, if it has it"
    )
    check: bool | str = Field(
        default=True,
        description="whether a model must name the value: true, false, or a condition on the case",
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"values": cast("Any", value)} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _has_values(self) -> "FeatureEntry":
        if self.range is not None and self.values:
            raise ValueError("has `values` and a `range`: one of them says what it may be")
        if self.range is not None:
            self.values, self.scale = self.range.entries(), "ordinal"
        return self


class ConstraintEntry(_Entry):
    """A constraint. A text alone is its `always`."""

    always: str | None = Field(default=None, description="a condition that every case satisfies")
    never: str | None = Field(default=None, description="a condition that no case satisfies")
    when: str | None = Field(default=None, description="which cases the following is about")
    drop: Texts = Field(default=[], description="features that are set to none")
    forbid: dict[str, Scalars] = Field(default={}, description="values that are not allowed")
    assign: dict[str, Scalar] = Field(default={}, alias="set", description="values that are set")
    then: str | None = Field(default=None, description="a condition that follows")
    about: str = ""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"always": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _says_something(self) -> "ConstraintEntry":
        parts = sum(map(bool, (self.drop, self.forbid, self.assign, self.then)))
        whole = sum(text is not None for text in (self.always, self.never))
        if whole and (whole > 1 or parts or self.when is not None):
            raise ValueError("`always` and `never` stand alone")
        if not whole and not parts:
            raise ValueError("says nothing: add `drop`, `forbid`, `set` or `then`")
        if not whole and self.when is None and not self.forbid:
            raise ValueError("`drop`, `set` and `then` need a `when`; `always` takes a condition")
        return self


class OutputEntry(_Entry):
    """A value that a simulated user wants to learn."""

    type: str = "str"
    description: str = ""


class ConversationEntry(_Entry):
    """How the features control a simulated user over a whole conversation."""

    role: str = ""
    goals: Texts = Field(min_length=1)
    context: Texts = []
    outputs: dict[str, OutputEntry] = {}
    fallbacks: Texts = []
    limit: int = Field(default=12, ge=1, le=100, description="turns of the user at most")


class ShotEntry(_Entry):
    """An utterance written by hand for values of some features."""

    features: dict[str, Scalar] = {}
    utterance: str = Field(min_length=1)


class SpaceEntry(_Entry):
    """A feature space."""

    name: str = Field(min_length=1, max_length=100)
    about: str = Field(default="", description="what the app is for")
    speaker: str = Field(default="", description="who speaks to it")
    language: str = "English"
    style: dict[str, FeatureEntry] = {}
    content: dict[str, FeatureEntry] = {}
    perturbation: dict[str, FeatureEntry] = {}
    constraints: list[ConstraintEntry] = []
    guidelines: Texts = Field(default=[], description="further wishes, for a writer")
    shots: list[ShotEntry] = Field(default=[], description="utterances written by hand")
    examples: Texts = Field(default=[], description="files or folders of real utterances")
    templates: str | None = Field(
        default=None, description="the file of templates of the writer `template`"
    )
    conversation: ConversationEntry | None = None
    notes: Texts = []
