#!/usr/bin/env bash
# BEAR-Bench from pages to a report, with real vLLM: procedural pages, the small model with and without a chain of
# thought and at five sizes of the picture, exact match and a model as judges, every table and figure.
#
#     bash scripts/check/bear_run.sh [MODEL [JUDGE]]
#
# The small model was never taught to read, so that its answers are noise; what is checked is that each figure comes
# from real replies.
source "$(dirname "$0")/common.sh"
models=scripts/small_model/checkpoints
model=${arguments[0]:-$models/small-vlm} judge=${arguments[1]:-$models/small-vlm-early}
pages=120
[[ $reduced == no ]] || pages=12
conditions=default,cot,downsample-1.5,downsample-2,downsample-3,downsample-4
run=$work/runs/small-vlm
SECONDS=0

$lvqa build bear procedural "$work/work" --pages $pages --simple >"$work/built.txt"
$lvqa build bear finish "$work/work" --out "$work/bear-bench" | tail -1
$lvqa run --benchmark bear --model "$model" --dataset "$work/bear-bench" --out "$run" --conditions $conditions \
  --temperature 0 --max-tokens 64 --context 4096
$lvqa judge "$run" --judge exact-match --judge "$judge"
$lvqa report "$run" --judge exact-match | tail -25
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"
