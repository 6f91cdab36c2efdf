#!/usr/bin/env bash
# The builder of BEAR-Bench on real documents: a folder of PDFs, from collecting to the sample, twice with the same
# bytes; then procedural pages as the finished set, twice with the same bytes, checked and loaded.
#   LVQA_CHECK_PDFS   the folder; the sibling `shared/data/pdf` of the repository if not set
# Of each document the first and the last pages are taken, which hold its licence: OCR takes a second or two a page.
source "$(dirname "$0")/common.sh"
pdfs=${LVQA_CHECK_PDFS:-$PWD/../shared/data/pdf}
ends=5 taught=60
[[ $reduced == yes ]] && ends=1 taught=24

echo "== procedural pages: the finished set, and labels to learn from"
for one in first second; do
  $lvqa build bear procedural "$work/$one/made" --pages $taught --width 620 >"$work/$one.txt"
  $lvqa build bear finish "$work/$one/made" --out "$work/$one/bear-bench" >>"$work/$one.txt"
  $lvqa validate "$work/$one/bear-bench"
done
sed "s|$work/first/||" "$work/first.txt"
diff -r "$work/first/bear-bench" "$work/second/bear-bench" || fail "two builds of one set differ"
$lvqa diff "$work/first/bear-bench" "$work/second/bear-bench"
(cd "$work/first" && $python -c "
from datasets import load_dataset
for config in ('all', 'business', 'science'):
    print(' ', config, {split: len(rows) for split, rows in load_dataset('bear-bench', config).items()})
rows = load_dataset('bear-bench', 'business', split='ru')
print(' ', rows[0]['question'], rows[0]['image'].size)")
if [[ ! -d $pdfs ]]; then
  echo "skipped: no PDFs at $pdfs"
  exit 0
fi

echo "== collected pages: from PDFs to the sample"
$python scripts/check/bear_builder.py "$pdfs" "$work/pdfs" $ends
# Half of the procedural pages teach the layout encoder what pages contain; the others are its classifier's first test.
awk 'NR % 2' "$work/first/made/labels.jsonl" >"$work/taught.jsonl"
$lvqa build bear classify "$work/first/made" --labels "$work/taught.jsonl"
for one in first second; do
  place=$work/$one/work
  mkdir -p "$place"
  cp "$work/pdfs/licences.csv" "$place/"
  {
    $lvqa build bear collect folder "$place" --path "$work/pdfs"
    $lvqa build bear licence "$place"
    $lvqa build bear render "$place" --dpi 100
    $lvqa build bear classify "$place" --classifier "$work/first/made/classifier.json"
    $lvqa build bear density "$place"
    $lvqa build bear sample "$place"
  } >"$work/$one-stages.txt"
done
cat "$work/first-stages.txt"
diff "$work/first-stages.txt" "$work/second-stages.txt" || fail "two runs print different counts"
hashes() { (cd "$1" && find . -type f \( -name '*.jsonl' -o -name '*.png' -o -name '*.pdf' \) -exec sha256sum {} + | sort -k 2); }
diff <(hashes "$work/first/work") <(hashes "$work/second/work") || fail "two runs write different bytes"
echo "same bytes twice: $(hashes "$work/first/work" | wc -l) files, $(hashes "$work/first/work" | sha256sum | cut -c1-16)"
