"""Fitting and applying the tree models."""

import numpy as np
import xgboost as xgb

import settings
from dataset import TYPES


def block_weights(page):
    weights = np.maximum(page.sizes, 1) ** settings.WORD_POWER
    return weights / weights.sum()


def draw_rows(pages, columns, features_of, rng):
    """Blocks of all pages, drawn by weight without replacement; each keeps the weight that it stands for."""
    per_page = settings.ROWS / len(pages)
    features, labels, weights = [], [], []
    for page in pages:
        if page.count == 0:
            continue
        weight = block_weights(page)
        chance = np.minimum(1, weight * per_page)
        drawn = rng.random(page.count) < chance
        features.append(features_of(page)[drawn][:, columns])
        labels.append(page.labels[drawn])
        weights.append((weight / chance)[drawn])
    weights = np.concatenate(weights)
    return np.concatenate(features), np.concatenate(labels), weights * (len(weights) / weights.sum())


def fit_content(pages, columns, features_of, seed):
    rng = np.random.default_rng(seed)
    features, labels, weights = draw_rows(pages, columns, features_of, rng)
    data = xgb.DMatrix(features, label=labels, weight=weights)
    return xgb.train({**settings.CONTENT, "seed": seed}, data, settings.ROUNDS)


def predict_content(model, pages, columns, features_of):
    """Probability of each block, one array a page."""
    shown = [page for page in pages if page.count > 0]
    joined = np.concatenate([features_of(page)[:, columns] for page in shown])
    values = evaluate(model, joined)
    result, at = [], 0
    for page in pages:
        result.append(values[at : at + page.count])
        at += page.count
    return result


def evaluate(model, features):
    """Probabilities; rows that the first trees give up on keep what these say, as in tree-model.ts."""
    rows = xgb.DMatrix(features)
    probe = model.predict(rows, iteration_range=(0, settings.PROBE_TREES), output_margin=True)
    return np.where(probe < settings.PROBE_FLOOR, 1 / (1 + np.exp(-probe)), model.predict(rows)).astype(np.float32)


def page_values(page, columns):
    return page.features[0, columns] if page.count > 0 else np.zeros(len(columns), np.float32)


def fit_types(pages, columns, seed):
    features = np.array([page_values(page, columns) for page in pages if page.count > 0])
    labels = np.array([TYPES.index(page.type) for page in pages if page.count > 0])
    data = xgb.DMatrix(features, label=labels)
    return xgb.train({**settings.TYPE, "num_class": len(TYPES), "seed": seed}, data, settings.TYPE_ROUNDS)


def predict_types(model, pages, columns):
    features = np.array([page_values(page, columns) for page in pages])
    return model.predict(xgb.DMatrix(features))
