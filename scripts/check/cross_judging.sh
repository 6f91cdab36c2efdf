#!/usr/bin/env bash
# Two small models hold the same conversations with real vLLM, and each judges both: the matrix of judges against
# assistants, leniency, self-preference and agreement come from real verdicts. Neither was taught to judge, so that the
# figures are noise; what is checked is that every verdict is read and every cell filled.
#
#     bash scripts/check/cross_judging.sh [MODEL OTHER]
source "$(dirname "$0")/common.sh"
models=("${arguments[@]}")
((${#models[@]})) || models=(scripts/small_model/checkpoints/small-vlm scripts/small_model/checkpoints/small-vlm-early)
scenes=12
[[ $reduced == no ]] || scenes=3
runs=() judges=()
for model in "${models[@]}"; do
  runs+=("$work/runs/$(basename "$model")")
  judges+=(--judge "$model")
done

$lvqa build layered-vqa --source procedural --scenes $scenes --seed 21 --min-depth 3 --max-depth 6 --out "$work/layered-vqa"
for at in "${!models[@]}"; do
  $lvqa run --model "${models[$at]}" --dataset "$work/layered-vqa" --out "${runs[$at]}" --conditions full,sharded-v \
    --runs 1 --temperature 0 --max-tokens 24 --context 8192
done
# Words drawn without knowing how to judge: a verdict is one of two words all the same.
$lvqa judge "${runs[@]}" --judge exact-match "${judges[@]}" --temperature 1 --max-tokens 1200 --context 8192
$lvqa panel "${runs[@]}" --out "$work/panel" | tee "$work/panel.txt"
$lvqa report "${runs[@]}" --judge exact-match --out "$work/report" >"$work/report.txt"
grep -q "^not made: .*Judges against assistants" "$work/report.txt" && fail "the matrix of judges is missing"
grep "exhibits made" "$work/report.txt"
