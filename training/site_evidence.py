"""The second stage of the model: what other pages of a host show of a block, as packages/extract/src/sites/."""

from collections import Counter, defaultdict
from urllib.parse import urlsplit

import numpy as np
from sklearn.linear_model import LogisticRegression

import settings
from decision import clean

SHORT = 8
SURE = 9
# Numbers of other pages that give evidence, and choices of them for each page.
OTHERS = [2, 3, 5]
CHOICES = 2
HEAD = """/** Weights of the second stage, a logistic regression: written by `training/train.sh`, never by hand. */
export const EVIDENCE_WEIGHTS: EvidenceWeights = """
TAIL = """;

export interface EvidenceWeights {
  readonly bias: number;
  /** Of the page's own log-odds. */
  readonly own: number;
  /** Of the share of the class path's blocks that other pages keep. */
  readonly kept: number;
  /** Of the share of other pages with the same text, for headings and short texts, and for others. */
  readonly sharedShort: number;
  readonly sharedLong: number;
}
"""


def write_evidence_weights(path, pages):
    """Fits the weights on pages with out-of-fold probabilities and choices, and writes them."""
    features, labels, weights = (np.concatenate(part) for part in zip(*list_samples(pages)))
    # A soft label is a positive and a negative sample.
    stage = LogisticRegression().fit(
        np.concatenate([features, features]),
        np.repeat([1, 0], len(labels)),
        sample_weight=np.concatenate([weights * labels, weights * (1 - labels)]) * (len(labels) / weights.sum()),
    )
    own, kept, short, long = (round(float(weight), 2) for weight in stage.coef_[0])
    bias = round(float(stage.intercept_[0]), 2)
    values = {"bias": bias, "own": own, "kept": kept, "sharedShort": short, "sharedLong": long}
    print(values, flush=True)
    with open(path, "w") as file:
        file.write(HEAD + "{ " + ", ".join(f"{name}: {value}" for name, value in values.items()) + " }" + TAIL)


def list_samples(pages):
    """Yields features, labels and weights of the blocks of each page with each choice of other pages."""
    rng = np.random.default_rng(settings.SEED)
    hosts = defaultdict(list)
    for page in pages:
        hosts[(urlsplit(page.url or "").hostname or page.key).removeprefix("www.")].append(page)
    for group in hosts.values():
        for page in group:
            rest = [other for other in group if other is not page]
            for count in OTHERS:
                if len(rest) < count:
                    continue
                choices = {tuple(sorted(rng.choice(len(rest), count, replace=False).tolist())) for _ in range(CHOICES)}
                for choice in sorted(choices):
                    yield from sample(page, [rest[k] for k in choice], page.weight / len(choices))


def sample(page, others, weight):
    hidden = np.array(page.hidden, bool)
    p = clean(page, page.raw, hidden)
    kept, texts = defaultdict(list), Counter()
    for other in others:
        shown = np.flatnonzero(~np.array(other.hidden, bool))
        own = defaultdict(list)
        for b in shown:
            own[other.classPath[b]].append(other.chosen[b])
        for path, values in own.items():
            kept[path].append(np.mean(values))
        texts.update({other.hash[b] for b in shown})
    used = np.flatnonzero((p > 0) & ~page.untaught & (page.sizes > 0) & np.array([path in kept for path in page.classPath], bool))
    if len(used) == 0:
        return
    odds = np.clip(np.log(np.maximum(p[used], 1e-9) / np.maximum(1 - p[used], 1e-9)), -SURE, SURE)
    share = np.array([np.mean(kept[page.classPath[b]]) for b in used])
    shared = np.array([texts[page.hash[b]] / len(others) for b in used])
    short = (page.heading[used] > 0) | (page.sizes[used] < SHORT)
    size = page.sizes[used] ** settings.WORD_POWER
    features = np.column_stack([odds, share, shared * short, shared * ~short])
    yield features, page.labels[used], size * (weight / size.sum())
