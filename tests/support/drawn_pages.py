"""Pages drawn for tests, with what they contain known, and a work folder of them."""

import hashlib
import io

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from dataset_builders.bear_bench.records import Document, Page
from dataset_builders.bear_bench.work import Work

SIZE = (620, 876)
WORDS = [
    "result",
    "of",
    "each",
    "firm",
    "for",
    "the",
    "year",
    "was",
    "given",
    "by",
    "its",
    "board",
    "in",
    "a",
    "short",
    "report",
    "on",
    "growth",
    "and",
    "costs",
]


def _font(mono=False, size=11):
    from matplotlib import get_data_path

    name = "DejaVuSansMono" if mono else "DejaVuSans"
    return ImageFont.truetype(f"{get_data_path()}/fonts/ttf/{name}.ttf", size)


def sheet():
    """Return an empty page and a pen."""
    picture = Image.new("RGB", SIZE, "white")
    return picture, ImageDraw.Draw(picture)


def text(pen, rng, top, lines):
    """Write lines of running text; returns where they end."""
    for _ in range(lines):
        pen.text((60, top), " ".join(rng.choice(WORDS, 14))[:72], "black", _font())
        top += 15
    return top + 10


def table(pen, rng, top, rows=5, columns=4):
    """Draw a ruled table."""
    for row in range(rows + 1):
        pen.line((60, top + 22 * row, 60 + 120 * columns, top + 22 * row), "black")
    for column in range(columns + 1):
        pen.line((60 + 120 * column, top, 60 + 120 * column, top + 22 * rows), "black")
    for row in range(rows):
        for column in range(columns):
            pen.text((66 + 120 * column, top + 22 * row + 5), str(rng.integers(10, 9999)), "black", _font())
    return top + 22 * rows + 16


def diagram(pen, rng, top):
    """Draw boxes that stand apart, joined by arrows."""
    for number in range(3):
        left = 70 + 180 * number
        pen.rectangle((left, top, left + 110, top + 50), outline="black", width=2)
        pen.text((left + 10, top + 18), str(rng.choice(WORDS)), "black", _font())
        if number < 2:
            pen.line((left + 112, top + 25, left + 176, top + 25), "black", 2)
            pen.polygon([(left + 178, top + 25), (left + 168, top + 20), (left + 168, top + 30)], "black")
    pen.line((125, top + 52, 240, top + 110), "black", 2)
    pen.polygon(
        [(200, top + 140), (260, top + 110), (320, top + 140), (260, top + 170)], outline="black", width=2
    )
    return top + 190


def listing(pen, rng, top, lines=9):
    """Write a program in letters of one width."""
    for number in range(lines):
        indent = "    " * (number % 3)
        name = str(rng.choice(WORDS))
        pen.text((80, top), f"{indent}{name} = total({name}, {rng.integers(9)})", "black", _font(mono=True))
        top += 15
    return top + 10


def bars(pen, rng, top):
    """Draw a chart of coloured bars on an axis."""
    pen.line((80, top + 140, 540, top + 140), "black", 1)
    pen.line((80, top, 80, top + 140), "black", 1)
    for number in range(6):
        left, high = 100 + 70 * number, int(rng.integers(30, 130))
        pen.rectangle((left, top + 140 - high, left + 40, top + 139), fill=(60, 110, 180))
        pen.text((left, top + 145), f"Q{number}", "black", _font())
    return top + 180


PARTS = {"diagrams": diagram, "tables": table, "code": listing, "figures": bars}
"""What draws each kind of content."""


def drawn_page(labels, seed):
    """Return a page with running text and a part for each label, in a seeded order."""
    rng = np.random.default_rng(seed)
    picture, pen = sheet()
    top = text(pen, rng, 50, int(rng.integers(2, 8)))
    for label in rng.permutation(sorted(labels)):
        top = PARTS[label](pen, rng, top)
        top = text(pen, rng, top, int(rng.integers(1, 5)))
    while top < 760:
        top = text(pen, rng, top, 5)
    return picture


def drawn_work(folder, documents=10, per_document=4, seed=0):
    """Return a work folder of drawn pages, and page id -> labels; a page has each kind by chance."""
    rng = np.random.default_rng(seed)
    work, pages, labels, papers = Work(folder), [], {}, []
    (folder / "pages").mkdir(parents=True)
    for document in range(documents):
        name = f"d{document:02}"
        papers.append(_document(name, ("business", "science")[document % 2]))
        for number in range(1, per_document + 1):
            page_id = f"{name}-p{number:04}"
            # Of more than three the last would run off the page.
            held = tuple(kind for kind in PARTS if rng.random() < 0.5)[:3]
            labels[page_id] = held
            picture = drawn_page(held, seed * 1000 + len(pages))
            pages.append(kept_page(folder, page_id, name, number, picture))
    work.write("documents", papers)
    work.write("pages", pages)
    return work, labels


def _document(name, domain):
    return Document(
        document_id=name,
        file=f"documents/{name}.pdf",
        sha256=hashlib.sha256(name.encode()).hexdigest(),
        source="folder",
        url=f"{name}.pdf",
        domain=domain,
        document_type="report",
    )


def kept_page(folder, page_id, document, number, picture):
    """Write a picture to the work folder and return its record."""
    data = io.BytesIO()
    picture.save(data, "PNG", compress_level=1)
    (folder / f"pages/{page_id}.png").write_bytes(data.getvalue())
    return Page(
        page_id=page_id,
        document_id=document,
        page=number,
        file=f"pages/{page_id}.png",
        sha256=hashlib.sha256(data.getvalue()).hexdigest(),
        width=picture.width,
        height=picture.height,
        dpi=75,
        ink=0.1,
    )
