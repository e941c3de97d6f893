#!/bin/sh
# Trains everything that packages/extract ships, from a folder with the labelled sets that sets.json names, and writes
# packages/extract/src/content/model/model-data.ts, golden.json beside it, sites/evidence-weights.ts, and training/report.md.
#
#   training/train.sh DATA [WORK]     WORK keeps intermediate files (about 2 GB); default: a temporary folder
#
# With WORTH=1 each set is also left out once, for the table of what it is worth (about as long again).
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
python=${PYTHON:-/usr/bin/python3}
data=$1
work=${2:-$(mktemp -d)}
mkdir -p "$work"
node training/dump-features.ts "$data" "$work"
"$python" training/train.py lexicons "$data" "$work"
node training/dump-features.ts "$data" "$work" lexicons
[ -z "${WORTH:-}" ] || "$python" training/train.py worth "$data" "$work"
"$python" training/train.py models "$data" "$work"
node training/dump-golden.ts "$work"
"$python" training/golden.py "$work"
oxfmt training/report.md packages/extract/src/sites/evidence-weights.ts
