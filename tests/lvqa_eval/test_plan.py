import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import DatasetError, Turn, open_dataset
from lvqa_eval.images import Rendering
from lvqa_eval.plan import Plan, make_plan
from lvqa_eval.prompts import Prompt
from lvqa_eval.serving.preflight import Requirements, too_long
from lvqa_eval.tokens import Patches, PromptTokens, text_tokens
from tests.support.sources import SmallSource


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=3), folder, "1.0.0", ConditionOptions()).folder))


def test_a_plan_holds_every_conversation_once_ordered_by_scene(dataset):
    plan = make_plan(LAYERED_VQA, dataset, None, runs=3)
    work = list(plan.work())
    assert plan.size == len(work) == len({one.key for one in work}) == 16 * 3 * 3
    scenes = [one.row.scene_id for one in work]
    assert scenes == sorted(scenes)
    assert [one.key for one in work[:4]] == [
        ("full", "q1", 1),
        ("full", "q1", 2),
        ("full", "q1", 3),
        ("concat-q", "q1", 1),
    ]


def test_the_benchmark_names_the_conditions_that_the_builder_writes():
    assert list(LAYERED_VQA.conditions) == [n for n in CONDITIONS.names() if n not in CONDITIONS.added()]


def test_conditions_keep_the_order_of_the_benchmark_and_limit_takes_the_first_questions(dataset):
    plan = make_plan(LAYERED_VQA, dataset, ["oracle", "full"], runs=1, limit=2)
    assert plan.conditions == ["full", "oracle"]
    assert [one.question_id for one in plan.questions()] == ["q1", "q2"]
    assert plan.questions()[0].dependencies == ((2, 1),)


def test_unknown_conditions_are_all_told(dataset):
    with pytest.raises(DatasetError) as caught:
        make_plan(LAYERED_VQA, dataset, ["ful", "oracle", "v"], runs=1)
    assert [line[:24] for line in caught.value.problems] == [
        "conditions: found 'ful',",
        "conditions: found 'v', a",
    ]
    with pytest.raises(DatasetError, match="conditions: found none, allowed: full, "):
        make_plan(LAYERED_VQA, dataset, [], runs=1)


def test_what_prompts_need_by_hand(dataset):
    plan = make_plan(LAYERED_VQA, dataset, None, runs=1)
    needed = plan.images_needed()
    assert (needed["full"], needed["concat-v"], needed["snowball-v"], needed["recap-v"]) == (1, 5, 15, 6)
    assert (needed["all-layers"], needed["oracle"], needed["sharded-q"]) == (6, 2, 1)


def count(dataset, max_pixels=None):
    rendering = Rendering(max_pixels=max_pixels)
    return PromptTokens.of(LAYERED_VQA, dataset.sizes(), rendering, Patches())


def test_what_the_longest_prompt_takes_by_hand(dataset):
    plan = make_plan(LAYERED_VQA, dataset, None, runs=1)
    needed = plan.tokens_needed(count(dataset), max_tokens=100)
    prompts = LAYERED_VQA.prompts()
    # 40 x 32 pixels are 2 x 2 squares of 28, with two marks; a message has 5 tokens around its words.
    picture = 4 + 2 + max(text_tokens(prompts[name].text) for name in LAYERED_VQA.labels)
    opening = text_tokens(prompts["multi_turn"].text) + 5
    asked = text_tokens("What colour is the circle left of the square?")
    announced = 4 * text_tokens("Here is layer 1 of the scene.")
    assert needed["sharded-v"] == opening + asked + announced + 5 * (picture + 5 + 5) + 4 * 100
    single = text_tokens(prompts["single_turn"].text) + 5
    assert needed["full"] == single + asked + picture + 5 + 5


def test_pictures_count_in_the_prompt_as_they_are_sent(dataset):
    """Three pictures of 1300 tokens and 500 of text: 4400 do not go into a context of 4096."""
    sent = Turn(text="where?", question=True, shards=(), layers=(0, 1, 2), composite=False)
    row = dataset.rows("oracle")[0].model_copy(update={"turns": (sent,)})
    plan = Plan({"oracle": [row]}, runs=1)
    label = Prompt("label", "abc", "")
    # The marks around three messages, three labels and the two tokens of the question make it 500.
    contract = Prompt("single_turn", "x" * 3 * (500 - 3 * 5 - 3 - 2), "")
    prompts = {"single_turn": contract, "layer_label": label, "composite_label": label}

    def needed(width, height):
        counted = PromptTokens(LAYERED_VQA, prompts, {(row.scene_id, 1.0): Patches().tokens(width, height)})
        return plan.tokens_needed(counted, max_tokens=64)["oracle"]

    # 22 x 59 squares of 28 pixels and two marks.
    assert needed(616, 1652) == 500 + 3 * 1300 == 4400
    assert too_long(Requirements("oracle", 3, 4400), 64, 4096) == (
        "context: the server takes 4096 tokens, oracle needs about 4464 (4400 and a reply of 64): "
        "start it with --max-model-len 4464 (--context 4464 where `vllm serve` is started for you), "
        "make its pictures smaller (--max-pixels), or leave the condition out"
    )
    smaller = Rendering(max_pixels=500_000).fit(616, 1652).sent
    assert smaller == (431, 1157)
    assert needed(*smaller) == 500 + 3 * (16 * 42 + 2)
    assert too_long(Requirements("oracle", 3, needed(*smaller)), 64, 4096) is None


@pytest.mark.parametrize(
    ("condition", "contract"),
    [
        ("full", "single_turn"),
        ("sharded-v", "multi_turn"),
        ("all-layers", "grounding"),
        ("oracle", "single_turn"),
    ],
)
def test_contracts(dataset, condition, contract):
    assert LAYERED_VQA.contract(dataset.rows(condition)[0]) == contract
