#!/usr/bin/env bash
# The built folder as users load it: every config, map-style and streaming; pictures stored once; no stale rows.
source "$(dirname "$0")/common.sh"
scenes=93
[[ $reduced == yes ]] && scenes=4

$lvqa build layered-vqa --scenes $scenes --out "$work/a/layered-vqa"
(cd "$work/a" && $python -c "from datasets import load_dataset; d=load_dataset('layered-vqa','sharded-v',split='test'); r=d[0]; print(len(r['turns']), [l.mode for l in r['layers']])")
$python scripts/check/load_dataset.py "$work"
