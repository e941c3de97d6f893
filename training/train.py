"""Trains the extractor. Called by train.sh: `train.py lexicons DATA WORK`, `train.py worth DATA WORK`, `train.py models DATA WORK`.

`train.py held-out DATA WORK`, after the lexicons, writes a model of each fold for bench/sites.
"""

import json
import os
import pickle
import sys

import numpy as np
import xgboost as xgb

import settings
from dataset import SETS, TYPES, read_pages
from decision import FLOOR, choose_cut, decide, score_page
from export import write_model
from folds import assign_folds
from likely import LIKELY_FEATURES
from lexicon import NameLexicon, Samples, WordLexicon
from labels import align
from model import fit_content, fit_types, predict_content, predict_types
from parallel import run_parallel
from report import Calibration, group_scores, write_report
from site_evidence import write_evidence_weights

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = f"{HERE}/../packages/extract/src/content/model/model-data.ts"
EVIDENCE_WEIGHTS = f"{HERE}/../packages/extract/src/sites/evidence-weights.ts"


def train_lexicons(data, work):
    """Fits lexicons without each fold and each pair of folds, so that no score depends on the page's own label.

    Variant k is for the cross-validation without fold k: pages of fold k get the lexicon without k, pages of fold j the one
    without j and k. The last variant trains the shipped model.
    """
    _, pages = read_pages(data, work)
    folds = assign_folds(pages, settings.FOLDS, settings.SEED)
    samples = Samples(pages, settings.SEED)
    names, words = NameLexicon(samples), WordLexicon(samples)
    held_out = [{k, f} for k in range(settings.FOLDS) for f in range(k, settings.FOLDS)] + [set()]

    def fit(held):
        inside = np.array([f not in held and page.may_train for page, f in zip(pages, folds)])
        return names.fit(inside), words.fit(inside)

    fitted = run_parallel(fit, held_out)
    lexicons, word_lexicons = zip(*fitted)
    variants = [[held_out.index({k, int(f)}) for f in folds] for k in range(settings.FOLDS)]
    variants.append([held_out.index({int(f)}) for f in folds])
    shipped = held_out.index(set())
    print(f"{len(lexicons[shipped])} names", flush=True)
    result = {"lexicons": lexicons, "words": word_lexicons, "variants": variants, "shipped": shipped}
    json.dump(result, open(f"{work}/lexicons.json", "w"))


def train_models(data, work):
    meta, pages = read_pages(data, work)
    folds = assign_folds(pages, settings.FOLDS, settings.SEED)
    columns_of = attach_lexicon_columns(meta, pages, work)
    columns = choose_columns(meta)
    page_columns = [meta["features"].index(name) for name in meta["pageFeatures"]]
    cross_validate(pages, folds, columns, columns_of)
    pickle.dump({page.key: page.raw for page in pages}, open(f"{work}/probabilities.pickle", "wb"))
    cross_validate_types(pages, folds, page_columns)
    scored, scored_folds = leave_out_reduced(pages, folds)
    decide_all(scored)
    worth = json.load(open(f"{work}/worth.json")) if os.path.exists(f"{work}/worth.json") else None
    calibration = write_report(f"{HERE}/report.md", scored, scored_folds, worth)
    learnt = [page for page in pages if page.may_train]
    write_evidence_weights(EVIDENCE_WEIGHTS, [page for page in scored if page.may_train])
    print("fitting the shipped model", flush=True)
    content = fit_content(learnt, columns, columns_of(settings.FOLDS), settings.SEED)
    types = fit_types(learnt, page_columns, settings.SEED)
    content.save_model(f"{work}/content.json")
    lexicons = json.load(open(f"{work}/lexicons.json"))
    shipped = lexicons["shipped"]
    names = [meta["features"][c] for c in columns]
    write_model(
        MODEL, content, settings.CONTENT["max_depth"], types, settings.TYPE["max_depth"],
        lexicons["lexicons"][shipped], lexicons["words"][shipped], names, [*meta["pageFeatures"], *LIKELY_FEATURES], FLOOR, calibration,
    )
    json.dump(names, open(f"{work}/columns.json", "w"))


def train_held_out(data, work):
    """Writes WORK/held-out: both stages of the model without each fold, by the fast settings, and the fold of each page."""
    meta, pages = read_pages(data, work)
    folds = assign_folds(pages, settings.FOLDS, settings.SEED)
    columns_of = attach_lexicon_columns(meta, pages, work)
    columns = choose_columns(meta)
    names = [meta["features"][c] for c in columns]
    page_columns = [meta["features"].index(name) for name in meta["pageFeatures"]]
    lexicons = json.load(open(f"{work}/lexicons.json"))
    os.makedirs(f"{work}/held-out", exist_ok=True)

    def fit(fold):
        inside, outside = divide(pages, folds, fold)
        content = fit_content(inside, columns, columns_of(fold), settings.SEED + fold, settings.FAST)
        return content.save_raw(), predict_content(content, outside, columns, columns_of(fold))

    contents = keep_predictions(pages, folds, run_parallel(fit, range(settings.FOLDS)))
    types = cross_validate_types(pages, folds, page_columns)
    scored, scored_folds = leave_out_reduced(pages, folds)
    decide_all(scored)
    calibration = Calibration([page for page in scored if page.may_train and not page.parts])
    for fold in range(settings.FOLDS):
        lexicon = lexicons["variants"][fold][int(np.flatnonzero(folds == fold)[0])]
        write_model(
            f"{work}/held-out/{fold}.ts", xgb.Booster(model_file=contents[fold]), settings.CONTENT["max_depth"],
            xgb.Booster(model_file=types[fold]), settings.TYPE["max_depth"], lexicons["lexicons"][lexicon],
            lexicons["words"][lexicon], names, [*meta["pageFeatures"], *LIKELY_FEATURES], FLOOR, calibration,
        )
    for fold in range(settings.FOLDS):
        write_evidence_weights(f"{work}/held-out/{fold}-evidence.ts", divide(scored, scored_folds, fold)[0])
    write_evidence_weights(f"{work}/held-out/evidence.ts", [page for page in scored if page.may_train])
    json.dump({page.key: int(fold) for page, fold in zip(pages, folds)}, open(f"{work}/held-out/folds.json", "w"))


def weigh_sets(data, work):
    """Cross-validates without each set in training, with the fast settings, and writes the scores for the report."""
    meta, pages = read_pages(data, work)
    folds = assign_folds(pages, settings.FOLDS, settings.SEED)
    columns_of = attach_lexicon_columns(meta, pages, work)
    columns = choose_columns(meta)
    page_columns = [meta["features"].index(name) for name in meta["pageFeatures"]]
    scored, _ = leave_out_reduced(pages, folds)
    worth = {}
    for left_out in [None, *(name for name, other in SETS.items() if "relabels" not in other)]:
        for page in pages:
            page.is_taught = page.set != left_out
        cross_validate(pages, folds, columns, columns_of, settings.FAST)
        cross_validate_types(pages, folds, page_columns)
        decide_all(scored)
        worth[left_out or ""] = {name: mean for name, _, mean in group_scores(scored)}
        print(f"without {left_out}: {worth[left_out or '']}", flush=True)
    for name in [name for name, other in SETS.items() if "relabels" in other]:
        with_published_labels(pages)
        cross_validate(pages, folds, columns, columns_of, settings.FAST)
        cross_validate_types(pages, folds, page_columns)
        decide_all(scored)
        worth[name] = {name: mean for name, _, mean in group_scores(scored)}
    json.dump(worth, open(f"{work}/worth.json", "w"))


def with_published_labels(pages):
    """Trains pages with two truths on the published one."""
    for page in pages:
        page.is_taught = True
        if page.policy is not None:
            page.taught = np.array(align(page.blocks, page.published_text), dtype=np.float32)


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
    """The columns of columns.txt; all columns without that file."""
    path = f"{HERE}/columns.txt"
    if not os.path.exists(path):
        return list(range(len(meta["features"])))
    return [meta["features"].index(name) for name in open(path).read().split()]


def leave_out_reduced(pages, folds):
    """The pages that are scored, and their folds: small copies are only learnt from."""
    is_scored = np.array([not page.is_reduced for page in pages])
    return [page for page in pages if not page.is_reduced], folds[is_scored]


def divide(pages, folds, fold):
    """The pages that a fold's models may learn from, and the fold's own."""
    inside = [page for page, f in zip(pages, folds) if f != fold and page.may_train]
    return inside, [page for page, f in zip(pages, folds) if f == fold]


def cross_validate(pages, folds, columns, columns_of, parameters=settings.CONTENT):
    """Sets each page's out-of-fold probabilities."""

    def predict(fold):
        inside, outside = divide(pages, folds, fold)
        features_of = columns_of(fold)
        content = fit_content([page for page in inside if page.is_taught], columns, features_of, settings.SEED + fold, parameters)
        return None, predict_content(content, outside, columns, features_of)

    keep_predictions(pages, folds, run_parallel(predict, range(settings.FOLDS)))


def keep_predictions(pages, folds, results):
    """Sets the probabilities of each fold's pages; returns the models of the folds."""
    for fold, (_, predictions) in enumerate(results):
        for page, p in zip([page for page, f in zip(pages, folds) if f == fold], predictions):
            page.raw = p
    return [model for model, _ in results]


def cross_validate_types(pages, folds, page_columns):
    """Sets each page's out-of-fold type, from its out-of-fold probabilities; returns the models of the folds."""

    def predict(fold):
        inside, outside = divide(pages, folds, fold)
        types = fit_types(inside, page_columns, settings.SEED)
        return types.save_raw(), predict_types(types, outside, page_columns)

    results = run_parallel(predict, range(settings.FOLDS))
    for fold, (_, kinds) in enumerate(results):
        for page, kind in zip([page for page, f in zip(pages, folds) if f == fold], kinds):
            page.guess, page.sureness = TYPES[int(np.argmax(kind))], float(kind.max())
    return [model for model, _ in results]


def decide_all(pages):
    """Sets each page's choice by favor, score and expected F1."""
    for page, choices in zip(pages, run_parallel(lambda page: decide(page, page.raw), pages)):
        page.cut, page.cut_sureness = choose_cut(page, page.raw)
        page.choices = choices
        page.chosen, page.expected = choices["balanced"]
        page.score = score_page(page, page.chosen)


if __name__ == "__main__":
    task, data_folder, work_folder = sys.argv[1:4]
    tasks = {"lexicons": train_lexicons, "worth": weigh_sets, "models": train_models, "held-out": train_held_out}
    tasks[task](data_folder, work_folder)
