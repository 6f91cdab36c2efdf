# Shared by the checks, sourced first. Each check prints its figures and exits with 1 where one is off.
#   --reduced            a smaller form of the same check, for the test run
# A check that needs a model calls `need_server`: it uses LVQA_CHECK_URL and LVQA_CHECK_MODEL where they are set, and
# otherwise starts real vLLM with the small model for as long as the check runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Byte code is kept whatever the environment says: to compile vLLM anew takes ten seconds of each of its processes.
unset PYTHONDONTWRITEBYTECODE
reduced=no
arguments=()
for argument in "$@"; do
  if [[ $argument == --reduced ]]; then reduced=yes; else arguments+=("$argument"); fi
done
python=$PWD/.venv/bin/python
lvqa=$PWD/.venv/bin/lvqa
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HF_HUB_OFFLINE=1 HF_DATASETS_CACHE=$work/cache HF_DATASETS_DISABLE_PROGRESS_BARS=1

need_server() {
  if [[ -z ${LVQA_CHECK_URL:-} ]]; then
    exec "$python" scripts/check/with_server.py bash "$0" "$@"
  fi
  serve=(--model "$LVQA_CHECK_MODEL" --base-url "$LVQA_CHECK_URL" --max-tokens 8)
}

fail() {
  echo "FAILED: $*"
  exit 1
}
