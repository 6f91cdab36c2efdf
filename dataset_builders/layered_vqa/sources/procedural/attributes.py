"""What an object can look like: the named colours, patterns and sizes, and those of the background."""

from dataclasses import dataclass

RGB = tuple[int, int, int]

COLOURS: dict[str, RGB] = {
    "red": (214, 39, 40),
    "orange": (247, 133, 22),
    "yellow": (250, 212, 30),
    "green": (34, 150, 62),
    "cyan": (32, 196, 214),
    "blue": (36, 84, 214),
    "purple": (124, 52, 176),
    "pink": (247, 120, 186),
    "brown": (122, 72, 36),
    "black": (32, 32, 34),
}
"""Object colours, far enough apart that each has one everyday name."""

TEXTURES = ("plain", "striped", "dotted", "checked")

SIZES: dict[str, tuple[float, float]] = {"small": (0.1, 0.112), "large": (0.184, 0.204)}
"""Range of an object's radius, as a share of the shorter side of the canvas."""

BACKGROUND_COLOURS: dict[str, RGB] = {
    "white": (252, 252, 252),
    "light grey": (205, 207, 210),
    "light blue": (190, 216, 244),
    "light green": (196, 230, 196),
    "light yellow": (250, 242, 190),
    "light pink": (250, 214, 226),
    "light purple": (220, 206, 242),
}
"""Background colours: all light, so that every object stands out."""

BACKGROUND_TEXTURES = ("plain", "gradient", "grid", "speckled")

ATTRIBUTES = ("size", "texture", "colour", "shape")
"""The attributes that tell objects apart, in the order in which English names them."""


@dataclass(frozen=True)
class Look:
    """What one object looks like; each field is a name of this module or of `shapes`."""

    size: str
    texture: str
    colour: str
    shape: str

    def get(self, attribute: str) -> str:
        """Return the value of one of `ATTRIBUTES`."""
        return str(getattr(self, attribute))

    def blends_with(self, other: "Look") -> bool:
        """Tell whether two objects have one colour and one pattern, so that an overlap is hard to see."""
        return (self.colour, self.texture) == (other.colour, other.texture)

    def caption(self) -> str:
        """Return the object in words, such as "a large striped red star"."""
        return f"a {self.size} {self.texture} {self.colour} {self.shape}"


@dataclass(frozen=True)
class BackgroundLook:
    """What the background looks like."""

    colour: str
    texture: str

    def caption(self) -> str:
        """Return the background in words, such as "a speckled light blue background"."""
        if self.texture == "gradient":
            return f"a {self.colour} background with a gradient"
        if self.texture == "grid":
            return f"a {self.colour} background with grid lines"
        return f"a {self.texture} {self.colour} background"
