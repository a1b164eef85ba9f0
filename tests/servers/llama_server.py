"""llama.cpp's own server with a tiny random model that is written here.

The model is noise in the shape of a language model: half a megabyte, the 256 bytes as its
vocabulary. Everything around it is real: the protocol, the grammar that binds answers to a
schema, truncation, refusals. Run as a script with the model's path (and the tokens of one request) it serves until its standard
input is closed, and prints its base URL; tests use ``with LlamaServer(folder) as server:``, which
runs it as a process, so that a crash does not take the tests along.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any, Self

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
CONTEXT = 2048  # tokens of one request; a token is a byte or so


def write_model(
    path: Path, *, seed: int = 0, width: int = 64, layers: int = 2, context: int = CONTEXT
) -> None:
    """Write a random model of the llama architecture."""
    import gguf
    import numpy as np

    kinds, heads, inner = gguf.TokenType, 4, 128
    vocabulary: list[tuple[bytes, Any]] = [(b"<unk>", kinds.UNKNOWN)]
    vocabulary += [(b"<s>", kinds.CONTROL), (b"</s>", kinds.CONTROL)]
    vocabulary += [(b"<0x%02X>" % byte, kinds.BYTE) for byte in range(256)]
    characters = "\u2581" + "".join(map(chr, range(33, 127)))
    vocabulary += [(character.encode(), kinds.NORMAL) for character in characters]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny-random")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(vocabulary))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([kind for _, kind in vocabulary])
    writer.add_token_scores([-float(number) for number in range(len(vocabulary))])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)
    numbers = np.random.default_rng(seed)

    def noise(name: str, *shape: int) -> None:
        writer.add_tensor(name, (numbers.standard_normal(shape) * 0.2).astype(np.float32))

    def ones(name: str) -> None:
        writer.add_tensor(name, np.ones(width, np.float32))

    noise("token_embd.weight", len(vocabulary), width)
    ones("output_norm.weight")
    noise("output.weight", len(vocabulary), width)
    for layer in range(layers):
        block = f"blk.{layer}."
        ones(f"{block}attn_norm.weight")
        ones(f"{block}ffn_norm.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            noise(f"{block}{name}.weight", width, width)
        noise(f"{block}ffn_gate.weight", inner, width)
        noise(f"{block}ffn_up.weight", inner, width)
        noise(f"{block}ffn_down.weight", width, inner)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class LlamaServer:
    """The server as a process, while it is entered; `base_url` is what a client takes."""

    def __init__(self, folder: Path, *, context: int = CONTEXT, layers: int = 2) -> None:
        self._model = folder / "tiny.gguf"
        self._context = context
        self._layers = layers
        self.base_url = ""

    def __enter__(self) -> Self:
        if not self._model.exists():
            write_model(self._model, context=self._context, layers=self._layers)
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(self._model), str(self._context)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # llama.cpp's log
            text=True,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("http://"):
                self.base_url = f"{line.strip()}/v1"
                return self
        raise RuntimeError(f"llama.cpp's server ended with {self._process.wait()}")

    def __exit__(self, *_: object) -> None:
        try:
            self._process.communicate(timeout=60)  # closes its standard input
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


def serve(model: str, context: int = CONTEXT) -> None:
    """Serve until standard input is closed."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias, settings.port = model, {"tiny"}, 0
    settings.n_parallel, settings.verbosity = 4, 0
    settings.n_ctx = context * settings.n_parallel
    # Several threads wait for each other in loops, for minutes where the machine is busy.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.kv_unified = False  # so that each request has the same room
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)  # noqa: T201
    sys.stdin.read()
    del server


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:]))
