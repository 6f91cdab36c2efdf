#!/usr/bin/env bash
# Reports in a real browser: that of a run held by real vLLM, and that of a simulated study, with a panel of judges and
# every exhibit. In full the study has the size of the paper's: 187,200 conversations and two million verdicts.
source "$(dirname "$0")/common.sh"
need_server "$@"
size=()
if [[ $reduced == yes ]]; then
  size=(--assistants 3 --questions 12 --scenes 6 --repetitions 2 --judges 2)
fi

$lvqa build layered-vqa --source procedural --scenes 6 --out "$work/layered-vqa"
$lvqa run "${serve[@]}" --dataset "$work/layered-vqa" --out "$work/run" --runs 1
$lvqa judge "$work/run" --judge exact-match
$lvqa report "$work/run" >"$work/run.txt"
tail -1 "$work/run.txt"

$python scripts/simulate_study.py --runs "$work/study" "${size[@]}" >"$work/written.txt"
$lvqa panel "$work"/study/* >"$work/panel.txt"
$lvqa report "$work"/study/* --out "$work/report" >"$work/report.txt"
grep 'exhibits made' "$work/report.txt"
if [[ $reduced == no ]]; then
  grep -q '^17 of 17 exhibits made' "$work/report.txt" || fail "an exhibit of the simulated study is missing"
fi
PYTHONPATH=$PWD $python scripts/check/reports.py "$work" "$work/run/report/index.html" "$work/report/index.html"
