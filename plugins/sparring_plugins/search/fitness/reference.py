"""Fitness against reference answers: ROUGE, BLEU and similarity of meaning."""

# rouge-score has no types, and both libraries are known by name only when they are needed.
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sparring.documents.checking import nearest
from sparring.errors import MissingExtra
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.features.model import fill_holes, holes_in
from sparring_plugins.search.fitness.value_matching import By, TextSimilarity, text_similarity
from sparring_plugins.search.roles import Fitness, FitnessTask

_LONGEST = 5_000


class ReferenceConfig(PluginConfig):
    """Settings of fitness values that compare an answer with reference answers."""

    references: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        min_length=1,
        description="good answers; {{feature}} stands for the label of a feature's value, and"
        " one that speaks of a feature which is left out does not count",
    )


class ReferenceFitness(Agent[FitnessTask, Fitness, Any]):
    """The base of fitnesses that compare an answer with references; the best reference counts."""

    role: ClassVar[str] = "fitness"

    @abstractmethod
    def compared(self, answer: str, references: Sequence[str]) -> float:
        """Return how near an answer is to the nearest reference, from 0 to 1."""

    async def act(self, task: FitnessTask) -> Fitness:
        """Compare the answer with the references of the case."""
        references = self.references(task)
        if not references:
            return Fitness(reason=self._unusable(task))
        value = self.compared(task.answer[:_LONGEST], references)
        return Fitness(
            value=round(min(1.0, max(0.0, value)), 6),
            reason=f"{value:.3g} of the nearest reference",
        )

    def _unusable(self, task: FitnessTask) -> str:
        names = [name for reference in self.config.references for name in holes_in(reference)]
        unknown = [name for name in names if name not in task.features]
        if unknown:
            hint = nearest(unknown[0], sorted(task.features))
            return f"{unknown[0]!r} of a reference is no feature of the case.{hint}"
        return "no reference speaks only of what this case wants"

    def references(self, task: FitnessTask) -> list[str]:
        """Return the references of a case, with its values in their holes."""
        words: dict[str, str | None] = dict.fromkeys(task.features)
        words |= {name: (mentions or ("",))[0] for name, mentions in task.wanted.items()}
        words |= {name: label for name, label in task.labels.items() if name in task.wanted}
        references: list[str] = []
        for reference in self.config.references:
            text = fill_holes(reference, words)
            references += [text] if text else []
        return references


def _need(module: str, package: str) -> None:
    if find_spec(module) is None:
        raise MissingExtra(f"this fitness needs {package}: pip install 'sparring[fitness]'")


class RougeConfig(ReferenceConfig):
    """Settings of the fitness ``rouge``."""

    kind: Literal["rouge1", "rouge2", "rougeL"] = Field(
        default="rougeL", description="words, pairs of words, or the longest common sequence"
    )
    measure: Literal["fmeasure", "precision", "recall"] = "fmeasure"


class RougeFitness(ReferenceFitness):
    """Role ``fitness``: ROUGE of the answer against reference answers (rouge-score).

    Lin 2004, with stemming, as Google's implementation computes it; the best reference counts.
    """

    Config: ClassVar[type[PluginConfig]] = RougeConfig

    def __init__(self, config: RougeConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        _need("rouge_score", "rouge-score")

    def compared(self, answer: str, references: Sequence[str]) -> float:
        """Return the best score of any reference."""
        scorer = _rouge(self.config.kind)
        scores = (scorer.score(reference, answer)[self.config.kind] for reference in references)
        return max(float(getattr(score, self.config.measure)) for score in scores)


class BleuFitness(ReferenceFitness):
    """Role ``fitness``: BLEU of the answer against reference answers (sacrebleu).

    Sentence BLEU with exponential smoothing and effective order, Post 2018; all references count
    together, as defined for BLEU.
    """

    Config: ClassVar[type[PluginConfig]] = ReferenceConfig

    def __init__(self, config: ReferenceConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        _need("sacrebleu", "sacrebleu")

    def compared(self, answer: str, references: Sequence[str]) -> float:
        """Return BLEU, from 0 to 1."""
        return float(_bleu().sentence_score(answer, list(references)).score) / 100


class SimilarityConfig(ReferenceConfig):
    """Settings of the fitness ``similarity``."""

    references: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        description="good answers, with {{feature}} for labels; else the request is compared with",
    )
    by: By = "auto"


class SimilarityFitness(ReferenceFitness):
    """Role ``fitness``: the similarity in meaning of the answer to references, or to the request.

    Cosine of sentence embeddings (all-MiniLM-L6-v2), or of words if that is not installed.
    """

    Config: ClassVar[type[PluginConfig]] = SimilarityConfig

    def __init__(self, config: SimilarityConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._alike: TextSimilarity = text_similarity(config.by, context)

    def references(self, task: FitnessTask) -> list[str]:
        """Return the references of a case; the request if there are none."""
        return super().references(task) if self.config.references else [task.request]

    def compared(self, answer: str, references: Sequence[str]) -> float:
        """Return the best cosine of any reference."""
        return max(self._alike(reference, answer) for reference in references)


@cache
def _rouge(kind: str) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], use_stemmer=True)


@cache
def _bleu() -> Any:
    from sacrebleu.metrics.bleu import BLEU

    # Answers of two words have no 3-grams: without it a perfect one scores 0.
    return BLEU(effective_order=True)
