import io
import re

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from lvqa_eval.reports.exhibit import Plot
from lvqa_eval.reports.plots.heat import Scale, draw_heat
from lvqa_eval.reports.plots.style import STYLE, drawn, render, styled

ALT = 'Two lines & a "dot":\nбольше 1 < 2.'


def draw(figure):
    axes, grid = figure.subplots(1, 2)
    draw_heat(grid, np.eye(2), [["1", "0"], ["0", "1"]], Scale(0, 1, "%"), [(0, 0)])
    axes.plot([0.123456, 1], [0, 2], label="слой")
    axes.set_title("Слой 1: −2 points – ёж")


PLOT = Plot(draw, (3.0, 2.0), ALT)


@pytest.fixture(scope="module")
def rendered():
    return render(PLOT)


def test_the_same_bytes_whatever_the_users_settings_are(rendered):
    with mpl.rc_context({"font.size": 20, "axes.grid": False, "svg.hashsalt": "mine", "savefig.dpi": 50}):
        assert render(PLOT) == rendered
        assert mpl.rcParams["font.size"] == 20


def test_files_do_not_tell_when_and_by_what_they_were_made(rendered):
    assert mpl.__version__ not in rendered.svg
    assert "atplotlib" not in rendered.svg
    assert b"atplotlib" not in rendered.png
    assert "date" not in rendered.svg


def test_the_svg_can_stand_in_a_page(rendered):
    label = "Two lines &amp; a &quot;dot&quot;: больше 1 &lt; 2."
    assert rendered.svg.startswith(f'<svg role="img" aria-label="{label}" ')
    # Nothing that would reach other elements of the page, and no name that two figures would share.
    assert "<style" not in rendered.svg
    assert "stroke-linejoin: round" in rendered.svg[: rendered.svg.index(">")]
    assert not re.findall(r'id="\w+_\d+"', rendered.svg)
    referred = set(re.findall(r'(?:href="|url\()#([^")]+)', rendered.svg))
    assert referred <= set(re.findall(r'id="([^"]+)"', rendered.svg))


def test_numbers_of_the_svg_are_short_and_its_letters_keep_their_size(rendered):
    assert "scale(0.015625)" in rendered.svg
    without_scales = re.sub(r"scale\([^)]*\)", "", rendered.svg)
    assert not re.findall(r"\d\.\d{3,}", without_scales)
    assert "<text" not in rendered.svg


def test_the_png_has_200_dots_an_inch(rendered):
    image = Image.open(io.BytesIO(rendered.png))
    assert image.size == (600, 400)
    assert image.info["dpi"] == pytest.approx((200, 200), abs=0.1)


@pytest.mark.filterwarnings("error")
def test_every_letter_is_there():
    with styled():
        drawn(PLOT).draw_without_rendering()


def test_no_text_is_smaller_than_8_points():
    sizes = [value for name, value in STYLE.items() if name.endswith("size") and "marker" not in name]
    assert min(sizes) == 8
