"""Reads what dump-features.ts wrote, and the labels."""

import json
import os
from urllib.parse import urlsplit

import numpy as np

from labels import align, tokenize

TYPES = ["article", "forum", "product", "collection", "listing", "documentation", "service"]
SECOND_LEVEL = {"co", "com", "org", "net", "gov", "edu", "ac", "gob", "or", "ne", "go"}


class Page:
    pass


def domain_of(url, page_id):
    host = (urlsplit(url or "").hostname or f"none-{page_id}").removeprefix("www.")
    parts = host.split(".")
    take = 3 if len(parts) > 2 and parts[-2] in SECOND_LEVEL and len(parts[-1]) == 2 else 2
    return ".".join(parts[-take:])


def read_pages(data, folder):
    meta = json.load(open(f"{folder}/meta.json"))
    features = np.fromfile(f"{folder}/features.bin", dtype=np.float32)
    width = len(meta["features"])
    pages, at = [], 0
    labels = read_labels(folder)
    with open(f"{folder}/pages.jsonl") as lines:
        for index, line in enumerate(lines):
            row = json.loads(line)
            page = Page()
            page.__dict__.update(row)
            count = meta["counts"][index]
            page.count = count
            page.features = features[at : at + width * count].reshape(width, count).T
            at += width * count
            truth = json.load(open(f"{data}/ground-truth/{page.id}.json"))
            page.url = truth["url"]
            page.domain = domain_of(page.url, page.id)
            kind = truth["_internal"]["page_type"]["primary"]
            page.type = "collection" if kind == "category" else kind
            page.snippets = truth["ground_truth"]
            page.truth = tokenize(truth["ground_truth"].get("main_content") or "")
            page.blocks = [tokenize(text) for text in page.texts]
            if page.id not in labels:
                labels[page.id] = align(page.blocks, truth["ground_truth"].get("main_content") or "")
            page.labels = np.array(labels[page.id], dtype=np.float32)
            page.sizes = np.array([len(tokens) for tokens in page.blocks], dtype=np.float32)
            pages.append(page)
    json.dump(labels, open(f"{folder}/labels.json", "w"))
    return meta, pages


def read_labels(folder):
    """Alignments of an earlier run; remove the file when blocks change."""
    path = f"{folder}/labels.json"
    return json.load(open(path)) if os.path.exists(path) else {}
