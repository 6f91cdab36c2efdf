"""Load datasets of a Hub in a process of its own, and print what was found.

`load_from_hub.py ORG/NAME ASKED...`, where ASKED is CONFIG@REVISION; what is empty is left out of the call.
"""

import hashlib
import json
import sys

from PIL import Image

from lvqa_eval.dataset import open_dataset


def digest(rows):
    """Return the SHA-256 over every word and every pixel, in order."""
    total = hashlib.sha256()
    for row in rows:
        pictures = [row.pop("composite"), *row.pop("layers")]
        total.update(json.dumps(row, sort_keys=True).encode())
        for picture in pictures:
            total.update(f"{picture.mode} {picture.size}".encode() + picture.tobytes())
    return total.hexdigest()


def written(folder, config):
    """Return number and digest of the rows as they stand in a folder."""
    rows = [json.loads(line) for line in (folder / f"{config}.jsonl").read_text().splitlines()]
    for row in rows:
        row["composite"] = Image.open(folder / row.pop("composite_file_name"))
        row["layers"] = [Image.open(folder / name) for name in row.pop("layers_file_names")]
    return [len(rows), digest(rows)]


def loaded(name, asked):
    from datasets import load_dataset

    config, revision = asked.split("@")
    splits = load_dataset(name, *filter(None, [config]), **({"revision": revision} if revision else {}))
    return {split: [len(rows), digest(rows)] for split, rows in splits.items()}


def opened(name, revision):
    dataset = open_dataset(name, revision)
    rows = [row.model_dump(mode="json") for row in dataset.rows("sharded-v")]
    return {"version": dataset.version, "revision": dataset.revision, "rows": rows}


if __name__ == "__main__":
    name, *asked = sys.argv[1:]
    revisions = sorted({one.split("@")[1] for one in asked} - {""})
    print(
        json.dumps(
            {
                "loaded": {one: loaded(name, one) for one in asked},
                "opened": {one: opened(name, one) for one in revisions},
            }
        )
    )
