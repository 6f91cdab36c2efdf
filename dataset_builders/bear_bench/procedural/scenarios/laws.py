"""Laws for pages with an equation: their TeX, their constants and arguments, and what they give."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.scenarios.draft import UnluckyError

Values = dict[str, Fraction]


@dataclass(frozen=True)
class Law:
    """An equation: its TeX, what it gives, its constants (drawn for each setting) and its argument.

    Symbols map to how they are written in text, what they are in English and Russian, and how they are drawn.
    """

    name: str
    tex: str
    result: tuple[str, str, str]
    unit: tuple[str, str]
    constants: dict[str, tuple[str, str, tuple[Fraction, ...]]]
    argument: tuple[str, str, str, tuple[Fraction, ...]]
    value: Callable[[Values], Fraction]
    places: int = 2
    settings: tuple[str, str] = ("indoor,outdoor", "в помещении,на открытом месте")


def _tenths(*values: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(value, 10) for value in values)


def _whole(*values: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, values))


_MODELS = ("small,large", "для малой модели,для большой модели")

LAWS = (
    Law(
        "path loss",
        r"L(d) = L_0 + 10\,n\,\log_{10}\dfrac{d}{d_0}",
        ("L", "the path loss in decibels", "затухание в децибелах"),
        ("dB", "дБ"),
        {
            "L₀": (
                "the loss at the reference distance",
                "затухание на опорном расстоянии",
                _whole(*range(30, 52)),
            ),
            "n": ("the path loss exponent", "показатель затухания", _tenths(18, 20, 22, 25, 27, 30, 32, 35)),
            "d₀": ("the reference distance in metres", "опорное расстояние в метрах", _whole(1, 2, 5)),
        },
        ("d", "distance in metres", "расстояние, м", _whole(10, 20, 50, 100, 200, 500, 1000, 2000)),
        lambda v: v["L₀"] + 10 * v["n"] * _log(v["d"] / v["d₀"], 10),
        1,
    ),
    Law(
        "decay",
        r"N(t) = N_0\cdot 2^{-t/T}",
        ("N", "the number of active centres", "число активных центров"),
        ("", ""),
        {
            "N₀": (
                "their number at the start",
                "их число в начале",
                _whole(640, 800, 960, 1280, 1600, 2400, 3200),
            ),
            "T": ("the half-life in minutes", "период полураспада в минутах", _whole(5, 10, 15, 20, 30)),
        },
        ("t", "time in minutes", "время, мин", _whole(10, 15, 20, 30, 40, 45, 60, 90)),
        lambda v: v["N₀"] / 2 ** _integer(v["t"] / v["T"]),
        1,
    ),
    Law(
        "capacity",
        r"C = B\,\log_2\!\left(1 + \dfrac{S}{N}\right)",
        ("C", "the capacity in megabits per second", "пропускная способность в мегабитах в секунду"),
        ("Mbit/s", "Мбит/с"),
        {
            "B": (
                "the bandwidth in megahertz",
                "полоса в мегагерцах",
                _tenths(12, 15, 20, 24, 30, 36, 50, 80),
            ),
            "N": ("the noise power in microwatts", "мощность шума в микроваттах", _whole(1, 2, 3, 4)),
        },
        (
            "S",
            "signal power in microwatts",
            "мощность сигнала, мкВт",
            _whole(3, 7, 12, 14, 21, 28, 30, 45, 60, 62, 93),
        ),
        lambda v: v["B"] * _log(1 + v["S"] / v["N"], 2),
    ),
    Law(
        "schedule",
        r"\eta(t) = \eta_0\,\gamma^{\,\lfloor t/s \rfloor}",
        ("η", "the step size", "размер шага"),
        ("", ""),
        {
            "η₀": ("the first step size", "начальный размер шага", _tenths(2, 4, 5, 8, 16, 32)),
            "γ": ("the factor", "множитель", _tenths(5, 2, 1)),
            "s": ("the number of epochs in a stage", "число эпох в ступени", _whole(4, 5, 6, 8, 10)),
        },
        ("t", "epoch", "эпоха", _whole(7, 9, 11, 13, 16, 18, 22, 27)),
        lambda v: v["η₀"] * v["γ"] ** int(v["t"] // v["s"]),
        5,
        _MODELS,
    ),
    Law(
        "parameters",
        r"P = \left(k^2\,c + 1\right) m",
        ("P", "the number of parameters of a layer", "число параметров слоя"),
        ("", ""),
        {
            "k": ("the width of the kernel", "ширина ядра", _whole(1, 3, 5, 7)),
            "c": ("the number of input channels", "число входных каналов", _whole(2, 3, 4, 6, 8, 12)),
        },
        ("m", "number of filters", "число фильтров", _whole(4, 5, 8, 10, 12, 16, 20)),
        lambda v: (v["k"] ** 2 * v["c"] + 1) * v["m"],
        0,
        _MODELS,
    ),
    Law(
        "lens",
        r"\dfrac{1}{f} = \dfrac{1}{a} + \dfrac{1}{b}",
        ("b", "the distance of the image in centimetres", "расстояние до изображения в сантиметрах"),
        ("cm", "см"),
        {
            "f": (
                "the focal length in centimetres",
                "фокусное расстояние в сантиметрах",
                _whole(4, 5, 6, 8, 10, 12, 15),
            )
        },
        (
            "a",
            "distance of the object in centimetres",
            "расстояние до предмета, см",
            _whole(9, 12, 15, 18, 20, 24, 30, 40, 60),
        ),
        lambda v: _positive(v["f"] * v["a"], v["a"] - v["f"]),
        1,
    ),
)


def _log(value: Fraction, base: int) -> Fraction:
    power = 0
    while value > 1:
        value, power = value / base, power + 1
    if value != 1:
        raise UnluckyError
    return Fraction(power)


def _integer(value: Fraction) -> int:
    if value.denominator != 1:
        raise UnluckyError
    return int(value)


def _positive(above: Fraction, below: Fraction) -> Fraction:
    if below <= 0:
        raise UnluckyError
    return above / below
