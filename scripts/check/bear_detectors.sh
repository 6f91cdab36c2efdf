#!/usr/bin/env bash
# Detectors of wrong answers over pages: the small model answers a question about each of many procedural pages with
# real vLLM, reads its answers once more, another model says which it takes for wrong, and every score, probe and
# verdict is set against exact match, with intervals.
#
#     bash scripts/check/bear_detectors.sh [MODEL [JUDGE]]
#
# The small models were never taught to read or to judge: one answer in fifty is right, which takes many pages for each
# fold to have both classes, and what tells it from others is of no interest. What is checked is the whole path.
source "$(dirname "$0")/common.sh"
models=scripts/small_model/checkpoints
model=${arguments[0]:-$models/small-vlm} judge=${arguments[1]:-$models/small-vlm-early}
pages=600
[[ $reduced == no ]] || pages=24
run=$work/runs/small-vlm
SECONDS=0

$lvqa build bear procedural "$work/work" --pages $pages --simple >"$work/built.txt"
$lvqa build bear finish "$work/work" --out "$work/bear-bench" | tail -1
$lvqa run --benchmark bear --model "$model" --dataset "$work/bear-bench" --out "$run" --conditions default \
  --temperature 0 --max-tokens 24 --logprobs 20 --context 4096
$lvqa judge "$run" --judge exact-match
$lvqa features "$run" --model "$model" --dataset "$work/bear-bench"
$lvqa verdicts "$run" --judge "$judge" --dataset "$work/bear-bench" --max-tokens 8 --context 4096 \
  --extra-body '{"structured_outputs": {"choice": ["CORRECT", "INCORRECT"]}}'
$lvqa detect "$run" --judge exact-match
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"
