#!/usr/bin/env bash
# What the small model sees, held by real vLLM: held-out questions about scenes of two to five objects, the whole
# picture in one turn, beside the model's own answers without the picture and a guesser that reads the words alone.
#
#     bash scripts/check/small_model.sh [FOLDER]
source "$(dirname "$0")/common.sh"
model=${arguments[0]:-scripts/small_model/checkpoints/small-vlm}
scenes=185
[[ $reduced == no ]] || scenes=12

# Training scenes come from no seed of the source. Three to six layers are two to five objects on a background.
$lvqa build layered-vqa --source procedural --scenes "$scenes" --seed 770077 --min-depth 3 --max-depth 6 \
  --out "$work/layered-vqa" >"$work/built.txt"
$lvqa run --model "$model" --dataset "$work/layered-vqa" --out "$work/run" --conditions full \
  --baseline question-only --runs 1 --temperature 0 --max-tokens 24 --context 4096 >"$work/held.txt"
$lvqa judge "$work/run" --judge exact-match >"$work/judged.txt"
PYTHONPATH=$PWD $python scripts/check/small_model.py "$work/run"
