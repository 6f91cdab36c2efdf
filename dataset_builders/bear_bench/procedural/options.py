"""What procedural pages are to be made."""

from pydantic import BaseModel, ConfigDict, Field


class PageOptions(BaseModel):
    """The options of a procedural set; the same options always give the same bytes.

    `width` is that of an upright page in pixels: 1240 is A4 at 150 dots to the inch. `simple` pages have
    large letters, short tables and no text beside what the question needs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pages: int = Field(200, ge=1, le=100_000)
    seed: int = Field(0, ge=0)
    width: int = Field(1240, ge=160, le=4960)
    simple: bool = False
