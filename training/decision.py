"""Decides which blocks to keep by their probabilities, as packages/extract/src/content/model/decide.ts does."""

from collections import Counter

import numpy as np

SMOOTHING = 0.8
FLOOR = 0.12
# Weight of recall relative to precision if the caller favors one; otherwise the page's type decides.
FAVORS = ["precision", "balanced", "recall"]
PRECISION_BETA, RECALL_BETA = 0.6, 1.7
# Further factor for `precision` on the weight of the page type.
PRECISION_SHARE = 0.8
# By guessed page type. Wrongly kept text of an article is one piece after it; rows of a listing are kept or dropped together;
# other products, delivery and reviews surround a product.
TYPE_BETAS = {"article": 0.75, "listing": 1.5, "product": 0.7}
# Factor on the odds of an article: one that is taken for another type loses more, such as its date and author.
ARTICLE_FACTOR = 1.6
# Small pages look like services; with this share of their words in the likely content, they are cut like articles.
PLAIN_SHARE = 0.7
# As in surroundings.ts, by guessed type: features that mark text around the main text, those that do so only where the
# model doubts the text, and the least sureness of the guess.
SURROUNDINGS = {
    "article": (["inName.comment"], [], 0.8),
    "product": (
        ["inName.review", "inName.comment", "inTag.form", "says.shipping", "says.legal"],
        ["inName.consent", "inTag.header"],
        0,
    ),
    "collection": (
        ["inName.review", "inTag.form", "says.shipping", "says.legal"],
        ["inName.consent", "inName.footer", "inName.modal"],
        0,
    ),
    "listing": (["inName.nav", "inName.related", "says.legal"], ["inName.consent"], 0),
    "service": (["inTag.form"], ["inName.consent", "inName.footer", "inName.modal", "inName.nav"], 0),
}
# Factor on the odds of blocks in an element for navigation: the trees do not rule out a menu of a hundred short links.
NAVIGATION, NAVIGATION_FACTOR = "inTag.nav", 0.14
MARKS = sorted({NAVIGATION, *(mark for marks, doubtful, _ in SURROUNDINGS.values() for mark in [*marks, *doubtful])})
MOST_SHARE = 0.5
# A text this likely is no text around the main text for its words alone.
CERTAIN = 0.93
DOUBTED = 0.5
REACH = 12
# Characters, as in extract.ts: a hidden title is no content that scripts reveal.
LEAST_UNVEILED = 60
LEAST_BESIDE = 150
LEAST_BLOCKS = 3
# Share of the path's weight for the mean over a block's section, and the section's levels above the block.
SECTIONS = {"product": (0.4, 1), "collection": (0.3, 2), "service": (0.3, 2)}
# As in topics/keep-topic-rows.ts: parts of the rows in an index of topics, the least probability of two parts, the least
# words of a post outside and inside the rows, and the most words expected outside the rows for each word in them.
NO_PART, TOPIC_TITLE, TOPIC_DESCRIPTION, UNTOLD = 0, 1, 2, 3
LEAST_OF_PART = np.array([0, 0.95, 0.6, 0, 0, 0])
LEAST_PROSE, MOST_EXCERPT = 20, 80
MOST_OTHER_TEXT = 1.5
LEAST_LIKELY = 0.05
FACTS = {"<table", "<dl", "@table", "@grid"}
CELL = 1
MAX_LEVELS = 32


def decide(page, p):
    """The blocks to keep and their expected F1 for each favor, as in extract.ts and select-content.ts."""
    page.cut, page.cut_sureness = choose_cut(page, p)
    hidden = np.array(page.hidden, bool)
    p = np.where(page.marks[NAVIGATION], NAVIGATION_FACTOR * p / (1 - p + NAVIGATION_FACTOR * p), p)
    choices = decide_shown(page, p, hidden)
    shown = count_characters(page, choices)
    if hidden.any() and shown < LEAST_UNVEILED:
        unveiled = decide_shown(page, p, np.zeros(page.count, bool))
        is_one_piece = shown > 0 and unveiled["balanced"][0].sum() < LEAST_BLOCKS
        if not is_one_piece and count_characters(page, unveiled) >= (LEAST_BESIDE if shown > 0 else LEAST_UNVEILED):
            return unveiled
    return choices


def count_characters(page, choices):
    return sum(len(page.texts[b]) for b in np.flatnonzero(choices["balanced"][0]))


def choose_cut(page, p):
    """The type by which blocks are chosen, and its sureness."""
    if page.guess == "service" and likely_share(page, p) >= PLAIN_SHARE:
        return "article", 1 - page.sureness
    return page.guess, page.sureness


def likely_share(page, p):
    words = np.array(page.words, dtype=np.float64)
    return (words * p).sum() / max(words.sum(), 1)


def decide_shown(page, p, hidden):
    words = np.where(hidden, 0, page.sizes)
    junk = read_junk(page) & (p > LEAST_LIKELY)
    # What a rule excludes says nothing about its neighbours.
    counted = np.where(junk, 0, words)
    p = np.where(hidden, 0, clean(page, p, hidden))
    outside = find_surroundings(page, p, counted)
    p = np.where(hidden | junk, 0, smooth(page, np.where(outside, 0, p), counted, np.where(outside, 0, counted)))
    p = keep_topic_rows(page, p, words)
    best = choose(p, words)[1]
    factor = TYPE_BETAS.get(page.cut, 1)
    betas = {"precision": min(PRECISION_BETA, PRECISION_SHARE * factor), "balanced": factor, "recall": max(RECALL_BETA, factor)}
    choices = {favor: choose(p, words, beta) for favor, beta in betas.items()}
    for chosen, _ in choices.values():
        if best < FLOOR:
            chosen[:] = False
        add_between(page, chosen, hidden)
        if page.guess == "product" and chosen.any():
            add_facts(page, chosen)
    return choices


def add_facts(page, chosen):
    """As product-facts.ts: adds price, availability and number where no block that states it is chosen."""
    for blocks, first in page.facts:
        if not chosen[blocks].any():
            chosen[first] = True


def add_between(page, chosen, hidden):
    """Adds headings, tables and definition lists between two chosen blocks of one element."""
    was, junk = chosen.copy(), read_junk(page)
    starts, end = vars(page)["from"], 0
    for scope in range(1, len(page.parent)):
        before, after = starts[scope] - 1, page.to[scope]
        if after <= end or before < 0 or after >= page.count or not (was[before] and was[after]):
            continue
        above = page.parent[scope]
        if page.parent[page.leaf[before]] != above or page.parent[page.leaf[after]] != above:
            continue
        is_heading = after - before == 2 and page.heading[before + 1] >= 2
        if not is_heading and FACTS.isdisjoint(page.tokens[scope]):
            continue
        for b in range(before + 1, after):
            chosen[b] |= not hidden[b] and not junk[b]
        end = after


def clean(page, p, hidden):
    """As select-content.ts and copies.ts: sets junk, and all copies but the most probable one, to 0."""
    junk = read_junk(page) | hidden
    p = np.where(junk & (p > LEAST_LIKELY), 0, p).astype(np.float32)
    best = {}
    for b in np.argsort(-p, kind="stable"):
        if p[b] > LEAST_LIKELY and page.copy[b] is not None:
            kept = best.setdefault(page.copy[b], b)
            if kept != b and is_copy(page, b, kept):
                p[b] = 0
    return p


def read_junk(page):
    """The blocks that a rule excludes on pages of the page's type."""
    junk = np.zeros(page.count, bool)
    junk[page.junk[page.cut]] = True
    return junk


def is_copy(page, one, other):
    """Whether one of two blocks with the same text is a copy, not a fact that two items have in common."""
    if page.parent[page.leaf[one]] == page.parent[page.leaf[other]] or page.part[one] == CELL:
        return False
    if any(say_same(page.hash, one + step, other + step) for step in (-1, 1)):
        return True
    return page.part[one] == 0 and not are_in_cards(page, page.leaf[one], page.leaf[other])


def say_same(hashes, one, other):
    return min(one, other) >= 0 and max(one, other) < len(hashes) and hashes[one] == hashes[other]


def are_in_cards(page, a, b):
    """Whether two scopes are in two sibling elements of one kind that contain more text."""
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


def find_surroundings(page, p, words):
    """As surroundings.ts: marks blocks outside the main text, except by a mark with most of the expected words."""
    outside = np.zeros(page.count, bool)
    marks, doubtful, sure = SURROUNDINGS.get(page.cut, ([], [], 0))
    if page.cut_sureness < sure:
        return outside
    for mark in [*marks, *doubtful]:
        most = DOUBTED if mark in doubtful else CERTAIN if mark.startswith("says.") else np.inf
        marked = page.marks[mark] & (p < most)
        if (words * p)[marked].sum() <= MOST_SHARE * (words * p).sum():
            outside |= marked
    return outside


def keep_topic_rows(page, p, words):
    """As keep-topic-rows.ts: keeps titles and descriptions of an index of topics, and drops the rest of the rows."""
    if page.guess not in page.topicRows:
        return p
    parts = np.array(page.topicRows[page.guess])
    of_row = (parts == TOPIC_TITLE) | (parts == TOPIC_DESCRIPTION)
    may_be_post = (parts != TOPIC_TITLE) & (words >= np.where(of_row, MOST_EXCERPT, LEAST_PROSE))
    others = (words * p)[(parts == NO_PART) | may_be_post].sum()
    if others > MOST_OTHER_TEXT * words[of_row].sum():
        return p
    is_kept = (words > 0) & ~read_junk(page)
    p = np.where(is_kept, np.maximum(p, LEAST_OF_PART[parts]), p)
    return np.where(parts > UNTOLD, 0, p)


def read_marks(features, names):
    """The blocks with each mark of `MARKS`."""
    columns = {mark: features[:, names.index(mark)] for mark in MARKS}
    return {mark: values > 0 if mark.startswith("says.") else values < REACH for mark, values in columns.items()}


def smooth(page, p, words, words_inside):
    """Mixes each probability with the word-weighted means over blocks of the same path, and of the same section."""
    if len(p) == 0:
        return p
    _, group = np.unique(page.path, return_inverse=True)
    of_path = np.bincount(group, weights=p * words) / np.maximum(np.bincount(group, weights=words), 1e-9)
    if page.cut not in SECTIONS:
        return (1 - SMOOTHING) * p + SMOOTHING * of_path[group]
    share, levels = SECTIONS[page.cut]
    section = np.array(page.leaf)
    for _ in range(levels):
        section = np.maximum(np.array(page.parent)[section], 0)
    start, end = np.array(vars(page)["from"])[section], np.array(page.to)[section]
    size, right = (np.concatenate([[0], np.cumsum(values)]) for values in (words_inside, words_inside * p))
    of_section = (right[end] - right[start]) / np.maximum(size[end] - size[start], 1e-9)
    return (1 - SMOOTHING) * p + (SMOOTHING - share) * of_path[group] + share * of_section


def choose(p, words, beta=1):
    """The blocks with the highest p that maximise the expected F-beta, and their expected F1."""
    if len(p) == 0:
        return np.zeros(0, bool), 0.0
    order = np.argsort(-p, kind="stable")
    kept = np.cumsum(words[order])
    right = np.cumsum((words * p)[order])
    whole = (words * p).sum()
    best = int(np.argmax(right / np.maximum(kept + beta * beta * whole, 1e-9)))
    chosen = np.zeros(len(p), bool)
    chosen[order[: best + 1]] = True
    return chosen, float(2 * right[best] / max(kept[best] + whole, 1e-9))


def score_page(page, chosen, truth=None, details=False):
    """Word F1 of the chosen blocks against a truth, by default the one for training; with `details` also precision and recall.

    Words of masked blocks are not scored, except against a published truth that is not the one for training.
    """
    learnt = page.truth if page.policy is None else page.policy
    truth = learnt if truth is None else truth
    masked = page.masked if truth is learnt else np.zeros(len(chosen), dtype=bool)
    output = Counter(word for b in np.flatnonzero(chosen & ~masked) for word in page.blocks[b])
    held = Counter(word for b in np.flatnonzero(masked & (page.labels >= 0.5)) for word in page.blocks[b])
    scores = compare(output, Counter(truth) - held)
    return scores if details else scores[0]


def compare(output, truth):
    """F1, precision and recall of two multisets of words; with an empty truth F1 is 1 for an empty output, else 0."""
    given, wanted = output.total(), truth.total()
    if wanted == 0:
        return (1.0, 1.0, 1.0) if given == 0 else (0.0, 0.0, 1.0)
    if given == 0:
        return 0.0, 1.0, 0.0
    common = (output & truth).total()
    return 2 * common / (given + wanted), common / given, common / wanted
