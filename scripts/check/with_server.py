"""Run a command beside real vLLM with the small model; its address stands in LVQA_CHECK_URL."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lvqa_eval.serving.server import ServerOptions, VllmServer


def main() -> int:
    with tempfile.TemporaryDirectory() as work:
        model = Path(work) / "tiny-vlm"
        script = Path(__file__).parents[1] / "tiny_model.py"
        subprocess.run([sys.executable, script, model], check=True, stdout=subprocess.DEVNULL)
        options = ServerOptions(str(model), images_per_prompt=64, served_name="tiny-vlm", max_model_len=16384)
        with VllmServer(options, Path(work) / "server.log") as server:
            found = {"LVQA_CHECK_URL": server.base_url, "LVQA_CHECK_MODEL": options.name}
            return subprocess.run(sys.argv[1:], env=os.environ | found, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
