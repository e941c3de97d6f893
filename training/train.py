"""Trains the extractor. Called by train.sh: `train.py lexicons DATA WORK`, then `train.py models DATA WORK`."""

import json
import os
import sys

import numpy as np

import settings
from dataset import TYPES, read_pages
from decision import FLOOR, choose, clean, score_page, smooth
from export import write_model
from folds import assign_folds
from lexicon import fit_lexicon
from model import fit_content, fit_types, predict_content, predict_types
from report import write_report

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = f"{HERE}/../packages/extract/src/model/model-data.ts"


def train_lexicons(data, work):
    """Lexicons without each fold and each pair of folds, so that no score comes from a page's own label.

    Variant k is for the cross-validation that holds fold k out: a page of fold k gets the lexicon without k, a
    page of another fold j the one without j and k. The last variant trains the shipped model.
    """
    _, pages = read_pages(data, work)
    folds = assign_folds(pages, settings.FOLDS, settings.SEED)
    lexicons, index = [], {}

    def lexicon_without(*held):
        key = frozenset(int(fold) for fold in held)
        if key not in index:
            index[key] = len(lexicons)
            lexicons.append(fit_lexicon([p for p, f in zip(pages, folds) if f not in key], settings.SEED))
            print(f"lexicon without folds {sorted(key)}: {len(lexicons[-1])} names", flush=True)
        return index[key]

    variants = [[lexicon_without(k, f) for f in folds] for k in range(settings.FOLDS)]
    variants.append([lexicon_without(f) for f in folds])
    shipped = lexicon_without()
    json.dump({"lexicons": lexicons, "variants": variants, "shipped": shipped}, open(f"{work}/lexicons.json", "w"))


def train_models(data, work):
    meta, pages = read_pages(data, work)
    folds = assign_folds(pages, settings.FOLDS, settings.SEED)
    columns_of = attach_lexicon_columns(meta, pages, work)
    columns = choose_columns(meta)
    page_columns = [meta["features"].index(name) for name in meta["pageFeatures"]]
    cross_validate(pages, folds, columns, columns_of, page_columns)
    curve = write_report(f"{HERE}/report.md", pages, folds)
    print("fitting the shipped model", flush=True)
    content = fit_content(pages, columns, columns_of(settings.FOLDS), settings.SEED)
    types = fit_types(pages, page_columns, settings.SEED)
    content.save_model(f"{work}/content.json")
    lexicons = json.load(open(f"{work}/lexicons.json"))
    names = [meta["features"][c] for c in columns]
    write_model(
        MODEL, content, settings.CONTENT["max_depth"], types, settings.TYPE["max_depth"],
        lexicons["lexicons"][lexicons["shipped"]], names, meta["pageFeatures"], FLOOR, curve,
    )
    json.dump(names, open(f"{work}/columns.json", "w"))


def attach_lexicon_columns(meta, pages, work):
    """Gives pages their lexicon columns; returns a function: variant → (page → its features)."""
    width = len(meta["lexiconFeatures"])
    start = meta["features"].index(meta["lexiconFeatures"][0])
    values = np.fromfile(f"{work}/lexicon-columns.bin", dtype=np.float32)
    at = 0
    for page in pages:
        size = (settings.FOLDS + 1) * width * page.count
        page.lexicon = values[at : at + size].reshape(settings.FOLDS + 1, width, page.count)
        at += size

    def of_variant(variant):
        def features_of(page):
            features = page.features.copy()
            features[:, start : start + width] = page.lexicon[variant].T
            return features

        return features_of

    return of_variant


def choose_columns(meta):
    """The columns listed in columns.txt, all of them when there is no such file."""
    path = f"{HERE}/columns.txt"
    if not os.path.exists(path):
        return list(range(len(meta["features"])))
    return [meta["features"].index(name) for name in open(path).read().split()]


def cross_validate(pages, folds, columns, columns_of, page_columns):
    """Sets each page's out-of-fold choice, score, expected F1 and type."""
    for fold in range(settings.FOLDS):
        inside = [page for page, f in zip(pages, folds) if f != fold]
        outside = [page for page, f in zip(pages, folds) if f == fold]
        features_of = columns_of(fold)
        content = fit_content(inside, columns, features_of, settings.SEED + fold)
        types = predict_types(fit_types(inside, page_columns, settings.SEED), outside, page_columns)
        for page, p, kind in zip(outside, predict_content(content, outside, columns, features_of), types):
            page.chosen, page.expected = choose(smooth(clean(page, p), page.path, page.sizes), page.sizes)
            if page.expected < FLOOR:
                page.chosen[:] = False
            page.score = score_page(page, page.chosen)
            page.guess = TYPES[int(np.argmax(kind))]
        print(f"fold {fold}: {np.mean([page.score for page in outside]):.4f}", flush=True)


if __name__ == "__main__":
    task, data_folder, work_folder = sys.argv[1:4]
    {"lexicons": train_lexicons, "models": train_models}[task](data_folder, work_folder)
