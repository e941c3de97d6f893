#!/bin/sh
# Trains everything that packages/extract ships, from a folder of labelled pages (WCXB layout), and writes
# packages/extract/src/model/model-data.ts, golden.json beside it, and training/report.md.
#
#   training/train.sh DATA [WORK]     WORK keeps intermediate files (about 1 GB); default: a temporary folder
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
python=${PYTHON:-/usr/bin/python3}
data=$1
work=${2:-$(mktemp -d)}
mkdir -p "$work"
rm -f "$work/labels.json"
node training/dump-features.ts "$data" "$work"
"$python" training/train.py lexicons "$data" "$work"
node training/dump-features.ts "$data" "$work" lexicons
"$python" training/train.py models "$data" "$work"
node training/dump-golden.ts "$work"
"$python" training/golden.py "$work"
oxfmt training/report.md
