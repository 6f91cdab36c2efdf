// What is asked of the server, and what may come of it.

// The server does not answer; nothing is known about what was sent.
export class Away extends Error {}

// The server has a newer content: { revision, content, annotator, saved_at }.
export class Newer extends Error {
  constructor(newest) {
    super("newer");
    this.newest = newest;
  }
}

// The server refuses: a list of { field, rule, found, allowed }.
export class Refused extends Error {
  constructor(problems, status) {
    super(problems.map((one) => `${one.field}: ${one.rule}`).join("; ") || String(status));
    this.problems = problems;
  }
}

export const api = {
  get: (path) => asked(path, {}),
  post: (path, body, { leaving = false } = {}) =>
    asked(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      keepalive: leaving,
    }),
};

// A part of an address.
export const part = encodeURIComponent;

async function asked(path, options) {
  let answer;
  let body;
  try {
    answer = await fetch(path, options);
    body = await answer.json();
  } catch {
    throw new Away(path);
  }
  if (answer.ok) return body;
  if (answer.status >= 500) throw new Away(path);
  if (answer.status === 409 && "content" in body) throw new Newer(body);
  throw new Refused(body.problems ?? [], answer.status);
}
