from lvqa_eval.images import Picture
from lvqa_eval.serving.held import HeldPictures, referable


def picture(name, reference=True):
    return Picture(name, 8, 8, b"whole " + name.encode(), b"name of " + name.encode() if reference else None)


def message(*names, reference=True):
    return (b"[", *[picture(name, reference) for name in names], b"]")


def test_pictures_with_a_reference_are_named_in_their_order():
    assert referable([message("b", "a"), (b"{}",), message("c")]) == ["b", "a", "c"]
    assert referable([message("a", reference=False)]) == []


def test_only_pictures_that_were_taken_are_held():
    held = HeldPictures()
    held.add(["a", "b", "c"])
    assert held.among(["b", "c", "d"]) == {"b", "c"}


def test_what_is_forgotten_is_held_no_more():
    held = HeldPictures()
    held.add(["a", "b"])
    held.forget({"a", "never held"})
    assert (len(held), held.among(["a", "b"])) == (1, {"b"})


def test_those_unused_longest_are_forgotten_first():
    held = HeldPictures(most=3)
    held.add("abc")
    held.add("a")
    held.add("d")
    assert len(held) == 3
    assert held.among("abcd") == {"a", "c", "d"}
