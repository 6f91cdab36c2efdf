// The words of the page in one language, by name: words("queue.items", { n: 3 }).

export const LANGUAGES = ["en", "ru"];

export async function loadWords(language, ...parts) {
  const files = [language, ...parts.map((part) => `${part}.${language}`)];
  const read = await Promise.all(files.map(fetched));
  const found = read.reduce(merged, {});
  const plural = new Intl.PluralRules(language);
  const words = (name, values = {}) => {
    const said = name.split(".").reduce((at, key) => at?.[key], found);
    if (said === undefined) return name;
    const text = typeof said === "string" ? said : (said[plural.select(values.n)] ?? said.many);
    return text.replace(/\{(\w+)\}/g, (hole, key) => values[key] ?? hole);
  };
  words.language = language;
  words.has = (name) => name.split(".").reduce((at, key) => at?.[key], found) !== undefined;
  return words;
}

async function fetched(name) {
  const answer = await fetch(new URL(`words/${name}.json`, import.meta.url));
  return answer.ok ? answer.json() : {};
}

function merged(one, other) {
  const found = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const both = typeof value === "object" && typeof found[key] === "object";
    found[key] = both ? merged(found[key], value) : value;
  }
  return found;
}
