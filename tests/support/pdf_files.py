"""PDFs written by hand, object by object, so that a test knows every byte that matters to it."""

import hashlib
import zlib

from dataset_builders.bear_bench.records import Document, Licence
from dataset_builders.bear_bench.work import Work

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf_bytes(pages, fonts=(HELVETICA,), extra=()):
    """Return a PDF of `pages`, each (content stream, further entries of its dictionary).

    The fonts are /F1, /F2 …; `extra` are further objects, the first of them number 3 + the number of fonts.
    """
    resources = " ".join(f"/F{at} {2 + at} 0 R" for at in range(1, len(fonts) + 1))
    first = 3 + len(fonts) + len(extra)
    numbers = [first + 2 * at for at in range(len(pages))]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{n} 0 R' for n in numbers)}] /Count {len(pages)} >>",
        *fonts,
        *extra,
    ]
    for number, (content, entries) in zip(numbers, pages, strict=True):
        box = "" if "/MediaBox" in entries else "/MediaBox [0 0 200 100]"
        objects += [
            f"<< /Type /Page /Parent 2 0 R {box} {entries} /Resources << /Font << {resources} >> "
            f"/XObject << {xobjects(extra, 3 + len(fonts))} >> >> /Contents {number + 1} 0 R >>",
            stream(content.encode()),
        ]
    return assembled(objects)


def xobjects(extra, first):
    return " ".join(f"/X{at} {first + at} 0 R" for at in range(len(extra)))


def assembled(objects):
    data, places = b"%PDF-1.6\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        body = content if isinstance(content, bytes) else content.encode()
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def stream(data, entries=""):
    return b"<< %b /Length %d >>\nstream\n%b\nendstream" % (entries.encode(), len(data), data)


def shown(text, x=20, y=50, size=12, font="F1", before=""):
    """Return the content that shows a text of ASCII letters."""
    return f"q BT {before} /{font} {size} Tf {x} {y} Td ({text}) Tj ET Q\n"


def shown_unicode(text, x=20, y=50, size=12, font="F2"):
    """Return the content that shows any text in a font of `unicode_font`."""
    return f"BT /{font} {size} Tf {x} {y} Td <{text.encode('utf-16-be').hex()}> Tj ET\n"


def unicode_fonts(number):
    """Return three objects, numbered from `number`: a font that is not in the file and shows UTF-16."""
    ranges = "<0000> <00ff> <0000> <0400> <04ff> <0400>"  # a range has one first byte
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def "
        f"1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange {ranges} endbfrange "
        "endcmap end end"
    )
    cid = (
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /DW 600 /CIDSystemInfo "
        "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor "
        "/FontName /Arial /Flags 32 /FontBBox [-600 -300 1200 1000] /ItalicAngle 0 /Ascent 900 /Descent -200 "
        "/CapHeight 700 /StemV 80 >> >>"
    )
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H "
        f"/DescendantFonts [{number + 1} 0 R] /ToUnicode {number + 2} 0 R >>"
    )
    return font, cid, stream(cmap.encode())


def unicode_pdf(pages):
    """Return a PDF in which /F2 shows UTF-16 (see `shown_unicode`); `pages` as in `pdf_bytes`."""
    return pdf_bytes(pages, (HELVETICA, *unicode_fonts(4)))


def picture_object(picture):
    """Return the object of a grey picture, to be drawn by `/X0 Do` and the like."""
    grey = picture.convert("L")
    entries = (
        f"/Type /XObject /Subtype /Image /Width {grey.width} /Height {grey.height} "
        "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
    )
    return stream(zlib.compress(grey.tobytes()), entries)


def text_picture(lines, size=(600, 300), letters=28):
    """Return a scan: black lines of text on white, in DejaVu Sans."""
    from matplotlib import get_data_path
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", size, 255)
    font = ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", letters)
    ImageDraw.Draw(picture).multiline_text((20, 20), "\n".join(lines), font=font, fill=0, spacing=14)
    return picture


def document_work(folder, files):
    """Return a work folder with the documents of `files` (id -> bytes of a PDF), all licensed."""
    (folder / "files").mkdir(parents=True)
    documents = []
    for name, data in files.items():
        (folder / f"files/{name}.pdf").write_bytes(data)
        documents.append(
            Document(
                document_id=name,
                file=f"files/{name}.pdf",
                sha256=hashlib.sha256(data).hexdigest(),
                source="folder",
                url=f"{name}.pdf",
                domain="science" if "paper" in name else "business",
                document_type="report",
            )
        )
    work = Work(folder)
    work.write("documents", documents, [])
    licences = [
        Licence(document_id=one, licence="CC0-1.0", evidence="CC0", page=1, found_in="text") for one in files
    ]
    work.write("licences", licences, [])
    return work
