"""Short copies of a folder of PDFs, and the tables that describe and license them: for bear_builder.sh."""

import csv
import sys
from pathlib import Path

from pypdfium2 import PdfDocument

DOMAINS = {"biz": "business", "tech": "business", "sci": "science"}

# What is known about the documents from where they came from; the others must say it themselves.
LICENCES = {
    "en_biz_federal_register": ("LicenseRef-United-States-Government-Work", "Federal Register"),
    "en_biz_usda": ("LicenseRef-United-States-Government-Work", "US Department of Agriculture"),
    "en_biz_usfed": ("LicenseRef-United-States-Government-Work", "Federal Reserve Board"),
    "en_tech_faa": ("LicenseRef-United-States-Government-Work", "Federal Aviation Administration"),
    "en_sci_": ("CC-BY-4.0", "ACL Anthology: materials since 2016 are under CC BY 4.0"),
    "ru_biz_law": ("LicenseRef-Public-Domain", "official document, Civil Code of Russia, article 1259(6)"),
    "ru_biz_minobr": ("LicenseRef-Public-Domain", "official document, Civil Code of Russia, article 1259(6)"),
    "ru_biz_fstec": ("LicenseRef-Public-Domain", "official document, Civil Code of Russia, article 1259(6)"),
    "ru_biz_dogovor": ("NONE", "a contract is no official document"),
    "ru_sci_texlive_mpman": ("LPPL-1.3c", "Debian's list of copyrights of TeX Live"),
    "ru_sci_texlive_eskdx": ("LPPL-1.3c", "Debian's list of copyrights of TeX Live"),
}


def cut(source, target, ends):
    """Copy the first and last pages of a file."""
    with PdfDocument(source) as document, PdfDocument.new() as short:
        pages = len(document)
        kept = [index for index in range(pages) if index < ends or index >= pages - ends]
        short.import_pages(document, kept)
        short.save(target)
    return pages, len(kept)


def write(path, columns, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(rows)


def main():
    source, out, ends = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    out.mkdir(parents=True)
    described, licensed = [], []
    for path in sorted(source.glob("*.pdf")):
        pages, kept = cut(path, out / path.name, ends)
        print(f"  {path.name}: {kept} of {pages} pages")
        kind = path.stem.split("_")[1]
        described.append([path.name, DOMAINS[kind], f"{kind} document"])
        licensed += [
            [path.name, licence, evidence, "bear_builder.sh"]
            for begin, (licence, evidence) in LICENCES.items()
            if path.name.startswith(begin)
        ]
    write(out / "documents.csv", ["file", "domain", "document_type"], described)
    write(out / "licences.csv", ["file", "licence", "evidence", "decided_by"], licensed)


if __name__ == "__main__":
    main()
