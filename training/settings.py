"""Hyperparameters, with the reason."""

FOLDS = 5
SEED = 7

# Shallow trees on few columns each generalise to unseen sites, which differ more than blocks of one page.
ROUNDS = 320
CONTENT = {
    "objective": "binary:logistic",
    "base_score": 0.5,
    "max_depth": 5,
    "eta": 0.07,
    "min_child_weight": 10,
    "reg_lambda": 5,
    "colsample_bytree": 0.2,
    "subsample": 0.5,
    "max_bin": 64,
    "tree_method": "hist",
    "nthread": 1,
}
# For experiments: almost the same score in half the time.
FAST = {**CONTENT, "eta": 0.14}
FAST_ROUNDS = 160
# Blocks with log-odds below `PROBE_FLOOR` after the first `PROBE_TREES` trees skip the rest: almost half of all
# blocks, none of which would be kept.
PROBE_TREES = 80
PROBE_FLOOR = -3.0
# Blocks drawn for training, by weight: each page weighs the same, a block by words^0.8.
ROWS = 240_000
WORD_POWER = 0.8

# By page type, a factor on the weight of a page's blocks: types with few pages differ most from site to site.
TYPE_WEIGHTS = {"product": 1.5, "collection": 1.4, "listing": 1.3, "service": 1.3, "forum": 1.5}

TYPE_ROUNDS = 120
# Power of the share by which a page type is rarer than articles, as a weight of its pages.
TYPE_BALANCE = 0.3
TYPE = {
    "objective": "multi:softprob",
    "base_score": 0.5,
    "max_depth": 3,
    "eta": 0.1,
    "min_child_weight": 3,
    "reg_lambda": 3,
    "colsample_bytree": 0.4,
    "subsample": 0.7,
    "max_bin": 64,
    "tree_method": "hist",
    "nthread": 1,
}

