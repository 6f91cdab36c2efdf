"""PDFs whose pages say what a test wants, with a text layer that can be trusted, in two alphabets."""

import textwrap

FILLER = {
    "en": "The committee read the report of the year and found that the costs of the new building were lower "
    "than those which had been planned for it, so that a part of the money could be given to the schools.",
    "ru": "Комиссия рассмотрела отчёт за год и отметила, что расходы на новое здание были ниже тех, которые "
    "были запланированы, поэтому часть средств можно было передать школам этого района.",
}


def text_pdf(path, pages, language="en"):
    """Write a PDF with one page for each text; a filler makes it a page that people could have written."""
    texts = [
        [str(number), *textwrap.wrap(FILLER[language], 60), *text.split("\n")]
        for number, text in enumerate(pages, start=1)
    ]
    if language == "en":
        path.write_bytes(_plain(texts))
    else:
        _drawn(path, texts)
    return path


def _plain(pages):
    """Return a PDF in Helvetica, which has no Cyrillic letters and is written in no time."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for index, lines in enumerate(pages):
        shown = " T* ".join(f"({line.translate(str.maketrans({'(': '[', ')': ']'}))}) Tj" for line in lines)
        stream = f"BT /F 10 Tf 14 TL 20 270 Td {shown} ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Resources << /Font << /F 3 0 R >> >> "
            f"/Contents {5 + 2 * index} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("ascii")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("ascii")


def _drawn(path, pages):
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    with PdfPages(path, metadata={"CreationDate": None}) as pdf:
        for lines in pages:
            figure = Figure(figsize=(5, 4))
            figure.text(0.05, 0.95, "\n".join(lines), va="top", fontsize=9)
            pdf.savefig(figure)
