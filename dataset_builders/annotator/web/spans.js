// Where the words of shards stand in the question: spans of characters as Python counts them (code points).

const LETTER = /[\p{L}\p{N}]/u;

// The span of `words` in `question`, whatever the case; null where they do not stand there as whole words.
export function spanOf(question, words) {
  const wanted = [...words.trim().replace(/[.?!]+$/, "").toLocaleLowerCase()];
  const text = [...question].map((one) => one.toLocaleLowerCase());
  if (wanted.length === 0) return null;
  for (let start = 0; start + wanted.length <= text.length; start += 1) {
    const end = start + wanted.length;
    const whole = !(within(text, start) || within(text, end));
    if (whole && wanted.every((one, at) => text[start + at] === one)) return [start, end];
  }
  return null;
}

// Whether a place lies inside a word.
const within = (text, at) => [text[at - 1], text[at]].every((one) => one !== undefined && LETTER.test(one));

export function spanned(question, [start, end]) {
  return [...question].slice(start, end).join("");
}

// A span after the question was changed: where the same words stand by now.
export function moved(span, before, after) {
  return span && spanOf(after, spanned(before, span));
}

// The question cut where spans begin and end: [{ text, shards: [numbers from 1] }].
export function pieces(question, spans) {
  const text = [...question];
  const cuts = new Set([0, text.length, ...spans.filter(Boolean).flat()]);
  const ends = [...cuts].filter((cut) => cut <= text.length).sort((a, b) => a - b);
  return ends.slice(1).map((end, at) => ({
    text: text.slice(ends[at], end).join(""),
    shards: spans.flatMap((span, number) => (span && span[0] <= ends[at] && end <= span[1] ? [number + 1] : [])),
  }));
}
