"""Folds by registrable domain over all sets, balanced by set and page type."""

from collections import defaultdict

import numpy as np


def assign_folds(pages, folds, seed):
    """Fold of each page; all pages of a domain share one, whether they have small copies or not."""
    rng = np.random.default_rng(seed)
    domains = defaultdict(list)
    for i, page in enumerate(pages):
        domains[page.domain].append(i)
    names = sorted(domains)
    rng.shuffle(names)
    names.sort(key=lambda name: -sum(not pages[i].is_reduced for i in domains[name]))
    counts = [defaultdict(int) for _ in range(folds)]
    totals = [0] * folds
    result = np.zeros(len(pages), dtype=int)
    for name in names:
        first = pages[domains[name][0]]
        kind = (first.set, first.type)
        fold = min(range(folds), key=lambda f: (counts[f][kind], totals[f]))
        for i in domains[name]:
            result[i] = fold
        size = sum(not pages[i].is_reduced for i in domains[name])
        counts[fold][kind] += size
        totals[fold] += size
    return result
