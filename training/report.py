"""Writes report.md from the out-of-fold results, and fits the confidence curve."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

import settings
from dataset import SETS, TYPES
from decision import FAVORS, score_page
from labels import tokenize

POINTS = 12

INTRODUCTION = """Written by `train.sh`. Word F1 (words are `\\w+` in lower case, counted as multisets; mean over pages) of pages
held out: five folds over all sets together, all pages of a registrable domain in one fold; lexicons, model and confidence
curve fitted without the page's fold, the lexicon scores that the model learns from without the learning page's own fold
too. A page with an empty truth scores 1 when nothing is given, else 0.

`published` is the truth that a set was published with; `policy` the labels by the policy of `packages/extract/README.md`,
for pages that have them. Words of blocks that are masked (see `sets.json`) count neither way, but for published truths."""

WORTH = f"""The same folds, {settings.FAST_ROUNDS} trees; lexicons as above, so that what a set gives to them stays. `wcxb-policy`
left out: those pages learn from their published truth. A negative difference is what is lost without the set, in thousandths."""


def write_report(path, pages, folds, worth):
    """Writes the report; returns the points of the confidence curve fitted on all pages."""
    lines = ["# Cross-validation", "", INTRODUCTION, "", *group_table(pages), "", *snippet_lines(pages), ""]
    lines += ["## Precision or recall", "", *favor_table(pages), ""]
    if worth is not None:
        lines += ["## What each set is worth", "", WORTH, "", *worth_table(worth), ""]
    lines += ["## Confidence", "", *calibration_table(pages, folds), ""]
    lines += ["## Page type", "", *confusion_table(pages), ""]
    with open(path, "w") as file:
        file.write("\n".join(lines))
    print("\n".join(lines), flush=True)
    return fit_curve([page.expected for page in pages], [page.score for page in pages])


def list_groups(pages):
    """Yields groups by set, truth and page type: (name, pages, truth)."""
    for name in [name for name, settings_of in SETS.items() if "relabels" not in settings_of]:
        inside = [page for page in pages if page.set == name]
        with_policy = [page for page in inside if page.policy is not None]
        types = [kind for kind in TYPES if any(page.type == kind for page in inside)]
        for truth in ["published", "policy"] if with_policy else [""]:
            label = f"{name}, {truth}" if truth else name
            yield f"{label}: all", inside, truth
            for kind in types if len(types) > 1 else []:
                chosen = [p for p in (with_policy if truth == "policy" else inside) if p.type == kind]
                if chosen:
                    yield f"{label}: {kind}", chosen, truth


def scores_of(page, truth, chosen=None):
    """F1, precision and recall of a choice of blocks."""
    chosen = page.chosen if chosen is None else chosen
    is_published = truth == "published" and page.policy is not None
    return score_page(page, chosen, page.truth if is_published else None, details=True)


def group_scores(pages):
    for name, inside, truth in list_groups(pages):
        yield name, len(inside), float(np.mean([scores_of(page, truth)[0] for page in inside]))


def group_table(pages):
    rows = ["| set, truth: type | pages | word F1 | precision | recall |", "|---|---|---|---|---|"]
    for name, inside, truth in list_groups(pages):
        f1, precision, recall = np.mean([scores_of(page, truth) for page in inside], axis=0)
        rows.append(f"| {name} | {len(inside)} | {f1:.4f} | {precision:.3f} | {recall:.3f} |")
    return rows


def favor_table(pages):
    """F1, precision and recall by `favor`."""
    rows = ["| set, truth | " + " | ".join(f"{favor}: F1, P, R" for favor in FAVORS) + " |"]
    rows.append("|---" * (len(FAVORS) + 1) + "|")
    for name, inside, truth in list_groups(pages):
        cells = []
        for favor in FAVORS:
            means = np.mean([scores_of(page, truth, page.choices[favor][0]) for page in inside], axis=0)
            cells.append(", ".join(f"{mean:.3f}" for mean in means))
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return rows


def worth_table(worth):
    names = [name for name in worth if name != ""]
    rows = ["| set, truth: type | all sets | " + " | ".join(f"without {name}" for name in names) + " |"]
    rows.append("|---" * (len(names) + 2) + "|")
    for group, mean in worth[""].items():
        cells = [f"{1000 * (worth[name][group] - mean):+.0f}" for name in names]
        rows.append(f"| {group} | {mean:.4f} | " + " | ".join(cells) + " |")
    return rows


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
    """As in bench/quality: a snippet may end inside a word; with `is_whole` its last word must be whole."""
    words = normalize(snippet)
    return words.strip() != "" and (words if is_whole else words.rstrip()) in text


def normalize(text):
    """Only words, because quotes, dashes and spaces differ between snippets and pages."""
    return f" {' '.join(tokenize(text))} "


def fit_curve(expected, scores):
    """Isotonic fit, reduced to a few points: (expected F1, mean true F1)."""
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
