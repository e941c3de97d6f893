"""Soft labels: the share of each block's words that are in the true main text, by alignment."""

import re
from collections import Counter, defaultdict

WORD = re.compile(r"\w+")
GRAM = 3
MOST_PLACES = 40


def tokenize(text):
    return WORD.findall(text.lower())


def align(blocks, truth_text):
    """Labels of `blocks` (lists of tokens, document order); each truth word is used once.

    First the chain of placements, increasing in page and truth, that covers most words; a short block in it needs
    adjacent placements in the chain. Then long blocks that are in another order in the truth, then short blocks that match
    whole near aligned neighbours.
    """
    truth = tokenize(truth_text)
    grams = defaultdict(list)
    for i in range(len(truth) - GRAM + 1):
        grams[tuple(truth[i : i + GRAM])].append(i)
    words = defaultdict(list)
    for i, word in enumerate(truth):
        words[word].append(i)
    free = [True] * len(truth)
    labels = [0.0] * len(blocks)
    chain = best_chain(blocks, truth, grams, words)
    for block, start, end, _ in drop_strays(chain, blocks):
        claim(blocks, truth, free, labels, block, start, end)
    for block in sorted(range(len(blocks)), key=lambda b: -len(blocks[b])):
        if labels[block] > 0 or len(blocks[block]) < 5:
            continue
        place = best_diagonal(blocks[block], grams, free)
        if place is not None:
            claim(blocks, truth, free, labels, block, place, place + len(blocks[block]))
    fill_between(blocks, truth, free, labels, places_of(blocks, labels, chain), words)
    return labels


def places_of(blocks, labels, chain):
    return {block: (start, end) for block, start, end, _ in chain if labels[block] > 0}


def fill_between(blocks, truth, free, labels, placed, words):
    """Places short blocks that match whole in the truth, in any order, near the places of two neighbours."""
    for block, tokens in enumerate(blocks):
        size = len(tokens)
        if labels[block] > 0 or size == 0 or size > 8:
            continue
        near = [n for n in range(block - 2, block + 3) if n in placed]
        if len(near) < 2:
            continue
        low = min(placed[n][0] for n in near) - 30
        high = max(placed[n][1] for n in near) + 30
        for i in words.get(tokens[0], ()):
            if low <= i < high and truth[i : i + size] == tokens and all(free[i : i + size]):
                labels[block] = 1.0
                free[i : i + size] = [False] * size
                break


def best_chain(blocks, truth, grams, words):
    """Placements (block, first truth index, past last, matched words) of the heaviest increasing chain."""
    items = []
    for block, tokens in enumerate(blocks):
        if not tokens:
            continue
        for start, matched in find_places(tokens, truth, grams, words):
            items.append((block, max(0, start), min(len(truth), start + len(tokens)), matched))
    tree = [(0.0, -1)] * (len(truth) + 2)
    back = [-1] * len(items)
    at = 0
    while at < len(items):
        group = at
        while group < len(items) and items[group][0] == items[at][0]:
            group += 1
        found = []
        for k in range(at, group):
            _, start, end, matched = items[k]
            value, back[k] = query(tree, start)
            found.append((end, value + matched - 0.2, k))
        for end, value, k in found:
            update(tree, end, value, k)
        at = group
    _, last = query(tree, len(truth))
    chain = []
    while last >= 0:
        chain.append(items[last])
        last = back[last]
    return chain[::-1]


def query(tree, index):
    """Best (value, item) of chains that end at `index` or before."""
    best = (0.0, -1)
    index += 1
    while index > 0:
        if tree[index][0] > best[0]:
            best = tree[index]
        index -= index & -index
    return best


def update(tree, index, value, item):
    index += 1
    while index < len(tree):
        if value > tree[index][0]:
            tree[index] = (value, item)
        index += index & -index


def find_places(tokens, truth, grams, words):
    """Possible places of a block in the truth, with the number of words that match there."""
    size = len(tokens)
    if size < GRAM:
        places = [i for i in words.get(tokens[0], ()) if truth[i : i + size] == tokens]
        return [(i, size) for i in places[:MOST_PLACES]]
    votes = Counter()
    for k in range(size - GRAM + 1):
        for i in grams.get(tuple(tokens[k : k + GRAM]), ())[:MOST_PLACES]:
            votes[i - k] += 1
    needed = 0.5 * (size - GRAM + 1)
    return [(d, min(size, n + GRAM - 1)) for d, n in votes.most_common(MOST_PLACES) if n >= min(needed, 8)]


def drop_strays(chain, blocks):
    """Removes short placements without adjacent placements in both the truth and the page."""
    kept = []
    for k, item in enumerate(chain):
        block, start, end, matched = item
        if len(blocks[block]) >= 4:
            kept.append(item)
            continue
        before = chain[k - 1] if k > 0 else None
        after = chain[k + 1] if k + 1 < len(chain) else None
        touches_before = before is not None and start - before[2] <= 2 and block - before[0] <= 8
        touches_after = after is not None and after[1] - end <= 2 and after[0] - block <= 8
        edge = (before is None and start <= 1) or (after is None)
        enough = touches_before or touches_after if matched >= 2 else (touches_before and (touches_after or edge)) or (touches_after and edge)
        if enough:
            kept.append(item)
    return kept


def best_diagonal(tokens, grams, free):
    votes = Counter()
    for k in range(len(tokens) - GRAM + 1):
        for i in grams.get(tuple(tokens[k : k + GRAM]), ())[:MOST_PLACES]:
            if free[i]:
                votes[i - k] += 1
    if not votes:
        return None
    diagonal, count = votes.most_common(1)[0]
    return max(0, diagonal) if count >= 0.3 * (len(tokens) - GRAM + 1) else None


def claim(blocks, truth, free, labels, block, start, end):
    """Claims the free truth words around `start … end` that match the block in order; sets its label."""
    tokens = blocks[block]
    slack = len(tokens) // 5 + (2 if len(tokens) >= 5 else 0)
    low, high = max(0, start - slack), min(len(truth), end + slack)
    taken, at = [], low
    places = defaultdict(list)
    for i in range(low, high):
        if free[i]:
            places[truth[i]].append(i)
    expected = start
    for token in tokens:
        options = [i for i in places.get(token, ()) if i >= at]
        if options:
            near = min(options, key=lambda i: abs(i - expected))
            if near - expected <= slack + 1:
                taken.append(near)
                at = near + 1
                expected = near
        expected += 1
    share = len(taken) / len(tokens)
    if share < 0.3 or (len(tokens) <= 2 and share < 1):
        return
    labels[block] = share
    for i in taken:
        free[i] = False
