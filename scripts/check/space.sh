#!/usr/bin/env bash
# The folder that `lvqa space` writes, as a Space would run it: its requirements install into a clean environment, LVQA
# itself from a wheel of this tree (on the Hub: from PyPI), and its app starts over a results repository on a loopback Hub.
source "$(dirname "$0")/common.sh"
# As long as it takes to install what is pinned; there is no shorter form of it.
[[ $reduced == yes ]] && { echo "nothing in the reduced form: tests/leaderboard/test_space.py imports the app"; exit 0; }

# A copy: building in the tree itself would leave files there.
mkdir "$work/tree"
git ls-files -z --cached --others --exclude-standard -- pyproject.toml README.md LICENSE cards dataset_builders leaderboard \
  lvqa_eval | xargs -0 cp --parents -t "$work/tree"
"$PWD/.venv/bin/uv" build --quiet --wheel --out-dir "$work" "$work/tree"
wheel=$(ls "$work"/lvqa-*.whl)

$lvqa space "$work/space" --repo ORG/results --requirement "lvqa[leaderboard] @ file://$wheel"
"$PWD/.venv/bin/uv" venv --quiet --python "$python" "$work/clean"
install=("$PWD/.venv/bin/uv" pip install --quiet --python "$work/clean/bin/python" -r "$work/space/requirements.txt")
"${install[@]}" --offline 2>/dev/null || "${install[@]}"
PYTHONPATH=$PWD $python scripts/check/space.py "$work/space" "$work/clean/bin/python" "$work"
