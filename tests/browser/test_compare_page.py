"""The page of a comparison in a real browser: nothing asked of the network, nothing that sticks out."""

import pytest

from lvqa_eval.reports.compare.comparison import compare_runs
from lvqa_eval.reports.compare.pictures import Thumbnails
from lvqa_eval.reports.compare.write import write_comparison
from lvqa_eval.runs.store import RunStore
from tests.support.audited_runs import drawn_dataset
from tests.support.browser import WIDTHS, faults, watch
from tests.support.compared_runs import compared_run

CONDITIONS = ("full", "sharded-v", "aligned-vq")
LONG = "A long reply with a wordwithoutanyplacetobreakit" * 3 + " and more of it. " * 60


def outcome(right):
    def decide(row, run):
        said = row.answer if right else f"<b onclick=alert(1)>{LONG}</b>" * (run == 1) or "no"
        return said, right

    return decide


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Give the path of a page; made before the browser is, whose event loop would be in the way."""
    folder = tmp_path_factory.mktemp("compared")
    dataset = drawn_dataset(folder, scenes=2)
    stores = []
    for name in ("a", "b"):
        model = {"name": name * 90}
        made = compared_run(folder / name, dataset, CONDITIONS, 2, outcome(name == "a"), model=model)
        stores.append(RunStore.open(made))
    thumbnails = Thumbnails(str(dataset))
    return write_comparison(compare_runs(*stores), folder / "out", thumbnails, "lvqa compare a b " * 20, 100)


def test_the_page_holds_at_every_width_and_shows_every_picture(written, page):
    watched = watch(page)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.goto(written.as_uri())
            assert (width, theme, faults(page)) == (width, theme, [])
    assert page.locator("details.flip").count() == 6
    sizes = page.evaluate("[...document.images].map((one) => one.naturalWidth * one.naturalHeight)")
    assert len(sizes) > 10
    assert min(sizes) > 0
    assert (watched.errors, watched.hosts) == ([], {""})
