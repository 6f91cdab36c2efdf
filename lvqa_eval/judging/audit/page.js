// The body of a function that Gradio calls with `element`, `props` and `server` once the page stands.
const root = () => element.querySelector(".lv");
const field = () => element.querySelector(".lv-note textarea");
const asked = new URLSearchParams(location.search).get("lang");
let language = asked ?? (navigator.language.startsWith("ru") ? "ru" : "en");
let last = Promise.resolve();

const large = document.createElement("dialog");
large.className = "lv-large";
large.append(document.createElement("img"), document.createElement("p"), document.createElement("button"));
large.addEventListener("click", () => large.close());
document.body.append(large);

function shown(view) {
  const changed = root()?.dataset.item;
  props.value = view;
  // The page is drawn anew after this task.
  return new Promise((done) => setTimeout(() => {
    const now = root();
    document.documentElement.lang = now.dataset.language;
    // A field that was typed in keeps its text otherwise, and the next item would get the note of this one.
    field().value = now.dataset.note;
    element.querySelector(".lv-jump").value = now.dataset.number;
    if (changed !== now.dataset.item) scrollTo(0, 0);
    done();
  }));
}

// One request after the other. What was meant for an item that is no longer shown is dropped, so that a key
// struck twice never labels an item that nobody has seen.
function ask(request) {
  const item = root()?.dataset.item ?? null;
  last = last.then(async () => {
    if (item !== (root()?.dataset.item ?? null)) return;
    const note = root() ? field().value : null;
    try {
      const view = await server.answer({ item, note, language, ...request() });
      // Where the server cannot be reached, or refuses, Gradio gives something else than its answer.
      if (typeof view !== "string") throw new Error("no answer");
      await shown(view);
    } catch (error) {
      const lost = element.querySelector(".lv-lost");
      if (lost) lost.hidden = false;
    }
  });
}

const number = () => Number(root().dataset.number);
const actions = {
  label: (value) => ask(() => ({ do: "label", label: value })),
  previous: () => ask(() => ({ do: "show", number: number() - 1 })),
  next: () => ask(() => ({ do: "show", number: number() + 1 })),
  unlabelled: () => ask(() => ({ do: "show" })),
  undo: () => ask(() => ({ do: "undo" })),
  language: (value) => {
    language = value;
    history.replaceState(null, "", `?lang=${value}`);
    ask(() => ({ do: "show", number: number() }));
  },
  theme: () => {
    localStorage.setItem("lvqa-theme", document.body.classList.toggle("dark") ? "dark" : "light");
  },
  enlarge: (_, button) => {
    const [picture, words, close] = large.children;
    const small = button.querySelector("img");
    for (const name of ["src", "alt", "width", "height"]) picture.setAttribute(name, small.getAttribute(name));
    picture.style.setProperty("--ratio", small.getAttribute("width") / small.getAttribute("height"));
    words.textContent = small.alt;
    close.textContent = root().dataset.close;
    large.showModal();
  },
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) actions[button.dataset.do](button.dataset.value, button);
});
element.addEventListener("change", (event) => {
  if (!event.target.matches(".lv-jump")) return;
  const wanted = Math.round(Number(event.target.value)) || number();
  ask(() => ({ do: "show", number: wanted }));
});
element.addEventListener("focusout", (event) => {
  // A button takes the note with it.
  const button = event.relatedTarget?.closest?.("[data-do]");
  if (event.target === field() && !button && field().value.trim() !== root().dataset.note) {
    ask(() => ({ do: "note" }));
  }
});
const keys = { 1: "right", 2: "wrong", 3: "cannot_tell" };
document.addEventListener("keydown", (event) => {
  if (event.target.matches("textarea, input")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || large.open || !root()) return;
  if (keys[event.key]) actions.label(keys[event.key]);
  else if (event.key === "ArrowLeft") actions.previous();
  else if (event.key === "ArrowRight") actions.next();
  else if (event.code === "KeyU") actions.undo();
  else return;
  event.preventDefault();
});

const theme = localStorage.getItem("lvqa-theme");
if (theme) document.body.classList.toggle("dark", theme === "dark");
ask(() => ({ do: "open" }));
