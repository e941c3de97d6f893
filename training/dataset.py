"""Reads the output of dump-features.ts and the true texts of all sets, and aligns them to labels."""

import hashlib
import json
import os
import pickle
from urllib.parse import urlsplit

import numpy as np

from decision import read_marks
from likely import read_parts
from labels import align, tokenize
from masks import find_masked, find_parts

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = ["article", "forum", "product", "collection", "listing", "documentation", "service"]
SECOND_LEVEL = {"co", "com", "org", "net", "gov", "edu", "ac", "gob", "or", "ne", "go"}
# End of the key of a small copy, and its weight beside the page.
REDUCED, REDUCED_WEIGHT = "~small", 0.25
SETS = json.load(open(f"{HERE}/sets.json"))


class Page:
    """A labelled page: its blocks with features and labels, and the blocks excluded from training and score.

    `truth` has the words of the published text, `policy` those of the text by the policy (None without one);
    `masked` marks blocks that are not scored against the training text, `untaught` blocks that are not in training: masked
    ones except comments, and hidden ones.
    """


def domain_of(url, page_id):
    host = (urlsplit(url or "").hostname or f"none-{page_id}").removeprefix("www.")
    parts = host.split(".")
    take = 3 if len(parts) > 2 and parts[-2] in SECOND_LEVEL and len(parts[-1]) == 2 else 2
    return ".".join(parts[-take:])


def read_pages(data, folder):
    meta = json.load(open(f"{folder}/meta.json"))
    features = np.memmap(f"{folder}/features.bin", dtype=np.float32, mode="r")
    width = len(meta["features"])
    pages, at = [], 0
    known = read_known_labels(folder)
    labels = {}
    with open(f"{folder}/pages.jsonl") as lines:
        for index, line in enumerate(lines):
            page = Page()
            page.__dict__.update(json.loads(line))
            page.count = meta["counts"][index]
            page.features = np.ascontiguousarray(features[at : at + width * page.count].reshape(width, page.count).T)
            at += width * page.count
            page.marks = read_marks(page.features, meta["features"])
            page.parts_of_blocks = read_parts(page.features, meta["features"])
            page.heading = page.features[:, meta["features"].index("headingLevel")]
            read_truth(page, data)
            page.blocks = [tokenize(text) for text in page.texts]
            page.sizes = np.array([len(tokens) for tokens in page.blocks], dtype=np.float32)
            state = hashlib.sha1(f"{page.texts}{page.label_text}{page.masks}{page.unscored}{page.parts}".encode()).hexdigest()
            if state not in known:
                known[state] = label(page)
            labels[state] = known[state]
            page.labels, masked, unscored = known[state]
            page.masked = masked | unscored
            page.untaught = masked | np.array(page.hidden, bool)
            page.taught, page.is_taught = page.labels, True
            pages.append(page)
    pickle.dump(labels, open(f"{folder}/labels.pickle", "wb"))
    return meta, pages


def label(page):
    """Labels of the blocks, those that are masked, and those that are only not scored."""
    if page.parts:
        is_part = find_parts(page, [text for texts in page.parts.values() for text in texts])
        return is_part.astype(np.float32), ~is_part, np.zeros(page.count, bool)
    aligned = np.array(align(page.blocks, page.label_text), dtype=np.float32)
    return aligned, find_masked(page, aligned, page.masks), find_masked(page, aligned, page.unscored)


def read_truth(page, data):
    """Sets the page's type, weight and true texts: published, by the policy, and the one for training."""
    page.set, page.id = page.key.removesuffix(REDUCED).split("/", 1)
    page.is_reduced = page.key.endswith(REDUCED)
    of_set = SETS[page.set]
    record = read_record(data, page.set, page.id)
    page.url = record["url"]
    page.domain = domain_of(page.url, page.id)
    kind = record["_internal"]["page_type"]["primary"]
    page.type = "collection" if kind == "category" else kind
    page.weight = of_set["weight"] * (REDUCED_WEIGHT if page.is_reduced else 1)
    page.may_train = record["_internal"].get("may_train", True)
    page.parts = {part: record["ground_truth"][part] for part in of_set.get("parts", [])}
    page.snippets = record["ground_truth"]
    page.masks, page.unscored = list(of_set["mask"]), of_set.get("unscored", [])
    page.label_text = record["ground_truth"].get("main_content") or ""
    page.published_text = page.label_text
    page.truth, page.policy = tokenize(page.label_text), None
    for name, other in SETS.items():
        if other.get("relabels") == page.set and os.path.exists(path_of(data, name, page.id)):
            record = read_record(data, name, page.id)
            page.label_text = record["ground_truth"]["main_content"]
            page.policy = tokenize(page.label_text)
            page.masks += other["mask"]
    page.notes = record["ground_truth"]


def read_record(data, name, page_id):
    return json.load(open(path_of(data, name, page_id)))


def path_of(data, name, page_id):
    return f"{data}/{name}/ground-truth/{page_id}.json"


def read_known_labels(folder):
    """Alignments of an earlier run, by a hash of their inputs."""
    path = f"{folder}/labels.pickle"
    return pickle.load(open(path, "rb")) if os.path.exists(path) else {}
