"""Pages of our own making in the forms of the sites from which documents are collected."""

import io
import json
import zipfile

from tests.support.replay_server import Answer

AGENT = "Example Tests tests@lvqa.example.org"


def made_pdf(text, padding=0):
    """Return a PDF of one page with a line of Latin text on it; `padding` bytes make it longer."""
    stream = f"BT /F1 24 Tf 40 100 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R"
        b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    written = io.BytesIO(b"%PDF-1.4\n%" + b"x" * padding + b"\n")
    written.seek(0, io.SEEK_END)
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(written.tell())
        written.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = written.tell()
    written.write(b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % one for one in places))
    written.write(b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start)
    return written.getvalue()


class _OldEntry(zipfile.ZipInfo):
    """An entry whose name is in code page 866 and not marked as UTF-8, as old archivers wrote them."""

    def _encodeFilenameFlags(self):  # noqa: N802 - named by zipfile
        return self.filename.encode("cp866"), self.flag_bits & ~0x800


def archive(**files):
    """Return a ZIP archive of an old archiver under Russian Windows."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        for name, content in files.items():
            made.writestr(_OldEntry(name), content)
    return written.getvalue()


def html(body, title="A page"):
    """Return an answer with a page in HTML."""
    text = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"
    return Answer(text.encode(), kind="text/html; charset=utf-8")


def in_json(content):
    """Return an answer in JSON."""
    return Answer(json.dumps(content).encode(), kind="application/json")


def submissions(*filings, files=()):
    """Return EDGAR's list of a company's filings; each is (accession, form, date, document, items)."""
    names = ("accessionNumber", "form", "filingDate", "primaryDocument", "items")
    return {"filings": {"recent": columns(names, filings), "files": list(files)}}


def columns(names, filings):
    """Return filings as EDGAR writes them: a list for each column."""
    return {name: [filing[place] for filing in filings] for place, name in enumerate(names)}


def filing_index(*documents):
    """Return the index page of a filing; each document is (address, type)."""
    listed = "".join(
        f'<tr><td>{number}</td><td>EXHIBIT</td><td><a href="{href}">{href}</a></td>'
        f"<td>{kind}</td><td>9</td></tr>"
        for number, (href, kind) in enumerate(documents, start=1)
    )
    heads = "<tr><th>Seq</th><th>Description</th><th>Document</th><th>Type</th><th>Size</th></tr>"
    return html(f'<table class="tableFile" summary="Document Format Files">{heads}{listed}</table>')


def arxiv_feed(base, total, *papers):
    """Return an Atom feed of arXiv's search; each paper is (id, title)."""
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{name}</id><title>{title}</title><summary>About it.</summary>"
        "<updated>2026-03-01T00:00:00Z</updated><published>2026-03-01T00:00:00Z</published>"
        f'<link href="{base}/pdf/{name}" rel="related" type="application/pdf" title="pdf"/></entry>'
        for name, title in papers
    )
    head = (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
    )
    return Answer(f"{head}{entries}</feed>".encode(), kind="application/atom+xml")


def arxiv_record(licence):
    """Return an answer of OAI-PMH with a paper's licence, None for a paper without one."""
    told = f"<license>{licence}</license>" if licence else ""
    inner = f'<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>1</id>{told}</arXiv>'
    body = (
        '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><GetRecord><record>'
        f"<metadata>{inner}</metadata></record></GetRecord></OAI-PMH>"
    )
    return Answer(body.encode(), kind="text/xml")


def catalogue(area, number, last, *papers):
    """Return a page of CyberLeninka's catalogue, whose list a script fills; each paper is (name, title)."""
    listed = "".join(
        f'<li><a href="/article/n/{name}"><div class="title">{title}</div><span>2025 / Author</span></a></li>'
        for name, title in papers
    )
    pages = "".join(f'<li><a href="/article/c/{area}/{one}">{one}</a></li>' for one in range(1, last + 1))
    script = f"document.querySelector('ul.list').innerHTML = {json.dumps(listed, ensure_ascii=False)};"
    return html(
        '<img src="/banner.png"><ul class="list"></ul>'
        f'<ul class="paginator">{pages}</ul><script>{script}</script>',
        f"Статьи, страница {number}",
    )


def article(name, licence):
    """Return the page of a paper on CyberLeninka."""
    label = f'<div class="label-cc">{licence}</div>' if licence else ""
    return html(f'{label}<a href="/article/n/{name}/pdf">Скачать PDF</a>', "Научная статья")


def reports(*files):
    """Return the portal's table of a company's reports; each file is (number, kind, period)."""
    rows = "".join(
        f'<tr><td class="row-number-cell">{place}</td><td class="type-cell">{kind}</td><td>{period}</td>'
        '<td class="date-cell">28.04.2026</td><td class="date-cell">29.04.2026</td><td class="file-cell">'
        f'<a class="file-link" href="/portal/FileLoad.ashx?Fileid={number}">zip, 1 МБ</a>'
        '</td><td class="cert-cell"></td></tr>'
        for place, (number, kind, period) in enumerate(files, start=1)
    )
    return html(f'<table class="zebra files-table"><tbody><tr><th>№</th></tr>{rows}</tbody></table>')


def announcements(*titles, start=0):
    """Return a page of ISS with the exchange's announcements; each is (number, title)."""
    return in_json(
        {
            "sitenews": {
                "columns": ["id", "tag", "title", "published_at", "modified_at"],
                "data": [[number, "site", title, "2026-03-01", "2026-03-01"] for number, title in titles],
            },
            "sitenews.cursor": {"columns": ["INDEX", "TOTAL", "PAGESIZE"], "data": [[start, 99, 50]]},
        }
    )


def announcement(number, body):
    """Return one announcement as ISS gives it."""
    block = {"columns": ["id", "title", "published_at", "body"], "data": [[number, "T", "2026-03-01", body]]}
    return in_json({"content": block})
