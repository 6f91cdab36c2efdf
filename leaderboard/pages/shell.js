// What the pages do in the browser: fetch what a view shows, keep the address a link to it, and the theme.
window.lv = (() => {
  const LANGUAGE = "lang";
  const WAIT = 5000; // milliseconds in which what was fetched is drawn
  const kept = (name) => localStorage.getItem(`lvqa-${name}`);
  const keep = (name, value) => localStorage.setItem(`lvqa-${name}`, value);
  const nothing = { __type__: "update" };

  let fields = [];
  let last = null; // what is shown: a text by field
  let asked = {}; // what buttons in parts want set, until an answer has it
  let touched = {}; // the values that controls had at the last event
  let given = {}; // the values that the last answer gave controls, until they have them
  let relay = () => {};
  let running = null;
  let words = {}; // of the script itself, in the language of the page

  const root = () => window.gradio_config?.root ?? "";
  const text = (value) => {
    if (Array.isArray(value)) return value.join(",");
    return typeof value === "boolean" ? String(Number(value)) : String(value ?? "");
  };
  const same = (one, other) => text(one) === text(other);

  // The address says what is shown first; the language is the visitor's own where it says none.
  function opening() {
    const query = new URLSearchParams(location.search);
    const own = kept(LANGUAGE) ?? (navigator.language.startsWith("ru") ? "ru" : "en");
    if (!query.has(LANGUAGE)) query.set(LANGUAGE, own);
    return query;
  }

  function following(now) {
    const query = new URLSearchParams(now);
    const changed = Object.keys(now).filter((name) => now[name] !== last[name]);
    if (changed.length === 0) return null;
    query.set("changed", changed.join(","));
    return query;
  }

  async function fetched(page, query) {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    document.body.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(`${root()}/views/${page}?${query}`, { signal });
      if (!answer.ok) throw new Error(answer.status);
      const view = await answer.json();
      lost(false);
      return view;
    } catch (error) {
      if (error.name !== "AbortError") lost(true);
      return null;
    } finally {
      if (running.signal === signal) document.body.removeAttribute("aria-busy");
    }
  }

  function lost(is) {
    document.body.classList.toggle("lv-away", is);
  }

  // What has the focus may be drawn anew: the button, term or area in its place takes it back.
  function focused() {
    const at = document.activeElement;
    if (!at?.closest?.(".lv")) return () => {};
    const name = fields.find((one) => at.dataset[one] !== undefined);
    const kind = name ? `[data-${name}]` : at.matches("[popovertarget]") ? "[popovertarget]" : ".lv-scroll";
    if (!at.matches(kind)) return () => {};
    const all = () => [...document.querySelectorAll(`.lv ${kind}`)];
    const place = all().indexOf(at);
    // Gradio draws when it comes to it, on a busy machine well after it was told.
    const until = performance.now() + WAIT;
    return function back() {
      if (document.contains(at)) {
        if (document.activeElement === at && performance.now() < until) requestAnimationFrame(back);
      } else if (document.activeElement === document.body) {
        all()[place]?.focus({ preventScroll: true });
      }
    };
  }

  function settle(view) {
    document.documentElement.lang = view.language;
    document.title = `${view.title} · lvqa`;
    history.replaceState(history.state, "", location.pathname + view.link + location.hash);
    keep(LANGUAGE, view.language);
    const pages = document.querySelector(".nav-holder nav");
    pages?.setAttribute("aria-label", view.words.pages);
    // Its links take the focus, and bring themselves into sight.
    pages?.setAttribute("tabindex", "-1");
    for (const link of document.querySelectorAll(".nav-holder a")) {
      const here = new URL(link.href).pathname.replace(/\/$/, "") === location.pathname.replace(/\/$/, "");
      here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
      if (here) link.scrollIntoView({ block: "nearest", inline: "center" });
    }
    document.body.classList.add("lv-drawn");
  }

  // The value of a control that holds: what somebody sets by it, also after a button asked for something else.
  // What an answer gave it is nobody's wish, and may not have come to it yet.
  function settled(name, value) {
    const came = value === given[name];
    if (name in given && !came && value === touched[name]) return last[name];
    if (name in touched && !came && value !== touched[name]) delete asked[name];
    delete given[name];
    return (touched[name] = value);
  }

  // Gradio calls it with the values of the language and of each control, and shows what it returns: a value
  // for each output, the first `before` of them the frame, then the controls, then the parts.
  async function draw({ page, fields: names, controls, before, outputs }, values) {
    const still = Array(outputs).fill(nothing);
    fields = names;
    const held = Object.fromEntries([LANGUAGE, ...controls].map((name, at) => [name, settled(name, text(values[at]))]));
    const wanted = { ...asked };
    const now = last && { ...last, ...held, ...wanted };
    const query = last ? following(now) : opening();
    if (query === null) return still;
    const view = await fetched(page, query);
    if (view === null) return still;
    for (const name in wanted) if (asked[name] === wanted[name]) delete asked[name];
    const back = focused();
    controls.forEach((name, at) => {
      if (same(view.values[name], values[at + 1])) return;
      still[before + at] = { ...nothing, value: view.values[name] };
      given[name] = text(view.values[name]);
    });
    for (const [place, shown] of Object.entries(view.shown)) still[place] = shown;
    last = { [LANGUAGE]: view.language };
    for (const name of names) last[name] = text(view.values[name]);
    if (view.words) words = view.words;
    document.body.dataset.page = page;
    setTimeout(() => { settle(view); back(); });
    return still;
  }

  function change(wanted) {
    Object.assign(asked, Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, text(value)])));
    relay();
  }

  // The values of two fields change places, as they are shown or already asked for.
  function swap(one, other) {
    const now = { ...last, ...asked };
    if (now[one] && now[other]) change({ [one]: now[other], [other]: now[one] });
  }

  function attach(element, trigger) {
    relay = () => trigger("click");
    document.addEventListener("click", (event) => {
      const told = event.target.closest?.(".lv button")?.dataset ?? {};
      const set = fields.filter((name) => told[name] !== undefined);
      if (set.length) change(Object.fromEntries(set.map((name) => [name, told[name]])));
    });
    const chosen = kept("theme");
    if (chosen) document.body.classList.toggle("dark", chosen === "dark");
    pressed();
  }

  function pressed() {
    const button = document.querySelector("#lv-theme");
    button?.setAttribute("aria-pressed", document.body.classList.contains("dark"));
  }

  function theme() {
    keep("theme", document.body.classList.toggle("dark") ? "dark" : "light");
    pressed();
  }

  function download(file) {
    location.assign(`${root()}/downloads/${file}${location.search}`);
  }

  // What a button says after the copy, and again when that was read.
  async function copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      return words.copied;
    } catch {
      return words.address;
    }
  }
  const copyable = () => new Promise((done) => setTimeout(() => done(words.copy), 2000));

  return { draw, change, swap, attach, theme, download, copy, copyable };
})();
