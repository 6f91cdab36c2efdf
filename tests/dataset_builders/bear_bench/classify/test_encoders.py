"""Encoders and what is kept of their vectors; SigLIP with a tiny random checkpoint."""

import numpy as np
import pytest
from PIL import Image

from dataset_builders.bear_bench.classify.embeddings import embed
from dataset_builders.bear_bench.classify.encoders import EncoderError, open_encoder
from dataset_builders.bear_bench.records import Page
from tests.support.bear_work import bear_work


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Write a SigLIP picture tower of 17,000 parameters."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    config = transformers.SiglipVisionConfig(
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=32,
        patch_size=16,
    )
    folder = tmp_path_factory.mktemp("siglip") / "tiny-siglip"
    transformers.SiglipVisionModel(config).save_pretrained(folder)
    transformers.SiglipImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


def pages_of(work):
    return work.read("pages", Page, "render")


class Counting:
    """An encoder whose vectors are the mean colours, and that writes down what it was asked."""

    name, batch, dimension, raw = "counting", 3, 3, True

    def __init__(self, breaks_at=None):
        self.asked, self.breaks_at = [], breaks_at

    def identity(self):
        return {"encoder": "counting"}

    def encode(self, paths):
        if len(self.asked) == self.breaks_at:
            raise KeyboardInterrupt
        self.asked.append([path.name for path in paths])
        return np.array(
            [np.asarray(Image.open(path)).mean(axis=(0, 1)) / (1 + len(paths)) for path in paths],
            dtype=np.float32,
        )


def test_siglip_gives_vectors_of_length_one_that_tell_pages_apart(checkpoint, tmp_path):
    work = bear_work(tmp_path / "work")
    encoder = open_encoder(str(checkpoint), "cpu", batch=5)
    vectors = embed(work, pages_of(work), encoder)
    assert vectors.shape == (12, 16)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert len(np.unique(vectors.round(5), axis=0)) == 12
    assert (encoder.name, encoder.dimension, encoder.raw) == ("tiny-siglip", 16, False)
    assert len(encoder.identity()["files_sha256"]) == 64


def test_siglip_agrees_with_its_own_library(checkpoint, tmp_path):
    import torch
    from transformers import AutoImageProcessor, SiglipVisionModel

    work = bear_work(tmp_path / "work", pages=1)
    page = pages_of(work)[0]
    picture = Image.open(work.folder / page.file).convert("RGB")
    inputs = AutoImageProcessor.from_pretrained(checkpoint)(images=picture, return_tensors="pt")
    with torch.inference_mode():
        expected = SiglipVisionModel.from_pretrained(checkpoint)(**inputs).pooler_output[0].numpy()
    found = open_encoder(str(checkpoint), "cpu").encode([work.folder / page.file])[0]
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-6)


def test_the_picture_tower_of_a_whole_siglip_is_taken(tmp_path):
    transformers = pytest.importorskip("transformers")
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.SiglipConfig(
        text_config={**small, "vocab_size": 30, "max_position_embeddings": 8},
        vision_config={**small, "image_size": 32, "patch_size": 16},
    )
    folder = tmp_path / "whole"
    whole = transformers.SiglipModel(config)
    whole.save_pretrained(folder)
    transformers.SiglipImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    work = bear_work(tmp_path / "work", pages=1)
    path = work.folder / pages_of(work)[0].file
    found = open_encoder(str(folder), "cpu").encode([path])[0]
    pixels = transformers.AutoImageProcessor.from_pretrained(folder)(
        images=Image.open(path).convert("RGB"), return_tensors="pt"
    )["pixel_values"]
    expected = whole.eval().vision_model(pixels).pooler_output[0].detach().numpy()
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-6)


def test_an_encoder_that_is_not_there_is_told(tmp_path):
    pytest.importorskip("transformers")
    for name in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(EncoderError, match="neither a folder here nor within reach"):
            open_encoder(str(name), "cpu")


def test_another_kind_of_model_is_refused(tmp_path):
    transformers = pytest.importorskip("transformers")
    transformers.BertConfig(hidden_size=8, num_attention_heads=1).save_pretrained(tmp_path)
    with pytest.raises(EncoderError, match=r"found a model of type 'bert', allowed: siglip, or 'layout'"):
        open_encoder(str(tmp_path), "cpu")


def test_the_stand_in_says_that_it_is_one():
    encoder = open_encoder("layout")
    assert "stand-in" in encoder.name
    assert encoder.identity()["stand_in"] is True


def test_a_picture_is_encoded_once(tmp_path):
    work, encoder = bear_work(tmp_path), Counting()
    pages = pages_of(work)
    first = embed(work, pages, encoder)
    assert [len(batch) for batch in encoder.asked] == [3, 3, 3, 3]
    again = Counting()
    assert (embed(work, pages[::-1], again) == first[::-1]).all()
    assert again.asked == []
    # Two pages with one picture are one vector.
    twice = [*pages, pages[0].model_copy(update={"page_id": "other"})]
    found = embed(work, twice, again)
    assert again.asked == []
    assert (found[-1] == found[0]).all()


def test_what_a_killed_run_made_is_taken_up_and_the_vectors_are_the_same(tmp_path):
    work, whole = bear_work(tmp_path / "a"), bear_work(tmp_path / "b")
    expected = embed(whole, pages_of(whole), Counting())
    with pytest.raises(KeyboardInterrupt):
        embed(work, pages_of(work), Counting(breaks_at=2))
    (kept,) = (work.folder / "embeddings").iterdir()
    with kept.open("r+b") as file:
        file.truncate(kept.stat().st_size - 5)  # the last record is torn
    resumed = Counting()
    assert (embed(work, pages_of(work), resumed) == expected).all()
    # The batch whose last vector was lost is made whole again.
    assert [len(batch) for batch in resumed.asked] == [3, 3, 3]


def test_vectors_of_two_encoders_are_kept_apart(tmp_path):
    work = bear_work(tmp_path, pages=1)
    one, other = Counting(), Counting()
    other.identity = lambda: {"encoder": "counting", "version": 2}
    embed(work, pages_of(work), one)
    embed(work, pages_of(work), other)
    assert one.asked == other.asked
    assert len(list((work.folder / "embeddings").iterdir())) == 2
