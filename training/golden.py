"""Stores xgboost's scores of the golden pages: `golden.py WORK`, after dump-golden.ts."""

import json
import os
import sys

import numpy as np
import xgboost as xgb

from model import evaluate

HERE = os.path.dirname(os.path.abspath(__file__))

work = sys.argv[1]
features = json.load(open(f"{work}/golden-features.json"))
names = json.load(open(f"{work}/columns.json"))
columns = [features["names"].index(name) for name in names]
model = xgb.Booster(model_file=f"{work}/content.json")
golden = []
for page in features["pages"]:
    values = np.array(page, dtype=np.float32).T[:, columns]
    golden.append([float(p) for p in evaluate(model, values)])
with open(f"{HERE}/../packages/extract/src/content/model/golden.json", "w") as file:
    json.dump(golden, file)
    file.write("\n")
