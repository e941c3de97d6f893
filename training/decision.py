"""The decision, as in packages/extract/src/model/decide.ts: which blocks to keep, given their probabilities."""

import numpy as np

from labels import word_f1

SMOOTHING = 0.8
FLOOR = 0.2
LEAST_LIKELY = 0.05
CELL = 1
MAX_LEVELS = 32


def clean(page, p):
    """As select-content.ts and copies.ts: junk gets 0, and so do all but the most probable of copies."""
    p = np.where(np.array(page.junk, bool) & (p > LEAST_LIKELY), 0, p).astype(np.float32)
    best = {}
    for b in np.argsort(-p, kind="stable"):
        if p[b] > LEAST_LIKELY and page.copy[b] is not None:
            kept = best.setdefault(page.copy[b], b)
            if kept != b and is_copy(page, b, kept):
                p[b] = 0
    return p


def is_copy(page, one, other):
    """Of two blocks that say the same: whether one repeats the page's text, not what a fact has in common with another."""
    if page.parent[page.leaf[one]] == page.parent[page.leaf[other]] or page.part[one] == CELL:
        return False
    if any(say_same(page.hash, one + step, other + step) for step in (-1, 1)):
        return True
    return page.part[one] == 0 and not are_in_cards(page, page.leaf[one], page.leaf[other])


def say_same(hashes, one, other):
    return min(one, other) >= 0 and max(one, other) < len(hashes) and hashes[one] == hashes[other]


def are_in_cards(page, a, b):
    """Whether two scopes stand in two elements of one kind, side by side, that say more than they do."""
    for _ in range(MAX_LEVELS):
        if page.parent[a] == page.parent[b]:
            break
        above, below = depth(page, a), depth(page, b)
        if above >= below:
            a = page.parent[a]
        if below >= above:
            b = page.parent[b]
    is_more = page.to[a] - vars(page)["from"][a] > 1 or page.to[b] - vars(page)["from"][b] > 1
    return is_more and page.parent[a] == page.parent[b] and page.kind[a] is not None and page.kind[a] == page.kind[b]


def depth(page, scope):
    steps = 0
    while page.parent[scope] >= 0:
        scope = page.parent[scope]
        steps += 1
    return steps


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
