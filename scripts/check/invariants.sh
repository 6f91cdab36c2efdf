#!/usr/bin/env bash
# The properties of examples and conditions, on many more drawn examples than the test run takes.
source "$(dirname "$0")/common.sh"
$python -m pytest -p no:cacheprovider --hypothesis-profile=thorough --hypothesis-show-statistics \
  tests/dataset_builders/layered_vqa/test_example.py tests/dataset_builders/layered_vqa/test_conditions.py \
  | grep -E "^tests/| passing, |passed|failed"
