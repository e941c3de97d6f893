"""What the likely content of a page looks like, as packages/extract/src/content/features/likely-features.ts."""

import numpy as np

from decision import REACH

NAMES = ["price", "forum", "comment", "review", "card"]
MEASURES = ["words", "share", "sure", "perBlock", "links", "linkBlocks", "prose", "headings", "longest"]
LIKELY_FEATURES = [f"likely.{name}" for name in [*MEASURES, *NAMES]]


def read_parts(features, names):
    """Link share and kind of the blocks of a page, and those in elements with each name."""
    column = {name: features[:, names.index(name)] for name in ["linkShare", "isProse", "headingLevel"]}
    named = np.array([features[:, names.index(f"inName.{name}")] < REACH for name in NAMES])
    return column["linkShare"], column["isProse"] > 0, column["headingLevel"] > 0, named


def describe_likely(page, p):
    """The values of `LIKELY_FEATURES`, by the probabilities of the blocks as the trees give them."""
    link_share, is_prose, is_heading, named = page.parts_of_blocks
    sizes = np.array(page.words, dtype=np.float64)
    likely = p * sizes
    expected, blocks = likely.sum(), p.sum()
    links = p * np.round(link_share * sizes)
    values = [
        np.log1p(expected),
        ratio(expected, sizes.sum()),
        ratio((p * likely).sum(), expected),
        np.log1p(ratio(expected, blocks)),
        ratio(links.sum(), expected),
        ratio(p[np.round(link_share * sizes) * 2 > sizes].sum(), blocks),
        ratio(likely[is_prose].sum(), expected),
        ratio(p[is_heading].sum(), blocks),
        np.log1p(likely.max(initial=0)),
        *(ratio(likely[inside].sum(), expected) for inside in named),
    ]
    return np.array(values, dtype=np.float32)


def ratio(part, whole):
    return part / whole if whole > 0 else 0.0
