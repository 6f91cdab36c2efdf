import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.detectors.reply_tokens import reply_places

END = "<|im_end|>"


def spelled(tokens, reply):
    return [tokens[place] for place in reply_places(tokens, reply)]


def test_the_tokens_of_a_plain_reply():
    assert reply_places(["A", " red", " circle", "."], "A red circle.") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "end", [END, "</s>", "<eos>", "<end_of_turn>", "<turn|>", "<|return|>", "<｜end▁of▁sentence｜>", ""]
)
def test_the_end_of_sequence_is_left_out(end):
    assert reply_places(["red", " circle", end], "red circle") == [0, 1]
    assert reply_places(["red", " circle", "\n", end, "\n"], "red circle") == [0, 1]


def test_white_space_around_the_reply_stays_with_its_tokens_alone():
    assert spelled(["\n\n", " ", " red", " circle ", " \n", END], "red circle") == [" red", " circle "]
    assert spelled(["\n", "red", "\n\n", "blue", "\n"], "red\n\nblue") == ["red", "\n\n", "blue"]


def test_thinking_that_has_the_words_of_the_reply_is_left_out():
    tokens = ["<think>", "It", " is", " red", ".", "</think>", "\n\n", "red", END]
    assert reply_places(tokens, "red") == [7]
    tokens = ["red", "</", "think", ">\n", "red", " it", " is"]
    assert reply_places(tokens, "red it is") == [4, 5, 6]


def test_channels_are_left_out():
    tokens = ["<|channel|>", "analysis", "<|message|>", "red", "<|end|>", "<|start|>", "assistant"]
    tokens += ["<|channel|>", "final", "<|message|>", "red", "<|return|>"]
    assert reply_places(tokens, "red") == [10]


def test_special_tokens_inside_a_reply_are_left_out_whether_or_not_its_text_has_them():
    tokens = ["the", "<|box_start|>", "(1,2)", "<|box_end|>", " box", END]
    assert reply_places(tokens, "the(1,2) box") == [0, 2, 4]
    assert reply_places(tokens, "the<|box_start|>(1,2)<|box_end|> box") == [0, 2, 4]


def test_words_that_look_like_marks_are_words():
    assert reply_places(["[A]"], "[A]") == [0]
    assert reply_places(["a", "<br>", "b", "<i>", END], "a<br>b<i>") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("tokens", "reply"),
    [
        (["token_id:5", "token_id:9"], "red"),  # ids in place of strings
        (["red", " circle", " STOP"], "red circle"),  # a stop string, which the server cut off
        (["A", " <think>", "so", "</think>", " B"], "A  B"),  # words on both sides of thinking
        (["infra", "red", END], "fra red"),
        (["infrared", END], "red"),  # no token begins with the reply
        (["blue"], "red"),
        (["red"], ""),
        (["red"], " \n"),
        ([], "red"),
        (["", END, " "], "red"),
    ],
)
def test_where_the_tokens_do_not_spell_the_reply_there_are_none(tokens, reply):
    assert reply_places(tokens, reply) == []


def test_empty_tokens_hold_the_first_bytes_of_a_character():
    assert reply_places(["</think>", "", "", "😊", " hi", "", "é", END], "😊 hié") == [1, 2, 3, 4, 5, 6]
    # A character of two bytes has one byte before its last; an ASCII one none.
    assert reply_places(["", "", "é"], "é") == [1, 2]
    assert reply_places(["", "a"], "a") == [1]


def test_parts_of_characters_stand_for_one_another():
    cut = "\ufffd"
    assert reply_places(["</think>", *[cut] * 4, " hi"], "😊 hi") == [1, 2, 3, 4, 5]
    assert reply_places(["</think>", *[cut] * 8, " hi"], "😊😊 hi") == list(range(1, 10))
    assert reply_places(["é", cut, cut], "éé") == [0, 1, 2]
    assert reply_places(["é</think>", cut, cut, cut, cut], "éé") == [1, 2, 3, 4]
    assert reply_places([f" {cut}", cut, END], "é") == [0, 1]
    assert reply_places(["ok", cut], f"ok{cut}") == [0, 1]  # broken in the reply too
    assert reply_places([cut, "a"], "ba") == []  # never for an ASCII character


def test_escaped_bytes_and_entries_of_vocabularies_are_read():
    assert reply_places(["ok", r" \xf0\x9f", r"\x98\x8a"], "ok 😊") == [0, 1, 2]
    assert reply_places([r"bytes:\xf0\x9f", r"bytes:\x98\x8a", "!"], "😊!") == [0, 1, 2]
    assert reply_places(["</think>", "ĊĊ", "a", "Ġred", "Ġcaf", "Ã©", END], "a red café") == [2, 3, 4, 5]
    assert reply_places(["▁a", "▁red", "<0x0A>", "caf", "<0xC3>", "<0xA9>", "</s>"], "a red\ncafé") == [
        *range(6)
    ]


def replaced(pieces):
    return [piece.decode(errors="replace") for piece in pieces]


def completed(pieces):
    """The whole character comes with its last byte, nothing with the bytes before."""
    tokens, held = [], b""
    for piece in pieces:
        held += piece
        try:
            tokens.append(held.decode())
            held = b""
        except UnicodeDecodeError:
            tokens.append("")
    return tokens


def escaped(pieces):
    return [piece.decode(errors="backslashreplace") for piece in pieces]


PLAIN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [byte for byte in range(0x100) if byte not in PLAIN]


def byte_level(pieces):
    letter = {byte: chr(byte) for byte in PLAIN} | {byte: chr(0x100 + i) for i, byte in enumerate(OTHERS)}
    return ["".join(letter[byte] for byte in piece) for piece in pieces]


TEXT = st.text(st.sampled_from("ab .éЯ漢😊🏳\n"), min_size=1, max_size=20)


@pytest.mark.parametrize("written", [replaced, completed, escaped, byte_level])
@given(text=TEXT, cuts=st.sets(st.integers(1, 60)), thinks=st.booleans())
def test_the_tokens_are_those_that_hold_a_byte_of_the_reply(written, text, cuts, thinks):
    whole = text.encode()
    ends = sorted(cut for cut in cuts if cut < len(whole))
    pieces = [whole[a:b] for a, b in zip([0, *ends], [*ends, len(whole)], strict=True)]
    thought = ["Я ", "b", "</think>", "\n\n"] if thinks else []
    begin = len(whole) - len(text.lstrip().encode())
    end = len(text.rstrip().encode())
    expected, at = [], 0
    for place, piece in enumerate(pieces):
        if at < end and at + len(piece) > begin:
            expected.append(place + len(thought))
        at += len(piece)
    tokens = [*written([one.encode() for one in thought]), *written(pieces), END]
    assert reply_places(tokens, text.strip()) == (expected if text.strip() else [])
