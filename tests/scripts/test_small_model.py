import base64
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from dataset_builders.layered_vqa.validate import example_of
from lvqa_eval.baselines import baseline_rows
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import PictureStore
from lvqa_eval.serving.request import DIRECT, whole
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import Status

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")
pytest.importorskip("transformers")

from scripts.small_model import evaluate  # noqa: E402
from scripts.small_model.curriculum import CHECK_STAGES, KINDS, STAGES, draw_task  # noqa: E402
from scripts.small_model.curve import curve  # noqa: E402
from scripts.small_model.evaluate import ExamScene, exam, hold, replies_to, shares  # noqa: E402
from scripts.small_model.export import export, processor, rounded, to_transformers  # noqa: E402
from scripts.small_model.packing import batch, pack, strand  # noqa: E402
from scripts.small_model.prompts import MORE_LAYERS, MORE_WORDS, conversation  # noqa: E402
from scripts.small_model.questions import Question, question_of  # noqa: E402
from scripts.small_model.shape import Shape  # noqa: E402
from scripts.small_model.targets import GROUPS, cell_targets  # noqa: E402
from scripts.small_model.tokens import SPECIAL, Tokens, make_tokenizer, sentences  # noqa: E402
from scripts.small_model.trainee import Settings, new_trainee, rate_at  # noqa: E402
from scripts.small_model.training import Course, Place, follow  # noqa: E402
from scripts.small_model.worlds import HELD_OUT, Scenes, Store, as_seen, draw_training_world  # noqa: E402

ALONE = Place(0, 1)
CHECKPOINTS = Path(evaluate.__file__).parent / "checkpoints"


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tokens():
    return Tokens(make_tokenizer())


@pytest.fixture(scope="module")
def shape(tokens):
    return Shape(
        vocabulary=tokens.size,
        side=80,
        vision_width=32,
        vision_layers=2,
        vision_heads=1,
        vision_inner=32,
        deepstack=(0,),
        width=32,
        layers=5,
        heads=1,
        inner=48,
    )


@pytest.fixture(scope="module")
def sees(shape, tokens):
    return processor(shape, tokens)


@pytest.fixture(scope="module")
def scenes(shape, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("scenes"), shape.side, shape.grid, parts=1, size=16)
    assert list(store.draw(1)) == [0]
    assert list(store.draw(1)) == []
    return Scenes(store)


@pytest.fixture(scope="module")
def trainee(shape, tokens):
    trainee = new_trainee(shape, tokens, Settings(10))
    with torch.no_grad():
        # Random weights hardly tell one token from another.
        trainee.model.lm_head.weight.mul_(20)
    return trainee


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    source = ProceduralSource(scenes=2, seed=11, min_depth=4, max_depth=5)
    return open_dataset(str(build(source, folder, "1.0.0", ConditionOptions()).folder))


def bare(example):
    return Question("", example, (), (0,) * len(example.shards), -1)


class Scripted:
    """Gives the replies of a conversation and keeps the messages of its last request."""

    def __init__(self, replies):
        self._replies = list(replies)

    async def complete(self, messages, *, seed, route=DIRECT):
        self.messages = [json.loads(whole(message)) for message in messages]
        return Reply(Status.OK, self._replies.pop(0))


def rows_of(dataset):
    for condition in LAYERED_VQA.conditions:
        yield dataset.rows(condition)[0]
    yield baseline_rows(dataset, "question-only", "full")[1]


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back_from_its_tokens(tokens, text):
    ids, ends = tokens.read(text)
    if not any(special in text for special in SPECIAL):
        assert tokens.tokenizer.decode(ids) == text
    assert list(ends) == sorted(ends)


def test_the_sentences_of_system_prompts_are_one_token_each(tokens):
    for name in (*LAYERED_VQA.contracts, "question-only"):
        text = LAYERED_VQA.prompts()[name].text
        assert "".join(sentences(text)) == text
        assert [tokens.tokenizer.decode([one]) for one in tokens.read(text)[0]] == sentences(text)


def test_words_of_questions_are_one_token_each(tokens):
    text = "In which direction does the striped purple hexagon lie from the only object shown?"
    assert len(tokens.read(text)[0]) == len(text.split()) + 1
    assert [len(tokens.read(word)[0]) for word in ("hexagon", "12", "checked")] == [1, 1, 1]


async def test_trained_tokens_are_those_of_what_a_run_sends(dataset, tokens, shape, sees):
    runs = Setting(LAYERED_VQA, dataset, PictureStore(), ScriptedUser(), LAYERED_VQA.prompts(), seed=1)
    for row in rows_of(dataset):
        talk = conversation(bare(example_of(row)), row.condition)
        assistant = Scripted(one.reply for one in talk.exchanges)
        await runs.converse(row, 1, assistant)
        pictures = [picture(part) for one in assistant.messages for part in parts(one) if "image_url" in part]
        text = sees.apply_chat_template(assistant.messages, tokenize=False, add_generation_prompt=True)
        read = sees(text=[text], images=pictures or None)
        made = strand(talk, tokens, shape.grid)
        reply = len(tokens.read(talk.exchanges[-1].reply)[0]) + 1
        assert read["input_ids"][0] == made.ids[:-reply].tolist()
        assert tokens.tokenizer.decode(made.ids[made.weights > 0][-reply:-1]) == talk.exchanges[-1].reply


def parts(message):
    return message["content"] if isinstance(message["content"], list) else []


def picture(part):
    data = part["image_url"]["url"].partition(",")[2]
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_pictures_are_seen_as_the_processor_gives_them(dataset, tokens, shape, sees):
    layers = [np.asarray(Image.open(dataset.picture(f"scenes/proc-s11-0000/layer-{i}.png"))) for i in (0, 2)]
    for layer in layers:
        from lvqa_eval.images import Rendering

        values = sees.image_processor(Image.fromarray(Rendering().render(layer)), return_tensors="pt")[
            "pixel_values"
        ]
        model = new_trainee(shape, tokens, Settings(1)).model
        patches = model.model.visual._patches(torch.from_numpy(as_seen(layer, shape.side))[None])[0]
        frames = values.view(len(values), 3, 2, -1)
        assert torch.equal(frames[:, :, 0], frames[:, :, 1])
        assert (frames[:, :, 0].reshape(len(values), -1) - patches).abs().max() < 1e-6


def test_right_replies_ask_for_what_is_missing():
    world = draw_training_world(3, objects=3)
    from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate

    pieces = (("I need the colour of an object in this picture.", ()), ("The object is large.", (1, 3)))
    pieces += (("The object is a star.", (1, 3)),)
    candidate = Candidate("bound", "spatial", "colour", "What colour is it?", "red", ((1, 3),), pieces)
    question = question_of(world, candidate, "q")
    replies = {name: [one.reply for one in conversation(question, name).exchanges] for name in WANTED}
    assert replies == WANTED


WANTED = {
    "full": ["red"],
    "oracle": ["red"],
    "sharded-q": [MORE_WORDS, MORE_WORDS, "red"],
    "sharded-v": [MORE_LAYERS, MORE_LAYERS, MORE_LAYERS, "red"],
    "evidence-first": [MORE_WORDS, MORE_WORDS, MORE_WORDS, "red"],
    "all-layers": ["Answer: red\nLayers: 1, 3\nConfidence: 85\nWhy: These layers show it."],
}


def test_phrases_are_bound_to_the_only_object_that_they_fit():
    world = draw_training_world(0, objects=4)
    looks = [one.look for one in world.objects]
    from scripts.small_model.questions import _mentions, _told

    for layer, look in enumerate(looks, start=1):
        named = f"the {look.size} {look.texture} {look.colour} {look.shape}"
        text = f"Where does {named} lie, with all the {look.colour} objects?"
        assert _mentions(world, text) == [(text.index(named) + len(named), layer)]
        pieces = [f"It is {look.texture}.", f"It is {look.colour}.", f"It is a {look.shape}.", "It counts."]
        told = _told(world, pieces)
        assert told[2] == layer
        assert told[3] == 0


def test_no_training_scene_holds_a_pair_that_is_held_out():
    found = {(one.look.colour, one.look.shape) for i in range(40) for one in draw_training_world(i).objects}
    assert len(found) > 50
    assert not found & HELD_OUT


def test_cells_tell_whose_they_are(scenes, shape):
    scene = scenes.scene(0)
    facts = scene.facts
    targets = cell_targets([(scene, None), (scene, 0), (scene, 1)], shape.grid).classes
    colours = targets[..., list(GROUPS).index("colour")]
    owners = np.array(facts["cells"])
    assert set(owners) <= {0, *range(1, scene.depth)}
    assert len(set(owners)) >= 3
    for layer, one in enumerate(facts["objects"], start=1):
        told = colours[0][torch.from_numpy(owners == layer)]
        assert len(set(told.tolist())) <= 1
        x, y = one["visible"]
        cell = int(y * shape.grid) * shape.grid + int(x * shape.grid)
        assert targets[0, cell, list(GROUPS).index("centres")] >= 1
    assert targets[0, :, list(GROUPS).index("centres")].sum() == scene.depth - 1
    assert colours[1].sum() == 0
    assert sorted(np.flatnonzero(colours[2]).tolist()) == facts["alone"][0]


def test_stored_pictures_are_those_that_the_project_sends(scenes, shape):
    scene = scenes.scene(2)
    world = draw_training_world(2)
    assert np.array_equal(scene.picture(None), as_seen(world.scene("x").composite(), shape.side))
    for layer in range(world.depth):
        assert np.array_equal(scene.picture(layer), as_seen(world.layers[layer], shape.side))


def states(model, rows, look):
    whole_batch = batch(rows, look)
    with torch.no_grad():
        seen = model.look(whole_batch.pictures)
        read = model.read(whole_batch.ids, whole_batch.positions, whole_batch.layout, seen, whole_batch.shown)
    return whole_batch, read[-1][whole_batch.before]


def test_packed_questions_are_read_as_if_each_stood_alone(scenes, tokens, shape, trainee):
    scene = next(one for one in map(scenes.scene, range(16)) if one.depth >= 4)
    names = ["full", "concat-q", "full", "shuffled-concat", "sharded-v", "concat-v"]
    talks = [conversation(scene.question(i), name) for i, name in enumerate(names)]
    strands = [strand(talk, tokens, shape.grid) for talk in talks]
    apart = [
        states(trainee.model, [pack([one])], lambda _, layer: scene.picture(layer))[1] for one in strands
    ]
    rows = [pack(strands[:4]), pack(strands[4:5]), pack(strands[5:])]
    packed, together = states(trainee.model, rows, lambda _, layer: scene.picture(layer))
    assert rows[0].shared > shape.tokens
    assert [id(one) for one in packed.strands] == [id(strands[i]) for i in (4, 5, 0, 1, 2, 3)]
    for one, read in zip(packed.strands, together.split(list(packed.counts)), strict=True):
        alone = apart[[id(other) for other in strands].index(id(one))]
        assert torch.allclose(read, alone, atol=2e-5)
    assert len(packed.keys) == 1 + 2 * scene.depth


def losses(folder, scenes, tokens, shape, steps, **changes):
    course = Course(folder, Settings(6, processes=1, stages=CHECK_STAGES, **changes), shape, keep_every=2)
    folder.mkdir(exist_ok=True)
    found = []
    for loss in follow(course, scenes, tokens, ALONE):
        found.append(loss.figures["loss"])
        if len(found) == steps:
            break
    return found


def test_the_same_seed_gives_the_same_losses_also_after_a_stop(scenes, tokens, shape, tmp_path):
    straight = losses(tmp_path / "straight", scenes, tokens, shape, 6)
    stopped = losses(tmp_path / "stopped", scenes, tokens, shape, 4)
    assert stopped + losses(tmp_path / "stopped", scenes, tokens, shape, 6) == straight
    assert losses(tmp_path / "other", scenes, tokens, shape, 1, seed=1) != straight[:1]
    assert (tmp_path / "straight" / "weights-6.pt").exists()


def test_rates_rise_stay_and_fall():
    plan = Settings(1000, warm=10, fall=0.5)
    assert rate_at(0, plan) == pytest.approx(0.1)
    assert rate_at(300, plan) == 1
    assert rate_at(750, plan) == pytest.approx(0.5)
    assert rate_at(999, plan) == pytest.approx(0.01)


def test_every_kind_of_step_can_be_drawn(scenes, tokens, shape):
    from random import Random

    for name, kind in KINDS.items():
        few = replace(kind, scenes=2)
        task = draw_task(few, STAGES[-1], scenes, tokens, shape.grid, Random(name))
        assert len(task.batch.strands) <= 2 * few.questions
        assert (task.batch.weights > 0).all()
        assert len(task.batch.pictures) == len(task.batch.keys)


def exam_scene(dataset, condition, shape):
    row = dataset.rows(condition)[0]
    layers = [np.asarray(Image.open(dataset.picture(name))) for name in row.layers_file_names]
    composite = np.asarray(Image.open(dataset.picture(row.composite_file_name)))
    pictures = {None: as_seen(composite, shape.side)}
    pictures |= {index: as_seen(layer, shape.side) for index, layer in enumerate(layers)}
    return row, ExamScene((), pictures, False)


@pytest.mark.parametrize("condition", ["full", "sharded-q", "evidence-first"])
def test_the_exported_model_says_the_same(dataset, tokens, shape, sees, trainee, condition):
    row, scene = exam_scene(dataset, condition, shape)
    talk = conversation(bare(example_of(row)), condition)
    made = strand(talk, tokens, shape.grid)
    whole_batch, read = states(trainee.model, [pack([made])], lambda _, layer: scene.pictures[layer])
    messages = [talk.system]
    for one in talk.exchanges:
        messages += [one.message, {"role": "assistant", "content": one.reply}]
    from lvqa_eval.images import Rendering

    shown = [layer for one in talk.exchanges for layer in one.layers]
    files = [row.composite_file_name if layer is None else row.layers_file_names[layer] for layer in shown]
    sent = [Rendering().render(np.asarray(Image.open(dataset.picture(name)))) for name in files]
    text = sees.apply_chat_template(messages, tokenize=False)
    given_to = sees(text=[text], images=[Image.fromarray(one) for one in sent], return_tensors="pt")
    grown = to_transformers(trainee.model, tokens)
    with torch.no_grad():
        theirs = grown(**given_to).logits[0][whole_batch.before]
        ours = trainee.model.lm_head(read)
    assert torch.allclose(ours, theirs, atol=1e-3)


def test_an_exported_folder_is_loaded_as_it_was(tokens, shape, trainee, tmp_path):
    from transformers import AutoModelForImageTextToText, AutoProcessor

    holes = ("parameters", "side", "tokens", "steps", "seed", "held_out", "figures", "curve")
    told = dict.fromkeys(holes, "")
    export(trainee.model, tokens, tmp_path / "model", told)
    assert (tmp_path / "model" / "model.safetensors").stat().st_mode & 0o044
    loaded = AutoModelForImageTextToText.from_pretrained(tmp_path / "model")
    assert loaded.dtype == torch.float32
    kept = rounded(trainee.model.state_dict())
    for name, weight in loaded.state_dict().items():
        if "patch_embed.proj.weight" not in name:
            assert torch.equal(weight, kept[name])
    text = "What colour is the star?"
    read = AutoProcessor.from_pretrained(tmp_path / "model").tokenizer(text)["input_ids"]
    assert tuple(read) == tokens.read(text)[0]
    assert "does not show" in (tmp_path / "model" / "README.md").read_text()


def test_guessed_replies_are_mended_into_the_most_likely_ones(dataset, tokens, shape, trainee, monkeypatch):
    monkeypatch.setattr(evaluate, "LONGEST_REPLY", 8)
    row, scene = exam_scene(dataset, "recap-q", shape)
    talk = conversation(bare(example_of(row)), "recap-q")
    told = replies_to(trainee.model, tokens, [(scene, talk)])[0]
    assert told != [list(tokens.read(one.reply)[0]) for one in talk.exchanges]
    # Token by token, the reply before it being final.
    _, read = states(
        trainee.model,
        [pack([strand(talk, tokens, shape.grid, told)])],
        lambda _, layer: scene.pictures[layer],
    )
    best = trainee.model.lm_head(read).argmax(-1).tolist()
    end = tokens.ids["<|im_end|>"]
    for reply in told:
        due = [*reply, end]
        assert best[: len(due)][:8] == due[:8]
        best = best[len(due) :]


def test_no_reply_holds_the_token_of_a_picture(dataset, tokens, shape, trainee, monkeypatch):
    monkeypatch.setattr(evaluate, "LONGEST_REPLY", 4)
    row, scene = exam_scene(dataset, "full", shape)
    talk = conversation(bare(example_of(row)), "full")
    (first, *_), *_ = replies_to(trainee.model, tokens, [(scene, talk)])[0]
    likely = trainee.model.lm_head.weight.detach().clone()
    likely[tokens.ids["<|image_pad|>"]] = 2 * likely[first]
    monkeypatch.setattr(trainee.model.lm_head, "weight", torch.nn.Parameter(likely))
    (reply,) = replies_to(trainee.model, tokens, [(scene, talk)])[0]
    assert reply
    assert tokens.ids["<|image_pad|>"] not in reply


def test_the_card_has_the_curve_of_the_training_that_was_kept(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"step": 100, "loss": 2.5}\n'
        '{"step": 500, "examined": {"full": 0.1, "full: spatial": 0.0}}\n'
        '{"step": 500, "examined": {"full": 0.254, "full: spatial": 0.125, "recap-q": 0.9}}\n'
        '{"step": 1000, "examined": {"full": 0.5, "full: spatial": 0.4}}\n'
        '{"step": 1500, "examined": {"full": 0.6, "full: spatial": 0.5}}\n'
    )
    assert curve(log, 1000).splitlines() == [
        "| step | all | spatial |",
        "| ---: | ---: | ---: |",
        "| 500 | 25 | 12 |",
        "| 1,000 | 50 | 40 |",
    ]


@pytest.mark.parametrize("name", ["small-vlm", "small-vlm-early"])
def test_the_kept_models_see_scenes_that_no_training_drew(tokens, name):
    from transformers import AutoModelForImageTextToText

    shape = Shape(vocabulary=tokens.size)
    kept = AutoModelForImageTextToText.from_pretrained(CHECKPOINTS / name).state_dict()
    patches = kept["model.visual.patch_embed.proj.weight"]
    kept["model.visual.patch_embed.proj.weight"] = patches.sum(2).flatten(1)
    model = new_trainee(shape, tokens, Settings(1)).model
    model.load_state_dict(kept)
    assert shares(list(hold(model, tokens, exam(8, shape.side), ["full"])))["full"] >= 0.5


def test_the_kept_models_are_small():
    files = [path for path in CHECKPOINTS.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} == {"small-vlm", "small-vlm-early"}
    assert sum(path.stat().st_size for path in files) < 20_000_000
    cards = [path.read_text() for path in files if path.name == "README.md"]
    assert ["What it does not show" in card and "| 1,000 |" in card for card in cards] == [True, True]
