"""What documents look like, by what they are."""

from random import Random

from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.typesetting.style import Colour, Look

SHORT, LONG = 1240, 1754
"""A4 at 150 dots to the inch, the size at which pages are typeset."""
_LETTER = (1275, 1650)

_PALETTES: tuple[tuple[Colour, ...], ...] = (
    ((38, 84, 150), (214, 122, 38), (70, 140, 80), (150, 60, 70), (120, 100, 160), (120, 120, 124)),
    ((20, 108, 116), (224, 159, 62), (158, 62, 60), (84, 110, 122), (106, 90, 150), (150, 170, 80)),
    ((58, 78, 104), (192, 84, 60), (96, 150, 140), (222, 178, 80), (130, 90, 130), (110, 150, 200)),
    ((88, 66, 120), (40, 140, 150), (232, 140, 80), (90, 130, 70), (190, 80, 110), (70, 90, 150)),
)


def look_of(kind: str, language: Language, rng: Random) -> Look:
    """Draw the look of a document of a kind: report, regulations, presentation, paper or notes."""
    palette = rng.choice(_PALETTES)
    upright = _LETTER if language == "en" and rng.random() < 0.5 else (SHORT, LONG)
    science = kind in ("paper", "notes")
    wide, high = (LONG, SHORT) if kind == "presentation" else upright
    serif = science or (kind == "regulations" and rng.random() < 0.5)
    return Look(
        language=language,
        family="serif" if serif else "sans",
        size={"paper": 19.8, "notes": 17.0, "presentation": 18.1}.get(kind, 17.3)
        + rng.choice((-0.3, 0, 0.3)),
        width=wide,
        height=high,
        margin=rng.choice((92, 100, 108)),
        columns=2 if kind in ("paper", "presentation") else 1,
        justified=science or rng.random() < 0.6,
        indented=science or (language == "ru" and rng.random() < 0.5),
        tables="ruled"
        if science
        else "boxed"
        if kind == "regulations"
        else rng.choice(("banded", "ruled", "banded")),
        accent=palette[0],
        palette=palette,
        numbered_sections=True,
    )


def plain_look(language: Language, science: bool) -> Look:
    """Return the look of simple pages: large letters, one column; the page ends where its content ends."""
    return Look(
        language=language,
        family="sans",
        size=38,
        width=SHORT,
        height=4 * LONG,
        margin=48,
        columns=1,
        justified=False,
        indented=False,
        tables="ruled" if science else "banded",
        accent=_PALETTES[0][0],
        palette=_PALETTES[0],
        numbered_sections=True,
    )
