"""Fitting and applying the tree models."""

import numpy as np
import xgboost as xgb

import settings
from dataset import TYPES
from decision import ARTICLE_FACTOR
from likely import LIKELY_FEATURES, describe_likely


def block_weights(page):
    """Weights of the blocks in training, by words, 0 for untaught ones; their sum is the page's weight, by its type."""
    weights = np.where(page.untaught, 0, np.maximum(page.sizes, 1) ** settings.WORD_POWER)
    return weights * (content_weight(page) / max(weights.sum(), 1e-9))


def content_weight(page):
    return page.weight * settings.TYPE_WEIGHTS.get(page.type, 1)


def draw_rows(pages, columns, features_of, rng):
    """Draws blocks of all pages by weight without replacement, each weighted by the inverse of its chance."""
    per_page = settings.ROWS / sum(content_weight(page) for page in pages)
    features, labels, weights = [], [], []
    for page in pages:
        if page.count == 0:
            continue
        weight = block_weights(page)
        chance = np.minimum(1, weight * per_page)
        drawn = rng.random(page.count) < chance
        if not drawn.any():
            continue
        features.append(features_of(page)[drawn][:, columns])
        labels.append(page.taught[drawn])
        weights.append(weight[drawn] / chance[drawn])
    weights = np.concatenate(weights)
    return np.concatenate(features), np.concatenate(labels), weights * (len(weights) / weights.sum())


def fit_content(pages, columns, features_of, seed, parameters=settings.CONTENT):
    rng = np.random.default_rng(seed)
    features, labels, weights = draw_rows(pages, columns, features_of, rng)
    data = xgb.DMatrix(features, label=labels, weight=weights)
    rounds = settings.ROUNDS if parameters is settings.CONTENT else settings.FAST_ROUNDS
    return xgb.train({**parameters, "seed": seed}, data, rounds)


def predict_content(model, pages, columns, features_of):
    """Probability of each block, one array per page."""
    shown = [page for page in pages if page.count > 0]
    joined = np.concatenate([features_of(page)[:, columns] for page in shown])
    values = evaluate(model, joined)
    result, at = [], 0
    for page in pages:
        result.append(values[at : at + page.count])
        at += page.count
    return result


def evaluate(model, features):
    """Probabilities; rows with a low score after the first trees keep it, as in tree-model.ts."""
    rows = xgb.DMatrix(features)
    probe = model.predict(rows, iteration_range=(0, settings.PROBE_TREES), output_margin=True)
    return np.where(probe < settings.PROBE_FLOOR, 1 / (1 + np.exp(-probe)), model.predict(rows)).astype(np.float32)


def type_values(page, columns):
    """What the model of page types sees of a page, whose blocks have probabilities of a model that did not learn from it."""
    if page.count == 0:
        return np.zeros(len(columns) + len(LIKELY_FEATURES), np.float32)
    return np.concatenate([page.features[0, columns], describe_likely(page, page.raw)])


def fit_types(pages, columns, seed):
    """Fits the model of page types."""
    taught = [page for page in pages if page.count > 0 and page.is_taught]
    features = np.array([type_values(page, columns) for page in taught])
    labels = np.array([TYPES.index(page.type) for page in taught])
    weights = np.array([page.weight for page in taught])
    of_type = np.bincount(labels, weights=weights, minlength=len(TYPES))
    weights = weights * (of_type.max() / of_type[labels]) ** settings.TYPE_BALANCE
    data = xgb.DMatrix(features, label=labels, weight=weights)
    return xgb.train({**settings.TYPE, "num_class": len(TYPES), "seed": seed}, data, settings.TYPE_ROUNDS)


def predict_types(model, pages, columns):
    """Probabilities of the types, one row a page."""
    odds = model.predict(xgb.DMatrix(np.array([type_values(page, columns) for page in pages])))
    odds[:, TYPES.index("article")] *= ARTICLE_FACTOR
    return odds / odds.sum(axis=1, keepdims=True)
