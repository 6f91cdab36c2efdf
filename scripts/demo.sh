#!/usr/bin/env bash
# The main job from nothing: set up, draw the scenes, serve the small model with real vLLM, hold the sixteen
# deliveries, judge, report. Everything lands in demo/; the same command again finishes or repeats it.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
export HF_HUB_OFFLINE=1 HF_DATASETS_CACHE=$PWD/demo/cache
lvqa=.venv/bin/lvqa
run=demo/runs/tiny-vlm

echo "model: random weights, so every answer below is noise and no score means anything"
.venv/bin/python scripts/tiny_model.py demo/tiny-vlm
$lvqa build layered-vqa --source procedural --scenes 24 --out demo/layered-vqa
$lvqa validate demo/layered-vqa
$lvqa run --model demo/tiny-vlm --dataset demo/layered-vqa --out $run \
  --runs 1 --max-tokens 16 --context 16384 --images-per-prompt 64
$lvqa judge $run --judge exact-match
$lvqa report $run
echo "The answers are noise: the model has random weights. What is shown is that the whole path works."
echo "open $run/report/index.html in a browser"
