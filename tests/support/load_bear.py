"""Build a small BEAR-Bench below a folder, load it as users do, and print what was found, as JSON."""

import json
import os
import sys
from pathlib import Path

from datasets import load_dataset

from dataset_builders.bear_bench.finish import run
from tests.support.bear_work import bear_work


def first_picture():
    picture = load_dataset("bear-bench", "business", split="ru")[0]["image"]
    return [picture.mode, picture.size, picture.getpixel((0, 0))]


def main():
    folder = Path(sys.argv[1])
    run(bear_work(folder / "work"), folder / "bear-bench", "1.0.0")
    os.chdir(folder)
    # The default is `all`.
    loaded = {name: load_dataset("bear-bench", *name.split()) for name in ("", "business", "science")}
    rows = load_dataset("bear-bench", "business", split="ru")
    streamed = load_dataset("bear-bench", "business", split="ru", streaming=True)
    found = {
        "features": {name: repr(kind) for name, kind in rows.features.items()},
        "splits": {
            name: {split: len(of_split) for split, of_split in of_config.items()}
            for name, of_config in loaded.items()
        },
        "business ru": rows["id"][:],
        "steps": rows["reasoning_steps"][:],
        "streamed": [row["id"] for row in streamed],
        "before": first_picture(),
    }
    run(bear_work(folder / "other work", shade=100), folder / "bear-bench", "1.0.0")
    print(json.dumps(found | {"after": first_picture()}))


if __name__ == "__main__":
    main()
