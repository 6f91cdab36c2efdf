// Fields of a content by name: "answer", "minimal_sets[1]", "shards[2].text". Contents are never changed in place.

const parts = (field) => field.split(/[.[\]]+/).filter(Boolean).map((one) => (/^\d+$/.test(one) ? Number(one) : one));

export function at(content, field) {
  return parts(field).reduce((value, key) => value?.[key], content);
}

export function having(content, field, value) {
  return placed(content, parts(field), value);
}

function placed(whole, [key, ...rest], value) {
  const copy = Array.isArray(whole) ? [...whole] : { ...whole };
  copy[key] = rest.length ? placed(copy[key], rest, value) : value;
  return copy;
}

// Whether two contents say the same, whatever the order of their fields.
export function same(one, other) {
  return told(one) === told(other);
}

function told(value) {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one);
}
