from fractions import Fraction

import pytest

from lvqa_eval.detectors.layers import MissingLayersError, layer_at, lens_layers, probe_layers


def test_the_layers_of_a_model_of_36():
    assert probe_layers(36) == (18, 24, 27, 36)
    # 27/32 of 36 is 30.4, and 13/32 is 14.6.
    assert lens_layers(36) == (30, 15)
    assert lens_layers(32) == (27, 13)


def test_layers_of_a_shallow_model_fall_together():
    assert probe_layers(2) == (1, 2)
    assert probe_layers(4) == (2, 3, 4)


def test_halves_go_to_the_even_layer():
    assert [layer_at(depth, Fraction(1, 2)) for depth in (1, 3, 5, 7)] == [0, 2, 2, 4]


def test_the_error_says_what_is_there_and_what_is_needed():
    with pytest.raises(
        MissingLayersError, match=r"signals of proxy: layers: found none, needed: layer 3; ext"
    ):
        raise MissingLayersError("proxy", "layer 3", [])
