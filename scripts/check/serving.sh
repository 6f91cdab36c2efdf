#!/usr/bin/env bash
# Two servers of real vLLM under one run: routes, prefix cache, log-probabilities, pictures by reference.
source "$(dirname "$0")/common.sh"
$python scripts/check/serving.py
