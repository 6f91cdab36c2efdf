"""What a model reads: prompt and answer as ids, where the pictures stand, and how their positions lie."""

from types import SimpleNamespace

import pytest

from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.inputs import InputMaker
from lvqa_eval.runs.sent_messages import SentMessage
from tests.support.reading_models import GRIDS, SPEECH, talks


def spelled(reader, ids):
    return reader.processor.tokenizer.decode(ids)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_picture_takes_the_positions_of_its_grid(reader, shown, which):
    words = SentMessage("user", "red?", ((None, shown[which]),))
    made = reader.inputs({}).make([words], "red circle")
    rows, columns = GRIDS[which]
    assert made.grids == ((rows, columns),)
    # <|im_start|> user, a line break, <|vision_start|> come before.
    before = spelled(reader, made.tokens["input_ids"][: made.image_places[0]])
    assert before.endswith("user\n<|vision_start|>")
    start = made.image_places[0]
    assert made.image_places == tuple(range(start, start + rows * columns))
    behind = spelled(reader, made.tokens["input_ids"][start + rows * columns : made.prompt])
    assert behind == "<|vision_end|>red?<|im_end|>\n<|im_start|>assistant\n"
    assert spelled(reader, made.tokens["input_ids"][made.prompt :]) == "red circle"
    assert (made.length, made.answer, made.packs) == (made.prompt + made.answer, made.answer, True)


def test_a_conversation_of_several_turns_stands_as_it_was_sent(reader, shown):
    messages, reply = talks(shown)[1]
    made = reader.inputs({}).make(messages, reply)
    assert made.grids == (GRIDS[1], GRIDS[2], GRIDS[0])
    text = spelled(reader, made.tokens["input_ids"])
    for rows, columns in made.grids:
        text = text.replace("<|image_pad|>" * (rows * columns), f"[{rows} x {columns}]", 1)
    picture = "<|vision_start|>[{} x {}]<|vision_end|>"
    assert text == (
        "<|im_start|>system\nYou are asked about pictures.<|im_end|>\n"
        f"<|im_start|>user\nImage 1:{picture.format(*GRIDS[1])}Image 2:{picture.format(*GRIDS[2])}"
        "what is left?"
        "<|im_end|>\n<|im_start|>assistant\nthe blue box<|im_end|>\n"
        "<|im_start|>user\nand now?<|im_end|>\n<|im_start|>assistant\ngreen<|im_end|>\n"
        f"<|im_start|>user\nImage 1:{picture.format(*GRIDS[0])}and here?<|im_end|>\n"
        f"<|im_start|>assistant\n{SPEECH}"
    )


def test_special_tokens_are_no_part_of_an_answer(readers, shown):
    maker = readers("qwen2_5_vl").inputs({})
    messages = talks(shown)[0][0]
    plain = maker.make(messages, "red circle").tokens["input_ids"].tolist()
    spoiled = maker.make(messages, "<|vision_start|>red<|image_pad|> circle<|im_end|>")
    assert spoiled.tokens["input_ids"].tolist() == plain
    assert spoiled.grids == (GRIDS[0],)
    assert maker.make(messages, "<|im_end|>") is None
    assert maker.make(messages, "") is None


def test_prompt_and_answer_are_joined_as_ids_and_never_as_text(readers, shown):
    """A tokenizer may merge the end of the one with the start of the other, which no server generates."""
    maker = readers("qwen2_5_vl").inputs({})
    tokenizer = readers("qwen2_5_vl").processor.tokenizer
    messages = talks(shown)[2][0]
    prompt = maker.prompt_ids(messages)
    made = maker.make(messages, "\n\nred")
    alone = tokenizer("\n\nred", add_special_tokens=False)["input_ids"]
    assert made.tokens["input_ids"].tolist() == [*prompt, *alone]
    assert made.prompt == len(prompt)


def test_what_has_a_value_a_token_grows_with_the_answer(readers, shown):
    made = readers("qwen3_vl").inputs({}).make(*talks(shown)[0])
    assert set(made.tokens) == {"input_ids", "attention_mask", "mm_token_type_ids"}
    assert made.tokens["attention_mask"].tolist() == [1] * made.length
    kinds = made.tokens["mm_token_type_ids"].tolist()
    assert [place for place, kind in enumerate(kinds) if kind] == list(made.image_places)
    assert set(made.pictures) == {"pixel_values", "image_grid_thw"}


def test_a_template_that_opens_thinking_is_told_not_to(readers):
    reader = readers("qwen2_5_vl")
    processor = reader.processor
    opens = "{% if enable_thinking is not defined or enable_thinking %}<think>{% endif %}{{ mood }}"
    template = processor.chat_template.replace("assistant\n{% endif -%}", f"assistant\n{opens}{{% endif -%}}")
    changed = SimpleNamespace(
        chat_template=template,
        tokenizer=processor.tokenizer,
        image_processor=processor.image_processor,
        apply_chat_template=lambda chat, **settings: processor.apply_chat_template(
            chat, chat_template=template, **settings
        ),
    )
    maker = InputMaker(changed, reader.network.config, {"enable_thinking": True, "mood": "!", "moo": "?"})
    assert maker.template_settings == {"enable_thinking": False, "mood": "!"}
    assert reader.inputs({"enable_thinking": True}).template_settings == {}


class Stub(SimpleNamespace):
    """Gives `made` when it is called."""

    def __call__(self, *_, **__):
        return self.made


def other_processor():
    """Return the processor of a model whose pictures are squares of pixels, and come without grids."""
    import torch

    ids = torch.tensor([[5, 9, 9, 9, 6, 9, 9, 7]])
    tokenizer = Stub(
        added_tokens_decoder={}, all_special_ids=[], made={"input_ids": [1, 2]}, chat_template=None
    )
    made = {"input_ids": ids, "pixel_values": torch.zeros(2, 3, 4, 4)}
    return Stub(chat_template="x", tokenizer=tokenizer, apply_chat_template=lambda *_, **__: "", made=made)


def test_a_model_without_grids_has_a_row_for_each_picture():
    config = SimpleNamespace(image_token_index=9)
    made = InputMaker(other_processor(), config, {}).make([SentMessage("user", "red?")], "red")
    assert made.tokens["input_ids"].tolist() == [5, 9, 9, 9, 6, 9, 9, 7, 1, 2]
    assert (made.grids, made.image_places) == (((1, 3), (1, 2)), (1, 2, 3, 5, 6))
    # Pictures of other models are not known to stand in one row, so that nothing else joins the batch.
    assert not made.packs


def test_a_model_that_does_not_say_how_it_takes_pictures_is_refused():
    processor = other_processor()
    with pytest.raises(FeaturesError, match="of other: image_token_id: missing"):
        InputMaker(processor, SimpleNamespace(model_type="other"), {})
    processor.chat_template = None
    with pytest.raises(FeaturesError, match="no chat template"):
        InputMaker(processor, SimpleNamespace(image_token_index=9), {})


def test_positions_and_grids_that_do_not_agree_are_refused(readers, shown):
    maker = readers("qwen2_5_vl").inputs({})
    maker._merge = 1
    with pytest.raises(FeaturesError, match="image positions: found 4, the pictures have 16"):
        maker.make(*talks(shown)[0])
