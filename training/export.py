"""Writes the models as packages/extract/src/content/model/model-data.ts: complete trees in base64."""

import base64
import json

import numpy as np

import settings
from dataset import TYPES

HEAD = """/**
 * The trained model: written by `training/train.sh`, never by hand. Trained on WCXB (Murrough Foley, 2026,
 * CC BY 4.0), dragnet_data (Peters and Lecocq, 2013, CC BY 4.0) and other sets, see `training/MODEL_CARD.md`.
 */
import type { PackedWords } from '../blocks/word-lexicon.ts';
import type { PageType } from '../../types/extraction.ts';
import type { PackedModel } from './tree-model.ts';

export const PACKED: {
  readonly content: PackedModel;
  readonly types: readonly { type: PageType; model: PackedModel }[];
  readonly lexicon: string;
  readonly words: PackedWords;
  readonly floor: number;
  readonly confidence: readonly (readonly [number, number])[];
  readonly confidenceFactors: Readonly<Record<PageType, number>>;
} = """


def read_trees(booster):
    parsed = json.loads(bytes(booster.save_raw("json")))
    model = parsed["learner"]["gradient_booster"]["model"]
    return model["trees"], model["tree_info"]


def complete(tree, depth):
    """Pads a tree to a complete one: (columns, cuts, leaves), level by level."""
    splits, size = (1 << depth) - 1, 1 << depth
    columns, cuts, leaves = np.zeros(splits, int), np.zeros(splits, np.float32), np.zeros(size, np.float32)
    nodes = [0]
    for place in range(splits + size):
        node = nodes[place]
        is_leaf = tree["left_children"][node] < 0
        if place >= splits:
            leaves[place - splits] = tree["split_conditions"][node]
        elif is_leaf:
            nodes += [node, node]
        else:
            columns[place] = tree["split_indices"][node]
            cuts[place] = tree["split_conditions"][node]
            nodes += [tree["left_children"][node], tree["right_children"][node]]
    return columns, cuts, leaves


def pack(trees, depth, names):
    parts = [complete(tree, depth) for tree in trees]
    columns = np.concatenate([part[0] for part in parts])
    used = sorted(set(columns.tolist()))
    assert len(used) <= 256, f"{len(used)} columns do not fit one byte"
    return {
        "depth": depth,
        "trees": len(trees),
        "columns": [names[c] for c in used],
        "features": encode(np.searchsorted(used, columns).astype(np.uint8)),
        "cuts": encode(np.concatenate([part[1] for part in parts])),
        "leaves": encode(np.concatenate([part[2] for part in parts])),
    }


def encode(array):
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()


def pack_types(booster, depth, names):
    trees, classes = read_trees(booster)
    return [
        {"type": kind, "model": pack([t for t, c in zip(trees, classes) if c == k], depth, names)}
        for k, kind in enumerate(TYPES)
    ]


def pack_lexicon(lexicon):
    def line(token, weights):
        return " ".join([token, *(str(round(w * 100)) for w in weights)])

    clean = {t: w for t, w in lexicon.items() if not any(c.isspace() for c in t)}
    return "\n".join(line(token, clean[token]) for token in sorted(clean))


def write_model(path, content, content_depth, types, type_depth, lexicon, words, names, page_names, floor, calibration):
    probe = {"trees": settings.PROBE_TREES, "floor": settings.PROBE_FLOOR}
    data = {
        "content": {**pack(read_trees(content)[0], content_depth, names), "probe": probe},
        "types": pack_types(types, type_depth, page_names),
        "lexicon": pack_lexicon(lexicon),
        "words": words,
        "floor": floor,
        "confidence": calibration.curve,
        "confidenceFactors": calibration.factors,
    }
    with open(path, "w") as file:
        file.write(HEAD + json.dumps(data, ensure_ascii=False, indent=2) + ";\n")
