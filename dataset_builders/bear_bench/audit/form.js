"use strict";
(() => {
  const form = document.querySelector("form");
  const items = [...form.querySelectorAll(".item")];
  const aspects = form.dataset.aspects.split(" ");
  const columns = ["item", "cell", ...aspects, form.dataset.note];
  const key = `lvqa audit ${form.dataset.key}`;
  const lost = document.querySelector(".lost");

  const values = (item) => {
    const own = { item: item.dataset.item, cell: item.dataset.cell };
    for (const aspect of aspects) {
      own[aspect] = item.querySelector(`input[data-aspect="${aspect}"]:checked`)?.value ?? "";
    }
    own[form.dataset.note] = item.querySelector("textarea").value;
    return own;
  };
  const isDone = (item) => aspects.every((aspect) => item.querySelector(`input[data-aspect="${aspect}"]:checked`));

  const show = () => {
    const done = items.filter(isDone).length;
    document.querySelector("#done").textContent = `${done} / ${items.length}`;
    document.querySelector("progress").value = done;
  };
  const keep = () => {
    show();
    try {
      localStorage.setItem(key, JSON.stringify(items.map(values)));
      lost.hidden = true;
    } catch {
      lost.hidden = false;
    }
  };
  const restore = () => {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(key));
    } catch {
      lost.hidden = false;
    }
    const byItem = new Map((kept ?? []).map((own) => [own.item, own]));
    for (const item of items) {
      const own = byItem.get(item.dataset.item);
      if (!own) continue;
      for (const aspect of aspects) {
        for (const input of item.querySelectorAll(`input[data-aspect="${aspect}"]`)) {
          input.checked = input.value === own[aspect];
        }
      }
      item.querySelector("textarea").value = own[form.dataset.note] ?? "";
    }
    show();
  };

  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const harmless = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const save = () => {
    const rows = [columns, ...items.map(values).map((own) => columns.map((column) => harmless(own[column])))];
    const text = "\uFEFF" + rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = "filled.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const speak = (language) => {
    document.documentElement.lang = language;
    for (const button of document.querySelectorAll("button[data-language]")) {
      button.setAttribute("aria-pressed", String(button.dataset.language === language));
    }
  };

  form.addEventListener("change", keep);
  form.addEventListener("input", keep);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.querySelector("#save").addEventListener("click", save);
  document.querySelector("#next").addEventListener("click", () => {
    items.find((item) => !isDone(item))?.scrollIntoView({ block: "start" });
  });
  for (const button of document.querySelectorAll("button[data-language]")) {
    button.addEventListener("click", () => speak(button.dataset.language));
  }
  restore();
})();
