"""The lexicons: logistic regressions on the names around a block, and on its first words.

Both are fitted on many subsets of the pages, so the matrix of all pages is built once; a fit uses the rows of its pages,
and the columns of tokens that occur on enough domains of these pages.
"""

import base64

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

LEVELS = 4
LEAST_DOMAINS = 8
MOST_BLOCKS = 80
NAME_RIDGE = 30.0
WORD_RIDGE = 12.0
ROUNDS = 60
SCALE = 20

LEAST_NAME_WEIGHT = 0.02
# Weights of words are shipped as bytes.
WORD_STEPS = 32
LEAST_WORD_STEPS = 4


class Samples:
    """Blocks of all pages, drawn once, with labels, weights and pages."""

    def __init__(self, pages, seed):
        rng = np.random.default_rng(seed)
        self.pages = pages
        self.drawn = [sample_blocks(page, rng) for page in pages]
        self.labels = np.concatenate([page.labels[chosen] for page, (chosen, _) in zip(pages, self.drawn)])
        self.weights = np.concatenate([weights for _, weights in self.drawn]) * SCALE
        self.page_of = np.repeat(np.arange(len(pages)), [len(chosen) for chosen, _ in self.drawn])
        _, self.domain_of = np.unique([page.domain for page in pages], return_inverse=True)


def sample_blocks(page, rng):
    """Draws taught blocks of a page by words^0.8, with weights that sum to the page's weight."""
    weights = np.where(page.untaught, 0, page.sizes**0.8)
    if weights.sum() == 0:
        return np.empty(0, int), np.empty(0)
    weights /= weights.sum()
    shown = np.flatnonzero(weights)
    if len(shown) <= MOST_BLOCKS:
        return shown, weights[shown] * page.weight
    chosen = np.unique(rng.choice(page.count, MOST_BLOCKS, p=weights))
    return chosen, np.full(len(chosen), page.weight / len(chosen))


class NameLexicon:
    """Weights of class names, ids, roles, elements, labels and headings at `LEVELS` distances from a block."""

    def __init__(self, samples):
        self.samples = samples
        self.index = {}
        held = [[self.number(tokens) for tokens in page.tokens] for page in samples.pages]
        self.presence = make_presence(samples, [set().union(*tokens) for tokens in held], len(self.index))
        indptr, columns = [0], []
        for page, known, (chosen, _) in zip(samples.pages, held, samples.drawn):
            for block in chosen:
                scope, level = page.leaf[block], 0
                while scope >= 0:
                    columns += [t * LEVELS + min(level, LEVELS - 1) for t in known[scope]]
                    scope, level = page.parent[scope], level + 1
                indptr.append(len(columns))
        self.matrix = make_matrix(indptr, columns, len(self.index) * LEVELS)

    def number(self, tokens):
        return [self.index.setdefault(token, len(self.index)) for token in tokens]

    def fit(self, inside):
        """Fits the weights by token on the pages where `inside` is true."""
        kept = count_domains(self.presence, self.samples, inside) >= LEAST_DOMAINS
        weights = fit_weights(self.matrix, self.samples, inside, np.repeat(kept, LEVELS), NAME_RIDGE)
        table = weights.reshape(-1, LEVELS)
        names = list(self.index)
        strong = np.flatnonzero(np.abs(table).max(axis=1) >= LEAST_NAME_WEIGHT)
        return {names[t]: [round(float(v), 2) for v in table[t]] for t in strong}


class WordLexicon:
    """Weights of the first words of blocks, and of pairs of adjacent ones, by hash."""

    def __init__(self, samples):
        self.samples = samples
        every = [[token for tokens in page.wordTokens for token in tokens] for page in samples.pages]
        self.tokens, numbers = np.unique(np.array([t for tokens in every for t in tokens]), return_inverse=True)
        ends = np.cumsum([0, *(len(tokens) for tokens in every)])
        by_page = [numbers[start:end] for start, end in zip(ends, ends[1:])]
        self.presence = make_presence(samples, [set(page.tolist()) for page in by_page], len(self.tokens))
        indptr, columns = [0], []
        for page, found, (chosen, _) in zip(samples.pages, by_page, samples.drawn):
            starts = np.cumsum([0, *(len(tokens) for tokens in page.wordTokens)])
            for block in chosen:
                columns.append(found[starts[block] : starts[block + 1]])
                indptr.append(indptr[-1] + len(columns[-1]))
        self.matrix = make_matrix(indptr, np.concatenate(columns), len(self.tokens))

    def fit(self, inside):
        """As word-lexicon.ts reads it: hashes, and weights in `WORD_STEPS`ths, in base64."""
        kept = count_domains(self.presence, self.samples, inside) >= LEAST_DOMAINS
        weights = fit_weights(self.matrix, self.samples, inside, kept, WORD_RIDGE)
        steps = np.clip(np.round(weights * WORD_STEPS), -127, 127).astype(np.int8)
        strong = np.abs(steps) >= LEAST_WORD_STEPS
        return {"hashes": encode(self.tokens[strong].astype("<i4")), "weights": encode(steps[strong])}


def make_presence(samples, by_page, width):
    """Sparse matrix: which token is on which domain."""
    rows = np.repeat(samples.domain_of, [len(tokens) for tokens in by_page])
    columns = np.array([t for tokens in by_page for t in tokens])
    # Presence by domain is exact, because folds never divide a domain.
    matrix = sp.csr_matrix((np.ones(len(columns), np.int8), (rows, columns)), shape=(samples.domain_of.max() + 1, width))
    matrix.data[:] = 1
    return matrix


def make_matrix(indptr, columns, width):
    matrix = sp.csr_matrix((np.ones(len(columns), np.float32), columns, indptr), shape=(len(indptr) - 1, width))
    matrix.sum_duplicates()
    return matrix


def count_domains(presence, samples, inside):
    """Counts the domains of the pages inside on which each token occurs."""
    domains = np.unique(samples.domain_of[inside])
    return np.asarray(presence[domains].sum(axis=0, dtype=np.int32)).ravel()


def fit_weights(matrix, samples, inside, kept, ridge):
    """Fits a logistic regression on the pages inside; columns that are not kept get 0."""
    rows = inside[samples.page_of]
    chosen = matrix[rows][:, kept]
    target, weight = samples.labels[rows], samples.weights[rows]
    transposed = chosen.T.tocsr()

    def loss(parameters):
        scores = chosen @ parameters[:-1] + parameters[-1]
        p = 1 / (1 + np.exp(-scores))
        value = weight @ (np.logaddexp(0, scores) - target * scores)
        slope = weight * (p - target)
        gradient = np.append(transposed @ slope + ridge * parameters[:-1], slope.sum())
        return value + ridge / 2 * parameters[:-1] @ parameters[:-1], gradient

    best = minimize(loss, np.zeros(chosen.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x
    weights = np.zeros(matrix.shape[1])
    weights[kept] = best[:-1]
    return weights


def encode(array):
    return base64.b64encode(array.tobytes()).decode()
