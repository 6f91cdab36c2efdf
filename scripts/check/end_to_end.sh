#!/usr/bin/env bash
# From a clone to the sixteen-row table, and from a clone to passed tests. Reduced: the sixteen rows alone, small.
source "$(dirname "$0")/common.sh"

rows() { grep -cE '^(full|concat-q|shuffled-concat|sharded-q|recap-q|snowball-q|concat-v|sharded-v|recap-v|snowball-v|evidence-first|evidence-last|aligned-vq|misaligned-vq|all-layers|oracle) +([0-9]|not run)' "$1"; }

if [[ $reduced == yes ]]; then
  need_server "$@"
  $lvqa build layered-vqa --scenes 6 --out "$work/layered-vqa"
  $lvqa run "${serve[@]}" --dataset "$work/layered-vqa" --out "$work/run" --runs 1 --limit 4
  $lvqa judge "$work/run" --judge exact-match
  $lvqa report "$work/run" | tee "$work/output"
  echo "rows of the table: $(rows "$work/output")"
  [[ $(rows "$work/output") == 16 ]] || fail "the table has not sixteen rows"
  exit
fi

git clone -q . "$work/clone"
cd "$work/clone"
SECONDS=0
bash scripts/demo.sh > "$work/output" 2>&1 &
demo=$!
seen=no
while kill -0 $demo 2> /dev/null; do
  if [[ $seen == no ]] && pgrep -f "vllm serve scripts/small_model" > /dev/null; then
    seen=yes
    echo "in the process list: $(pgrep -af 'vllm serve' | head -1 | cut -c1-120)"
  fi
  sleep 0.5
done
wait $demo || { tail -30 "$work/output"; fail "demo.sh ended with an error"; }
cat "$work/output"
echo "demo.sh: $((SECONDS / 60)) min $((SECONDS % 60)) s, rows of the table: $(rows "$work/output"), vLLM seen: $seen"
[[ $(rows "$work/output") == 16 && $seen == yes && $SECONDS -lt 720 ]] || fail "demo.sh"
cd - > /dev/null
rm -rf "$work/clone"
git clone -q . "$work/clone"
cd "$work/clone"
SECONDS=0
bash scripts/test.sh
echo "test.sh: $((SECONDS / 60)) min $((SECONDS % 60)) s"
[[ $SECONDS -lt 900 ]] || fail "test.sh took longer than 15 minutes"
