"""Blocks that are excluded from training and score, because the labels of their set do not follow the policy."""

import numpy as np

from labels import align, tokenize

GRAM = 3
LEAST_OF_PART = 0.7
# A byline or title before the first paragraph.
LEAST_PARAGRAPH = 20
MOST_LINE = 15
LINES_BEFORE = 3
CAPTION_NAMES = {"<figcaption", "<figure", "caption", "figcaption", "legend", "credit", "copyright", "$caption"}
CAPTION_STEPS = 3


def find_masked(page, labels, kinds):
    """Marks the blocks of the named kinds."""
    masked = np.zeros(len(labels), dtype=bool)
    for kind in kinds:
        masked |= FINDERS[kind](page, labels)
    return masked


def find_doubtful(page, labels):
    """Blocks that the set lists as doubtful."""
    texts = [tokenize(text) for text in page.notes.get("doubtful") or []]
    if not texts:
        return np.zeros(len(labels), dtype=bool)
    whole = {tuple(text) for text in texts}
    joined = "\n".join(page.notes["doubtful"])
    held = " ".join(["", *(" ".join(text) + " |" for text in texts)])
    aligned = np.array(align(page.blocks, joined))
    exact = np.array(
        [tuple(b) in whole or (len(b) >= GRAM and f" {' '.join(b)} " in held) for b in page.blocks], dtype=bool
    )
    return (labels < 0.5) & ((aligned >= 0.5) | exact)


def find_parts(page, texts):
    """Blocks that are one of the texts, hold one, or are most of a piece of one."""
    parts = [tokens for tokens in map(tokenize, texts) if tokens]
    whole = {tuple(tokens) for tokens in parts}
    held = " ".join(["", *(" ".join(tokens) + " |" for tokens in parts)])
    aligned = np.array(align(page.blocks, "\n".join(texts)))
    exact = [tuple(b) in whole or (len(b) >= GRAM and f" {' '.join(b)} " in held) for b in page.blocks]
    return (aligned >= LEAST_OF_PART) | np.array(exact, dtype=bool)


def find_comments(page, labels):
    """Readers' comments under a post, if the set lists them."""
    text = page.notes.get("comments") or ""
    if not text:
        return np.zeros(len(labels), dtype=bool)
    return (labels < 0.5) & (np.array(align(page.blocks, text)) >= 0.5)


def find_byline(page, labels):
    """Title, byline and day before the text: only some truths of the set include them."""
    masked = np.zeros(len(labels), dtype=bool)
    chosen = np.flatnonzero(labels >= 0.5)
    long = [b for b in chosen if page.sizes[b] >= LEAST_PARAGRAPH]
    if long:
        for b in range(max(0, chosen[0] - LINES_BEFORE), long[0]):
            masked[b] = page.sizes[b] <= MOST_LINE
    return masked


def find_captions(page, labels):
    """Captions and credits of pictures, which the truths of the set leave out."""
    is_caption = [not CAPTION_NAMES.isdisjoint(tokens) for tokens in page.tokens]
    masked = np.zeros(len(labels), dtype=bool)
    for b in np.flatnonzero(labels < 0.5):
        scope = page.leaf[b]
        for _ in range(CAPTION_STEPS):
            if scope < 0:
                break
            masked[b] |= is_caption[scope] and page.to[scope] - page.__dict__["from"][scope] <= 4
            scope = page.parent[scope]
    return masked


def find_repeats(page, labels):
    """Repeated texts, such as quotes of earlier posts: all copies but the first one outside a quote."""
    masked = np.zeros(len(labels), dtype=bool)
    in_quote = mark_quotes(page)
    grams = {}
    for b, tokens in enumerate(page.blocks):
        for k in range(len(tokens) - GRAM + 1):
            grams.setdefault(tuple(tokens[k : k + GRAM]), []).append(b)
    for b, tokens in enumerate(page.blocks):
        size = len(tokens) - GRAM + 1
        if size < 4:
            continue
        found = 0
        for k in range(size):
            others = grams[tuple(tokens[k : k + GRAM])]
            found += any(o != b and (in_quote[b] and not in_quote[o] or not in_quote[o] and o < b) for o in others[:20])
        masked[b] = found >= 0.8 * size
    return masked


def mark_quotes(page):
    inside = np.zeros(len(page.parent), dtype=bool)
    for scope, above in enumerate(page.parent):
        names = page.tokens[scope]
        inside[scope] = (above >= 0 and inside[above]) or "<blockquote" in names or "quote" in names or "quotetitle" in names
    return inside[page.leaf] if len(page.leaf) else np.zeros(0, dtype=bool)


FINDERS = {
    "doubtful": find_doubtful,
    "comments": find_comments,
    "byline": find_byline,
    "captions": find_captions,
    "repeats": find_repeats,
}
