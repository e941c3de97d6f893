"""The lexicon: logistic regression on class, id, role and element names at four distances from a block."""

from collections import defaultdict

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

LEVELS = 4
LEAST_DOMAINS = 8
MOST_BLOCKS = 80
RIDGE = 30.0


def index_tokens(pages):
    """Tokens seen on at least `LEAST_DOMAINS` domains, numbered; fit on the pages given only."""
    domains = defaultdict(set)
    for page in pages:
        for token in {token for tokens in page.tokens for token in tokens}:
            domains[token].add(page.domain)
    kept = sorted(token for token, seen in domains.items() if len(seen) >= LEAST_DOMAINS)
    return {token: i for i, token in enumerate(kept)}


def sample_blocks(page, rng):
    """Blocks of a page by words^0.8, and their weights: each page counts the same."""
    if page.count == 0:
        return np.empty(0, int), np.empty(0)
    weights = page.sizes**0.8
    weights /= weights.sum()
    if page.count <= MOST_BLOCKS:
        return np.arange(page.count), weights
    chosen = np.unique(rng.choice(page.count, MOST_BLOCKS, p=weights))
    return chosen, np.full(len(chosen), 1 / len(chosen))


def count_tokens(pages, index, samples):
    """Sparse matrix: rows are blocks, column `level * tokens + token` counts a name at a distance."""
    size = len(index)
    indptr, columns = [0], []
    for page, (chosen, _) in zip(pages, samples):
        known = [[index[t] for t in tokens if t in index] for tokens in page.tokens]
        for block in chosen:
            scope, level = page.leaf[block], 0
            while scope >= 0:
                columns += [min(level, LEVELS - 1) * size + t for t in known[scope]]
                scope, level = page.parent[scope], level + 1
            indptr.append(len(columns))
    data = np.ones(len(columns), dtype=np.float32)
    matrix = sp.csr_matrix((data, columns, indptr), shape=(len(indptr) - 1, LEVELS * size))
    matrix.sum_duplicates()
    return matrix


def fit_lexicon(pages, seed=1):
    """Weights of every token, `LEVELS` values each, from the pages given only."""
    rng = np.random.default_rng(seed)
    index = index_tokens(pages)
    samples = [sample_blocks(page, rng) for page in pages]
    matrix = count_tokens(pages, index, samples)
    target = np.concatenate([page.labels[chosen] for page, (chosen, _) in zip(pages, samples)])
    weight = np.concatenate([w for _, w in samples]) * 20
    transposed = matrix.T.tocsr()

    def loss(parameters):
        scores = matrix @ parameters[:-1] + parameters[-1]
        p = 1 / (1 + np.exp(-scores))
        value = weight @ (np.logaddexp(0, scores) - target * scores)
        slope = weight * (p - target)
        gradient = np.append(transposed @ slope + RIDGE * parameters[:-1], slope.sum())
        return value + RIDGE / 2 * parameters[:-1] @ parameters[:-1], gradient

    start = np.zeros(matrix.shape[1] + 1)
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    table = best[:-1].reshape(LEVELS, len(index)).T
    return {token: [round(float(v), 2) for v in table[i]] for token, i in index.items() if np.abs(table[i]).max() >= 0.02}
