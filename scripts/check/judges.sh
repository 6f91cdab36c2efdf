#!/usr/bin/env bash
# Judge models served by real vLLM, with structured output and without, and the panel that they make. In full, two
# models of different architectures, which `lvqa judge` starts one after the other; reduced, the server at hand.
source "$(dirname "$0")/common.sh"
if [[ $reduced == yes ]]; then
  need_server "$@"
  PYTHONPATH=$PWD $python scripts/check/judges.py "$work" --at "$LVQA_CHECK_MODEL@$LVQA_CHECK_URL"
  exit
fi
PYTHONPATH=$PWD $python scripts/check/judges.py "$work"
