"""The procedural source as a whole: same bytes, balanced cells, records that the stage finish takes."""

import hashlib
import io
import json
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from dataset_builders.bear_bench.finish import run as finish
from dataset_builders.bear_bench.language import language_of
from dataset_builders.bear_bench.procedural import PageOptions, pages, run
from dataset_builders.bear_bench.procedural.derivation import Derivation
from dataset_builders.bear_bench.procedural.documents import plans
from dataset_builders.bear_bench.records import Document, Item, Licence, Page, PageLabels, PageText
from dataset_builders.bear_bench.validate import validate
from dataset_builders.bear_bench.work import Work, WorkError

OPTIONS = PageOptions(pages=5, seed=3, width=620)


@pytest.fixture(scope="module")
def made():
    return list(pages(OPTIONS))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    work = Work(tmp_path_factory.mktemp("work"))
    count = run(work, OPTIONS, workers=2)
    return work, count


def digest(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("count", [1, 4, 200, 203])
def test_cells_have_the_same_number_of_pages(count):
    found = Counter()
    for plan in plans(PageOptions(pages=count, seed=1)):
        found[plan.language, plan.domain] += plan.pages
    assert sum(found.values()) == count
    counts = [found[language, domain] for language in ("en", "ru") for domain in ("business", "science")]
    assert max(counts) - min(counts) <= 1


def test_documents_have_several_pages_of_one_look():
    sizes = [plan.pages for plan in plans(PageOptions(pages=200, seed=0))]
    assert 40 <= len(sizes) <= 66
    assert sum(size >= 3 for size in sizes) >= len(sizes) - 4


def test_the_same_options_give_the_same_bytes_in_one_process_and_in_two(made, written):
    work, _ = written
    assert len(digest(work.folder)) == 7 + 5 + 4
    for document, page in made:
        assert (work.folder / page.page.file).read_bytes() == page.png
        assert (work.folder / document.document.file).read_bytes() == document.content


def test_another_seed_gives_other_pages(made):
    other = next(iter(pages(PageOptions(pages=1, seed=4))))[1]
    assert other.text.text != made[0][1].text.text
    assert other.png != made[0][1].png


def test_pages_tell_the_truth_about_their_picture(made):
    for _, page in made:
        with Image.open(io.BytesIO(page.png)) as image:
            image.load()
            assert image.size == (page.page.width, page.page.height)
            grey = np.asarray(image.convert("L"))
        assert page.page.sha256 == hashlib.sha256(page.png).hexdigest()
        assert page.page.dpi == 75
        assert abs(page.page.ink - (grey < 245).mean()) < 0.02
        assert 0.03 < page.page.ink < 0.35


def test_the_language_of_the_text_is_that_of_the_page(made):
    for _, page in made:
        assert language_of(page.text.text) == page.text.language


def test_labels_follow_from_the_blocks(made):
    for _, page in made:
        blocks = {block["block"] for block in page.derivation.content}
        kinds = {
            "tables": {"table"},
            "figures": {"chart"},
            "diagrams": {"flowchart", "organisation"},
            "equations": {"equation"},
            "code": {"code"},
        }
        expected = {label for label, names in kinds.items() if names & blocks}
        assert set(page.labels.labels) == expected == set(page.item.labels)
        assert page.labels.labelled_by == "construction"
        assert [value == 1.0 for value in page.labels.probabilities] == [
            label in expected
            for label in ("diagrams", "tables", "equations", "code", "figures", "handwriting")
        ]


def test_everything_says_that_it_is_procedural(made):
    for document, page in made:
        assert document.document.document_id.startswith("proc-s3-")
        assert document.document.document_type.startswith("procedural ")
        assert document.document.source == "procedural"
        assert document.document.licence == document.licence.licence == "CC0-1.0"
        assert "invented" in document.licence.evidence
        assert page.page.page_id.startswith(document.document.document_id)


def test_derivations_keep_the_steps_and_all_blocks(made):
    for document, page in made:
        assert len(page.derivation.steps) == page.item.reasoning_steps >= 3
        told = json.loads(document.content)["pages"][page.page.page - 1]
        assert told == list(page.derivation.content)
        assert any(block["block"] == "paragraph" for block in told)


def test_a_width_gives_the_same_page_at_another_size(made):
    small = made[0][1]
    large = next(iter(pages(PageOptions(pages=1, seed=3))))[1]
    assert small.text == large.text
    assert small.item == large.item
    assert large.page.dpi == 150
    assert abs(small.page.width - large.page.width / 2) <= 1
    with Image.open(io.BytesIO(small.png)) as one, Image.open(io.BytesIO(large.png)) as two:
        shrunk = two.convert("L").resize(one.size, Image.Resampling.BOX)
        difference = np.abs(np.asarray(one.convert("L"), np.int16) - np.asarray(shrunk, np.int16))
    assert difference.mean() < 6


def test_the_folder_becomes_a_sound_dataset(written, tmp_path):
    work, count = written
    assert count.kept == 5
    assert count.groups == {"business-en": 2, "business-ru": 1, "science-en": 1, "science-ru": 1}
    assert len(work.read("documents", Document, "procedural")) == 4
    assert len(work.read("licences", Licence, "procedural")) == 4
    for name, kind in (("pages", Page), ("texts", PageText), ("labels", PageLabels), ("items", Item)):
        assert len(work.read(name, kind, "procedural")) == 5
    assert len(work.read("procedural", Derivation, "procedural")) == 5
    finished = finish(work, tmp_path / "bear-bench", "1.0.0")
    assert finished.count.kept == 5
    assert validate(tmp_path / "bear-bench") == []


def test_an_earlier_set_of_the_folder_leaves_nothing_behind(tmp_path):
    work = Work(tmp_path)
    run(work, PageOptions(pages=2, seed=5, width=310), workers=1)
    run(work, PageOptions(pages=1, seed=6, width=310), workers=1)
    assert len(list(tmp_path.glob("pages/*"))) == 1
    assert len(list(tmp_path.glob("documents/*"))) == 1


def test_a_folder_of_collected_documents_is_refused(tmp_path):
    work = Work(tmp_path)
    one = Document(
        document_id="arxiv-1",
        file="files/1.pdf",
        sha256="0" * 64,
        source="arxiv",
        url="u",
        domain="science",
        document_type="paper",
    )
    work.write("documents", [one])
    with pytest.raises(WorkError, match="documents of arxiv"):
        run(work, PageOptions(pages=1), workers=1)
