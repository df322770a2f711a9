// What ipywidgets leaves out of a control: an accessible name, a number box that reads and writes numbers as people do,
// Play, a page key worth pressing, and keys that stay with the control they are pressed on. (In a notebook's command mode an
// arrow on a dropdown would move to another cell, and a letter meant to pick an option would insert one.)

function written(x, { written: format }) {                         // 10,000 and −0.5, as the sentences have them
  return (x || 0).toLocaleString("en-US", format).replace("-", "\u2212");
}
function read(text) {              // NaN for what is no number; 1,5 is none: it might be 1.5 or a slip for 1,500
  const plain = text.trim().replace("\u2212", "-").replace(/(\d)[ _\u00a0\u2009\u202f](?=\d{3}(?!\d))/g, "$1");
  if (/^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(plain)) return Number(plain.replaceAll(",", ""));
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}
function pageOf({ low, high, step, log }) {                        // steps a page key goes: a twentieth of the range, as a round number
  const steps = (log ? Math.log10(high / low) : high - low) / step, tenth = 10 ** Math.floor(Math.log10(steps / 20));
  return Math.max(Math.min(5, Math.floor(steps / 2)) || 1, [5, 2, 1].map((n) => n * tenth).find((n) => n <= steps / 20));
}

// view: of one control; go(value): to where the control stops next to it; play(button): start or pause.
function equip(view, { control, spec, go, play }) {
  const { label, trait, low, high, step, log } = spec, value = () => Number(control.get(trait));
  const handle = view.el.querySelector("[role=slider]");
  handle?.setAttribute("aria-label", label);
  view.el.addEventListener("keydown", (event) => {
    const shell = ["Enter", "Escape"].includes(event.key) && !event.target.matches("button, input:not([type=checkbox])");
    if (!event.ctrlKey && !event.metaKey && !shell && !(event.key === "Enter" && event.shiftKey)) event.stopPropagation();
  });
  if (!handle) return;

  const box = document.createElement("input");
  Object.assign(box, { className: "pe-number", inputMode: "decimal", autocomplete: "off", spellcheck: false });
  box.size = Math.max(...[low, high].map((x) => written(x, spec).length)) + log;
  box.setAttribute("aria-label", `${label}, as a number`);
  let shown;                       // what the box said last: as it is rounded, it is not to be read back
  const say = () => {
    shown = box.value = written(value(), spec);
    box.title = ""; box.removeAttribute("aria-invalid");
    setTimeout(() => handle.setAttribute("aria-valuetext", shown));                      // noUiSlider's own is a log slider's exponent
  };
  box.onchange = () => {
    const number = read(box.value);
    if (box.value === shown) return;
    if (!Number.isNaN(number)) { go(number); return say(); }
    box.setAttribute("aria-invalid", "true");
    box.title = "Not a number: write 1.5, 10,000 or 1e4.";
  };
  box.onfocus = () => box.select();
  box.onblur = () => say();        // what was no number is forgotten
  box.onkeydown = ({ key }) => { if (key === "Enter") box.onchange(); else if (key === "Escape") say(); };
  view.listenTo(control, `change:${trait}`, say);
  say();
  view.el.append(box);

  const page = pageOf(spec) * step;
  view.el.addEventListener("keydown", (event) => {
    const way = event.target === handle && { PageUp: 1, PageDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault(); event.stopPropagation();
    go(log ? value() * 10 ** (way * page) : value() + way * page);
  }, true);
  if (spec.play) {
    const button = view.el.insertBefore(document.createElement("button"), view.el.firstChild);
    button.className = "pe-play";
    button.onclick = () => play(button);
    face(button, label, false);
  }
}
function face(button, label, plays) {                              // of a Play button
  button.textContent = plays ? "\u275a\u275a" : "\u25b6";
  button.setAttribute("aria-label", `${plays ? "Pause" : "Play"}: ${label}`);
}
