"""Runs over pages: exactly what is sent, kept, planned, resumed and refused."""

import hashlib
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from PIL import Image

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import BEAR_BENCH, LAYERED_VQA, find_benchmark
from lvqa_eval.dataset_folder import DatasetError
from lvqa_eval.evaluation import evaluate
from lvqa_eval.forecast import forecast
from lvqa_eval.images.rendering import divided
from lvqa_eval.main import main
from lvqa_eval.prompts import load_prompt
from lvqa_eval.runs.pictures import Name, read_pictures
from lvqa_eval.runs.questions import UnknownBenchmarkError
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.settings import Settings
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices
from lvqa_eval.tokens import Patches, PromptTokens, text_tokens
from tests.support.page_folder import SEE_THROUGH, SIZES, page_folder, pixels, png, question
from tests.support.page_talker import CUT, REFUSED, SILENT, THINKING, Talker, picture_of, shown
from tests.support.sources import SmallSource
from tests.support.steady_server import steady_server

FACTORS = {"downsample-1.5": 1.5, "downsample-2": 2, "downsample-3": 3, "downsample-4": 4}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return page_folder(tmp_path_factory.mktemp("data") / "bear-bench")


@pytest.fixture
def talker():
    return Talker()


@pytest.fixture
def url(talker):
    with steady_server(reply=talker) as url:
        yield url


def settings(dataset, url, out, **changes):
    common = {"model": "talker", "dataset": dataset, "benchmark": BEAR_BENCH, "base_urls": (url,), "out": out}
    sampling = BEAR_BENCH.sampling
    return Settings(**common | {"runs": BEAR_BENCH.runs, "sampling": sampling} | changes)


def test_a_page_goes_with_its_raw_question_and_nothing_else(dataset, url, talker, tmp_path):
    outcome = evaluate(settings(dataset, url, tmp_path / "run"), print)
    assert (outcome.planned, outcome.done) == (8, 8)
    assert {condition for condition, _ in talker.bodies} == {"default"}
    for name in SIZES:
        body = talker.bodies["default", name]
        (message,) = body["messages"]
        assert (message["role"], [part["type"] for part in message["content"]]) == (
            "user",
            ["image_url", "text"],
        )
        assert message["content"][1]["text"] == question(name)
        assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.6, 1.0, 16384)
        if name != SEE_THROUGH:
            assert picture_of(body) == png(name)
    assert len({body["seed"] for body in talker.bodies.values()}) == 8


def test_a_page_with_alpha_lies_on_white(dataset, url, talker, tmp_path):
    evaluate(settings(dataset, url, tmp_path / "run"), print)
    drawn = pixels(SEE_THROUGH).astype(int)
    colour, alpha = drawn[..., :3], drawn[..., 3:]
    exact = (colour * alpha + 255 * (255 - alpha)) / 255
    found = shown(picture_of(talker.bodies["default", SEE_THROUGH]))
    assert np.abs(found - exact).max() <= 0.5 + 1e-9


def test_steps_are_asked_for_by_a_system_prompt_alone(dataset, url, talker, tmp_path):
    evaluate(settings(dataset, url, tmp_path / "run", conditions=("default", "cot")), print)
    for name in SIZES:
        plain, steps = talker.bodies["default", name], talker.bodies["cot", name]
        system, *rest = steps["messages"]
        assert system == {"role": "system", "content": load_prompt("page_steps").text}
        assert rest == plain["messages"]
        assert (steps["temperature"], steps["max_tokens"]) == (0.6, 16384)


@pytest.mark.parametrize(
    ("size", "factor", "smaller"),
    [
        ((131, 97), 1.5, (87, 65)),
        ((131, 97), 2, (66, 49)),  # 65.5 and 48.5: halves go up
        ((131, 97), 3, (44, 32)),
        ((131, 97), 4, (33, 24)),
        ((1700, 2200), 1.5, (1133, 1467)),
        ((3, 1), 4, (1, 1)),
        ((7, 5), 1, (7, 5)),
    ],
)
def test_sides_are_divided_to_the_nearest_pixel(size, factor, smaller):
    assert divided(size, factor) == smaller


def test_smaller_pages_have_exactly_the_pixels_of_pillow(dataset, url, talker, tmp_path):
    run = tmp_path / "run"
    evaluate(settings(dataset, url, run, conditions=("default", *FACTORS)), print)
    large = pixels("business-en-1")
    odd = pixels("business-en-2")
    for condition, factor in FACTORS.items():
        body = talker.bodies[condition, "business-en-1"]
        assert len(body["messages"]) == 1
        size = (round(240 / factor), round(180 / factor))
        expected = np.asarray(Image.fromarray(large).resize(size, Image.Resampling.LANCZOS))
        assert np.array_equal(shown(picture_of(body)), expected)
    # Where a processor would refuse so small a page, it is padded with white below, as the run says.
    least = shown(picture_of(talker.bodies["downsample-4", "business-en-2"]))
    expected = np.asarray(Image.fromarray(odd).resize((33, 24), Image.Resampling.LANCZOS))
    assert least.shape == (28, 33, 3)
    assert np.abs(least[:22].astype(int) - expected[:22]).max() <= 1
    assert (least[27] == 255).all()
    told = read_pictures(run)[Name("business-en-2", None, 4)]
    assert (told.width, told.height, told.original_width, told.original_height) == (33, 28, 131, 97)
    assert (told.pad_right, told.pad_bottom, told.factor) == (0, 4, 4.0)
    half = read_pictures(run)[Name("business-en-2", None, 2)]
    assert (half.width, half.height, half.pad_bottom) == (66, 49, 0)


def test_every_picture_is_logged_by_its_hash_and_can_be_saved(dataset, url, talker, tmp_path):
    run = tmp_path / "run"
    evaluate(settings(dataset, url, run, conditions=("default", "cot", "downsample-2")), print)
    logged = read_pictures(run)
    # The page of default and cot is one picture.
    assert set(logged) == {Name(name, None, factor) for name in SIZES for factor in (1.0, 2.0)}
    for condition, factor in (("default", 1.0), ("cot", 1.0), ("downsample-2", 2.0)):
        for name in SIZES:
            sent = picture_of(talker.bodies[condition, name])
            assert logged[Name(name, None, factor)].sha256 == hashlib.sha256(sent).hexdigest()
    out = tmp_path / "png"
    words = ["runs", "show", str(run), "downsample-2", "business-en-1"]
    result = CliRunner().invoke(main, [*words, "--save-images", str(out), "--dataset", dataset])
    assert result.exit_code == 0, result.output
    (saved,) = out.iterdir()
    assert saved.name == "01-turn-01-page.png"
    assert saved.read_bytes() == picture_of(talker.bodies["downsample-2", "business-en-1"])
    digest = hashlib.sha256(saved.read_bytes()).hexdigest()[:16]
    assert f"the page  (120x90, of 240x180; sha256 {digest})" in result.output
    assert "page       1 of business-en; en, business, 10-K" in result.output


def test_everything_that_shapes_the_run_is_recorded(dataset, url, tmp_path):
    chosen = settings(dataset, url, tmp_path / "run", conditions=("default",), split={"language": "ru"})
    evaluate(chosen, print)
    told = yaml.safe_load((tmp_path / "run" / "run.yaml").read_text())
    assert (told["benchmark"], told["conditions"], told["runs"]) == ("bear-bench", ["default"], 1)
    assert (told["split"], told["questions"]) == ({"language": "ru"}, 4)
    assert told["dataset"]["name"] == "bear-bench"
    assert told["sampling"] == {"temperature": 0.6, "top_p": 1.0, "max_tokens": 16384}
    assert told["prompts"] == {"page_steps": load_prompt("page_steps").sha256}
    assert told["images"] == {
        **{"background": "white", "grey": 255, "min_side": 28, "max_ratio": 200, "max_pixels": None},
        "reduction": {"sides": "divided, to the nearest pixel, halves up", "filter": "Lanczos of Pillow"},
    }
    kept = RunStore.open(tmp_path / "run").questions()
    assert list(kept) == ["business-ru-1", "business-ru-2", "science-ru-1", "science-ru-2"]


def test_a_run_takes_the_pages_of_a_language_or_a_domain(dataset):
    def ids(**split):
        plan = settings(dataset, "", None, split=split).plan(BEAR_BENCH.open(dataset))
        return [one.question_id for one in plan.questions()]

    assert ids() == list(SIZES)
    assert ids(domain="science") == [f"science-{language}-{n}" for language in ("en", "ru") for n in (1, 2)]
    assert ids(language="en", domain="science") == ["science-en-1", "science-en-2"]
    with pytest.raises(DatasetError, match="language: found 'de', allowed: en, ru"):
        ids(language="de")
    with pytest.raises(DatasetError, match="colour: found 'red', but bear-bench has no splits by colour"):
        ids(colour="red")
    limited = settings(dataset, "", None, split={"domain": "science"}, limit=3)
    assert len(limited.plan(BEAR_BENCH.open(dataset)).questions()) == 3


def test_a_split_without_questions_is_refused(dataset, tmp_path):
    folder = Path(page_folder(tmp_path / "english"))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["cells"] = {name: count for name, count in manifest["cells"].items() if name.endswith("en")}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DatasetError, match="split: found no question of language ru, domain science"):
        settings(str(folder), "", None, split={"language": "ru", "domain": "science"}).plan(
            BEAR_BENCH.open(str(folder))
        )


def test_pages_are_asked_in_the_order_in_which_they_are_read(dataset):
    plan = settings(dataset, "", None, conditions=("cot", "default"), runs=2).plan(BEAR_BENCH.open(dataset))
    keys = [one.key for one in plan.work()]
    assert keys[:4] == [
        Key(condition, "business-en-1", run) for condition in ("default", "cot") for run in (1, 2)
    ]
    assert list(dict.fromkeys(key.question_id for key in keys)) == list(SIZES)
    assert plan.images_needed() == {"default": 1, "cot": 1}


def test_outcomes_and_thinking_are_kept_apart(dataset, url, tmp_path):
    outcome = evaluate(settings(dataset, url, tmp_path / "run"), print)
    assert outcome.held.statuses == {Status.OK: 5, Status.TRUNCATED: 1, Status.EMPTY: 1, Status.REFUSED: 1}
    held = RunStore.open(tmp_path / "run").conversations()
    found = {key.question_id: one.status for key, one in held.items()}
    assert (found[CUT], found[SILENT], found[REFUSED]) == (Status.TRUNCATED, Status.EMPTY, Status.REFUSED)
    thought = held[Key("default", "business-ru-1", 1)].turns[0]
    assert (thought.thinking, thought.reply) == (THINKING, "102 units")
    assert (thought.composite, thought.question, thought.layers) == (True, True, ())


def test_tokens_of_a_page_follow_its_factor(dataset):
    opened = BEAR_BENCH.open(dataset)
    chosen = settings(dataset, "", None)
    count = PromptTokens.of(BEAR_BENCH, opened.sizes(), chosen.rendering(opened), Patches())
    asked = text_tokens(question("business-en-1")) + 2 * 5

    def of(condition):
        return count.of_turns(opened.rows(condition)[0])

    # 240 x 180 are 9 x 7 squares of 28; 160 x 120 are 6 x 5; 60 x 45 are 3 x 2; each with two marks.
    assert of("default") == [asked + 9 * 7 + 2]
    assert of("downsample-1.5") == [asked + 6 * 5 + 2]
    assert of("downsample-4") == [asked + 3 * 2 + 2]
    steps = text_tokens(load_prompt("page_steps").text) + 5
    assert of("cot") == [asked + 9 * 7 + 2 + steps]


def test_a_context_that_is_too_short_is_refused_by_condition(dataset, talker, tmp_path):
    with (
        steady_server(reply=talker, length=16500) as url,
        pytest.raises(PreflightError, match="takes 16500 tokens, cot needs about"),
    ):
        evaluate(settings(dataset, url, tmp_path / "run", conditions=("default", "cot")), print)
    assert talker.bodies == {}


def test_what_a_run_sends_is_forecast_to_the_byte(dataset, url, talker, tmp_path):
    chosen = settings(dataset, url, tmp_path / "run", conditions=("default", "cot", "downsample-2"))
    opened = chosen.open_dataset()
    found = forecast(chosen, opened, chosen.plan(opened), Model("talker", None, None), tmp_path / "media")
    evaluate(chosen, print)
    for condition, need in found.conditions.items():
        bodies = [body for (of, _), body in talker.bodies.items() if of == condition]
        sent = sum(len(json.dumps(one, separators=(",", ":"), ensure_ascii=False).encode()) for one in bodies)
        assert (need.conversations, need.requests, need.images, len(need.distinct)) == (8, 8, 8, 8)
        assert need.sent_bytes == need.inline_bytes == sent
    assert found.total.images == 24
    assert len(found.total.distinct) == 16


def test_the_question_alone_is_added_to_a_finished_run(dataset, url, talker, tmp_path):
    first = evaluate(settings(dataset, url, tmp_path / "run"), print)
    seen = dict(talker.bodies)
    both = evaluate(settings(dataset, url, tmp_path / "run", baselines=("question-only",)), print)
    assert (first.done, both.done, both.planned) == (8, 16, 16)
    added = {key: body for key, body in talker.bodies.items() if key not in seen}
    assert {condition for condition, _ in added} == {"question-only"}
    system, asked = added["question-only", "business-en-1"]["messages"]
    assert system["content"] == load_prompt("question_only").text
    assert asked == {"role": "user", "content": question("business-en-1")}


def test_a_run_goes_on_where_it_stopped(dataset, url, talker, tmp_path):
    dear = Prices(10_000.0, 0.0)  # a conversation of 100 tokens costs 1
    stopped = evaluate(
        settings(dataset, url, tmp_path / "run", in_flight=1, prices=dear, max_cost=2.5), print
    )
    assert (stopped.over_budget, stopped.done) == (True, 3)
    before = set(talker.bodies)
    outcome = evaluate(settings(dataset, url, tmp_path / "run"), print)
    assert outcome.done == 8
    assert (len(before), len(talker.bodies)) == (3, 8)
    assert sum(outcome.held.statuses.values()) == 5


def test_the_data_of_another_benchmark_are_refused(dataset, tmp_path):
    layered = str(build(SmallSource(scenes=1), tmp_path / "set", "1.0.0", ConditionOptions()).folder)
    with pytest.raises(DatasetError) as caught:
        BEAR_BENCH.open(layered)
    assert str(caught.value) == (
        f"{layered}: manifest.json: dataset: found 'layered-vqa', needed 'bear-bench'; "
        "--benchmark layered-vqa runs it"
    )
    with pytest.raises(DatasetError, match="found 'bear-bench', needed 'layered-vqa'"):
        LAYERED_VQA.open(dataset)


def test_benchmarks_are_found_by_name():
    assert find_benchmark("bear") is find_benchmark("bear-bench") is BEAR_BENCH
    assert find_benchmark("layered-vqa") is LAYERED_VQA
    with pytest.raises(UnknownBenchmarkError, match="found 'bare', allowed: layered-vqa, bear-bench"):
        find_benchmark("bare")


def test_what_no_page_has_is_refused(dataset):
    opened = BEAR_BENCH.open(dataset)
    with pytest.raises(DatasetError, match="user: found 'llm', allowed on bear-bench: scripted"):
        settings(dataset, "", None, user="llm").plan(opened)
    with pytest.raises(
        DatasetError, match=r"conditions: found 'full', allowed: default, cot, downsample-1\.5"
    ):
        settings(dataset, "", None, conditions=("full",)).plan(opened)
    layered = replace(settings(dataset, "", None), benchmark=LAYERED_VQA, split={"language": "ru"})
    with pytest.raises(DatasetError, match="but layered-vqa has no splits by language"):
        layered.plan(LAYERED_VQA.dataset(Path("x"), {"conditions": ["full"]}, "", None))


def test_settings_travel_to_other_machines(dataset):
    chosen = settings(dataset, "", None)
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    (row, *_) = BEAR_BENCH.open(dataset).rows("cot")
    assert pickle.loads(pickle.dumps(row)) == row


def test_a_broken_picture_is_named_by_file_and_page(url, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    folder = Path(page_folder(tmp_path / "broken"))
    path = folder / "business-en.parquet"
    table = parquet.read_table(path)
    broken = [{"bytes": png("business-en-1")[:200], "path": "x.png"}, table["image"][1].as_py()]
    parquet.write_table(table.set_column(1, "image", pa.array(broken)), path)
    with pytest.raises(Exception, match=r"business-en.parquet/business-en-1: broken PNG file"):
        evaluate(settings(str(folder), url, tmp_path / "run"), print)
