"""Held-out figures of the stand-in encoder on procedural pages, whose labels are true by construction."""

import sys
from pathlib import Path

from dataset_builders.bear_bench.classify.run import ClassifyOptions, report_table, run
from dataset_builders.bear_bench.classify.silver import NAME, SilverLabel
from dataset_builders.bear_bench.records import Page, PageLabels
from dataset_builders.bear_bench.work import Work
from lvqa_eval.runs.terminal import Column, print_table
from lvqa_eval.statuses import Status

LEAST_SUPPORT = 5
"""Held-out pages with a label from which its figures are held against the floor."""


def main(folder: str, floor: str) -> None:
    """Teach with the true labels of the pages in `folder`; exit with 1 where an F1 is below `floor` %."""
    work = Work(Path(folder))
    hashes = {page.page_id: page.sha256 for page in work.read("pages", Page, "render")}
    true = work.read("labels", PageLabels, "procedural")
    work.write(
        NAME,
        [
            SilverLabel(page_id=one.page_id, sha256=hashes[one.page_id], status=Status.OK, labels=one.labels)
            for one in true
        ],
    )
    found = run(work, ClassifyOptions()).report
    assert found is not None
    print(
        f"layout stand-in, procedural pages: {found.pages} of {found.documents} documents learnt from, "
        f"{found.held_out_pages} of {found.held_out_documents} held out"
    )
    heads, rows = report_table(found)
    print_table([Column(head, "right" if place else "left") for place, head in enumerate(heads)], rows)
    poor = [one for one in found.labels if one.support >= LEAST_SUPPORT and one.f1 < float(floor) / 100]
    if poor:
        sys.exit(f"FAILED: F1 below {floor} %: {', '.join(one.label for one in poor)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
