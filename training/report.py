"""Writes report.md from the out-of-fold results, and fits the confidence curve."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

from dataset import TYPES
from labels import tokenize

POINTS = 12


def write_report(path, pages, folds):
    """Writes the report; returns the points of the confidence curve fitted on all pages."""
    lines = ["# Cross-validation", "", INTRODUCTION, "", *type_table(pages), "", *snippet_lines(pages), ""]
    lines += ["## Confidence", "", *calibration_table(pages, folds), ""]
    lines += ["## Page type", "", *confusion_table(pages), ""]
    with open(path, "w") as file:
        file.write("\n".join(lines))
    print("\n".join(lines), flush=True)
    return fit_curve([page.expected for page in pages], [page.score for page in pages])


INTRODUCTION = """Written by `train.sh`. Word F1 (words are `\\w+` in lower case, counted as multisets; mean over pages) of pages
held out: five folds, all pages of a registrable domain in one fold; lexicon, model and confidence curve fitted
without the page's fold, the lexicon scores that the model learns from without the learning page's own fold too.
A page with an empty truth scores 1 when nothing is given, else 0."""


def type_table(pages):
    rows = ["| type | pages | word F1 | precision | recall |", "|---|---|---|---|---|"]
    for kind in ["all", *TYPES]:
        chosen = [page for page in pages if kind in ("all", page.type)]
        precision, recall = zip(*(precision_recall(page) for page in chosen))
        mean = np.mean([page.score for page in chosen])
        rows.append(f"| {kind} | {len(chosen)} | {mean:.4f} | {np.mean(precision):.3f} | {np.mean(recall):.3f} |")
    return rows


def precision_recall(page):
    kept = sum(len(tokens) for keep, tokens in zip(page.chosen, page.blocks) if keep)
    right = page.score * (kept + len(page.truth)) / 2 if page.truth else 0
    return (right / kept if kept else 1.0), (right / len(page.truth) if page.truth else 1.0)


def snippet_lines(pages):
    wanted, unwanted = [], []
    for page in pages:
        text = normalize(" ".join(t for keep, t in zip(page.chosen, page.texts) if keep))
        wanted += [holds(text, s, is_whole=False) for s in page.snippets.get("with") or []]
        unwanted += [holds(text, s, is_whole=True) for s in page.snippets.get("without") or []]
    return [
        f"Snippets that must appear: {100 * np.mean(wanted):.1f} % of {len(wanted)} found.",
        f"Snippets that must not appear: {100 * np.mean(unwanted):.1f} % of {len(unwanted)} found.",
    ]


def holds(text, snippet, is_whole):
    """As bench/quality counts: snippets may have been cut inside their last word; `is_whole` wants it whole."""
    words = normalize(snippet)
    return words.strip() != "" and (words if is_whole else words.rstrip()) in text


def normalize(text):
    """Words alone: quotes, dashes and spaces differ between a snippet and the page."""
    return f" {' '.join(tokenize(text))} "


def fit_curve(expected, scores):
    """Isotonic fit, thinned to a few points: (expected F1, mean F1 that pages showed)."""
    fit = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(expected, scores)
    grid = np.linspace(0, 1, POINTS)
    return [[round(float(x), 4), round(float(y), 4)] for x, y in zip(grid, fit.predict(grid))]


def calibration_table(pages, folds):
    expected = np.array([page.expected for page in pages])
    scores = np.array([page.score for page in pages])
    confidence = np.zeros(len(pages))
    for fold in set(folds):
        curve = fit_curve(expected[folds != fold], scores[folds != fold])
        xs, ys = zip(*curve)
        confidence[folds == fold] = np.interp(expected[folds == fold], xs, ys)
    rows = ["| confidence | pages | mean confidence | mean word F1 |", "|---|---|---|---|"]
    edges = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.01]
    for low, high in zip(edges, edges[1:]):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            rows.append(
                f"| {low:.2f} to {min(high, 1):.2f} | {inside.sum()} | {confidence[inside].mean():.3f} | {scores[inside].mean():.3f} |"
            )
    return rows


def confusion_table(pages):
    right = np.mean([page.guess == page.type for page in pages])
    rows = [f"Accuracy {right:.3f}. Rows: the truth; columns: the guess.", "", "| | " + " | ".join(TYPES) + " |"]
    rows.append("|---" * (len(TYPES) + 1) + "|")
    for kind in TYPES:
        guesses = [page.guess for page in pages if page.type == kind]
        rows.append(f"| {kind} | " + " | ".join(str(guesses.count(other)) for other in TYPES) + " |")
    return rows
