// Controls of forms about scenes: one of a few, layers by their numbers, text.

import { element, press, put } from "./dom.js";

// Radio buttons that look like buttons. Returns { node, draw(value), first }.
export function oneOf({ name, label, values, locked, chosen }) {
  const inputs = values.map(([value]) =>
    element("input", { type: "radio", name, value, disabled: locked, onchange: () => chosen(value) }));
  const node = element("fieldset", { class: "a-field a-one-of" }, element("legend", { class: "a-label" }, label),
    element("div", { class: "a-row" }, values.map(([, text], at) =>
      element("label", { class: "a-toggle" }, inputs[at], element("span", {}, text)))));
  const draw = (value) => inputs.forEach((input) => (input.checked = input.value === value));
  return { node, draw, first: inputs[0] };
}

// A button for each layer of a scene, pressed where the layer is in. Returns { node, draw(layers) }.
export function layerToggles({ layers, label, locked, changed }) {
  let inside = [];
  const toggle = (index) => changed(
    inside.includes(index) ? inside.filter((one) => one !== index) : [...inside, index].sort((a, b) => a - b));
  const buttons = layers.map(({ index, name }) => element("button", {
    ...{ type: "button", class: "a-toggle a-layer", disabled: locked, title: name },
    ...{ "aria-label": `${index} ${name}`, onclick: () => toggle(index) },
  }, String(index)));
  const node = element("div", { class: "a-layers", role: "group", "aria-label": label }, buttons);
  const draw = (now) => {
    inside = now;
    buttons.forEach((button, at) => press(button, now.includes(layers[at].index)));
  };
  return { node, draw };
}

// A field of text with its label above. Returns { node, input, draw(value) }.
export function textField({ label, lines = 1, locked, changed, id, note = null }) {
  const input = element(lines > 1 ? "textarea" : "input", {
    ...{ class: "a-text", id, readOnly: locked, autocomplete: "off", oninput: () => changed(input.value) },
    ...(lines > 1 ? { rows: lines } : { type: "text" }),
  });
  const title = element("label", { class: "a-label", for: id }, label,
    note ? element("span", { class: "a-note" }, note) : null);
  const node = element("div", { class: "a-field" }, title, input);
  return { node, input, draw: (value) => put(input, value) };
}
