"""The decision, as in packages/extract/src/model/decide.ts: which blocks to keep, given their probabilities."""

import numpy as np

from labels import word_f1

SMOOTHING = 0.8
FLOOR = 0.2
LEAST_LIKELY = 0.05


def clean(page, p):
    """As select-content.ts and copies.ts: junk gets 0, and so do all but the most probable of blocks that say the same."""
    p = np.where(np.array(page.junk, bool) & (p > LEAST_LIKELY), 0, p).astype(np.float32)
    above = [page.parent[leaf] for leaf in page.leaf]
    best = {}
    for b in np.argsort(-p, kind="stable"):
        if p[b] > LEAST_LIKELY and page.copy[b] is not None:
            kept = best.setdefault(page.copy[b], b)
            if above[kept] != above[b]:
                p[b] = 0
    return p


def smooth(p, paths, words, share=SMOOTHING):
    """Mixes each probability with the word-weighted mean over blocks of the same path."""
    if len(p) == 0:
        return p
    _, group = np.unique(paths, return_inverse=True)
    total = np.bincount(group, weights=words)
    mean = np.bincount(group, weights=p * words) / np.maximum(total, 1e-9)
    return (1 - share) * p + share * mean[group]


def choose(p, words):
    """The blocks with the highest p that maximise the expected F1, and that F1."""
    if len(p) == 0:
        return np.zeros(0, bool), 0.0
    order = np.argsort(-p, kind="stable")
    kept = np.cumsum(words[order])
    right = np.cumsum((words * p)[order])
    expected = 2 * right / (kept + (words * p).sum())
    best = int(np.argmax(expected))
    chosen = np.zeros(len(p), bool)
    chosen[order[: best + 1]] = True
    return chosen, float(expected[best])


def score_page(page, chosen):
    output = [word for keep, tokens in zip(chosen, page.blocks) if keep for word in tokens]
    return word_f1(output, page.truth)
