"""Train the weights of the extractor on SENSEI's public conversations, leaving one chatbot out.

    SPARRING_SENSEI_EVALUATION=CHECKOUT python tests/evaluation/extraction/train_weights.py [--write]

The model is a conditional logit over the candidates of an output and "no value": the chosen one has the highest
weighted sum of features. Weights start at the prior in `weights.yaml`, keep its sign, and are drawn back to it, so
that a feature that the public chatbots do not exercise keeps its judged weight. Every chatbot counts the same,
however many conversations it has. Values that the chatbot never said (the model took the user's words) are left
out of training. Printed are, per chatbot, the agreement with the prior alone, with weights from the other
chatbots, and with weights from all; ``--write`` puts the last into `weights.yaml`.

Two implementations of one chatbot (Taskyto and Rasa) count as one chatbot. Needs scipy.
"""

import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.evaluation import test_extraction_agreement as agreement

from sparring_plugins.users.extraction import extractor, features
from sparring_plugins.users.extraction.output_form import output_form

FILE = Path(features.__file__).with_name("weights.yaml")
STRENGTH = 0.5
"""How strongly weights are drawn back to the prior, beside a mean log-likelihood per chatbot of 1."""

SAME = {
    "photography-test": "photography",
    "veterinary-test": "veterinary",
    "pizzashop-test": "pizza",
}


@dataclass
class Example:
    """One output of one conversation: its candidates' features, and which of them are right."""

    chatbot: str
    table: Any
    right: Any


def examples(root: Path, names: list[str]) -> list[Example]:
    """All typed outputs whose stored value the chatbot said, or that have none."""
    collected: list[Example] = []
    for chatbot, task, spec, value in agreement.tasks(root):
        form = output_form(spec)
        if form.form in ("statement", "bool"):
            continue
        search = extractor._OutputSearch(task)
        forms = [output_form(other) for other in task.outputs]
        form = next(other for other in forms if other.spec.name == spec.name)
        described = search.described(form, forms)
        replies = [turn.observation.text for turn in task.turns if turn.observation]
        pairs = [
            agreement.Pair(chatbot, "", spec, value, search.typed_value(form, passage.candidate),
                           agreement.was_said(form.form, value, replies, task.today), task.today)
            for passage, _ in described
        ]  # fmt: skip
        right = [pair.outcome in ("same", "within", "other order") for pair in pairs]
        present = agreement._present(form.form, value) is not None
        if not described or (present and not any(right)):
            continue
        table = np.array([[values[name] for name in names] for _, values in described])
        collected.append(
            Example(SAME.get(chatbot, chatbot), table, np.array([not present, *right]))
        )
    return collected


def train(chosen: list[Example], prior: Any) -> Any:
    """Weights by maximum a posteriori; the last is the score of no value."""
    counts: dict[str, int] = defaultdict(int)
    for example in chosen:
        counts[example.chatbot] += 1

    def loss(w: Any) -> tuple[float, Any]:
        total, gradient = 0.0, np.zeros_like(w)
        for example in chosen:
            scores = np.concatenate(([w[-1]], example.table @ w[:-1]))
            shifted = np.exp(scores - scores.max())
            p = shifted / shifted.sum()
            mass = (p * example.right).sum()
            weight = 1 / counts[example.chatbot]
            total -= weight * np.log(mass + 1e-12)
            d = p - p * example.right / (mass + 1e-12)
            gradient[:-1] += weight * (d[1:] @ example.table)
            gradient[-1] += weight * d[0]
        away = w - prior
        return total + STRENGTH * float(away @ away), gradient + 2 * STRENGTH * away

    bounds = [(0, None) if value >= 0 else (None, 0) for value in prior[:-1]] + [(None, None)]
    return minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds).x


def share(chosen: list[Example], w: Any) -> float:
    """The share of outputs whose highest score is a right one."""
    hits = [
        example.right[int(np.argmax(np.concatenate(([w[-1]], example.table @ w[:-1]))))]
        for example in chosen
    ]
    return float(np.mean(hits))


def main() -> None:
    """Train, print the figures by chatbot, and write the weights if asked."""
    data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    names = list(data["prior"])
    prior = np.array([*data["prior"].values(), data["prior_nothing"]])
    measured = examples(Path(os.environ[agreement.VARIABLE]), names)
    everything = train(measured, prior)
    print("chatbot          outputs   prior  others    all")  # noqa: T201
    for chatbot in sorted({example.chatbot for example in measured}):
        held = [example for example in measured if example.chatbot == chatbot]
        others = train([e for e in measured if e.chatbot != chatbot], prior)
        figures = "  ".join(f"{100 * share(held, w):5.1f}" for w in (prior, others, everything))
        print(f"{chatbot:16} {len(held):7}   {figures}")  # noqa: T201
    for name, before, after in zip([*names, "nothing"], prior, everything, strict=True):
        print(f"{name:16} {before:6.2f} {after:6.2f}")  # noqa: T201
    if "--write" in sys.argv:
        data["nothing"] = round(float(everything[-1]), 3)
        data["trained"] = {n: round(float(w), 3) for n, w in zip(names, everything, strict=False)}
        head = "".join(line for line in FILE.open(encoding="utf-8") if line.startswith("#"))
        FILE.write_text(head + yaml.safe_dump(data, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
