"""Writes report.md from the out-of-fold results, and fits the confidence curve."""

import numpy as np
from sklearn.isotonic import IsotonicRegression

import settings
from dataset import SETS, TYPES
from decision import FAVORS, score_page
from labels import tokenize

POINTS = 12
# Of a part's runs of three words, for a part that is found; of a page's parts, for a page that is complete.
LEAST_OF_PART = 0.8
LEAST_OF_PAGE = 0.9
STEPS = 10
# Pages right on the curve that count beside those of a type: products are .08 below it, but some types have few pages.
FACTOR_PRIOR = 50

INTRODUCTION = """Written by `train.sh`. Word F1 (words are `\\w+` in lower case, counted as multisets; mean over pages) of pages
held out: five folds over all sets together, all pages of a registrable domain in one fold; lexicons, model and confidence
curve fitted without the page's fold, the lexicon scores that the model learns from without the learning page's own fold
too. A page with an empty truth scores 1 when nothing is given, else 0.

`published` is the truth that a set was published with; `policy` the labels by the policy of `packages/extract/README.md`,
for pages that have them. Words of blocks that are masked (see `sets.json`) count neither way, but for published truths.
Pages whose licence does not allow training are never learnt from."""

PARTS = """Of `recipes` only ingredients and steps are known: the share of them that is found, of those that the page shows, and the share of
pages with at least {:.0%} of both. A text is found if it stands there word for word, or {:.0%} of its runs of three words do."""

CALIBRATION = """Confidence by a curve and factors fitted without the fold's pages. The calibration error (ECE) of a set is the mean, over ten equal steps
of confidence, of the distance between mean confidence and mean word F1, by the number of pages; with 100 pages chance alone
makes about .02 of it. `shift` is mean confidence less mean word F1."""

WORTH = f"""The same folds, {settings.FAST_ROUNDS} trees; lexicons as above, so that what a set gives to them stays. `wcxb-policy`
left out: those pages learn from their published truth. A negative difference is what is lost without the set, in thousandths."""


def write_report(path, pages, folds, worth):
    """Writes the report; returns the calibration fitted on all pages."""
    lines = ["# Cross-validation", "", INTRODUCTION, "", *group_table(pages), "", *snippet_lines(pages), ""]
    lines += ["## Recipes", "", PARTS.format(LEAST_OF_PAGE, LEAST_OF_PART), "", *parts_table(pages), ""]
    lines += ["## Precision or recall", "", *favor_table(pages), ""]
    if worth is not None:
        lines += ["## What each set is worth", "", WORTH, "", *worth_table(worth), ""]
    lines += ["## Confidence", "", CALIBRATION, "", *calibration_tables(pages, folds), ""]
    lines += ["## Page type", "", *confusion_table(pages), ""]
    with open(path, "w") as file:
        file.write("\n".join(lines))
    print("\n".join(lines), flush=True)
    return Calibration([page for page in pages if page.may_train and not page.parts])


def list_groups(pages):
    """Yields groups by set, truth and page type: (name, pages, truth)."""
    for name in [name for name, settings_of in SETS.items() if not settings_of.keys() & {"relabels", "parts"}]:
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
            for may_train, note in [(True, "learnt from in other folds"), (False, "never learnt from")]:
                some = [page for page in inside if page.may_train == may_train]
                if 0 < len(some) < len(inside):
                    yield f"{label}: {note}", some, truth


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


class Calibration:
    """The word F1 to expect: an isotonic curve over the expected F1, times a factor by guessed page type."""

    def __init__(self, pages):
        scores = np.array([page.score for page in pages])
        self.curve = fit_curve([page.expected for page in pages], scores)
        on_curve = self.on_curve(pages)
        guesses = np.array([page.guess for page in pages])
        prior = FACTOR_PRIOR * on_curve.mean()
        self.factors = {
            kind: round(float((scores[guesses == kind].sum() + prior) / (on_curve[guesses == kind].sum() + prior)), 3)
            for kind in TYPES
        }

    def on_curve(self, pages):
        return np.interp([page.expected for page in pages], *zip(*self.curve))

    def apply(self, pages):
        return np.minimum(self.on_curve(pages) * [self.factors[page.guess] for page in pages], 1)


def fit_curve(expected, scores):
    """Isotonic fit, reduced to a few points: (expected F1, mean true F1)."""
    fit = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(expected, scores)
    grid = np.linspace(0, 1, POINTS)
    return [[round(float(x), 4), round(float(y), 4)] for x, y in zip(grid, fit.predict(grid))]


def calibration_tables(pages, folds):
    known = np.array([not page.parts for page in pages])
    pages, folds = [page for page in pages if not page.parts], folds[known]
    scores = np.array([page.score for page in pages])
    confidence = calibrate_out_of_fold(pages, folds)
    rows = ["| confidence | pages | mean confidence | mean word F1 |", "|---|---|---|---|"]
    edges = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.01]
    for low, high in zip(edges, edges[1:]):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            rows.append(
                f"| {low:.2f} to {min(high, 1):.2f} | {inside.sum()} | {confidence[inside].mean():.3f} | {scores[inside].mean():.3f} |"
            )
    rows += ["", "| set: type | pages | ECE | shift |", "|---|---|---|---|"]
    place = {id(page): index for index, page in enumerate(pages)}
    for name, inside, truth in list_groups(pages):
        if truth != "published":
            at = [place[id(page)] for page in inside]
            shift = (confidence[at] - scores[at]).mean()
            rows.append(f"| {name} | {len(at)} | {calibration_error(confidence[at], scores[at]):.3f} | {shift:+.3f} |")
    return rows


def calibrate_out_of_fold(pages, folds):
    """The confidence of each page from a curve fitted without its fold."""
    confidence = np.zeros(len(pages))
    for fold in set(folds):
        calibration = Calibration([page for page, f in zip(pages, folds) if f != fold and page.may_train])
        confidence[folds == fold] = calibration.apply([page for page, f in zip(pages, folds) if f == fold])
    return confidence


def calibration_error(confidence, scores):
    step = np.minimum((confidence * STEPS).astype(int), STEPS - 1)
    gaps = np.bincount(step, weights=confidence - scores, minlength=STEPS)
    return float(np.abs(gaps).sum() / len(scores))


def parts_table(pages):
    """What is found of the texts that are known, by favor."""
    inside = [page for page in pages if page.parts]
    names = list(inside[0].parts)
    rows = ["| favor | pages | " + " | ".join(names) + " | complete |", "|---" * (len(names) + 3) + "|"]
    for favor in FAVORS:
        shares = np.array([list(found_parts(page, page.choices[favor][0]).values()) for page in inside])
        complete = (shares >= LEAST_OF_PAGE).all(axis=1).mean()
        cells = [f"{mean:.3f}" for mean in [*np.nanmean(shares, axis=0), complete]]
        rows.append(f"| {favor} | {len(inside)} | " + " | ".join(cells) + " |")
    return rows


def found_parts(page, chosen):
    """Share of the known texts found in the chosen blocks, by kind; 1 where the page shows none of them."""
    shown, kept = (list_runs(blocks) for blocks in (page.blocks, [b for b, keep in zip(page.blocks, chosen) if keep]))
    shares = {}
    for kind, texts in page.parts.items():
        shown_parts = [part for part in map(tokenize, texts) if part and stands_in(part, shown)]
        shares[kind] = np.mean([stands_in(part, kept) for part in shown_parts]) if shown_parts else 1.0
    return shares


def list_runs(blocks):
    """The words of blocks as one text, and their runs of three."""
    words = [word for block in blocks for word in block]
    return f" {' '.join(words)} ", set(zip(words, words[1:], words[2:]))


def stands_in(part, runs):
    text, triples = runs
    if f" {' '.join(part)} " in text:
        return True
    own = list(zip(part, part[1:], part[2:]))
    return len(own) > 2 and sum(triple in triples for triple in own) >= LEAST_OF_PART * len(own)


def confusion_table(pages):
    right = np.mean([page.guess == page.type for page in pages])
    by_set = [
        f"`{name}` {np.mean([page.guess == page.type for page in pages if page.set == name]):.3f}"
        for name in dict.fromkeys(page.set for page in pages)
    ]
    rows = [f"Accuracy {right:.3f} ({', '.join(by_set)}). Rows: the truth; columns: the guess.", "", "| | " + " | ".join(TYPES) + " |"]
    rows.append("|---" * (len(TYPES) + 1) + "|")
    for kind in TYPES:
        guesses = [page.guess for page in pages if page.type == kind]
        rows.append(f"| {kind} | " + " | ".join(str(guesses.count(other)) for other in TYPES) + " |")
    return rows
