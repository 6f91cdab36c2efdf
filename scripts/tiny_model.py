"""Write a tiny vision-language model with random weights, for demos and tests on any machine.

    python scripts/tiny_model.py OUT [--arch qwen3_vl]

It has the shape of Qwen2.5-VL or of Qwen3-VL, so that real servers load it, and about two megabytes. Its
answers are noise: words drawn at random, which depend on the pictures but mean nothing. It ends its turn
after a few words, as a model does, and never begins with the end. The same seed gives the same files.
"""

import argparse
import random
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
    Qwen2VLImageProcessor,
    Qwen2VLVideoProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)
from transformers.utils.logging import disable_progress_bar

CONTEXT = 32_768
HIDDEN = 64
HEAD = 32  # the smallest head that vLLM's attention takes on a CPU
PATCH = {"qwen2_5_vl": 14, "qwen3_vl": 16}
"""The shapes that there are, with the side of a patch in pixels; a token stands for two by two patches."""
IMAGE_TOKENS = 16
WEIGHT_SCALE = 0.1  # at the usual 0.02 every next word is as likely, whatever the picture

Model = Qwen2_5_VLForConditionalGeneration | Qwen3VLForConditionalGeneration

PAD, END = "<|endoftext|>", "<|im_end|>"
SPECIAL = [PAD, "<|im_start|>", END, "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]

# Pictures stay where the message has them; content may be plain text or parts.
CHAT_TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message['role'] }}
{% if message['content'] is string -%}
{{ message['content'] }}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] in ('image', 'image_url') -%}
<|vision_start|><|image_pad|><|vision_end|>
{%- elif 'text' in part -%}
{{ part['text'] }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}"""

# Words that prompts about pictures are made of: each becomes one token, so that prompts stay short.
WORDS = """
a about above after again all also an and answer answers any are as ask asked assistant at away back
background be before behind below between big black blue boat both bottom box brown but by call camera can
cannot canvas car cat centre chair choose circle clarifying clear colour combined come comes complete
components composite conversation correct count cup cut decide declare describe description does dog door
each either end enough every evidence exactly extra false far few final find first five floor follow
following for four from front full give given gives grass green grey hand has have head how if image images
in information into is it its judge just key kind know large last later layer layers left less letter line
lines list look many match matches may meaning member message more most name needed never new next no none
not nothing number object objects of off on once one only open or orange order other out over page part
parts person phrase picture pictures piece pink place plate please point previous purple question read
reasoning red reference relation remaining repeat reply right room same scene second see seen separate
several shape short shown shows sign single six size sky small so some something split square still system
table take tell text than that the their them then there these they thing think this three time to together
top total transparent tree triangle true turn turns two under until upon user using very wait wall want was
water way we were what when where whether which white who whole why will window with without word words
wrong yellow yes yet you your
"""
# What a reply is made of.
SPOKEN = """
yes no red blue green black white yellow brown pink orange purple grey circle square triangle box car cat
dog door cup chair tree person plate table water wall sign boat one two three four five six left right top
bottom
"""


def main() -> None:
    """Write the model to the folder named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder to write; made if missing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arch", choices=list(PATCH), default="qwen2_5_vl")
    arguments = parser.parse_args()
    write(arguments.out, arguments.seed, arguments.arch)


def write(out: Path, seed: int, arch: str = "qwen2_5_vl") -> None:
    """Write weights, tokenizer and processor to a folder."""
    disable_progress_bar()
    tokenizer = make_tokenizer()
    model = make_model(tokenizer, seed, arch)
    model.save_pretrained(out)
    make_processor(tokenizer, arch).save_pretrained(out)


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Train a byte-level tokenizer on sentences of WORDS; any other text falls into pieces and bytes."""
    words = WORDS.split()
    draw = random.Random(0)
    sentences = [" ".join(draw.choices(words, k=12)) for _ in range(4000)]
    sentences += [f"{word.capitalize()} {word}: {word}, {word}.\n" for word in words for _ in range(20)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2048,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[token for token in SPECIAL if token not in (END, PAD)],
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def make_model(tokenizer: PreTrainedTokenizerFast, seed: int, arch: str) -> Model:
    """Draw the weights, then give every token a standing chance by two coordinates that no layer touches."""
    torch.manual_seed(seed)
    config = make_config(tokenizer, arch)
    kind = Qwen2_5_VLForConditionalGeneration if arch == "qwen2_5_vl" else Qwen3VLForConditionalGeneration
    model = kind(config).to(torch.float32).eval()
    set_chances(model, tokenizer)
    ids = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    model.generation_config = GenerationConfig(**ids)
    return model


def make_config(tokenizer: PreTrainedTokenizerFast, arch: str) -> Qwen2_5_VLConfig | Qwen3VLConfig:
    """Return the shape: two layers of text, two of vision."""
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in SPECIAL}
    text = {
        "vocab_size": -(-len(tokenizer) // 64) * 64,
        "hidden_size": HIDDEN,
        "intermediate_size": 2 * HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": HIDDEN // HEAD,
        "num_key_value_heads": 1,
        "max_position_embeddings": CONTEXT,
        "initializer_range": WEIGHT_SCALE,
        "bos_token_id": None,
        "eos_token_id": ids[END],
        "pad_token_id": ids[PAD],
        # Time, height and width of a position share the half of a head that is turned.
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [4, 6, 6]},
    }
    vision = {
        "depth": 2,
        "hidden_size": 64,
        "out_hidden_size": HIDDEN,
        "num_heads": 2,
        "intermediate_size": 128,
        "patch_size": PATCH[arch],
        "initializer_range": WEIGHT_SCALE,
    }
    if arch == "qwen2_5_vl":
        kind = Qwen2_5_VLConfig
        vision |= {"window_size": 4 * PATCH[arch], "fullatt_block_indexes": [1]}
    else:
        kind = Qwen3VLConfig
        vision |= {"num_position_embeddings": 64, "deepstack_visual_indexes": [0]}
        text |= {"head_dim": HEAD}
        text["rope_parameters"]["mrope_interleaved"] = True
    return kind(
        text_config=text,
        vision_config=vision,
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )


def set_chances(model: Model, tokenizer: PreTrainedTokenizerFast) -> None:
    """Make the SPOKEN words likely, other tokens all but impossible, and the end likely after a word.

    Coordinate 0 is the same after every token, coordinate 1 the same but for the line break that opens a
    turn; attention and the feed-forward layers add nothing to either, so the output layer can read them.
    """
    text, output = model.model.language_model, model.lm_head.weight.data
    standing = 0.5
    embedding = text.embed_tokens.weight.data
    embedding[:, :2] = standing
    embedding[tokenizer.convert_tokens_to_ids("Ċ"), 1] = -standing
    for layer in text.layers:
        layer.self_attn.o_proj.weight.data[:2] = 0
        layer.mlp.down_proj.weight.data[:2] = 0
    spoken = tokenizer.convert_tokens_to_ids([f"Ġ{word}" for word in SPOKEN.split()])
    output[:, :2] = 0
    output[:, 0] = -16.0
    output[spoken, 0] = 0.0
    end = tokenizer.eos_token_id
    output[end] = 0
    output[end, 1] = 6.0


def make_processor(tokenizer: PreTrainedTokenizerFast, arch: str) -> Qwen2_5_VLProcessor | Qwen3VLProcessor:
    """Return the processor: an image takes 1 to IMAGE_TOKENS tokens."""
    pixels = (2 * PATCH[arch]) ** 2
    shape = {"patch_size": PATCH[arch], "temporal_patch_size": 2, "merge_size": 2}
    size = {"shortest_edge": pixels, "longest_edge": IMAGE_TOKENS * pixels}
    kind, videos = Qwen2_5_VLProcessor, Qwen2VLVideoProcessor
    if arch == "qwen3_vl":
        kind, videos = Qwen3VLProcessor, Qwen3VLVideoProcessor
    return kind(
        image_processor=Qwen2VLImageProcessor(size=size, **shape),
        tokenizer=tokenizer,
        video_processor=videos(size=size, **shape),
        chat_template=tokenizer.chat_template,
    )


if __name__ == "__main__":
    main()
