// Parts of a page, made by calls alone: text from people and models never becomes markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(made, name, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function set(made, name, value) {
  if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
  else if (name === "class") made.className = value;
  else if (name === "dataset") Object.assign(made.dataset, value);
  else if (name in made && typeof value !== "string") made[name] = value;
  else made.setAttribute(name, value);
}

// The same elements stay in the same places, so that what has the focus keeps it.
export function rows(container, count, make, update) {
  while (container.children.length > count) container.lastElementChild.remove();
  while (container.children.length < count) container.append(make(container.children.length));
  [...container.children].forEach((row, at) => update(row, at));
}

// Setting the value that a field has already would move its caret.
export function put(input, text) {
  if (input.value !== text) input.value = text;
}

export function press(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
}

// A button of the app; `attributes` may add classes by a class of its own, or anything else.
export function button(text, onclick, attributes = {}) {
  const { class: more = "", ...rest } = attributes;
  return element("button", { type: "button", class: `a-button ${more}`.trim(), onclick, ...rest }, text);
}
