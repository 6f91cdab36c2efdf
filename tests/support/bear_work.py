"""A small work folder of BEAR-Bench, made by hand: every stage before the last one done."""

import hashlib
import io

from PIL import Image

from dataset_builders.bear_bench.records import Document, Item, Licence, Page, PageText
from dataset_builders.bear_bench.work import Work

CELLS = {
    "report": ("business", "en"),
    "отчёт": ("business", "ru"),
    "paper": ("science", "en"),
    "статья": ("science", "ru"),
}


def picture(shade, size=(12, 16)):
    data = io.BytesIO()
    Image.new("RGB", size, (shade, 255 - shade, 7)).save(data, "PNG")
    return data.getvalue()


def document(name, domain, sha256=None):
    return Document(
        document_id=f"folder-{name}",
        file=f"documents/{name}.pdf",
        sha256=sha256 or hashlib.sha256(name.encode()).hexdigest(),
        source="folder",
        url=f"{name}.pdf",
        domain=domain,
        document_type=name,
    )


def bear_work(folder, pages=3, cells=CELLS, shade=0):
    """Return a work folder with a document of so many pages in each cell, and an item for each page."""
    work = Work(folder)
    documents, licences, drawn, texts, items = [], [], [], [], []
    (folder / "pages").mkdir(parents=True)
    for place, (name, (domain, language)) in enumerate(cells.items()):
        documents.append(document(name, domain))
        licences.append(
            Licence(
                document_id=f"folder-{name}",
                licence="CC-BY-4.0",
                evidence="CC BY 4.0",
                page=1,
                found_in="text",
            )
        )
        for number in range(1, pages + 1):
            page_id = f"folder-{name}-p{number:04}"
            data = picture(shade + 20 * place + number)
            (folder / f"pages/{page_id}.png").write_bytes(data)
            drawn.append(
                Page(
                    page_id=page_id,
                    document_id=f"folder-{name}",
                    page=number,
                    file=f"pages/{page_id}.png",
                    sha256=hashlib.sha256(data).hexdigest(),
                    width=12,
                    height=16,
                    dpi=144,
                    ink=0.1,
                )
            )
            texts.append(
                PageText(
                    page_id=page_id,
                    text="words",
                    found_in="text",
                    distrust=None,
                    language=language,
                    characters=1000 + number,
                )
            )
            items.append(
                Item(
                    page_id=page_id,
                    question=f"Сколько будет {number} + 1?" if language == "ru" else f"What is {number} + 1?",
                    answer=str(number + 1),
                    reasoning_steps=None if number == 2 else 3,
                    labels=("diagrams", "tables") if number == 1 else ("equations",),
                )
            )
    work.write("documents", documents)
    work.write("licences", licences)
    work.write("pages", drawn)
    work.write("texts", texts)
    work.write("items", items)
    return work
