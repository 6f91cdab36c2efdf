import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import Row, Turn
from lvqa_eval.tokens import Patches, PromptTokens, text_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("red", 1), ("a red circle", 4), ("красный", 5), ("红色的圆", 4)],
)
def test_text_takes_a_token_for_three_bytes(text, tokens):
    assert text_tokens(text) == tokens


def test_without_a_processor_every_square_of_28_pixels_counts():
    assert Patches.of(None) == Patches.of({"patch_size": 14}) == Patches(28)
    # 2 x 2 squares are touched, and there are two marks.
    assert Patches().tokens(40, 32) == 2 * 2 + 2
    assert Patches().tokens(28, 28) == 1 + 2
    assert Patches().tokens(640, 480) == 23 * 18 + 2


QWEN3 = {"patch_size": 16, "merge_size": 2, "size": {"shortest_edge": 65_536, "longest_edge": 16_777_216}}


def test_a_processor_names_its_squares_and_limits():
    assert Patches.of(QWEN3) == Patches(32, (65_536, 16_777_216))
    older = {"patch_size": 14, "merge_size": 2, "min_pixels": 3136, "max_pixels": 12_845_056}
    assert Patches.of(older) == Patches(28, (3136, 12_845_056))


def test_a_processor_scales_pictures_to_whole_squares_within_its_limits():
    qwen = Patches.of(QWEN3)
    assert qwen.tokens(640, 480) == 20 * 15 + 2
    # 64 x 32 is scaled up: sqrt(65536 / 2048) times 2 x 1 squares are 11.3 x 5.7, rounded up.
    assert qwen.tokens(64, 32) == 12 * 6 + 2
    # 8192 x 4096 is scaled down by sqrt(2): 256 x 128 squares become 181.02 x 90.5, rounded down.
    assert qwen.tokens(8192, 4096) == 181 * 90 + 2


@given(st.integers(28, 4000), st.integers(28, 4000))
def test_a_picture_never_takes_more_than_the_limit(width, height):
    if max(width, height) / min(width, height) > 50:
        return
    small = Patches(28, (784, 100 * 784))
    assert 1 + 2 <= small.tokens(width, height) <= 100 + 2


def row(condition, *turns):
    return Row(
        question_id="q",
        scene_id="s",
        composite_file_name="composite.png",
        layers_file_names=("layer-0.png", "layer-1.png"),
        question="?",
        answer="red",
        answer_description=None,
        category="spatial",
        gold_layers=(1,),
        minimal_sets=((1,),),
        dependencies=(),
        shards=(),
        distractors=(0,),
        condition=condition,
        turns=turns,
        misalignment=None,
        conflicts=None,
        canary="",
    )


def turn(text, *layers, composite=False):
    return Turn(text=text, question=True, shards=(), layers=layers, composite=composite)


def test_the_prompt_of_each_turn_by_hand():
    prompts = LAYERED_VQA.prompts()
    count = PromptTokens(LAYERED_VQA, prompts, {("s", 1.0): 100})
    label = max(text_tokens(prompts[name].text) for name in LAYERED_VQA.labels)
    opening = text_tokens(prompts["multi_turn"].text) + 5
    two = row("sharded-v", turn("what is it?", 0), turn("more", 1, composite=True))
    # 11 bytes are 4 tokens, 4 bytes are 2; around a message and its reply stand 5 each.
    first = opening + 4 + 100 + label + 10
    assert count.of_turns(two) == [first, first + 2 + 2 * (100 + label) + 10]
    blind = row("question-only", turn("what is it?"))
    assert count.of_turns(blind) == [text_tokens(prompts["question-only"].text) + 5 + 4 + 10]
