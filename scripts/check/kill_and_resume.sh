#!/usr/bin/env bash
# kill -9 during `lvqa run` at ten random moments, then the same command: no conversation lost or doubled.
source "$(dirname "$0")/common.sh"
need_server "$@"
questions=40
[[ $reduced == yes ]] && questions=8
RANDOM=20

$lvqa build layered-vqa --scenes 16 --out "$work/layered-vqa"
command=("$lvqa" run "${serve[@]}" --dataset "$work/layered-vqa" --out "$work/run" --runs 1 --limit $questions --in-flight 8)
lines() { if [[ -f $work/run/conversations.jsonl ]]; then wc -l < "$work/run/conversations.jsonl"; else echo 0; fi; }

# Half of the kills come at a random moment of the start, half after a random number of new conversations.
for kill in $(seq 10); do
  before=$(lines)
  "${command[@]}" > /dev/null 2> "$work/stderr" &
  pid=$!
  if ((kill % 2)); then
    moment=$((RANDOM % 2500 + 100))
    sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
    when="$moment ms after its start"
  else
    wanted=$((RANDOM % (questions * 2) + 1))
    until (($(lines) >= before + wanted)) || ! kill -0 $pid 2> /dev/null; do sleep 0.02; done
    when="$wanted new conversations"
  fi
  if kill -9 $pid 2> /dev/null; then how=killed; else how="had ended"; fi
  wait $pid 2> /dev/null || true
  echo "  $kill: $how at $when, $(lines) conversations on disk"
done
"${command[@]}"
$python - "$work/run" "$work/layered-vqa" $questions <<'P'
import json, sys
from collections import Counter
from pathlib import Path
run, dataset, questions = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
planned = {
    (row["condition"], row["question_id"], 1)
    for name in json.loads((dataset / "manifest.json").read_text())["conditions"]
    for row in map(json.loads, (dataset / f"{name}.jsonl").read_text().splitlines()[:questions])
}
records = [json.loads(line) for line in (run / "conversations.jsonl").read_bytes().split(b"\n") if line]
keys = Counter((one["condition"], one["question_id"], one["run"]) for one in records)
lost, doubled = planned - keys.keys(), [key for key, count in keys.items() if count > 1]
print(f"planned {len(planned)}, on disk {len(records)}, lost {len(lost)}, doubled {len(doubled)}")
assert not lost and not doubled and keys.keys() == planned
P
